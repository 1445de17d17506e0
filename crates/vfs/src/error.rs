use std::io;

/// An error that makes a file or folder unusable. Each message states what was received, what was expected and what
/// to do next.
#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    /// No file or folder has this path.
    #[error("`{path}` does not exist; check the spelling or list the folder that should hold it")]
    NotFound {
        /// Path as requested.
        path: String,
    },
    /// The path is not a folder, but a root must be one.
    #[error("`{path}` is not a folder; expected the folder of a project, such as the one that holds this file")]
    NotAFolder {
        /// Path as requested.
        path: String,
    },
    /// A folder, pipe, socket or device where a file was expected.
    #[error("`{path}` is {what}, not a regular file; expected the path of a file")]
    NotRegular {
        /// Path as requested.
        path: String,
        /// Kind of the entry, with its article.
        what: &'static str,
    },
    /// A link leads out of the root.
    #[error("`{path}` leads outside the indexed root; expected a path that stays inside it")]
    OutsideRoot {
        /// Path as requested.
        path: String,
    },
    /// The path is a folder of version control or leads into one.
    #[error("`{path}` belongs to version control and is never read; expected a path outside of such folders")]
    VersionControl {
        /// Path as requested.
        path: String,
    },
    /// The file exceeds the caller's limit.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}; raise the limit or read a part of it")]
    TooLarge {
        /// Path as requested.
        path: String,
        /// Size of the file, in bytes.
        size: u64,
        /// The caller's limit, in bytes.
        limit: u64,
    },
    /// The system denies reading it.
    #[error("`{path}` cannot be read: {source}; check its permissions")]
    Unreadable {
        /// Path as requested.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// Changes cannot be watched.
    #[error("changes below `{path}` cannot be watched: {reason}; the index is only updated on request")]
    NotWatchable {
        /// Path of the root.
        path: String,
        /// The system's error.
        reason: String,
    },
}

impl VfsError {
    /// Classifies a system error for `path`.
    pub(crate) fn from_io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            // A component of the path is a file, so nothing can be below it.
            io::ErrorKind::NotADirectory => Self::NotFound { path },
            // cap-std creates this error itself when a path leads out of the root, so it has no OS error code.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::OutsideRoot { path },
            _ => Self::Unreadable { path, source },
        }
    }
}
