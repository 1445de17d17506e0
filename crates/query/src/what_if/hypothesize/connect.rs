//! Directed connections between sets of nodes, over the relations of a claim.

use m1nd_base::{Cancel, Cancelled, EdgeTier, Relation};
use m1nd_graph::{Dispatch, EdgeRef, Graph, NodeIx, UnresolvedRef, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::claim::Verb;
use crate::analysis::{Hop, hop};

/// Bounds of one search.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Maximum edges of a path.
    pub max_hops: u32,
    /// Edges to visit before a search stops.
    pub budget: usize,
}

/// Result of a search from some nodes for others.
#[derive(Debug, Clone, Default)]
pub(super) struct Connection {
    /// The shortest path, over certain edges if there is one.
    pub(super) path: Vec<Hop>,
    /// Product of the probabilities of its edges; 0 without a path.
    pub(super) strength: f64,
    /// Nodes that were reached, with their distance.
    pub(super) reached: Vec<(NodeIx, u32)>,
    /// Overriding methods that calls may run, not followed because nothing makes their class.
    pub(super) not_made: usize,
    /// Edges visited.
    pub(super) visited: usize,
    /// There were more nodes beyond the last hop.
    pub(super) at_hop_limit: bool,
    /// The budget ended the search.
    pub(super) exhausted: bool,
}

impl Connection {
    pub(super) fn is_found(&self) -> bool {
        !self.path.is_empty()
    }

    /// Whether no path can have been overlooked within the graph.
    pub(super) fn is_whole(&self) -> bool {
        !self.exhausted && !self.at_hop_limit && self.not_made == 0
    }
}

/// Whether a claim with this verb is about an edge.
fn counts(verb: Verb, edge: &EdgeRef<'_>) -> bool {
    match verb {
        Verb::Any => edge.relation.carries_change() && edge.relation != Relation::Documents,
        Verb::Calls => edge.relation == Relation::Calls,
        Verb::Imports => {
            matches!(edge.relation, Relation::Imports | Relation::Reexports | Relation::DependsOn)
        }
    }
}

/// Whether a claim with this verb is about the edge that a reference without a target would be.
pub(super) fn may_count(verb: Verb, reference: &UnresolvedRef<'_>) -> bool {
    match verb {
        Verb::Any => true,
        Verb::Calls => matches!(reference.role, "call" | "macro"),
        Verb::Imports => reference.role == "import",
    }
}

/// Searches the shortest path from one of `starts` to one of `ends`; over certain edges first. `without` is not
/// entered.
pub(super) fn connect(
    graph: &Graph,
    (starts, ends): (&[NodeIx], &[NodeIx]),
    without: &FxHashSet<NodeIx>,
    (verb, bounds): (Verb, Bounds),
    cancel: &Cancel,
) -> Result<Connection, Cancelled> {
    let certain = search(graph, (starts, ends), without, (verb, bounds, true), cancel)?;
    if certain.is_found() {
        return Ok(certain);
    }
    let mut all = search(graph, (starts, ends), without, (verb, bounds, false), cancel)?;
    all.visited += certain.visited;
    Ok(all)
}

fn search(
    graph: &Graph,
    (starts, ends): (&[NodeIx], &[NodeIx]),
    without: &FxHashSet<NodeIx>,
    (verb, bounds, certain): (Verb, Bounds, bool),
    cancel: &Cancel,
) -> Result<Connection, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let ends: FxHashSet<NodeIx> = ends.iter().copied().collect();
    let mut found = Connection::default();
    let mut via: FxHashMap<NodeIx, EdgeRef<'_>> = FxHashMap::default();
    let own: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let mut level: Vec<NodeIx> = starts.iter().copied().filter(|node| !without.contains(node)).collect();
    found.reached.extend(level.iter().map(|&node| (node, 0)));
    for hops in 1..=bounds.max_hops.saturating_add(1) {
        let mut next: Vec<NodeIx> = Vec::new();
        for &node in &level {
            cancel.check()?;
            let by_dispatch = dispatch.from(node);
            found.not_made += if certain { 0 } else { by_dispatch.left_out + usize::from(by_dispatch.is_cut) };
            let edges = graph.out_edges(node).chain(by_dispatch.edges);
            let edges = edges.filter(|edge| counts(verb, edge) && (!certain || edge.tier != EdgeTier::Possible));
            for edge in edges {
                found.visited += 1;
                let is_new = !own.contains(&edge.to) && !via.contains_key(&edge.to) && !without.contains(&edge.to);
                // An end that is also a start is reached by an edge, not by being there; what the members of an end
                // have to do with each other leads to none.
                let is_end = ends.contains(&edge.to) && (ends.len() == 1 || !ends.contains(&edge.from));
                let is_back = is_end && own.contains(&edge.to);
                if !(is_new || is_back) {
                    continue;
                }
                if hops > bounds.max_hops {
                    found.at_hop_limit = true;
                    return Ok(found);
                }
                if is_end {
                    return Ok(finish(graph, found, &via, edge));
                }
                via.insert(edge.to, edge);
                if !graph.kind(edge.to).is_outside() {
                    next.push(edge.to);
                }
            }
            if found.visited >= bounds.budget {
                found.exhausted = true;
                break;
            }
        }
        found.reached.extend(next.iter().map(|&node| (node, hops)));
        if next.is_empty() || found.exhausted {
            break;
        }
        level = next;
    }
    Ok(found)
}

/// The path that ends with `last`.
fn finish<'g>(
    graph: &'g Graph,
    mut found: Connection,
    via: &FxHashMap<NodeIx, EdgeRef<'g>>,
    last: EdgeRef<'g>,
) -> Connection {
    let mut edges = vec![last];
    while let Some(before) = edges.last().and_then(|edge| via.get(&edge.from)) {
        edges.push(*before);
    }
    edges.reverse();
    found.strength = edges.iter().map(|edge| weights::certainty(edge.tier, edge.of)).product();
    found.path = edges.iter().map(|edge| hop(graph, edge, true)).collect();
    found
}
