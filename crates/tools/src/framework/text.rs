//! Answers as text: compact, in order of use, one line per row. For models and people; programs take JSON.
//!
//! Rows come first, then what is said of all of them, the next step last. What is constant, empty or repeats another
//! member is left out. Any answer has a text; a tool with a better line for its rows gives one, see
//! [`Tool::ROW_TEXT`](super::Tool::ROW_TEXT).

use std::fmt::Write;

use m1nd_base::{RepoPath, count, node_id};
use serde_json::{Map, Value};

use super::budget::Paged;
use super::unlinked;
use crate::shorten;

/// Bytes of a text answer when the caller does not say: 2,000 tokens of four bytes.
pub(crate) const TEXT_BYTES: usize = 8_000;
/// Bytes kept for the last lines: what was cut, and the next step.
const FOOTER_BYTES: usize = 500;
/// Longest text inside a row, in characters.
const MAX_TEXT: usize = 160;
/// Leading bytes by which a text is known to be a line of code that the row shows as well.
const MAX_REPEATED: usize = 60;
/// Elements of a list inside a row.
const MAX_INNER: usize = 6;
/// Lists inside of lists that are written out.
const MAX_DEPTH: usize = 3;
/// Members that the head of a row is made of.
const HEAD: &[&str] = &["label", "type", "node_id", "file_path", "line_start", "line_end", "name", "path", "line"];
/// Members of which a row shows the first that it has, as its figure.
const FIGURES: &[&str] = &[
    "score", "activation", "relevance", "suspiciousness", "match_score", "confidence", "boost", "trust_score",
    "combined_risk", "magnitude", "turbulence_score", "weight",
];
/// Members whose words speak for themselves.
const BARE: &[&str] =
    &["class", "status", "side", "severity", "kind", "state", "relation", "language", "mode", "reason", "why"];
/// Members that are sentences, at the end of a row.
const SAYS: &[&str] = &["intent_summary", "summary", "message", "hint", "title", "detail", "description"];
/// Members that are written as the lines that they are.
const BLOCKS: &[&str] = &["diff", "unified_diff", "body", "source_excerpt"];
/// The member with the next step. A tool whose first line says it omits it, and with it the whole step.
pub(crate) const NEXT_STEP: &str = "next_step_hint";
/// Members of the frame, written last or not at all.
const FRAME: &[&str] = &[
    "generation", "elapsed_ms", "proof_state", "next_suggested_tool", "next_suggested_target", "next_step_hint",
    "truncated", "truncated_fields", "cursor", "budget",
];

/// Members that say how far the rows can be relied on: they come first, so that no limit of size cuts them off.
const VERDICTS: &[&str] = &[unlinked::MEMBER, "stale", "clamped", "taken", "closure"];

/// How a tool writes one of its rows, given the arguments of the call: the line, and lines below it that are indented
/// here.
pub type RowText = fn(&Map<String, Value>, &Map<String, Value>) -> String;

/// The members of an answer, of one of its rows, or of the arguments of a call.
pub type Members = Map<String, Value>;

/// How a tool writes its rows in groups that share a line above them, between lines of its own.
#[derive(Debug, Clone, Copy)]
pub struct TextGroups {
    /// The first lines: what was found and how far it can be relied on, given the body and what of it is shown.
    pub top: fn(&Members, Shown) -> String,
    /// The line above the rows of a group; rows in sequence with the same line are one group.
    pub head: fn(&Members) -> String,
    /// A row, given the one above it in its group and the arguments of the call. Rows that differ in their places alone
    /// become one line.
    pub row: fn(&Members, Option<&Members>, &Members) -> RowLine,
    /// The lines behind the rows, of about this many bytes at most.
    pub end: fn(&Members, usize) -> String,
}

/// A row in a group: `21: the line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowLine {
    /// Its place in the file; empty for none.
    pub place: String,
    /// The rest.
    pub text: String,
}

impl RowLine {
    fn write(&self) -> String {
        if self.place.is_empty() { self.text.clone() } else { format!("{}: {}", self.place, self.text) }
    }
}

/// Lines of rows in groups, each row below the line of its group.
pub(crate) struct GroupWriter<'a> {
    groups: &'a TextGroups,
    arguments: &'a Map<String, Value>,
    pub(crate) text: String,
    head: String,
    above: Option<&'a Map<String, Value>>,
    /// The last line as it is without its place, if nothing is left out because of the row above.
    last: String,
}

