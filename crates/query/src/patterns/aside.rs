//! Files that are not shipped: examples, benchmarks, third-party code, test helpers.

use m1nd_base::{EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use crate::calls::is_test;
use crate::product::aside_folder;

/// Folders of foreign code.
const FOREIGN: [&str; 6] = ["vendor", "vendored", "_vendor", "third_party", "thirdparty", "external"];

/// Cache of files that are not shipped.
#[derive(Default)]
pub(super) struct Aside {
    known: FxHashMap<RepoPath, Option<String>>,
}

impl Aside {
    /// Reason why a file is not shipped; `None` if there is none.
    pub(super) fn reason(&mut self, graph: &Graph, path: &RepoPath) -> Option<String> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let reason = look(graph, path);
        self.known.insert(path.clone(), reason.clone());
        reason
    }
}

fn look(graph: &Graph, path: &RepoPath) -> Option<String> {
    let aside = |folder: &str| format!("in `{folder}`, beside what is shipped");
    if let Some(folder) = folder_of(path.parent(), &FOREIGN) {
        return Some(aside(folder));
    }
    let Some(file) = graph.find_file(path.as_str()) else { return aside_folder(path.parent()).map(aside) };
    let nodes: Vec<NodeIx> = graph.of_file(file).into_iter().chain([file]).collect();
    let users = || {
        let edges = nodes.iter().flat_map(|&node| graph.in_edges(node));
        edges.filter(|edge| edge.relation.is_structure() && graph.file(edge.from) != Some(file))
    };
    if let Some(folder) = aside_folder(path.parent()) {
        let is_shipped = |from: NodeIx| !is_test(graph, from) && aside_folder(graph.path(from)).is_none();
        let used = users().any(|edge| edge.tier == EdgeTier::Certain && is_shipped(edge.from));
        return (!used).then(|| aside(folder));
    }
    // A module declaration is no use: `#[cfg(test)] mod helpers;`.
    let uses =
        || users().filter(|edge| !(edge.relation == Relation::Imports && graph.kind(edge.from) == NodeKind::File));
    let hidden = nodes.iter().all(|&node| !graph.flags(node).has(NodeFlags::EXPORTED));
    (hidden && uses().next().is_some() && uses().all(|edge| is_test(graph, edge.from)))
        .then(|| "only tests use its file".to_owned())
}

fn folder_of<'p>(path: &'p str, folders: &[&str]) -> Option<&'p str> {
    path.split('/').find(|part| folders.contains(part))
}
