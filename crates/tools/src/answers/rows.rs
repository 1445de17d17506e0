//! Parts of answers and arguments that several tools share, and the mapping of engine errors to tool errors.

use m1nd_base::NodeKind;

use crate::word::Word;
pub(crate) use m1nd_base::count;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_engine::{EngineError, ReadError, Snapshot};
use m1nd_query::Scope;
use m1nd_query::resolve::ResolveError;
use m1nd_query::resolve::resolve_node;
use m1nd_query::retrieval::LineFinder;
use m1nd_query::what_if::hypothesize::Part;
use m1nd_sessions::{SessionError, StoreError};
use serde::Serialize;
use serde_json::json;

use crate::framework::{ErrorCode, ToolError};
use crate::past;
use crate::shorten;

/// Lines of a row that meet words of the question, beside its header.
const MATCHING_LINES: usize = 2;
/// Longest line of code in a row, in bytes.
const CODE_LINE_BYTES: usize = 120;

/// A node in an answer.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct NodeRow {
    pub(crate) node_id: String,
    pub(crate) label: String,
    #[serde(rename = "type")]
    pub(crate) kind: Word<NodeKind>,
    pub(crate) file_path: String,
    pub(crate) line_start: u32,
    pub(crate) line_end: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_test: bool,
}

impl NodeRow {
    pub(crate) fn new(snapshot: &Snapshot, node: NodeIx) -> Self {
        let graph = snapshot.graph();
        let (line_start, line_end) = graph.lines(node);
        Self {
            node_id: graph.id(node).to_owned(),
            label: graph.label(node).to_owned(),
            kind: Word(graph.kind(node)),
            file_path: graph.path(node).to_owned(),
            line_start,
            line_end,
            is_test: graph.flags(node).has(NodeFlags::TEST),
        }
    }
}

impl NodeRow {
    /// The row of a folder, which is not a node.
    pub(crate) fn folder(path: &str) -> Self {
        Self {
            node_id: path.to_owned(),
            label: path.to_owned(),
            kind: Word(NodeKind::Directory),
            file_path: path.to_owned(),
            line_start: 0,
            line_end: 0,
            is_test: false,
        }
    }
}

/// A line of code in a row.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CodeLine {
    line: u32,
    text: String,
}

/// What a row of a search shows of a node: its header, then the lines that meet words of the question which neither the
/// header nor `summary` has.
pub(crate) fn code_lines(
    snapshot: &Snapshot,
    finder: &mut LineFinder<'_>,
    node: NodeIx,
    summary: &str,
) -> Vec<CodeLine> {
    let graph = snapshot.graph();
    let (first, _) = graph.lines(node);
    let header = match graph.kind(node) {
        // The package or title of a file says nothing of its code.
        NodeKind::File | NodeKind::Section => String::new(),
        _ => shorten(graph.signature(node)),
    };
    let found = finder.lines_of(node, &format!("{header} {summary}"), MATCHING_LINES);
    let found = found.into_iter().filter(|found| found.line != first || header.is_empty());
    let mut lines: Vec<CodeLine> =
        found.map(|found| CodeLine { line: found.line, text: shorten(&found.text) }).collect();
    if !header.is_empty() {
        lines.push(CodeLine { line: first, text: header });
        lines.sort_by_key(|line| line.line);
    }
    lines
}

/// A line without runs of spaces, cut at [`CODE_LINE_BYTES`].
pub(crate) fn shorten(text: &str) -> String {
    shorten::to_bytes(&shorten::fold(text), CODE_LINE_BYTES).into_owned()
}

/// A node that an answer starts from.
#[derive(Debug, Serialize)]
pub(crate) struct Seed {
    node_id: String,
    label: String,
    relevance: f64,
}

impl Seed {
    pub(crate) fn new(snapshot: &Snapshot, (node, share): &(NodeIx, f64)) -> Self {
        let graph = snapshot.graph();
        Self {
            node_id: graph.id(*node).to_owned(),
            label: graph.label(*node).to_owned(),
            relevance: round_value(*share),
        }
    }
}

/// Resolves the node that a caller names.
///
/// # Errors
/// What is wrong with the name, with what else it may mean.
pub fn resolve(snapshot: &Snapshot, argument: &str, text: &str) -> Result<NodeIx, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::invalid(format!(
            "argument `{argument}` is empty, expected a node id, a path or a name"
        )));
    }
    resolve_node(snapshot, text).map_err(|error| resolve_error(snapshot, argument, error))
}

