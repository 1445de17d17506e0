//! Connections of the best matches: one step along the edges of the graph, collected by file.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::{EdgeRef, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use m1nd_engine::Snapshot;

/// Edges followed from one node in each direction.
const EDGES: usize = 200;

/// Scores that a file receives from matches elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Received {
    /// From code that uses something of the file.
    pub(super) used_by: f64,
    /// From code that the file uses.
    pub(super) uses: f64,
    /// From tests that use something of the file.
    pub(super) tested_by: f64,
}

/// Spreads the strengths of matches (0 to 1) to the files they are connected with.
pub(super) fn spread(snapshot: &Snapshot, matches: &[(NodeIx, f64)]) -> FxHashMap<NodeIx, Received> {
    let graph = snapshot.graph();
    let mut received: FxHashMap<NodeIx, Received> = FxHashMap::default();
    let of_code = |edge: &EdgeRef<'_>| edge.relation != Relation::Documents;
    for (node, strength) in matches {
        let own = graph.file(*node);
        let is_test = graph.flags(*node).has(NodeFlags::TEST);
        let out: Vec<_> =
            graph.out_edges(*node).filter(of_code).take(EDGES).map(|e| (e.to, e.relation, e.tier, e.of)).collect();
        let into: Vec<_> =
            graph.in_edges(*node).filter(of_code).take(EDGES).map(|e| (e.from, e.relation, e.tier, e.of)).collect();
        for (edges, forward) in [(out, true), (into, false)] {
            // Hubs say little about each of their neighbours.
            let share = strength / (edges.len().max(1) as f64).sqrt();
            for (other, relation, tier, of) in edges {
                let Some(file) = graph.file(other).filter(|file| Some(*file) != own) else { continue };
                let value = share * weight(relation) * certainty(tier, of);
                if value <= 0.0 || graph.kind(file) != NodeKind::File {
                    continue;
                }
                let sum = received.entry(file).or_default();
                match (forward, is_test) {
                    (true, true) => sum.tested_by += value,
                    (true, false) => sum.used_by += value,
                    (false, false) => sum.uses += value,
                    (false, true) => {}
                }
            }
        }
    }
    received
}

fn weight(relation: Relation) -> f64 {
    match relation {
        Relation::Contains => 0.0,
        Relation::Calls | Relation::Inherits | Relation::Implements | Relation::Overrides => 1.0,
        Relation::Imports | Relation::Reexports => 0.4,
        _ => 0.5,
    }
}

fn certainty(tier: EdgeTier, of: u16) -> f64 {
    match tier {
        EdgeTier::Certain => 1.0,
        EdgeTier::Possible => 1.0 / f64::from(of.max(1)),
        EdgeTier::External => 0.0,
    }
}
