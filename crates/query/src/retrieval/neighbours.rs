//! All direct connections of a node, including hubs.

use m1nd_base::Relation;
use m1nd_graph::spread::{sum_by_node, weight};
use m1nd_graph::{Graph, NodeIx};

/// Neighbours in both directions by edges other than containment, with the weight of all edges between, by number.
pub(super) fn neighbours(graph: &Graph, node: NodeIx) -> Vec<(NodeIx, f64)> {
    let out = graph.out_edges(node).map(|edge| (edge.to, edge));
    let into = graph.in_edges(node).map(|edge| (edge.from, edge));
    let telling = out.chain(into).filter(|(other, edge)| edge.relation != Relation::Contains && *other != node);
    let mut found: Vec<(NodeIx, f64)> = telling.map(|(other, edge)| (other, weight(&edge))).collect();
    found.retain(|(_, weight)| *weight > 0.0);
    sum_by_node(&mut found);
    found
}

/// The `count` strongest of some neighbours, of equally strong ones the first by id, in their order by number; `None`
/// if there are no more.
pub(super) fn strongest(graph: &Graph, all: &[(NodeIx, f64)], count: usize) -> Option<Vec<(NodeIx, f64)>> {
    if all.len() <= count {
        return None;
    }
    let mut kept = all.to_vec();
    kept.select_nth_unstable_by(count, |a, b| b.1.total_cmp(&a.1).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
    kept.truncate(count);
    kept.sort_unstable_by_key(|(other, _)| *other);
    Some(kept)
}
