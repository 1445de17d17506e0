//! Finds lines of indexed files by text or regular expression, each with the symbol that contains it.

use std::collections::HashSet;

use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::{GrepAnswer, GrepFault, GrepOptions, GrepQuery, GrepRow, SeekQuery, Unsearched};
use m1nd_query::retrieval::{grep, seek_given};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ingest::word;
use crate::framework::{
    Answer, Command, ErrorCode, Guidance, Mention, Page, ProofState, Purpose, ReadContext, ReadTool, Route, RowText,
    Stage, Tool, ToolError, ToolRef, Toolset, is_zero, number, rows_schema,
};
use crate::rows::{self, NodeRow, count, round_value};
use crate::source::clip;

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// Default lines of context.
const DEFAULT_CONTEXT: usize = 2;
/// Maximum lines of context before and after.
const MAX_CONTEXT: usize = 10;
/// Maximum symbols listed whose name is the query.
const MAX_NODE_MATCHES: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SearchMode {
    #[default]
    Literal,
    Regex,
    Semantic,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    query: String,
    #[serde(default)]
    mode: SearchMode,
    /// Folder or file
    scope: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    #[serde(default = "number::<DEFAULT_CONTEXT>")]
    #[schemars(range(max = MAX_CONTEXT))]
    context_lines: usize,
    #[serde(default)]
    case_sensitive: bool,
    /// Lines without a match
    #[serde(default)]
    invert: bool,
    #[serde(default)]
    count_only: bool,
    /// Let regex span lines
    #[serde(default)]
    multiline: bool,
    /// Glob on names
    filename_pattern: Option<String>,
    /// Ignored: reads never index
    #[allow(dead_code, reason = "accepted for callers that pass it")]
    #[serde(default)]
    auto_ingest: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct SearchMatch {
    file_path: String,
    line_number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    line_content: String,
    context_before: Vec<String>,
    context_after: Vec<String>,
    match_score: f64,
    graph_linked: bool,
    /// Innermost symbol around the line, or the file if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_end: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    query: String,
    /// How was searched.
    mode: SearchMode,
    /// The reason why that is not the mode of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'static str>,
    matches: Vec<SearchMatch>,
    total_matches: usize,
    /// There may be more matches than `total_matches`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    total_is_lower_bound: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_count: Option<usize>,
    /// Symbols with exactly this name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    node_matches: Vec<NodeRow>,
    scope_applied: Option<String>,
    files_matched: usize,
    files_searched: usize,
    files_skipped: usize,
    /// Files not searched within the time budget; `total_matches` is then a lower bound.
    #[serde(skip_serializing_if = "is_zero")]
    files_not_searched: usize,
    /// Files and folders that are not in the index though no rule leaves them out, with the reason: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_in_index: Vec<NotInIndex>,
    /// Their number, if there are more.
    #[serde(skip_serializing_if = "is_zero")]
    total_not_in_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_summary: Option<String>,
}

/// A file or folder that the search does not cover.
#[derive(Debug, Serialize)]
struct NotInIndex {
    file_path: String,
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

fn not_in_index(found: &GrepAnswer<'_>) -> (Vec<NotInIndex>, usize) {
    let row = |row: &Unsearched| NotInIndex {
        file_path: row.path.clone(),
        reason: word(&row.kind),
        detail: row.detail.clone(),
    };
    let rows: Vec<NotInIndex> = found.unsearched.iter().map(row).collect();
    let total = if found.total_unsearched > rows.len() { found.total_unsearched } else { 0 };
    (rows, total)
}

pub(crate) struct Search;

impl Tool for Search {
    const NAME: &'static str = "search";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Search file contents; each hit names its symbol";
    const ANSWERS: &'static str =
        "where a text or regular expression occurs, with context and the symbol around each hit";
    const HELP: &'static str = "\
Searches the lines of indexed files as they are on disk now. Modes: `literal` (default, case-insensitive unless
`case_sensitive`), `regex` (Rust syntax, linear time; `(?-i)` and `\\b` set letter case and whole words; `multiline` lets matches span
lines), `semantic` (ranks symbols
by words and meaning, like `seek`, and shows their first line; without an index to rank, the search is literal, and
`fallback` says so).

Each row of `matches` holds the line, its context and the innermost symbol around it (`node_id`, `label`,
`line_start`, `line_end`). `match_score` is 1.0 for text matches, 0 to 1 for semantic ones. Text matches are in the
order code, other text, tests, then by path and line. `total_matches` counts the matching lines of all pages;
`files_not_searched` appears if the time budget of 2 s ran out. `total_is_lower_bound: true` means that there may be
more matches. `not_in_index` lists files and folders that are not searched though no rule leaves them out, with the
reason and what includes them: sparse checkouts, submodules, pointers of git-lfs. `stale: true` marks files that changed since they were indexed. `node_matches` lists symbols with
exactly this name.

`count_only` returns the total without rows. `invert` finds lines without a match. `scope` is a folder or file, by
whole path components; `filename_pattern` a glob such as `*.rs`. `auto_ingest` is accepted and ignored: reads never
index; call `ingest` for a folder that is not indexed. Former member names: `results` is `matches`, `matched_line` is
`line_content`, `score` is `match_score`.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "TODO"}"#;
    const STAGES: &'static [Route] =
        &[(Stage::Find, 20, "by exact text or regex"), (Stage::Diagnose, 20, "find the error text in the code")];
    const MENTIONS: &'static [Mention] = &[(Purpose::Find, 20, "(a rare word or regex that no row shows)")];
    const PAGED: bool = true;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const COMMAND: Option<Command> = Some(Command::new("search", &["query", "scope"]));
    const RARE: &'static [&'static str] = &["auto_ingest", "multiline", "invert"];
    const DETAILS: &'static [&'static str] = &[
        "matches.context_before",
        "matches.context_after",
        "matches.match_score",
        "matches.graph_linked",
        "files_matched",
        "files_skipped",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("matches": "file_path", "line_number", "line_content");
    type Input = Input;
    type Output = Output;
}

