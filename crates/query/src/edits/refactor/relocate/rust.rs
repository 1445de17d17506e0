//! Moves in Rust: modules, `use` trees, visibility.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;

use super::Move;
use crate::edits::refactor::{CannotRefactor, Refactoring};

/// Plans a move.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(_snapshot: &Snapshot, _request: &Move, _cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    Err(CannotRefactor::NotForLanguage { operation: "move", language: "rust" })
}
