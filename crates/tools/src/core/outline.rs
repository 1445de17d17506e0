//! Shows the symbols of a file as a tree.

use m1nd_base::{NodeKind, node_id};
use m1nd_engine::Snapshot;
use m1nd_query::references::{OutlineRow, outline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::framework::{
    Answer, Command, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError,
    ToolRef, Toolset, number, rows_schema,
};
use crate::rows::{NodeRow, count, shorten};
use crate::source;

/// Default number of rows.
const DEFAULT_ROWS: usize = 300;
/// Maximum rows of one page.
const MAX_ROWS: usize = 2_000;
/// Maximum length of a signature, in bytes.
const MAX_SIGNATURE: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path, or id or name of a symbol
    file_path: String,
    /// Levels, default all
    #[schemars(range(min = 1))]
    depth: Option<usize>,
    /// Functions and methods only
    #[serde(default)]
    functions_only: bool,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct SymbolRow {
    #[serde(flatten)]
    node: NodeRow,
    /// Number of symbols around it, from 0.
    depth: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    file_path: String,
    node_id: String,
    symbols: Vec<SymbolRow>,
    total_symbols: usize,
    /// The file changed since it was indexed, so lines may be off.
    stale: bool,
}

pub(crate) struct Outline;

impl Tool for Outline {
    const NAME: &'static str = "outline";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "List the symbols of a file as a tree, with signatures and lines";
    const ANSWERS: &'static str = "what a file defines: its symbols as a tree, with signatures and lines";
    const HELP: &'static str = "\
Lists the definitions of a file (of a document: its sections), or the members of one symbol, in the order of the text.
Each symbol comes before its members; `depth` is the number of symbols around it, from 0. With the argument `depth`,
only so many levels are listed: 1 for the outermost. `functions_only` leaves out what is not a function or method. `signature` is the header on one line, where the language has one.

Locals and parameters are not listed. `stale: true` means that the file changed since it was indexed, so lines may be
off. `view` shows the text of a symbol.";
    const NEEDS_FRESH: bool = true;
    const ANSWERS_UNLINKED: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "file_path": "README.md"}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 80, "what a file defines, before reading it")];
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "file_path"), ("node_id", "file_path"), ("limit", "top_k")];
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const TEXT_OMITS: &'static [&'static str] = &["file_path", "node_id", "total_symbols"];
    const COMMAND: Option<Command> = Some(Command::new("outline", &["file_path"]));
    const DETAILS: &'static [&'static str] = &["symbols.signature"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("symbols": "node_id", "label", "type", "line_start", "line_end", "depth");
    type Input = Input;
    type Output = Output;
}

/// `4-9:  def acquire(self)`, indented by its depth; the caller named the file.
fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(Value::as_u64).unwrap_or_default();
    let indent = "  ".repeat(number("depth") as usize);
    let lines = match (number("line_start"), number("line_end")) {
        (start, end) if end > start => format!("{start}-{end}"),
        (start, _) => start.to_string(),
    };
    let name = match text("signature") {
        "" => format!("{} {}", text("type"), text("label")),
        signature => shorten(signature),
    };
    format!("{lines}: {indent}{name}")
}

impl ReadTool for Outline {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let shown = source::open(snapshot, "file_path", &input.file_path)?;
        let Some(node) = shown.node(snapshot) else {
            let message = format!("argument `file_path`: `{}` is not indexed", shown.path);
            return Err(ToolError::new(ErrorCode::FileNotFound, message)
                .next_step("read it with `view`, or call `ingest` if it is new"));
        };
        let page = cx.page(input.top_k);
        let mut found = outline(snapshot, node, input.depth.map_or(usize::MAX, |depth| depth.saturating_sub(1)));
        if input.functions_only {
            found.retain(|row| snapshot.graph().kind(row.node) == NodeKind::Function);
        }
        let total = found.len();
        let symbols: Vec<SymbolRow> = page.cut(found).iter().map(|row| symbol(snapshot, row)).collect();
        let output = Output {
            node_id: snapshot.graph().id(node).to_owned(),
            file_path: shown.path.to_string(),
            symbols,
            total_symbols: total,
            stale: shown.source.stale,
        };
        let guidance = guidance(&output);
        Ok(Answer::new(output).rows("symbols", total).guidance(guidance))
    }
}

fn symbol(snapshot: &Snapshot, row: &OutlineRow) -> SymbolRow {
    let signature = snapshot.graph().signature(row.node);
    SymbolRow {
        node: NodeRow::new(snapshot, row.node),
        depth: row.depth,
        signature: signature[..signature.floor_char_boundary(MAX_SIGNATURE)].to_owned(),
    }
}

fn guidance(output: &Output) -> Guidance {
    if output.stale {
        let hint = "the file changed since it was indexed; ingest it before relying on its symbols";
        return Guidance::next(ProofState::Proving, ToolRef("ingest"), Some(output.file_path.clone()), hint);
    }
    match output.symbols.first() {
        Some(first) => {
            let hint = format!("{}; open the one that fits", count(output.total_symbols, "symbol"));
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(first.node.node_id.clone()), hint)
        }
        None => {
            let within =
                if node_id::is_file(&output.node_id) { "file defines no symbol" } else { "symbol has no member" };
            let hint = format!("the {within} that is indexed; read the text");
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(output.node_id.clone()), hint)
        }
    }
}
