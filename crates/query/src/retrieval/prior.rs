//! Adjustments of scores beyond the query: priming by the agent's task, and feedback on similar queries. Applied
//! once, after the ranking, which knows nothing of it.

use m1nd_base::{Cancel, Cancelled, ContentHash};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::activate::{above_chance, seeds_of, spread_weights};
use super::feedback::{Feedback, Ledger, Says};
use super::seek::second_score;
use super::{ActivateAnswer, ActivateQuery, SeekAnswer, SeekQuery, activate_given, seek, seek_given};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Nodes that one task primes, the nearest.
const MAX_PRIMED: usize = 200;
/// Minimum nearness to a task for priming.
const LEAST_NEAR: f64 = 0.05;
/// Chance to return to the task's own nodes at each step: about two steps away.
const RESTART: f64 = 0.4;
/// Factor of full-strength feedback on the same query: multiplies or divides the score.
const TOLD_SPAN: f64 = 4.0;

/// Code of a task: the nodes that match its words, and nodes within about two steps.
#[derive(Debug, Clone, Default)]
pub struct PrimingPlan {
    /// The nodes that meet the words, with their share, best first.
    pub seeds: Vec<(NodeIx, f64)>,
    /// Nodes with their nearness, 0 to 1, nearest first; the seeds are among them.
    pub nodes: Vec<(NodeIx, f64)>,
}

/// An agent's announced task.
#[derive(Debug, Clone, Copy)]
pub struct PrimedTask<'a> {
    /// In words.
    pub task: &'a str,
    /// Remaining strength, 0 to 1.
    pub strength: f64,
    /// Ids of the nodes it is about with their nearness, 0 to 1: numbers of nodes do not outlive a snapshot.
    pub nodes: &'a [(String, f64)],
}

/// The priming that had a part in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimedBy {
    /// The announced task.
    pub task: String,
    /// Remaining strength, 0 to 1: the nearest node gains this share of its score.
    pub strength: f64,
    /// Nodes of the priming that are still there.
    pub nodes: usize,
}

/// Feedback on a node, summed up for one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// -1 (wrong) to 1 (right).
    pub weight: f64,
    /// Entries of the ledger that it comes from, oldest first.
    pub entries: Vec<i64>,
    /// The feedback was on the node itself, not only on its owner.
    pub is_itself: bool,
}

/// An entry of the feedback ledger on a question like the one asked.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackEntry {
    /// Its number.
    pub id: i64,
    /// The feedback.
    pub feedback: Feedback,
    /// The query of the feedback.
    pub query: String,
    /// Similarity of the queries, up to 1.
    pub similarity: f64,
    /// Whole days since.
    pub age_days: u64,
}

/// Priming and feedback for a query.
#[derive(Debug, Clone, Default)]
pub struct Prior {
    entries: Vec<FeedbackEntry>,
    gone: Vec<String>,
    unavailable: Option<String>,
    by: Option<PrimedBy>,
    primed: FxHashMap<NodeIx, f64>,
    told: FxHashMap<NodeIx, Told>,
}

impl Prior {
    /// Collects the adjustments for an agent's query `text` at `now_ms`: its priming, and feedback on similar
    /// queries. `unavailable` is the reason why the ledger could not be read, if so.
    pub fn of(
        snapshot: &Snapshot,
        text: &str,
        now_ms: u64,
        primed: Option<PrimedTask<'_>>,
        ledger: &Ledger,
        unavailable: Option<String>,
    ) -> Self {
        let Says { told, entries, gone } = ledger.says(text, snapshot, now_ms);
        let mut prior = Self { told, entries, gone, unavailable, ..Self::default() };
        if let Some(PrimedTask { task, strength, nodes }) = primed {
            let found = |(id, near): &(String, f64)| Some((snapshot.graph().find(id)?, near * strength));
            prior.primed = nodes.iter().filter_map(found).collect();
            prior.by = Some(PrimedBy { task: task.to_owned(), strength, nodes: prior.primed.len() });
        }
        prior
    }

    /// Entries of the ledger on questions like this one, oldest first.
    pub fn entries(&self) -> &[FeedbackEntry] {
        &self.entries
    }

    /// Ids of nodes with feedback that no longer exist.
    pub fn list_gone(&self) -> &[String] {
        &self.gone
    }

    /// The reason why the ledger could not be read.
    pub fn unavailable(&self) -> Option<&str> {
        self.unavailable.as_deref()
    }

