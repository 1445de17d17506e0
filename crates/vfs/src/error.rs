use std::io;

/// Why a file or folder cannot be used. Each message says what was received, what was expected and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    /// Nothing has this name.
    #[error("`{path}` does not exist; check the spelling or list the folder that should hold it")]
    NotFound {
        /// As it was asked for.
        path: String,
    },
    /// A root must be a folder.
    #[error("`{path}` is not a folder; expected the folder of a project, such as the one that holds this file")]
    NotAFolder {
        /// As it was asked for.
        path: String,
    },
    /// A folder, pipe, socket or device where a file was expected.
    #[error("`{path}` is {what}, not a regular file; expected the path of a file")]
    NotRegular {
        /// As it was asked for.
        path: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// A link leads out of the root.
    #[error("`{path}` leads outside the indexed root; expected a path that stays inside it")]
    OutsideRoot {
        /// As it was asked for.
        path: String,
    },
    /// The file is larger than the caller wants to read.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}; raise the limit or read a part of it")]
    TooLarge {
        /// As it was asked for.
        path: String,
        /// Bytes of the file.
        size: u64,
        /// Most bytes that the caller accepts.
        limit: u64,
    },
    /// The system does not let us read it.
    #[error("`{path}` cannot be read: {source}; check its permissions")]
    Unreadable {
        /// As it was asked for.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// Changes cannot be watched.
    #[error("changes below `{path}` cannot be watched: {reason}; the index is only updated on request")]
    NotWatchable {
        /// The root.
        path: String,
        /// What the system said.
        reason: String,
    },
}

impl VfsError {
    /// Sorts an error of the system for `path`.
    pub(crate) fn from_io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            // A component of the path is a file: nothing can lie below it.
            io::ErrorKind::NotADirectory => Self::NotFound { path },
            // cap-std makes this error itself when a path leads out, so it carries no number of the system.
            io::ErrorKind::PermissionDenied if source.raw_os_error().is_none() => Self::OutsideRoot { path },
            _ => Self::Unreadable { path, source },
        }
    }
}
