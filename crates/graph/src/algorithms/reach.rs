//! Reachability of a change: the nodes that depend on some nodes, or that these depend on, with a witness for each.

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Dispatch, EdgeRef, Graph, NodeIx, weights};

/// Direction of dependencies to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Nodes that a change of the start nodes can reach: edges from target to source.
    Dependents,
    /// Nodes whose change can reach the start nodes: edges from source to target.
    Dependencies,
}

/// Parameters of a search.
#[derive(Debug, Clone, Copy)]
pub struct ReachQuery {
    /// Direction to follow.
    pub side: Side,
    /// Maximum number of edges from a start node.
    pub max_hops: u32,
    /// Threshold: weaker nodes are not followed and not reported.
    pub min_strength: f64,
    /// Number of nodes to find before the search stops incomplete.
    pub max_nodes: usize,
}

/// A node that was reached.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'g> {
    /// The reached node.
    pub node: NodeIx,
    /// Minimum number of edges to a start node.
    pub hops: u32,
    /// Probability that the change arrives, 0 to 1: noisy-or over all nodes one hop nearer, of their strength times
    /// that of the strongest edge between.
    pub strength: f64,
    /// Edge of the witness: the one that contributes most strength.
    pub via: EdgeRef<'g>,
    /// The node one hop nearer, at the other end of that edge.
    pub nearer: NodeIx,
}

/// Result of a search.
#[derive(Debug, Clone, Default)]
pub struct Reach<'g> {
    /// Nodes by distance, then strength (strongest first), then id. Start nodes are not among them.
    pub rows: Vec<Reached<'g>>,
    /// The search stopped at its limit of nodes or hops although there was more.
    pub incomplete: bool,
    /// Number of nodes dropped because they were too weak.
    pub too_weak: usize,
    /// Edges by dynamic dispatch that are not followed because the class of the method is never instantiated.
    pub left_out: usize,
    /// Those of them that start or end at a start node.
    pub left_out_near: usize,
}

impl<'g> Reach<'g> {
    /// Returns the steps from a reached node back to a start node, nearest to the reached node first.
    pub fn witness(&self, row: &Reached<'g>) -> Vec<Reached<'g>> {
        let by_node: FxHashMap<NodeIx, usize> =
            self.rows.iter().enumerate().map(|(index, row)| (row.node, index)).collect();
        self.witness_in(&by_node, row)
    }

    /// Like [`Reach::witness`], with a table of rows by node that the caller keeps.
    pub fn witness_in(&self, by_node: &FxHashMap<NodeIx, usize>, row: &Reached<'g>) -> Vec<Reached<'g>> {
        let mut steps = vec![*row];
        while let Some(&index) = steps.last().and_then(|last| by_node.get(&last.nearer)) {
            steps.push(self.rows[index]);
        }
        steps
    }
}

/// Strength accumulated at a node so far.
struct Arriving<'g> {
    /// Probability that nothing arrives.
    miss: f64,
    best: f64,
    via: EdgeRef<'g>,
    nearer: NodeIx,
}

/// Returns the nodes that a change reaches from `starts`, all of which count as changed.
///
/// # Errors
/// [`Cancelled`].
pub fn reach<'g>(
    graph: &'g Graph,
    starts: &[NodeIx],
    query: &ReachQuery,
    cancel: &Cancel,
) -> Result<Reach<'g>, Cancelled> {
    let mut seen: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let mut level: Vec<(NodeIx, f64)> = starts.iter().map(|&node| (node, 1.0)).collect();
    let mut reach = Reach::default();
    let dispatch = Dispatch::new(graph);
    for hops in 1..=query.max_hops.saturating_add(1) {
        let mut arriving: FxHashMap<NodeIx, Arriving<'g>> = FxHashMap::default();
        for (index, &(node, strength)) in level.iter().enumerate() {
            if index % 256 == 0 {
                cancel.check()?;
            }
            // Beyond the last step it only matters whether there is more.
            if hops > query.max_hops && (reach.incomplete || !arriving.is_empty()) {
                break;
            }
            let by_dispatch = match query.side {
                Side::Dependents => dispatch.to(node),
                Side::Dependencies => dispatch.from(node),
            };
            if hops <= query.max_hops {
                reach.left_out += by_dispatch.left_out;
                reach.left_out_near += if hops == 1 { by_dispatch.left_out } else { 0 };
                reach.incomplete |= by_dispatch.is_cut;
            }
            for (other, edge) in strongest_edges(graph, by_dispatch.edges, node, query.side) {
                if !seen.contains(&other) {
                    add(&mut arriving, graph, other, node, edge, strength * weights::change(&edge));
                }
            }
        }
        if hops > query.max_hops {
            reach.incomplete |= !arriving.is_empty();
            break;
        }
        seen.extend(arriving.keys().copied());
        let all = arriving.len();
        let mut rows = strong(graph, arriving, hops, query.min_strength);
        reach.too_weak += all - rows.len();
        level = rows.iter().map(|row| (row.node, row.strength)).collect();
        let room = query.max_nodes.saturating_sub(reach.rows.len());
        if rows.len() > room {
            rows.truncate(room);
            reach.rows.extend(rows);
            reach.incomplete = true;
            break;
        }
        reach.rows.extend(rows);
        if level.is_empty() {
            break;
        }
    }
    Ok(reach)
}

