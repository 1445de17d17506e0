//! The code that a memory names: how it was when the memory was first seen, and its state since.

use m1nd_base::ContentHash;
use m1nd_memory::{Record, mentions};
use serde::{Deserialize, Serialize};

/// A piece of code that a memory names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    /// As the memory names it.
    pub(crate) text: String,
    /// Its id in the graph.
    pub(crate) node: String,
    /// Hash of its text.
    pub(crate) content: ContentHash,
    /// Hash of its whole file then: while that is the same, so is this.
    pub(crate) file: ContentHash,
}

/// What became of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeState {
    /// Its text is what it was.
    Current,
    /// Its text is what it was, in another place.
    Relocated,
    /// It cannot be told.
    Unknown,
    /// It is there with another text.
    Stale,
    /// It is no longer there.
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
