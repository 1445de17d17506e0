//! Lists the perspectives of an agent.

use m1nd_query::navigation::Mode;
use serde::Serialize;
use serde_json::{Map, Value};

use super::held::{Kept, MAX_PERSPECTIVES};
use super::here::Here;
use crate::framework::{
    Answer, Guidance, NoArguments, ProofState, ReadContext, ReadTool, RowText, Tool, ToolError, ToolRef, Toolset,
    rows_schema,
};
use crate::rows::count;
use crate::word::Word;

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    perspective_id: String,
    agent_id: String,
    query: String,
    mode: Word<Mode>,
    focus_node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch_name: Option<String>,
    /// At the last move.
    route_count: usize,
    /// Stops behind the start.
    nav_event_count: usize,
    /// The graph changed since the last move.
    stale: bool,
    created_at_ms: u64,
    last_accessed_ms: u64,
    expires_at_ms: Option<u64>,
    memory_bytes: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspectives: Vec<Row>,
    total_memory_bytes: u64,
    /// Perspectives that this version cannot read; they can be closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
}

pub(crate) struct PerspectiveList;

impl Tool for PerspectiveList {
    const NAME: &'static str = "perspective_list";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "List the perspectives of this agent";
    const ANSWERS: &'static str = "the open perspectives of an agent: where they are, and what they take";
    const HELP: &'static str = "\
Lists the perspectives of this `agent_id`, the last changed first. `mode` is the one in effect, `nav_event_count` the number
of stops behind the start, `route_count` that of the last move, `stale` that the graph changed since (the routes follow the graph), and
`last_accessed_ms` the last move, page or branch: calls that only read do not count, and do not extend the lifetime of
7 days (`expires_at_ms`). `memory_bytes` is what a perspective takes in the store; nothing of it stays in memory
between calls but a bounded cache of routes.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const DETAILS: &'static [&'static str] =
        &["perspectives.memory_bytes", "perspectives.created_at_ms", "total_memory_bytes"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("perspectives": "perspective_id", "mode");
    type Input = NoArguments;
    type Output = Output;
}

impl ReadTool for PerspectiveList {
    fn run(cx: &ReadContext<'_>, _: NoArguments) -> Result<Answer<Output>, ToolError> {
        let here = Here::reading(cx)?;
        let listed = cx.list_held().list::<Kept>(Some(cx.agent()), MAX_PERSPECTIVES)?;
        let mut perspectives = Vec::new();
        for handle in &listed.handles {
            let perspective = &handle.value.0;
            perspectives.push(Row {
                perspective_id: handle.id.clone(),
                agent_id: cx.agent().to_owned(),
                query: perspective.query.clone(),
                mode: Word(perspective.mode_effective()),
                focus_node: perspective.focus().map(str::to_owned),
                branch_name: perspective.branch.as_ref().map(|branch| branch.name.clone()),
                route_count: perspective.route_count,
                nav_event_count: perspective.steps.len(),
                stale: perspective.generation != here.snapshot.generation(),
                created_at_ms: handle.created_ms,
                last_accessed_ms: handle.changed_ms,
                expires_at_ms: handle.expires_ms,
                memory_bytes: handle.bytes,
            });
        }
        let guidance = match perspectives.first() {
            Some(first) => {
                let target = Some(first.perspective_id.clone());
                Guidance::next(ProofState::Triaging, ToolRef("perspective_routes"), target, "go on where it is")
            }
            None => {
                let hint = "there is none; start one from a query";
                Guidance::next(ProofState::Triaging, ToolRef("perspective_start"), None, hint)
            }
        };
        let found = perspectives.len();
        let output = Output {
            perspectives,
            total_memory_bytes: listed.handles.iter().map(|handle| handle.bytes).sum(),
            unreadable: listed.unreadable.iter().map(|one| one.id.clone()).collect(),
        };
        Ok(Answer::new(output).with_found(found).guidance(guidance))
    }
}

fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str, noun: &str| {
        let number = row.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        count(number.unwrap_or_default(), noun)
    };
    let focus = if text("focus_node").is_empty() { "at its start" } else { text("focus_node") };
    let branch = if text("branch_name").is_empty() { String::new() } else { format!(" ({})", text("branch_name")) };
    let stale = if row.get("stale") == Some(&Value::Bool(true)) { "  stale" } else { "" };
    format!(
        "{}{branch}  {focus}  {}, {}{stale} — {}",
        text("perspective_id"),
        number("route_count", "route"),
        number("nav_event_count", "stop"),
        super::rows::cut(text("query"), 80)
    )
}
