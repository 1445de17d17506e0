use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Derived, Limits, NodeKind, Problem, ProblemKind, RepoPath, node_id};
use m1nd_graph::{Graph, NodeIx};
use m1nd_vfs::{GitHead, Root};

use crate::error::ReadError;
use crate::files::{FileEntry, FileTable, Skipped};
use crate::history::{Histories, ProjectHistory};
use crate::ingest::json_graph::Imported;
use crate::kept::cover::Cover;
use crate::kept::search_index::SearchIndex;
use crate::mentions::{KeptMention, KeptMentions};
use crate::report::{RootInfo, Tiers};
use crate::state::reasons::Reasons;

/// One state of the index. Immutable: whoever holds it sees the same answers for as long as they hold it.
pub struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) graph: Graph,
    pub(crate) files: Arc<FileTable>,
    pub(crate) skipped: Arc<Skipped>,
    pub(crate) roots: Arc<[RootInfo]>,
    /// Open handles of `roots`; `None` for a missing root.
    pub(crate) handles: Arc<[Option<Root>]>,
    pub(crate) indexed_at_ms: u64,
    pub(crate) limits: Limits,
    pub(crate) imported: Arc<Vec<Imported>>,
    pub(crate) search: SearchIndex,
    /// Coverage of compiler indexes.
    pub(crate) compiler: Arc<Cover>,
    /// The code that documents named, as it was.
    pub(crate) mentions: Arc<KeptMentions>,
    /// Made by another version of the extractors.
    pub(crate) outdated: bool,
    /// See [`Snapshot::is_unlinked`].
    pub(crate) is_unlinked: bool,
    /// Commits that were checked out in the roots when it was made; see [`Snapshot::heads`].
    pub(crate) heads: Arc<[Option<String>]>,
    /// Git histories of the roots. Shared by all snapshots, because they follow `HEAD` and not the index.
    pub(crate) histories: Arc<Histories>,
    /// Caches of its readers, see [`Snapshot::derived_values`].
    pub(crate) derived: Derived,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("generation", &self.generation).field("files", &self.files.len()).finish()
    }
}

/// The parts of a state that an ingest changes.
pub(crate) struct Content {
    pub(crate) graph: Graph,
    pub(crate) files: Arc<FileTable>,
    pub(crate) skipped: Arc<Skipped>,
    pub(crate) roots: Arc<[RootInfo]>,
    pub(crate) handles: Arc<[Option<Root>]>,
    pub(crate) imported: Arc<Vec<Imported>>,
    pub(crate) search: SearchIndex,
    pub(crate) compiler: Arc<Cover>,
    /// Some of it was made by another version of the extractors.
    pub(crate) outdated: bool,
    /// Commits that are checked out in the roots, see [`Snapshot::heads`].
    pub(crate) heads: Arc<[Option<String>]>,
}

/// The checked-out commits of these roots.
pub(crate) fn heads_of(handles: &[Option<Root>]) -> Vec<Option<String>> {
    handles.iter().map(|root| root.as_ref()?.git_head()?.head).collect()
}

/// Opens an indexed root at its path. The error says what is there instead: a link that took its place leads to files
/// that nobody allowed to be read.
pub(crate) fn open_root(info: &RootInfo) -> Result<Root, String> {
    let shown = info.path.display();
    match Root::open(&info.path) {
        Ok(root) if root.path() == info.path => Ok(root),
        Ok(root) => Err(format!(
            "the indexed root `{shown}` was replaced by a link to `{}`, which is not read; put the folder back, or start with the other one as root",
            root.path().display()
        )),
        Err(m1nd_vfs::VfsError::NotFound { .. }) => {
            Err(format!("the indexed root `{shown}` is gone; its files come back with it"))
        }
        Err(error) => Err(format!("the indexed root `{shown}` cannot be read; its files come back with it: {error}")),
    }
}

/// What is said of a root that cannot be opened.
pub(crate) fn root_is_gone(info: &RootInfo) -> String {
    let unread =
        || format!("the indexed root `{}` could not be read; its files come back with it", info.path.display());
    open_root(info).err().unwrap_or_else(unread)
}

