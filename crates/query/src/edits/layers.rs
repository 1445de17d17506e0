//! Dependencies that an edit brought in against the layers that the project declares.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};

use super::verify::{is_use, nodes_of, sites};
use crate::layers::{Declared, declaration};

/// A dependency of an edited file that the declared layers do not allow, and that was not there before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerBreak {
    /// The file that depends.
    pub file: String,
    /// The first line that does, 1-based.
    pub line: u32,
    /// Its layer.
    pub layer: String,
    /// The file that it depends on.
    pub to: String,
    /// The layer of that file.
    pub to_layer: String,
}

/// What the edited files have against the declaration and did not have before; empty without a declaration. The error
/// says why the declaration cannot be used.
pub(super) fn layer_breaks<'p>(
    before: &Snapshot,
    after: &Snapshot,
    edited: impl Iterator<Item = &'p RepoPath>,
) -> Result<Vec<LayerBreak>, String> {
    let Some(declared) = declaration(after).map_err(|error| error.to_string())? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for path in edited {
        let Some(from) = declared.level(path.as_str()) else { continue };
        let known = uses(before.graph(), path);
        for (to, line) in uses(after.graph(), path) {
            let Some(level) = declared.level(to).filter(|level| !declared.allows(from, *level)) else { continue };
            if !known.contains_key(to) {
                found.push(LayerBreak {
                    file: path.as_str().to_owned(),
                    line,
                    layer: name(&declared, from),
                    to: to.to_owned(),
                    to_layer: name(&declared, level),
                });
            }
        }
    }
    found.sort();
    Ok(found)
}

fn name(declared: &Declared, level: usize) -> String {
    declared.layers[level].name.clone()
}

/// The files that the product code of a file certainly uses, each with the first line that does.
fn uses<'g>(graph: &'g Graph, path: &RepoPath) -> BTreeMap<&'g str, u32> {
    let is_test = |node: NodeIx| graph.flags(node).has(NodeFlags::TEST);
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    for node in nodes_of(graph, path).into_iter().filter(|node| !is_test(*node)) {
        for edge in graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation)) {
            let file = graph.file(edge.to).filter(|file| graph.kind(*file) == NodeKind::File);
            let Some(to) = file.map(|file| graph.path(file)).filter(|to| *to != path.as_str()) else { continue };
            let line = sites(&edge).iter().map(|pos| pos.line).min().unwrap_or(1);
            found.entry(to).and_modify(|first| *first = line.min(*first)).or_insert(line);
        }
    }
    found
}
