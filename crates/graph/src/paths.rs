//! The k cheapest simple paths between two nodes.
//!
//! A backward search from the target computes the cheapest remaining cost of each node, or a bound if that search
//! ended early; a best-first forward search from the source then reaches complete paths in order of cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use crate::{Dispatch, EdgeRef, Graph, NodeIx, weights};

/// Allowed direction of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From source to target of each edge.
    Forward,
    /// From target to source of each edge.
    Backward,
    /// Both.
    Mixed,
}

/// Parameters of a search.
#[derive(Debug, Clone, Copy)]
pub struct PathQuery {
    /// First node.
    pub from: NodeIx,
    /// Last node.
    pub to: NodeIx,
    /// Allowed direction of edges.
    pub way: Way,
    /// Maximum number of edges of a path.
    pub max_hops: u32,
    /// Maximum number of paths.
    pub k: usize,
    /// Number of edges to visit before the search stops incomplete.
    pub budget: usize,
}

/// One step of a path.
#[derive(Debug, Clone, Copy)]
pub struct Step<'g> {
    /// The edge.
    pub edge: EdgeRef<'g>,
    /// Followed from its source to its target.
    pub forward: bool,
}

impl Step<'_> {
    /// The node that the step leads to.
    pub fn to(&self) -> NodeIx {
        if self.forward { self.edge.to } else { self.edge.from }
    }

    /// The node that the step starts from.
    pub fn from(&self) -> NodeIx {
        if self.forward { self.edge.from } else { self.edge.to }
    }
}

/// A path.
#[derive(Debug, Clone)]
pub struct FoundPath<'g> {
    /// Sum of the costs of its steps, in thousandths (see [`weights::path_cost`]).
    pub cost: u32,
    /// Its steps in order; empty if both ends are the same node.
    pub steps: Vec<Step<'g>>,
}

/// Result of a search.
#[derive(Debug, Clone)]
pub struct FoundPaths<'g> {
    /// Paths, cheapest first.
    pub paths: Vec<FoundPath<'g>>,
    /// The budget ran out before all paths within the bounds were seen.
    pub budget_exhausted: bool,
}

/// The cheapest edge to each neighbour that one step of `way` reaches, in id order.
fn steps<'g>(graph: &'g Graph, dispatch: &Dispatch<'g>, node: NodeIx, way: Way) -> Vec<(u32, Step<'g>)> {
    let mut found: Vec<(u32, Step<'g>)> = Vec::new();
    if way != Way::Backward {
        let edges = graph.out_edges(node).chain(dispatch.from(node).edges);
        found.extend(edges.map(|edge| (weights::path_cost(&edge, true), Step { edge, forward: true })));
    }
    if way != Way::Forward {
        let edges = graph.in_edges(node).chain(dispatch.to(node).edges);
        found.extend(edges.map(|edge| (weights::path_cost(&edge, false), Step { edge, forward: false })));
    }
    if way == Way::Backward {
        // There is no forward direction here, so going backward is no detour.
        found.iter_mut().for_each(|(cost, _)| *cost -= weights::BACKWARD_COST);
    }
    found.sort_by_key(|(cost, step)| (step.to(), *cost, step.edge.relation, step.edge.tier));
    found.dedup_by_key(|(_, step)| step.to());
    found
}

/// Lower bounds of the remaining cost and hops from a node to the target.
struct Remaining {
    known: FxHashMap<NodeIx, (u32, u32)>,
    /// Lower bound for nodes that are not in `known`; `None` if those cannot reach the target.
    beyond: Option<u32>,
    exhausted: bool,
}

impl Remaining {
    fn of(&self, node: NodeIx) -> Option<(u32, u32)> {
        self.known.get(&node).copied().or_else(|| self.beyond.map(|cost| (cost, 1)))
    }
}

/// Backward steps with the cost that the forward search will charge.
fn backward_steps(graph: &Graph, dispatch: &Dispatch<'_>, node: NodeIx, way: Way) -> Vec<(u32, NodeIx)> {
    let mut found: Vec<(u32, NodeIx)> = Vec::new();
    if way != Way::Backward {
        let edges = graph.in_edges(node).chain(dispatch.to(node).edges);
        found.extend(edges.map(|edge| (weights::path_cost(&edge, true), edge.from)));
    }
    if way != Way::Forward {
        let extra = if way == Way::Backward { weights::BACKWARD_COST } else { 0 };
        let edges = graph.out_edges(node).chain(dispatch.from(node).edges);
        found.extend(edges.map(|edge| (weights::path_cost(&edge, false) - extra, edge.to)));
    }
    found
}

fn remaining(
    graph: &Graph,
    dispatch: &Dispatch<'_>,
    query: &PathQuery,
    cancel: &Cancel,
) -> Result<Remaining, Cancelled> {
    let mut known: FxHashMap<NodeIx, (u32, u32)> = FxHashMap::default();
    let mut tentative: FxHashMap<NodeIx, u32> = FxHashMap::default();
    let mut heap = BinaryHeap::from([Reverse((0u32, query.to))]);
    tentative.insert(query.to, 0);
    let mut looked = 0;
    while let Some(Reverse((cost, node))) = heap.pop() {
        if known.contains_key(&node) {
            continue;
        }
        cancel.check()?;
        // Only a bound for the hops: the cheapest path may take more steps than the shortest.
        known.insert(node, (cost, u32::from(node != query.to)));
        if looked >= query.budget {
            return Ok(Remaining { known, beyond: Some(cost), exhausted: true });
        }
        if node == query.from || (node != query.to && graph.kind(node).is_outside()) {
            continue;
        }
        for (step, next) in backward_steps(graph, dispatch, node, query.way) {
            looked += 1;
            let total = cost.saturating_add(step);
            let best = tentative.entry(next).or_insert(u32::MAX);
            if total < *best {
                *best = total;
                heap.push(Reverse((total, next)));
            }
        }
    }
    Ok(Remaining { known, beyond: None, exhausted: false })
}

/// A partial path: its last step and the partial path before it.
struct Partial<'g> {
    node: NodeIx,
    before: usize,
    step: Option<Step<'g>>,
    cost: u32,
    hops: u32,
}