    /// Nodes marked right, by number.
    pub fn told_right(&self) -> Vec<NodeIx> {
        let mut nodes: Vec<NodeIx> =
            self.told.iter().filter(|(_, told)| told.weight > 0.0 && told.is_itself).map(|(node, _)| *node).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The priming, if the agent has one.
    pub fn primed_by(&self) -> Option<&PrimedBy> {
        self.by.as_ref()
    }

    /// Share that a node gets on top of its score for the priming.
    pub fn boost(&self, node: NodeIx) -> Option<f64> {
        self.primed.get(&node).copied()
    }

    /// Feedback on a node.
    pub fn feedback_on(&self, node: NodeIx) -> Option<&Told> {
        self.told.get(&node)
    }

    /// Factor for a score: 1 without information, at most 8, at least ¼.
    pub fn factor(&self, node: NodeIx) -> f64 {
        let told = self.feedback_on(node).map_or(0.0, |told| told.weight);
        (1.0 + self.boost(node).unwrap_or(0.0)) * TOLD_SPAN.powf(told)
    }

    /// Returns whether it moves nothing, whatever the rows.
    pub fn is_empty(&self) -> bool {
        self.primed.is_empty() && self.told.is_empty()
    }

    /// A hash of the effect on rows: equal for equal effects, in every process. 0 without an effect.
    pub fn state(&self, graph: &Graph) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let mut nodes: Vec<NodeIx> = self.primed.keys().chain(self.told.keys()).copied().collect();
        nodes.sort_unstable_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
        nodes.dedup();
        let mut bytes = Vec::new();
        for node in nodes {
            bytes.extend_from_slice(graph.id(node).as_bytes());
            bytes.extend_from_slice(&self.factor(node).to_le_bytes());
        }
        ContentHash::of(&bytes).short()
    }

    /// Multiplies the scores and sorts. A score stays at most 1; rows that would exceed it keep their order.
    fn reorder<R>(&self, graph: &Graph, rows: &mut Vec<R>, node: fn(&R) -> NodeIx, score: fn(&mut R) -> &mut f64) {
        if !rows.iter().any(|row| self.factor(node(row)) != 1.0) {
            return;
        }
        let weigh = |mut row: R| {
            let value = *score(&mut row) * self.factor(node(&row));
            *score(&mut row) = value.min(1.0);
            (value, row)
        };
        let mut weighed: Vec<(f64, R)> = rows.drain(..).map(weigh).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| graph.id(node(&a.1)).cmp(graph.id(node(&b.1)))));
        rows.extend(weighed.into_iter().map(|(_, row)| row));
    }
}

/// [`seek_given`] with priming and feedback.
///
/// # Errors
/// [`Cancelled`].
pub fn seek_with(
    snapshot: &Snapshot,
    query: &SeekQuery,
    prior: &Prior,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<SeekAnswer, Cancelled> {
    if prior.is_empty() {
        return seek_given(snapshot, query, history, cancel);
    }
    // Adjustments may lift a row over the minimum score, or push it below.
    let mut answer = seek_given(snapshot, &SeekQuery { min_score: 0.0, ..query.clone() }, history, cancel)?;
    prior.reorder(snapshot.graph(), &mut answer.rows, |row| row.node, |row| &mut row.score);
    let before = answer.rows.len();
    answer.second_score = second_score(&answer.rows);
    answer.rows.retain(|row| row.score >= query.min_score);
    answer.below_min_score += before - answer.rows.len();
    let is_met = |word: &String| answer.rows.iter().any(|row| row.meets(word));
    answer.unmatched = answer.words.iter().filter(|word| !is_met(word)).cloned().collect();
    Ok(answer)
}

/// [`activate_given`] with priming and feedback.
///
/// # Errors
/// [`Cancelled`].
pub fn activate_with(
    snapshot: &Snapshot,
    query: &ActivateQuery,
    prior: &Prior,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<ActivateAnswer, Cancelled> {
    let mut answer = activate_given(snapshot, query, history, cancel)?;
    prior.reorder(snapshot.graph(), &mut answer.rows, |row| row.node, |row| &mut row.activation);
    Ok(answer)
}

/// Determines the code of a task.
///
/// # Errors
/// [`Cancelled`].
pub fn priming_plan(snapshot: &Snapshot, task: &str, cancel: &Cancel) -> Result<PrimingPlan, Cancelled> {
    let graph = snapshot.graph();
    let words = SeekQuery { text: task.to_owned(), graph_rerank: true, ..SeekQuery::default() };
    let seeds = seeds_of(graph, &seek(snapshot, &words, cancel)?.rows);
    let bounds = m1nd_graph::spread::SpreadQuery { restart: RESTART, ..Default::default() };
    let near = m1nd_graph::spread::spread(graph, &seeds, &bounds, &*spread_weights(snapshot, cancel)?, cancel)?;
    let mut nodes: Vec<(NodeIx, f64)> =
        above_chance(&near).into_iter().filter(|(_, near)| *near >= LEAST_NEAR).collect();
    nodes.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| graph.id(a.0).cmp(graph.id(b.0))));
    nodes.truncate(MAX_PRIMED);
    Ok(PrimingPlan { seeds, nodes })
}
