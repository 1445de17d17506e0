//! Uses as a value: what holds the value may call it where no edge shows it.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::{Graph, NodeFlags, NodeIx};

use super::{Hiding, reasons};

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 200;

/// The places that take a function or class as a value. A property is read to run it, and a field holds a value: what
/// reads them calls nothing unseen.
pub(super) fn find_uses(graph: &Graph, node: NodeIx, far: bool) -> Vec<Hiding> {
    let is_called = matches!(graph.kind(node), NodeKind::Function | NodeKind::Class | NodeKind::Macro)
        && !graph.flags(node).has(NodeFlags::PROPERTY);
    if !is_called {
        return Vec::new();
    }
    let reads = graph
        .in_edges(node)
        .filter(|edge| edge.reads && edge.relation == Relation::References && edge.tier != EdgeTier::External);
    let rows = reads.flat_map(|edge| {
        edge.sites.iter().map(move |pos| Hiding::of_read(graph, &edge, pos.line, reasons::PASSED_AS_VALUE, far))
    });
    rows.take(MAX_PLACES).collect()
}
