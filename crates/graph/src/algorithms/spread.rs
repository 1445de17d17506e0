//! Personalised PageRank from a few nodes by local pushes: finds nearby nodes without visiting the whole graph.
//!
//! Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors" (FOCS 2006): mass is pushed on from a
//! node while its residual exceeds a tolerance times its degree, so the work is bounded by the tolerance and not by
//! the size of the graph. Edges count in both directions with the same weight, so that the walk without restarts has
//! a known stationary distribution (a node's share of all weight) as a baseline for nearness.

use std::collections::VecDeque;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use rustc_hash::FxHashMap;

use crate::{EdgeRef, Graph, NodeIx, weights};

/// Pushes between two checks of the stop conditions.
const CHECKED_EVERY: usize = 256;

/// Parameters of a search.
#[derive(Debug, Clone, Copy)]
pub struct SpreadQuery {
    /// Restart probability, between 0 and 1 exclusive: larger values stay nearer to the start.
    pub restart: f64,
    /// Residual that may remain at a node, relative to the weight of its edges; positive.
    pub tolerance: f64,
    /// Maximum number of edges to visit.
    pub max_edges: usize,
}

impl Default for SpreadQuery {
    fn default() -> Self {
        Self { restart: 0.2, tolerance: 1e-4, max_edges: 200_000 }
    }
}

/// A node that mass arrived at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The node.
    pub node: NodeIx,
    /// Its share of the mass, 0 to 1; all shares sum to at most 1.
    pub share: f64,
    /// Its share divided by its stationary share: more than 1 is nearer than chance.
    pub lift: f64,
}

/// Result of a search.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// Nodes by share, largest first, then by id; includes the start nodes.
    pub nodes: Vec<Near>,
    /// The search stopped at [`SpreadQuery::max_edges`].
    pub incomplete: bool,
}

/// Weight of an edge, the same in both directions; edges of weight 0 are not followed.
pub fn weight(edge: &EdgeRef<'_>) -> f64 {
    let relation = match edge.relation {
        Relation::Contains => 0.4,
        Relation::RelatesTo => 0.2,
        Relation::DependsOn => 0.0,
        relation => weights::of(relation).change,
    };
    relation * weights::certainty(edge.tier, edge.of)
}

/// Kinds of nodes that connect everything and therefore indicate no nearness.
fn is_passage(kind: NodeKind) -> bool {
    kind != NodeKind::Directory && !kind.is_outside()
}

/// Edge weights of a graph, summed once for many searches.
#[derive(Debug, Clone, Default)]
pub struct SpreadWeights {
    /// Sum over all edges in both directions: the baseline of [`spread`].
    total: f64,
    /// Sum over the edges of each node to nodes that can be near, by node number.
    degrees: Vec<f64>,
}

impl SpreadWeights {
    /// Computes the weights of a graph. Visits every edge once.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(graph: &Graph, cancel: &Cancel) -> Result<Self, Cancelled> {
        let mut weights = Self { total: 0.0, degrees: vec![0.0; graph.node_count()] };
        for (index, node) in graph.nodes().enumerate() {
            if index % CHECKED_EVERY == 0 {
                cancel.check()?;
            }
            let passes = is_passage(graph.kind(node));
            for edge in graph.out_edges(node) {
                let (passes_on, weight) = (is_passage(graph.kind(edge.to)), weight(&edge));
                if passes && passes_on {
                    weights.total += 2.0 * weight;
                }
                if passes_on && edge.to != node {
                    *weights.degree_mut(node) += weight;
                }
                if passes && edge.to != node {
                    *weights.degree_mut(edge.to) += weight;
                }
            }
        }
        Ok(weights)
    }

    fn degree_mut(&mut self, node: NodeIx) -> &mut f64 {
        // Overlay nodes are numbered after all others.
        if self.degrees.len() <= node.index() {
            self.degrees.resize(node.index() + 1, 0.0);
        }
        &mut self.degrees[node.index()]
    }

    fn degree(&self, node: NodeIx) -> f64 {
        self.degrees.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Weight of all edges in both directions.
    pub fn total(&self) -> f64 {
        self.total
    }
}

/// Personalised PageRank of the start nodes, whose weights are normalised. `weights` are those of the graph.
///
/// # Errors
/// [`Cancelled`].
pub fn spread(
    graph: &Graph,
    starts: &[(NodeIx, f64)],
    query: &SpreadQuery,
    weights: &SpreadWeights,
    cancel: &Cancel,
) -> Result<Spread, Cancelled> {
    let all: f64 = starts.iter().map(|(_, weight)| weight.max(0.0)).sum();
    let mut spread = Spread::default();
    if all <= 0.0 {
        return Ok(spread);
    }
    let (region, queue) = (Region::default(), VecDeque::new());
    let mut search = Search { graph, query, weights, region, queue, looked: 0 };
    for &(node, weight) in starts {
        search.start(node, weight.max(0.0) / all);
    }
    let mut pushes = 0usize;
    while let Some(at) = search.queue.pop_front() {
        if pushes.is_multiple_of(CHECKED_EVERY) {
            cancel.check()?;
        }
        pushes += 1;
        if !search.push(at) {
            spread.incomplete = true;
            break;
        }
    }
    spread.nodes = search.region.near(weights.total);
    spread.nodes.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    Ok(spread)
}

