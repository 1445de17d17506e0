use std::io;

use m1nd_base::ContentHash;
use m1nd_store::StoreError;
use m1nd_vfs::VfsError;

/// Reason why files are not changed. After each of them, every file of the batch has its old content, unless the
/// message says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is not what the caller saw.
    #[error("`{path}` changed: expected content {expected}, found {found}; read it again and repeat the edit")]
    SourceModified {
        /// Path in the index.
        path: String,
        /// Hash the caller named, or `no file`.
        expected: String,
        /// Hash of the current content, or `no file`.
        found: String,
    },
    /// Two edits of a batch name the same file.
    #[error("`{path}` and `{other}` are the same file; put all changes of a file into one edit")]
    Duplicate {
        /// The later path.
        path: String,
        /// The earlier path.
        other: String,
    },
    /// A part of the path cannot be a file of a project.
    #[error("`{path}` is refused: {why}")]
    Refused {
        /// Path in the index.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// Other programs run or trust the file, and no person allowed writing it.
    #[error("`{path}` is not written: {who}; a person can allow it with `m1nd write allow {inner}`")]
    Guarded {
        /// Path in the index.
        path: String,
        /// Who runs or trusts it, as a clause.
        who: &'static str,
        /// Path in the repository.
        inner: String,
    },
    /// The current content is not text.
    #[error("`{path}` is not a text file and is not changed; expected text in UTF-8, UTF-16 with a mark, or Latin-1")]
    Binary {
        /// Path in the index.
        path: String,
    },
    /// The new content has a NUL character.
    #[error("the new content of `{path}` has a NUL character at byte {at}; expected text")]
    NulByte {
        /// Path in the index.
        path: String,
        /// Byte of the new content.
        at: usize,
    },
    /// The encoding of the file lacks a character.
    #[error("`{path}` is encoded as {encoding}, which has no `{character}` (line {line} of the new content)")]
    NotEncodable {
        /// Path in the index.
        path: String,
        /// Name of the encoding.
        encoding: &'static str,
        /// The first character it lacks.
        character: char,
        /// 1-based.
        line: usize,
    },
    /// A file or the batch is over its limit.
    #[error("`{what}` has {size} bytes, more than the limit of {limit} for a write")]
    TooLarge {
        /// Path in the index, or the batch.
        what: String,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// Too many edits in a batch.
    #[error("{count} edits in one batch, more than the limit of {limit}; split the batch")]
    TooMany {
        /// Number of edits.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A change does not fit the current content.
    #[error("`{path}`: {why}")]
    DoesNotApply {
        /// Path in the index.
        path: String,
        /// The reason, with what to do.
        why: String,
    },
    /// A file or folder cannot be reached.
    #[error(transparent)]
    Files(#[from] VfsError),
    /// A step of the commit failed; the files were put back.
    #[error("`{path}` could not be written: {action} failed: {source}; all files have their old content")]
    Failed {
        /// Path in the index.
        path: String,
        /// The step.
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A step failed and the files could not be put back yet.
    #[error(
        "{cause}; restoring the files failed too ({why}); the next write or start tries again, and says what it did"
    )]
    NotRestored {
        /// The first error.
        cause: Box<EditError>,
        /// The second one.
        why: String,
    },
    /// All files have their new content, but the disk did not confirm it.
    #[error("the files have their new content, but the disk did not confirm it ({why}); a power failure may undo it")]
    NotDurable {
        /// The reason.
        why: String,
    },
    /// Another write holds the lock, or the state folder fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The batch is not kept, so it cannot be taken back.
    #[error("the write `{id}` cannot be taken back: it is not kept; expected the id of a listed one")]
    NotKept {
        /// The id as given.
        id: String,
    },
    /// Cancelled before the first file was replaced.
    #[error("cancelled; no file was changed")]
    Cancelled,
}

impl EditError {
    /// Adapter for `map_err` of a step on the file at `path`.
    pub(crate) fn step(path: &str, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Failed { path: path.to_owned(), action, source }
    }

    /// A file that differs from what was expected.
    pub(crate) fn source_modified(path: &str, expected: Option<ContentHash>, found: Option<ContentHash>) -> Self {
        let shown = |hash: Option<ContentHash>| hash.map_or_else(|| "no file".to_owned(), |hash| hash.to_string());
        Self::SourceModified { path: path.to_owned(), expected: shown(expected), found: shown(found) }
    }
}
