//! Lists the code that a document names, with the line of each mention.

use m1nd_engine::{CodeTexts, Snapshot, TargetState};
use m1nd_query::documents::{LightQualifier, LightRelation, MatchKind, Read, UnboundReason, unbound};
use serde::Serialize;

use super::DocumentInput;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows::round_value;
use crate::word::{Kind, Word};

/// Default number of rows.
const DEFAULT_ROWS: usize = 10;
/// A marker that more nodes fit is bound to none.
const MAX_TARGETS: usize = 8;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;

pub(crate) type Input = DocumentInput<DEFAULT_ROWS, MAX_ROWS>;

/// What a document says of the code that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindingRelation {
    /// It names a file or module.
    File,
    /// It names a symbol.
    Symbol,
    /// It names a test.
    Test,
    /// A marker of L1GHT names it.
    Marker(LightQualifier),
}

impl Kind for BindingRelation {
    fn word(self) -> &'static str {
        match self {
            Self::File => "mentions_file",
            Self::Symbol => "mentions_symbol",
            Self::Test => "tests",
            Self::Marker(qualifier) => qualifier.relation(),
        }
    }
}

/// How the node of a mention was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundBy {
    /// By the form of the name.
    Name(MatchKind),
    /// By a marker of L1GHT.
    Marker,
}

impl Kind for BoundBy {
    fn word(self) -> &'static str {
        match self {
            Self::Name(kind) => kind.word(),
            Self::Marker => "marker",
        }
    }
}

/// Why a name is bound to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBound {
    /// A name in the text.
    Name(UnboundReason),
    /// The target of a marker of L1GHT is not in the index.
    Missing,
}

