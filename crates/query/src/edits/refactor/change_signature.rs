//! `change_signature`: a function takes other parameters, and every call site follows.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;

use super::{CannotRefactor, Refactoring};

/// Other parameters for a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSignature {
    /// The function.
    pub node: NodeIx,
    /// Parameters that it gets.
    pub add: Vec<NewParameter>,
    /// Names of parameters that it loses.
    pub remove: Vec<String>,
    /// New names of parameters: old, new.
    pub rename: Vec<(String, String)>,
    /// Names of all parameters in their new order, new names where they change, without the receiver; empty to keep the
    /// order.
    pub order: Vec<String>,
    /// Whether call sites that cannot be mapped stay as they are instead of refusing the change.
    pub leave_unmapped: bool,
}

/// A parameter that a function gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewParameter {
    /// The parameter as the language writes it: `timeout: float = 30`, `int limit`, `limit int`.
    pub text: String,
    /// Its place among the parameters without the receiver, from 0; `None` for the last one that is allowed.
    pub at: Option<usize>,
    /// What each call site passes; `None` where the parameter has a default and the call sites stay as they are.
    pub value: Option<String>,
}

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    _snapshot: &Snapshot,
    _request: &ChangeSignature,
    _cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    Err(CannotRefactor::NotForLanguage { operation: "change_signature", language: "any language yet" })
}
