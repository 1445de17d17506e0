//! The priming and feedback that affected an answer, as members of it.

use std::collections::HashSet;

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::{Feedback, FeedbackEntry, Prior};
use serde::Serialize;

use crate::rows::round_value;
use crate::word::Word;

/// Priming and feedback that affect a row.
#[derive(Debug, Serialize)]
pub(crate) struct PriorRow {
    /// Boost of the score by the priming, as a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    primed_by: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<ToldRow>,
}

/// Feedback of agents about a row.
#[derive(Debug, Serialize)]
struct ToldRow {
    /// -1 (wrong) to 1 (right).
    weight: f64,
    ledger_ids: Vec<i64>,
}

impl PriorRow {
    pub(crate) fn new(prior: &Prior, node: NodeIx) -> Self {
        let told = |told: &m1nd_query::retrieval::Told| ToldRow {
            weight: round_value(told.weight),
            ledger_ids: told.entries.clone(),
        };
        Self { primed_by: prior.boost(node).map(round_value), feedback: prior.feedback_on(node).map(told) }
    }
}

/// Priming and feedback of an answer, whether or not they affect a row.
#[derive(Debug, Serialize)]
pub(crate) struct PriorNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    primed_by: Option<PrimedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback_applied: Option<Applied>,
}

#[derive(Debug, Serialize)]
struct Applied {
    entries: Vec<EntryRow>,
    /// Number of older entries that also applied.
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    more_entries: usize,
    /// Rated nodes that are no longer in the graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
    /// Nodes rated correct that are not in the ranking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_among_rows: Vec<String>,
    /// Reason why the ledger could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
}

#[derive(Debug, Serialize)]
struct EntryRow {
    ledger_id: i64,
    feedback: Word<Feedback>,
    query: String,
    similarity: f64,
    age_days: u64,
}

/// Maximum entries of the ledger shown, newest first; all of them apply.
const SHOWN_ENTRIES: usize = 5;
/// Maximum length of an earlier query shown, in characters.
const SHOWN_QUERY: usize = 200;
/// Maximum nodes shown.
const SHOWN_NODES: usize = 10;

#[derive(Debug, Serialize)]
struct PrimedRow {
    task: String,
    /// Remaining strength: the boost of the nearest node, as a share of its score.
    strength: f64,
    nodes: usize,
}

impl PriorNote {
    /// `rows` are the rows of all pages.
    pub(crate) fn new(snapshot: &Snapshot, prior: &Prior, rows: impl Iterator<Item = NodeIx>) -> Self {
        let primed = prior.primed_by();
        let says = !prior.entries().is_empty() || prior.unavailable().is_some();
        Self {
            feedback_applied: says.then(|| list_applied(snapshot, prior, rows)),
            primed_by: primed.map(|by| PrimedRow {
                task: by.task.clone(),
                strength: round_value(by.strength),
                nodes: by.nodes,
            }),
        }
    }
}

fn list_applied(snapshot: &Snapshot, prior: &Prior, rows: impl Iterator<Item = NodeIx>) -> Applied {
    let rows: HashSet<NodeIx> = rows.collect();
    let beside = prior.told_right().into_iter().filter(|node| !rows.contains(node));
    let entry = |entry: &FeedbackEntry| EntryRow {
        ledger_id: entry.id,
        feedback: Word(entry.feedback),
        query: entry.query.chars().take(SHOWN_QUERY).collect(),
        similarity: round_value(entry.similarity),
        age_days: entry.age_days,
    };
    Applied {
        entries: prior.entries().iter().rev().take(SHOWN_ENTRIES).map(entry).collect(),
        more_entries: prior.entries().len().saturating_sub(SHOWN_ENTRIES),
        gone: prior.list_gone().iter().take(SHOWN_NODES).cloned().collect(),
        not_among_rows: beside.take(SHOWN_NODES).map(|node| snapshot.graph().id(node).to_owned()).collect(),
        unavailable: prior.unavailable().map(str::to_owned),
    }
}