/// Returns the nodes that depend on `starts`, directly or through others, with the fewest edges between: nearest first,
/// at most `max_nodes`. Like [`reach`] without strengths and witnesses.
///
/// # Errors
/// [`Cancelled`].
pub fn dependents(
    graph: &Graph,
    starts: &[NodeIx],
    max_hops: u32,
    max_nodes: usize,
    cancel: &Cancel,
) -> Result<Vec<(NodeIx, u32)>, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let mut seen: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let mut found: Vec<(NodeIx, u32)> = Vec::new();
    let mut level: Vec<NodeIx> = starts.to_vec();
    for hops in 1..=max_hops {
        let before = found.len();
        for (index, node) in level.into_iter().enumerate() {
            if index % 256 == 0 {
                cancel.check()?;
            }
            let edges = graph.in_edges(node).chain(dispatch.to(node).edges);
            for edge in edges.filter(|edge| edge.relation.carries_change() && edge.relation.is_structure()) {
                if seen.insert(edge.from) {
                    found.push((edge.from, hops));
                }
            }
            if found.len() >= max_nodes {
                found.truncate(max_nodes);
                return Ok(found);
            }
        }
        level = found[before..].iter().map(|(node, _)| *node).collect();
    }
    Ok(found)
}

/// The nodes above the threshold, strongest first.
fn strong<'g>(graph: &Graph, arriving: FxHashMap<NodeIx, Arriving<'g>>, hops: u32, least: f64) -> Vec<Reached<'g>> {
    let row = |(node, at): (NodeIx, Arriving<'g>)| {
        let strength = 1.0 - at.miss;
        (strength >= least).then_some(Reached { node, hops, strength, via: at.via, nearer: at.nearer })
    };
    let mut rows: Vec<Reached<'g>> = arriving.into_iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    rows
}

/// The strongest edge that propagates a change to (or from) each neighbour.
fn strongest_edges<'g>(
    graph: &'g Graph,
    by_dispatch: Vec<EdgeRef<'g>>,
    node: NodeIx,
    side: Side,
) -> Vec<(NodeIx, EdgeRef<'g>)> {
    let mut edges: Vec<(NodeIx, EdgeRef<'g>)> = match side {
        Side::Dependents => graph.in_edges(node).chain(by_dispatch).map(|edge| (edge.from, edge)).collect(),
        Side::Dependencies => graph.out_edges(node).chain(by_dispatch).map(|edge| (edge.to, edge)).collect(),
    };
    edges.retain(|(_, edge)| edge.relation.carries_change());
    edges.sort_by(|a, b| {
        let strength = |edge: &EdgeRef<'_>| weights::change(edge);
        let key = |edge: &EdgeRef<'_>| (edge.relation, edge.tier);
        (a.0.cmp(&b.0)).then_with(|| strength(&b.1).total_cmp(&strength(&a.1))).then_with(|| key(&a.1).cmp(&key(&b.1)))
    });
    edges.dedup_by_key(|(other, _)| *other);
    edges
}

fn add<'g>(
    arriving: &mut FxHashMap<NodeIx, Arriving<'g>>,
    graph: &Graph,
    node: NodeIx,
    nearer: NodeIx,
    via: EdgeRef<'g>,
    strength: f64,
) {
    let at = arriving.entry(node).or_insert(Arriving { miss: 1.0, best: -1.0, via, nearer });
    at.miss *= 1.0 - strength;
    let better = strength > at.best || (strength == at.best && graph.id(nearer) < graph.id(at.nearer));
    if better {
        (at.best, at.via, at.nearer) = (strength, via, nearer);
    }
}
