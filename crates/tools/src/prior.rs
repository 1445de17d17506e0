//! What answers say of the priming and the feedback that had a part in them.

use m1nd_engine::graph::NodeIx;
use m1nd_engine::retrieval::Prior;
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
        let told = |told: &m1nd_engine::retrieval::Told| ToldRow {
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
}

#[derive(Debug, Serialize)]
struct PrimedRow {
    task: String,
    /// What is left of it: the nearest node gets this share on top of its score.
    strength: f64,
    nodes: usize,
}

impl PriorNote {
    pub(crate) fn new(prior: &Prior) -> Self {
        let primed = prior.primed_by();
        Self {
            primed_by: primed.map(|by| PrimedRow {
                task: by.task.clone(),
                strength: rounded(by.strength),
                nodes: by.nodes,
            }),
        }
    }
}
