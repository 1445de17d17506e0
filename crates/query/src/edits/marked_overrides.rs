//! Methods of Java that are marked with `@Override` and override nothing.

use m1nd_base::{Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeIx};

use super::arguments::Arguments;
use super::verify::{Break, lost_override, nodes_of};
use crate::bases::bases;

/// Methods of `java.lang.Object`, which every class and interface overrides.
const OF_OBJECT: &[&str] = &["clone", "equals", "finalize", "hashCode", "toString"];

/// Methods of an edited file that override nothing, although they are marked, and did or were not there before. The
/// second value of a row says whether that is certain: a base that is not known may have the method.
pub(super) fn marked_overrides(
    before: &Snapshot,
    (after, facts): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
) -> Vec<(Break, bool)> {
    if after.files().get(path).is_none_or(|file| file.language != Language::Java) {
        return Vec::new();
    }
    let (old, new) = (before.graph(), after.graph());
    let overrides = |graph: &Graph, node| graph.out_edges(node).any(|edge| edge.relation == Relation::Overrides);
    let mut found = Vec::new();
    for method in nodes_of(new, path) {
        let was_so = old.find(new.id(method)).is_some_and(|known| !overrides(old, known));
        let is_free = was_so || overrides(new, method) || OF_OBJECT.contains(&new.label(method));
        let Some(owner) = new.parent(method).filter(|_| !is_free && facts.has_decorator(method, "Override")) else {
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
    let is_java = snapshot.file_of(method).is_some_and(|file| file.language == Language::Java);
    let owner = graph.parent(method).filter(|_| is_java && !OF_OBJECT.contains(&graph.label(method)));
    owner.is_some_and(|owner| facts.has_decorator(method, "Override") && bases(graph, owner).1)
}
