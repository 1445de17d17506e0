//! Where a task lies in the code: the nodes to look at, the central ones around them, what is remembered about them.

use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::spread_over_files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::checks::Repair;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, Toolset, number,
    rows_schema,
};
use crate::rows;
use crate::task::{Anchor, Claim, FocusRow, anchor_rows, focus_rows, read_call, recall_memories, search_task};

/// Default number of nodes.
const DEFAULT_ROWS: usize = 8;
/// Most nodes.
const MAX_ROWS: usize = 50;
/// Least score of a node.
const MIN_SCORE: f64 = 0.1;
/// Nodes of one file before those of the next.
const PER_FILE: usize = 2;
/// Matches that are considered, and the size of the code that they may have, in tokens: all that is shown.
const CONSIDERED: (usize, usize) = (60, 8_000);
/// Memories shown.
const NEARBY: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What is to be done, in words
    task: String,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// Folder or file
    scope: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    focus_nodes: Vec<FocusRow>,
    anchors: Vec<Anchor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_nearby: Vec<Claim>,
    suggested_first_calls: Vec<Repair>,
    summary: String,
}

pub(crate) struct Orient;

impl Tool for Orient {
    const NAME: &'static str = "orient";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Show where a task lies: nodes to look at, central code around them, memories";
    const ANSWERS: &'static str = "where a task lies in the code, and which calls to begin with";
    const HELP: &'static str = "\
`focus_nodes` are the best matches, two of a file before those of the next, so that a few rows show several files.
`anchors` are the most important functions and types among them and what they are connected to. `memory_nearby` holds
up to three memories about the task, each with the state of the code that it names. `suggested_first_calls` can be made
as they stand. `north` gives the same with checks of the index, all memories and a stop signal.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "task": "reject credentials of unknown users"}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 25, "where a task lies, and what is central around it")];
    const RARE: &'static [&'static str] = &["top_k", "scope"];
    const COMMAND: Option<Command> = Some(Command::words("orient", &["task"]));
    const DETAILS: &'static [&'static str] = &["focus_nodes.bytes", "anchors.importance"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("focus_nodes": "node_id", "label", "type", "file_path", "line_start", "line_end", "score");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Orient {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        rows::words("task", &input.task, "what is to be done")?;
        let searched = search_task(cx, &input.task, input.scope.as_deref(), MIN_SCORE)?;
        let focus = searched.focus(snapshot, CONSIDERED.0.max(input.top_k), CONSIDERED.1);
        let mut nodes = spread_over_files(snapshot, &focus.nodes, PER_FILE);
        nodes.truncate(input.top_k);
        let indices: Vec<NodeIx> = nodes.iter().map(|node| node.row.node).collect();
        let graph = snapshot.graph();
        let near: Vec<String> = indices.iter().take(NEARBY).map(|node| graph.id(*node).to_owned()).collect();
        let mut memory_nearby = recall_memories(cx, &input.task, &near).claims;
        memory_nearby.retain(|claim| claim.key.is_none());
        memory_nearby.truncate(NEARBY);
        let mut suggested_first_calls: Vec<Repair> = read_call(cx, &nodes).into_iter().collect();
        if let Some(first) = indices.first() {
            let arguments = json!({"agent_id": cx.agent(), "node_id": graph.id(*first)});
            suggested_first_calls.push(Repair::new("impact", arguments));
        }
        let guidance = match suggested_first_calls.first() {
            Some(call) => {
                let target = call.arguments["file_path"].as_str().map(str::to_owned);
                Guidance::next(ProofState::Triaging, call.tool, target, "open the first node")
            }
            None => Guidance::no_match(searched.found.words.first().map(String::as_str)),
        };
        let files: std::collections::BTreeSet<&str> = indices.iter().map(|node| graph.path(*node)).collect();
        let summary = format!("{} in {}", rows::count(indices.len(), "node"), rows::count(files.len(), "file"));
        let found = nodes.len();
        let output = Output {
            focus_nodes: focus_rows(snapshot, &input.task, nodes),
            anchors: anchor_rows(snapshot, &indices),
            memory_nearby,
            suggested_first_calls,
            summary,
        };
        Ok(Answer::new(output).with_found(found).guidance(guidance))
    }
}
