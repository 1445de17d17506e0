//! Methods that are marked as overrides (`@Override`) and override nothing.

use m1nd_base::{Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::edit_rules::EditRules;

use super::arguments::Arguments;
use super::verify::{Break, lost_override, nodes_of};
use crate::bases::bases;

/// Methods of an edited file that override nothing, although they are marked, and did or were not there before. The
/// second value of a row says whether that is certain: a base that is not known may have the method.
pub(super) fn marked_overrides(
    before: &Snapshot,
    (after, facts): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
) -> Vec<(Break, bool)> {
    let Some(rules) = after.files().get(path).map(|file| EditRules::of(file.language).types) else { return Vec::new() };
    let Some(mark) = rules.override_mark else { return Vec::new() };
    let (old, new) = (before.graph(), after.graph());
    let overrides = |graph: &Graph, node| graph.out_edges(node).any(|edge| edge.relation == Relation::Overrides);
    let mut found = Vec::new();
    for method in nodes_of(new, path) {
        let was_so = old.find(new.id(method)).is_some_and(|known| !overrides(old, known));
        let is_free = was_so || overrides(new, method) || rules.universal_methods.contains(&new.label(method));
        let Some(owner) = new.parent(method).filter(|_| !is_free && facts.has_decorator(method, mark)) else {
            continue;
        };
        let detail = format!("`{}` is marked as an override, and no base has such a method", new.label(method));
        found.push((lost_override(new, method, new.id(owner), detail), bases(new, owner).1));
    }
    found
}

/// Returns whether a method that overrides nothing is refused: it is marked, and every base is known.
pub(super) fn is_refused(snapshot: &Snapshot, facts: &mut Arguments<'_>, method: NodeIx) -> bool {
    let graph = snapshot.graph();
    let Some(rules) = snapshot.file_of(method).map(|file| EditRules::of(file.language).types) else { return false };
    let Some(mark) = rules.override_mark else { return false };
    let owner = graph.parent(method).filter(|_| !rules.universal_methods.contains(&graph.label(method)));
    owner.is_some_and(|owner| facts.has_decorator(method, mark) && bases(graph, owner).1)
}
