//! The k cheapest simple paths between two nodes.
//!
//! A search from both ends finds out whether any path is short enough. A second one from both ends computes the
//! cheapest remaining cost of the nodes around the target, up to where the cheapest path is known; a best-first search
//! from the source then reaches complete paths in order of cost.

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

/// Partial paths to a node that are followed, for each path wanted. The cheapest path needs one; others may need more,
/// because a cheap partial path can block what follows it.
const PARTIALS: usize = 3;

/// The neighbours of a node that a path can come from (`Side::Target`) or lead to (`Side::Source`), with the cost of
/// the step. A neighbour may come several times.
fn neighbours(graph: &Graph, dispatch: &Dispatch<'_>, node: NodeIx, way: Way, side: Side) -> Vec<(u32, NodeIx)> {
    // Steps that follow edges from the source side leave by out-edges, those seen from the target side come by
    // in-edges.
    let (along, against) = match side {
        Side::Source => (way != Way::Backward, way != Way::Forward),
        Side::Target => (way != Way::Forward, way != Way::Backward),
    };
    let less = if way == Way::Backward { weights::BACKWARD_COST } else { 0 };
    let cost = |edge: &EdgeRef<'_>, out: bool| {
        let is_forward = out == (side == Side::Source);
        weights::path_cost(edge, is_forward) - if is_forward { 0 } else { less }
    };
    let mut found: Vec<(u32, NodeIx)> = Vec::new();
    if along {
        let edges = graph.out_edges(node).chain(dispatch.from(node).edges);
        found.extend(edges.map(|edge| (cost(&edge, true), edge.to)));
    }
    if against {
        let edges = graph.in_edges(node).chain(dispatch.to(node).edges);
        found.extend(edges.map(|edge| (cost(&edge, false), edge.from)));
    }
    found
}

/// An end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Source,
    Target,
}

/// The nodes around one end by number of steps.
struct Ball {
    side: Side,
    hops: FxHashMap<NodeIx, u32>,
    /// The nodes that are farthest away.
    last: Vec<NodeIx>,
    depth: u32,
}

impl Ball {
    fn new(side: Side, end: NodeIx) -> Self {
        Self { side, hops: FxHashMap::from_iter([(end, 0)]), last: vec![end], depth: 0 }
    }

    /// Goes one step farther; returns whether it met `other`.
    fn grow(&mut self, graph: &Graph, dispatch: &Dispatch<'_>, way: Way, other: &Self, looked: &mut usize) -> bool {
        self.depth += 1;
        let mut met = false;
        for node in std::mem::take(&mut self.last) {
            if self.depth > 1 && graph.kind(node).is_outside() {
                continue;
            }
            for (_, next) in neighbours(graph, dispatch, node, way, self.side) {
                *looked += 1;
                if let std::collections::hash_map::Entry::Vacant(free) = self.hops.entry(next) {
                    free.insert(self.depth);
                    self.last.push(next);
                    met |= other.hops.contains_key(&next);
                }
            }
        }
        met
    }
}

/// Finds out whether any path is short enough, from both ends at once; returns the nodes around the target, or `None`
/// if there is no such path.
fn meet(graph: &Graph, dispatch: &Dispatch<'_>, query: &PathQuery, cancel: &Cancel) -> Result<Option<Ball>, Cancelled> {
    let (mut near, mut far) = (Ball::new(Side::Source, query.from), Ball::new(Side::Target, query.to));
    let mut looked = 0;
    let mut met = query.from == query.to;
    while !met && looked < query.budget {
        cancel.check()?;
        if near.depth + far.depth >= query.max_hops || near.last.is_empty() || far.last.is_empty() {
            return Ok(None);
        }
        met = if near.last.len() < far.last.len() {
            near.grow(graph, dispatch, query.way, &far, &mut looked)
        } else {
            far.grow(graph, dispatch, query.way, &near, &mut looked)
        };
    }
    Ok(Some(far))
}

/// Lower bounds of the remaining cost and hops from a node to the target.
struct Remaining {
    known: FxHashMap<NodeIx, u32>,
    /// Lower bound for nodes that are not in `known`; `None` if those cannot reach the target.
    beyond: Option<u32>,
    around: Ball,
    exhausted: bool,
}

impl Remaining {
    fn of(&self, node: NodeIx) -> Option<(u32, u32)> {
        let cost = self.known.get(&node).copied().or(self.beyond)?;
        Some((cost, self.around.hops.get(&node).copied().unwrap_or(self.around.depth + 1)))
    }
}