impl<'a> GroupWriter<'a> {
    pub(crate) fn new(groups: &'a TextGroups, arguments: &'a Map<String, Value>) -> Self {
        Self { groups, arguments, text: String::new(), head: String::new(), above: None, last: String::new() }
    }

    /// Adds a row, unless the text would be longer than `room` bytes.
    pub(crate) fn push(&mut self, row: &'a Map<String, Value>, room: usize) -> bool {
        let groups = self.groups;
        let head = (groups.head)(row);
        let is_new = head != self.head;
        let line = (groups.row)(row, self.above.filter(|_| !is_new), self.arguments);
        let whole = (groups.row)(row, None, self.arguments).text;
        let is_same = !is_new && !line.place.is_empty() && self.last == whole;
        let own = if is_same { format!(", {}", line.place) } else { line.write() };
        if self.text.len() + own.len() + 1 + if is_new { head.len() + 1 } else { 0 } > room {
            return false;
        }
        if is_same {
            // `21, 34: the line`
            let start = self.text.trim_end().rfind('\n').map_or(0, |at| at + 1);
            if let Some(at) = self.text[start..].find(": ") {
                self.text.insert_str(start + at, &own);
            }
        } else {
            if is_new {
                let _ = writeln!(self.text, "{head}");
            }
            let _ = writeln!(self.text, "{own}");
        }
        (self.head, self.above, self.last) = (head, Some(row), whole);
        true
    }
}

/// Which rows of an answer its text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Number of rows before the page.
    pub before: usize,
    /// Number of rows in the text.
    pub rows: usize,
    /// Number of rows of all pages.
    pub total: usize,
}

impl Shown {
    /// Returns whether these are not all rows.
    pub fn is_part(self) -> bool {
        self.rows < self.total
    }
}

/// What of an answer is written, and how.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a> {
    /// Arguments of the call: members that repeat one are left out.
    pub(crate) arguments: &'a Map<String, Value>,
    /// How rows are written; `None` for the general form.
    pub(crate) row: Option<RowText>,
    /// How they are written in groups; before `row`.
    pub(crate) groups: Option<&'a TextGroups>,
    /// Path of the list that comes first, as a JSON pointer; empty for the rows of the page.
    pub(crate) first: &'a str,
    /// Most rows of the page.
    pub(crate) most: usize,
    /// Members that are left out.
    pub(crate) omits: &'a [&'a str],
}

/// The answer as text of about `budget` bytes.
pub(crate) fn render(body: &Map<String, Value>, page: Option<Paged>, style: &Style<'_>, budget: usize) -> String {
    let mut out = String::new();
    // Made by the tool itself, of all that the answer has.
    if let Some(formatted) = body.get("formatted").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        push_cut(&mut out, formatted.trim_end(), budget.saturating_sub(FOOTER_BYTES / 2));
        footer(&mut out, body, page, (0, style));
        return out;
    }
    let content = body.get("content").map(|content| content.get("excerpt").unwrap_or(content));
    if let Some(content) = content.and_then(Value::as_str) {
        push_cut(&mut out, content.trim_end(), budget);
    }
    let without_first = push_first(&mut out, body, style);
    let body = without_first.as_ref().unwrap_or(body);
    // The form of rows is not that of lists beside them.
    let beside = Style { row: style.row.filter(|_| page.is_none()), ..*style };
    if let (Some(groups), Some(page)) = (style.groups, page) {
        // What the question was taken for decides what the rows mean.
        let is_first = |name: &str| matches!(name, unlinked::MEMBER | "taken" | "clamped" | "stale");
        let (first, others): (Map<_, _>, Map<_, _>) =
            body.iter().map(|(name, value)| (name.clone(), value.clone())).partition(|(name, _)| is_first(name));
        push_cut(&mut out, &rest(&first, None, &beside), budget / 3);
        let rest = rest(&others, Some(page), &beside);
        let kept = push_groups(&mut out, body, page, (groups, style), (&rest, budget));
        footer(&mut out, body, Some(page), (kept, style));
        return out;
    }
    let rest = rest(body, page, &beside);
    let room = budget.saturating_sub(FOOTER_BYTES + rest.len().min(budget / 3));
    let kept = page.map_or(0, |page| rows(&mut out, body, page, style, room));
    push_cut(&mut out, &rest, budget.saturating_sub(FOOTER_BYTES / 2));
    footer(&mut out, body, page, (kept, style));
    out
}

