//! The k cheapest simple paths between two nodes.
//!
//! A search from both ends finds out whether any path is short enough. A second one from both ends computes what the
//! paths wanted cost at most, and what remains from each node that such a path can go through; a best-first search from
//! the source then reaches complete paths in order of cost.

mod bounds;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use crate::{Dispatch, EdgeRef, Graph, NodeIx, weights};

use bounds::{Bounds, Ends};

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

/// A neighbour that a path can go on to.
#[derive(Clone, Copy)]
struct Next {
    node: NodeIx,
    /// Cost of the step.
    step: u32,
    /// Lower bound of the cost of the step and what remains after it.
    total: u32,
    /// Lower bound of the hops that remain after it.
    hops: u32,
}

/// Where a path can go on from a node, most promising first; ties by id. The list is sorted as far as it is read,
/// because most neighbours of a node with thousands are never tried.
struct NextSteps {
    list: Vec<Next>,
    sorted: usize,
}

impl NextSteps {
    /// Number of neighbours sorted first; each later portion is twice as large.
    const FIRST: usize = 16;

    fn new(graph: &Graph, dispatch: &Dispatch<'_>, query: &PathQuery, node: NodeIx, bounds: &Bounds) -> Self {
        let mut list: Vec<Next> = Vec::new();
        let mut places: FxHashMap<NodeIx, usize> = FxHashMap::default();
        let most = bounds.most(node);
        for (step, node) in neighbours(graph, dispatch, node, query.way, Side::Source) {
            let Some((rest, hops)) = bounds.remaining(node).filter(|(_, hops)| *hops < query.max_hops) else {
                continue;
            };
            let total = step.saturating_add(rest);
            if total > most {
                continue;
            }
            let next = Next { node, step, total, hops };
            match places.entry(node) {
                Entry::Vacant(free) => {
                    free.insert(list.len());
                    list.push(next);
                }
                Entry::Occupied(place) if step < list[*place.get()].step => list[*place.get()] = next,
                Entry::Occupied(_) => {}
            }
        }
        Self { list, sorted: 0 }
    }

    fn get(&mut self, graph: &Graph, at: usize) -> Option<Next> {
        while at >= self.sorted && self.sorted < self.list.len() {
            let unsorted = &mut self.list[self.sorted..];
            let portion = self.sorted.max(Self::FIRST).min(unsorted.len());
            let order = |a: &Next, b: &Next| a.total.cmp(&b.total).then_with(|| graph.compare_ids(a.node, b.node));
            if portion < unsorted.len() {
                unsorted.select_nth_unstable_by(portion, order);
            }
            unsorted[..portion].sort_unstable_by(order);
            self.sorted += portion;
        }
        self.list.get(at).copied()
    }
}

/// A partial path: its last node and the partial path before it.
struct Partial {
    node: NodeIx,
    before: usize,
    cost: u32,
    hops: u32,
}

/// A partial path that is one step longer than `before` and waits for its turn.
struct Waiting<'g> {
    graph: &'g Graph,
    /// Lower bound of the cost of complete paths that start with it.
    bound: u32,
    next: Next,
    hops: u32,
    before: usize,
    /// Place of `next` among the next steps of `before`.
    at: usize,
}

impl Ord for Waiting<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_id = || self.graph.compare_ids(self.next.node, other.next.node);
        let first = (self.bound, self.hops).cmp(&(other.bound, other.hops));
        first.then_with(by_id).then_with(|| (self.before, self.at).cmp(&(other.before, other.at)))
    }
}

impl PartialOrd for Waiting<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting<'_> {}

/// The best-first search for complete paths. Of the next steps of a partial path only the best one waits in the heap;
/// its successor takes its place when it is followed (partial expansion: Yoshizumi, Miura & Ishida, "A* with Partial
/// Expansion for Large Branching Factor Problems", AAAI 2000).
struct Search<'g, 'q> {
    graph: &'g Graph,
    dispatch: Dispatch<'g>,
    query: &'q PathQuery,
    bounds: Bounds,
    partials: Vec<Partial>,
    waiting: BinaryHeap<Reverse<Waiting<'g>>>,
    nexts: FxHashMap<NodeIx, NextSteps>,
    /// The numbers of hops of the partial paths followed from each node: all were at most as expensive.
    followed: FxHashMap<NodeIx, Vec<u32>>,
    /// Neighbours looked at.
    looked: usize,
}

