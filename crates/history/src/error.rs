use std::path::PathBuf;

/// The reason why a project has no history. None of these is a failure of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHistory {
    /// The root has no git folder.
    #[error("the root is not the top of a git repository")]
    NotARepository,
    /// The git folder is elsewhere and does not name this root as its own.
    #[error("the git folder `{0}` lies outside the root and does not name it as its work tree, so it is not read")]
    Elsewhere(PathBuf),
    /// The current branch has no commit.
    #[error("the repository has no commits yet")]
    NoCommits,
    /// Object ids of another hash than SHA-1, or references in an unsupported format.
    #[error("the repository stores its {0}, which is not read; expected SHA-1 names and reference files")]
    Unsupported(&'static str),
    /// A file or object cannot be read.
    #[error("the git data cannot be read: {0}")]
    Unreadable(String),
    /// Another caller is reading it, and the time to wait is over.
    #[error("the git history is still being read; repeat the call in a moment")]
    BeingRead,
    /// The caller cancelled.
    #[error("reading the history was cancelled")]
    Cancelled,
}
