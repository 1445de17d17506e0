use std::path::PathBuf;

use m1nd_base::{Cancelled, PathError};

/// The reason why the engine refused or failed a request.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No folder to index was named.
    #[error("no root is configured; name the folder to index on the command line")]
    NoRoot,
    /// The folder is the user's home or the root of a disk, and nobody named it.
    #[error(
        "`{0}` is a home folder or the root of a disk, and nobody named it; name a project: its path to ingest, or \
         m1nd serve --root PROJECT"
    )]
    TooWide(PathBuf),
    /// Nothing is at the path.
    #[error("nothing is at `{0}`; expected a folder or file inside an indexed root")]
    PathNotFound(PathBuf),
    /// The path is outside every allowed root.
    #[error(
        "`{path}` is outside the allowed roots ({allowed}); start m1nd with that folder as a further root to allow it"
    )]
    OutsideRoots {
        /// Path as requested.
        path: PathBuf,
        /// The allowed roots.
        allowed: String,
    },
    /// A JSON graph could not be taken in.
    #[error("`{path}` is not a graph in JSON: {why}; expected an object with arrays `nodes` and `edges`")]
    BadJson {
        /// The file.
        path: PathBuf,
        /// Description of the problem.
        why: String,
    },
    /// A compiler index could not be taken in.
    #[error("`{path}` is not a compiler's index: {why}; expected a file in the SCIP format, whole")]
    BadIndex {
        /// The file.
        path: PathBuf,
        /// Description of the problem.
        why: String,
    },
    /// A combination that makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// The index holds what does not belong to other machines.
    #[error("the index cannot be shared: {0}")]
    NotShareable(String),
    /// An index from another machine cannot be taken in.
    #[error("the shared index cannot be used: {0}; the index here is as it was before")]
    BadShare(String),
    /// The engine was opened for reading only.
    #[error("the engine is read-only; start it without `--read-only` to index")]
    ReadOnly,
    /// Another process writes this project's index.
    #[error("another m1nd process writes the index of this project; it keeps it fresh, this one only reads")]
    WriterElsewhere,
    /// No documents are kept current.
    #[error("auto ingest is not running")]
    NotStarted,
    /// It was started by another agent.
    #[error("{what} belongs to agent `{owner}`, not to `{agent}`")]
    NotOwner {
        /// What it is.
        what: &'static str,
        /// The owner.
        owner: String,
        /// The calling agent.
        agent: String,
    },
    /// The caller cancelled.
    #[error("cancelled by the caller; the index is as it was before")]
    Cancelled,
    /// The project's files cannot be reached.
    #[error(transparent)]
    Files(#[from] m1nd_vfs::VfsError),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(String),
    /// The store cannot be opened for writing, since the disk is full. What is stored can be read.
    #[error("the store failed: {0}")]
    NoSpace(String),
    /// A bug: the writer stopped.
    #[error("the writer has stopped; restart m1nd")]
    WriterStopped,
    /// A bug: a step of the ingest failed.
    #[error("the ingest failed: {0}; the index is as it was before")]
    Internal(String),
}

impl From<Cancelled> for EngineError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// The reason why a file cannot be read through a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is no path inside a root.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No root is indexed.
    #[error("nothing is indexed yet; ingest the repository first")]
    NoRoot,
    /// The file cannot be read.
    #[error(transparent)]
    Files(#[from] m1nd_vfs::VfsError),
}
