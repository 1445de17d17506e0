//! `extract_function`: lines of a function become a function of their own.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;

use super::{CannotRefactor, Refactoring};

/// Lines that become a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractFunction {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The name of the new function.
    pub name: String,
}

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    _snapshot: &Snapshot,
    _request: &ExtractFunction,
    _cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    Err(CannotRefactor::NotForLanguage { operation: "extract_function", language: "any language yet" })
}