/// `src/a.py:21:8: the line  (in acquire)`, as programs that search print it. Context that was asked for is below it,
/// with the line in its place.
fn row_text(row: &Map<String, Value>, arguments: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(Value::as_u64).map(|number| format!(":{number}"));
    let place = format!(
        "{}{}{}",
        text("file_path"),
        number("line_number").unwrap_or_default(),
        number("column").unwrap_or_default()
    );
    let symbol = Some(text("label")).filter(|_| text("type") != "file").filter(|label| !label.is_empty());
    let stale = if row.contains_key("stale") { "  stale" } else { "" };
    let symbol = symbol.map(|label| format!("  (in {label})")).unwrap_or_default();
    match arguments.get("context_lines").and_then(Value::as_u64) {
        None | Some(0) => format!("{place}: {}{symbol}{stale}", text("line_content").trim()),
        Some(_) => format!("{place}{symbol}{stale}\n{}", with_context(row)),
    }
}

/// The line and those around it, each with its number: `21:` the line, `20-` and `22-` the others.
fn with_context(row: &Map<String, Value>) -> String {
    let lines = |name: &str| row.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (before, after) = (lines("context_before"), lines("context_after"));
    let at = row.get("line_number").and_then(Value::as_u64).unwrap_or_default();
    let first = at.saturating_sub(before.len() as u64);
    let all = before.iter().chain(row.get("line_content")).chain(after).filter_map(Value::as_str);
    let written = all.zip(first..).map(|(line, number)| {
        let mark = if number == at { ':' } else { '-' };
        format!("{number}{mark} {line}").trim_end().to_owned()
    });
    written.collect::<Vec<_>>().join("\n")
}