impl Kind for NotBound {
    fn word(self) -> &'static str {
        match self {
            Self::Name(reason) => reason.word(),
            Self::Missing => TargetState::Missing.word(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct BindingRow {
    target_node_id: String,
    relation: Word<BindingRelation>,
    /// Name as written in the document.
    mention: String,
    /// Line in the document.
    line: u32,
    match_kind: Word<BoundBy>,
    confidence: f64,
    /// The nodes that the mention may mean, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    /// Hash of the target's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_hash: Option<String>,
    /// Of a marker of L1GHT: whether the target is as it was when the marker was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Word<TargetState>>,
}

/// A name that is bound to nothing.
#[derive(Debug, Serialize)]
pub(crate) struct UnboundRow {
    mention: String,
    line: u32,
    reason: Word<NotBound>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source_path: String,
    bindings: Vec<BindingRow>,
    /// Names of code in the document, bound or not.
    mentions: usize,
    /// Names that are bound to nothing, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unbound: Vec<UnboundRow>,
    /// Number of all of them, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_unbound: Option<usize>,
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

`match_kind`: `path` (a file), `module`, `qualified` (a name with its owners), `label` (a name alone), `command` (a command
or option: what declares it), `example` (an import of an example), `variable` (an environment variable), `marker` (of L1GHT). `confidence` is 1/`of` if `of` nodes have the name, and 0.5 for a plain
word that only one has; with more than 8 nothing is bound. `target_hash` is the hash of the code now, without indentation.
`relation`: `mentions_file`, `tests`, `mentions_symbol`; of a marker of L1GHT its own, with `state`: `current`, `stale`,
`unverified` (the marker has no hash) or `ambiguous`.

`unbound` says why the other names are bound to nothing: `absent`, `no_file`, `outside` (another package), `plain_word` (a
parameter or value as often as not), `too_many`, `unfit` (what stands around it fits none), `command` (no program of the
project is known to have it); of a marker `missing`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "path": "README.md"}"#;
    const PAGED: bool = true;
    const COMMAND: Option<Command> = Some(Command::new("document-bindings", &["path"]));
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path"), ("limit", "top_k")];
    const DETAILS: &'static [&'static str] =
        &["mentions", "unbound", "total_unbound", "bindings.match_kind", "bindings.target_hash"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"source_path": {"type": "string"}, "mentions": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for DocumentBindings {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let read = input.read(snapshot)?;
        let rows = rows(snapshot, &read);
        let total = rows.len();
        let first = rows.first().map(|row| row.target_node_id.clone());
        let bindings = cx.page(input.top_k).cut(rows);
        let mentions = read.document.mentions.len();
        let mut unbound = unbound_rows(snapshot, &read);
        let total_unbound = Some(unbound.len()).filter(|all| *all > input.top_k);
        unbound.truncate(input.top_k);
        let output = Output { source_path: read.path.to_string(), bindings, mentions, unbound, total_unbound };
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
    // Names in the text.
    for binding in &read.bindings {
        let target = binding.target;
        let is_test = graph.flags(target).has(m1nd_engine::graph::NodeFlags::TEST);
        let relation = match binding.by {
            _ if is_test => BindingRelation::Test,
            MatchKind::Path | MatchKind::Module => BindingRelation::File,
            _ => BindingRelation::Symbol,
        };
        rows.push(BindingRow {
            target_node_id: graph.id(target).to_owned(),
            relation: Word(relation),
            mention: binding.mention.clone(),
            line: binding.line,
            match_kind: Word(BoundBy::Name(binding.by)),
            confidence: round_value(binding.confidence()),
            of: (binding.of > 1).then_some(binding.of),
            target_hash: texts.bind(target).map(|bound| bound.content.to_string()),
            state: None,
        });
    }
    // Markers of L1GHT; one that fits many nodes is bound to none.
    for (line, relation) in markers(read) {
        let (found, state) = snapshot.light_target(relation);
        let share = round_value(1.0 / found.len().max(1) as f64);
        rows.extend(found.iter().filter(|_| found.len() <= MAX_TARGETS).map(|target| BindingRow {
            target_node_id: graph.id(*target).to_owned(),
            relation: Word(BindingRelation::Marker(relation.qualifier)),
            mention: relation.target.clone(),
            line,
            match_kind: Word(BoundBy::Marker),
            confidence: share,
            of: (found.len() > 1).then_some(found.len()),
            target_hash: texts.bind(*target).map(|bound| bound.content.to_string()),
            state: Some(Word(state)),
        }));
    }
    // One row per node and relation, the most certain; then in the order of certainty.
    rows.sort_by(|a, b| {
        let key = |row: &BindingRow| (row.target_node_id.clone(), row.relation.0.word());
        key(a).cmp(&key(b)).then(b.confidence.total_cmp(&a.confidence)).then(a.line.cmp(&b.line))
    });
    rows.dedup_by(|a, b| (&a.target_node_id, a.relation.0.word()) == (&b.target_node_id, b.relation.0.word()));
    rows.sort_by(|a, b| {
        let order = b.confidence.total_cmp(&a.confidence).then(a.line.cmp(&b.line));
        order.then_with(|| a.target_node_id.cmp(&b.target_node_id))
    });
    rows
}

/// What the claims of a L1GHT document name, with the lines of the claims.
fn markers(read: &Read) -> impl Iterator<Item = (u32, &LightRelation)> {
    let claims = read.document.light.iter().flat_map(|light| &light.claims);
    let rows = claims.flat_map(|claim| claim.relations.iter().map(|relation| (claim.line, relation)));
    rows.filter(|(_, row)| !matches!(row.qualifier, LightQualifier::Confidence | LightQualifier::Ambiguity))
}

fn unbound_rows(snapshot: &Snapshot, read: &Read) -> Vec<UnboundRow> {
    let row = |mention: &str, line, reason| UnboundRow { mention: mention.to_owned(), line, reason: Word(reason) };
    let names = unbound(snapshot, read).into_iter();
    let names = names.map(|(name, reason)| row(&name.name, name.line, NotBound::Name(reason)));
    let mut rows: Vec<UnboundRow> = names.collect();
    let missing = markers(read).filter(|(_, relation)| snapshot.light_target(relation).0.is_empty());
    rows.extend(missing.map(|(line, relation)| row(&relation.target, line, NotBound::Missing)));
    rows.sort_by_key(|row| row.line);
    rows
}
