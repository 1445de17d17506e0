//! The text of `impact`: the verdict, then what depends on the node by file, the tests that cover it, and where more
//! may be.

use std::fmt::Write;

use m1nd_base::EdgeTier;
use m1nd_query::closure::ClosureState;
use serde_json::Map;

use crate::framework::{Members, NEXT_STEP, RowLine, Shown, TextGroups, qualify_name};
use crate::rows::count;
use crate::site_text::{list, number, push_hiding, text};
use crate::test_rows::write_covering;

/// Test files in the text.
const SHOWN_TESTS: usize = 8;

/// How `impact` writes its rows.
pub(super) const IMPACT_GROUPS: TextGroups =
    TextGroups { top: write_verdict, head: write_file, row: write_row, end: write_end };

/// Members that the text leaves out: its own lines say them, or the rows do.
pub(super) const IMPACT_OMITS: &[&str] = &[
    "source", "source_label", "file_path", "line_start", "line_end", "direction", "scope", "without_tests",
    "total_blast_nodes", "total_direct", "total_in_tests", "total_energy", "max_hops_reached", "files", "total_files",
    "tests", "total_tests", // The witnesses of the rows are the same paths with their sites.
    "causal_chains", "closure", NEXT_STEP,
];

/// How far the rows can be relied on, with their figures: `complete: 3 dependents of …`.
fn write_verdict(body: &Members, shown: Shown) -> String {
    let empty = Map::new();
    let closure = body.get("closure").and_then(serde_json::Value::as_object).unwrap_or(&empty);
    let is_closed = |member: &str| text(closure, member) == ClosureState::Closed.word();
    let noun = match text(body, "direction") {
        "reverse" => "dependency",
        "both" => "dependent or dependency",
        _ => "dependent",
    };
    let source = qualify_name(text(body, "source")).unwrap_or_else(|| text(body, "source_label").to_owned());
    // How many there are, and of what part of the code.
    let mut figures = match shown.total {
        0 => format!("no {noun} of `{source}`"),
        total => format!("{} of `{source}` in {}", count(total, noun), count(number(body, "total_files"), "file")),
    };
    if !text(body, "scope").is_empty() {
        let _ = write!(figures, " below {}", text(body, "scope"));
    }
    if body.contains_key("without_tests") {
        figures.push_str(" outside of tests");
    }
    let parts = [(number(body, "total_direct"), "direct"), (number(body, "total_in_tests"), "in tests")];
    let parts: Vec<String> =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect();
    if !parts.is_empty() {
        let _ = write!(figures, " ({})", parts.join(", "));
    }
    // Whether these are all comes first: it decides if the reader has to search on.
    let mut out = match (is_closed("state"), is_closed("indirect")) {
        (true, true) => format!("complete: {figures}; no search adds one"),
        (true, false) => format!("direct ones are complete, farther ones may be more: {figures}"),
        (false, _) => format!("not known to be complete: {figures}"),
    };
    if shown.is_part() {
        let _ = write!(out, "; shown: {} to {}", shown.before + 1, shown.before + shown.rows);
    }
    out.push('\n');
    let is_complete = is_closed("state") && is_closed("indirect");
    if !is_complete && !text(closure, "beside").is_empty() {
        let _ = writeln!(out, "{}", text(closure, "beside"));
    }
    out
}

/// The file, and how far its rows are away unless they are direct.
fn write_file(row: &Members) -> String {
    match number(row, "hop_distance") {
        0 => format!("{}  (changed together)", text(row, "file_path")),
        1 => text(row, "file_path").to_owned(),
        hops => format!("{}  ({hops} edges away)", text(row, "file_path")),
    }
}

/// `349: Gson.getAdapter calls create`.
fn write_row(row: &Members, _: Option<&Members>, _: &Members) -> RowLine {
    let name = qualify_name(text(row, "node_id")).unwrap_or_else(|| text(row, "label").to_owned());
    // The first edge only: the rest of the way stands below the row that it leads to.
    let Some(edge) = list(row, "witness").next() else {
        return RowLine { place: number(row, "line_start").to_string(), text: name };
    };
    let tier = match text(edge, "tier") {
        tier if tier == EdgeTier::Certain.word() => String::new(),
        tier => format!("  ({tier})"),
    };
    let line = match number(edge, "line") {
        0 => number(row, "line_start"),
        line => line,
    };
    let (relation, to) = (text(edge, "relation").replace('_', " "), text(edge, "to"));
    RowLine { place: line.to_string(), text: format!("{name} {relation} {to}{tier}") }
}

/// The tests that cover the node, and the places that may be more.
fn write_end(body: &Members, budget: usize) -> String {
    let mut out = String::new();
    let total = number(body, "total_tests");
    if total > 0 {
        let _ = writeln!(out, "covered by {}:", count(total, "test file"));
        let lines = list(body, "tests").take(SHOWN_TESTS).map(write_covering);
        let fits: Vec<String> = lines
            .scan(budget / 2, |left, line| {
                *left = left.checked_sub(line.len() + 1)?;
                Some(line)
            })
            .collect();
        fits.iter().for_each(|line| _ = writeln!(out, "{line}"));
        if fits.len() < total {
            let _ = writeln!(out, "… and {} more (`tests_for`)", total - fits.len());
        }
    }
    let left = budget.saturating_sub(out.len());
    push_hiding(&mut out, body, left);
    out
}