impl ReadTool for Search {
    fn run(cx: &ReadContext<'_>, mut input: Input) -> Result<Answer<Output>, ToolError> {
        let fallback = match input.mode {
            SearchMode::Semantic => without_ranking(cx.snapshot()),
            SearchMode::Literal | SearchMode::Regex => None,
        };
        let snapshot = if fallback.is_some() { cx.snapshot() } else { cx.require_indexed()? };
        if fallback.is_some() {
            input.mode = SearchMode::Literal;
        }
        if input.query.is_empty() {
            return Err(ToolError::invalid("argument `query` is empty, expected text or a regular expression"));
        }
        if input.query.contains('\n') && input.mode != SearchMode::Semantic && !input.multiline {
            return Err(ToolError::invalid(
                "argument `query` contains a line break, but lines are searched one by one",
            )
            .next_step(
                "search for one of its lines, or use `mode` \"regex\" with `multiline` and escape special characters",
            ));
        }
        if input.multiline && input.mode != SearchMode::Regex {
            return Err(ToolError::invalid("argument `multiline` requires `mode` \"regex\""));
        }
        let scope = rows::scope(snapshot, input.scope.as_deref().filter(|_| !snapshot.is_empty()))?;
        let page = cx.page(input.top_k);
        let output = match input.mode {
            SearchMode::Semantic => semantic(cx, snapshot, &input, scope, page)?,
            SearchMode::Literal | SearchMode::Regex => text(cx, snapshot, &input, scope, page)?,
        };
        let output = Output { fallback, ..output };
        let guidance = match snapshot.is_empty() {
            true => Guidance::to_first_index(cx.status().activity.as_ref()),
            false => guidance(&input, &output),
        };
        let found = output.total_matches;
        let total = if input.count_only { 0 } else { found };
        Ok(Answer::new(output).rows("matches", total).with_found(found).guidance(guidance))
    }
}

/// The reason why nothing can be ranked by meaning, if that is so.
fn without_ranking(snapshot: &Snapshot) -> Option<&'static str> {
    if snapshot.is_empty() {
        return Some("nothing is indexed, so nothing can be ranked by meaning, and a literal search has no files");
    }
    snapshot.index().is_empty().then_some("no symbol is indexed to be ranked by meaning: searched literally")
}

