//! Names in edited files that meant a definition which is gone. Their places have moved with the edit, so they are
//! counted by name: a use is left over if no edge into the project starts at its place.

use std::collections::BTreeSet;

use m1nd_base::{EdgeTier, Pos, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::edit_rules::EditRules;
use rustc_hash::FxHashSet;

use super::arguments::Arguments;
use super::verify::{Break, BreakKind, is_use, nodes_of, sites};

/// Uses of definitions that are gone, in one edited file.
pub(super) fn left_names(
    (before, old): (&Snapshot, &mut Arguments<'_>),
    (after, new): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
) -> Vec<Break> {
    let mut found = Vec::new();
    let gone = gone_targets(before.graph(), after.graph(), path);
    if gone.is_empty() {
        return found;
    }
    let is_typed = after.files().get(path).is_some_and(|file| EditRules::of(file.language).types.is_typed);
    let (had, has) = (places_with_target(before.graph(), path), places_with_target(after.graph(), path));
    for (name, target) in gone {
        // A name that is imported now, or defined in another place, may come from there.
        let is_moved = |node: NodeIx| before.graph().find(after.graph().id(node)).is_none();
        if new.imports(path.as_str(), &name) || after.graph().find_labelled(&name).into_iter().any(is_moved) {
            continue;
        }
        // `name()` and `value.name()` are two names: what replaces a function may be a method of a type from outside.
        let mut now = Vec::new();
        for is_member in [false, true] {
            // Of a value without a type, it may be the member of that name of another class.
            if is_member && !is_typed && !after.graph().find_labelled(&name).is_empty() {
                continue;
            }
            let (known, with): (Vec<Pos>, Vec<Pos>) =
                old.uses_of(path.as_str(), &name, is_member).into_iter().partition(|pos| !had.contains(pos));
            let mut left = new.uses_of(path.as_str(), &name, is_member);
            left.retain(|pos| !has.contains(pos));
            let more = if with.is_empty() { 0 } else { left.len().saturating_sub(known.len()) };
            now.extend(left.into_iter().take(more));
        }
        let graph = after.graph();
        found.extend(now.iter().map(|pos| Break {
            file: path.as_str().to_owned(),
            line: pos.line,
            kind: BreakKind::LostReference,
            from: around(graph, path, pos.line).map_or_else(String::new, |node| graph.id(node).to_owned()),
            to: target.clone(),
            detail: format!("refers to `{name}`, which is gone"),
        }));
    }
    found
}

/// Names and ids of definitions that a file certainly used, and that are gone.
fn gone_targets(old: &Graph, new: &Graph, path: &RepoPath) -> BTreeSet<(String, String)> {
    let edges = nodes_of(old, path).into_iter().flat_map(|node| old.out_edges(node).collect::<Vec<_>>());
    edges
        .filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation) && !Graph::is_external(edge))
        .filter(|edge| new.find(old.id(edge.to)).is_none())
        .map(|edge| (old.label(edge.to).to_owned(), old.id(edge.to).to_owned()))
        .collect()
}

/// Places of a file with an edge into the project.
fn places_with_target(graph: &Graph, path: &RepoPath) -> FxHashSet<Pos> {
    let edges = nodes_of(graph, path).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
    edges.filter(|edge| is_use(edge.relation) && !Graph::is_external(edge)).flat_map(|edge| sites(&edge)).collect()
}

/// The innermost node around a line.
fn around(graph: &Graph, path: &RepoPath, line: u32) -> Option<NodeIx> {
    let is_around = |node: &NodeIx| {
        let (first, last) = graph.lines(*node);
        first <= line && line <= last
    };
    nodes_of(graph, path).into_iter().rfind(is_around)
}
