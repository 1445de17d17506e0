//! What moves need in every language: where it goes, and what goes along.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, EdgeTier, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};

use super::super::CannotRefactor;
use crate::edits::verify::is_use;
use crate::references::places_of_name;

/// Maximum number of definitions that move together.
const MAX_MOVED: usize = 50;

/// The path that a definition goes to: another file of the same kind.
pub(super) fn target_path(snapshot: &Snapshot, from: &str, to: &str) -> Result<RepoPath, CannotRefactor> {
    let bad = |why: &str| CannotRefactor::BadRequest(format!("`{to}` cannot be the file it goes to: {why}"));
    let mut path = snapshot.index_path(to).map_err(|_| bad("it is not a path of the project"))?;
    // In a federation, a path without a repository is one of the repository that the code is in.
    let is_of = |root: &&m1nd_engine::RootInfo| !root.prefix.is_empty() && from.starts_with(root.prefix.as_str());
    if snapshot.locate(&path).is_none()
        && let Some(root) = snapshot.roots().iter().find(is_of)
    {
        path = RepoPath::new(&format!("{}{path}", root.prefix)).map_err(|_| bad("it is not a path of the project"))?;
    }
    if path.as_str() == from {
        return Err(bad("it is in this file already"));
    }
    let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    if snapshot.files().get(&path).is_none() && ending(path.as_str()) != ending(from) {
        return Err(bad("it has another ending than the file it comes from"));
    }
    Ok(path)
}

/// A definition with the private definitions of its file that only it uses.
pub(super) fn with_helpers(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<Vec<NodeIx>, CannotRefactor> {
    let graph = snapshot.graph();
    let mut moved = vec![node];
    let mut next = 0;
    while next < moved.len() && moved.len() < MAX_MOVED {
        let members = graph.with_members(moved[next], MAX_MOVED * 10);
        next += 1;
        let used = members.iter().flat_map(|member| graph.out_edges(*member));
        let used: Vec<NodeIx> =
            used.filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation)).map(|edge| edge.to).collect();
        for helper in used {
            let is_own = graph.path(helper) == graph.path(node) && graph.parent(helper) == graph.file(helper);
            if !is_own || moved.contains(&helper) {
                continue;
            }
            let rows = places_of_name(snapshot, helper, cancel)?.rows;
            let is_inside =
                |from: NodeIx| std::iter::once(from).chain(graph.ancestors(from)).any(|around| moved.contains(&around));
            if rows.iter().all(|row| is_inside(row.from) || row.from == helper) {
                moved.push(helper);
            }
        }
    }
    moved.sort_by_key(|node| graph.lines(*node).0);
    Ok(moved)
}

/// The files that import another one or something of it.
pub(super) fn list_importers(graph: &Graph, path: &str) -> BTreeSet<String> {
    let Some(file) = graph.find_file(path) else { return BTreeSet::new() };
    let nodes = std::iter::once(file).chain(graph.of_file(file));
    let edges = nodes.flat_map(|node| graph.in_edges(node).collect::<Vec<_>>());
    let imports = edges.filter(|edge| matches!(edge.relation, Relation::Imports | Relation::Reexports));
    let paths = imports.map(|edge| graph.path(edge.from)).filter(|from| !from.is_empty() && *from != path);
    paths.map(str::to_owned).collect()
}
