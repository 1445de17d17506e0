//! Reasoning over the graph.

mod callers;
mod closure;
mod impact;
mod references;
mod why;

pub(crate) use callers::Callers;
pub(crate) use impact::Impact;
pub(crate) use references::References;
pub(crate) use why::Why;
