//! Reasoning over the graph.

mod callers;
mod closure;
mod counterfactual;
mod fingerprint;
mod hypothesize;
mod impact;
mod references;
mod why;

pub(crate) use callers::Callers;
pub(crate) use counterfactual::Counterfactual;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use hypothesize::Hypothesize;
pub(crate) use impact::Impact;
pub(crate) use references::References;
pub(crate) use why::Why;
