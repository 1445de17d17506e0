//! What speaks for or against nodes beside the words of a question: what an agent was primed with, and what agents told of
//! answers to questions like it. Applied once, after the ranking: the ranking itself knows nothing of it.

use m1nd_base::{Cancel, Cancelled, ContentHash};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::activate::{above_chance, seeds_of, spread_weights};
use super::feedback::{Ledger, Says};
use super::{ActivateAnswer, ActivateQuery, SeekAnswer, SeekQuery, activate_given, seek, seek_given};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Nodes that one task primes, the nearest.
const MAX_PRIMED: usize = 200;
/// What is less near a task than this is not primed.
const LEAST_NEAR: f64 = 0.05;
/// Chance to return to the task's own nodes at each step: about two steps away.
const RESTART: f64 = 0.4;
/// What feedback of full strength on the same question multiplies a score with, or divides it by.
const TOLD_SPAN: f64 = 4.0;

/// What a task is about: the nodes that meet its words, and what lies within about two steps of them.
#[derive(Debug, Clone, Default)]
pub struct PrimingPlan {
    /// The nodes that meet the words, with their share, best first.
    pub seeds: Vec<(NodeIx, f64)>,
    /// Nodes with their nearness, 0 to 1, nearest first; the seeds are among them.
    pub nodes: Vec<(NodeIx, f64)>,
}

/// What an agent said that it is about to do.
#[derive(Debug, Clone, Copy)]
pub struct PrimedTask<'a> {
    /// In words.
    pub task: &'a str,
    /// What is left of its strength, 0 to 1.
    pub strength: f64,
    /// Ids of the nodes it is about with their nearness, 0 to 1: numbers of nodes do not outlive a snapshot.
    pub nodes: &'a [(String, f64)],
}

/// The priming that had a part in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimedBy {
    /// What the agent said that it is about to do.
    pub task: String,
    /// What is left of its strength, 0 to 1: the nearest node gets this share on top of its score.
    pub strength: f64,
    /// Nodes of the priming that are still there.
    pub nodes: usize,
}

/// What agents told of a node, summed up for one question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// -1 (wrong) to 1 (right).
    pub weight: f64,
    /// Entries of the ledger that it comes from, oldest first.
    pub entries: Vec<i64>,
    /// It was told of the node itself, not only of what contains it.
    pub is_itself: bool,
}

/// An entry of the feedback ledger on a question like the one asked.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackEntry {
    /// Its number.
    pub id: i64,
    /// What was told.
    pub feedback: &'static str,
    /// What was asked then.
    pub query: String,
    /// How alike the questions are, to 1.
    pub similarity: f64,
    /// Whole days since.
    pub age_days: u64,
}

/// What is known of nodes beside a question.
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
    /// What speaks for nodes when an agent asks for `text` at `now_ms`: what it was primed with, and what the ledger says
    /// of questions like it. `unavailable` is why the ledger could not be read, if it could not.
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

    /// Ids of told nodes that are no longer there.
    pub fn gone(&self) -> &[String] {
        &self.gone
    }

    /// Why the ledger could not be read.
    pub fn unavailable(&self) -> Option<&str> {
        self.unavailable.as_deref()
    }

    /// Nodes that were told right, by number.
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

    /// What was told of a node.
    pub fn told(&self, node: NodeIx) -> Option<&Told> {
        self.told.get(&node)
    }

    /// What a score is multiplied with: 1 if nothing is known, at most 8, at least ¼.
    pub fn factor(&self, node: NodeIx) -> f64 {
        let told = self.told(node).map_or(0.0, |told| told.weight);
        (1.0 + self.boost(node).unwrap_or(0.0)) * TOLD_SPAN.powf(told)
    }

    /// Whether it moves nothing, whatever the rows.
    pub fn is_empty(&self) -> bool {
        self.primed.is_empty() && self.told.is_empty()
    }

    /// A number for what it does to rows: equal for equal effects, in every process. 0 if it does nothing.
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

/// [`seek_given`] with what is known beside the question.
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
    // What is known may lift a row over the least score, or push it below.
    let mut answer = seek_given(snapshot, &SeekQuery { min_score: 0.0, ..query.clone() }, history, cancel)?;
    prior.reorder(snapshot.graph(), &mut answer.rows, |row| row.node, |row| &mut row.score);
    let before = answer.rows.len();
    answer.second_score = answer.rows.get(1).map(|row| row.score);
    answer.rows.retain(|row| row.score >= query.min_score);
    answer.below_min_score += before - answer.rows.len();
    let is_met = |word: &String| answer.rows.iter().any(|row| row.meets(word));
    answer.unmatched = answer.words.iter().filter(|word| !is_met(word)).cloned().collect();
    Ok(answer)
}

/// [`activate_given`] with what is known beside the question.
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

/// What a task is about.
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
