//! The other nodes that an answer about a symbol is of.

use m1nd_base::Relation;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{Graph, NodeFlags, NodeIx};
use serde::Serialize;

/// Maximum number of nodes listed.
const MAX_LISTED: usize = 20;

/// A node whose uses are among the rows of another one.
#[derive(Debug, Serialize)]
pub(super) struct IncludedRow {
    node_id: String,
    /// `constructor`, `definition`, `declaration` or `overload` of the node asked for.
    part: &'static str,
}

/// The nodes whose uses are listed with those of `node`.
pub(super) fn list_included(snapshot: &Snapshot, others: &[NodeIx], overloads: &[NodeIx]) -> Vec<IncludedRow> {
    let graph = snapshot.graph();
    let part = |node| if overloads.contains(&node) { "overload" } else { part(graph, node) };
    let row = |&node: &NodeIx| IncludedRow { node_id: graph.id(node).to_owned(), part: part(node) };
    others.iter().take(MAX_LISTED).map(row).collect()
}

fn part(graph: &Graph, node: NodeIx) -> &'static str {
    let flags = graph.flags(node);
    if flags.has(NodeFlags::CONSTRUCTOR) {
        "constructor"
    } else if flags.has(NodeFlags::DECLARATION) || flags.has(NodeFlags::ABSTRACT) {
        "declaration"
    } else {
        "definition"
    }
}

/// Ids of the methods that implement an abstract one, or one that is overridden.
pub(super) fn implementations(snapshot: &Snapshot, node: NodeIx) -> Vec<String> {
    let graph = snapshot.graph();
    if !graph.same_symbol(node).iter().any(|&place| graph.flags(place).has(NodeFlags::ABSTRACT)) {
        return Vec::new();
    }
    let edges = graph.in_edges(node).filter(|edge| edge.relation == Relation::Overrides);
    let mut found: Vec<NodeIx> = edges.map(|edge| graph.definition_of(edge.from)).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(MAX_LISTED).map(|node| graph.id(node).to_owned()).collect()
}

/// What follows the name of a node in a sentence about its callers: `, by 2 constructors`.
pub(super) fn by_constructors(snapshot: &Snapshot, others: &[NodeIx]) -> String {
    let graph = snapshot.graph();
    let is_own =
        |node: &&NodeIx| graph.flags(**node).has(NodeFlags::CONSTRUCTOR) && graph.definitions(**node).is_empty();
    match others.iter().filter(is_own).count() {
        0 => String::new(),
        1 => " by its constructor".to_owned(),
        count => format!(" by its {count} constructors"),
    }
}
