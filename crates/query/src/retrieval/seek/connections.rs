//! Connections of a result.

use std::cmp::Ordering;

use m1nd_base::{EdgeTier, Relation};
use m1nd_graph::{Graph, NodeIx};

use m1nd_engine::Snapshot;

/// Connections of each row.
const CONNECTIONS: usize = 4;

/// An edge of a found node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// The other end.
    pub node: NodeIx,
    /// Relation of the edge.
    pub relation: Relation,
    /// The edge starts at the found node.
    pub outgoing: bool,
    /// Certainty.
    pub tier: EdgeTier,
}

impl Connection {
    /// Orders the more informative one first: certain before possible, outgoing before incoming, the more important
    /// end.
    fn order(&self, other: &Self, graph: &Graph) -> Ordering {
        let key = |row: &Self| (row.tier, !row.outgoing);
        let by_rank = graph.pagerank(other.node).total_cmp(&graph.pagerank(self.node));
        key(self).cmp(&key(other)).then(by_rank).then_with(|| graph.id(self.node).cmp(graph.id(other.node)))
    }
}

/// The most informative edges of a node, one per neighbour: no containment, certain ones first, then by importance of
/// the neighbour. Considers all edges, also of hubs.
pub fn connections(snapshot: &Snapshot, node: NodeIx) -> Vec<Connection> {
    let graph = snapshot.graph();
    let out = graph.out_edges(node).map(|edge| (edge.to, edge.relation, true, edge.tier));
    let into = graph.in_edges(node).map(|edge| (edge.from, edge.relation, false, edge.tier));
    let telling = out.chain(into).filter(|(other, relation, ..)| relation.is_structure() && *other != node);
    let mut best: Vec<Connection> = Vec::with_capacity(CONNECTIONS + 1);
    for (node, relation, outgoing, tier) in telling {
        let row = Connection { node, relation, outgoing, tier };
        if let Some(at) = best.iter().position(|known| known.node == node) {
            if row.order(&best[at], graph) != Ordering::Less {
                continue;
            }
            best.remove(at);
        }
        let at = best.partition_point(|known| known.order(&row, graph) != Ordering::Greater);
        best.insert(at, row);
        best.truncate(CONNECTIONS);
    }
    best
}
