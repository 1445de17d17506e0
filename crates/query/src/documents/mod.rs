//! A document of the project: what it says, the code that it names, and where both no longer agree.

mod bindings;
mod check;
mod closed;
mod dead;
mod drift;
mod kept;
mod labels;
mod links;
mod past;
mod signatures;
mod slips;

pub use m1nd_documents::light::{LightClaim, LightKind, LightQualifier, LightRelation};
pub use m1nd_documents::{ClaimKind, Document, Format, Modality, NotebookLine, SectionKind, list_notebook_lines};

use m1nd_base::RepoPath;
use m1nd_documents::{DocumentLimits, Unreadable, parse, parse_as};
use m1nd_engine::{ReadError, Snapshot, linked_names};

pub use bindings::{BoundCode, MatchKind, UnboundReason, unbound};
pub use check::{CheckError, CheckScope, Checked, check, documents_of, keep_since};
pub use drift::{Drift, drift};
pub use links::broken_links;

/// A document with its bindings.
pub struct Read {
    /// Its path in the index.
    pub path: RepoPath,
    /// What was read.
    pub document: Document,
    /// The names of code that are bound, in the order of the text.
    pub bindings: Vec<BoundCode>,
}

/// Why a document cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] ReadError),
    /// Its content cannot.
    #[error(transparent)]
    Content(#[from] Unreadable),
}

/// Reads a document below an indexed root as it is on disk. Of a file of code, the names that its comments link to.
///
/// # Errors
/// [`DocumentError`] with the reason.
pub fn read(snapshot: &Snapshot, path: &RepoPath) -> Result<Read, DocumentError> {
    let bytes = snapshot.read_bytes(path)?;
    let code = snapshot.files().get(path).map(|file| file.language).filter(|language| !language.is_prose());
    let linked = code.and_then(|language| linked_names(language, &String::from_utf8_lossy(&bytes)));
    let document = match linked {
        Some(document) => document,
        None if code.is_some() => parse_as(Format::Plain, b"", &DocumentLimits::default())?,
        None => parse(path.as_str(), &bytes, &DocumentLimits::default())?,
    };
    let bindings = bindings::bindings(snapshot, &document, path);
    Ok(Read { path: path.clone(), document, bindings })
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftClass {
    /// The text names code of the project that is not there.
    BindingMissing,
    /// Code that the text names has another name now.
    BindingMoved,
    /// Several nodes have the name.
    BindingAmbiguous,
    /// The interface of the code changed since the text was last touched.
    CodeChanged,
    /// The document names code, and nothing of it is bound.
    ClaimUnbacked,
    /// A link leads to a file that is not there.
    LinkBroken,
    /// A link leads to a heading that is not there.
    AnchorBroken,
    /// A command or an option that no longer exists.
    CommandMissing,
    /// An example imports from the project what it does not have.
    ExampleBroken,
}

impl DriftClass {
    /// Every class.
    pub const ALL: &[Self] = &[
        Self::BindingMissing,
        Self::BindingMoved,
        Self::BindingAmbiguous,
        Self::CodeChanged,
        Self::ClaimUnbacked,
        Self::LinkBroken,
        Self::AnchorBroken,
        Self::CommandMissing,
        Self::ExampleBroken,
    ];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BindingMissing => "binding_missing",
            Self::BindingMoved => "binding_moved",
            Self::BindingAmbiguous => "binding_ambiguous",
            Self::CodeChanged => "code_change_unreflected",
            Self::ClaimUnbacked => "doc_claim_unbacked",
            Self::LinkBroken => "link_broken",
            Self::AnchorBroken => "anchor_broken",
            Self::CommandMissing => "command_missing",
            Self::ExampleBroken => "example_broken",
        }
    }
}

/// A commit that shows a finding to be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Its full name.
    pub commit: String,
    /// Its subject. Text of the repository.
    pub subject: String,
    /// Seconds since 1970.
    pub time: i64,
}

/// A place where a document and the project do not agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its kind.
    pub class: DriftClass,
    /// Line in the document, 0 if its format has none.
    pub line: u32,
    /// The name or link, as written.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// Probability that it is, estimated from the kind of evidence.
    pub confidence: f64,
    /// The node that is meant now, if it is known.
    pub target: Option<String>,
    /// The commit that made it so.
    pub evidence: Option<Evidence>,
    /// Hash of the code that the name meant when the line was indexed.
    pub old_hash: Option<String>,
}

impl Finding {
    /// A finding without evidence of a commit.
    fn new(class: DriftClass, line: u32, name: &str, message: String, confidence: f64) -> Self {
        Self { class, line, name: name.to_owned(), message, confidence, target: None, evidence: None, old_hash: None }
    }
}

/// Puts findings in order of lines, each once.
fn in_order(found: &mut Vec<Finding>) {
    found.sort_by(|a, b| (a.line, a.class, &a.name).cmp(&(b.line, b.class, &b.name)));
    found.dedup_by(|a, b| (a.line, a.class, &a.name) == (b.line, b.class, &b.name));
}

/// Returns whether a document is a record of the past: what it names may be gone.
fn is_record(path: &str) -> bool {
    const WORDS: &[&str] = &[
        "changelog", "changes", "history", "news", "releases", "release-notes", "release_notes", "upgrading",
        "upgrade", "migration", "migrating", "whatsnew", "whats-new", "breaking", "deprecations", "migration-guides",
        "historical", "announce", "announcements", "proposals", "archive", "archived",
    ];
    let lower = path.to_lowercase();
    lower.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        WORDS
            .iter()
            .any(|word| stem == *word || stem.starts_with(&format!("{word}-")) || stem.starts_with(&format!("{word}_")))
    })
}

/// Whether a file or folder is on disk, beside the document or below the root.
fn is_there(snapshot: &Snapshot, document: &RepoPath, path: &str) -> bool {
    let path = path.replace("%20", " ");
    [document.parent(), ""].iter().any(|folder| {
        let Some(path) = RepoPath::resolve_in(folder, &path) else { return false };
        snapshot.files().within(path.as_str()).next().is_some() || snapshot.read_bytes(&path).is_ok()
    })
}
