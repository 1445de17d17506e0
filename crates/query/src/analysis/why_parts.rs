//! Connections of folders, with each other and with nodes: the references that lead from one to the other.

use m1nd_base::{Cancel, Cancelled, EdgeTier, Relation};
use m1nd_graph::paths::{FoundPath, Step, Way};
use m1nd_graph::{Dispatch, EdgeRef, Graph, NodeIx, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::why::{WhyAnswer, closure_of_paths, closure_without_path, describe};
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
    let targets: Vec<NodeIx> = query.targets.iter().copied().filter(|node| !sources.contains(node)).collect();
    let (sources, limits) = (&query.sources, (query.max_hops, query.max_paths));
    let mut missed = false;
    for (way, ends) in [(Way::Forward, (sources, &targets)), (Way::Backward, (&targets, sources))] {
        let between = paths_between(graph, ends, limits, cancel)?;
        missed |= between.is_cut;
        if between.paths.is_empty() {
            continue;
        }
        let paths: Vec<_> = between.paths.iter().map(|path| describe(graph, path, way)).collect();
        let closure = match way {
            Way::Forward => closure_of_paths(graph, &paths, false),
            _ => closure_without_path(snapshot, (sources, &targets), query.max_hops, Some(way), missed, cancel)?,
        };
        return Ok(WhyAnswer { found: true, paths, closure });
    }
    let closure = closure_without_path(snapshot, (sources, &targets), query.max_hops, None, missed, cancel)?;
    Ok(WhyAnswer { found: false, paths: Vec::new(), closure })
}

/// Paths from one set of nodes to another.
#[derive(Default)]
pub(super) struct Between<'g> {
    pub(super) paths: Vec<FoundPath<'g>>,
    /// The search ended at its limit of nodes.
    pub(super) is_cut: bool,
}

/// The references that lead from one set of nodes to another, one for each pair of files; if there are none, a path of
/// the fewest edges. `limits`: most edges of a path, most paths.
pub(super) fn paths_between<'g>(
    graph: &'g Graph,
    (from, to): (&Vec<NodeIx>, &Vec<NodeIx>),
    (max_hops, max_paths): (u32, usize),
    cancel: &Cancel,
) -> Result<Between<'g>, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let starts: FxHashSet<NodeIx> = from.iter().copied().collect();
    let ends: FxHashSet<NodeIx> = to.iter().copied().filter(|node| !starts.contains(node)).collect();
    let paths = direct(graph, &dispatch, &starts, &ends, max_paths);
    if !paths.is_empty() {
        return Ok(Between { paths, is_cut: false });
    }
    let (path, is_cut) = shortest(graph, &dispatch, (&starts, &ends), max_hops, cancel)?;
    Ok(Between { paths: path.into_iter().collect(), is_cut })
}

fn edges_from<'g>(
    graph: &'g Graph,
    dispatch: &Dispatch<'g>,
    node: NodeIx,
) -> impl Iterator<Item = EdgeRef<'g>> + use<'g> {
    graph.out_edges(node).chain(dispatch.from(node).edges).filter(leads)
}

fn leads(edge: &EdgeRef<'_>) -> bool {
    edge.tier != EdgeTier::External && !matches!(edge.relation, Relation::Contains | Relation::Documents)
}

/// Edges from one set of nodes to the other, certain ones first, one for each pair of files.
fn direct<'g>(
    graph: &'g Graph,
    dispatch: &Dispatch<'g>,
    from: &FxHashSet<NodeIx>,
    to: &FxHashSet<NodeIx>,
    most: usize,
) -> Vec<FoundPath<'g>> {
    let edges = from.iter().flat_map(|&node| edges_from(graph, dispatch, node));
    let mut edges: Vec<EdgeRef<'g>> = edges.filter(|edge| to.contains(&edge.to)).collect();
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

/// A path of the fewest edges from one set of nodes to the other, and whether the limit of nodes ended the search.
fn shortest<'g>(
    graph: &'g Graph,
    dispatch: &Dispatch<'g>,
    (from, to): (&FxHashSet<NodeIx>, &FxHashSet<NodeIx>),
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
            for edge in edges_from(graph, dispatch, node) {
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
    Ok((None, false))
}
