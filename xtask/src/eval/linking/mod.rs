//! Edges beside those of others.

pub(in crate::eval) mod callgraph;
#[cfg(test)]
mod callgraph_tests;
pub(in crate::eval) mod calls;
pub(in crate::eval) mod callsites;
pub(in crate::eval) mod edges;
pub(in crate::eval) mod files;
pub(in crate::eval) mod inheritance;
pub(in crate::eval) mod ours;
pub(in crate::eval) mod references;
pub(in crate::eval) mod sites;
pub(in crate::eval) mod table;
#[cfg(test)]
mod tests;
pub(in crate::eval) mod truth;
pub(in crate::eval) mod why;