/// The cheapest costs around one end.
struct Costs {
    side: Side,
    known: FxHashMap<NodeIx, u32>,
    tentative: FxHashMap<NodeIx, u32>,
    heap: BinaryHeap<Reverse<(u32, NodeIx)>>,
    looked: usize,
}

impl Costs {
    fn new(side: Side, end: NodeIx) -> Self {
        Self {
            side,
            known: FxHashMap::default(),
            tentative: FxHashMap::from_iter([(end, 0)]),
            heap: BinaryHeap::from([Reverse((0, end))]),
            looked: 0,
        }
    }

    /// No node that is not known is cheaper.
    fn radius(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse((cost, _))| *cost)
    }

    /// Makes the cheapest node known; returns the cost of the cheapest path through an edge from it to `other`.
    fn settle(&mut self, graph: &Graph, dispatch: &Dispatch<'_>, query: &PathQuery, other: &Self) -> Option<u32> {
        let Reverse((cost, node)) = self.heap.pop()?;
        if self.known.contains_key(&node) {
            return None;
        }
        self.known.insert(node, cost);
        let is_end = node == query.from || node == query.to;
        let mut through = other.tentative.get(&node).map(|rest| cost.saturating_add(*rest));
        if !is_end && graph.kind(node).is_outside() {
            return through;
        }
        for (step, next) in neighbours(graph, dispatch, node, query.way, self.side) {
            self.looked += 1;
            let total = cost.saturating_add(step);
            let best = self.tentative.entry(next).or_insert(u32::MAX);
            if total < *best {
                *best = total;
                self.heap.push(Reverse((total, next)));
                let rest = other.tentative.get(&next).map(|rest| total.saturating_add(*rest));
                through = through.into_iter().chain(rest).min();
            }
        }
        through
    }
}

/// Costs to the target, as far from it as the two ends need to meet at the cheapest path.
fn remaining(
    graph: &Graph,
    dispatch: &Dispatch<'_>,
    query: &PathQuery,
    around: Ball,
    cancel: &Cancel,
) -> Result<Remaining, Cancelled> {
    let (mut near, mut far) = (Costs::new(Side::Source, query.from), Costs::new(Side::Target, query.to));
    let mut cheapest = u32::MAX;
    let mut exhausted = false;
    while let (Some(one), Some(other)) = (near.radius(), far.radius()) {
        if one.saturating_add(other) >= cheapest {
            break;
        }
        if near.looked + far.looked >= query.budget {
            exhausted = true;
            break;
        }
        cancel.check()?;
        let through = if near.heap.len() < far.heap.len() {
            near.settle(graph, dispatch, query, &far)
        } else {
            far.settle(graph, dispatch, query, &near)
        };
        cheapest = cheapest.min(through.unwrap_or(u32::MAX));
    }
    Ok(Remaining { beyond: far.radius(), known: far.known, around, exhausted })
}

/// A partial path: its last step and the partial path before it.
struct Partial<'g> {
    node: NodeIx,
    before: usize,
    step: Option<Step<'g>>,
    cost: u32,
    hops: u32,
}

/// Returns the cheapest simple paths within the bounds, cheapest first; ties by number of hops, then by ids. Of the
/// paths after the first, one may be missing where many cheaper ones share a node.
///
/// # Errors
/// [`Cancelled`].
pub fn cheapest_paths<'g>(graph: &'g Graph, query: &PathQuery, cancel: &Cancel) -> Result<FoundPaths<'g>, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let mut found = FoundPaths { paths: Vec::new(), budget_exhausted: false };
    let Some(around) = meet(graph, &dispatch, query, cancel)? else { return Ok(found) };
    let remaining = remaining(graph, &dispatch, query, around, cancel)?;
    let Some((bound, _)) = remaining.of(query.from) else { return Ok(found) };
    let mut arena = vec![Partial { node: query.from, before: usize::MAX, step: None, cost: 0, hops: 0 }];
    let mut heap = BinaryHeap::from([Reverse((bound, 0u32, graph.id(query.from), 0usize))]);
    // The numbers of hops of the partial paths followed from each node: all were at most as expensive.
    let mut followed: FxHashMap<NodeIx, Vec<u32>> = FxHashMap::default();
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
        let others = followed.entry(node).or_default();
        if others.iter().filter(|other| **other <= hops).count() >= PARTIALS * query.k {
            continue;
        }
        others.push(hops);
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
            let next = neighbours(graph, &dispatch, node, way, Side::Source);
            found.extend(next.into_iter().map(|(_, next)| next).filter(|next| seen.insert(*next)));
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