/// Resolves the node that a caller names, and its overloads if only signatures tell them apart.
pub(crate) fn resolve_overloads(
    snapshot: &Snapshot,
    argument: &str,
    text: &str,
) -> Result<(NodeIx, Vec<NodeIx>), ToolError> {
    if text.trim().is_empty() {
        return resolve(snapshot, argument, text).map(|node| (node, Vec::new()));
    }
    m1nd_query::resolve::resolve_overloads(snapshot, text).map_err(|error| resolve_error(snapshot, argument, error))
}

/// A text that names no node, or several.
#[derive(Debug, Serialize)]
pub(crate) struct Unresolved {
    pub(crate) node_id: String,
    reason: &'static str,
    /// Ids that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did_you_mean: Vec<String>,
}

/// Resolves the nodes that a caller names, each once, and lists the texts that name none. If no text names a node, that
/// is an error.
pub(crate) fn resolve_all(
    snapshot: &Snapshot,
    argument: &str,
    texts: &[String],
) -> Result<(Vec<NodeIx>, Vec<Unresolved>), ToolError> {
    let (mut nodes, mut unresolved) = (Vec::new(), Vec::new());
    for text in texts {
        match resolve_node(snapshot, text) {
            Ok(node) if nodes.contains(&node) => {}
            Ok(node) => nodes.push(node),
            Err(error) => {
                let (reason, did_you_mean) = match error {
                    ResolveError::NotFound { suggestions, .. } => ("no node has this name", suggestions),
                    ResolveError::Ambiguous { candidates, .. } => ("several nodes have this name", candidates),
                    ResolveError::Folder { files, .. } => ("it is a folder", files),
                };
                unresolved.push(Unresolved { node_id: text.clone(), reason, did_you_mean });
            }
        }
    }
    if nodes.is_empty()
        && let Some(first) = texts.first()
    {
        // The error says what can be done about it.
        resolve(snapshot, argument, first)?;
    }
    Ok((nodes, unresolved))
}

/// The part of the index that a caller names: a folder, a file or a glob as paths, a symbol as a node.
pub(crate) fn part(snapshot: &Snapshot, text: Option<&str>) -> Result<(Scope, Option<NodeIx>), ToolError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok((Scope::default(), None)) };
    let is_path = text.contains(['*', '?', '[', '{'])
        || snapshot.files().within(text.trim_end_matches('/')).next().is_some()
        || snapshot.files().by_text(text).is_some();
    if is_path {
        return Ok((past::scope(Some(text))?, None));
    }
    let node = resolve(snapshot, "node_filter", text)?;
    match snapshot.graph().kind(node) {
        NodeKind::File => Ok((past::scope(Some(snapshot.graph().path(node)))?, None)),
        _ => Ok((Scope::default(), Some(node))),
    }
}

/// Resolves the node or folder that a phrase names, see [`Part::find_named`].
pub(crate) fn resolve_part(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Part, ToolError> {
    if text.trim().is_empty() {
        return resolve(snapshot, argument, text).map(Part::Node);
    }
    Part::find_named(snapshot, text).map_err(|error| resolve_error(snapshot, argument, error))
}

fn resolve_error(snapshot: &Snapshot, argument: &str, error: ResolveError) -> ToolError {
    match error {
        ResolveError::NotFound { text, suggestions } => {
            let next = match suggestions.first() {
                Some(first) => {
                    format!("pass `{first}` if that is the node, or find it with `seek`")
                }
                None => format!("find it with `seek` (query `{text}`), or run `ingest` if the code is new"),
            };
            ToolError::new(ErrorCode::NodeNotFound, format!("argument `{argument}`: no node is named `{text}`"))
                .hint("a node is named by its id (`file::src/a.py::fn::load`), its path, or a unique name")
                .next_step(next)
                .detail("did_you_mean", json!(choices(snapshot, &suggestions)))
                .detail("suggestions", json!(suggestions))
        }
        ResolveError::Folder { path, files } => {
            let message = format!("argument `{argument}`: `{path}` is a folder, expected a file or symbol");
            ToolError::new(ErrorCode::NodeNotFound, message)
                .hint("`impact`, `predict`, `timeline`, `why` and the claims of `hypothesize` take folders")
                .next_step("pass one of `files`, or list them with `glob`")
                .detail("files", json!(files))
        }
        ResolveError::Ambiguous { text, candidates, total } => {
            let nodes = candidates.iter().filter_map(|id| snapshot.graph().find(id));
            let rows: Vec<Candidate> = nodes.map(|node| Candidate::new(snapshot, node)).collect();
            ToolError::new(ErrorCode::AmbiguousNode, format!("argument `{argument}`: `{text}` names {total} nodes"))
                .hint("prefix the name with its owner or path (`Pool.acquire`, `src/a.py::load`), or pass an id")
                .next_step("pass the `node_id` of one of `candidates`")
                .detail("candidates", json!(rows))
                .detail("total_candidates", json!(total))
        }
    }
}

/// A node that a name may mean.
#[derive(Debug, Serialize)]
struct Candidate {
    #[serde(flatten)]
    row: NodeRow,
    /// See [`readable`].
    signature: String,
}

impl Candidate {
    fn new(snapshot: &Snapshot, node: NodeIx) -> Self {
        Self { row: NodeRow::new(snapshot, node), signature: readable(snapshot, node) }
    }
}

/// Ids with what tells their nodes apart for a reader.
pub(crate) fn choices(snapshot: &Snapshot, ids: &[String]) -> Vec<Choice> {
    let choice = |id: &String| {
        let node = snapshot.graph().find(id)?;
        Some(Choice { node_id: id.clone(), signature: readable(snapshot, node) })
    };
    ids.iter().filter_map(choice).collect()
}

/// A node that may be meant instead of one that does not exist.
#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    node_id: String,
    /// See [`readable`].
    signature: String,
}

