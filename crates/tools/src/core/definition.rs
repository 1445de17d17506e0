//! Shows where a name, or the reference at a place, leads to.

use m1nd_base::{EdgeTier, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_query::references::{DefinitionAnswer, DefinitionRow, OpenName, PrintedPosition, at_place, find_named};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::framework::{
    Answer, Command, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError,
    ToolRef, Toolset, cannot_tell, number, rows_schema,
};
use crate::rows::{self, NodeRow};
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// References without a known definition that are listed.
const MAX_OPEN: usize = 20;
/// Maximum length of a signature or documentation, in bytes.
const MAX_TEXT: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name, id, `path:line` or `path:line:col`
    target: String,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct TargetRow {
    #[serde(flatten)]
    node: NodeRow,
    /// Line of its name.
    line_number: u32,
    tier: Word<EdgeTier>,
    /// Number of definitions that it may be, if not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_dispatch: bool,
    /// Relation of the reference at the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<Word<Relation>>,
    /// Column of that reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_column: Option<u16>,
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct OpenRow {
    name: String,
    reason: String,
    line: u32,
    column: u16,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    target: String,
    definitions: Vec<TargetRow>,
    total_definitions: usize,
    /// References at the place whose definition is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<OpenRow>,
}

pub(crate) struct Definition;

impl Tool for Definition {
    const NAME: &'static str = "definition";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Show where a name or the reference at path:line[:col] is defined";
    const ANSWERS: &'static str = "where a name or the reference at a place is defined: candidates with tiers";
    const HELP: &'static str = "\
Lists the definitions that `target` leads to: a name (`Pool.acquire`), a node id, or a place in an indexed file as
compilers print it, `src/a.py:21` for all references of the line or `src/a.py:21:8` for the one at the column (in
characters, from 1). A place on the name of a definition leads to that definition.

Each row has a `tier`: `certain`, `possible` if there are several candidates (`candidates` is their number;
`by_dispatch`: a method that may run instead of the one named), or `external` for a package outside of the roots.
`unresolved` lists references at the place whose definition is not known, with the reason. Locals and parameters are not
in the graph, so that they lead nowhere; nor is a place that moved since its file was indexed.";
    const NEEDS_FRESH: bool = true;
    const ANSWERS_UNLINKED: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "target": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Find, 60, "where a name or a place of the code leads to"),
        (Stage::Diagnose, 32, "what the line of an error calls"),
    ];
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("node_id", "target"), ("name", "target"), ("limit", "top_k")];
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["total_definitions"];
    const COMMAND: Option<Command> = Some(Command::new("def", &["target"]));
    const DETAILS: &'static [&'static str] = &["definitions.signature", "definitions.doc"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("definitions": "node_id", "label", "type", "file_path", "line_number", "tier");
    type Input = Input;
    type Output = Output;
}

/// `src/a.py:21: def acquire(self)  (function)`, as programs that search print it.
fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(Value::as_u64).unwrap_or_default();
    let place = match (text("file_path"), number("line_number")) {
        ("", _) => text("node_id").to_owned(),
        (path, 0) => path.to_owned(),
        (path, line) => format!("{path}:{line}"),
    };
    let name = if text("signature").is_empty() { text("label") } else { text("signature") };
    let tier = match (text("tier"), number("candidates")) {
        (tier, _) if tier == EdgeTier::Certain.word() => String::new(),
        (tier, 0) => format!(", {tier}"),
        (tier, all) => format!(", {tier}: 1 of {all}"),
    };
    let doc = text("doc").lines().next().map(|line| format!("  — {line}")).unwrap_or_default();
    format!("{place}: {name}  ({}{tier}){doc}", text("type"))
}

impl ReadTool for Definition {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let found = find(snapshot, &input.target)?;
        let page = cx.page(input.top_k);
        let total = found.rows.len();
        let open = |name: &OpenName| OpenRow {
            name: name.name.clone(),
            reason: name.reason.clone(),
            line: name.pos.line,
            column: name.pos.col,
        };
        let unresolved = found.open.iter().take(MAX_OPEN).map(open).collect();
        let definitions = page.cut(found.rows).iter().map(|row| target_row(snapshot, row)).collect();
        let output = Output { target: input.target, definitions, total_definitions: total, unresolved };
        let guidance = guidance(&output);
        Ok(Answer::new(output).rows("definitions", total).guidance(guidance))
    }
}

fn find(snapshot: &Snapshot, target: &str) -> Result<DefinitionAnswer, ToolError> {
    // An id may end in a number, and is a name.
    if let Some(place) = PrintedPosition::parse(target).filter(|_| snapshot.graph().find(target.trim()).is_none()) {
        let path = indexed_path(snapshot, place.path)?;
        // What the place refers to is an edge.
        if snapshot.is_unlinked() {
            return Err(cannot_tell());
        }
        return Ok(at_place(snapshot, &path, place.line, place.col));
    }
    let mut found = find_named(snapshot, target);
    if snapshot.is_unlinked() {
        // Linking may find further definitions of the name.
        found.rows.iter_mut().for_each(|row| row.tier = EdgeTier::Possible);
    }
    if found.rows.is_empty() {
        // Says so, with similar names.
        rows::resolve(snapshot, "target", target)?;
    }
    Ok(found)
}

fn indexed_path(snapshot: &Snapshot, path: &str) -> Result<RepoPath, ToolError> {
    let path = snapshot.index_path(path).map_err(|error| rows::read_error("target", &error))?;
    if snapshot.files().get(&path).is_some() {
        return Ok(path);
    }
    Err(ToolError::new(ErrorCode::FileNotFound, format!("argument `target`: no indexed file is at `{path}`"))
        .hint("a place is `path:line` or `path:line:col`, with a path relative to the root")
        .next_step("find the file with `glob`, for example with its name as the pattern"))
}

fn target_row(snapshot: &Snapshot, row: &DefinitionRow) -> TargetRow {
    let graph = snapshot.graph();
    let cut = |text: &str| text[..text.floor_char_boundary(MAX_TEXT)].to_owned();
    TargetRow {
        node: NodeRow::new(snapshot, row.node),
        line_number: graph.name_line(row.node),
        tier: Word(row.tier),
        candidates: Some(row.of).filter(|of| *of > 1),
        by_dispatch: row.dispatch,
        relation: row.relation.map(Word),
        reference_column: row.site.map(|site| site.col),
        signature: cut(graph.signature(row.node)),
        doc: cut(graph.doc(row.node)),
    }
}

fn guidance(output: &Output) -> Guidance {
    let first = output.definitions.first();
    let is_certain = |row: &&TargetRow| row.tier == Word(EdgeTier::Certain);
    match (first, output.total_definitions, output.unresolved.first()) {
        (Some(row), 1, None) if is_certain(&row) => {
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(row.node.node_id.clone()), "read it")
        }
        (Some(row), ..) if !row.node.file_path.is_empty() => {
            let hint = "several definitions; open the first";
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(row.node.node_id.clone()), hint)
        }
        (Some(_), ..) => Guidance::state(ProofState::Triaging),
        (None, _, Some(open)) => {
            let hint = format!("the definition of `{}` is not known ({}); search for the name", open.name, open.reason);
            Guidance::next(ProofState::Blocked, ToolRef("search"), Some(open.name.clone()), hint)
        }
        (None, _, None) => {
            let path = PrintedPosition::parse(&output.target).map(|place| place.path.to_owned());
            let hint =
                "no reference with a definition in the graph is here: locals and parameters have none; read the line";
            Guidance::next(ProofState::Blocked, ToolRef("view"), path, hint)
        }
    }
}
