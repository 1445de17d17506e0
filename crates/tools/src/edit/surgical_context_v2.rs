//! Everything that an edit of a symbol or file needs, within a budget.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::changes::predict::{PredictQuery, PredictRow, predict};
use m1nd_query::closure::ClosureState;
use m1nd_query::references::{Occurrence, Role, references, users};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refactor_hint::refactorings_of;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, yes,
};
use crate::rows::{self, NodeRow, round_value};
use crate::source::{self, Shown};
use crate::test_rows::covering_tests;
use crate::word::{Word, answer_kinds};

/// Lines around a call that are shown, on each side.
const AROUND: u32 = 3;
/// Lines of the focused symbol that are shown; the rest is cut.
const MAX_BODY: usize = 400;
/// Rows of each kind.
const MAX_ROWS: usize = 200;
/// The same with `proof_focused`.
const FOCUSED_ROWS: usize = 5;
/// Rows of each relation in turn: users, what it uses, tests. A page has some of each.
const TURN: [usize; 3] = [4, 2, 2];
/// The same with `proof_focused`.
const FOCUSED_TURN: [usize; 3] = [1, 1, 1];
/// Symbols listed of the file.
const MAX_SYMBOLS: usize = 100;
/// Files that change with it.
const MAX_CO_CHANGE: usize = 5;
/// Test files listed.
const MAX_TESTS: usize = 20;

/// Default maximum size of an answer to a client, in bytes: it holds the code that was asked for.
const CODE_BYTES: usize = 30_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Or the id of a symbol
    file_path: String,
    /// Name of a symbol in the file
    symbol: Option<String>,
    #[serde(default = "yes")]
    include_tests: bool,
    #[serde(default = "default_connected")]
    #[schemars(range(min = 1, max = 200))]
    max_connected_files: usize,
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 400))]
    max_lines_per_file: usize,
    /// Few rows, one of each relation first
    #[serde(default)]
    proof_focused: bool,
}

fn default_connected() -> usize {
    20
}

fn lines() -> usize {
    60
}

