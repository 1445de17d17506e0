//! Finds lines of indexed files by text or regular expression, each with the symbol that contains it.

use std::collections::{BTreeMap, HashSet};

use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::{
    GrepAnswer, GrepFault, GrepOptions, GrepQuery, GrepRow, SeekQuery, Unsearched, grep, seek_given,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ingest::word;
use crate::framework::{
    Answer, Command, ErrorCode, Guidance, Mention, Page, ProofState, Purpose, ReadContext, ReadTool, Route, RowLine,
    Shown, Stage, TextGroups, Tool, ToolError, ToolRef, Toolset, is_zero, number, qualify_name, rows_schema,
};
use crate::rows::{self, NodeRow, count, round_value};
use crate::site_text::cut_code;
use crate::source::clip;
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// Default lines of context.
const DEFAULT_CONTEXT: usize = 2;
/// Maximum lines of context before and after.
const MAX_CONTEXT: usize = 10;
/// Maximum matching lines that `count_only` counts by file.
const MAX_COUNTED: usize = 100_000;
/// Maximum files of which it gives the count.
const MAX_COUNTS: usize = 200;
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
    /// Numbers by file, no lines
    #[serde(default)]
    count_only: bool,
    /// Whole words alone
    #[serde(default)]
    word: bool,
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
    kind: Option<Word<NodeKind>>,
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
    /// Matching lines by file, most first, if only their numbers were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counts: Vec<FileCount>,
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

/// The matching lines of a file.
#[derive(Debug, Serialize)]
struct FileCount {
    file_path: String,
    count: usize,
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
`case_sensitive`), `regex` (Rust syntax, linear time; `(?-i)` sets letter case; `multiline` lets matches span lines),
`semantic` (ranks symbols by words and meaning, like `seek`, and shows their first line; without an index to rank, the
search is literal, and `fallback` says so).

Each row of `matches` holds the line, its context and the innermost symbol around it (`node_id`, `label`,
`line_start`, `line_end`). `match_score` is 1.0 for text matches, 0 to 1 for semantic ones. Text matches are in the
order code, other text, tests, then by path and line. `total_matches` counts the matching lines of all pages;
`files_not_searched` appears if the time budget of 2 s ran out. `total_is_lower_bound: true` means that there may be
more matches. `not_in_index` lists files and folders that are not searched though no rule leaves them out, with the
reason and what includes them: sparse checkouts, submodules, pointers of git-lfs. `stale: true` marks files that changed since they were indexed. `node_matches` lists symbols with
exactly this name.

`count_only` returns the total and `counts` by file without rows, `word` finds whole words alone. `invert` finds lines
without a match. `scope` is a folder or file, by whole path components; `filename_pattern` a glob such as `*.rs`.
`auto_ingest` is accepted and ignored: reads never index; call `ingest` for a folder that is not indexed. Former
member names: `results` is `matches`, `matched_line` is `line_content`, `score` is `match_score`.";
    const NEEDS_FRESH: bool = true;
    const ANSWERS_UNLINKED: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "TODO"}"#;
    const STAGES: &'static [Route] =
        &[(Stage::Find, 20, "by exact text or regex"), (Stage::Diagnose, 20, "find the error text in the code")];
    const MENTIONS: &'static [Mention] = &[(Purpose::Find, 20, "(a rare word or regex that no row shows)")];
    const PAGED: bool = true;
    const TEXT_GROUPS: Option<&'static TextGroups> = Some(&GROUPS);
    const TEXT_OMITS: &'static [&'static str] = &[
        "mode", "total_matches", "total_is_lower_bound", "match_count", "counts", "scope_applied", "files_matched",
        "files_searched", "files_skipped",
    ];
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("count", "count_only"), ("limit", "top_k"), ("context", "context_lines")];
    const COMMAND: Option<Command> = Some(Command::new("search", &["query", "scope"]));
    const RARE: &'static [&'static str] = &["auto_ingest", "multiline", "invert"];
    const DETAILS: &'static [&'static str] = &[
        "matches.context_before", "matches.context_after", "matches.match_score", "matches.graph_linked",
        "files_matched", "files_skipped",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("matches": "file_path", "line_number", "line_content");
    type Input = Input;
    type Output = Output;
}

/// How the text shows matches: by file, with the symbol around a line where it changes.
const GROUPS: TextGroups = TextGroups { top: write_figures, head: write_file, row: write_match, end: write_counts };

