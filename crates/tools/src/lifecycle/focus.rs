//! The smallest set of code that covers a task, and whether it is likely to be enough.

use m1nd_query::retrieval::FocusState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, Toolset, number,
    rows_schema,
};
use crate::rows;
use crate::task::{FocusRow, Gap, Sufficiency, focus_rows, gaps_of_search, read_call, search_task};

/// Default number of matches that are considered.
const DEFAULT_ROWS: usize = 60;
/// Most matches that are considered.
const MAX_ROWS: usize = 300;
/// Default size of the set, in tokens.
const DEFAULT_TOKENS: usize = 2_000;
/// Largest size of the set, in tokens.
const MAX_TOKENS: usize = 50_000;
/// Default least score of a match.
const MIN_SCORE: f64 = 0.1;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What is to be done, in words
    task: String,
    /// Size of the code to read
    #[serde(default = "number::<DEFAULT_TOKENS>")]
    #[schemars(range(min = 100, max = MAX_TOKENS))]
    token_budget: usize,
    /// Matches considered
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    #[serde(default = "min_score")]
    #[schemars(range(min = 0.0, max = 1.0))]
    min_score: f64,
    /// Folder or file
    scope: Option<String>,
}

const fn min_score() -> f64 {
    MIN_SCORE
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    nodes: Vec<FocusRow>,
    sufficiency: Sufficiency,
    /// Bytes of the set.
    bytes: usize,
    /// Matches for which there was no room.
    dropped: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    honest_gaps: Vec<Gap>,
}

pub(crate) struct FocusTool;

impl Tool for FocusTool {
    const NAME: &'static str = "focus";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Choose the least code that covers a task, and say whether it is enough";
    const ANSWERS: &'static str = "the smallest set of code that covers a task, and when to stop searching";
    const HELP: &'static str = "\
One search, from which the best `top_k` matches are taken as long as they add something: words of the task that no node
of the set meets yet, files until there are eight, matches that score as high as the first. Their `bytes`, estimated
from lines, stay within `token_budget` (four bytes a token). A node takes an eighth of it at most: of a longer one,
`read` says that only its `head` or its `outline` is meant.

`sufficiency.state` is `sufficient` if the task is the name of the first node, or if the place in question was in such
a set often enough: `likelihood` is the confidence in the best file times the share of its matches in the set, and
`calibration` says from which value on it was measured to suffice, how often that was right on texts with known places,
and for which share of them it was said. It is never said with `scope`, without vectors or the complete history, or if
the best file meets fewer than half of the words of a question. `gathering` means that matches did not fit (`dropped`):
raise the budget or narrow the task. `saturated` means that every match is in the set, and that this may not be enough:
use other words, or read. `captured` is the share of the task's words that the set meets.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "task": "reject credentials of unknown users"}"#;
    const STAGES: &'static [Route] = &[(Stage::Find, 40, "the least code to read for a task, and when to stop")];
    const RARE: &'static [&'static str] = &["top_k", "min_score", "scope"];
    const COMMAND: Option<Command> = Some(Command::words("focus", &["task"]));
    const DETAILS: &'static [&'static str] = &["nodes.bytes", "sufficiency.calibration", "sufficiency.top_score"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("nodes": "node_id", "label", "type", "file_path", "line_start", "line_end", "score");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for FocusTool {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        rows::words("task", &input.task, "what is to be done")?;
        let searched = search_task(cx, &input.task, input.scope.as_deref(), input.min_score)?;
        let focus = searched.focus(snapshot, input.top_k, input.token_budget);
        let sufficiency = Sufficiency::new(&searched, &focus);
        let nodes: Vec<_> = focus.nodes.iter().collect();
        let state = match sufficiency.state.0 {
            _ if nodes.is_empty() => ProofState::Blocked,
            FocusState::Sufficient => ProofState::Proving,
            _ => ProofState::Triaging,
        };
        let guidance = match read_call(cx, &nodes) {
            Some(call) => {
                let target = call.arguments["file_path"].as_str().map(str::to_owned);
                Guidance::next(state, call.tool, target, sufficiency.why.clone())
            }
            None => Guidance::no_match(searched.found.words.first().map(String::as_str)),
        };
        let found = nodes.len();
        let output = Output {
            nodes: focus_rows(snapshot, &input.task, nodes),
            honest_gaps: gaps_of_search(cx, &searched, &focus),
            sufficiency,
            bytes: focus.bytes,
            dropped: focus.dropped,
        };
        Ok(Answer::new(output).with_found(found).guidance(guidance))
    }
}