fn text(
    cx: &ReadContext<'_>,
    snapshot: &Snapshot,
    input: &Input,
    scope: String,
    page: Page,
) -> Result<Output, ToolError> {
    let query = GrepQuery {
        options: GrepOptions {
            pattern: input.query.clone(),
            regex: input.mode == SearchMode::Regex,
            case_sensitive: input.case_sensitive,
            multiline: input.multiline,
            invert: input.invert,
            context: input.context_lines,
        },
        scope: scope.clone(),
        filename_pattern: input.filename_pattern.clone(),
        offset: page.offset,
        limit: if input.count_only { 0 } else { page.limit },
    };
    let found = grep(snapshot, &query, cx.cancel()).map_err(|error| fault(input.mode, error))?;
    let matches = found.rows.iter().map(|row| text_row(snapshot, row)).collect();
    let named = if input.mode == SearchMode::Literal && page.offset == 0 && !input.count_only {
        snapshot.graph().find_labelled(&input.query)
    } else {
        Vec::new()
    };
    let inside = |node: &NodeIx| {
        let path = snapshot.graph().path(*node);
        scope.is_empty()
            || path.strip_prefix(scope.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let node_matches = named.into_iter().filter(inside).take(MAX_NODE_MATCHES).map(|node| NodeRow::new(snapshot, node));
    let (not_in_index, total_not_in_index) = not_in_index(&found);
    Ok(Output {
        query: input.query.clone(),
        mode: input.mode,
        fallback: None,
        matches,
        total_matches: found.total,
        total_is_lower_bound: found.files_left > 0,
        match_count: input.count_only.then_some(found.total),
        node_matches: node_matches.collect(),
        scope_applied: Some(scope).filter(|scope| !scope.is_empty()),
        files_matched: found.files_matched,
        files_searched: found.files_searched,
        files_skipped: found.files_skipped,
        files_not_searched: found.files_left,
        not_in_index,
        total_not_in_index,
        inline_summary: summary(&found),
    })
}

fn fault(mode: SearchMode, fault: GrepFault) -> ToolError {
    let text = fault.to_string();
    match fault {
        GrepFault::Cancelled(cancelled) => cancelled.into(),
        GrepFault::Glob(_) => ToolError::new(ErrorCode::InvalidPattern, format!("argument `filename_pattern`: {text}")),
        GrepFault::Pattern(_) => ToolError::new(ErrorCode::InvalidPattern, format!("argument `query`: {text}"))
            .next_step(match mode {
                SearchMode::Regex => "fix the expression, or use `mode` \"literal\" to search for the exact text",
                _ => "search for a shorter part of it, or use `seek`",
            }),
    }
}

fn summary(found: &GrepAnswer<'_>) -> Option<String> {
    (found.files_left > 0).then(|| {
        format!(
            "at least {} in {}; {} not searched within the time budget: narrow `scope` or `filename_pattern`",
            count(found.total, "match"),
            count(found.files_matched, "file"),
            count(found.files_left, "file")
        )
    })
}

fn text_row(snapshot: &Snapshot, row: &GrepRow<'_>) -> SearchMatch {
    let node = row.node.map(|node| NodeRow::new(snapshot, node));
    SearchMatch {
        file_path: row.file.path.to_string(),
        line_number: row.found.line,
        column: Some(row.found.column),
        line_content: row.found.text.clone(),
        context_before: row.found.before.clone(),
        context_after: row.found.after.clone(),
        match_score: 1.0,
        graph_linked: row.node.is_some_and(|node| snapshot.graph().kind(node) != NodeKind::File),
        node_id: node.as_ref().map(|node| node.node_id.clone()),
        label: node.as_ref().map(|node| node.label.clone()),
        kind: node.as_ref().map(|node| node.kind),
        line_start: node.as_ref().map(|node| node.line_start),
        line_end: node.as_ref().map(|node| node.line_end),
        stale: row.stale,
    }
}

fn semantic(
    cx: &ReadContext<'_>,
    snapshot: &Snapshot,
    input: &Input,
    scope: String,
    page: Page,
) -> Result<Output, ToolError> {
    if input.invert || input.filename_pattern.is_some() {
        return Err(ToolError::invalid(
            "arguments `invert` and `filename_pattern` require `mode` \"literal\" or \"regex\"",
        ));
    }
    let query =
        SeekQuery { text: input.query.clone(), scope: scope.clone(), graph_rerank: true, ..SeekQuery::default() };
    let found = seek_given(snapshot, &query, cx.loaded_history().as_ref(), cx.cancel())?;
    let total = found.rows.len();
    let context = input.context_lines;
    let files: HashSet<Option<NodeIx>> = found.rows.iter().map(|row| snapshot.graph().file(row.node)).collect();
    let (files_matched, files_searched) = (files.len(), snapshot.files().within(&scope).count());
    let limit = if input.count_only { 0 } else { page.limit };
    let rows = Page { limit, ..page }.cut(found.rows);
    let matches = rows.iter().map(|row| semantic_row(snapshot, row.node, row.score, context)).collect();
    let how = match found.used_vectors {
        true => "ranked by words in names, headers, comments, paths and bodies, and by their meaning",
        false => "ranked by words in names, headers, comments, paths and bodies; no embeddings",
    };
    Ok(Output {
        query: input.query.clone(),
        mode: input.mode,
        fallback: None,
        matches,
        total_matches: total,
        total_is_lower_bound: found.is_cut,
        match_count: input.count_only.then_some(total),
        node_matches: Vec::new(),
        scope_applied: Some(scope).filter(|scope| !scope.is_empty()),
        files_matched,
        files_searched,
        files_skipped: 0,
        files_not_searched: 0,
        not_in_index: Vec::new(),
        total_not_in_index: 0,
        inline_summary: Some(match super::seek::missing(&found.left_out, &found.unmatched) {
            Some(missing) => format!("{how}; {missing}"),
            None => how.to_owned(),
        }),
    })
}

fn semantic_row(snapshot: &Snapshot, node: NodeIx, score: f64, context: usize) -> SearchMatch {
    let row = NodeRow::new(snapshot, node);
    let source = RepoPath::new(&row.file_path).ok().and_then(|path| snapshot.read_file(&path).ok());
    let source = source.filter(|source| !source.binary);
    let lines: Vec<&str> = source.iter().flat_map(|source| source.text.lines()).collect();
    let at = (row.line_start as usize).saturating_sub(1);
    let slice = |from: usize, to: usize| -> Vec<String> {
        lines.get(from.min(lines.len())..to.min(lines.len())).unwrap_or(&[]).iter().map(|line| clip(line)).collect()
    };
    SearchMatch {
        line_number: row.line_start,
        column: None,
        line_content: lines.get(at).map(|line| clip(line)).unwrap_or_default(),
        context_before: slice(at.saturating_sub(context), at),
        context_after: slice(at + 1, at + 1 + context),
        match_score: round_value(score),
        graph_linked: snapshot.graph().kind(node) != NodeKind::File,
        stale: source.as_ref().is_some_and(|source| source.stale),
        file_path: row.file_path,
        node_id: Some(row.node_id),
        label: Some(row.label),
        kind: Some(row.kind),
        line_start: Some(row.line_start),
        line_end: Some(row.line_end),
    }
}

fn guidance(input: &Input, output: &Output) -> Guidance {
    if let Some(node) = output.node_matches.first().filter(|_| output.total_matches > 0) {
        let hint = format!("`{}` is a symbol; check what depends on it", node.label);
        return Guidance::next(ProofState::Triaging, ToolRef("impact"), Some(node.node_id.clone()), hint);
    }
    if let Some(first) = output.matches.first() {
        let hint = format!("{}; open the first in context", count(output.total_matches, "match"));
        let target = first.node_id.clone().unwrap_or_else(|| first.file_path.clone());
        return Guidance::next(ProofState::Triaging, ToolRef("view"), Some(target), hint);
    }
    if output.total_matches > 0 {
        return Guidance::state(ProofState::Triaging);
    }
    if output.files_not_searched > 0 {
        let left = count(output.files_not_searched, "file");
        let hint = format!("no match so far, but {left} not searched within the time budget: narrow `scope`");
        return Guidance::next(
            ProofState::Proving,
            ToolRef("search"),
            Some(output.query.chars().take(200).collect()),
            hint,
        );
    }
    if input.mode == SearchMode::Semantic {
        let target = Some(output.query.chars().take(200).collect());
        return match &output.scope_applied {
            Some(scope) => {
                let hint = format!("no match below `{scope}`; repeat without `scope`");
                Guidance::next(ProofState::Blocked, ToolRef("search"), target, hint)
            }
            None => Guidance::no_match(Some(&output.query)),
        };
    }
    let looks_like_regex = input.mode == SearchMode::Literal && input.query.contains(['*', '|', '\\', '^', '$', '[']);
    let (tool, hint) = if looks_like_regex {
        (
            ToolRef("search"),
            "no line contains this text; it looks like a regular expression: repeat with `mode` \"regex\"".to_owned(),
        )
    } else if input.case_sensitive {
        (ToolRef("search"), "no match in this letter case; repeat without `case_sensitive`".to_owned())
    } else if let Some(scope) = &output.scope_applied {
        (ToolRef("search"), format!("no match below `{scope}`; repeat without `scope`"))
    } else {
        (ToolRef("seek"), "no line matches; find it by what it does".to_owned())
    };
    Guidance::next(ProofState::Blocked, tool, Some(input.query.chars().take(200).collect()), hint)
}
