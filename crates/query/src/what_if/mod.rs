//! Questions about a project as it is not: what nodes take with them when they are removed, and whether a claim about
//! the structure holds.

mod counterfactual;
pub mod hypothesize;

pub use counterfactual::{Broken, Counterfactual, Individual, MAX_WITNESSES, Orphan, counterfactual};