/// The content of a file, read from the disk now.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// Its path in the index.
    pub path: RepoPath,
    /// Its text, see [`Snapshot::read_text`]; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Bytes were replaced.
    pub lossy: bool,
    /// A NUL byte near its start, or a document whose text cannot be had: not a text.
    pub binary: bool,
    /// Why it is not, or not surely, the whole text.
    pub problem: Option<Problem>,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// The file is in the index, but with other content: line numbers of the index may be off.
    pub stale: bool,
    /// The file is in the index.
    pub indexed: bool,
}

/// Leading bytes in which a NUL makes a file binary.
const BINARY_PROBE: usize = 8 << 10;

impl Snapshot {
    /// An index without roots, files and nodes.
    pub fn empty() -> Self {
        Self {
            generation: 0,
            graph: Graph::default(),
            files: Arc::default(),
            skipped: Arc::default(),
            roots: Arc::new([]),
            handles: Arc::new([]),
            indexed_at_ms: 0,
            limits: Limits::default(),
            outdated: false,
            is_unlinked: false,
            compiler: Arc::default(),
            imported: Arc::default(),
            mentions: Arc::default(),
            search: SearchIndex::default(),
            heads: Arc::new([]),
            histories: Arc::default(),
            derived: Derived::new(),
        }
    }

    /// The next state of the index: this one with another graph, files and search index.
    pub(crate) fn next(&self, generation: u64, now_ms: u64, content: Content) -> Self {
        Self {
            generation,
            graph: content.graph,
            files: content.files,
            skipped: content.skipped,
            roots: content.roots,
            handles: content.handles,
            indexed_at_ms: now_ms,
            limits: self.limits.clone(),
            outdated: content.outdated,
            is_unlinked: false,
            compiler: content.compiler,
            imported: content.imported,
            mentions: self.mentions.clone(),
            search: content.search,
            heads: content.heads,
            histories: self.histories.clone(),
            derived: Derived::new(),
        }
    }

    /// Content of a snapshot, to be modified for the next one.
    pub(crate) fn content(&self) -> Content {
        Content {
            graph: self.graph.clone(),
            files: self.files.clone(),
            skipped: self.skipped.clone(),
            roots: self.roots.clone(),
            handles: self.handles.clone(),
            imported: self.imported.clone(),
            search: self.search.clone(),
            outdated: self.outdated,
            compiler: self.compiler.clone(),
            heads: self.heads.clone(),
        }
    }

    /// The code that a document or the comments of a file named when each line was last written, as it was then.
    pub fn kept_mentions(&self, path: &str) -> &[KeptMention] {
        self.mentions.of(path)
    }

    /// The list of files, to be kept longer than the snapshot.
    pub fn file_table(&self) -> Arc<FileTable> {
        self.files.clone()
    }

    /// The search index.
    pub fn index(&self) -> &m1nd_search::Index {
        &self.search.index
    }

    /// Bytes that the search index takes: its words, its vectors.
    pub fn index_bytes(&self) -> (usize, usize) {
        self.search.sizes()
    }

    /// Reasons of unresolved references with their number, most frequent first. Counted when first asked for.
    pub fn unresolved_reasons(&self) -> Vec<(String, u64)> {
        self.reasons().all.clone()
    }

    pub(crate) fn reasons(&self) -> Arc<Reasons> {
        self.derived.get_or_init(|| Reasons::count(&self.graph, &self.files))
    }

    /// Values that readers compute from this snapshot and cache for its lifetime, one of each type. A reader declares
    /// its own type for its cache, so that the snapshot need not know its readers.
    pub fn derived_values(&self) -> &Derived {
        &self.derived
    }

    /// Like [`Snapshot::derived_values`], for values that depend on no state of the index: all snapshots of an engine
    /// share them, and they are dropped with it. Their types must be bounded.
    pub fn lasting(&self) -> &Derived {
        &self.histories.lasting
    }

    /// The limits that it was made and is read under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Git history of the roots, including commits made since the last call: takes milliseconds, or seconds for the
    /// first time in a large repository. Unreadable parts are listed in [`ProjectHistory::gaps`].
    pub fn history(&self, cancel: &Cancel) -> ProjectHistory {
        self.histories.project(&self.roots, cancel)
    }

