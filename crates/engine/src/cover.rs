//! What of the index comes from compilers' indexes.

use m1nd_base::{ContentHash, RepoPath};
use serde::{Deserialize, Serialize};

/// Which files indexes cover, as a snapshot keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cover {
    /// Programs that made the indexes.
    pub(crate) tools: Vec<String>,
    /// Hash of the stored indexes; `None` if there is none.
    pub(crate) id: Option<ContentHash>,
    /// Files with the hash of the content that is covered, by path.
    pub(crate) files: Vec<(RepoPath, ContentHash)>,
}
