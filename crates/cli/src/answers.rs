//! Answers of tools as the commands print them: of each answer the members that a command shows. Members that are
//! missing have their default, since tools leave out what is empty.

use m1nd_mind::MemoryStatusReport;
use m1nd_tools::{Context, TOOLS, ToolError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::error::CliError;

/// An answer of a tool that a command prints.
pub(crate) trait Answer: DeserializeOwned {
    /// The tool that gives it.
    const TOOL: &'static str;
}

/// Gives each answer its tool.
macro_rules! answers {
    ($($answer:ident: $tool:literal,)*) => {
        $(impl Answer for $answer {
            const TOOL: &'static str = $tool;
        })*
    };
}

answers! {
    BugMatches: "antibody_scan",
    Checkup: "doctor",
    Layers: "layers",
    Memories: "mind_search",
    MemoryStatusReport: "mind_status",
    Predictions: "predict",
    Trail: "trail_resume",
    Trails: "trail_list",
    Warnings: "mind_edges",
}

/// An answer, as its command prints it and as JSON for programs.
#[derive(Debug)]
pub(crate) struct Asked<A> {
    pub(crate) answer: A,
    pub(crate) json: Value,
}

/// Calls the tool of an answer.
///
/// # Errors
/// Those of the tool, and an answer that cannot be read.
pub(crate) fn ask<A: Answer>(context: &Context<'_>, arguments: Value) -> Result<Asked<A>, CliError> {
    let tool = TOOLS.find(A::TOOL).ok_or_else(|| CliError::Tool(m1nd_server::unknown_tool(A::TOOL)))?;
    let json = tool.invoke(context, arguments).map_err(CliError::Tool)?;
    Ok(Asked { answer: read(&json)?, json })
}

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

/// The answer of `layers`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Layers {
    pub(crate) basis: String,
    pub(crate) violations: Vec<LayerViolation>,
    pub(crate) new_cycles: Vec<NewCycle>,
    pub(crate) summary: LayersSummary,
    pub(crate) what_is_missing: Option<String>,
}

/// A dependency that contradicts the layers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LayerViolation {
    pub(crate) source: String,
    pub(crate) source_layer: String,
    pub(crate) target: String,
    pub(crate) target_layer: String,
    pub(crate) edge_relation: String,
    pub(crate) explanation: String,
    pub(crate) location: String,
    pub(crate) is_new: Option<bool>,
}

/// A circle of modules that a change closes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NewCycle {
    pub(crate) modules: Vec<String>,
    pub(crate) closed_by: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LayersSummary {
    pub(crate) total_violations: usize,
}

/// The answer of `antibody_scan`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BugMatches {
    pub(crate) matches: Vec<BugMatch>,
    pub(crate) total_matches: usize,
    pub(crate) antibodies_checked: u64,
    pub(crate) timed_out_antibodies: Vec<String>,
    pub(crate) what_is_missing: Option<String>,
}

/// A place that a stored bug pattern matches.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BugMatch {
    pub(crate) antibody_id: String,
    pub(crate) antibody_name: String,
    pub(crate) severity: BugSeverity,
    pub(crate) location: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BugSeverity {
    Critical,
    Info,
    #[default]
    #[serde(other)]
    Warning,
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
