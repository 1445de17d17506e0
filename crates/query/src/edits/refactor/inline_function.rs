//! `inline_function`: every call of a function is replaced by its body.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;

use super::{CannotRefactor, Refactoring};

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(_snapshot: &Snapshot, _request: NodeIx, _cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    Err(CannotRefactor::NotForLanguage { operation: "inline_function", language: "any language yet" })
}
