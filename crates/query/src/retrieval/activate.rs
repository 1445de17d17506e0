//! Finds the code of a topic: from the nodes that match the words to connected ones, by four kinds of evidence.

use super::seek_given;
use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_graph::reach::{self, ReachQuery, Side};
use m1nd_graph::spread::{self, SpreadQuery, SpreadWeights};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::SeekQuery;
use super::unlinked::{self, GhostEdge, Strongest, StructuralHole};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Best matches of the words that everything starts from.
const SEEDS: usize = 8;
/// A match with less of the best one's score is no seed.
const SEED_SHARE: f64 = 0.3;
/// Edges of a change that are followed.
const CAUSAL_HOPS: u32 = 2;
/// Chance of a change below which it is not followed.
const CAUSAL_STRENGTH: f64 = 0.05;
/// Nodes that changes are followed to.
const CAUSAL_NODES: usize = 1_000;
/// Weight of a seed's dependency relative to a dependent.
const UPSTREAM_SHARE: f64 = 0.7;
/// Files that changed together with one file, at most.
const PARTNERS: usize = 50;
/// Days after which the last change of a file counts half.
const HALF_LIFE_DAYS: f64 = 7.0;
/// Share of recency in the temporal evidence for a seed's own file; the rest is the frequency of changes.
const RECENCY_SHARE: f64 = 0.6;
/// Commits in [`CHURN_DAYS`] with which a file counts as changing all the time.
const FULL_CHURN: f64 = 10.0;
const CHURN_DAYS: f64 = 90.0;
/// Levels of headings that are followed up.
const DEPTH: usize = 16;
/// A row needs more than this in one dimension.
const LEAST: f64 = 0.01;

/// A kind of evidence that a node belongs to a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// It is near the seeds in the graph, nearer than chance.
    Structural,
    /// Its own words meet the query.
    Semantic,
    /// Its file changed lately, or together with the seeds' files.
    Temporal,
    /// A change of a seed can reach it, or the other way.
    Causal,
}

impl Dimension {
    /// All, in the order of answers.
    pub const ALL: [Self; 4] = [Self::Structural, Self::Semantic, Self::Temporal, Self::Causal];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Semantic => "semantic",
            Self::Temporal => "temporal",
            Self::Causal => "causal",
        }
    }

    /// The dimension with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dimension| dimension.word() == word)
    }

    /// Its share of the score if all four are available.
    const fn weight(self) -> f64 {
        match self {
            Self::Structural => 0.35,
            Self::Semantic | Self::Causal => 0.25,
            Self::Temporal => 0.15,
        }
    }
}

/// A query for the code of a topic.
#[derive(Debug, Clone)]
pub struct ActivateQuery {
    /// Words, names, paths.
    pub text: String,
    /// Dimensions to use; all if empty.
    pub dimensions: Vec<Dimension>,
    /// Subtracts the nearness that hubs have to everything.
    pub above_chance: bool,
    /// Look for pairs of files that belong together with no connection in the code.
    pub ghost_edges: bool,
    /// Look for nodes that many of the found ones are connected with and that are not found themselves.
    pub structural_holes: bool,
    /// Most rows.
    pub max_rows: usize,
}

/// A node that belongs to the topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivateRow {
    /// The node.
    pub node: NodeIx,
    /// Sum of its dimensions by their weights, 0 to 1. The weights of dimensions that do not count are shared out.
    pub activation: f64,
    /// Evidence by [`Dimension::ALL`], each 0 to 1; `None` where the dimension does not count.
    pub dimensions: [Option<f64>; 4],
    /// Nearness to the seeds relative to chance; `None` if it is not near.
    pub lift: Option<f64>,
    /// It is one of the seeds.
    pub is_seed: bool,
}

