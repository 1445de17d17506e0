//! Nodes with the same neighbours, without an edge between them.

use std::rc::Rc;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::activate::spread_weights;
use super::neighbours::{neighbours, strongest};
use super::resonate::{is_part, round_sum};
use crate::calls::is_test;

/// Neighbours of a node by which it is compared, the strongest; its other connections count by their weight alone.
const COMPARED: usize = 300;
/// Nodes that one node is compared with: those with the most common neighbours.
const CANDIDATES: usize = 300;
/// Maximum connections of neighbours examined for the candidates of one node, least connected neighbours first.
const LOOKED_AT: usize = 200_000;
/// Maximum pairs reported.
const PAIRS: usize = 10;
/// Pairs of which one node has part, if there are several starts.
const PAIRS_OF_NODE: usize = 3;
/// Less coupling is chance, and one common neighbour is no pattern.
const LEAST_COUPLING: f64 = 0.3;
const LEAST_SHARED: usize = 2;
/// Common neighbours named.
const NAMED: usize = 3;

/// Two nodes without an edge between them whose connections go to the same places.
#[derive(Debug, Clone, PartialEq)]
pub struct SympatheticPair {
    /// One of the start, or of an anchor's part.
    pub a: NodeIx,
    /// The other one.
    pub b: NodeIx,
    /// Correlation of the one-step distributions of both, relative to random connections by weight: 0 is chance, 1
    /// identical.
    pub coupling: f64,
    /// Common neighbours, least connected first.
    pub shared: Vec<NodeIx>,
    /// Total number.
    pub shared_total: usize,
}

/// Nodes with neighbours like the starts'.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alike {
    /// Pairs, the most alike first.
    pub pairs: Vec<SympatheticPair>,
    /// There are more pairs than reported.
    pub more_pairs: bool,
    /// Nodes of which only the strongest [`Alike::COMPARED`] neighbours were compared, by id: they may share more
    /// with others than is counted.
    pub in_part: Vec<NodeIx>,
    /// More nodes may share neighbours with a start than it was compared with.
    pub more_candidates: bool,
}

impl Alike {
    /// Neighbours of a node by which it is compared.
    pub const COMPARED: usize = COMPARED;
}

/// One-step distribution of a node.
struct Step {
    /// All neighbours, by number.
    to: Vec<(NodeIx, f64)>,
    /// The strongest of them, by number, if they are more than are compared.
    strongest: Option<Vec<(NodeIx, f64)>>,
    /// Weight of all connections.
    weight: f64,
}

impl Step {
    fn list_compared(&self) -> &[(NodeIx, f64)] {
        self.strongest.as_deref().unwrap_or(&self.to)
    }
}

/// Cache of one-step distributions.
struct Steps<'g> {
    graph: &'g Graph,
    total: f64,
    known: FxHashMap<NodeIx, Rc<Step>>,
}

