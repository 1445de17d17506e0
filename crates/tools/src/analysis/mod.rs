//! Reasoning over the graph.

mod callers;
mod closure;
mod differential;
mod diverge;
mod impact;
mod predict;
mod references;
mod why;

pub(crate) use callers::Callers;
pub(crate) use differential::Differential;
pub(crate) use diverge::Diverge;
pub(crate) use impact::Impact;
pub(crate) use predict::Predict;
pub(crate) use references::References;
pub(crate) use why::Why;
