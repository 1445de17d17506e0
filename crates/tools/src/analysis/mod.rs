//! Reasoning over the graph.

mod impact;
mod why;

pub(crate) use impact::Impact;
pub(crate) use why::Why;
