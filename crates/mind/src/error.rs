use std::path::PathBuf;

use m1nd_store::StoreError;
use m1nd_vfs::VfsError;

/// The reason why a request about memories failed. Each message states what to do next.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// No project with memories is at the folder or above it.
    #[error("no project with a memory is at `{}` or above it; run `mind init` in the project", cwd.display())]
    NoProject {
        /// Folder where the search started.
        cwd: PathBuf,
    },
    /// Something other than a file is at the path of a project's memory.
    #[error("`{}` is {what}, where a memory is a file; move it away, then run `mind init` in the project", path.display())]
    NoFile {
        /// Path of the memory.
        path: PathBuf,
        /// Kind of the entry, with its article.
        what: &'static str,
    },
    /// A similar gotcha is stored already. Its count of encounters was increased.
    #[error("a gotcha like this one exists: `{id}` ({title}); it was counted as met once more")]
    EdgeExists {
        /// Id of the stored gotcha.
        id: String,
        /// Title of the stored gotcha.
        title: String,
        /// Similarity of both, 0 to 1.
        similarity: f32,
    },
    /// The first look at comments and commits still runs, and nothing read so far answers the question.
    #[error("nothing found so far: comments and commits are being read for the first time ({done} of {total} files)")]
    IndexNotReady {
        /// Number of files read so far.
        done: usize,
        /// Number of files to read.
        total: usize,
    },
    /// No memory can be read, and nothing is cached.
    #[error("the memory cannot be searched: {why}")]
    SearchFailed {
        /// The reason.
        why: String,
    },
    /// The input is invalid; the message says what was expected.
    #[error("{0}")]
    Invalid(String),
    /// The request needs the daemon, which is not running.
    #[error("the daemon is not running; start it with `mind daemon start`")]
    DaemonNotRunning,
    /// The daemon is already running, refused, or did not answer.
    #[error("{0}")]
    Daemon(String),
    /// A file of ours that cannot be derived again is damaged. It is left as it is.
    #[error("`{}` cannot be read: {why}; it was left as it is: correct it, or move it away to start without it", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// The text around a block cannot be changed safely.
    #[error("`{}` was left as it is: {why}", path.display())]
    Block {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file of the project cannot be read.
    #[error(transparent)]
    Files(#[from] VfsError),
    /// A file of ours cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MemoryError {
    /// Whether the cause is a permission: of the file, or of the user.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        match self {
            Self::Store(StoreError::Protected { .. } | StoreError::Outside { .. } | StoreError::NotPrivate { .. }) => {
                true
            }
            Self::Store(StoreError::Io { source, .. }) | Self::Files(VfsError::Unreadable { source, .. }) => {
                source.kind() == std::io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}