impl<'g> Search<'g, '_> {
    /// Lets the best next step of a partial path wait, from a place in the list of its next steps on.
    fn wait(&mut self, before: usize, mut at: usize) {
        let Partial { node, cost, hops, .. } = self.partials[before];
        let (graph, query) = (self.graph, self.query);
        let nexts = self.nexts.entry(node).or_insert_with(|| {
            let nexts = NextSteps::new(graph, &self.dispatch, query, node, &self.bounds);
            self.looked += nexts.list.len();
            nexts
        });
        while let Some(next) = nexts.get(graph, at) {
            self.looked += 1;
            if cost.saturating_add(next.total) > self.bounds.limit {
                return;
            }
            if hops + 1 + next.hops <= query.max_hops && !visits(&self.partials, before, next.node) {
                let bound = cost.saturating_add(next.total);
                self.waiting.push(Reverse(Waiting { graph, bound, next, hops: hops + 1, before, at }));
                return;
            }
            at += 1;
        }
    }

    /// Follows a partial path, unless enough others of at most its cost went through its last node.
    fn follow(&mut self, index: usize) {
        let Partial { node, hops, .. } = self.partials[index];
        if hops >= self.query.max_hops || (hops > 0 && self.graph.kind(node).is_outside()) {
            return;
        }
        let others = self.followed.entry(node).or_default();
        if others.iter().filter(|other| **other <= hops).count() < PARTIALS * self.query.k {
            others.push(hops);
            self.wait(index, 0);
        }
    }

    fn path_of(&self, index: usize) -> FoundPath<'g> {
        let nodes: Vec<NodeIx> = std::iter::successors(self.partials.get(index), |last| self.partials.get(last.before))
            .map(|partial| partial.node)
            .collect();
        let steps = nodes.windows(2).rev().filter_map(|ends| self.step(ends[1], ends[0])).collect();
        FoundPath { cost: self.partials[index].cost, steps }
    }

    /// The cheapest edge between neighbours.
    fn step(&self, from: NodeIx, to: NodeIx) -> Option<Step<'g>> {
        let mut found: Vec<Step<'g>> = Vec::new();
        if self.query.way != Way::Backward {
            let edges = self.graph.out_edges(from).chain(self.dispatch.from(from).edges);
            found.extend(edges.filter(|edge| edge.to == to).map(|edge| Step { edge, forward: true }));
        }
        if self.query.way != Way::Forward {
            // Nodes have far fewer outgoing edges than incoming ones.
            let edges = self.graph.out_edges(to).chain(self.dispatch.to(from).edges);
            let ends = |edge: &EdgeRef<'_>| (edge.from, edge.to) == (to, from);
            found.extend(edges.filter(ends).map(|edge| Step { edge, forward: false }));
        }
        let cost = |step: &Step<'_>| weights::path_cost(&step.edge, step.forward);
        found.into_iter().min_by_key(|step| (cost(step), step.edge.relation, step.edge.tier))
    }
}

/// Returns the cheapest simple paths within the bounds, cheapest first; ties by number of hops, then by ids. Of the
/// paths after the first, one may be missing where many cheaper ones share a node.
///
/// # Errors
/// [`Cancelled`].
pub fn cheapest_paths<'g>(graph: &'g Graph, query: &PathQuery, cancel: &Cancel) -> Result<FoundPaths<'g>, Cancelled> {
    let dispatch = Dispatch::new(graph);
    let mut found = FoundPaths { paths: Vec::new(), budget_exhausted: false };
    if query.from == query.to {
        found.paths.push(FoundPath { cost: 0, steps: Vec::new() });
        return Ok(found);
    }
    let ends = Ends { graph, dispatch, query, cancel };
    // If the ends do not meet, no path is searched for.
    let Some(around) = ends.meet()? else { return Ok(found) };
    let bounds = ends.bounds(around)?;
    found.budget_exhausted = bounds.exhausted;
    // The cheapest partial path first; bounds say what it still costs at least.
    let mut search = Search {
        graph,
        dispatch,
        query,
        bounds,
        partials: vec![Partial { node: query.from, before: usize::MAX, cost: 0, hops: 0 }],
        waiting: BinaryHeap::new(),
        nexts: FxHashMap::default(),
        followed: FxHashMap::default(),
        looked: 0,
    };
    search.follow(0);
    while let Some(Reverse(Waiting { next, hops, before, at, .. })) = search.waiting.pop() {
        cancel.check()?;
        search.wait(before, at + 1);
        let cost = search.partials[before].cost.saturating_add(next.step);
        search.partials.push(Partial { node: next.node, before, cost, hops });
        let index = search.partials.len() - 1;
        if next.node == query.to {
            found.paths.push(search.path_of(index));
            if found.paths.len() >= query.k {
                break;
            }
        // Paths that were found stay; whether there are more is not known.
        } else if search.looked >= query.budget {
            found.budget_exhausted = true;
            return Ok(found);
        } else {
            search.follow(index);
        }
    }
    found.budget_exhausted &= found.paths.is_empty();
    Ok(found)
}

fn visits(partials: &[Partial], mut index: usize, node: NodeIx) -> bool {
    while let Some(partial) = partials.get(index) {
        if partial.node == node {
            return true;
        }
        index = partial.before;
    }
    false
}

/// Returns the nodes within some steps of any of `from`, including these, and whether that is all of them.
///
/// # Errors
/// [`Cancelled`].
pub fn region(
    graph: &Graph,
    from: &[NodeIx],
    way: Way,
    max_hops: u32,
    budget: usize,
    cancel: &Cancel,
) -> Result<(Vec<NodeIx>, bool), Cancelled> {
    let dispatch = Dispatch::new(graph);
    let mut found = from.to_vec();
    let mut seen: rustc_hash::FxHashSet<NodeIx> = found.iter().copied().collect();
    let mut level = 0..found.len();
    for _ in 0..max_hops {
        for index in level.clone() {
            cancel.check()?;
            let node = found[index];
            if index >= from.len() && graph.kind(node).is_outside() {
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
