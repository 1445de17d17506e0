//! `move`: a definition or a file goes to another file, and its users follow.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;

use super::{CannotRefactor, Refactoring};

/// A definition or file that goes to another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The definition, or the file.
    pub node: NodeIx,
    /// The file that it goes to, by its path in the index. It may be new.
    pub to: String,
    /// Whether private helpers that only it uses go along.
    pub with_helpers: bool,
}

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(_snapshot: &Snapshot, _request: &Move, _cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    Err(CannotRefactor::NotForLanguage { operation: "move", language: "any language yet" })
}
