//! Compares the code that a memory names with the index.
//!
//! When a memory is first seen with an index at hand, each piece of code that it names is noted with its id and the
//! hash of its text. Later both are compared with the index. What cannot be compared is `unknown`: a memory is never
//! said to be current about code that changed.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::{ContentHash, NodeKind, RepoPath, node_id};
use m1nd_engine::graph::NodeIx;
use m1nd_vfs::VfsError;
use serde::Serialize;

use crate::anchor::{Anchor, CodeState};
use m1nd_engine::FileEntry;
use m1nd_engine::ReadError;
use m1nd_engine::Snapshot;

/// Most pieces of code noted of one memory.
pub(crate) const MAX_ANCHORS: usize = 8;
/// Nodes of one name that are compared with the text of one that is gone.
const MAX_TWINS: usize = 50;

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
        let mut anchors: Vec<Anchor> = Vec::new();
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
            if let Some((content, file)) = self.content(node) {
                anchors.push(Anchor { text: text.to_owned(), node: id.to_owned(), content, file });
            }
        }
        anchors
    }

    /// Hashes of a node's text and of its file, if the file is as it was indexed.
    fn content(self, node: NodeIx) -> Option<(ContentHash, ContentHash)> {
        let graph = self.snapshot.graph();
        let path = RepoPath::new(graph.path(node)).ok()?;
        let source = self.snapshot.read_file(&path).ok().filter(|source| source.indexed && !source.stale)?;
        let content = match graph.kind(node) {
            NodeKind::File => source.hash,
            _ => {
                let (start, end) = graph.lines(node);
                let count = (end.checked_sub(start)? + 1) as usize;
                let lines = || source.text.lines().skip(start.saturating_sub(1) as usize).take(count);
                // Moved deeper or up as a whole it is the same.
                let indent: usize = lines().next().map_or(0, |line| line.len() - line.trim_start().len());
                let mut text = String::new();
                for line in lines() {
                    let own = line.len() - line.trim_start().len();
                    text.push_str(line.get(indent.min(own)..).unwrap_or(line).trim_end());
                    text.push('\n');
                }
                ContentHash::of(text.as_bytes())
            }
        };
        Some((content, source.hash))
    }

    /// The state of a piece of code.
    pub(crate) fn state(self, anchor: &Anchor) -> CodeRow {
        let row = |state| anchor.row(state);
        let graph = self.snapshot.graph();
        match graph.find(&anchor.node) {
            Some(node) => {
                let path = RepoPath::new(graph.path(node)).map_err(ReadError::from);
                match path.and_then(|path| self.snapshot.read_file(&path)) {
                    Ok(source) if source.hash == anchor.file => row(CodeState::Current),
                    Ok(source) if source.stale => {
                        let reason = Some("its file changed after it was indexed".to_owned());
                        CodeRow { reason, ..row(CodeState::Unknown) }
                    }
                    Ok(_) => match self.content(node) {
                        Some((content, _)) if content == anchor.content => row(CodeState::Current),
                        _ => row(CodeState::Stale),
                    },
                    // Deleted or moved: where its text is now nobody knows before that is indexed.
                    Err(ReadError::Files(VfsError::NotFound { .. })) => anchor.not_indexed_yet(),
                    // What cannot be looked at may well be there.
                    Err(error) => CodeRow { reason: Some(error.to_string()), ..row(CodeState::Unknown) },
                }
            }
            None => match self.back_on_disk(anchor) {
                Some(row) => row,
                None => self.missing(anchor),
            },
        }
    }

    /// The row of code that is not indexed but may exist: in the file of a branch that was checked out after
    /// indexing.
    fn back_on_disk(self, anchor: &Anchor) -> Option<CodeRow> {
        let path = RepoPath::new(node_id::path_of(&anchor.node)?).ok()?;
        let source = self.snapshot.read_file(&path).ok()?;
        if source.hash == anchor.file {
            return Some(anchor.row(CodeState::Current));
        }
        let reason = match (source.indexed, source.stale) {
            (true, false) => return None,
            (true, true) => "its file changed after it was indexed",
            (false, _) => "its file is not indexed as it is now",
        };
        Some(CodeRow { reason: Some(reason.to_owned()), ..anchor.row(CodeState::Unknown) })
    }

    /// The row of a piece of code that is no longer at its place.
    fn missing(self, anchor: &Anchor) -> CodeRow {
        match self.twin(anchor) {
            Ok(Some(node)) => {
                let moved_to = Some(self.snapshot.graph().id(node).to_owned());
                CodeRow { moved_to, ..anchor.row(CodeState::Relocated) }
            }
            Ok(None) => anchor.row(CodeState::Gone),
            Err(Lost::Unread) => anchor.not_indexed_yet(),
            Err(Lost::Other(other)) => {
                let reason = Some(format!("`{other}` has its name and another text"));
                CodeRow { reason, ..anchor.row(CodeState::Gone) }
            }
        }
    }

    /// A node elsewhere with the text of one that is gone.
    fn twin(self, anchor: &Anchor) -> Result<Option<NodeIx>, Lost> {
        let graph = self.snapshot.graph();
        let name = node_id::last_name(&anchor.node);
        let is_file = node_id::is_file(&anchor.node);
        if is_file {
            // Files without content are all alike, and of several that are alike none is the one that was moved.
            let is_like = |file: &&FileEntry| file.size > 0 && file.hash == anchor.file;
            let files = self.snapshot.files().iter().filter(|file| file.path.as_str().starts_with(self.prefix));
            let mut moved = files.filter(is_like);
            let (first, second) = (moved.next(), moved.next());
            let only = first.filter(|_| second.is_none());
            return match only.and_then(|file| graph.find_file(file.path.as_str())) {
                Some(node) if self.content(node).is_none() => Err(Lost::Unread),
                found => Ok(found),
            };
        }
        let mut twins: Vec<NodeIx> = graph.labelled(name);
        twins.retain(|&node| graph.path(node).starts_with(self.prefix));
        twins.sort_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
        twins.truncate(MAX_TWINS);
        let texts: Vec<Option<ContentHash>> = twins.iter().map(|&node| Some(self.content(node)?.0)).collect();
        match (texts.iter().position(|text| *text == Some(anchor.content)), twins.as_slice()) {
            (Some(at), _) => Ok(Some(twins[at])),
            (None, _) if texts.contains(&None) => Err(Lost::Unread),
            (None, [other]) => Err(Lost::Other(graph.id(*other).to_owned())),
            _ => Ok(None),
        }
    }
}

/// Reason why no relocated text was found.
enum Lost {
    /// Something that may have it is not as it was indexed.
    Unread,
    /// The only other one of its name and kind has another.
    Other(String),
}

impl Anchor {
    /// It may have been deleted or moved.
    fn not_indexed_yet(&self) -> CodeRow {
        let reason = "its file is not there any more, and what became of it is not indexed yet";
        CodeRow { reason: Some(reason.to_owned()), ..self.row(CodeState::Unknown) }
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
