//! Answers of tools as the commands print them: of each answer the members that a command shows. Members that are
//! missing have their default, since tools leave out what is empty.

use m1nd_tools::ToolError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::error::CliError;

/// Reads an answer.
///
/// # Errors
/// The answer has a member of another type than the command expects.
pub(crate) fn read<T: DeserializeOwned>(answer: &Value) -> Result<T, CliError> {
    T::deserialize(answer).map_err(|error| {
        CliError::Tool(ToolError::new(
            m1nd_tools::ErrorCode::Internal,
            format!("the answer cannot be printed: {error}"),
        ))
    })
}

/// What `predict` makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Act,
    Reverify,
    #[default]
    Abstain,
}

impl Verdict {
    /// The word of the answer.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Reverify => "reverify",
            Self::Abstain => "abstain",
        }
    }
}

/// The answer of `predict`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Predictions {
    pub(crate) predictions: Vec<Prediction>,
    pub(crate) calibration: Calibration,
    pub(crate) note: Option<String>,
    pub(crate) next_step_hint: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Prediction {
    pub(crate) file_path: String,
    pub(crate) verdict: Verdict,
    pub(crate) confidence: f64,
    pub(crate) reason: String,
    pub(crate) commits: Vec<Commit>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Commit {
    pub(crate) commit: String,
    pub(crate) subject: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Calibration {
    pub(crate) measured_precision: Option<f64>,
    pub(crate) note: Option<String>,
}

/// The answer of `trail_list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Trails {
    pub(crate) trails: Vec<TrailRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TrailRow {
    pub(crate) trail_id: String,
    pub(crate) label: String,
    pub(crate) status: String,
    pub(crate) agent_id: String,
    pub(crate) node_count: u64,
    pub(crate) stale_nodes: Option<u64>,
}

/// The answer of `trail_resume`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Trail {
    pub(crate) label: String,
    pub(crate) trail: TrailHead,
    pub(crate) node_states: NodeStates,
    pub(crate) hypotheses: Vec<Hypothesis>,
    pub(crate) conclusions: Vec<Hypothesis>,
    pub(crate) open_questions: Vec<String>,
    pub(crate) nodes: Vec<TrailNode>,
    pub(crate) truncated: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TrailHead {
    pub(crate) agent_id: String,
    pub(crate) summary: Option<String>,
}

/// How many nodes of a trail are in each state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NodeStates {
    pub(crate) unchanged: u64,
    pub(crate) modified: u64,
    pub(crate) moved: u64,
    pub(crate) missing: u64,
    pub(crate) unknown: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Hypothesis {
    pub(crate) statement: String,
    pub(crate) state: String,
    pub(crate) confidence: f64,
    pub(crate) why: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TrailNode {
    pub(crate) node_id: String,
    pub(crate) state: String,
    pub(crate) moved_to: Option<String>,
    pub(crate) annotation: Option<String>,
}

/// The answer of `mind_search`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Memories {
    pub(crate) notice: Option<String>,
    pub(crate) results: Vec<MemoryRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MemoryRow {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) status: Option<String>,
    pub(crate) relevance: Option<Number>,
    pub(crate) reasoning: Option<String>,
    pub(crate) replaces: Option<Titled>,
    pub(crate) contradicts: Option<Vec<Titled>>,
    pub(crate) contradicted_by: Option<Vec<Titled>>,
    pub(crate) code: Option<Vec<MemoryCode>>,
    pub(crate) date: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) source_file: Option<String>,
    pub(crate) source_line: Option<Number>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Titled {
    pub(crate) title: String,
}

/// Code that a memory is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MemoryCode {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
}

/// The answer of `mind_edges`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Warnings {
    pub(crate) notice: Option<String>,
    pub(crate) result: Vec<Warning>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Warning {
    pub(crate) severity: String,
    pub(crate) confidence: Option<Number>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) workaround: Option<String>,
    pub(crate) matched_on: Option<String>,
}

/// The answer of `doctor`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Checkup {
    pub(crate) findings: Vec<CheckRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CheckRow {
    pub(crate) check: String,
    pub(crate) result: CheckResult,
    pub(crate) detail: String,
    pub(crate) repair: Option<Repair>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckResult {
    Pass,
    Fail,
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Repair {
    pub(crate) action: String,
    pub(crate) tool: Option<String>,
    pub(crate) arguments: Value,
    pub(crate) command: Vec<String>,
}
