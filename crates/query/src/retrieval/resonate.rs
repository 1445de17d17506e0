//! Code tied to a start at several scales: from direct collaborators to the part of the project it belongs to.
//!
//! Each scale is a personalised PageRank with a given mean number of steps before a restart ([`m1nd_graph::spread`]),
//! minus the stationary share of each node. A node belongs to the scale at which it has the largest share of the mass
//! that left the start. Without a start, the anchors of the project are returned instead: the most important nodes,
//! none of which is near another.

use super::activate::spread_weights;
use super::seek_given;
use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_graph::spread::{self, Near, Spread, SpreadQuery, SpreadWeights};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::SeekQuery;
use super::activate::seeds_of;
use super::alike::{Alike, alike};
use crate::calls::is_test;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Steps that a walk takes on average, scale by scale.
const SCALES: [u32; 5] = [1, 2, 4, 8, 16];
/// Steps for the parts of a whole project.
const GLOBAL_STEPS: u32 = 4;
/// Mass that may wait at a node, times the weight of its edges.
const TOLERANCE: f64 = 1e-4;
/// Maximum edges visited per scale.
const MAX_EDGES: usize = 200_000;
/// Parts of a project that are looked for, and nodes that may be the anchor of one.
const MAX_PARTS: usize = 12;
const ANCHORS: usize = 400;
/// A node with this amplitude from an anchor is no anchor itself.
const COVERED: f64 = 0.25;
/// Times more of a walk at a coarser scale before a node counts for that.
const CLEAR: f64 = 1.02;
/// Less amplitude is not shown.
const LEAST: f64 = 0.02;
/// Where to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResonateFrom {
    /// At the matches of these words.
    Words(String),
    /// At a node.
    Node(NodeIx),
    /// Nowhere: the whole project.
    Everywhere,
}

/// A node tied to the start, or to an anchor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResonateRow {
    /// The node.
    pub node: NodeIx,
    /// Strength, 0 to 1: the root of the remaining mass at its scale, times the logarithm of its lift (from a start),
    /// relative to the largest value of any node.
    pub amplitude: f64,
    /// Number of its group, from 1.
    pub group: usize,
}

/// A scale, or a part of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct ResonateGroup {
    /// From 1.
    pub number: usize,
    /// Steps that a walk takes on average.
    pub steps: u32,
    /// The anchor, of a part.
    pub anchor: Option<NodeIx>,
    /// Nodes of the group.
    pub size: usize,
    /// Share of the mass that left the start, above chance, at nodes of the group, 0 to 1.
    pub energy: f64,
}

/// Code tied to a start.
#[derive(Debug, Clone, Default)]
pub struct ResonateAnswer {
    /// Start nodes, with their share.
    pub seeds: Vec<(NodeIx, f64)>,
    /// Rows by group, the strongest first within each.
    pub rows: Vec<ResonateRow>,
    /// Scales or parts that have rows.
    pub groups: Vec<ResonateGroup>,
    /// Nodes with similar neighbours.
    pub alike: Alike,
    /// Some scale reached its limit of edges.
    pub incomplete: bool,
}

/// Mass above chance.
type Left = Vec<Above>;

/// Mass above chance at a node.
struct Above {
    node: NodeIx,
    left: f64,
    /// Times more than a walk from anywhere has there.
    lift: f64,
}

