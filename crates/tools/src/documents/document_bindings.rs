//! Lists the code that a document names, with the line of each mention.

use m1nd_engine::{CodeTexts, Snapshot};
use m1nd_query::documents::{MatchKind, Read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
};
use crate::rows::rounded;

/// Default number of rows.
const DEFAULT_ROWS: usize = 10;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The document, relative to its root
    path: Option<String>,
    /// Or a node in it
    node_id: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct BindingRow {
    target_node_id: String,
    relation: &'static str,
    /// Name as written in the document.
    mention: String,
    /// Line in the document.
    line: u32,
    match_kind: &'static str,
    confidence: f64,
    /// The nodes that the mention may mean, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    /// Hash of the target's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_hash: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source_path: String,
    bindings: Vec<BindingRow>,
    /// Names of code in the document, bound or not.
    mentions: usize,
}

pub(crate) struct DocumentBindings;

impl Tool for DocumentBindings {
    const NAME: &'static str = "document_bindings";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "List the code that a document names";
    const ANSWERS: &'static str = "which code a document is about";
    const HELP: &'static str = "\
Names of code in a document (between backticks, in roles such as :func:, as paths, spelled like code, or imported by an
example) and the nodes that have them: most certain first, each node once per relation. Of Markdown, reStructuredText and
AsciiDoc these are the `documents` edges of the index.

`match_kind`: `path` (a file), `module`, `qualified` (a name with its owners), `label` (a name alone), `example` (an import
of an example), `variable` (an environment variable). `confidence` is 1/`of` if `of` nodes have the name, and 0.5 for a plain
word that only one has; with more than 8 nothing is bound. `target_hash` is the hash of the code now, without indentation.
`relation`: `mentions_file`, `tests`, `mentions_symbol`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "path": "README.md"}"#;
    const PAGED: bool = true;
    const COMMAND: Option<Command> = Some(Command::new("document-bindings", &["path"]));
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path"), ("limit", "top_k")];
    const DETAILS: &'static [&'static str] = &["mentions", "bindings.match_kind", "bindings.target_hash"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"source_path": {"type": "string"}, "mentions": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for DocumentBindings {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.indexed()?;
        let read = named(snapshot, input.path.as_deref(), input.node_id.as_deref())?;
        let rows = rows(snapshot, &read);
        let total = rows.len();
        let first = rows.first().map(|row| row.target_node_id.clone());
        let bindings = cx.page(input.top_k).cut(rows);
        let output = Output { source_path: read.path.to_string(), bindings, mentions: read.document.mentions.len() };
        let guidance = match first {
            Some(first) => Guidance::next(ProofState::Triaging, ToolRef("view"), Some(first), "read the code it names"),
            None => Guidance::state(ProofState::Blocked),
        };
        Ok(Answer::new(output).rows("bindings", total).guidance(guidance))
    }
}

/// A row for each node and relation: its most certain mention, the first of several.
fn rows(snapshot: &Snapshot, read: &Read) -> Vec<BindingRow> {
    let graph = snapshot.graph();
    let mut rows: Vec<BindingRow> = Vec::new();
    let texts = CodeTexts::new(snapshot);
    for binding in &read.bindings {
        let target = binding.target;
        let is_test = graph.flags(target).has(m1nd_engine::graph::NodeFlags::TEST);
        let relation = match binding.by {
            _ if is_test => "tests",
            MatchKind::Path | MatchKind::Module => "mentions_file",
            _ => "mentions_symbol",
        };
        rows.push(BindingRow {
            target_node_id: graph.id(target).to_owned(),
            relation,
            mention: binding.mention.clone(),
            line: binding.line,
            match_kind: binding.by.word(),
            confidence: rounded(binding.confidence()),
            of: (binding.of > 1).then_some(binding.of),
            target_hash: texts.bind(target).map(|bound| bound.content.to_string()),
        });
    }
    rows.sort_by(|a, b| {
        let key = |row: &BindingRow| (row.target_node_id.clone(), row.relation);
        key(a).cmp(&key(b)).then(b.confidence.total_cmp(&a.confidence)).then(a.line.cmp(&b.line))
    });
    rows.dedup_by(|a, b| (&a.target_node_id, a.relation) == (&b.target_node_id, b.relation));
    rows.sort_by(|a, b| {
        let order = b.confidence.total_cmp(&a.confidence).then(a.line.cmp(&b.line));
        order.then_with(|| a.target_node_id.cmp(&b.target_node_id))
    });
    rows
}