    /// Like [`Snapshot::history`] for an answer that can do without it: waits for a moment only
    /// ([`EngineConfig::history_wait`](crate::EngineConfig::history_wait)). What was read before answers meanwhile, and
    /// a thread in the background reads on, once. [`ProjectHistory::is_being_read`] says that more will come.
    pub fn history_at_hand(&self, cancel: &Cancel) -> ProjectHistory {
        self.histories.project_at_hand(&self.roots, cancel)
    }

    /// Like [`Snapshot::history_at_hand`] for a program that ends with its answer: nothing is read on in the
    /// background, and what was read in that moment is kept for the next call.
    pub fn history_briefly(&self, cancel: &Cancel) -> ProjectHistory {
        self.histories.project_briefly(&self.roots, cancel)
    }

    /// Like [`Snapshot::history`], without reading new commits: the history read last, in this process or an earlier
    /// one, which may be of another commit than `HEAD` ([`ProjectHistory::gaps`] reports that). `None` if the history
    /// of a root was never read.
    pub fn loaded_history(&self) -> Option<ProjectHistory> {
        self.histories.loaded_project(&self.roots)
    }

    /// Current checked-out state of the first root; `None` if it is not the top of a git repository.
    pub fn git_head(&self) -> Option<GitHead> {
        self.handles.first()?.as_ref()?.git_head()
    }

    /// Commits that were checked out in the roots when it was made, in the order of the roots: `None` for a root
    /// without a readable one. Empty if it was made by a version that did not record them.
    pub fn heads(&self) -> &[Option<String>] {
        &self.heads
    }

    /// Commits that are checked out in the roots now, like [`Snapshot::heads`].
    pub fn heads_now(&self) -> Vec<Option<String>> {
        heads_of(&self.handles)
    }

    /// Goes up with every change of the index, also over restarts; 0 if nothing was ever indexed.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The symbol graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The indexed roots, in order.
    pub fn roots(&self) -> &[RootInfo] {
        &self.roots
    }

    /// Files and folders below the roots that are not in the index though no rule leaves them out, with the reason; by
    /// path, at most 10 000. [`Snapshot::skipped_total`] has their number.
    pub fn list_skipped(&self) -> &[(String, Problem)] {
        self.skipped.rows()
    }

    /// Number of skipped files and folders.
    pub fn skipped_total(&self) -> usize {
        self.skipped.counts().map(|(_, count)| count).sum()
    }

    /// Returns whether nothing is indexed.
    pub fn is_empty(&self) -> bool {
        self.graph.node_count() == 0 && self.files.is_empty()
    }

    /// Returns whether the files are parsed and their references are not linked: the graph has no edges, and nothing
    /// that only linking finds. Only [`Engine::find_unlinked`](crate::Engine::find_unlinked) gives such a snapshot.
    pub fn is_unlinked(&self) -> bool {
        self.is_unlinked
    }

    /// The indexed files.
    pub fn files(&self) -> &FileTable {
        &self.files
    }

    /// When it was made, in milliseconds since 1970.
    pub fn indexed_at_ms(&self) -> u64 {
        self.indexed_at_ms
    }

    /// References by tier over all files.
    pub fn tiers(&self) -> Tiers {
        self.files.iter().fold(Tiers::default(), |mut sum, file| {
            sum.add(&file.tiers);
            sum
        })
    }

    /// Whether it is the index of a federation. The first root of any other index has no prefix.
    fn is_federated(&self) -> bool {
        self.roots.first().is_some_and(|root| !root.prefix.is_empty())
    }

    /// The names of the repositories of a federation, in order; none for an index of one repository.
    pub fn repositories(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().filter(move |_| self.is_federated()).map(|root| root.prefix.trim_end_matches('/'))
    }

