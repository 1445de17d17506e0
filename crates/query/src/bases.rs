//! The types above a type.

use m1nd_base::{EdgeTier, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeIx};

/// Most types above a type that are looked at.
const MAX_BASES: usize = 200;
/// Interfaces of Java that declare nothing.
const MARKERS: &[&str] = &["Cloneable", "RandomAccess", "Serializable"];

/// The classes and interfaces above a type, and whether all are known.
pub(crate) fn bases(graph: &Graph, owner: NodeIx) -> (Vec<NodeIx>, bool) {
    let mut all = vec![owner];
    let mut is_whole = true;
    let mut next = 0;
    while next < all.len() && all.len() <= MAX_BASES {
        let is_base = |edge: &EdgeRef<'_>| {
            matches!(edge.relation, Relation::Inherits | Relation::Implements) && !graph.is_to_declaration(edge)
        };
        for edge in graph.out_edges(all[next]).filter(is_base) {
            is_whole &= if Graph::is_external(&edge) {
                MARKERS.contains(&graph.label(edge.to).rsplit('.').next().unwrap_or_default())
            } else {
                edge.tier == EdgeTier::Certain
            };
            if !all.contains(&edge.to) {
                all.push(edge.to);
            }
        }
        is_whole &= !graph.unresolved_of(all[next]).any(|open| matches!(open.role, "inherit" | "implement"));
        next += 1;
    }
    is_whole &= next == all.len();
    all.remove(0);
    (all, is_whole)
}
