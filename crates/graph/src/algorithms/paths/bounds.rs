//! Bounds of the paths between two nodes, found by searches from both ends: which hops and costs remain from a node,
//! and what the paths wanted cost at most.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use super::{PathQuery, Side, neighbours};
use crate::{Dispatch, Graph, NodeIx};

/// Edges looked at to find as many paths as are wanted, after which the best-first search does without their cost.
const LOOKED: usize = 20_000;

/// The nodes around one end by number of steps.
pub(super) struct Ball {
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

    /// Lower bound of the number of hops between a node and the end.
    fn hops(&self, node: NodeIx) -> u32 {
        self.hops.get(&node).copied().unwrap_or(self.depth + 1)
    }

    /// Goes one step farther; returns whether it met `other`.
    fn grow(&mut self, ends: &Ends<'_>, other: &Self, looked: &mut usize) -> bool {
        self.depth += 1;
        let mut met = false;
        for node in std::mem::take(&mut self.last) {
            if self.depth > 1 && ends.graph.kind(node).is_outside() {
                continue;
            }
            for (_, next) in neighbours(ends.graph, &ends.dispatch, node, ends.query.way, self.side) {
                *looked += 1;
                if let Entry::Vacant(free) = self.hops.entry(next) {
                    free.insert(self.depth);
                    self.last.push(next);
                    met |= other.hops.contains_key(&next) && ends.is_passable(next);
                }
            }
        }
        met
    }
}

/// What is known of the paths before they are searched.
pub(super) struct Bounds {
    /// Cost of the cheapest path from the source to nodes near it.
    least: FxHashMap<NodeIx, u32>,
    /// Lower bound for nodes that are not in `least`.
    least_beyond: u32,
    /// Cost of the cheapest path to the target from nodes near it.
    rest: FxHashMap<NodeIx, u32>,
    /// Lower bound for nodes that are not in `rest`; `None` if no path wanted goes through those.
    rest_beyond: Option<u32>,
    around: Ball,
    /// As many paths as are wanted cost at most this.
    pub(super) limit: u32,
    /// The budget ended before the cheapest path was known.
    pub(super) exhausted: bool,
}

impl Bounds {
    /// Lower bounds of the cost and hops from a node to the target; `None` if no path wanted goes through it.
    pub(super) fn remaining(&self, node: NodeIx) -> Option<(u32, u32)> {
        let cost = self.rest.get(&node).copied().or(self.rest_beyond)?;
        Some((cost, self.around.hops(node)))
    }

    /// What the rest of a path wanted costs at most from a node on.
    pub(super) fn most(&self, node: NodeIx) -> u32 {
        self.limit.saturating_sub(self.least.get(&node).copied().unwrap_or(self.least_beyond))
    }
}

/// An edge that leads from a node known from the source to one seen from the target, and the cost of its step.
type Crossing = (NodeIx, NodeIx, u32);

/// What a search from both ends found out.
struct Met {
    /// As many paths as are wanted cost at most this.
    limit: u32,
    /// Every node of a path that costs at most `limit` is known from one of the ends.
    is_complete: bool,
    /// The budget ended before the cheapest path was known.
    exhausted: bool,
}

/// The cheapest costs around one end.
struct Costs {
    side: Side,
    known: FxHashMap<NodeIx, u32>,
    /// The cheapest cost so far, and the node before on the way from the end.
    tentative: FxHashMap<NodeIx, (u32, NodeIx)>,
    heap: BinaryHeap<Reverse<(u32, NodeIx)>>,
    looked: usize,
}

impl Costs {
    fn new(side: Side, end: NodeIx) -> Self {
        Self {
            side,
            known: FxHashMap::default(),
            tentative: FxHashMap::from_iter([(end, (0, end))]),
            heap: BinaryHeap::from([Reverse((0, end))]),
            looked: 0,
        }
    }

    /// No node that is not known is cheaper.
    fn radius(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse((cost, _))| *cost)
    }

    /// Makes the cheapest node known. `seen` gets the neighbours with the cost of the step; those that `is_wanted`
    /// refuses, given their cost, are left out.
    fn settle(
        &mut self,
        ends: &Ends<'_>,
        is_wanted: impl Fn(NodeIx, u32) -> bool,
        mut seen: impl FnMut(NodeIx, NodeIx, u32),
    ) {
        let Some(Reverse((cost, node))) = self.heap.pop() else { return };
        if self.known.contains_key(&node) || !is_wanted(node, cost) {
            return;
        }
        self.known.insert(node, cost);
        if !ends.is_passable(node) {
            return;
        }
        for (step, next) in neighbours(ends.graph, &ends.dispatch, node, ends.query.way, self.side) {
            self.looked += 1;
            seen(node, next, step);
            let total = cost.saturating_add(step);
            if !is_wanted(next, total) {
                continue;
            }
            match self.tentative.entry(next) {
                Entry::Vacant(free) => {
                    free.insert((total, node));
                }
                Entry::Occupied(mut known) if total < known.get().0 => {
                    known.insert((total, node));
                }
                Entry::Occupied(_) => continue,
            }
            self.heap.push(Reverse((total, next)));
        }
    }

    /// The nodes from one to the end of this side.
    fn way_from(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> {
        std::iter::successors(Some(node), |node| {
            self.tentative.get(node).map(|(_, before)| *before).filter(|before| before != node)
        })
    }
}

