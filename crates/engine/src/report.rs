use std::path::PathBuf;

use m1nd_base::{Problem, ProblemKind, RepoPath};
use m1nd_vfs::GitHead;
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::config::{Adapter, Mode};

/// References by how sure their target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tiers {
    /// One target by the rules of the language.
    pub certain: u64,
    /// Several candidates, all kept.
    pub possible: u64,
    /// Leads out of the roots.
    pub external: u64,
    /// No target; the reason is kept.
    pub unresolved: u64,
}

impl Tiers {
    /// All references.
    pub const fn total(&self) -> u64 {
        self.certain + self.possible + self.external + self.unresolved
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.certain += other.certain;
        self.possible += other.possible;
        self.external += other.external;
        self.unresolved += other.unresolved;
    }
}

/// Result of an ingest.
#[derive(Debug, Clone)]
pub struct IngestReport {
    /// As requested.
    pub mode: Mode,
    /// As requested.
    pub adapter: Adapter,
    /// Roots of the index afterwards, in order.
    pub roots: Vec<PathBuf>,
    /// Files found by the walk (for JSON: 1).
    pub files_scanned: usize,
    /// Files whose facts were extracted now.
    pub files_parsed: usize,
    /// Files whose facts came from the cache.
    pub files_from_cache: usize,
    /// Files whose size and time were as before, so that they were not read.
    pub files_unchanged: usize,
    /// Files that are no longer there.
    pub files_removed: usize,
    /// Files whose references were linked again.
    pub files_linked: usize,
    /// Bytes read.
    pub bytes_read: u64,
    /// Entries that are not in the graph.
    pub files_skipped: usize,
    /// The first of them with the reason, at most [`IngestReport::MAX_LISTED`].
    pub skipped: Vec<(String, Problem)>,
    /// Files of the index of which references are missing, with the first reason, at most
    /// [`IngestReport::MAX_LISTED`].
    pub incomplete: Vec<(String, Problem)>,
    /// Number of problems by kind, over all files.
    pub problems: Vec<(ProblemKind, usize)>,
    /// Nodes that the index did not have before (net growth, 0 if it shrank).
    pub nodes_created: usize,
    /// Edges that the index did not have before (net growth, 0 if it shrank).
    pub edges_created: usize,
    /// Nodes afterwards.
    pub node_count: usize,
    /// Edges afterwards.
    pub edge_count: usize,
    /// References by tier, over the whole index.
    pub tiers: Tiers,
    /// Edges of a JSON graph without both ends: how many.
    pub bad_edges: usize,
    /// The first of them as `source → target`, at most [`IngestReport::MAX_LISTED`].
    pub bad_edge_examples: Vec<String>,
    /// Nodes of a JSON graph whose id was already taken.
    pub duplicate_nodes: usize,
    /// Result of reading documents; `None` if none were asked for.
    pub documents: Option<DocumentsReport>,
    /// Result of importing a compiler index; `None` if none was imported.
    pub compiler: Option<CompilerReport>,
    /// Generation of the index afterwards.
    pub generation: u64,
    /// Whether a new generation was published.
    pub changed: bool,
    /// Time it took, in milliseconds.
    pub elapsed_ms: f64,
    /// Time per stage, in milliseconds, in order.
    pub stages: Vec<(&'static str, f64)>,
    /// Files of single roots that were looked at, in the order of the roots.
    pub by_root: Vec<RootWork>,
}

/// Files of one root, in an [`IngestReport`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RootWork {
    /// Index of the root.
    pub root: usize,
    /// Files whose facts were extracted now.
    pub parsed: usize,
    /// Files that changed or are new, but whose facts were in the cache.
    pub from_cache: usize,
    /// Time of reading and extraction, in milliseconds. Linking is one step for all roots.
    pub elapsed_ms: f64,
}

impl IngestReport {
    /// Most rows in each list.
    pub const MAX_LISTED: usize = 50;
}

