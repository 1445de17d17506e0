//! What a claim is about: a node, or all files in a folder.

use std::sync::Arc;

use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};

use crate::resolve::{ResolveError, resolve_node};

/// Members of a subject or object that count as it.
const MAX_MEMBERS: usize = 20_000;

/// The subject or object of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A node with its members.
    Node(NodeIx),
    /// A folder.
    Folder {
        /// Its path, with `/` at the end.
        path: String,
        /// The files in it and below.
        files: Arc<[NodeIx]>,
    },
}

impl Part {
    /// The part that a text names: an existing folder, else a node.
    ///
    /// # Errors
    /// [`ResolveError`] if it names neither.
    pub fn find_named(snapshot: &Snapshot, text: &str) -> Result<Self, ResolveError> {
        let Some(path) = snapshot.folder_named(text) else {
            return resolve_node(snapshot, text).map(Self::Node);
        };
        let graph = snapshot.graph();
        let inside = snapshot.files().within(&path);
        Ok(Self::Folder { files: inside.filter_map(|file| graph.find_file(file.path.as_str())).collect(), path })
    }

    /// The node, if it is one.
    pub fn node(&self) -> Option<NodeIx> {
        match self {
            Self::Node(node) => Some(*node),
            Self::Folder { .. } => None,
        }
    }

    /// The id of the node, or the path of the folder.
    pub fn name(&self, graph: &Graph) -> String {
        match self {
            Self::Node(node) => graph.id(*node).to_owned(),
            Self::Folder { path, .. } => path.clone(),
        }
    }

    /// The nodes that count as it; `None` if there are too many.
    pub fn members(&self, graph: &Graph) -> Option<Vec<NodeIx>> {
        let mut members = match self {
            Self::Node(node) => graph.with_parts(*node, MAX_MEMBERS),
            Self::Folder { files, .. } => {
                let mut members: Vec<NodeIx> = Vec::new();
                // What the tests of a folder use is not what the folder uses, unless it is a folder of tests.
                let is_test = |node: &NodeIx| graph.flags(*node).has(NodeFlags::TEST);
                let only_tests = files.iter().all(is_test);
                for file in files.iter().filter(|file| only_tests || !is_test(file)) {
                    if members.len() >= MAX_MEMBERS {
                        break;
                    }
                    let own = graph.with_members(*file, MAX_MEMBERS);
                    members.extend(own.into_iter().filter(|node| only_tests || !is_test(node)));
                }
                members
            }
        };
        if members.len() >= MAX_MEMBERS {
            return None;
        }
        // Containment may lead to a node twice.
        let mut seen = rustc_hash::FxHashSet::default();
        members.retain(|node| seen.insert(*node));
        Some(members)
    }
}
