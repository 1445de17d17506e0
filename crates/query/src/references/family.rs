//! Calls around those of a method: of the methods that override it, and of others with its name.

use std::collections::HashSet;

use m1nd_base::{Cancel, Cancelled, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Dispatch, Graph, NodeIx};
use rustc_hash::FxHashSet;

use super::occurrences::{Occurrence, places, sort_places};

/// Maximum number of overrides whose calls are listed.
const MAX_OVERRIDES: usize = 512;

/// The calls that name a method which overrides another one: they run the override, not the overridden method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OverrideCalls {
    /// Code before tests; by path and place.
    pub rows: Vec<Occurrence>,
    /// The methods that override it, with those that nothing calls by name.
    pub methods: Vec<NodeIx>,
    /// There are more overrides than were considered.
    pub is_cut: bool,
}

/// Other things with the name of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct SameName {
    /// The other node.
    pub node: NodeIx,
    /// Number of places that call it for certain.
    pub calls: usize,
}

/// Returns the calls of the methods that override one of `targets`, the nodes that stand for a method. A place in
/// `known` is left out.
///
/// # Errors
/// [`Cancelled`].
pub fn calls_of_overrides(
    snapshot: &Snapshot,
    targets: &[NodeIx],
    known: &[Occurrence],
    cancel: &Cancel,
) -> Result<OverrideCalls, Cancelled> {
    let graph = snapshot.graph();
    let dispatch = Dispatch::new(graph);
    let mut found = OverrideCalls::default();
    let mut overrides: Vec<NodeIx> = Vec::new();
    for &target in targets {
        cancel.check()?;
        let (methods, is_cut) = dispatch.overrides(target);
        overrides.extend(methods);
        found.is_cut |= is_cut;
    }
    overrides.sort_unstable();
    overrides.dedup();
    overrides.retain(|node| !targets.contains(node));
    found.is_cut |= overrides.len() > MAX_OVERRIDES;
    overrides.truncate(MAX_OVERRIDES);
    let known: FxHashSet<_> = known.iter().map(|row| (row.from, row.pos)).collect();
    for &node in &overrides {
        cancel.check()?;
        let calls = graph.in_edges(node).filter(|edge| edge.relation == Relation::Calls);
        found.rows.extend(calls.flat_map(|edge| places(graph, &edge, edge.to)));
    }
    found.rows.retain(|row| !known.contains(&(row.from, row.pos)));
    found.methods = overrides;
    sort_places(graph, &mut found.rows);
    // A call that may run one of several overrides is one place.
    found.rows.dedup_by(|b, a| a.from == b.from && a.pos == b.pos);
    Ok(found)
}

/// Returns the other functions with the name of a node, in the project or outside of it, that are called for certain:
/// those with the most calls first. What a text search finds beside the calls of the node are mostly theirs.
pub fn same_names(snapshot: &Snapshot, node: NodeIx, family: &HashSet<NodeIx>) -> Vec<SameName> {
    let graph = snapshot.graph();
    let others = graph.find_labelled(graph.label(node)).into_iter().filter(|other| !family.contains(other));
    let mut found: Vec<SameName> =
        others.map(|node| SameName { node, calls: count_calls(graph, node) }).filter(|row| row.calls > 0).collect();
    found.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    found
}

fn count_calls(graph: &Graph, node: NodeIx) -> usize {
    let calls = graph.in_edges(node).filter(|edge| edge.relation == Relation::Calls && edge.of <= 1);
    calls.map(|edge| edge.sites.len().max(1)).sum()
}
