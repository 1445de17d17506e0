//! A file or symbol with what calls it, what it uses and what tests it, as plain lists.

use m1nd_base::{Cancelled, EdgeTier};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::closure::ClosureState;
use m1nd_query::references::callers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surgical_context_v2::{
    ConnectedRow, Connection, Focused, SymbolRow, build_connected, describe_focus, list_used, open, symbols,
};
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, yes,
};
use crate::test_rows::covering_tests;
use crate::word::Word;

/// Rows of each list.
const MAX_ROWS: usize = 50;
/// Bytes of a file's content that are shown.
const MAX_CONTENT: usize = 40_000;

/// Default maximum size of an answer to a client, in bytes: it holds the code that was asked for.
const CODE_BYTES: usize = 50_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Or the id of a symbol
    file_path: String,
    /// Name of a symbol in the file
    symbol: Option<String>,
    /// Steps of calls and uses
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 3))]
    radius: u32,
    #[serde(default = "yes")]
    include_tests: bool,
}

fn one() -> u32 {
    1
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    file_path: String,
    node_id: String,
    content_hash: String,
    line_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_symbol: Option<Focused>,
    callers: Vec<ConnectedRow>,
    /// `closed` if all callers are known.
    callers_known: Word<ClosureState>,
    callees: Vec<ConnectedRow>,
    tests: Vec<ConnectedRow>,
    symbols: Vec<SymbolRow>,
    /// Absent if a symbol is asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    file_contents: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    contents_cut: bool,
}

pub(crate) struct SurgicalContext;

impl Tool for SurgicalContext {
    const NAME: &'static str = "surgical_context";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Get a file or symbol with its callers, callees and tests";
    const ANSWERS: &'static str = "a file or symbol with callers, callees and tests";
    const HELP: &'static str = "\
The file, or with `symbol` the body of that symbol, with its symbols, callers, callees and the tests that cover it (as `tests_for`), at
most 50 each. `radius` also gives callers of callers and what callees use, with their `distance`. `callers_known` is `closed` if every reference that could call it has a known target. `content_hash` is to be passed as `expected_hash` of a write. `surgical_context_v2` also shows the lines of
each call, what changes together and what is remembered, within a token budget.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "file_path": "auth.py"}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 35, "read a file with its callers, callees and tests")];
    const NEEDS_FRESH: bool = true;
    const PAGE_BYTES: usize = CODE_BYTES;
    const DETAILS: &'static [&'static str] = &["callers.source_excerpt", "callees.source_excerpt"];
    const RARE: &'static [&'static str] = &["include_tests", "radius"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"content_hash": {"type": "string"}, "callers": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for SurgicalContext {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let shown = open(snapshot, &input.file_path, input.symbol.as_deref())?;
        let node = shown.node(snapshot);
        let lines: Vec<&str> = shown.source.text.lines().collect();
        let mut output = Output {
            file_path: shown.path.as_str().to_owned(),
            node_id: shown.node_id(snapshot),
            content_hash: shown.source.hash.to_string(),
            line_count: lines.len(),
            focused_symbol: shown.symbol.map(|symbol| describe_focus(snapshot, symbol, &lines)),
            callers: Vec::new(),
            callers_known: Word(ClosureState::Unknown),
            callees: Vec::new(),
            tests: Vec::new(),
            symbols: symbols(snapshot, &shown),
            file_contents: String::new(),
            contents_cut: false,
        };
        // The text of the file only where no symbol of it was named.
        if shown.symbol.is_none() {
            let end = shown.source.text.floor_char_boundary(MAX_CONTENT);
            output.contents_cut = end < shown.source.text.len();
            output.file_contents = shown.source.text[..end].to_owned();
        }
        // Who calls it, what it calls, and which tests reach it.
        if let Some(node) = node {
            let found = callers(snapshot, node, cx.cancel())?;
            output.callers_known = Word(found.closure.state);
            let calling = |node: NodeIx| -> Result<Vec<(bool, NodeIx)>, Cancelled> {
                let rows = callers(snapshot, node, cx.cancel())?.rows;
                Ok(rows.iter().map(|row| (row.tier != EdgeTier::Certain, row.from)).collect())
            };
            output.callers = around(snapshot, node, (Connection::Caller, input.radius), calling)?;
            output.callees = around(snapshot, node, (Connection::Callee, input.radius), |node| {
                Ok::<_, Cancelled>(list_used(snapshot, node))
            })?;
            if input.include_tests {
                let tests = covering_tests(cx, cx.loaded_history().as_ref(), [node], "")?.rows;
                output.tests = tests
                    .iter()
                    .take(MAX_ROWS)
                    .map(|row| build_connected(snapshot, row.nearest, Connection::Test, false))
                    .collect();
            }
        }
        let guidance = Guidance::next(
            ProofState::Proving,
            ToolRef("surgical_context_v2"),
            Some(output.node_id.clone()),
            "see each call site, what changes with it and what is remembered",
        );
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// Nodes within some steps of a node, nearest first. A way over a possible step is possible.
fn around(
    snapshot: &Snapshot,
    start: NodeIx,
    (relation, radius): (Connection, u32),
    next: impl Fn(NodeIx) -> Result<Vec<(bool, NodeIx)>, Cancelled>,
) -> Result<Vec<ConnectedRow>, Cancelled> {
    let mut found: Vec<(NodeIx, bool, u32)> = Vec::new();
    let mut border = vec![(start, false)];
    for distance in 1..=radius {
        let first = found.len();
        for (from, is_possible) in border {
            for (possible, node) in next(from)? {
                let is_full = found.len() >= MAX_ROWS;
                match found.iter_mut().find(|(known, ..)| *known == node) {
                    Some((_, known, at)) if *at == distance => *known &= possible || is_possible,
                    Some(_) => {}
                    None if node == start || is_full => {}
                    None => found.push((node, possible || is_possible, distance)),
                }
            }
        }
        border = found[first..].iter().map(|(node, possible, _)| (*node, *possible)).collect();
    }
    let row = |(node, possible, distance): (NodeIx, bool, u32)| {
        let mut row = build_connected(snapshot, node, relation, possible);
        row.distance = Some(distance).filter(|distance| *distance > 1);
        row
    };
    Ok(found.into_iter().map(row).collect())
}
