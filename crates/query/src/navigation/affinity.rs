//! What is like a node, or changes with it, without being connected with it.

use m1nd_base::{Cancel, Cancelled, count};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashSet;

use super::lens::Lens;
use super::links::{Scale, links};
use crate::retrieval::alike_to;

/// Maximum candidates.
pub const MAX_AFFINE: usize = 10;
/// Edges of the node that are examined for connections.
const EDGES: usize = 4_000;
/// Files that change together with that of the node.
const PARTNERS: usize = 20;
/// Fewer common commits are no pattern.
const LEAST_SUPPORT: u32 = 2;

/// A probable connection that the graph does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    /// The other node.
    pub node: NodeIx,
    /// 0 to 1.
    pub strength: f64,
    /// Why, in words.
    pub reason: String,
}

/// Nodes that are probably connected with one although no edge says so, strongest first: their connections go to the
/// same places, or their files change together.
///
/// # Errors
/// [`Cancelled`].
pub fn affinity(
    snapshot: &Snapshot,
    node: NodeIx,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<Vec<Affine>, Cancelled> {
    let graph = snapshot.graph();
    let connected = links(graph, node, Scale::of(graph, node), &Lens::default(), EDGES).links;
    let connected: FxHashSet<NodeIx> = connected.iter().map(|link| link.to).collect();
    let is_open = |other: NodeIx| other != node && !connected.contains(&other) && graph.file(other).is_some();
    let mut found: Vec<Affine> = Vec::new();
    for pair in alike_to(snapshot, node, cancel)?.pairs {
        let other = if pair.a == node { pair.b } else { pair.a };
        if is_open(other) {
            let shared: Vec<String> = pair.shared.iter().map(|one| format!("`{}`", graph.label(*one))).collect();
            let shared = format!("{} in common: {}", count(pair.shared_total, "neighbour"), shared.join(", "));
            found.push(Affine { node: other, strength: pair.coupling.min(1.0), reason: shared });
        }
    }
    if let Some(history) = history {
        with_partners(graph, node, history, &is_open, &mut found);
    }
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    found.truncate(MAX_AFFINE);
    Ok(found)
}

/// Adds the files that change together with that of the node, unless the file is connected with them.
fn with_partners(
    graph: &Graph,
    node: NodeIx,
    history: &ProjectHistory,
    is_open: &dyn Fn(NodeIx) -> bool,
    found: &mut Vec<Affine>,
) {
    let Some(file) = graph.file(node) else { return };
    let connected = links(graph, file, Scale::Files, &Lens::default(), EDGES).links;
    let connected: FxHashSet<NodeIx> = connected.iter().map(|link| link.to).collect();
    for partner in history.partners(graph.path(node), PARTNERS) {
        let (path, of) = (&partner.path, &partner.partner);
        let Some(other) = graph.find_file(path).filter(|_| of.support >= LEAST_SUPPORT) else { continue };
        if connected.contains(&other) || !is_open(other) || found.iter().any(|known| known.node == other) {
            continue;
        }
        let reason = format!("changed together in {} of its {} commits, without an edge", of.support, of.of);
        found.push(Affine { node: other, strength: of.score, reason });
    }
}