impl Steps<'_> {
    fn of(&mut self, node: NodeIx) -> Rc<Step> {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        let mut to = neighbours(self.graph, node);
        to.retain(|(other, _)| !self.graph.kind(*other).is_outside());
        let weight = to.iter().map(|(_, weight)| weight).sum();
        let strongest = strongest(self.graph, &to, COMPARED);
        let step = Rc::new(Step { to, strongest, weight });
        self.known.insert(node, step.clone());
        step
    }

    /// Sum over common neighbours of the chances to get there from both, over the chance to be there anyway: 1 if
    /// connections were drawn at random.
    fn meeting(&mut self, a: NodeIx, b: NodeIx) -> (f64, Vec<NodeIx>) {
        let (of_a, of_b) = (self.of(a), self.of(b));
        let mut sum = 0.0;
        let mut shared = Vec::new();
        for (node, weight) in of_a.list_compared() {
            let Ok(at) = of_b.list_compared().binary_search_by_key(node, |(other, _)| *other) else { continue };
            let anyway = self.of(*node).weight / self.total;
            if anyway > 0.0 {
                sum += (weight / of_a.weight) * (of_b.list_compared()[at].1 / of_b.weight) / anyway;
                shared.push(*node);
            }
        }
        (sum, shared)
    }

    /// Nodes of the kind of a start that share at least [`LEAST_SHARED`] neighbours with it and are none themselves,
    /// those with the most first; and whether there may be more.
    fn candidates(&mut self, start: NodeIx, cancel: &Cancel) -> Result<(Vec<NodeIx>, bool), Cancelled> {
        let graph = self.graph;
        let from_test = is_test(graph, start);
        let own = self.of(start);
        let near: FxHashSet<NodeIx> = own.to.iter().map(|(node, _)| *node).collect();
        let is_kin = |other: NodeIx| graph.parent(other) == Some(start) || graph.parent(start) == Some(other);
        let mut between: Vec<(NodeIx, Rc<Step>)> =
            own.list_compared().iter().map(|(node, _)| (*node, self.of(*node))).collect();
        // Rare neighbours first: they say more, and common ones would use up the limit.
        between.sort_by(|a, b| a.1.to.len().cmp(&b.1.to.len()).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
        let mut shared: FxHashMap<NodeIx, usize> = FxHashMap::default();
        let (mut looked, mut is_cut) = (0, false);
        for (_, step) in &between {
            cancel.check()?;
            looked += step.to.len();
            if looked > LOOKED_AT {
                is_cut = true;
                break;
            }
            for &(other, _) in &step.to {
                let is_like = graph.kind(other) == graph.kind(start) && (from_test || !is_test(graph, other));
                if other != start && is_like && !near.contains(&other) && !is_kin(other) {
                    *shared.entry(other).or_default() += 1;
                }
            }
        }
        let mut candidates: Vec<(NodeIx, usize)> =
            shared.into_iter().filter(|(_, shared)| *shared >= LEAST_SHARED).collect();
        // Ties by id, so that the limit always drops the same nodes.
        candidates.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
        is_cut |= candidates.len() > CANDIDATES;
        Ok((candidates.into_iter().take(CANDIDATES).map(|(node, _)| node).collect(), is_cut))
    }

    /// The pair of a start and a candidate, if they are alike; `with_itself` is the start's self-correlation.
    fn pair(&mut self, start: NodeIx, other: NodeIx, with_itself: f64) -> Option<SympatheticPair> {
        let spread = with_itself * (self.meeting(other, other).0 - 1.0);
        let (meeting, shared) = self.meeting(start, other);
        let coupling = if spread > 0.0 { round_sum((meeting - 1.0) / spread.sqrt()) } else { 0.0 };
        if coupling < LEAST_COUPLING || shared.len() < LEAST_SHARED {
            return None;
        }
        let shared_total = shared.len();
        let mut weighed: Vec<(f64, NodeIx)> = shared.into_iter().map(|node| (self.of(node).weight, node)).collect();
        let id = |node: NodeIx| self.graph.id(node);
        weighed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| id(a.1).cmp(id(b.1))));
        let shared = weighed.into_iter().take(NAMED).map(|(_, node)| node).collect();
        Some(SympatheticPair { a: start, b: other, coupling, shared, shared_total })
    }
}

/// Nodes with neighbours like those of one node.
///
/// # Errors
/// [`Cancelled`].
pub(crate) fn alike_to(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<Alike, Cancelled> {
    alike(snapshot.graph(), &[node], spread_weights(snapshot, cancel)?.total(), cancel)
}

/// Nodes whose connections go where those of the starts go, without an edge between.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn alike(graph: &Graph, starts: &[NodeIx], total: f64, cancel: &Cancel) -> Result<Alike, Cancelled> {
    let mut steps = Steps { graph, total, known: FxHashMap::default() };
    let (mut alike, mut in_part) = (Alike::default(), FxHashSet::default());
    for &start in starts.iter().filter(|start| !is_part(graph.kind(**start))) {
        let (candidates, is_cut) = steps.candidates(start, cancel)?;
        alike.more_candidates |= is_cut;
        let with_itself = steps.meeting(start, start).0 - 1.0;
        let mut own = Vec::new();
        for other in candidates {
            cancel.check()?;
            own.extend(steps.pair(start, other, with_itself));
            in_part.extend([start, other].into_iter().filter(|node| steps.of(*node).strongest.is_some()));
        }
        rank(graph, &mut own);
        let most = if starts.len() == 1 { PAIRS } else { PAIRS_OF_NODE };
        alike.more_pairs |= own.len() > most;
        own.truncate(most);
        let is_known = |pair: &SympatheticPair| alike.pairs.iter().any(|known| (known.a, known.b) == (pair.b, pair.a));
        own.retain(|pair| !is_known(pair));
        alike.pairs.extend(own);
    }
    rank(graph, &mut alike.pairs);
    alike.more_pairs |= alike.pairs.len() > PAIRS;
    alike.pairs.truncate(PAIRS);
    alike.in_part = in_part.into_iter().collect();
    alike.in_part.sort_unstable_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    Ok(alike)
}

fn rank(graph: &Graph, pairs: &mut [SympatheticPair]) {
    pairs.sort_by(|x, y| {
        let ids = |pair: &SympatheticPair| (graph.id(pair.a), graph.id(pair.b));
        y.coupling.total_cmp(&x.coupling).then(y.shared_total.cmp(&x.shared_total)).then_with(|| ids(x).cmp(&ids(y)))
    });
}