/// A search from both ends of a question.
#[derive(Clone, Copy)]
pub(super) struct Ends<'g> {
    pub(super) graph: &'g Graph,
    pub(super) dispatch: Dispatch<'g>,
    pub(super) query: &'g PathQuery,
    pub(super) cancel: &'g Cancel,
}

impl Ends<'_> {
    /// Paths go through no node outside of the project.
    fn is_passable(&self, node: NodeIx) -> bool {
        node == self.query.from || node == self.query.to || !self.graph.kind(node).is_outside()
    }

    /// Finds out whether any path is short enough; returns the nodes around the target, or `None` if there is no such
    /// path.
    pub(super) fn meet(&self) -> Result<Option<Ball>, Cancelled> {
        let query = self.query;
        let (mut near, mut far) = (Ball::new(Side::Source, query.from), Ball::new(Side::Target, query.to));
        let mut looked = 0;
        let mut met = false;
        while !met && looked < query.budget {
            self.cancel.check()?;
            if near.depth + far.depth >= query.max_hops || near.last.is_empty() || far.last.is_empty() {
                return Ok(None);
            }
            met = if near.last.len() < far.last.len() {
                near.grow(self, &far, &mut looked)
            } else {
                far.grow(self, &near, &mut looked)
            };
        }
        Ok(Some(far))
    }

    /// Bounds of the paths wanted, given the nodes around the target.
    pub(super) fn bounds(&self, around: Ball) -> Result<Bounds, Cancelled> {
        let query = self.query;
        let (mut near, mut far) = (Costs::new(Side::Source, query.from), Costs::new(Side::Target, query.to));
        let met = self.search(&mut near, &mut far)?;
        let is_complete = met.is_complete && self.complete(&near, &mut far, met.limit)?;
        Ok(Bounds {
            least_beyond: near.radius().unwrap_or(u32::MAX),
            least: near.known,
            rest_beyond: far.radius().filter(|_| !is_complete),
            rest: far.known,
            around,
            limit: met.limit,
            exhausted: met.exhausted,
        })
    }

    /// Searches from both ends until all nodes of the paths wanted are known from one of them.
    fn search(&self, near: &mut Costs, far: &mut Costs) -> Result<Met, Cancelled> {
        let mut crossings: Vec<Crossing> = Vec::new();
        let mut met = Met { limit: u32::MAX, is_complete: true, exhausted: false };
        let mut cheapest = u32::MAX;
        let mut next_limit = 0;
        while let (Some(one), Some(other)) = (near.radius(), far.radius()) {
            let (sum, looked) = (one.saturating_add(other), near.looked + far.looked);
            if sum >= cheapest && looked >= next_limit {
                met.limit = self.limit(near, far, &crossings);
                next_limit = looked + looked / 2;
            }
            if sum > met.limit {
                break;
            }
            if looked >= self.query.budget || sum >= cheapest && met.limit == u32::MAX && looked >= LOOKED {
                met.is_complete = false;
                met.exhausted = sum < cheapest;
                break;
            }
            self.cancel.check()?;
            let (own, other) = if near.looked <= far.looked { (&mut *near, &*far) } else { (&mut *far, &*near) };
            let (side, cost, limit) = (own.side, own.radius().unwrap_or_default(), met.limit);
            let is_wanted = |_, cost| cost <= limit;
            own.settle(self, is_wanted, |node, next, step| {
                let Some((rest, _)) = other.tentative.get(&next) else { return };
                let total = cost.saturating_add(step).saturating_add(*rest);
                cheapest = cheapest.min(total);
                if total <= limit {
                    crossings.push(if side == Side::Source { (node, next, step) } else { (next, node, step) });
                }
            });
        }
        Ok(met)
    }

    /// What as many paths as are wanted cost at most: those over the edges where both searches met. Edges that leave
    /// the nodes known from the source for good belong to different paths.
    fn limit(&self, near: &Costs, far: &Costs, crossings: &[Crossing]) -> u32 {
        let total = |&(from, to, step): &Crossing| {
            let (cost, (rest, _)) = (near.known.get(&from)?, far.tentative.get(&to)?);
            let leaves = !near.known.contains_key(&to) && self.is_passable(from) && self.is_passable(to);
            leaves.then(|| (cost.saturating_add(step).saturating_add(*rest), from, to))
        };
        let mut paths: Vec<(u32, NodeIx, NodeIx)> = crossings.iter().filter_map(total).collect();
        paths.sort_unstable();
        let mut taken = rustc_hash::FxHashSet::default();
        let is_path = |&(_, from, to): &(u32, NodeIx, NodeIx)| {
            let hops = near.way_from(from).count() + far.way_from(to).count() - 1;
            hops as u64 <= u64::from(self.query.max_hops)
                && far.way_from(to).all(|node| !near.known.contains_key(&node))
                && taken.insert((from, to))
        };
        paths.into_iter().filter(is_path).nth(self.query.k.saturating_sub(1)).map_or(u32::MAX, |path| path.0)
    }

    /// Makes the remaining cost known for every node that a path of at most `limit` goes through, after all of them are
    /// known from one end; returns whether the budget sufficed.
    fn complete(&self, near: &Costs, far: &mut Costs, limit: u32) -> Result<bool, Cancelled> {
        let is_on_path =
            |node: NodeIx, rest: u32| near.known.get(&node).is_some_and(|cost| cost.saturating_add(rest) <= limit);
        while far.radius().is_some() {
            if near.looked + far.looked >= self.query.budget {
                return Ok(false);
            }
            self.cancel.check()?;
            far.settle(self, is_on_path, |_, _, _| {});
        }
        Ok(true)
    }
}
