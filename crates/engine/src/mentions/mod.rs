//! The code that documents and comments named when it was indexed. It is kept while the line that names it stays as it
//! is, so that code which is renamed, removed or changed later is still known by its old name, also before a commit and
//! without git.

mod links;
mod shape;

use std::collections::BTreeMap;

use m1nd_base::{ContentHash, node_id};
use serde::{Deserialize, Serialize};

pub use links::linked_names;
pub use shape::Shape;

/// A name in a document and the code that it meant when the line was last written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMention {
    /// Its line.
    pub line: u32,
    /// Hash of the text of the line.
    pub(crate) text: u64,
    /// The id of the node.
    pub target: String,
    /// The node as it was.
    pub shape: Shape,
}

impl KeptMention {
    /// The last name of the node.
    pub fn label(&self) -> &str {
        node_id::last_name(&self.target)
    }
}

/// The mentions of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    /// Hash of the file.
    pub(crate) hash: ContentHash,
    pub(crate) rows: Vec<KeptMention>,
}

/// The mentions of all files, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptMentions(pub(crate) BTreeMap<String, KeptFile>);

impl KeptMentions {
    /// The mentions of a file, in the order of its lines.
    pub(crate) fn of(&self, path: &str) -> &[KeptMention] {
        self.0.get(path).map_or(&[], |file| &file.rows)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.values().map(|file| file.rows.len()).sum()
    }
}