#[derive(Debug, Serialize)]
pub(super) struct SymbolRow {
    node_id: String,
    #[serde(rename = "type")]
    kind: Word<NodeKind>,
    line_start: u32,
    line_end: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct Focused {
    #[serde(flatten)]
    node: NodeRow,
    signature: String,
    body: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    body_cut: bool,
}

answer_kinds! {
    /// How a row belongs to the node in question.
    pub(super) Connection { Caller = "caller", User = "user", Callee = "callee", Test = "test", }
}

#[derive(Debug, Serialize)]
pub(super) struct ConnectedRow {
    #[serde(flatten)]
    node: NodeRow,
    relation_type: Word<Connection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_number: Option<u32>,
    /// Further uses in the same excerpt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_lines: Vec<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    possible: bool,
    /// Steps to it, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<u32>,
    source_excerpt: String,
}

#[derive(Debug, Serialize)]
struct CoChangeRow {
    file_path: String,
    probability: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    file_path: String,
    node_id: String,
    /// Pass it as `expected_hash` of the write.
    content_hash: String,
    total_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_symbol: Option<Focused>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<SymbolRow>,
    connected_files: Vec<ConnectedRow>,
    total_connected: usize,
    /// Whether all callers are known.
    callers_known: Word<ClosureState>,
    tests: Vec<String>,
    /// The refactorings that would change it with its users.
    #[serde(skip_serializing_if = "Option::is_none")]
    refactoring: Option<String>,
    /// Null if no history of the file is known.
    co_change: Option<Vec<CoChangeRow>>,
    memory: Vec<m1nd_mind::Note>,
}

pub(crate) struct SurgicalContextV2;

impl Tool for SurgicalContextV2 {
    const NAME: &'static str = "surgical_context_v2";
    const TOOLSET: Toolset = Toolset::Edit;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Get what an edit of a symbol needs: body, callers, callees, tests, hash";
    const ANSWERS: &'static str = "body, call sites, used signatures, tests and memories for an edit";
    const HELP: &'static str = "\
Collects what an edit of a symbol or file needs. With `symbol` (or the id of one as `file_path`) `focused_symbol` is its
body. `connected_files` holds, some of each in turn: each call site with the lines around it (`caller`), other places that
use it as a value, type or base or override it (`user`), the signatures that it uses (`callee`), and the tests that reach
it (`test`). `total_connected` counts them all. `callers_known` is `closed` if every reference that could call
it has a known target. `tests` are the test files that cover it, best first (as `tests_for` lists them), `co_change` the files that change with it in the
history (null if the file has none that is loaded; `predict` loads it), `memory` what is remembered about it.
`content_hash` is to be passed as `expected_hash` of the write. `refactoring` names the tools that would change the symbol
with its users.
`proof_focused` gives only a few rows, one of each relation first. `token_budget` cuts the rows; `cursor` continues them.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "file_path": "auth.py", "symbol": "load_user"}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 30, "get body, callers, tests and the hash before an edit")];
    const PAGED: bool = true;
    const TOKEN_BUDGET: bool = true;
    const NEEDS_FRESH: bool = true;
    const PAGE_BYTES: usize = CODE_BYTES;
    const DETAILS: &'static [&'static str] = &["connected_files.source_excerpt", "focused_symbol.body"];
    const RARE: &'static [&'static str] = &["include_tests", "max_lines_per_file"];
    // The body begins with it.
    const TEXT_OMITS: &'static [&'static str] = &["signature"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"content_hash": {"type": "string"}, "connected_files": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for SurgicalContextV2 {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let graph = snapshot.graph();
        let shown = open(snapshot, &input.file_path, input.symbol.as_deref())?;
        let node = shown.node(snapshot);
        let lines: Vec<&str> = shown.source.text.lines().collect();
        let limit = if input.proof_focused { FOCUSED_ROWS } else { MAX_ROWS };
        let mut connected: [Vec<ConnectedRow>; 3] = Default::default();
        let mut total_connected = 0;
        let mut callers_known = ClosureState::Unknown;
        let mut is_unused = false;
        let mut tests = Vec::new();
        let history = cx.loaded_history();
        // A file without a symbol in question has no users of its own.
        if let Some(node) = node {
            let found = users(snapshot, node, cx.cancel())?;
            callers_known = found.closure.state;
            is_unused = found.rows.is_empty() && has_no_use(cx, snapshot, node)?;
            let most = u32::try_from(input.max_lines_per_file).unwrap_or(u32::MAX);
            let around = AROUND.min(most / 2);
            let used = callees(snapshot, node);
            total_connected = found.rows.len() + used.len();
            let near = |a: &Occurrence, b: &Occurrence| is_near(a, b, around);
            // Uses that are near each other share an excerpt.
            connected[0] =
                found.rows.chunk_by(near).take(limit).map(|uses| user(snapshot, uses, (around, most))).collect();
            connected[1] = used.into_iter().take(limit).collect();
            if input.include_tests {
                let found = covering_tests(cx, history.as_ref(), [node], "")?.rows;
                tests = found.iter().take(MAX_TESTS).map(|row| row.path.clone()).collect();
                let reaching: Vec<_> = found.iter().filter(|row| row.is_by_graph()).collect();
                total_connected += reaching.len();
                let reaching = reaching.into_iter().take(limit);
                connected[2] =
                    reaching.map(|row| build_connected(snapshot, row.nearest, Connection::Test, false)).collect();
            }
        }
        // Some of each kind first: a budget that cuts the rest must not cut a whole kind.
        let connected = in_turns(connected, if input.proof_focused { FOCUSED_TURN } else { TURN });
        let total = connected.len();
        let page = cx.page(input.max_connected_files);
        let ids: Vec<String> = node.map(|node| graph.id(node).to_owned()).into_iter().collect();
        let output = Output {
            node_id: shown.node_id(snapshot),
            content_hash: shown.source.hash.to_string(),
            total_lines: lines.len(),
            focused_symbol: shown.symbol.map(|symbol| describe_focus(snapshot, symbol, &lines)),
            symbols: if shown.symbol.is_some() { Vec::new() } else { symbols(snapshot, &shown) },
            connected_files: page.cut(connected),
            total_connected,
            callers_known: Word(callers_known),
            tests,
            refactoring: shown.symbol.and_then(|symbol| refactorings_of(snapshot, symbol)),
            co_change: co_change(cx, history.as_ref(), node)?,
            memory: cx.memory().about(&ids, snapshot),
            file_path: shown.path.as_str().to_owned(),
        };
        let guidance = guidance(&output, is_unused);
        Ok(Answer::new(output).rows("connected_files", total).guidance(guidance))
    }
}