/// Result of reading documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DocumentsReport {
    /// Documents read, by format.
    pub formats: std::collections::BTreeMap<&'static str, usize>,
    /// Documents read, by what read them: `internal`, `internal-html`, or the name of a configured provider.
    pub producers: std::collections::BTreeMap<String, usize>,
    /// Documents that a configured provider could not read, with the reason; at most [`IngestReport::MAX_LISTED`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Names of code in them.
    pub mentions: usize,
    /// Of these, the ones bound to nodes.
    pub bound: usize,
    /// Evidence of L1GHT claims whose file is in the index and not known to have changed.
    pub light_evidence_resolved: usize,
    /// Evidence whose file is not.
    pub light_evidence_unresolved: usize,
    /// Evidence whose file has changed since the claim was written.
    pub light_evidence_stale: usize,
}

/// Result of importing a compiler index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CompilerReport {
    /// Program that made it.
    pub tool: String,
    /// Documents in it.
    pub documents: usize,
    /// Documents that were taken.
    pub files: usize,
    /// Documents of files that are not in the graph.
    pub files_unknown: usize,
    /// Documents that do not fit the content of their file: it was edited since.
    pub files_stale: usize,
    /// Paths of the first of them.
    pub stale_examples: Vec<String>,
    /// Symbols that are nodes of the graph.
    pub definitions: usize,
    /// Symbols defined in the project that are no node: parameters, local variables and the like.
    pub definitions_without_node: usize,
    /// Uses of symbols that are nodes or belong to known packages.
    pub references: usize,
    /// Definitions that implement or replace others, where both are nodes of the graph: for each the next one above.
    pub implementations: usize,
    /// References that we had resolved the same way.
    pub confirmed: usize,
    /// References that had several targets or none, and are sure now.
    pub settled: usize,
    /// References that we had been certain of, with another target.
    pub contradicted: usize,
    /// The first of them, at most [`IngestReport::MAX_LISTED`].
    pub contradictions: Vec<ContradictionRow>,
    /// References that we had not seen.
    pub added: usize,
}

/// A reference for which a compiler index has another target than we had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContradictionRow {
    /// Path of the file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub col: u16,
    /// The name written there.
    pub name: String,
    /// Role of the reference: `call`, `read`, …; `import`.
    pub role: &'static str,
    /// Ids of our targets.
    pub ours: Vec<String>,
    /// Ids of the index's.
    pub theirs: Vec<String>,
}

/// The compiler's indexes of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerStatus {
    /// Programs that made them.
    pub tools: Vec<String>,
    /// Files they are about.
    pub files: usize,
    /// Files among these that were edited or removed since, for which the indexes are not used.
    pub stale: usize,
}

/// Whether this process writes the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// It does.
    Writer,
    /// Another process writes; this one follows its snapshots.
    Reader,
    /// Opened for reading only.
    ReadOnly,
}

impl ProcessRole {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Writer => "writer",
            Self::Reader => "reader",
            Self::ReadOnly => "read_only",
        }
    }
}

/// State of watching for changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchState {
    /// Not asked for.
    Off,
    /// Changes arrive.
    On,
    /// Asked for, but it does not work; changes are seen at the next ingest only.
    Failed(String),
}

/// Result of comparing a snapshot with the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// The first files that were changed, added or removed since they were indexed, sorted; at most
    /// [`Freshness::MAX_LISTED`].
    pub changed: Vec<RepoPath>,
    /// Number of such files found.
    pub total: usize,
    /// Whether everything was compared. If not, there may be more.
    pub complete: bool,
}

impl Freshness {
    /// Most files listed.
    pub const MAX_LISTED: usize = 10;

    /// Everything is as indexed.
    pub(crate) fn of_all() -> Self {
        Self { changed: Vec::new(), total: 0, complete: true }
    }

    /// Nothing is known.
    pub(crate) fn new_unknown() -> Self {
        Self { complete: false, ..Self::of_all() }
    }

    /// Returns whether the snapshot is known to be what is on disk.
    pub fn is_fresh(&self) -> bool {
        self.complete && self.total == 0
    }

