use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use m1nd_base::{Clock, Limits};
use serde::Serialize;

use crate::extract_attempts::ExtractionProbe;
use crate::providers::DocumentProviders;
use crate::repositories::federation::Federation;

/// Configuration of an engine.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Folder of the store (`M1ND_HOME`).
    pub home: PathBuf,
    /// Folders that may be indexed, and the ones that are by default. The first names the project.
    pub roots: Vec<PathBuf>,
    /// The roots were named. Otherwise a home folder or the root of a disk is not indexed as a whole.
    pub roots_named: bool,
    /// Indexes these repositories as one; the roots are theirs then.
    pub federation: Option<Federation>,
    /// Bounds on all work.
    pub limits: Limits,
    /// Keeps the index fresh by watching the roots.
    pub watch: bool,
    /// Offers the definitions of a first index while its references are linked, see
    /// [`Engine::find_unlinked`](crate::Engine::find_unlinked).
    pub answers_unlinked: bool,
    /// Never indexes, never writes: serves the existing index.
    pub read_only: bool,
    /// Compares the whole snapshot with its checksums in the background. One that is open for a moment need not.
    pub verify: bool,
    /// Whether this process undoes or finishes interrupted writes when it becomes the writer. Not for a program that
    /// only reports.
    pub recovers: bool,
    /// Largest snapshot, in bytes, that is compared with its checksums before it is used: for programs that answer once
    /// and end. With 0, none is.
    pub verify_at_open: u64,
    /// Maximum size of the facts cache of all projects together, in bytes; least recently used facts are evicted
    /// first.
    pub facts_bytes: u64,
    /// Bytes of facts that stay in memory while files are linked and afterwards, about; further ones are got again from
    /// the cache when they are needed.
    pub facts_in_memory: usize,
    /// Threads for reading and parsing; `None` for one per processor.
    pub threads: Option<usize>,
    /// Clock for values that fade with age.
    pub clock: Clock,
    /// Longest comparison of the index with the disk before an answer; one that takes longer is incomplete.
    pub check_budget: Duration,
    /// How long an answer waits for commits that are being read, if it can do without them.
    pub history_wait: Duration,
    /// Folder of an embedding model that re-ranks the best matches.
    pub model: Option<PathBuf>,
    /// Programs that read documents in place of our own readers, if the user configured any.
    pub providers: Option<Arc<dyn DocumentProviders>>,
    /// Extracts files that may crash the process in another one first.
    pub probe: Option<Arc<dyn ExtractionProbe>>,
    /// Where the settings came from, for the user.
    pub settings: Vec<Setting>,
}

/// Returns whether a folder is the user's home or the root of a disk, which are indexed only if they are named.
#[allow(clippy::disallowed_methods, reason = "folders are compared behind their links")]
pub fn is_too_wide(folder: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    folder.parent().is_none() || home.is_some_and(|home| home == folder)
}

/// A setting and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The source that won: `flag`, `environment`, `file`, `client`, `default`, or `full disk`.
    pub source: &'static str,
}

impl EngineConfig {
    /// Usual bound of [`EngineConfig::facts_bytes`].
    pub const FACTS_BYTES: u64 = 2 << 30;

    /// Usual bound of [`EngineConfig::facts_in_memory`]: those of a million lines of code.
    pub const FACTS_IN_MEMORY: usize = 192 << 20;

    /// Bound of [`EngineConfig::verify_at_open`] for a program that answers once: some 30 ms.
    pub const VERIFIED_AT_OPEN: u64 = 64 << 20;

    /// Usual bound of [`EngineConfig::check_budget`]: enough for some 100,000 files.
    pub const CHECK_BUDGET: Duration = Duration::from_secs(1);

    /// Usual bound of [`EngineConfig::history_wait`].
    pub const HISTORY_WAIT: Duration = Duration::from_millis(150);

    /// The usual setup for these roots: default limits, no watching, writing allowed.
    pub fn new(home: PathBuf, roots: Vec<PathBuf>) -> Self {
        Self {
            home,
            roots,
            roots_named: true,
            federation: None,
            model: None,
            providers: None,
            probe: None,
            settings: Vec::new(),
            check_budget: Self::CHECK_BUDGET,
            history_wait: Self::HISTORY_WAIT,
            limits: Limits::default(),
            watch: false,
            answers_unlinked: false,
            read_only: false,
            verify: true,
            recovers: true,
            verify_at_open: 0,
            facts_bytes: Self::FACTS_BYTES,
            facts_in_memory: Self::FACTS_IN_MEMORY,
            threads: None,
            clock: Clock::default(),
        }
    }

    /// Like these settings, for several repositories as one.
    #[must_use]
    pub fn with_federation(self, federation: Federation) -> Self {
        let roots = federation.members().iter().map(|member| member.path.clone()).collect();
        Self { roots, federation: Some(federation), ..self }
    }
}

