//! Personalised PageRank from a few nodes, by local pushes: what lies near them, without a walk over the whole graph.
//!
//! Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors" (FOCS 2006): mass is pushed on from a node
//! while what waits there is more than a tolerance times its degree, so the work is bounded by the tolerance and not by
//! the size of the graph. Edges count in both directions with one weight, so that the walk without restarts has a known
//! distribution (a node's share of all weight) against which nearness can be held.

use std::collections::VecDeque;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use rustc_hash::FxHashMap;

use crate::{EdgeRef, Graph, NodeIx, weights};

/// Pushes between two looks at whether to end.
const CHECKED_EVERY: usize = 256;

/// Bounds of a search.
#[derive(Debug, Clone, Copy)]
pub struct SpreadQuery {
    /// Chance to return to the start nodes at each step, more than 0 and less than 1: larger stays nearer.
    pub restart: f64,
    /// Mass that may wait at a node, times the weight of its edges, more than 0.
    pub tolerance: f64,
    /// Edges looked at before the search ends.
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
    /// Which.
    pub node: NodeIx,
    /// Its share of the mass, 0 to 1; all shares add up to at most 1.
    pub share: f64,
    /// Its share over the one that a walk from anywhere has there: more than 1 is nearer than chance.
    pub lift: f64,
}

/// What lies near some nodes.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// By share, most first, then id. The start nodes are among them.
    pub nodes: Vec<Near>,
    /// The search ended at [`SpreadQuery::max_edges`].
    pub incomplete: bool,
}

/// Weight of an edge, the same in both directions; 0 is not followed.
pub fn weight(edge: &EdgeRef<'_>) -> f64 {
    let relation = match edge.relation {
        Relation::Contains => 0.4,
        Relation::RelatesTo => 0.2,
        Relation::DependsOn => 0.0,
        relation => weights::of(relation).change,
    };
    relation * weights::certainty(edge.tier, edge.of)
}

/// Kinds of nodes that everything is connected through and that bring nothing near.
fn is_passage(kind: NodeKind) -> bool {
    kind != NodeKind::Directory && !kind.is_outside()
}

/// Weights of the edges of a graph, summed up: once for many searches.
#[derive(Debug, Clone, Default)]
pub struct SpreadWeights {
    /// Of all edges in both directions: what [`spread`] holds nearness against.
    total: f64,
    /// Of the edges of each node to others that bring something near, by its number.
    degrees: Vec<f64>,
}

impl SpreadWeights {
    /// The weights of a graph. One look at every edge.
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
        // Nodes of changed files have the numbers behind all others.
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

/// Personalised PageRank of the start nodes, whose weights count by their shares. `weights` are those of the graph.
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

/// A search under way.
struct Search<'s> {
    graph: &'s Graph,
    query: &'s SpreadQuery,
    weights: &'s SpreadWeights,
    region: Region,
    /// Places that may hold enough to be pushed on.
    queue: VecDeque<usize>,
    /// Edges looked at.
    looked: usize,
}

impl Search<'_> {
    /// Gives a start node its share of the mass.
    fn start(&mut self, node: NodeIx, share: f64) {
        let at = self.region.place(node);
        let spot = &mut self.region.spots[at];
        (spot.waiting, spot.is_start) = (spot.waiting + share, true);
        if !std::mem::replace(&mut spot.is_queued, true) {
            self.queue.push_back(at);
        }
    }

    /// Keeps a part of what waits at a place and pushes the rest on, if it is enough; `false` if that takes more edges than
    /// may be looked at.
    fn push(&mut self, at: usize) -> bool {
        let spot = &mut self.region.spots[at];
        spot.is_queued = false;
        let is_first = spot.degree.is_none();
        let degree = *spot.degree.get_or_insert_with(|| self.weights.degree(spot.node));
        let mass = spot.waiting;
        // Most that mass comes to are hubs with too little of it: their edges are not looked at.
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
            // How much a node must hold is known only once its edges were looked at.
            let threshold = self.query.tolerance * there.degree.unwrap_or(weight);
            if there.waiting > threshold && !std::mem::replace(&mut there.is_queued, true) {
                self.queue.push_back(next);
            }
        }
        self.region.spots[at].edges = edges;
        true
    }
}

/// What a search knows of one node.
struct Spot {
    node: NodeIx,
    /// Mass that is still to be pushed on.
    waiting: f64,
    /// Mass that stays; `None` if none was pushed from here.
    arrived: Option<f64>,
    /// Weight of all its edges; `None` until its turn came.
    degree: Option<f64>,
    /// Places of its neighbours, with the weight of the edges between; none until mass was pushed on from here.
    edges: Vec<(usize, f64)>,
    is_queued: bool,
    is_start: bool,
}

/// The part of the graph that a search has come to. Mass comes back to a node many times: nodes are looked up once, and
/// from then on known by their place here.
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

    /// Gathers the edges of a node if that was not done yet.
    fn look_around(&mut self, graph: &Graph, at: usize) {
        if self.spots[at].edges.is_empty() {
            let found = neighbours(graph, self.spots[at].node);
            self.spots[at].edges = found.into_iter().map(|(node, weight)| (self.place(node), weight)).collect();
        }
    }

    /// Where mass arrived, in no order that means something.
    fn near(&self, total: f64) -> Vec<Near> {
        let lift = |spot: &Spot, share: f64| match spot.degree {
            Some(degree) if degree > 0.0 && total > 0.0 => share / (degree / total),
            _ => 1.0,
        };
        let there = self.spots.iter().filter_map(|spot| Some((spot, spot.arrived?)));
        there.map(|(spot, share)| Near { node: spot.node, share, lift: lift(spot, share) }).collect()
    }
}

/// Sorts weights by node and adds up those of one node, in their own order, so that the sum is the same to the last bit.
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

/// Neighbours in both directions with the weight of all edges between, by their number.
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