/// Returns code tied to a start at several scales, or the parts of the project. History contributes to the matches of
/// words.
///
/// # Errors
/// [`Cancelled`].
pub fn resonate(
    snapshot: &Snapshot,
    from: &ResonateFrom,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<ResonateAnswer, Cancelled> {
    let graph = snapshot.graph();
    let weights = spread_weights(snapshot, cancel)?;
    let seeds = match from {
        ResonateFrom::Node(node) => vec![(*node, 1.0)],
        ResonateFrom::Words(text) => {
            let words = SeekQuery { text: text.clone(), graph_rerank: true, ..SeekQuery::default() };
            seeds_of(graph, &seek_given(snapshot, &words, history, cancel)?.rows)
        }
        ResonateFrom::Everywhere => return parts(snapshot, &weights, cancel),
    };
    let mut answer = ResonateAnswer { seeds, ..ResonateAnswer::default() };
    if answer.seeds.is_empty() {
        return Ok(answer);
    }
    let mut scales: Vec<Left> = Vec::new();
    // Short walks find what belongs to the start, long ones what belongs to its surroundings.
    for steps in SCALES {
        let near = walk(graph, &answer.seeds, steps, &weights, cancel)?;
        answer.incomplete |= near.incomplete;
        scales.push(measure_left(graph, &near, &answer.seeds));
    }
    by_scale(graph, &scales, &mut answer);
    let starts: Vec<NodeIx> = answer.seeds.iter().map(|(node, _)| *node).collect();
    answer.alike = alike(graph, &starts, weights.total(), cancel)?;
    Ok(answer)
}

/// The parts of the project, each around an anchor.
fn parts(snapshot: &Snapshot, weights: &SpreadWeights, cancel: &Cancel) -> Result<ResonateAnswer, Cancelled> {
    let graph = snapshot.graph();
    let mut answer = ResonateAnswer::default();
    let mut covered: FxHashSet<NodeIx> = FxHashSet::default();
    let mut best: FxHashMap<NodeIx, (f64, usize)> = FxHashMap::default();
    // Each anchor covers the code around it, so the next one lies in another part of the project.
    for anchor in anchors(graph) {
        if answer.seeds.len() >= MAX_PARTS {
            break;
        }
        if covered.contains(&anchor) || graph.file(anchor).is_some_and(|file| covered.contains(&file)) {
            continue;
        }
        let near = walk(graph, &[(anchor, 1.0)], GLOBAL_STEPS, weights, cancel)?;
        answer.incomplete |= near.incomplete;
        let left = measure_left(graph, &near, &[]);
        let most = left.iter().map(|above| above.left).fold(0.0, f64::max);
        if most <= 0.0 {
            continue;
        }
        answer.seeds.push((anchor, 0.0));
        for Above { node, left, .. } in left {
            let amplitude = (left / most).sqrt();
            if amplitude >= COVERED {
                covered.insert(node);
            }
            // A node belongs to the part where it is loudest.
            let known = best.entry(node).or_insert((0.0, 0));
            if amplitude > known.0 {
                *known = (amplitude, answer.seeds.len());
            }
        }
        covered.insert(anchor);
    }
    // Last, the share of each part in the whole.
    let share = 1.0 / answer.seeds.len().max(1) as f64;
    answer.seeds.iter_mut().for_each(|(_, seed)| *seed = share);
    for (node, (amplitude, group)) in best {
        if amplitude >= LEAST {
            answer.rows.push(ResonateRow { node, amplitude: round_sum(amplitude), group });
        }
    }
    sort(graph, &mut answer.rows);
    let all: f64 = answer.rows.iter().map(|row| row.amplitude.powi(2)).sum();
    for (number, &(anchor, _)) in (1..).zip(&answer.seeds) {
        let own = || answer.rows.iter().filter(|row| row.group == number);
        let energy = own().map(|row| row.amplitude.powi(2)).sum::<f64>() / all.max(f64::MIN_POSITIVE);
        let (size, anchor) = (own().count(), Some(anchor));
        answer.groups.push(ResonateGroup { number, steps: GLOBAL_STEPS, anchor, size, energy: round_sum(energy) });
    }
    let starts: Vec<NodeIx> = answer.seeds.iter().map(|(node, _)| *node).collect();
    answer.alike = alike(graph, &starts, weights.total(), cancel)?;
    Ok(answer)
}

/// Rounds: the last bits of sums depend on the order of edges, which is meaningless.
pub(super) fn round_sum(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

fn walk(
    graph: &Graph,
    starts: &[(NodeIx, f64)],
    steps: u32,
    weights: &SpreadWeights,
    cancel: &Cancel,
) -> Result<Spread, Cancelled> {
    let steps = f64::from(steps);
    // A walk that returns with this chance at each step takes `steps` of them on average.
    let bounds = SpreadQuery { restart: 1.0 / (1.0 + steps), tolerance: TOLERANCE, max_edges: MAX_EDGES };
    spread::spread(graph, starts, &bounds, weights, cancel)
}

/// Mass above chance of each node, without parts of other nodes and members of the starts.
fn measure_left(graph: &Graph, near: &Spread, starts: &[(NodeIx, f64)]) -> Left {
    let is_start = |node: NodeIx| starts.iter().any(|(start, _)| *start == node);
    let is_inside = |node: NodeIx| graph.ancestors(node).any(is_start);
    // Tests are near everything they test, and would hide other nodes.
    let from_test = starts.iter().any(|(start, _)| is_test(graph, *start));
    let is_row = |node: NodeIx| !is_part(graph.kind(node)) && (from_test || !is_test(graph, node));
    let rows = near.nodes.iter().filter(|near| is_row(near.node) || is_start(near.node));
    let rows = rows.filter(|near| is_start(near.node) || !is_inside(near.node));
    let above = |near: &Near| Above { node: near.node, left: near.share - near.share / near.lift, lift: near.lift };
    rows.filter(|near| near.lift > 1.0).map(above).collect()
}

/// Kinds that add nothing to their owner.
pub(super) fn is_part(kind: NodeKind) -> bool {
    use NodeKind::{Constant, Directory, Field, Variable, Variant};
    kind.is_outside() || matches!(kind, Field | Variable | Variant | Constant | Directory)
}

/// The scale with the largest share of mass at a node.
#[derive(Clone, Copy, Default)]
struct Peak {
    share: f64,
    scale: usize,
    lift: f64,
}

impl Peak {
    /// How specific the share is to the start: low for nodes that walks from elsewhere reach as well (contribution to
    /// the relative entropy).
    fn telling(&self) -> f64 {
        self.share * self.lift.ln()
    }
}

/// Assigns every node to the scale with its largest share of mass.
fn by_scale(graph: &Graph, scales: &[Left], answer: &mut ResonateAnswer) {
    let starts: FxHashSet<NodeIx> = answer.seeds.iter().map(|(node, _)| *node).collect();
    let mut peak: FxHashMap<NodeIx, Peak> = FxHashMap::default();
    for (scale, left) in scales.iter().enumerate() {
        let away = || left.iter().filter(|above| !starts.contains(&above.node));
        let all: f64 = away().map(|above| above.left).sum();
        for &Above { node, left, lift } in away() {
            let known = peak.entry(node).or_default();
            // Ties within the margin go to the finer scale.
            if left / all > known.share * CLEAR {
                *known = Peak { share: left / all, scale, lift };
            }
        }
    }
    let mut peaks: Vec<(NodeIx, Peak)> = peak.into_iter().collect();
    peaks.sort_by(|a, b| graph.id(a.0).cmp(graph.id(b.0)));
    let mut most = vec![0.0f64; scales.len()];
    let mut sums = vec![0.0f64; scales.len()];
    for (_, peak) in &peaks {
        most[peak.scale] = most[peak.scale].max(peak.telling());
        sums[peak.scale] += peak.share;
    }
    for (node, peak) in peaks {
        let amplitude = round_sum((peak.telling() / most[peak.scale]).sqrt());
        if amplitude >= LEAST {
            answer.rows.push(ResonateRow { node, amplitude, group: peak.scale + 1 });
        }
    }
    sort(graph, &mut answer.rows);
    for (scale, &steps) in SCALES.iter().enumerate() {
        let size = answer.rows.iter().filter(|row| row.group == scale + 1).count();
        if size > 0 {
            let energy = round_sum(sums[scale].min(1.0));
            answer.groups.push(ResonateGroup { number: scale + 1, steps, anchor: None, size, energy });
        }
    }
}

fn sort(graph: &Graph, rows: &mut [ResonateRow]) {
    rows.sort_by(|a, b| {
        let ids = || graph.id(a.node).cmp(graph.id(b.node));
        a.group.cmp(&b.group).then(b.amplitude.total_cmp(&a.amplitude)).then_with(ids)
    });
}

/// The most important nodes that a part can be around, most important first.
fn anchors(graph: &Graph) -> Vec<NodeIx> {
    use NodeKind::{Class, Enum, File, Interface, Module, Struct, Trait};
    let is_anchor = |node: &NodeIx| {
        matches!(graph.kind(*node), Class | Enum | File | Interface | Module | Struct | Trait) && !is_test(graph, *node)
    };
    let mut nodes: Vec<NodeIx> = graph.nodes().filter(is_anchor).collect();
    let by_rank = |a: &NodeIx, b: &NodeIx| {
        graph.pagerank(*b).total_cmp(&graph.pagerank(*a)).then_with(|| graph.id(*a).cmp(graph.id(*b)))
    };
    if nodes.len() > ANCHORS {
        nodes.select_nth_unstable_by(ANCHORS, by_rank);
        nodes.truncate(ANCHORS);
    }
    nodes.sort_by(by_rank);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_walks_from_anywhere_come_by_tells_little() {
        let telling = |share: f64, lift: f64| Peak { share, scale: 0, lift }.telling();
        assert!(telling(0.2, 3.0) < telling(0.1, 300.0), "a logger beside what only the start uses");
        assert!(telling(0.2, 300.0) > telling(0.1, 300.0) && telling(0.9, 1.0) == 0.0);
    }
}