/// The label with parameters and result, `toJson(Object src)`: overloads have ids that differ only in a hash. The
/// label alone where there is no signature.
fn readable(snapshot: &Snapshot, node: NodeIx) -> String {
    let graph = snapshot.graph();
    match graph.kind(node) {
        NodeKind::File => graph.label(node).to_owned(),
        _ => from_name(graph.label(node), graph.signature(node)),
    }
}

/// A signature without the words before its name.
fn from_name(label: &str, signature: &str) -> String {
    let is_name = |(at, _): &(usize, &str)| {
        let around = [signature[..*at].chars().next_back(), signature[at + label.len()..].chars().next()];
        !around.iter().flatten().any(|next| next.is_alphanumeric() || *next == '_')
    };
    let places = || signature.match_indices(label).filter(is_name);
    let call = places().find(|(at, _)| signature[at + label.len()..].trim_start().starts_with(['(', '<', '[']));
    let start = call.or_else(|| places().next()).filter(|_| !label.is_empty());
    let rest = start.map_or(label, |(at, _)| &signature[at..]);
    rest.trim_end_matches(['{', ';', ':', ' ']).to_owned()
}

/// Resolves the scope of a call, `""` for none.
pub(crate) fn scope(snapshot: &Snapshot, text: Option<&str>) -> Result<String, ToolError> {
    let scope =
        text.map_or(Ok(String::new()), |text| snapshot.scope(text)).map_err(|error| read_error("scope", &error))?;
    if scope.is_empty() || snapshot.files().within(&scope).next().is_some() {
        return Ok(scope);
    }
    Err(ToolError::new(ErrorCode::FileNotFound, format!("argument `scope`: no indexed file is at or below `{scope}`"))
        .hint("a scope is a folder or file below the root, by whole path components, such as `src/core`")
        .next_step("find the folder with `glob`, or omit `scope`"))
}

/// Converts an error of reading a path.
pub(crate) fn read_error(argument: &str, error: &ReadError) -> ToolError {
    let message = format!("argument `{argument}`: {error}");
    if error.is_outside() {
        return ToolError::new(ErrorCode::OutsideWorkspace, message)
            .hint("only files below the indexed roots can be read; roots are set when the server starts")
            .next_step("pass a path relative to the root; `health` lists the roots");
    }
    match error {
        ReadError::NoRoot => ToolError::new(
            ErrorCode::FileNotFound,
            format!("argument `{argument}`: no indexed repository has this path"),
        )
        .hint("in a federation, paths begin with the name of a repository, such as `backend/src/a.py`")
        .next_step("find the file with `glob`, for example with its name as the pattern"),
        _ if error.is_not_found() => ToolError::new(ErrorCode::FileNotFound, message)
            .next_step("find the file with `glob`, for example with its name as the pattern"),
        ReadError::Path(_) => ToolError::invalid(message),
        _ => ToolError::new(ErrorCode::FileUnreadable, message),
    }
}

