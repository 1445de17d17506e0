//! Reasoning over the graph.

mod callers;
mod closure;
mod counterfactual;
mod differential;
mod diverge;
mod fingerprint;
mod hypothesize;
mod impact;
mod impact_text;
mod predict;
mod references;
mod symbol;
mod tests_for;
mod why;
mod with_history;

pub(crate) use callers::Callers;
pub(crate) use counterfactual::Counterfactual;
pub(crate) use differential::Differential;
pub(crate) use diverge::Diverge;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use hypothesize::Hypothesize;
pub(crate) use impact::Impact;
pub(crate) use predict::Predict;
pub(crate) use references::References;
pub(crate) use tests_for::TestsFor;
pub(crate) use why::Why;
