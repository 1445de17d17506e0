//! Methods that a type must have and that an edit took from it.

use m1nd_base::{EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use m1nd_lang::edit_rules::EditRules;

use super::verify::{Break, lost_override, nodes_of};
use crate::bases::bases;

/// Types of a file without a method that a base or trait only declares, which they had before. The second value of a
/// row says whether that is certain: a base that is not known may have the method.
pub(super) fn lost_implementations(before: &Snapshot, after: &Snapshot, path: &RepoPath) -> Vec<(Break, bool)> {
    let (old, new) = (before.graph(), after.graph());
    // The compilers of these languages ask for every method.
    let is_checked = |file: &m1nd_engine::FileEntry| EditRules::of(file.language).types.implements_all;
    if !after.files().get(path).is_some_and(is_checked) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for method in nodes_of(old, path).into_iter().filter(|method| new.find(old.id(*method)).is_none()) {
        let Some(owner) = old.parent(method).and_then(|owner| new.find(old.id(owner))) else { continue };
        let is_concrete = matches!(new.kind(owner), NodeKind::Class | NodeKind::Enum | NodeKind::Impl)
            && !new.flags(owner).has(NodeFlags::ABSTRACT)
            && !new.signature(owner).split_whitespace().any(|word| word == "abstract");
        if !is_concrete {
            continue;
        }
        let declared = old.out_edges(method).filter(|edge| {
            edge.relation == Relation::Overrides && edge.tier == EdgeTier::Certain && !Graph::is_external(edge)
        });
        for base in declared.filter_map(|edge| new.find(old.id(edge.to))).collect::<Vec<_>>() {
            if new.flags(base).has(NodeFlags::ABSTRACT)
                && let Some(is_certain) = lacks(new, owner, base)
            {
                found.push((missing(new, owner, base), is_certain));
            }
        }
    }
    found
}

/// Whether a type has no method in the place of a declared one, and whether all its bases are known; `None` if it has.
fn lacks(graph: &Graph, owner: NodeIx, declared: NodeIx) -> Option<bool> {
    // What a macro writes into the block is not known.
    let is_macro = |edge: EdgeRef<'_>| graph.kind(edge.to) == NodeKind::Macro;
    if graph.kind(owner) == NodeKind::Impl && graph.out_edges(owner).any(is_macro) {
        return None;
    }
    let (bases, is_whole) = bases(graph, owner);
    let overrides = |edge: EdgeRef<'_>| {
        let parent = graph.parent(edge.from);
        edge.relation == Relation::Overrides && parent.is_some_and(|parent| parent == owner || bases.contains(&parent))
    };
    let has_name = |method: NodeIx| {
        !graph.flags(method).has(NodeFlags::ABSTRACT)
            && graph.parent(method).is_some_and(|parent| bases.contains(&parent))
    };
    let is_there =
        graph.in_edges(declared).any(overrides) || graph.find_labelled(graph.label(declared)).into_iter().any(has_name);
    (!is_there).then_some(is_whole)
}

fn missing(graph: &Graph, owner: NodeIx, declared: NodeIx) -> Break {
    let detail = format!("`{}` has no `{}`, which is only declared", graph.label(owner), graph.label(declared));
    lost_override(graph, owner, graph.id(declared), detail)
}
