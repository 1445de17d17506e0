//! The text of an answer that lists the users of a node: the verdict first, then the places by file, then where more
//! may be.

use std::fmt::Write;

use m1nd_base::EdgeTier;
use m1nd_query::closure::reasons;
use serde_json::{Map, Value};

use crate::framework::{GroupWriter, Members, NEXT_STEP, RowLine, Shown, TextGroups, qualify_name};
use crate::rows::count;

/// Longest line of code in a row, in characters.
const MAX_CODE: usize = 120;
/// Characters before the place in a line that is longer.
const BEFORE_PLACE: usize = 40;
/// Roles whose word is a noun as well.
const ROLE_NOUNS: &[&str] = &["call", "read", "write", "import", "override"];
/// Number of other functions of the name that are listed.
const MAX_SAME_NAMES: usize = 3;
/// Places of one kind that the text names beside the rows.
const MAX_OWN_PLACES: usize = 6;
/// Fewest bytes for a list behind the rows.
const MIN_LIST_BYTES: usize = 300;

/// How `callers` and `references` write their rows.
pub(crate) const SITE_GROUPS: TextGroups =
    TextGroups { top: write_verdict, head: write_file, row: write_place, end: write_lists };

/// Members that the text leaves out: the first and last lines say them.
pub(crate) const SITE_OMITS: &[&str] = &[
    "node", "name", "includes", "scope", "without_tests", "closure", "by_role", "roles", "definitions", "overrides",
    "documents", "total_documents", "implementations", "total_implementations", "override_calls",
    "total_override_calls", "same_name", "total_same_name_calls", "total_callers", "total_sites", "total_references",
    "total_users", "total_files", "total_in_tests", "total_possible", NEXT_STEP,
];

/// A member that is text; empty for none.
pub(crate) fn text<'a>(of: &'a Members, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a number; 0 for none.
pub(crate) fn number(of: &Members, name: &str) -> usize {
    of.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
}

/// The line of a place, 0 if it is the whole file.
fn line_of(row: &Members) -> usize {
    number(row, "line_number").max(number(row, "line"))
}

/// The objects of a member that is a list.
pub(crate) fn list<'a>(of: &'a Members, name: &str) -> impl Iterator<Item = &'a Members> {
    of.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Whether the list is whole, with its figures, in one line; what else has the name in a second one.
fn write_verdict(body: &Members, shown: Shown) -> String {
    let empty = Map::new();
    let member = |name: &str| body.get(name).and_then(Value::as_object).unwrap_or(&empty);
    let closure = member("closure");
    let is_closed = text(closure, "state") == "closed";
    let only: Vec<&str> =
        body.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    // What was asked: all uses, or those of some roles.
    let noun = match *only {
        _ if body.contains_key("total_sites") => "call".to_owned(),
        [] => "use".to_owned(),
        [role] if ROLE_NOUNS.contains(&role) => role.to_owned(),
        _ => format!("use ({})", only.join(" or ")),
    };
    let name = format!("`{}`{}", text(body, "name"), write_parts(body));
    let mut figures = match shown.total {
        0 => format!("no {noun} of {name}"),
        total => format!("{} of {name} in {}", count_of(total, &noun), count(number(body, "total_files"), "file")),
    };
    if !text(body, "scope").is_empty() {
        let _ = write!(figures, " below {}", text(body, "scope"));
    }
    if body.contains_key("without_tests") {
        figures.push_str(" outside of tests");
    }
    // Of what the places are made.
    let roles =
        member("by_role").iter().map(|(role, number)| format!("{number} {role}")).collect::<Vec<_>>().join(", ");
    let tests = number(body, "total_in_tests");
    let parts = [
        Some(roles)
            .filter(|roles| !roles.is_empty())
            .map(|roles| if only.is_empty() { roles } else { format!("of all uses: {roles}") }),
        Some(format!("{tests} in tests")).filter(|_| tests > 0),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() && (shown.total > 0 || !only.is_empty()) {
        let _ = write!(figures, " ({})", parts.join(", "));
    }
    // The verdict comes first: an agent may read only that.
    let hiding = number(closure, "total_hiding");
    let mut out = match (is_closed, hiding) {
        (true, _) => format!("complete: {figures}; no search adds one"),
        (false, 0) => format!("not known to be complete: {figures}"),
        (false, 1) => format!("not known to be complete: {figures}; the place at the end may be one more"),
        (false, _) => format!("not known to be complete: {figures}; the {hiding} places at the end may be more"),
    };
    if number(body, "total_possible") > 0 {
        let _ = write!(out, "; {} `possible`: decided at run time", number(body, "total_possible"));
    }
    if only.contains(&"write") {
        let node = member("node");
        let _ = write!(out, "; defined at {}:{}", text(node, "file_path"), number(node, "line_start"));
    }
    if shown.is_part() {
        let _ = write!(out, "; shown: {} to {}", shown.before + 1, shown.before + shown.rows);
    }
    out.push('\n');
    // What may be missing, and what is left out on purpose.
    if !is_closed && !text(closure, "beside").is_empty() {
        let _ = writeln!(out, "{}", text(closure, "beside"));
    }
    let others: Vec<&Members> = list(body, "same_name").collect();
    if !others.is_empty() {
        let calls = number(body, "total_same_name_calls");
        let named =
            others.iter().take(MAX_SAME_NAMES).map(|row| format!("{} {}", text(row, "name"), number(row, "calls")));
        let more = if others.len() > MAX_SAME_NAMES { ", …" } else { "" };
        let named = named.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "not among them: {} of others with this name ({named}{more})", count(calls, "call"));
    }
    push_own_places(&mut out, body);
    out
}

