//! The types above a type.

use m1nd_base::{EdgeTier, Relation, node_id};
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

/// Type name of a block of members: `Core` of `Core<'s, M>` and of `fmt::Display for io::Core<M>`.
pub(crate) fn implemented_type(label: &str) -> &str {
    plain_name(label.rsplit_once(" for ").map_or(label, |(_, of)| of))
}

/// Trait name of a block of members: `Display` of `fmt::Display for io::Core<M>`.
pub(crate) fn implemented_trait(label: &str) -> Option<&str> {
    label.rsplit_once(" for ").map(|(name, _)| plain_name(name))
}

fn plain_name(of: &str) -> &str {
    node_id::last_name(of.split('<').next().unwrap_or(of).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blocks_of_members() {
        let cases = [
            ("Core<'s, M, S>", "Core", None),
            ("Core", "Core", None),
            ("fmt::Display for io::Core<M>", "Core", Some("Display")),
            ("From<A> for B", "B", Some("From")),
        ];
        for (label, of, named) in cases {
            assert_eq!((implemented_type(label), implemented_trait(label)), (of, named), "{label}");
        }
    }
}
