//! From files and imports to the parts of the graph.

pub(crate) mod extract;
pub(crate) mod json_graph;
pub(crate) mod part;
pub(crate) mod terms;