/// Parses the kinds of nodes that a caller names.
pub(crate) fn kinds(words: &[String]) -> Result<Vec<NodeKind>, ToolError> {
    let mut kinds = Vec::new();
    for word in words {
        let lower = word.trim().to_lowercase();
        let plain = match lower.as_str() {
            "fn" | "func" | "method" | "constructor" => "function",
            "mod" | "namespace" => "module",
            "var" => "variable",
            "const" => "constant",
            "property" | "attribute" => "field",
            "protocol" => "trait",
            other => other,
        };
        match NodeKind::ALL.iter().find(|kind| kind.word() == plain) {
            Some(kind) => kinds.push(*kind),
            None => {
                let shown: String = word.chars().take(60).collect();
                let allowed: Vec<String> = NodeKind::ALL.iter().map(|kind| format!("`{}`", kind.word())).collect();
                let allowed = allowed.join(", ");
                return Err(ToolError::invalid(format!(
                    "argument `node_types` contains `{shown}`, expected {allowed}"
                )));
            }
        }
    }
    Ok(kinds)
}

/// Rejects a text without a word.
pub(crate) fn words(argument: &str, text: &str, expected: &str) -> Result<(), ToolError> {
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(()),
        false => Err(ToolError::invalid(format!("argument `{argument}` contains no word, expected {expected}"))),
    }
}

/// Converts an error of the engine.
pub(crate) fn engine_error(error: EngineError) -> ToolError {
    let message = error.to_string();
    let code = match &error {
        EngineError::PathNotFound(_) => ErrorCode::FileNotFound,
        EngineError::OutsideRoots { .. } | EngineError::TooWide(_) => ErrorCode::OutsideWorkspace,
        EngineError::BadJson { .. }
        | EngineError::BadIndex { .. }
        | EngineError::BadShare(_)
        | EngineError::Files(_)
        | EngineError::NoRoot => ErrorCode::IngestFailed,
        EngineError::BadRequest(_) | EngineError::NotShareable(_) => ErrorCode::InvalidParams,
        EngineError::ReadOnly => ErrorCode::ReadOnly,
        EngineError::WriterElsewhere => ErrorCode::Busy,
        EngineError::NotStarted => ErrorCode::HandleUnknown,
        EngineError::NotOwner { .. } => ErrorCode::HandleNotYours,
        EngineError::Cancelled => ErrorCode::Cancelled,
        EngineError::Store(_) | EngineError::NoSpace(_) => ErrorCode::StoreFailed,
        EngineError::WriterStopped | EngineError::Internal(_) => ErrorCode::Internal,
    };
    let error = ToolError::new(code, message);
    match code {
        ErrorCode::FileNotFound => error.next_step("pass an existing folder; `health` lists the allowed roots"),
        ErrorCode::OutsideWorkspace => error
            .hint("roots are set on the command line only, so that no call can extend them")
            .next_step("`health` lists the allowed roots; ask the user to start m1nd with this folder as a root"),
        ErrorCode::Busy => {
            error.next_step("continue reading: the other process updates the index, and this one follows it")
        }
        ErrorCode::ReadOnly => error.next_step("continue reading, or ask the user to start m1nd without `--read-only`"),
        ErrorCode::HandleUnknown => error.next_step("call `auto_ingest_start` with the folders to keep current"),
        _ => error,
    }
}

/// Converts an error of the sessions.
pub(crate) fn session_error(error: SessionError) -> ToolError {
    let code = match &error {
        SessionError::Store(StoreError::ReadOnly) => return engine_error(EngineError::ReadOnly),
        SessionError::Unknown { .. } => ErrorCode::HandleUnknown,
        SessionError::Expired { .. } => ErrorCode::HandleExpired,
        SessionError::NotYours { .. } => ErrorCode::HandleNotYours,
        SessionError::Changed { .. } => ErrorCode::HandleChanged,
        SessionError::TooMany { .. }
        | SessionError::TooLarge { .. }
        | SessionError::Full { .. }
        | SessionError::ConnectionFull { .. } => ErrorCode::LimitReached,
        _ => return engine_error(EngineError::Store(error.to_string())),
    };
    ToolError::new(code, error.to_string())
}

impl From<SessionError> for ToolError {
    fn from(error: SessionError) -> Self {
        session_error(error)
    }
}

/// Rounds to four decimals.
pub(crate) fn round_value(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_start_with_the_name() {
        let cases = [
            ("toJson", "public String toJson(Object src) {", "toJson(Object src)"),
            ("to", "pub fn to(to_all: u8) -> to", "to(to_all: u8) -> to"),
            ("Mux", "type Mux struct", "Mux struct"),
            ("get", "def get[T](self) -> T:", "get[T](self) -> T"),
            ("Pool", "", "Pool"),
            ("operator()", "int other", "operator()"),
        ];
        for (label, signature, expected) in cases {
            assert_eq!(from_name(label, signature), expected, "{signature}");
        }
    }
}
