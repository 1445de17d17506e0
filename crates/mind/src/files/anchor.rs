//! The code that a memory names: how it was when the memory was first seen, and its state since.

use m1nd_base::ContentHash;
use m1nd_memory::{Record, mentions};
use serde::{Deserialize, Serialize};

/// A piece of code that a memory names, as it was when the memory was first seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    /// Its name in the memory.
    pub(crate) text: String,
    /// Its id in the graph.
    pub(crate) node: String,
    /// Hash of its text.
    pub(crate) content: ContentHash,
    /// Hash of its whole file at that time. While that is the same, so is the text.
    pub(crate) file: ContentHash,
}

/// State of a piece of code since a memory was written about it. Ordered by how much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeState {
    /// Same text, same place.
    Current,
    /// Same text, another place.
    Relocated,
    /// Unknown: it could not be compared.
    Unknown,
    /// Same place, another text.
    Stale,
    /// It no longer exists.
    Gone,
}

impl CodeState {
    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Relocated => "relocated",
            Self::Unknown => "unknown",
            Self::Stale => "stale",
            Self::Gone => "gone",
        }
    }
}

/// The files and symbols that a memory names.
pub(crate) fn names_of(record: &Record) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in [Some(&record.content), record.reasoning.as_ref()].into_iter().flatten() {
        for name in mentions(text) {
            let name = name.text.into_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
