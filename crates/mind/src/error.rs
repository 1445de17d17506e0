use std::path::PathBuf;

use m1nd_store::StoreError;
use m1nd_vfs::VfsError;

/// Why something about memories was not done.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// No project with memories is at the folder or above it.
    #[error("no project with a memory is at `{}` or above it; run `mind init` in the project", cwd.display())]
    NoProject {
        /// Where was looked.
        cwd: PathBuf,
    },
    /// Something else stands where a project's memory should.
    #[error("`{}` is {what}, where a memory is a file; move it away, then run `mind init` in the project", path.display())]
    NoFile {
        /// Where it stands.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A gotcha like this one is stored already; it was counted as met once more.
    #[error("a gotcha like this one exists: `{id}` ({title}); it was counted as met once more")]
    EdgeExists {
        /// Its id.
        id: String,
        /// Its title.
        title: String,
        /// How near both are, 0 to 1.
        similarity: f32,
    },
    /// Comments and commits are being read for the first time, and nothing that was read answers so far.
    #[error("nothing found so far: comments and commits are being read for the first time ({done} of {total} files)")]
    IndexNotReady {
        /// Files that were looked at.
        done: usize,
        /// Files there are.
        total: usize,
    },
    /// Neither the memory nor what was read of it before can be searched.
    #[error("the memory cannot be searched: {why}")]
    SearchFailed {
        /// What stands against it.
        why: String,
    },
    /// What was given cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// The daemon is needed and does not run.
    #[error("the daemon is not running; start it with `mind daemon start`")]
    DaemonNotRunning,
    /// The daemon runs already, or did not answer.
    #[error("{0}")]
    Daemon(String),
    /// A file of ours that cannot be made again does not hold what it should. It is left as it is.
    #[error("`{}` cannot be read: {why}; it was left as it is: correct it, or move it away to start without it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
    /// The text around a block cannot be changed safely.
    #[error("`{}` was left as it is: {why}", path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// What stands against it.
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
    /// Whether the system or the user forbids it.
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
