//! Registrations: a framework, registry or decorator keeps a function or class and may call it.

use m1nd_base::Relation;
use m1nd_graph::{Graph, NodeIx};

use super::{Hiding, reasons};

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 50;

/// The places that register a node.
pub(super) fn find_registrations(graph: &Graph, node: NodeIx, far: bool) -> Vec<Hiding> {
    let edges = graph.in_edges(node).filter(|edge| edge.relation == Relation::Registers);
    let rows = edges.flat_map(|edge| {
        let sites: Vec<u32> = edge.sites.iter().map(|pos| pos.line).collect();
        let lines = if sites.is_empty() { vec![graph.name_line(edge.from)] } else { sites };
        lines.into_iter().map(move |line| Hiding {
            place: None,
            node: edge.from,
            name: graph.label(node).to_owned(),
            role: "register".to_owned(),
            reason: reasons::REGISTERED.to_owned(),
            file: graph.path(edge.from).to_owned(),
            line,
            far,
        })
    });
    rows.take(MAX_PLACES).collect()
}
