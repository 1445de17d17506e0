//! Coverage of the index by imported compiler indexes.

use m1nd_base::{ContentHash, RepoPath};
use serde::{Deserialize, Serialize};

/// Files covered by compiler indexes, as stored in a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cover {
    /// Programs that made the indexes.
    pub(crate) tools: Vec<String>,
    /// Hash of the stored indexes; `None` if there is none.
    pub(crate) id: Option<ContentHash>,
    /// Files with the hash of the content that is covered, by path.
    pub(crate) files: Vec<(RepoPath, ContentHash)>,
}
