//! The symbols of a file as a tree.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;

/// A symbol of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutlineRow {
    /// The symbol.
    pub node: NodeIx,
    /// Number of symbols of the file around it; relative to the node asked for.
    pub depth: usize,
}

/// Returns the symbols of a file, or those inside of one symbol, in the order of the text; each comes before its
/// members. `max_depth` is the greatest depth, from 0.
pub fn outline(snapshot: &Snapshot, node: NodeIx, max_depth: usize) -> Vec<OutlineRow> {
    let graph = snapshot.graph();
    let Some(file) = graph.file(node) else { return Vec::new() };
    let depth_of = |inner: NodeIx| graph.ancestors(inner).position(|around| around == node);
    let mut rows: Vec<OutlineRow> = graph
        .of_file(file)
        .into_iter()
        .filter(|&inner| inner != node && graph.kind(inner) != NodeKind::File)
        .filter_map(|inner| Some(OutlineRow { node: inner, depth: depth_of(inner)? }))
        .filter(|row| row.depth <= max_depth)
        .collect();
    rows.sort_by_key(|row| {
        let (start, end) = graph.lines(row.node);
        (start, std::cmp::Reverse(end), row.depth, graph.id(row.node))
    });
    rows
}
