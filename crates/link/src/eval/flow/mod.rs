//! Where values come from: calls, arguments, assignments.

pub(in crate::eval) mod call;
mod callee;
pub(in crate::eval) mod copied;
pub(in crate::eval) mod factory;
pub(in crate::eval) mod fixtures;
pub(in crate::eval) mod given;
pub(in crate::eval) mod held;
pub(in crate::eval) mod indirect;
mod narrow;
pub(in crate::eval) mod parameter;
pub(in crate::eval) mod passed;