/// Writes the elements of the list that [`Style::first`] names, and returns the body without it.
fn push_first(out: &mut String, body: &Map<String, Value>, style: &Style<'_>) -> Option<Map<String, Value>> {
    if style.first.is_empty() {
        return None;
    }
    let mut rest = Value::Object(body.clone());
    let list = rest.pointer_mut(style.first).map(Value::take)?;
    for (number, row) in list.as_array()?.iter().enumerate() {
        let line = row.as_object().map(|row| line_of(row, style, 1)).unwrap_or_default();
        let _ = writeln!(out, "{}. {}", number + 1, line.replace('\n', "\n   "));
    }
    match rest {
        Value::Object(rest) => Some(rest),
        _ => None,
    }
}

/// The body of a failed call as text: what happened, what to do, then the members that say more.
pub(super) fn render_error(mut body: Map<String, Value>) -> String {
    let mut take = |name: &str| body.shift_remove(name).and_then(|value| value.as_str().map(str::to_owned));
    let (error, code) = (take("error").unwrap_or_default(), take("code").unwrap_or_default());
    let (hint, step) = (take("hint"), take("suggested_next_step"));
    let example = body.shift_remove("example");
    let mut out = format!("error: {error} ({code})\n");
    if let Some(hint) = hint {
        let _ = writeln!(out, "{hint}");
    }
    let style = Style { arguments: &Map::new(), row: None, groups: None, first: "", most: usize::MAX, omits: &[] };
    push_cut(&mut out, &rest(&body, None, &style), TEXT_BYTES);
    if let Some(step) = step {
        let _ = writeln!(out, "next: {step}");
    }
    if let Some(example) = example {
        let _ = writeln!(out, "example: {example}");
    }
    out
}

