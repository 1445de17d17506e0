//! Refactorings: a change that the caller names, as the files that it writes, or the reason why it is not made.
//!
//! Each operation plans new texts from certain references only, then [`trial`] links the project with them in memory:
//! whatever was used before is used after, or the operation is refused with the place.

mod change_signature;
mod extract_function;
mod inline_function;
mod known_calls;
mod relocate;
mod trial;

use std::borrow::Cow;

use m1nd_base::{Cancel, Cancelled, ContentHash, RepoPath, keep_line_ends, plain_ends};
use m1nd_engine::{ReadError, Snapshot, SourceText};
use m1nd_graph::NodeIx;

use super::rename::Broken;
use super::source::{CannotRead, Source};
use crate::closure::{self, Rows, reasons};
pub use change_signature::{ChangeSignature, NewParameter};
pub use extract_function::ExtractFunction;
pub use relocate::{Move, knows_language};

/// Most places that a message lists.
const MAX_LISTED: usize = 5;

/// A change that a caller names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A definition or a file goes to another file.
    Move(Move),
    /// A function takes other parameters.
    ChangeSignature(ChangeSignature),
    /// Lines of a function become a function of their own.
    ExtractFunction(ExtractFunction),
    /// Every call of a function is replaced by its body.
    InlineFunction {
        /// The function.
        node: NodeIx,
    },
}

/// A file that a refactoring writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the index.
    pub path: RepoPath,
    /// Hash of the text that the change was planned from; `None` if the file is new.
    pub before: Option<ContentHash>,
    /// Its new text; `None` if the file is removed.
    pub text: Option<String>,
}

/// Something that the caller should know of a refactoring: what was raised in visibility, what moved along, what is
/// left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The file.
    pub file: String,
    /// The line before the change.
    pub line: u32,
    /// In words.
    pub what: String,
}

/// The files of a refactoring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refactoring {
    /// Files that change, by path.
    pub files: Vec<NewFile>,
    /// Number of places that use what changes and were rewritten.
    pub places: usize,
    /// What the caller should know, by place.
    pub notes: Vec<Note>,
}

/// A place that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// Its file.
    pub file: String,
    /// Its line; 0 for the file as a whole.
    pub line: u32,
    /// Why it stands in the way.
    pub why: String,
}

/// The reason why a refactoring is not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRefactor {
    /// The arguments do not name something that the operation can change.
    #[error("{0}")]
    BadRequest(String),
    /// The language of the file has no rules for the operation.
    #[error(
        "{operation} has no rules for {language}; write the texts with `apply_batch`, whose `delta` says what breaks"
    )]
    NotForLanguage {
        /// The operation.
        operation: &'static str,
        /// The language.
        language: &'static str,
    },
    /// Places that the operation cannot change safely.
    #[error("{what}: {}", list_obstacles(.places))]
    Obstacles {
        /// What they are.
        what: String,
        /// Where they are.
        places: Vec<Obstacle>,
    },
    /// The changed project would not be what it was.
    #[error("the changed project was linked in memory, and {} place(s) would break: {}", .broken.len(), super::rename::list_broken(.broken))]
    Breaks {
        /// What would break.
        broken: Vec<Broken>,
    },
    /// The changed project cannot be linked.
    #[error("the changed project cannot be checked: {why}")]
    NotLinked {
        /// The reason.
        why: String,
    },
    /// A file changed since it was indexed, or cannot be read as text.
    #[error("`{path}` {why}; run `ingest` and repeat the call")]
    File {
        /// Its path.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for CannotRefactor {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl CannotRefactor {
    /// One place that stands in the way.
    pub(crate) fn at(what: impl Into<String>, file: &str, line: u32, why: impl Into<String>) -> Self {
        let place = Obstacle { file: file.to_owned(), line, why: why.into() };
        Self::Obstacles { what: what.into(), places: vec![place] }
    }
}

/// A place where code makes a name, when it runs or by a macro, that a definition may be meant by.
fn find_made_name(snapshot: &Snapshot, node: NodeIx) -> Option<(String, u32)> {
    let mut rows = closure::hiding(snapshot, node, Rows::Names).into_iter();
    rows.find(|row| row.reason == reasons::DYNAMIC_NAME && !row.far).map(|row| (row.file, row.line))
}

fn list_obstacles(places: &[Obstacle]) -> String {
    let row = |place: &Obstacle| match place.line {
        0 => format!("{} {}", place.file, place.why),
        line => format!("{}:{line} {}", place.file, place.why),
    };
    let mut listed = places.iter().take(MAX_LISTED).map(row).collect::<Vec<_>>().join("; ");
    if places.len() > MAX_LISTED {
        listed.push_str(&format!("; and {} more", places.len() - MAX_LISTED));
    }
    listed
}

impl From<CannotRead> for CannotRefactor {
    fn from(CannotRead { path, why }: CannotRead) -> Self {
        Self::File { path, why }
    }
}

/// Plans a refactoring and checks the project with it.
///
/// # Errors
/// [`CannotRefactor`].
pub fn refactor(snapshot: &Snapshot, operation: &Operation, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let mut planned = match operation {
        Operation::Move(request) => relocate::plan(snapshot, request, cancel),
        Operation::ChangeSignature(request) => change_signature::plan(snapshot, request, cancel),
        Operation::ExtractFunction(request) => extract_function::plan(snapshot, request, cancel),
        Operation::InlineFunction { node } => inline_function::plan(snapshot, *node, cancel),
    }?;
    for file in &mut planned.files {
        let origin = match operation {
            // A new file is like the one that its code comes from.
            Operation::Move(request) if file.before.is_none() => snapshot.graph().path(request.node),
            _ => file.path.as_str(),
        };
        let (Some(text), Ok(origin)) = (&mut file.text, RepoPath::new(origin)) else { continue };
        if let Ok(old) = snapshot.read_file(&origin)
            && let Cow::Owned(kept) = keep_line_ends(&old.text, text)
        {
            *text = kept;
        }
    }
    Ok(planned)
}

/// Reads a file that is to be changed, as [`read_plain`] does.
fn read_source(snapshot: &Snapshot, path: &str) -> Result<Source, CannotRead> {
    let source = super::source::read_source(snapshot, path)?;
    Ok(Source { text: plain_ends(&source.text).into_owned(), ..source })
}

/// Reads a file. Operations know only lines that end with `\n`: [`refactor`] gives the new texts the line ends of the
/// files.
fn read_plain(snapshot: &Snapshot, path: &RepoPath) -> Result<SourceText, ReadError> {
    let source = snapshot.read_file(path)?;
    Ok(SourceText { text: plain_ends(&source.text).into_owned(), ..source })
}