/// The code of a topic.
#[derive(Debug, Clone, Default)]
pub struct ActivateAnswer {
    /// Nodes that everything starts from, with their share of the start, best first.
    pub seeds: Vec<(NodeIx, f64)>,
    /// Rows, best first.
    pub rows: Vec<ActivateRow>,
    /// Rows before the cap.
    pub total_rows: usize,
    /// Pairs of files without a connection in the code.
    pub ghost_edges: Strongest<GhostEdge>,
    /// Nodes that may be missing among the rows.
    pub structural_holes: Strongest<StructuralHole>,
    /// Dimensions that were asked for and could not be computed, with the reason.
    pub unavailable: Vec<(Dimension, String)>,
    /// The neighbourhood is larger than the part that was visited.
    pub incomplete: bool,
    /// More nodes meet a word than were ranked: the others have no part in [`Dimension::Semantic`].
    pub unranked_words: bool,
}

pub(super) type Scores = FxHashMap<NodeIx, f64>;

impl ActivateQuery {
    fn counts(&self, dimension: Dimension) -> bool {
        self.dimensions.is_empty() || self.dimensions.contains(&dimension)
    }

    /// Returns whether it needs git history.
    pub fn needs_history(&self) -> bool {
        self.counts(Dimension::Temporal) || self.ghost_edges
    }
}

/// Returns the code of a topic. Updates the history if the query needs it, and changes nothing else: repeated queries
/// give the same answer.
///
/// # Errors
/// [`Cancelled`].
pub fn activate(snapshot: &Snapshot, query: &ActivateQuery, cancel: &Cancel) -> Result<ActivateAnswer, Cancelled> {
    let history = if query.needs_history() { Some(snapshot.history(cancel)) } else { snapshot.loaded_history() };
    activate_given(snapshot, query, history.as_ref(), cancel)
}

