use std::path::PathBuf;

use m1nd_store::StoreError;
use m1nd_vfs::VfsError;

/// The reason why a memory operation failed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// No project with memories is at the folder or above it.
    #[error("no project with a memory is at `{}` or above it; run `mind init` in the project", cwd.display())]
    NoProject {
        /// Starting point of the search.
        cwd: PathBuf,
    },
    /// Something that is not a file is in the place of a project's memory.
    #[error("`{}` is {what}, where a memory is a file; move it away, then run `mind init` in the project", path.display())]
    NoFile {
        /// Its path.
        path: PathBuf,
        /// Its kind.
        what: &'static str,
    },
    /// A gotcha like this one is stored already; it was counted as met once more.
    #[error("a gotcha like this one exists: `{id}` ({title}); it was counted as met once more")]
    EdgeExists {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
        /// Similarity, 0 to 1.
        similarity: f32,
    },
    /// Comments and commits are being read for the first time, and nothing that was read answers so far.
    #[error("nothing found so far: comments and commits are being read for the first time ({done} of {total} files)")]
    IndexNotReady {
        /// Number of files processed.
        done: usize,
        /// Files there are.
        total: usize,
    },
    /// Neither the memory nor a previously read version can be searched.
    #[error("the memory cannot be searched: {why}")]
    SearchFailed {
        /// Reason.
        why: String,
    },
    /// The input is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The daemon is needed and does not run.
    #[error("the daemon is not running; start it with `mind daemon start`")]
    DaemonNotRunning,
    /// The daemon runs already, or did not answer.
    #[error("{0}")]
    Daemon(String),
    /// A folder or socket of the daemon may be in the hands of another user.
    #[error("`{}` is not used: {why}", path.display())]
    NotPrivate {
        /// The folder or socket.
        path: PathBuf,
        /// Reason, and what to do.
        why: String,
    },
    /// A file of ours that cannot be rebuilt is malformed. It is left unchanged.
    #[error("`{}` cannot be read: {why}; it was left as it is: correct it, or move it away to start without it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// The text around a block cannot be changed safely.
    #[error("`{}` was left as it is: {why}", path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// A file of the project cannot be read.
    #[error(transparent)]
    Files(#[from] VfsError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MemoryError {
    /// Returns whether the system or the user forbids it.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        match self {
            Self::Store(StoreError::Protected { .. } | StoreError::Outside { .. }) | Self::NotPrivate { .. } => true,
            Self::Store(StoreError::Io { source, .. }) | Self::Files(VfsError::Unreadable { source, .. }) => {
                source.kind() == std::io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}