fn text_of<'a>(row: &'a Map<String, Value>, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number_of(row: &Map<String, Value>, name: &str) -> u64 {
    row.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// `31 matches in 9 files of 240`.
fn write_figures(body: &Map<String, Value>, shown: Shown) -> String {
    let of = |name: &str| usize::try_from(number_of(body, name)).unwrap_or(usize::MAX);
    let least = if body.contains_key("total_is_lower_bound") { "at least " } else { "" };
    let (total, searched) = (of("total_matches"), of("files_searched"));
    let mut out = match total {
        0 => format!("{least}no match in {}", count(searched, "file")),
        _ => format!("{least}{} in {} of {searched}", count(total, "match"), count(of("files_matched"), "file")),
    };
    if !text_of(body, "scope_applied").is_empty() {
        out.push_str(&format!(" below {}", text_of(body, "scope_applied")));
    }
    if shown.is_part() {
        out.push_str(&format!("; shown: {} to {}", shown.before + 1, shown.before + shown.rows));
    }
    out + "\n"
}

fn write_file(row: &Map<String, Value>) -> String {
    text_of(row, "file_path").to_owned()
}

/// `21: the line  (acquire)`; with the lines around it, if they were asked for.
fn write_match(
    row: &Map<String, Value>,
    above: Option<&Map<String, Value>>,
    arguments: &Map<String, Value>,
) -> RowLine {
    let symbol = |row: &Map<String, Value>| {
        qualify_name(text_of(row, "node_id")).filter(|name| text_of(row, "type") != "file" && !name.is_empty())
    };
    let own = symbol(row).filter(|own| above.and_then(symbol).as_ref() != Some(own));
    let stale = row.contains_key("stale").then(|| "stale".to_owned());
    let marks: Vec<String> = [own, stale].into_iter().flatten().collect();
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    let place = number_of(row, "line_number").to_string();
    if number_of(arguments, "context_lines") > 0 {
        let head = marks.trim_start();
        let text = if head.is_empty() { with_context(row) } else { format!("{head}\n{}", with_context(row)) };
        return RowLine { place: String::new(), text: text + "\n" };
    }
    let code = cut_code(text_of(row, "line_content"), number_of(row, "column") as usize);
    RowLine { place, text: code + &marks }
}

/// The numbers by file, if they were asked for.
fn write_counts(body: &Map<String, Value>, budget: usize) -> String {
    let rows = body.get("counts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (mut out, mut written) = (String::new(), 0);
    for row in rows.iter().filter_map(Value::as_object) {
        if out.len() > budget {
            break;
        }
        out.push_str(&format!("{}: {}\n", text_of(row, "file_path"), number_of(row, "count")));
        written += 1;
    }
    let files = usize::try_from(number_of(body, "files_matched")).unwrap_or(usize::MAX);
    if written > 0 && written < files {
        out.push_str(&format!("… and {}\n", count(files - written, "more file")));
    }
    out
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
            pattern: if input.word { whole_words(input) } else { input.query.clone() },
            regex: input.mode == SearchMode::Regex || input.word,
            case_sensitive: input.case_sensitive,
            multiline: input.multiline,
            invert: input.invert,
            context: if input.count_only { 0 } else { input.context_lines },
        },
        scope: scope.clone(),
        filename_pattern: input.filename_pattern.clone(),
        offset: if input.count_only { 0 } else { page.offset },
        limit: if input.count_only { MAX_COUNTED } else { page.limit },
    };
    let found = grep(snapshot, &query, cx.cancel()).map_err(|error| fault(input.mode, error))?;
    // Counts are of all rows, so that none is shown.
    let counts = if input.count_only { count_by_file(&found) } else { Vec::new() };
    let rows = if input.count_only { &[] } else { &*found.rows };
    let matches = rows.iter().map(|row| text_row(snapshot, row)).collect();
    // A name that is exactly the text is also shown as a node, on the first page.
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
        counts,
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

/// The query as a regular expression that matches whole words alone.
fn whole_words(input: &Input) -> String {
    let query = &input.query;
    if input.mode == SearchMode::Regex {
        return format!(r"\b(?:{query})\b");
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |end: Option<char>| if end.is_some_and(is_word) { r"\b" } else { "" };
    let mut pattern = edge(query.chars().next()).to_owned();
    for c in query.chars() {
        // Behind a backslash, these two would be edges of words.
        if c.is_ascii() && !is_word(c) && !matches!(c, '<' | '>') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + edge(query.chars().next_back())
}

/// Numbers of matching lines by file, most first.
fn count_by_file(found: &GrepAnswer<'_>) -> Vec<FileCount> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in &found.rows {
        *counts.entry(row.file.path.to_string()).or_default() += 1;
    }
    let mut rows: Vec<FileCount> =
        counts.into_iter().map(|(file_path, count)| FileCount { file_path, count }).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows.truncate(MAX_COUNTS);
    rows
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
    // Counts are of all rows, so that none is shown.
    let limit = if input.count_only { 0 } else { page.limit };
    let rows = Page { limit, ..page }.cut(found.rows);
    let matches = rows.iter().map(|row| semantic_row(snapshot, row.node, row.score, context)).collect();
    // Without vectors a missing match says less.
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
        counts: Vec::new(),
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
    // There are matches: the symbol of that name, else the first line.
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
    // Nothing was found, and not everything was searched.
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
    // Nothing was found: the next call asks otherwise.
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