/// Opens the file, or the symbol in it.
pub(super) fn open(snapshot: &Snapshot, path: &str, symbol: Option<&str>) -> Result<Shown, ToolError> {
    let file = source::open(snapshot, "file_path", path)?;
    let Some(symbol) = symbol else { return Ok(file) };
    let qualified = format!("{}::{symbol}", file.path);
    match source::open(snapshot, "symbol", &qualified) {
        Ok(shown) if shown.symbol.is_some() => Ok(shown),
        _ => {
            let node = rows::resolve(snapshot, "symbol", symbol)?;
            source::open(snapshot, "symbol", snapshot.graph().id(node))
        }
    }
}

pub(super) fn describe_focus(snapshot: &Snapshot, symbol: NodeIx, lines: &[&str]) -> Focused {
    let graph = snapshot.graph();
    let (first, last) = graph.lines(symbol);
    let range = (first as usize).saturating_sub(1)..(last as usize).min(lines.len());
    let body = lines.get(range).unwrap_or_default();
    Focused {
        node: NodeRow::new(snapshot, symbol),
        signature: graph.signature(symbol).to_owned(),
        body: body[..body.len().min(MAX_BODY)].join("\n"),
        body_cut: body.len() > MAX_BODY,
    }
}

pub(super) fn symbols(snapshot: &Snapshot, shown: &Shown) -> Vec<SymbolRow> {
    let graph = snapshot.graph();
    let Some(file) = graph.find_file(shown.path.as_str()) else { return Vec::new() };
    let row = |node: NodeIx| {
        let (line_start, line_end) = graph.lines(node);
        SymbolRow { node_id: graph.id(node).to_owned(), kind: Word(graph.kind(node)), line_start, line_end }
    };
    source::symbols_in(snapshot, file, 1, usize::MAX).into_iter().take(MAX_SYMBOLS).map(row).collect()
}

/// Whether two uses in a row are of the same node and so near that the lines around them meet.
fn is_near(a: &Occurrence, b: &Occurrence, around: u32) -> bool {
    let gap = b.pos.line.saturating_sub(a.pos.line);
    a.from == b.from && is_call(a) == is_call(b) && a.tier == b.tier && a.pos.line > 0 && gap <= 2 * around + 1
}

fn is_call(row: &Occurrence) -> bool {
    matches!(row.role, Role::Call | Role::Macro)
}

/// Uses of the node that are near each other, with the lines around them.
fn user(snapshot: &Snapshot, uses: &[Occurrence], (around, most): (u32, u32)) -> ConnectedRow {
    let (first, last) = (&uses[0], &uses[uses.len() - 1]);
    let lines = (first.pos.line, last.pos.line.min(first.pos.line.saturating_add(most)));
    let mut also_lines: Vec<u32> = uses.iter().map(|row| row.pos.line).filter(|line| *line > lines.0).collect();
    also_lines.dedup();
    ConnectedRow {
        node: NodeRow::new(snapshot, first.from),
        relation_type: Word(if is_call(first) { Connection::Caller } else { Connection::User }),
        line_number: Some(lines.0).filter(|line| *line > 0),
        also_lines,
        possible: first.tier != EdgeTier::Certain,
        distance: None,
        source_excerpt: excerpt(snapshot, snapshot.graph().path(first.from), lines, around),
    }
}

/// The rows of some lists, a few of each in turn.
fn in_turns(lists: [Vec<ConnectedRow>; 3], turn: [usize; 3]) -> Vec<ConnectedRow> {
    let mut lists = lists.map(Vec::into_iter);
    let mut rows = Vec::new();
    while lists.iter().any(|list| list.len() > 0) {
        for (list, count) in lists.iter_mut().zip(turn) {
            rows.extend(list.take(count));
        }
    }
    rows
}

/// What a node uses in the project, with its signature.
fn callees(snapshot: &Snapshot, node: NodeIx) -> Vec<ConnectedRow> {
    list_used(snapshot, node)
        .into_iter()
        .map(|(possible, node)| build_connected(snapshot, node, Connection::Callee, possible))
        .collect()
}