/// A word of a request that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{received}`; expected one of {allowed}")]
pub struct UnknownWord {
    /// Setting that the word belongs to.
    pub what: &'static str,
    /// The received word, shortened.
    pub received: String,
    /// The known words.
    pub allowed: &'static str,
}

fn report_unknown(what: &'static str, received: &str, allowed: &'static str) -> UnknownWord {
    UnknownWord { what, received: received.chars().take(80).collect(), allowed }
}

/// Effect of an ingest on the other roots of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The index holds this root only.
    #[default]
    Replace,
    /// The root is added to the others.
    Merge,
    /// Removes data imported from this path. Only for compiler indexes: the index of a file, or all with a folder.
    Drop,
}

impl Mode {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Merge => "merge",
            Self::Drop => "drop",
        }
    }
}

impl FromStr for Mode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word.to_ascii_lowercase().as_str() {
            "replace" => Ok(Self::Replace),
            "merge" => Ok(Self::Merge),
            "drop" => Ok(Self::Drop),
            _ => Err(report_unknown("mode", word, "`replace`, `merge`, `drop`")),
        }
    }
}

/// Kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adapter {
    /// A folder or file of source code.
    #[default]
    Code,
    /// A JSON file with `nodes` and `edges`.
    Json,
    /// An index made by a compiler, in the SCIP format.
    Scip,
    /// Notes in Markdown or plain text.
    Memory,
    /// L1GHT documents.
    Light,
    /// Patents in XML.
    Patent,
    /// Articles in JATS.
    Article,
    /// Bibliographies.
    Bibtex,
    /// RFCs in XML.
    Rfc,
    /// Metadata of works from Crossref.
    Crossref,
    /// Documents of every known format.
    Universal,
    /// Documents, each by the adapter that its content asks for.
    Auto,
}

impl Serialize for Adapter {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl Adapter {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Json => "json",
            Self::Scip => "scip",
            Self::Memory => "memory",
            Self::Light => "light",
            Self::Patent => "patent",
            Self::Article => "article",
            Self::Bibtex => "bibtex",
            Self::Rfc => "rfc",
            Self::Crossref => "crossref",
            Self::Universal => "universal",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for Adapter {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word.to_ascii_lowercase().as_str() {
            "code" => Ok(Self::Code),
            "json" => Ok(Self::Json),
            "scip" => Ok(Self::Scip),
            "memory" => Ok(Self::Memory),
            "light" => Ok(Self::Light),
            "patent" => Ok(Self::Patent),
            "article" | "jats" => Ok(Self::Article),
            "bibtex" | "bib" => Ok(Self::Bibtex),
            "rfc" => Ok(Self::Rfc),
            "crossref" | "doi" => Ok(Self::Crossref),
            "universal" => Ok(Self::Universal),
            "auto" | "document" => Ok(Self::Auto),
            _ => Err(report_unknown(
                "adapter",
                word,
                "`code`, `json`, `scip`, `memory`, `light`, `patent`, `article`, `bibtex`, `rfc`, `crossref`, `universal`, `auto`",
            )),
        }
    }
}

/// Request to index a path.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// A root, a folder or file inside one, or (for the other adapters) a file inside one.
    pub path: PathBuf,
    /// Effect on the other roots.
    pub mode: Mode,
    /// Looks only at files whose size or time changed, and publishes nothing if nothing did.
    pub incremental: bool,
    /// Kind of the path.
    pub adapter: Adapter,
    /// Part of the ids of documents, in place of the adapter's own.
    pub namespace: Option<String>,
    /// Indexes hidden files, too.
    pub include_hidden: bool,
    /// Hidden paths to index although `include_hidden` is off.
    pub hidden_patterns: Vec<String>,
    /// Gives way to a request of a caller for the same path, which does the same work: made by a program on its own
    /// initiative. It is cancelled then, so that the caller decides whether that work goes on.
    pub gives_way: bool,
}

impl IngestRequest {
    /// A full ingest of code at this path.
    pub fn code(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            mode: Mode::Replace,
            incremental: false,
            adapter: Adapter::Code,
            namespace: None,
            include_hidden: false,
            hidden_patterns: Vec::new(),
            gives_way: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_name_the_allowed_ones() {
        assert_eq!("Merge".parse(), Ok(Mode::Merge));
        assert_eq!("JSON".parse(), Ok(Adapter::Json));
        let error = "append".parse::<Mode>().expect_err("unknown");
        assert_eq!(error.to_string(), "unknown mode `append`; expected one of `replace`, `merge`, `drop`");
        let error = "yaml".parse::<Adapter>().expect_err("unknown");
        let text = error.to_string();
        assert!(text.starts_with("unknown adapter `yaml`; expected one of `code`, `json`, `scip`, `memory`"), "{text}");
    }
}