/// State of a running search.
struct Search<'s> {
    graph: &'s Graph,
    query: &'s SpreadQuery,
    weights: &'s SpreadWeights,
    region: Region,
    /// Indexes of nodes that may have enough residual to push.
    queue: VecDeque<usize>,
    /// Number of edges visited.
    looked: usize,
}

impl Search<'_> {
    /// Assigns a start node its share of the mass.
    fn start(&mut self, node: NodeIx, share: f64) {
        let at = self.region.place(node);
        let spot = &mut self.region.spots[at];
        (spot.waiting, spot.is_start) = (spot.waiting + share, true);
        if !std::mem::replace(&mut spot.is_queued, true) {
            self.queue.push_back(at);
        }
    }

    /// Keeps a part of the residual of a node and pushes the rest on, if it exceeds the tolerance; `false` if that
    /// would exceed the edge limit.
    fn push(&mut self, at: usize) -> bool {
        let spot = &mut self.region.spots[at];
        spot.is_queued = false;
        let is_first = spot.degree.is_none();
        let degree = *spot.degree.get_or_insert_with(|| self.weights.degree(spot.node));
        let mass = spot.waiting;
        // Most nodes that receive mass are hubs with too little of it: their edges are not visited.
        if mass <= self.query.tolerance * degree && !(is_first && spot.is_start) {
            return true;
        }
        spot.waiting = 0.0;
        let kept = if degree > 0.0 { self.query.restart * mass } else { mass };
        *spot.arrived.get_or_insert(0.0) += kept;
        if degree <= 0.0 {
            return true;
        }
        self.region.look_around(self.graph, at);
        let spot = &mut self.region.spots[at];
        self.looked += spot.edges.len();
        if self.looked > self.query.max_edges {
            return false;
        }
        let on = (1.0 - self.query.restart) * mass / degree;
        let edges = std::mem::take(&mut spot.edges);
        for &(next, weight) in &edges {
            let there = &mut self.region.spots[next];
            there.waiting += on * weight;
            // The threshold of a node is only known after its edges were visited.
            let threshold = self.query.tolerance * there.degree.unwrap_or(weight);
            if there.waiting > threshold && !std::mem::replace(&mut there.is_queued, true) {
                self.queue.push_back(next);
            }
        }
        self.region.spots[at].edges = edges;
        true
    }
}

/// State of one node in a search.
struct Spot {
    node: NodeIx,
    /// Residual: mass still to be pushed on.
    waiting: f64,
    /// Mass that stays; `None` if none was pushed from here.
    arrived: Option<f64>,
    /// Weight of all its edges; `None` until first needed.
    degree: Option<f64>,
    /// Indexes of its neighbours, with the weight of the edges between; empty until mass is pushed from here.
    edges: Vec<(usize, f64)>,
    is_queued: bool,
    is_start: bool,
}

/// The visited part of the graph. Mass returns to a node many times: nodes are looked up once and then identified by
/// their index here.
#[derive(Default)]
struct Region {
    spots: Vec<Spot>,
    places: FxHashMap<NodeIx, usize>,
}

impl Region {
    fn place(&mut self, node: NodeIx) -> usize {
        let spots = &mut self.spots;
        *self.places.entry(node).or_insert_with(|| {
            let (edges, is_queued, is_start) = (Vec::new(), false, false);
            spots.push(Spot { node, waiting: 0.0, arrived: None, degree: None, edges, is_queued, is_start });
            spots.len() - 1
        })
    }

    /// Collects the edges of a node if that has not been done yet.
    fn look_around(&mut self, graph: &Graph, at: usize) {
        if self.spots[at].edges.is_empty() {
            let found = neighbours(graph, self.spots[at].node);
            self.spots[at].edges = found.into_iter().map(|(node, weight)| (self.place(node), weight)).collect();
        }
    }

    /// Nodes that mass arrived at, in unspecified order.
    fn near(&self, total: f64) -> Vec<Near> {
        let lift = |spot: &Spot, share: f64| match spot.degree {
            Some(degree) if degree > 0.0 && total > 0.0 => share / (degree / total),
            _ => 1.0,
        };
        let there = self.spots.iter().filter_map(|spot| Some((spot, spot.arrived?)));
        there.map(|(spot, share)| Near { node: spot.node, share, lift: lift(spot, share) }).collect()
    }
}

/// Sorts weights by node and sums those of each node in their given order, so that the sum is bitwise reproducible.
pub fn sum_by_node(weights: &mut Vec<(NodeIx, f64)>) {
    weights.sort_by_key(|(node, _)| *node);
    weights.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// Neighbours in both directions, by number, with the weight of all edges between.
fn neighbours(graph: &Graph, node: NodeIx) -> Vec<(NodeIx, f64)> {
    let out = graph.out_edges(node).map(|edge| (edge.to, weight(&edge)));
    let into = graph.in_edges(node).map(|edge| (edge.from, weight(&edge)));
    let mut found: Vec<(NodeIx, f64)> = out
        .chain(into)
        .filter(|&(other, weight)| other != node && weight > 0.0 && is_passage(graph.kind(other)))
        .collect();
    sum_by_node(&mut found);
    found
}
