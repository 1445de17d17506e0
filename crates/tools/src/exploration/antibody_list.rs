//! Lists the stored bug patterns.

use m1nd_sessions::{BugEdge, BugNode, BugPattern, Handle};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bug_patterns::list_stored;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, is_zero, number,
    rows_schema,
};
use crate::rows::round_value;

/// Default number of rows.
const DEFAULT_ROWS: usize = 100;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    include_disabled: bool,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Pattern {
    nodes: Vec<BugNode>,
    edges: Vec<BugEdge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    negative_edges: Vec<BugEdge>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    id: String,
    name: String,
    severity: String,
    enabled: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    specificity: f64,
    initial_matches: usize,
    created_by: String,
    created_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

impl Row {
    fn new(stored: Handle<BugPattern>) -> Self {
        let value = stored.value;
        let pattern = (!value.nodes.is_empty()).then_some(Pattern {
            nodes: value.nodes,
            edges: value.edges,
            negative_edges: value.negative_edges,
        });
        Self {
            id: stored.id,
            name: value.name,
            severity: value.severity,
            enabled: value.enabled,
            description: value.description,
            code: value.code,
            language: value.language,
            pattern,
            specificity: round_value(value.specificity),
            initial_matches: value.initial_matches,
            created_by: stored.owner,
            created_at: stored.created_ms,
            commit: value.commit,
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    antibodies: Vec<Row>,
    total: usize,
    enabled: usize,
    disabled: usize,
    /// Patterns that another version of m1nd stored.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: usize,
}

pub(crate) struct AntibodyList;

impl Tool for AntibodyList {
    const NAME: &'static str = "antibody_list";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "List the bug patterns stored for the project";
    const ANSWERS: &'static str = "the bug patterns stored for the project";
    const HELP: &'static str = "\
Lists the bug patterns that `antibody_create` stored for this project, oldest first, those that are disabled with
`include_disabled`. A row has `code` (with metavariables, and the `language` if it is for one) or `pattern` (nodes and
edges of the graph), its `severity`, `specificity` (how much it says, 0 to 1), the matches when it was stored, who stored
it and when (milliseconds since 1970), and the fix `commit` that it was learned from. `total`, `enabled` and `disabled`
count all of them. Looking for patterns changes nothing, so no row counts its later matches.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const PAGED: bool = true;
    const WAITS: bool = false;
    const DETAILS: &'static [&'static str] =
        &["antibodies.specificity", "antibodies.initial_matches", "antibodies.created_at", "disabled"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("antibodies": "id", "name", "severity", "enabled");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for AntibodyList {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let page = cx.page(input.top_k);
        let (mut known, unreadable) = list_stored(cx.list_held())?;
        let total = known.len();
        let enabled = known.iter().filter(|pattern| pattern.value.enabled).count();
        known.retain(|pattern| pattern.value.enabled || input.include_disabled);
        let listed = known.len();
        let guidance = match enabled {
            0 => {
                let hint = "no pattern is enabled: store one, for example from a fix commit";
                Guidance::next(ProofState::Triaging, ToolRef("antibody_create"), None, hint)
            }
            _ => Guidance::next(ProofState::Triaging, ToolRef("antibody_scan"), None, "look for them in the code"),
        };
        let rows = page.cut(known);
        let output = Output {
            antibodies: rows.into_iter().map(Row::new).collect(),
            total,
            enabled,
            disabled: total - enabled,
            unreadable,
        };
        Ok(Answer::new(output).rows("antibodies", listed).guidance(guidance))
    }
}