/// Returns the cheapest simple paths within the bounds, cheapest first; ties by number of hops, then by ids.
///
/// # Errors
/// [`Cancelled`].
pub fn cheapest_paths<'g>(graph: &'g Graph, query: &PathQuery, cancel: &Cancel) -> Result<FoundPaths<'g>, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let remaining = remaining(graph, &dispatch, query, cancel)?;
    let mut found = FoundPaths { paths: Vec::new(), budget_exhausted: false };
    let Some((bound, _)) = remaining.of(query.from) else { return Ok(found) };
    let mut arena = vec![Partial { node: query.from, before: usize::MAX, step: None, cost: 0, hops: 0 }];
    let mut heap = BinaryHeap::from([Reverse((bound, 0u32, graph.id(query.from), 0usize))]);
    let mut looked = 0;
    while let Some(Reverse((_, _, _, index))) = heap.pop() {
        cancel.check()?;
        if arena[index].node == query.to {
            found.paths.push(path_of(&arena, index));
            if found.paths.len() >= query.k {
                return Ok(found);
            }
            continue;
        }
        if looked >= query.budget {
            found.budget_exhausted = true;
            break;
        }
        let (node, cost, hops) = (arena[index].node, arena[index].cost, arena[index].hops);
        if hops >= query.max_hops || (hops > 0 && graph.kind(node).is_outside()) {
            continue;
        }
        for (step_cost, step) in steps(graph, &dispatch, node, query.way) {
            looked += 1;
            let next = step.to();
            let Some((rest, rest_hops)) = remaining.of(next) else { continue };
            if hops + 1 + rest_hops > query.max_hops || visits(&arena, index, next) {
                continue;
            }
            let cost = cost.saturating_add(step_cost);
            arena.push(Partial { node: next, before: index, step: Some(step), cost, hops: hops + 1 });
            heap.push(Reverse((cost.saturating_add(rest), hops + 1, graph.id(next), arena.len() - 1)));
        }
    }
    found.budget_exhausted |= remaining.exhausted && found.paths.is_empty();
    Ok(found)
}

fn visits(arena: &[Partial<'_>], mut index: usize, node: NodeIx) -> bool {
    while let Some(partial) = arena.get(index) {
        if partial.node == node {
            return true;
        }
        index = partial.before;
    }
    false
}

fn path_of<'g>(arena: &[Partial<'g>], mut index: usize) -> FoundPath<'g> {
    let cost = arena[index].cost;
    let mut steps = Vec::new();
    while let Some(partial) = arena.get(index) {
        steps.extend(partial.step);
        index = partial.before;
    }
    steps.reverse();
    FoundPath { cost, steps }
}

/// Returns the nodes within some steps of a node, including itself, and whether that is all of them.
///
/// # Errors
/// [`Cancelled`].
pub fn region(
    graph: &Graph,
    from: NodeIx,
    way: Way,
    max_hops: u32,
    budget: usize,
    cancel: &Cancel,
) -> Result<(Vec<NodeIx>, bool), Cancelled> {
    let dispatch = Dispatch::new(graph);
    let mut found = vec![from];
    let mut seen: rustc_hash::FxHashSet<NodeIx> = found.iter().copied().collect();
    let mut level = 0..1;
    for _ in 0..max_hops {
        for index in level.clone() {
            cancel.check()?;
            let node = found[index];
            if node != from && graph.kind(node).is_outside() {
                continue;
            }
            let next: Vec<NodeIx> = steps(graph, &dispatch, node, way).iter().map(|(_, step)| step.to()).collect();
            found.extend(next.into_iter().filter(|next| seen.insert(*next)));
            if found.len() >= budget {
                return Ok((found, false));
            }
        }
        level = level.end..found.len();
        if level.is_empty() {
            break;
        }
    }
    Ok((found, true))
}