/// Where it is defined, what it overrides, and the documents that name it, as `defined at a.py:3; overrides Base.run
/// b.py:7`.
fn push_own_places(out: &mut String, body: &Members) {
    let write = |member: &str| {
        let place = |row: &Members| {
            let at = format!("{}:{}", text(row, "file_path"), number(row, "line_number"));
            if text(row, "name").is_empty() { at } else { format!("{} {at}", text(row, "name")) }
        };
        list(body, member).take(MAX_OWN_PLACES).map(place).collect::<Vec<_>>().join(", ")
    };
    let (definitions, overrides, documents) = (write("definitions"), write("overrides"), write("documents"));
    let mut parts = Vec::new();
    if !definitions.is_empty() {
        parts.push(format!("defined at {definitions}"));
    }
    if !overrides.is_empty() {
        parts.push(format!("overrides {overrides}"));
    }
    if !documents.is_empty() {
        let more = number(body, "total_documents").saturating_sub(MAX_OWN_PLACES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("named in documents at {documents}{more}"));
    }
    if !parts.is_empty() {
        let _ = writeln!(out, "{}", parts.join("; "));
    }
}

/// `1 call`, `2 calls`, `2 uses (read or type)`.
fn count_of(number: usize, noun: &str) -> String {
    match noun.split_once(' ') {
        Some((noun, rest)) => format!("{} {rest}", count(number, noun)),
        None => count(number, noun),
    }
}

/// What the rows are of beside the node itself: ` by 2 constructors`, ` (3 overloads)`.
fn write_parts(body: &Members) -> String {
    let number = |part: &str| list(body, "includes").filter(|row| text(row, "part") == part).count();
    match (number("constructor"), number("overload")) {
        (0, 0) => String::new(),
        (0, others) => format!(" ({} overloads)", others + 1),
        (1, _) => " by its constructor".to_owned(),
        (all, _) => format!(" by its {all} constructors"),
    }
}

fn write_file(row: &Members) -> String {
    text(row, "file_path").to_owned()
}

/// `21: the line  (Pool.acquire, possible: names Base.acquire)`. The function is named where it changes, in code.
fn write_place(row: &Members, above: Option<&Members>, _: &Members) -> RowLine {
    let line = number(row, "line_number");
    let is_same = |name: &str| above.is_some_and(|above| above.get(name) == row.get(name));
    let around = function_around(row).filter(|around| above.and_then(function_around).as_ref() != Some(around));
    let role = Some(text(row, "role").to_owned()).filter(|role| !matches!(role.as_str(), "call" | ""));
    let names: Vec<&str> =
        row.get("or").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let candidates = number(row, "candidates");
    let tier = match text(row, "tier") {
        "" => None,
        tier if tier == EdgeTier::Certain.word() => None,
        tier if row.contains_key("names") => Some(format!("{tier}: names {}", text(row, "names"))),
        tier if !names.is_empty() => {
            let more = candidates.saturating_sub(names.len() + 1);
            let more = if more > 0 { format!(" or {more} more") } else { String::new() };
            Some(format!("{tier}: or {}{more}", names.join(" or ")))
        }
        tier if candidates > 1 => Some(format!("{tier}: 1 of {candidates}")),
        tier => Some(tier.to_owned()),
    };
    let target = Some(text(row, "target").to_owned()).filter(|target| !target.is_empty() && !is_same("target"));
    let stale = row.contains_key("stale").then(|| "stale".to_owned());
    let marks: Vec<String> = [role, around, tier, target, stale].into_iter().flatten().collect();
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    let code = match is_same("line_number") && line > 0 {
        true => format!("again at column {}", number(row, "column")),
        false => cut_code(text(row, "line_content"), number(row, "column")),
    };
    RowLine { place: line.to_string(), text: format!("{code}{marks}") }
}

/// The name of the function around a place; of code that is not a test.
fn function_around(row: &Members) -> Option<String> {
    let is_inside = text(row, "type") != "file" && !row.contains_key("in_test");
    qualify_name(text(row, "node_id")).filter(|_| is_inside)
}

