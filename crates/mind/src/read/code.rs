//! Compares the code that a memory names with the index.
//!
//! When a memory is first seen with an index at hand, each piece of code that it names is noted with its id and the
//! hash of its text. Later both are compared with the index. What cannot be compared is `unknown`: a memory is never
//! said to be current about code that changed.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::{NodeKind, RepoPath, node_id};
use m1nd_engine::graph::NodeIx;
use m1nd_engine::{Bound, BoundState, CodeTexts, Snapshot};
use serde::Serialize;

use crate::files::anchor::{Anchor, CodeState};

/// Most pieces of code noted of one memory.
pub(crate) const MAX_ANCHORS: usize = 8;

/// A piece of code that a memory names, with its state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodeRow {
    /// Its name in the memory.
    pub name: String,
    /// Its id in the index; empty if no code of that name was ever found.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_id: String,
    /// Its state.
    pub state: CodeState,
    /// Its present id, if it was relocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// The reason for an unknown state, or a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An index, and where in it a project lies.
#[derive(Clone, Copy)]
pub(crate) struct CodeIndex<'s> {
    snapshot: &'s Snapshot,
    /// Prefix of the project's paths in the index: empty, or text that ends in `/`.
    prefix: &'s str,
}

/// Place of a project in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectPrefix(String);

impl ProjectPrefix {
    /// `None` if the index does not hold the project.
    #[must_use]
    pub(crate) fn of(snapshot: &Snapshot, project: &Path) -> Option<Self> {
        snapshot.roots().iter().find_map(|root| {
            let inner = project.strip_prefix(&root.path).ok()?.to_str()?;
            Some(Self(match inner {
                "" => root.prefix.clone(),
                inner => format!("{}{}/", root.prefix, inner.replace('\\', "/")),
            }))
        })
    }

    /// The path in the project of the file that a node stands in, by the node's id.
    #[must_use]
    pub(crate) fn file_of<'n>(&self, node: &'n str) -> Option<&'n str> {
        node_id::path_of(node)?.strip_prefix(self.0.as_str())
    }

    /// The index seen from the project.
    #[must_use]
    pub(crate) fn index<'s>(&'s self, snapshot: &'s Snapshot) -> CodeIndex<'s> {
        CodeIndex { snapshot, prefix: &self.0 }
    }
}

impl<'s> CodeIndex<'s> {
    /// The only node of the project that a memory can mean by this text: a path of the project, or a name.
    #[must_use]
    pub(crate) fn find(self, text: &str) -> Option<NodeIx> {
        let path = RepoPath::new(text).ok();
        let file = path.and_then(|path| self.snapshot.graph().find_file(&format!("{}{path}", self.prefix)));
        let node = file.or_else(|| only_node(self.snapshot, text))?;
        let kind = self.snapshot.graph().kind(node);
        let is_code = !kind.is_outside() && kind != NodeKind::Config;
        (is_code && self.snapshot.graph().path(node).starts_with(self.prefix)).then_some(node)
    }

    /// Notes the code that these texts name, as it is now.
    pub(crate) fn anchors<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> Vec<Anchor> {
        let (mut anchors, texts_now): (Vec<Anchor>, _) = (Vec::new(), CodeTexts::new(self.snapshot));
        for text in texts {
            if anchors.len() >= MAX_ANCHORS {
                break;
            }
            let Some(node) = self.find(text) else { continue };
            let id = self.snapshot.graph().id(node);
            if anchors.iter().any(|anchor| anchor.node == id) {
                continue;
            }
            // Code that changed since it was indexed is noted when the index is fresh.
            if let Some(Bound { node, content, file }) = texts_now.bind(node) {
                anchors.push(Anchor { text: text.to_owned(), node, content, file });
            }
        }
        anchors
    }

    /// The state of a piece of code.
    pub(crate) fn state(self, anchor: &Anchor) -> CodeRow {
        let graph = self.snapshot.graph();
        match CodeTexts::new(self.snapshot).state(&anchor.to_bound(), self.prefix) {
            BoundState::Unchanged => anchor.row(CodeState::Current),
            BoundState::Modified => anchor.row(CodeState::Stale),
            BoundState::Moved(node) => {
                let moved_to = Some(graph.id(node).to_owned());
                CodeRow { moved_to, ..anchor.row(CodeState::Relocated) }
            }
            BoundState::Missing(None) => anchor.row(CodeState::Gone),
            BoundState::Missing(Some(other)) => {
                let reason = Some(format!("`{}` has its name and another text", graph.id(other)));
                CodeRow { reason, ..anchor.row(CodeState::Gone) }
            }
            BoundState::Unknown(reason) => CodeRow { reason: Some(reason), ..anchor.row(CodeState::Unknown) },
        }
    }
}

impl Anchor {
    /// The code itself, without its name in the memory.
    fn to_bound(&self) -> Bound {
        Bound { node: self.node.clone(), content: self.content, file: self.file }
    }

    /// The row of a piece of code without remarks.
    fn row(&self, state: CodeState) -> CodeRow {
        CodeRow { name: self.text.clone(), node_id: self.node.clone(), state, moved_to: None, reason: None }
    }
}

/// The state of a memory by those of the code it names: the one that matters most.
pub(crate) fn worst(rows: &[CodeRow]) -> Option<CodeState> {
    rows.iter().map(|row| row.state).max()
}

/// For each of these pieces of code that others are said to be about: which memories' code calls or uses code that
/// changed.
/// `changed` are ids of nodes that are stale, gone ones included; the answer is by the id of the node that depends on
/// them.
pub(crate) fn depending(snapshot: &Snapshot, nodes: &[String], changed: &[String]) -> BTreeMap<String, Vec<String>> {
    let graph = snapshot.graph();
    let mut found = BTreeMap::new();
    for id in nodes.iter().filter(|id| !changed.contains(id)) {
        let Some(node) = graph.find(id) else { continue };
        let needs = graph.out_edges(node).filter(|edge| edge.relation != m1nd_base::Relation::Contains);
        let mut on: Vec<String> = needs
            .map(|edge| graph.id(edge.to))
            .filter(|to| changed.iter().any(|id| id == to))
            .map(str::to_owned)
            .collect();
        on.sort();
        on.dedup();
        if !on.is_empty() {
            found.insert(id.clone(), on);
        }
    }
    found
}
/// The node that a text names, if it names only one.
fn only_node(snapshot: &Snapshot, text: &str) -> Option<NodeIx> {
    match snapshot.nodes_named(text.trim()).as_slice() {
        [node] => Some(*node),
        _ => None,
    }
}