/// Writes the rows in groups, with the lines around them.
fn push_groups(
    out: &mut String,
    body: &Map<String, Value>,
    page: Paged,
    (groups, style): (&TextGroups, &Style<'_>),
    (rest, budget): (&str, usize),
) -> usize {
    let rows = body.get(page.member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of = |rows| Shown { before: page.at.offset, rows, total: page.total };
    let frame = FOOTER_BYTES + rest.len().min(budget / 3) + (groups.top)(body, of(rows.len())).len();
    // What comes after the rows is as much a part of the answer.
    let end = (groups.end)(body, budget.saturating_sub(frame) / 2);
    let room = budget.saturating_sub(out.len() + frame + end.len());
    let (mut writer, mut kept) = (GroupWriter::new(groups, style.arguments), 0);
    for row in rows.iter().take(style.most).filter_map(Value::as_object) {
        if !writer.push(row, if kept == 0 { usize::MAX } else { room }) {
            break;
        }
        kept += 1;
    }
    out.push_str(&(groups.top)(body, of(kept)));
    out.push_str(&writer.text);
    out.push_str(&end);
    push_cut(out, rest, budget.saturating_sub(FOOTER_BYTES / 2));
    kept
}

/// Writes rows until the room is used; at least one. Returns how many.
fn rows(out: &mut String, body: &Map<String, Value>, page: Paged, style: &Style<'_>, room: usize) -> usize {
    let rows = body.get(page.member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut kept = 0;
    for (number, row) in rows.iter().take(style.most).enumerate() {
        let text = match (row, style.row) {
            (Value::Object(members), Some(write)) => write(members, style.arguments),
            (Value::Object(members), None) => line_of(members, style, 0),
            (other, _) => scalar(other).unwrap_or_default(),
        };
        let text = format!("{}. {}\n", page.at.offset + number + 1, text.trim_end().replace('\n', "\n   "));
        if kept > 0 && out.len() + text.len() > room {
            break;
        }
        out.push_str(&text);
        kept += 1;
    }
    kept
}

/// What is said beside the rows, a member a line; figures share one.
fn rest(body: &Map<String, Value>, page: Option<Paged>, style: &Style<'_>) -> String {
    let (mut short, mut verdicts, mut long) = (Vec::new(), String::new(), String::new());
    for (name, value) in body {
        let is_page = page.is_some_and(|page| page.member == name);
        let name = name.as_str();
        let is_known = FRAME.contains(&name) || style.omits.contains(&name) || style.arguments.get(name) == Some(value);
        if is_page || name == "content" && !value.is_object() || is_known {
            continue;
        }
        match value {
            Value::Object(_) if VERDICTS.contains(&name) => push_nested(&mut verdicts, name, value, style, 0),
            Value::String(text) if name == unlinked::MEMBER => {
                let _ = writeln!(verdicts, "{name}: {text}");
            }
            Value::Array(_) | Value::Object(_) => push_nested(&mut long, name, value, style, 0),
            Value::String(text) if text.contains('\n') || text.len() > MAX_TEXT => {
                let _ = writeln!(long, "{name}: {}", text.trim_end());
            }
            other => short.extend(member(name, other)),
        }
    }
    let mut text = String::new();
    if !short.is_empty() {
        let _ = writeln!(text, "{}", short.join(" · "));
    }
    verdicts + &text + &long
}

/// A row or an object as a line: its head, its figure, short members, texts; lists on lines below.
fn line_of(members: &Map<String, Value>, style: &Style<'_>, depth: usize) -> String {
    let mut line = head(members);
    let figure = FIGURES.iter().find_map(|name| members.get(*name)?.as_f64());
    if let Some(figure) = figure {
        let _ = write!(line, "  {figure:.2}");
    }
    let (mut texts, mut below) = (Vec::new(), String::new());
    for (name, value) in members {
        let name = name.as_str();
        if HEAD.contains(&name) || FIGURES.contains(&name) || style.omits.contains(&name) {
            continue;
        }
        match value {
            // Figures beside the first are for programs.
            Value::Number(number) if !number.is_i64() && !number.is_u64() => {}
            Value::String(text) if BLOCKS.contains(&name) => {
                text.lines().for_each(|line| below.extend([line, "\n"]));
            }
            Value::String(text) if SAYS.contains(&name) && is_in_code(members, text) => {}
            Value::String(text) if SAYS.contains(&name) || text.chars().count() > 40 => {
                texts.push(fold_to_chars(text, MAX_TEXT));
            }
            Value::Array(items) if is_arrows(items) => push_arrows(&mut below, items, members),
            Value::Array(items) if is_code(items) => push_code(&mut below, items),
            Value::Array(_) | Value::Object(_) => push_nested(&mut below, name, value, style, depth + 1),
            other => {
                if let Some(text) = member(name, other) {
                    let _ = write!(line, "  {text}");
                }
            }
        }
    }
    if !texts.is_empty() {
        let _ = write!(line, "  — {}", texts.join("; "));
    }
    if !below.is_empty() {
        let _ = write!(line, "\n{}", below.trim_end());
    }
    line.trim().to_owned()
}

/// The name of a row with its owners, its kind, and where it is.
fn head(members: &Map<String, Value>) -> String {
    let text = |name: &str| members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let path = text("file_path").or_else(|| text("path"));
    let line = |name: &str| members.get(name).and_then(Value::as_u64).filter(|line| *line > 0);
    let place = path.map(|path| match (line("line_start").or_else(|| line("line")), line("line_end")) {
        (Some(start), Some(end)) if end > start => format!("{path}:{start}-{end}"),
        (Some(start), _) => format!("{path}:{start}"),
        _ => path.to_owned(),
    });
    let name =
        text("node_id").and_then(qualify_name).or_else(|| text("label").or_else(|| text("name")).map(str::to_owned));
    // A file is its path.
    let is_file = text("type") == Some("file")
        || path.and_then(|path| RepoPath::new(path).ok()).is_some_and(|path| Some(path.file_name()) == name.as_deref());
    let kind = text("type").filter(|kind| *kind != "file");
    match (name.filter(|_| !is_file || path.is_none()), place) {
        (Some(name), place) => {
            let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
            format!("{name}{kind}{}", place.map(|place| format!("  {place}")).unwrap_or_default())
        }
        (None, Some(place)) => match (is_file, path) {
            (true, Some(path)) => path.to_owned(),
            _ => place,
        },
        (None, None) => text("node_id").unwrap_or_default().to_owned(),
    }
}

/// `Pool.acquire` for `file::src/a.py::class::Pool::fn::acquire`; `None` for the id of a file.
pub(crate) fn qualify_name(id: &str) -> Option<String> {
    let path = node_id::path_of(id)?;
    let behind = node_id::behind_path(id, path)?;
    let parts: Vec<&str> = node_id::names(behind).filter(|part| !part.is_empty()).collect();
    // Pairs of kind and name; names that hold the separator break the pairs, and the label is shown.
    if parts.is_empty() || !parts.len().is_multiple_of(2) {
        return None;
    }
    Some(parts.chunks(2).map(|pair| node_id::bare_name(pair[1])).collect::<Vec<_>>().join("."))
}

/// A short member as `name value`; nothing for what is empty, false, zero or null.
fn member(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(name.to_owned()),
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::String(text) if BARE.contains(&name) => {
            Some(fold_to_chars(text, MAX_TEXT)).filter(|text| !text.is_empty())
        }
        other => scalar(other).filter(|text| !text.is_empty()).map(|text| format!("{name} {text}")),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(fold_to_chars(text, MAX_TEXT)),
        Value::Number(number) if number.is_f64() => number.as_f64().map(|number| format!("{number:.2}")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A list or an object as `name: …`, with lines of its own where its elements are objects.
fn push_nested(out: &mut String, name: &str, value: &Value, style: &Style<'_>, depth: usize) {
    match value {
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) if is_arrows(items) && depth == 0 => {
            let _ = writeln!(out, "{name}:");
            let mut arrows = String::new();
            push_arrows(&mut arrows, items, &Map::new());
            for line in arrows.lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
        Value::Array(items) if items.iter().all(|item| scalar(item).is_some()) => {
            let short = |item: &Value| item.as_str().filter(|text| node_id::path_of(text).is_some()).map(short_target);
            let shown = items.iter().take(MAX_INNER).filter_map(|item| short(item).or_else(|| scalar(item)));
            let shown: Vec<String> = shown.collect();
            let _ = writeln!(out, "{name}: {}{}", shown.join(", "), more(items.len(), MAX_INNER));
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            let most = if depth == 0 { 2 * MAX_INNER } else { MAX_INNER };
            let _ = writeln!(out, "{name}:{}", more(items.len(), most));
            for item in items.iter().take(most) {
                let line = match (item, style.row.filter(|_| depth == 0)) {
                    // Rows of an answer without pages.
                    (Value::Object(members), Some(write)) => write(members, style.arguments),
                    (Value::Object(members), None) => line_of(members, style, depth + 1),
                    (other, _) => scalar(other).unwrap_or_else(|| fold_to_chars(&other.to_string(), MAX_TEXT)),
                };
                let _ = writeln!(out, "  {}", line.replace('\n', "\n    "));
            }
        }
        // Parts of a figure.
        Value::Object(members) if depth == 0 && !members.is_empty() && members.values().all(Value::is_f64) => {
            let parts = members.iter().map(|(name, value)| format!("{name} {:.2}", value.as_f64().unwrap_or_default()));
            let _ = writeln!(out, "{name}: {}", parts.collect::<Vec<_>>().join(", "));
        }
        Value::Object(members) if depth < MAX_DEPTH => {
            let line = line_of(members, style, depth + 1);
            if !line.is_empty() {
                let _ = writeln!(out, "{name}: {}", line.replace('\n', "\n  "));
            }
        }
        _ => {}
    }
}

/// Whether all elements are lines of code: a number and a text.
fn is_code(items: &[Value]) -> bool {
    let is_line = |item: &Value| item.get("line").is_some_and(Value::is_u64) && item.get("text").is_some();
    !items.is_empty() && items.iter().all(is_line)
}

/// Whether the lines of code of a row begin one with the beginning of this text.
fn is_in_code(members: &Map<String, Value>, text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(MAX_REPEATED)];
    let lines = members.get("lines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let body = members.get("body").and_then(Value::as_str);
    body.is_some_and(|body| body.contains(start))
        || lines.iter().any(|line| line["text"].as_str().is_some_and(|line| line.starts_with(start)))
}

/// Lines of code, each after its number.
fn push_code(out: &mut String, items: &[Value]) {
    for item in items {
        let (line, text) = (item["line"].as_u64().unwrap_or_default(), item["text"].as_str().unwrap_or_default());
        let _ = writeln!(out, "{line}  {text}");
    }
}

/// Whether all elements are connections: a relation, and what it leads to or from.
fn is_arrows(items: &[Value]) -> bool {
    let is_arrow = |item: &Value| item.get("relation").is_some() && (item.get("label").is_some() || is_step(item));
    !items.is_empty() && items.iter().all(is_arrow)
}

fn is_step(item: &Value) -> bool {
    item.get("from").is_some() && item.get("to").is_some()
}

/// Connections by direction and relation: `→ calls open, close`; steps of a path one by one with their place, without
/// what `row`, which they belong to, says.
fn push_arrows(out: &mut String, items: &[Value], row: &Map<String, Value>) {
    let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let doubt = |item: &Value| if text(item, "tier") == "possible" { "?" } else { "" };
    if items.iter().all(is_step) {
        for item in items.iter().take(MAX_INNER) {
            let name = |end: &str| {
                let label = text(item, &format!("{end}_label"));
                let id = text(item, end);
                if label.is_empty() { qualify_name(&id).unwrap_or(id) } else { label }
            };
            let line = item.get("line").and_then(Value::as_u64).map(|line| format!(":{line}")).unwrap_or_default();
            // The row above names where a path begins.
            let is_of_row = |name: &str, of_row: &str| item.get(name).is_some_and(|own| row.get(of_row) == Some(own));
            let from = if is_of_row("from", "node_id") { String::new() } else { format!("{} ", name("from")) };
            let path = if is_of_row("file_path", "file_path") { String::new() } else { text(item, "file_path") };
            let relation = format!("{}{}", text(item, "relation"), doubt(item));
            let _ = writeln!(out, "{from}{relation} {}  {path}{line}", name("to"));
        }
        return;
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for item in items {
        let arrow = if text(item, "direction") == "in" { "←" } else { "→" };
        let head = format!("{arrow} {}", text(item, "relation"));
        let name = format!("{}{}", text(item, "label"), doubt(item));
        match groups.iter_mut().find(|(known, _)| *known == head) {
            Some((_, names)) => names.push(name),
            None => groups.push((head, vec![name])),
        }
    }
    let shown = groups.iter().map(|(head, names)| {
        let most = names.len().min(MAX_INNER);
        format!("{head} {}{}", names[..most].join(", "), more(names.len(), MAX_INNER))
    });
    let _ = writeln!(out, "{}", shown.collect::<Vec<_>>().join("  "));
}

fn more(all: usize, shown: usize) -> String {
    if all > shown { format!(" (+{})", all - shown) } else { String::new() }
}

fn fold_to_chars(text: &str, most: usize) -> String {
    shorten::to_chars(&shorten::fold(text), most).into_owned()
}

/// Adds as many whole lines as fit into `budget` bytes in all, and says if that were not all.
fn push_cut(out: &mut String, text: &str, budget: usize) {
    let mut left = text.lines().count();
    for line in text.lines() {
        if out.len() + line.len() >= budget && !out.is_empty() {
            let _ = writeln!(out, "… {} left out", count(left, "line"));
            return;
        }
        out.push_str(line);
        out.push('\n');
        left -= 1;
    }
}

/// Where the page goes on, and the next step.
fn footer(out: &mut String, body: &Map<String, Value>, page: Option<Paged>, (kept, style): (usize, &Style<'_>)) {
    if let Some(page) = page {
        let next = page.at.offset + kept;
        if next < page.total {
            let cursor = super::answer::Cursor { offset: next, ..page.at }.to_text();
            let _ = writeln!(out, "{kept} of {}; next page: cursor {cursor}", count(page.total, "row"));
        } else if page.total == 0 && style.groups.is_none() {
            out.push_str("no rows\n");
        }
    }
    // Rows in groups begin with what they are.
    if style.omits.contains(&NEXT_STEP) || style.groups.is_some() && kept > 0 {
        return;
    }
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let target = text("next_suggested_target").map(|target| format!(" {}", short_target(target))).unwrap_or_default();
    let hint = text("next_step_hint").unwrap_or_default();
    match (text("next_suggested_tool"), hint) {
        (Some(tool), "") => _ = writeln!(out, "next: {tool}{target}"),
        (Some(tool), hint) => _ = writeln!(out, "next: {tool}{target} — {hint}"),
        (None, "") => {}
        (None, hint) => _ = writeln!(out, "next: {hint}"),
    }
    if text("proof_state") == Some("ready_to_edit") {
        out.push_str("ready to edit\n");
    }
}

/// A node id as people type it: `src/a.py::Pool.acquire`.
pub(crate) fn short_target(target: &str) -> String {
    match (node_id::path_of(target), qualify_name(target)) {
        (Some(path), Some(name)) => format!("{path}::{name}"),
        (Some(path), None) if node_id::is_file(target) => path.to_owned(),
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::answer::Cursor;
    use super::*;

    fn text(body: Value, member: Option<&'static str>, budget: usize) -> String {
        let body = body.as_object().expect("an object").clone();
        let at = Cursor { generation: 1, call: 2, state: 3, offset: 0 };
        let total = member.and_then(|member| body[member].as_array()).map_or(0, Vec::len);
        let page = member.map(|member| Paged { member, total, at });
        let arguments = json!({"query": "x"}).as_object().expect("an object").clone();
        render(
            &body,
            page,
            &Style { arguments: &arguments, row: None, groups: None, first: "", most: usize::MAX, omits: &[] },
            budget,
        )
    }

    #[test]
    fn rows_are_lines_and_what_is_constant_is_left_out() {
        let row = json!({
            "node_id": "file::src/a.py::class::Pool::fn::acquire", "label": "acquire", "type": "function",
            "file_path": "src/a.py", "line_start": 4, "line_end": 9, "score": 0.5746, "is_test": false, "extra": null,
            "score_breakdown": {"lexical": 0.25}, "connections": [
                {"relation": "calls", "label": "open", "direction": "out", "tier": "certain"},
                {"relation": "calls", "label": "close", "direction": "out", "tier": "possible"},
                {"relation": "tests", "label": "test_it", "direction": "in", "tier": "certain"}]
        });
        let body = json!({
            "query": "x", "results": [row], "generation": 4, "below": 0, "notes": ["a", "b"],
            "next_suggested_tool": "view", "next_suggested_target": "file::src/a.py::class::Pool::fn::acquire",
            "next_step_hint": "open it", "proof_state": "triaging"
        });
        let expected = "\
1. Pool.acquire (function)  src/a.py:4-9  0.57
   → calls open, close?  ← tests test_it
notes: a, b
next: view src/a.py::Pool.acquire — open it
";
        assert_eq!(text(body, Some("results"), TEXT_BYTES), expected);
    }

    #[test]
    fn a_page_that_does_not_fit_goes_on() {
        let rows: Vec<Value> = (0..200).map(|number| json!({"file_path": format!("src/{number}.py")})).collect();
        let shown = text(json!({"files": rows}), Some("files"), 2_000);
        assert!(shown.len() <= 2_000, "{}", shown.len());
        assert!(shown.starts_with("1. src/0.py\n2. src/1.py\n"), "{shown}");
        let kept = shown.lines().filter(|line| line.contains(".py")).count();
        assert!(
            kept > 50
                && shown.ends_with(&format!("{kept} of 200 rows; next page: cursor 1-00000002-00000003-{kept:x}\n"))
        );
    }

    #[test]
    fn a_verdict_is_never_cut_off() {
        let lists: Vec<Value> = (0..500).map(|number| json!({"name": format!("name {number}")})).collect();
        let mut body = json!({"rows": lists, "also": lists, "closure": {"state": "blocked", "why": "1 may hide more"}});
        for number in 0..200 {
            body[format!("list {number}")] = json!(["a", "b"]);
        }
        let shown = text(body, Some("rows"), 2_000);
        assert!(shown.len() <= 2_000 && shown.contains("closure: blocked"), "{} {shown}", shown.len());
    }

    #[test]
    fn content_stands_as_it_is() {
        let body = json!({"content": "1  a\n2  b\n", "lines": 2});
        assert_eq!(text(body, None, TEXT_BYTES), "1  a\n2  b\nlines 2\n");
    }
}
