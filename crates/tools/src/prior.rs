//! What answers say of the priming and the feedback that had a part in them.

use std::collections::HashSet;

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::{FeedbackEntry, Prior};
use serde::Serialize;

use crate::rows::rounded;

/// In a row: what moved it.
#[derive(Debug, Serialize)]
pub(crate) struct PriorRow {
    /// Share that the priming adds to its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    primed_by: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<ToldRow>,
}

/// In a row: what agents told of it.
#[derive(Debug, Serialize)]
struct ToldRow {
    /// -1 (wrong) to 1 (right).
    weight: f64,
    ledger_ids: Vec<i64>,
}

impl PriorRow {
    pub(crate) fn new(prior: &Prior, node: NodeIx) -> Self {
        let told = |told: &m1nd_query::retrieval::Told| ToldRow {
            weight: rounded(told.weight),
            ledger_ids: told.entries.clone(),
        };
        Self { primed_by: prior.boost(node).map(rounded), feedback: prior.told(node).map(told) }
    }
}

/// In an answer: what there is, whether or not it moved a row.
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
    /// Older ones that counted as well.
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    more_entries: usize,
    /// Told nodes that are no longer in the graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
    /// Nodes told right that the ranking does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_among_rows: Vec<String>,
    /// Why the ledger could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
}

#[derive(Debug, Serialize)]
struct EntryRow {
    ledger_id: i64,
    feedback: &'static str,
    query: String,
    similarity: f64,
    age_days: u64,
}

/// Entries of the ledger that are shown, the newest; all count.
const SHOWN_ENTRIES: usize = 5;
/// Longest question of another call that is shown, in characters.
const SHOWN_QUERY: usize = 200;
/// Nodes that are shown.
const SHOWN_NODES: usize = 10;

#[derive(Debug, Serialize)]
struct PrimedRow {
    task: String,
    /// What is left of it: the nearest node gets this share on top of its score.
    strength: f64,
    nodes: usize,
}

impl PriorNote {
    /// `rows` are all rows of the answer, over all pages.
    pub(crate) fn new(snapshot: &Snapshot, prior: &Prior, rows: impl Iterator<Item = NodeIx>) -> Self {
        let primed = prior.primed_by();
        let says = !prior.entries().is_empty() || prior.unavailable().is_some();
        Self {
            feedback_applied: says.then(|| applied(snapshot, prior, rows)),
            primed_by: primed.map(|by| PrimedRow {
                task: by.task.clone(),
                strength: rounded(by.strength),
                nodes: by.nodes,
            }),
        }
    }
}

fn applied(snapshot: &Snapshot, prior: &Prior, rows: impl Iterator<Item = NodeIx>) -> Applied {
    let rows: HashSet<NodeIx> = rows.collect();
    let beside = prior.told_right().into_iter().filter(|node| !rows.contains(node));
    let entry = |entry: &FeedbackEntry| EntryRow {
        ledger_id: entry.id,
        feedback: entry.feedback,
        query: entry.query.chars().take(SHOWN_QUERY).collect(),
        similarity: rounded(entry.similarity),
        age_days: entry.age_days,
    };
    Applied {
        entries: prior.entries().iter().rev().take(SHOWN_ENTRIES).map(entry).collect(),
        more_entries: prior.entries().len().saturating_sub(SHOWN_ENTRIES),
        gone: prior.gone().iter().take(SHOWN_NODES).cloned().collect(),
        not_among_rows: beside.take(SHOWN_NODES).map(|node| snapshot.graph().id(node).to_owned()).collect(),
        unavailable: prior.unavailable().map(str::to_owned),
    }
}