/// What a node uses in the project, and whether that is only possible: the certain ones first, then by place.
pub(super) fn list_used(snapshot: &Snapshot, node: NodeIx) -> Vec<(bool, NodeIx)> {
    let graph = snapshot.graph();
    let own = graph.with_parts(node, MAX_ROWS);
    let mut found: Vec<(bool, NodeIx)> = Vec::new();
    for member in &own {
        for edge in graph.out_edges(*member) {
            let is_use = matches!(
                edge.relation,
                Relation::Calls | Relation::References | Relation::Inherits | Relation::Implements
            );
            let is_ours = is_use && graph.file(edge.to).is_some() && graph.kind(edge.to) != NodeKind::File;
            if is_ours && !own.contains(&edge.to) && !found.iter().any(|(_, known)| *known == edge.to) {
                found.push((edge.tier != EdgeTier::Certain, edge.to));
            }
        }
    }
    found.sort_by_key(|(possible, node)| (*possible, graph.path(*node), graph.lines(*node)));
    found
}

pub(super) fn build_connected(
    snapshot: &Snapshot,
    node: NodeIx,
    relation_type: Connection,
    possible: bool,
) -> ConnectedRow {
    let graph = snapshot.graph();
    let source_excerpt = source::clip(graph.signature(node));
    ConnectedRow {
        node: NodeRow::new(snapshot, node),
        relation_type: Word(relation_type),
        line_number: None,
        also_lines: Vec::new(),
        possible,
        distance: None,
        source_excerpt,
    }
}

/// The lines of a file from one to another, with those around them.
fn excerpt(snapshot: &Snapshot, path: &str, (first, last): (u32, u32), around: u32) -> String {
    let Ok(shown) = source::open(snapshot, "file_path", path) else { return String::new() };
    let lines: Vec<&str> = shown.source.text.lines().collect();
    let start = first.saturating_sub(1 + around) as usize;
    let range = start..(last.saturating_add(around) as usize).min(lines.len());
    lines.get(range).unwrap_or_default().iter().map(|line| source::clip(line)).collect::<Vec<_>>().join("\n")
}

/// Files that change with that of a node; `None` if no history of it is known.
fn co_change(
    cx: &ReadContext<'_>,
    history: Option<&ProjectHistory>,
    node: Option<NodeIx>,
) -> Result<Option<Vec<CoChangeRow>>, ToolError> {
    let snapshot = cx.snapshot();
    let file = node.and_then(|node| snapshot.graph().file(node));
    let (Some(file), Some(history)) = (file, history) else { return Ok(None) };
    let query = PredictQuery {
        changed: vec![file],
        also_changed: Vec::new(),
        min_support: 2,
        with_symbols: false,
        waits: cx.answers_once(),
    };
    let found = predict(snapshot, history, &query, cx.cancel())?;
    if !found.untold.is_empty() {
        return Ok(None);
    }
    let rows = found.rows.iter().filter(|row| row.support > 0).take(MAX_CO_CHANGE);
    let row = |row: &PredictRow| CoChangeRow { file_path: row.path.clone(), probability: round_value(row.probability) };
    Ok(Some(rows.map(row).collect()))
}

/// Whether the project certainly does not use a symbol in any way: called, imported, inherited, taken as a value.
fn has_no_use(cx: &ReadContext<'_>, snapshot: &Snapshot, node: NodeIx) -> Result<bool, ToolError> {
    if snapshot.graph().kind(node) == NodeKind::File {
        return Ok(false);
    }
    let found = references(snapshot, node, &[], cx.cancel())?;
    Ok(found.rows.is_empty() && found.closure.state == ClosureState::Closed)
}

fn guidance(output: &Output, is_unused: bool) -> Guidance {
    let target = Some(output.node_id.clone());
    if output.total_lines == 0 {
        return Guidance::next(ProofState::Blocked, ToolRef("seek"), None, "the file is empty");
    }
    match output.callers_known.0 {
        ClosureState::Closed if is_unused => Guidance::next(
            ProofState::ReadyToEdit,
            ToolRef("apply"),
            target,
            "nothing in the project uses it; write with `content_hash` as `expected_hash`",
        ),
        ClosureState::Closed => Guidance::next(
            ProofState::Proving,
            ToolRef("validate_plan"),
            Some(output.file_path.clone()),
            "all callers are known; check the plan, then write with `content_hash` as `expected_hash`",
        ),
        _ => Guidance::next(
            ProofState::Proving,
            ToolRef("impact"),
            target,
            "callers may be missing: see what may hide them",
        ),
    }
}