    /// The repository of a federation that a path of the index belongs to.
    pub fn repository_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (name, _) = path.split_once('/')?;
        // Members are in order of their names, and every edge may ask.
        let found = self.roots.binary_search_by(|root| root.prefix.trim_end_matches('/').cmp(name));
        (self.is_federated() && found.is_ok()).then_some(name)
    }

    /// A text of an answer with ids as a federation shows them, see [`m1nd_base::node_id::with_repositories`]. `None`
    /// if nothing changes.
    pub fn with_repositories(&self, text: &str) -> Option<String> {
        let is_name = |name: &str| self.repositories().any(|known| known == name);
        node_id::with_repositories(text, is_name, |path| self.files.by_text(path).is_some())
    }

    /// The name in the index that a caller means by one with a repository in front (`backend::file::src/a.py`,
    /// `backend::src/a.py`, `backend::`). `None` for other names.
    pub fn without_repository(&self, text: &str) -> Option<String> {
        let is_name = |name: &str| self.repositories().any(|known| known == name);
        let text = text.trim();
        node_id::without_repository(text, is_name).or_else(|| {
            let (name, rest) = text.split_once(node_id::SEPARATOR).filter(|(name, _)| is_name(name))?;
            if rest.is_empty() {
                return Some(name.to_owned());
            }
            // Packages have names like repositories: only what is there is a path.
            let path = format!("{name}/{}", node_id::typed_path(rest));
            let is_there = self.files.within(path.trim_end_matches('/')).next().is_some();
            is_there.then(|| format!("{name}/{rest}"))
        })
    }

    /// The root a path of the index belongs to, and the path inside it.
    pub fn locate(&self, path: &RepoPath) -> Option<(&Root, RepoPath)> {
        let rows = || self.roots.iter().zip(self.handles.iter());
        let prefixed = rows().find(|(info, _)| !info.prefix.is_empty() && info.inner(path).is_some());
        let (info, handle) = prefixed.or_else(|| rows().find(|(info, _)| info.prefix.is_empty()))?;
        Some((handle.as_ref()?, info.inner(path)?))
    }

    /// Reads the current bytes of a file below an indexed root. At most [`Limits::read_bytes`].
    ///
    /// # Errors
    /// [`ReadError::NoRoot`] if its root is not indexed or missing, else the reason why it cannot be read.
    pub fn read_bytes(&self, path: &RepoPath) -> Result<Vec<u8>, ReadError> {
        let (root, inner) = self.locate(path).ok_or(ReadError::NoRoot)?;
        Ok(root.read(&inner, self.limits.read_bytes)?)
    }

    /// Reads the current text of a file below an indexed root, and whether it still equals the indexed one.
    ///
    /// # Errors
    /// See [`Snapshot::read_bytes`].
    pub fn read_file(&self, path: &RepoPath) -> Result<SourceText, ReadError> {
        let entry = self.files.get(path);
        let text = self.read_text(path, &Cancel::new())?;
        let hash = text.file_hash();
        let problem = text.problem.clone();
        let binary = text[..text.len().min(BINARY_PROBE)].contains(&0)
            || problem.as_ref().is_some_and(|problem| problem.kind == ProblemKind::Binary);
        let (text, lossy) = match String::from_utf8(text.into_bytes()) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        let stale = entry.is_some_and(|entry| entry.hash != hash);
        Ok(SourceText { path: path.clone(), text, lossy, binary, problem, hash, stale, indexed: entry.is_some() })
    }

    /// The file entry of a node.
    pub fn file_of(&self, node: NodeIx) -> Option<&FileEntry> {
        self.files.by_text(self.graph.path(node))
    }

    /// Innermost symbol around a line (1-based); the file if there is none; `None` if the file is not indexed.
    pub fn node_at(&self, path: &RepoPath, line: u32) -> Option<NodeIx> {
        let file = self.graph.find_file(path.as_str())?;
        let around = self.graph.of_file(file).into_iter().filter(|&node| {
            let (start, end) = self.graph.lines(node);
            self.graph.kind(node) != NodeKind::File && start <= line && line <= end
        });
        // The narrowest; of several as narrow, the one that starts last and then the deepest by id.
        let narrowest = around.min_by_key(|&node| {
            let (start, end) = self.graph.lines(node);
            let id = self.graph.id(node);
            (end - start, std::cmp::Reverse((start, id.len())), id.to_owned())
        });
        narrowest.or(Some(file))
    }
}