/// Like [`activate`], with the given history.
///
/// # Errors
/// [`Cancelled`].
pub fn activate_given(
    snapshot: &Snapshot,
    query: &ActivateQuery,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<ActivateAnswer, Cancelled> {
    cancel.check()?;
    let graph = snapshot.graph();
    let words = SeekQuery { text: query.text.clone(), graph_rerank: true, ..SeekQuery::default() };
    // The seeds come from the same history as everything else.
    let found = seek_given(snapshot, &words, history, cancel)?;
    let mut answer = ActivateAnswer { seeds: seeds_of(graph, &found.rows), ..ActivateAnswer::default() };
    if answer.seeds.is_empty() {
        return Ok(answer);
    }
    answer.unranked_words = query.counts(Dimension::Semantic) && found.is_cut;
    let none = ProjectHistory::default();
    let history = history.unwrap_or(&none);
    let weights = spread_weights(snapshot, cancel)?;
    let causal = || query.counts(Dimension::Causal).then(|| causal(snapshot, &answer.seeds, cancel)).transpose();
    let near = || spread::spread(graph, &answer.seeds, &SpreadQuery::default(), &weights, cancel);
    let (near, causal) = rayon::join(near, causal);
    let (near, causal) = (near?, causal?);
    answer.incomplete |= near.incomplete || causal.as_ref().is_some_and(|(_, is_cut)| *is_cut);
    let mut causal = causal.map(|(scores, _)| scores);
    let mut scores: [Option<Scores>; 4] = Default::default();
    for (at, dimension) in Dimension::ALL.into_iter().enumerate().filter(|(_, one)| query.counts(*one)) {
        scores[at] = match dimension {
            Dimension::Structural => Some(structural(&near, query.above_chance)),
            Dimension::Semantic => Some(found.rows.iter().map(|row| (row.node, row.alone)).collect()),
            Dimension::Temporal if history.is_known() => Some(temporal(snapshot, &answer.seeds, history)),
            Dimension::Temporal => {
                let gaps = history.gaps().join("; ");
                let why = if gaps.is_empty() { "no history is loaded".to_owned() } else { gaps };
                answer.unavailable.push((dimension, why));
                None
            }
            Dimension::Causal => causal.take(),
        };
    }
    let lifts: Scores = near.nodes.iter().map(|near| (near.node, near.lift)).collect();
    let mut rows = combine_rows(graph, &scores, &lifts, &answer.seeds);
    answer.total_rows = rows.len();
    keep_best(graph, &mut rows, query.max_rows.max(unlinked::ROWS_READ));
    if query.ghost_edges {
        answer.ghost_edges = unlinked::ghost_edges(snapshot, &rows, history, cancel)?;
    }
    if query.structural_holes {
        answer.structural_holes = unlinked::structural_holes(graph, &near, &rows, weights.total(), cancel)?;
    }
    rows.truncate(query.max_rows);
    answer.rows = rows;
    Ok(answer)
}

/// Weights of the edges, summed up once a snapshot.
pub(super) fn spread_weights(snapshot: &Snapshot, cancel: &Cancel) -> Result<Arc<SpreadWeights>, Cancelled> {
    snapshot.derived_values().get_or_try_init(|| SpreadWeights::of(snapshot.graph(), cancel))
}

/// Nodes that a change of the seeds can reach, and nodes that can reach them. Symbols only, because a change reaches
/// nearly every file through imports. Also returns whether there are more than were followed.
fn causal(snapshot: &Snapshot, shares: &[(NodeIx, f64)], cancel: &Cancel) -> Result<(Scores, bool), Cancelled> {
    let graph = snapshot.graph();
    let seeds: Vec<NodeIx> = shares.iter().map(|(seed, _)| *seed).collect();
    let best = shares.first().map_or(1.0, |(_, share)| *share);
    // A seed is where the change is.
    let mut scores: Scores = shares.iter().map(|(seed, share)| (*seed, share / best)).collect();
    let mut is_cut = false;
    for (side, weight) in [(Side::Dependents, 1.0), (Side::Dependencies, UPSTREAM_SHARE)] {
        let bounds = ReachQuery { side, max_hops: CAUSAL_HOPS, min_strength: CAUSAL_STRENGTH, max_nodes: CAUSAL_NODES };
        let reach = reach::reach(graph, &seeds, &bounds, cancel)?;
        is_cut |= reach.rows.len() >= CAUSAL_NODES;
        for row in reach.rows.iter().filter(|row| graph.kind(row.node) != NodeKind::File) {
            let score = scores.entry(row.node).or_default();
            *score = score.max(row.strength * weight);
        }
    }
    Ok((scores, is_cut))
}

/// Temporal evidence: for files of seeds, recency and frequency of changes; for others, how regularly they change
/// together with those. Symbols inherit it only from files of seeds.
fn temporal(snapshot: &Snapshot, seeds: &[(NodeIx, f64)], history: &ProjectHistory) -> Scores {
    let graph = snapshot.graph();
    let best = seeds.first().map_or(1.0, |(_, share)| *share);
    let mut scores = Scores::default();
    let mut files: BTreeMap<&str, f64> = BTreeMap::new();
    for &(seed, share) in seeds {
        let at = files.entry(graph.path(seed)).or_default();
        *at = at.max(share / best);
        if let Some(own) = history.file(graph.path(seed)) {
            let recency = (-own.age_days() / HALF_LIFE_DAYS).exp2();
            let churn = (own.commits_within(CHURN_DAYS) as f64 / FULL_CHURN).min(1.0);
            scores.insert(seed, share / best * (RECENCY_SHARE * recency + (1.0 - RECENCY_SHARE) * churn));
        }
    }
    for (path, share) in files {
        for partner in history.partners(path, PARTNERS) {
            let Some(file) = graph.find_file(&partner.path) else { continue };
            let score = scores.entry(file).or_default();
            *score = score.max(share * partner.partner.score);
        }
    }
    scores
}

/// The best matches, each with its share.
pub(super) fn seeds_of(graph: &Graph, rows: &[super::SeekRow]) -> Vec<(NodeIx, f64)> {
    let mut rows: Vec<&super::SeekRow> = rows.iter().collect();
    // A stable sort: pages set rows of one file apart, seeds do not.
    rows.sort_by(|a, b| b.alone.total_cmp(&a.alone));
    let best = rows.first().map_or(0.0, |row| row.alone);
    let mut seeds: Vec<(NodeIx, f64)> = Vec::new();
    for row in rows.into_iter().filter(|row| row.alone > 0.0 && row.alone >= best * SEED_SHARE) {
        // A part of a seed adds nothing.
        let is_inside = graph.parent(row.node).is_some_and(|parent| seeds.iter().any(|(seed, _)| *seed == parent));
        if !is_inside && !is_copy(graph, row.node) && seeds.len() < SEEDS {
            seeds.push((row.node, row.alone));
        }
    }
    let sum: f64 = seeds.iter().map(|(_, score)| score).sum();
    seeds.iter_mut().for_each(|(_, score)| *score /= sum);
    seeds
}

/// Returns whether an adapter made a node of a document, or of a section, that is a file of the index, or a section of
/// it, as well: the document is one thing.
fn is_copy(graph: &Graph, node: NodeIx) -> bool {
    if !graph.flags(node).has(NodeFlags::IMPORTED) || !matches!(graph.kind(node), NodeKind::Section | NodeKind::Concept)
    {
        return false;
    }
    let owner = |of: NodeIx| graph.in_edges(of).find(|edge| edge.relation == Relation::Contains).map(|edge| edge.from);
    let Some(root) = std::iter::successors(Some(node), |&inner| owner(inner)).take(DEPTH).last() else { return false };
    let documents = graph.out_edges(root).find(|edge| edge.relation == Relation::Documents);
    let Some(file) = documents.map(|edge| edge.to).filter(|to| graph.kind(*to) == NodeKind::File) else { return false };
    let is_section =
        |other: &NodeIx| graph.kind(*other) == NodeKind::Section && graph.label(*other) == graph.label(node);
    node == root || graph.kind(node) == NodeKind::Section && graph.of_file(file).iter().any(is_section)
}

/// Nearness above chance of the nodes, see [`structural`].
pub(super) fn above_chance(near: &spread::Spread) -> Scores {
    structural(near, true)
}

/// Nearness of the nodes, relative to the nearest. Above chance, stationary shares are subtracted first, so that hubs
/// only keep what they owe to the seeds.
fn structural(near: &spread::Spread, above_chance: bool) -> Scores {
    let value = |near: &spread::Near| {
        if above_chance && near.lift > 0.0 { (near.share - near.share / near.lift).max(0.0) } else { near.share }
    };
    let most = near.nodes.iter().map(value).fold(0.0, f64::max);
    if most <= 0.0 {
        return Scores::default();
    }
    // Shares fall by a power with every step; the root keeps nodes two steps away visible.
    near.nodes.iter().map(|near| (near.node, (value(near) / most).sqrt())).collect()
}

/// All rows, in no order that means something.
fn combine_rows(
    graph: &Graph,
    scores: &[Option<Scores>; 4],
    lifts: &Scores,
    seeds: &[(NodeIx, f64)],
) -> Vec<ActivateRow> {
    let counted: f64 =
        Dimension::ALL.iter().zip(scores).filter(|(_, scores)| scores.is_some()).map(|(one, _)| one.weight()).sum();
    let nodes: FxHashSet<NodeIx> = scores.iter().flatten().flat_map(|scores| scores.keys().copied()).collect();
    let mut rows: Vec<ActivateRow> = Vec::with_capacity(nodes.len());
    for node in nodes {
        if graph.kind(node) == NodeKind::Directory || graph.kind(node).is_outside() || is_copy(graph, node) {
            continue;
        }
        let mut dimensions = [None; 4];
        let mut activation = 0.0;
        for (at, dimension) in Dimension::ALL.into_iter().enumerate() {
            let Some(scores) = &scores[at] else { continue };
            let value = scores.get(&node).copied().unwrap_or(0.0);
            dimensions[at] = Some(value);
            activation += dimension.weight() / counted * value;
        }
        if dimensions.iter().flatten().any(|value| *value > LEAST) {
            let is_seed = seeds.iter().any(|(seed, _)| *seed == node);
            // The last bits of sums depend on the order of edges, which is meaningless.
            let activation = (activation * 1e9).round() / 1e9;
            rows.push(ActivateRow { node, activation, dimensions, lift: lifts.get(&node).copied(), is_seed });
        }
    }
    rows
}

/// The first `count` rows, best first.
fn keep_best(graph: &Graph, rows: &mut Vec<ActivateRow>, count: usize) {
    let order = |a: &ActivateRow, b: &ActivateRow| {
        b.activation.total_cmp(&a.activation).then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
    };
    if rows.len() > count && count > 0 {
        rows.select_nth_unstable_by(count - 1, order);
        rows.truncate(count);
    }
    rows.sort_by(order);
}