    /// Counts a file.
    pub(crate) fn add(&mut self, path: RepoPath) {
        self.total += 1;
        let place = self.changed.partition_point(|known| *known < path);
        self.changed.insert(place, path);
        self.changed.truncate(Self::MAX_LISTED);
    }
}

/// Current activity of the writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Stage, such as `reading`, `parsing`, `linking`.
    pub stage: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in all, once known.
    pub total: Option<u64>,
}

/// State of the engine and its index.
#[derive(Debug, Clone)]
pub struct Status {
    /// Generation of the index; 0 if there is none.
    pub generation: u64,
    /// Roots of the index, in order.
    pub roots: Vec<PathBuf>,
    /// Roots that may be indexed.
    pub allowed_roots: Vec<PathBuf>,
    /// Number of files.
    pub files: usize,
    /// Number of lines of all files.
    pub lines: u64,
    /// Number of nodes.
    pub node_count: usize,
    /// Number of edges.
    pub edge_count: usize,
    /// References by tier.
    pub tiers: Tiers,
    /// Files, lines and references by language, most files first.
    pub languages: Vec<LanguageStatus>,
    /// Reasons of unresolved references, most frequent first.
    pub unresolved_reasons: Vec<(String, u64)>,
    /// Checked-out state of the first root; `None` if it is not the top of a git repository.
    pub git: Option<GitHead>,
    /// Problems by kind with examples, most frequent first.
    pub problems: Vec<ProblemStatus>,
    /// Coverage of compiler indexes; `None` if none was imported.
    pub compiler: Option<CompilerStatus>,
    /// The last ingest of this process.
    pub last_ingest: Option<IngestReport>,
    /// When the snapshot was made, in milliseconds since 1970; 0 if there is none.
    pub indexed_at_ms: u64,
    /// Current activity of the writer.
    pub activity: Option<Activity>,
    /// State of watching.
    pub watch: WatchState,
    /// Whether this process writes.
    pub role: ProcessRole,
    /// Resident memory of this process in bytes, 0 if unknown.
    pub rss_bytes: u64,
    /// Notices for the user: quarantined snapshots, missing roots.
    pub notices: Vec<String>,
    /// Seconds since the engine was opened.
    pub uptime_secs: u64,
}

/// Figures of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageStatus {
    /// The language.
    pub language: Language,
    /// Number of files.
    pub files: usize,
    /// Number of lines.
    pub lines: u64,
    /// References by tier.
    pub tiers: Tiers,
    /// Reasons of unresolved references, most frequent first.
    pub unresolved_reasons: Vec<(String, u64)>,
}

/// Problems of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemStatus {
    /// Kind of the problem.
    pub kind: ProblemKind,
    /// Number of problems.
    pub count: usize,
    /// The first of them: path and detail.
    pub examples: Vec<(String, String)>,
}

/// A root of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootInfo {
    /// Path of the root.
    pub path: PathBuf,
    /// Path prefix of its files: empty for the first root, else `<name>/`.
    pub prefix: String,
    /// Hidden files are indexed, too.
    pub include_hidden: bool,
    /// Hidden paths that are indexed although others are not.
    pub hidden_patterns: Vec<String>,
}

/// The folders of the index that hold one repository each, for the linker.
pub(crate) fn root_folders(roots: &[RootInfo]) -> Vec<String> {
    roots.iter().map(|root| root.prefix.trim_end_matches('/').to_owned()).collect()
}

impl RootInfo {
    /// The path inside the root of a path of the index, if it belongs to this root.
    pub fn inner(&self, path: &RepoPath) -> Option<RepoPath> {
        if self.prefix.is_empty() {
            return Some(path.clone());
        }
        RepoPath::new(path.as_str().strip_prefix(&self.prefix)?).ok()
    }

    /// The path in the index of a path inside the root.
    pub fn outer(&self, path: &RepoPath) -> RepoPath {
        if self.prefix.is_empty() {
            return path.clone();
        }
        RepoPath::new(&format!("{}{path}", self.prefix)).unwrap_or_else(|_| path.clone())
    }
}
