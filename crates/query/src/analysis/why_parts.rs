//! Connections of folders, with each other and with nodes: the references that lead from one to the other.

use m1nd_base::{Cancel, Cancelled, EdgeTier, Relation};
use m1nd_graph::paths::{FoundPath, Step, Way};
use m1nd_graph::{EdgeRef, Graph, NodeIx, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::why::{WhyAnswer, WhyClosure, closure_of_paths, dangling_references, describe};
use crate::closure::ClosureState;
use m1nd_engine::Snapshot;

/// Maximum nodes that are visited on the way.
const MAX_VISITED: usize = 100_000;

/// A question for connections of parts: a node with its members, or a folder.
#[derive(Debug, Clone)]
pub struct WhyPartsQuery {
    /// The nodes of the first part.
    pub sources: Vec<NodeIx>,
    /// The nodes of the last part.
    pub targets: Vec<NodeIx>,
    /// Most edges of a path.
    pub max_hops: u32,
    /// Most paths.
    pub max_paths: usize,
}

/// Returns the references that lead from one part to the other, one for each pair of files; if there are none, a
/// shortest path through other code; if there is none, the same in the other direction.
///
/// # Errors
/// [`Cancelled`].
pub fn why_parts(snapshot: &Snapshot, query: &WhyPartsQuery, cancel: &Cancel) -> Result<WhyAnswer, Cancelled> {
    let graph = snapshot.graph();
    let sources: FxHashSet<NodeIx> = query.sources.iter().copied().collect();
    // A part in another one is what leads out of it.
    let targets: FxHashSet<NodeIx> = query.targets.iter().copied().filter(|node| !sources.contains(node)).collect();
    let mut is_cut = false;
    for (way, from, to) in [(Way::Forward, &sources, &targets), (Way::Backward, &targets, &sources)] {
        let mut found = direct(graph, from, to, query.max_paths);
        if found.is_empty() {
            let (path, was_cut) = shortest(graph, from, to, query.max_hops, cancel)?;
            is_cut |= was_cut;
            found.extend(path);
        }
        if found.is_empty() {
            continue;
        }
        let paths: Vec<_> = found.iter().map(|path| describe(graph, path, way)).collect();
        let closure = match way {
            Way::Forward => closure_of_paths(graph, &paths, false),
            _ => without_path(snapshot, &sources, Some(()), is_cut),
        };
        return Ok(WhyAnswer { found: true, paths, closure });
    }
    Ok(WhyAnswer { found: false, paths: Vec::new(), closure: without_path(snapshot, &sources, None, is_cut) })
}

fn leads(edge: &EdgeRef<'_>) -> bool {
    edge.tier != EdgeTier::External && !matches!(edge.relation, Relation::Contains | Relation::Documents)
}

/// Edges from one set of nodes to the other, certain ones first, one for each pair of files.
fn direct<'g>(graph: &'g Graph, from: &FxHashSet<NodeIx>, to: &FxHashSet<NodeIx>, most: usize) -> Vec<FoundPath<'g>> {
    let edges = from.iter().flat_map(|&node| graph.out_edges(node));
    let mut edges: Vec<EdgeRef<'g>> = edges.filter(|edge| leads(edge) && to.contains(&edge.to)).collect();
    let key = |edge: &EdgeRef<'_>| (edge.tier != EdgeTier::Certain, weights::path_cost(edge, true));
    edges.sort_by(|a, b| {
        let ids = || (graph.id(a.from), graph.id(a.to)).cmp(&(graph.id(b.from), graph.id(b.to)));
        key(a).cmp(&key(b)).then_with(ids)
    });
    let mut pairs: FxHashSet<(Option<NodeIx>, Option<NodeIx>)> = FxHashSet::default();
    edges.retain(|edge| pairs.insert((graph.file(edge.from), graph.file(edge.to))));
    edges.into_iter().take(most.max(1)).map(|edge| one_way(vec![edge])).collect()
}

fn one_way(edges: Vec<EdgeRef<'_>>) -> FoundPath<'_> {
    let cost = edges.iter().map(|edge| weights::path_cost(edge, true)).sum();
    FoundPath { cost, steps: edges.into_iter().map(|edge| Step { edge, forward: true }).collect() }
}

/// A path of the fewest edges from one set of nodes to the other, and whether a limit ended the search.
fn shortest<'g>(
    graph: &'g Graph,
    from: &FxHashSet<NodeIx>,
    to: &FxHashSet<NodeIx>,
    max_hops: u32,
    cancel: &Cancel,
) -> Result<(Option<FoundPath<'g>>, bool), Cancelled> {
    let mut came_by: FxHashMap<NodeIx, EdgeRef<'g>> = FxHashMap::default();
    let mut level: Vec<NodeIx> = from.iter().copied().collect();
    level.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    // Breadth first from all starts at once, so the first hit has the fewest edges.
    for _ in 0..max_hops {
        cancel.check()?;
        let mut next = Vec::new();
        for &node in &level {
            for edge in graph.out_edges(node).filter(leads) {
                if from.contains(&edge.to) || came_by.contains_key(&edge.to) {
                    continue;
                }
                came_by.insert(edge.to, edge);
                if to.contains(&edge.to) {
                    // `came_by` holds one edge into each node: following it back gives the path.
                    let back = std::iter::successors(Some(edge), |edge| came_by.get(&edge.from).copied());
                    let mut edges: Vec<EdgeRef<'g>> = back.collect();
                    edges.reverse();
                    return Ok((Some(one_way(edges)), false));
                }
                next.push(edge.to);
            }
        }
        if came_by.len() > MAX_VISITED {
            return Ok((None, true));
        }
        level = next;
    }
    Ok((None, !level.is_empty()))
}

/// The closure where no path leads from the sources to the targets: what their code refers to and has no target may.
fn without_path(snapshot: &Snapshot, sources: &FxHashSet<NodeIx>, backward: Option<()>, is_cut: bool) -> WhyClosure {
    let (dangling_edges, dangling_total) = dangling_references(snapshot, sources);
    let none = if backward.is_some() { "the target leads to the source, but nothing" } else { "nothing" };
    let reason = Some(if backward.is_some() { "no_forward_path" } else { "no_path_within_hops" });
    let (state, why) = match (dangling_total, is_cut) {
        (0, false) => {
            (ClosureState::Closed, format!("{none} leads from the source to the target, and no open reference could"))
        }
        (0, true) => {
            (ClosureState::Unknown, format!("{none} was found to lead from the source to the target within the limits"))
        }
        (open, _) => {
            let why =
                format!("{none} leads from the source to the target, but {open} references without a target could");
            (ClosureState::Unknown, why)
        }
    };
    WhyClosure { state, reason, dangling_edges, dangling_total, why }
}
