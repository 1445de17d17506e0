use std::path::PathBuf;

/// Why there is no history of a project. None of these is a failure of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHistory {
    /// No git folder at the top of the root.
    #[error("the root is not the top of a git repository")]
    NotARepository,
    /// The git folder lies elsewhere and does not name this root as its own.
    #[error("the git folder `{0}` lies outside the root and does not name it as its work tree, so it is not read")]
    Elsewhere(PathBuf),
    /// The branch that is checked out has no commit.
    #[error("the repository has no commits yet")]
    NoCommits,
    /// Object names of another hash than SHA-1, or references in a form that is not read.
    #[error("the repository stores its {0}, which is not read; expected SHA-1 names and reference files")]
    Unsupported(&'static str),
    /// A file or object cannot be read.
    #[error("the git data cannot be read: {0}")]
    Unreadable(String),
    /// Another caller reads it, and this one's time to wait is over.
    #[error("it is still being read; ask again in a moment")]
    BeingRead,
    /// The caller cancelled.
    #[error("reading the history was cancelled")]
    Cancelled,
}
