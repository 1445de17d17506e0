//! Pieces of code as they were at some time, and their state since.
//!
//! A piece of code is bound by its id, a hash of its text and a hash of its whole file. Memories, investigations and
//! locks keep these and compare them with a later snapshot. What cannot be compared is unknown, never unchanged.

use std::cell::RefCell;
use std::rc::Rc;

use m1nd_base::{ContentHash, NodeKind, RepoPath, node_id};
use m1nd_graph::NodeIx;
use m1nd_vfs::VfsError;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::ReadError;
use crate::files::FileEntry;
use crate::state::snapshot::{Snapshot, SourceText};

/// Nodes of one name that are compared with the text of one that is gone.
const MAX_TWINS: usize = 50;
/// Files that are kept between the nodes compared by one [`CodeTexts`].
const MAX_KEPT_FILES: usize = 64;

/// A piece of code as it was at some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Its id in the graph.
    pub node: String,
    /// Hash of its text, without common indentation.
    pub content: ContentHash,
    /// Hash of its whole file. While that is the same, so is the text.
    pub file: ContentHash,
}

/// State of a piece of code compared with an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundState {
    /// Same text, same place.
    Unchanged,
    /// Same text at this node.
    Moved(NodeIx),
    /// Same place, another text.
    Modified,
    /// It no longer exists. The only other node of its name, which has another text, if there is one.
    Missing(Option<NodeIx>),
    /// It could not be compared, for this reason.
    Unknown(String),
}

type Read = Rc<Result<SourceText, ReadError>>;

/// Texts of code by node, for comparisons with what was bound. Keeps some files, so sort nodes by their id.
pub struct CodeTexts<'s> {
    snapshot: &'s Snapshot,
    kept: RefCell<FxHashMap<String, Read>>,
}

/// The reason why no moved text was found.
enum Lost {
    /// Something that may have it is not as it was indexed.
    Unread,
    /// The only other one of its name and kind has another.
    Other(NodeIx),
}

impl<'s> CodeTexts<'s> {
    /// Texts of the files of this snapshot, read from the disk when needed.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, kept: RefCell::default() }
    }

    /// The node as it is now; `None` if it has no text, or its file is not as it was indexed.
    pub fn bind(&self, node: NodeIx) -> Option<Bound> {
        let (content, file) = self.content(node)?;
        Some(Bound { node: self.snapshot.graph().id(node).to_owned(), content, file })
    }

    /// The state of a piece of code. Only nodes whose path starts with `prefix` count as places it may have moved to.
    pub fn state(&self, bound: &Bound, prefix: &str) -> BoundState {
        let graph = self.snapshot.graph();
        let Some(node) = graph.find(&bound.node) else {
            return self.back_on_disk(bound).unwrap_or_else(|| self.missing(bound, prefix));
        };
        match &*self.read(graph.path(node)) {
            Ok(source) if source.hash == bound.file => BoundState::Unchanged,
            Ok(source) if source.stale => describe_unknown("its file changed after it was indexed"),
            Ok(_) => match self.content(node) {
                Some((content, _)) if content == bound.content => BoundState::Unchanged,
                _ => BoundState::Modified,
            },
            // Deleted or moved: where its text is now nobody knows before that is indexed.
            Err(ReadError::Files(VfsError::NotFound { .. })) => not_indexed_yet(),
            // What cannot be looked at may well be there.
            Err(error) => BoundState::Unknown(error.to_string()),
        }
    }

    fn read(&self, path: &str) -> Read {
        if let Some(read) = self.kept.borrow().get(path) {
            return read.clone();
        }
        let inside = RepoPath::new(path).map_err(ReadError::from);
        let read = Rc::new(inside.and_then(|path| self.snapshot.read_file(&path)));
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= MAX_KEPT_FILES {
            kept.clear();
        }
        kept.insert(path.to_owned(), read.clone());
        read
    }

    /// Hashes of a node's text and of its file, if the file is as it was indexed.
    fn content(&self, node: NodeIx) -> Option<(ContentHash, ContentHash)> {
        let graph = self.snapshot.graph();
        let read = self.read(graph.path(node));
        let source = (*read).as_ref().ok().filter(|source| source.indexed && !source.stale)?;
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

    /// The state of code that is not indexed but may exist: in the file of a branch that was checked out after
    /// indexing.
    fn back_on_disk(&self, bound: &Bound) -> Option<BoundState> {
        let read = self.read(node_id::path_of(&bound.node)?);
        let source = (*read).as_ref().ok()?;
        if source.hash == bound.file {
            return Some(BoundState::Unchanged);
        }
        match (source.indexed, source.stale) {
            (true, false) => None,
            (true, true) => Some(describe_unknown("its file changed after it was indexed")),
            (false, _) => Some(describe_unknown("its file is not indexed as it is now")),
        }
    }

    /// The state of a piece of code that is no longer at its place.
    fn missing(&self, bound: &Bound, prefix: &str) -> BoundState {
        match self.twin(bound, prefix) {
            Ok(Some(node)) => BoundState::Moved(node),
            Ok(None) => BoundState::Missing(None),
            Err(Lost::Unread) => not_indexed_yet(),
            Err(Lost::Other(other)) => BoundState::Missing(Some(other)),
        }
    }

    /// A node elsewhere with the text of one that is gone.
    fn twin(&self, bound: &Bound, prefix: &str) -> Result<Option<NodeIx>, Lost> {
        let graph = self.snapshot.graph();
        if node_id::is_file(&bound.node) {
            // Files without content are all alike, and of several that are alike none is the one that was moved.
            let is_like = |file: &&FileEntry| file.size > 0 && file.hash == bound.file;
            let files = self.snapshot.files().iter().filter(|file| file.path.as_str().starts_with(prefix));
            let mut moved = files.filter(is_like);
            let (first, second) = (moved.next(), moved.next());
            let only = first.filter(|_| second.is_none());
            return match only.and_then(|file| graph.find_file(file.path.as_str())) {
                Some(node) if self.content(node).is_none() => Err(Lost::Unread),
                found => Ok(found),
            };
        }
        let mut twins: Vec<NodeIx> = graph.find_labelled(node_id::last_name(&bound.node));
        // What is outside all files, like a name imported from nowhere, has no text.
        twins.retain(|&node| !graph.path(node).is_empty() && graph.path(node).starts_with(prefix));
        twins.sort_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
        twins.truncate(MAX_TWINS);
        let texts: Vec<Option<ContentHash>> = twins.iter().map(|&node| Some(self.content(node)?.0)).collect();
        match (texts.iter().position(|text| *text == Some(bound.content)), twins.as_slice()) {
            (Some(at), _) => Ok(Some(twins[at])),
            (None, _) if texts.contains(&None) => Err(Lost::Unread),
            (None, [other]) => Err(Lost::Other(*other)),
            _ => Ok(None),
        }
    }
}

/// It may have been deleted or moved.
fn not_indexed_yet() -> BoundState {
    describe_unknown("its file is not there any more, and what became of it is not indexed yet")
}

fn describe_unknown(reason: &str) -> BoundState {
    BoundState::Unknown(reason.to_owned())
}
