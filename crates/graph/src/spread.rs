//! Personalised PageRank from a few nodes, by local pushes: what lies near them, without a walk over the whole graph.
//!
//! Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors" (FOCS 2006): mass is pushed on from a node
//! while what waits there is more than a tolerance times its degree, so the work is bounded by the tolerance and not by
//! the size of the graph. Edges count in both directions with one weight, so that the walk without restarts has a known
//! distribution (a node's share of all weight) against which nearness can be held.

use std::collections::VecDeque;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// Weight of all edges in both directions, what [`spread`] holds nearness against. One look at every edge.
///
/// # Errors
/// [`Cancelled`].
pub fn total_weight(graph: &Graph, cancel: &Cancel) -> Result<f64, Cancelled> {
    let mut total = 0.0;
    for (index, node) in graph.nodes().enumerate() {
        if index % CHECKED_EVERY == 0 {
            cancel.check()?;
        }
        if is_passage(graph.kind(node)) {
            let edges = graph.out_edges(node).filter(|edge| is_passage(graph.kind(edge.to)));
            total += edges.map(|edge| 2.0 * weight(&edge)).sum::<f64>();
        }
    }
    Ok(total)
}

/// Personalised PageRank of the start nodes, whose weights count by their shares. `total` is that of [`total_weight`].
///
/// # Errors
/// [`Cancelled`].
pub fn spread(
    graph: &Graph,
    starts: &[(NodeIx, f64)],
    query: &SpreadQuery,
    total: f64,
    cancel: &Cancel,
) -> Result<Spread, Cancelled> {
    let all: f64 = starts.iter().map(|(_, weight)| weight.max(0.0)).sum();
    let mut spread = Spread::default();
    if all <= 0.0 {
        return Ok(spread);
    }
    let mut waiting: FxHashMap<NodeIx, f64> = FxHashMap::default();
    let mut arrived: FxHashMap<NodeIx, f64> = FxHashMap::default();
    let mut degrees: FxHashMap<NodeIx, f64> = FxHashMap::default();
    // Mass comes back to a node many times; its edges are gathered once.
    let mut around: FxHashMap<NodeIx, (f64, Vec<(NodeIx, f64)>)> = FxHashMap::default();
    let mut queue: VecDeque<NodeIx> = VecDeque::new();
    let mut queued: FxHashSet<NodeIx> = FxHashSet::default();
    for &(node, weight) in starts {
        *waiting.entry(node).or_default() += weight.max(0.0) / all;
        if queued.insert(node) {
            queue.push_back(node);
        }
    }
    let (mut looked, mut pushes) = (0, 0usize);
    while let Some(node) = queue.pop_front() {
        queued.remove(&node);
        if pushes % CHECKED_EVERY == 0 {
            cancel.check()?;
        }
        pushes += 1;
        let mass = waiting.remove(&node).unwrap_or(0.0);
        let (degree, edges) = around.entry(node).or_insert_with(|| {
            let edges = neighbours(graph, node);
            (edges.iter().map(|(_, weight)| weight).sum(), edges)
        });
        let degree = *degree;
        looked += edges.len();
        let is_start = degrees.insert(node, degree).is_none() && starts.iter().any(|(start, _)| *start == node);
        if mass <= query.tolerance * degree && !is_start {
            waiting.insert(node, mass);
            continue;
        }
        if degree <= 0.0 {
            *arrived.entry(node).or_default() += mass;
            continue;
        }
        *arrived.entry(node).or_default() += query.restart * mass;
        if looked > query.max_edges {
            spread.incomplete = true;
            break;
        }
        let on = (1.0 - query.restart) * mass / degree;
        for &(next, weight) in edges.iter() {
            let there = waiting.entry(next).or_default();
            *there += on * weight;
            // How much a node must hold is known only once its edges were looked at.
            let threshold = query.tolerance * degrees.get(&next).copied().unwrap_or(weight);
            if *there > threshold && queued.insert(next) {
                queue.push_back(next);
            }
        }
    }
    let lift = |node: NodeIx, share: f64| match degrees.get(&node) {
        Some(&degree) if degree > 0.0 && total > 0.0 => share / (degree / total),
        _ => 1.0,
    };
    spread.nodes = arrived.iter().map(|(&node, &share)| Near { node, share, lift: lift(node, share) }).collect();
    spread.nodes.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    Ok(spread)
}

/// Neighbours in both directions with the weight of all edges between, by their number.
fn neighbours(graph: &Graph, node: NodeIx) -> Vec<(NodeIx, f64)> {
    let out = graph.out_edges(node).map(|edge| (edge.to, weight(&edge)));
    let into = graph.in_edges(node).map(|edge| (edge.from, weight(&edge)));
    let mut found: Vec<(NodeIx, f64)> = out
        .chain(into)
        .filter(|&(other, weight)| other != node && weight > 0.0 && is_passage(graph.kind(other)))
        .collect();
    found.sort_by_key(|(other, _)| *other);
    found.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    found
}