/// The line without the spaces around it; of a long one the part around a column (1-based).
pub(crate) fn cut_code(line: &str, column: usize) -> String {
    let trimmed = line.trim();
    if trimmed.chars().count() <= MAX_CODE {
        return trimmed.to_owned();
    }
    let indent = line.chars().take_while(|c| c.is_whitespace()).count();
    let at = column.saturating_sub(1 + indent);
    let from = if at < MAX_CODE * 2 / 3 { 0 } else { at - BEFORE_PLACE };
    let part: String = trimmed.chars().skip(from).take(MAX_CODE).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if trimmed.chars().count() > from + MAX_CODE { "…" } else { "" };
    format!("{before}{part}{after}")
}

/// The calls of overrides, and the places that may be more.
fn write_lists(body: &Members, budget: usize) -> String {
    let mut out = String::new();
    let overrides: Vec<&Members> = list(body, "override_calls").collect();
    if let Some(first) = overrides.first() {
        let total = number(body, "total_override_calls");
        let verb = if total == 1 { "names" } else { "name" };
        let is_one = overrides.iter().all(|row| row.get("target") == first.get("target"));
        let which = if is_one { format!("the override `{}`", text(first, "target")) } else { "an override".to_owned() };
        let _ = writeln!(out, "{} {verb} {which}, which runs instead:", count(total, "more call"));
        let rows: Vec<Members> = overrides
            .into_iter()
            .cloned()
            .map(|mut row| {
                if is_one {
                    row.remove("target");
                }
                row
            })
            .collect();
        push_places(&mut out, &rows.iter().collect::<Vec<_>>(), total, budget);
    }
    let implementations: Vec<&Members> = list(body, "implementations").collect();
    if !implementations.is_empty() {
        let total = number(body, "total_implementations");
        let _ = writeln!(out, "implemented or overridden by {}:", count(total, "method"));
        let left = budget.saturating_sub(out.len());
        push_places(&mut out, &implementations, total, left);
    }
    let left = budget.saturating_sub(out.len());
    push_hiding(&mut out, body, left);
    out
}

/// Writes the places of `closure.hiding` that may hide direct uses, and the number of the others.
pub(crate) fn push_hiding(out: &mut String, body: &Members, budget: usize) {
    let Some(closure) = body.get("closure").and_then(Value::as_object) else { return };
    let (far, near): (Vec<&Members>, Vec<&Members>) = list(closure, "hiding").partition(|row| row.contains_key("far"));
    // They come first, so all of them are listed if one of the others is.
    let total = if far.is_empty() { number(closure, "total_hiding") } else { near.len() };
    if !near.is_empty() {
        let _ = writeln!(out, "may be more ({}):", count(total, "place"));
        push_places(out, &near, total, budget);
    }
    if !far.is_empty() {
        let all = number(closure, "total_hiding").saturating_sub(near.len());
        let _ = writeln!(out, "farther ones may hide behind {} (in `closure` of the JSON)", count(all, "place"));
    }
}

/// Writes places by file: with their lines of code as long as these fit, then without; and says how many are left out.
fn push_places(out: &mut String, rows: &[&Members], total: usize, budget: usize) {
    let budget = budget.max(MIN_LIST_BYTES);
    let none = Map::new();
    let mut writer = GroupWriter::new(&LIST_GROUPS, &none);
    let shown = rows.iter().take_while(|row| writer.push(row, budget)).count();
    out.push_str(&writer.text);
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for row in &rows[shown..] {
        let path = text(row, "file_path");
        match lines.last_mut().filter(|(known, _)| *known == path) {
            Some((_, places)) => places.push(line_of(row).to_string()),
            None => lines.push((path, vec![line_of(row).to_string()])),
        }
    }
    for (path, places) in lines {
        let _ = writeln!(out, "{path}: lines {}", places.join(", "));
    }
    if rows.len() < total {
        let _ = writeln!(out, "… and {} more", total - rows.len());
    }
}

/// How the lists behind the rows are written.
const LIST_GROUPS: TextGroups =
    TextGroups { top: |_, _| String::new(), head: write_file, row: write_listed, end: |_, _| String::new() };

/// A place that may be one more, with the reason; or a call of an override.
fn write_listed(row: &Members, above: Option<&Members>, arguments: &Members) -> RowLine {
    let reason = text(row, "reason");
    if reason.is_empty() {
        return write_place(row, above, arguments);
    }
    let words =
        if reason == reasons::DISPATCH_NOT_MADE { "if its class is made".to_owned() } else { reason.replace('_', " ") };
    if line_of(row) == 0 {
        return RowLine { place: String::new(), text: format!("anywhere in the file  ({words})") };
    }
    let is_same = above.is_some_and(|above| text(above, "reason") == reason);
    let mark = if is_same { String::new() } else { format!("  ({words})") };
    RowLine { place: line_of(row).to_string(), text: cut_code(text(row, "line_content"), 0) + &mark }
}
