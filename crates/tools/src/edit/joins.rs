//! What is known about code that was just written: what usually changes with it, what is remembered, which bug
//! patterns its new text matches.

use std::collections::BTreeSet;

use m1nd_base::RepoPath;
use m1nd_edit::{Plan, PlannedEdit};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::changes::predict::{PredictQuery, PredictRow, Verdict, predict};
use m1nd_query::changes::work_tree_changes;
use m1nd_query::edits::is_test_path;
use m1nd_query::patterns::LabelMode;
use serde::Serialize;

use super::delta::WriteDelta;
use super::writing::Written;
use crate::exploration::{Looking, Severity, list_stored, look};
use crate::framework::{ToolError, ToolRef, WriteContext};
use crate::rows::round_value;
use crate::word::{Word, answer_kinds};

/// Files listed that usually change with the written ones.
const MAX_PREDICTED: usize = 3;
/// Least probability of a file that is named without a verdict to act: of fewer, most would be named in vain.
const LIKELY: f64 = 1.0 / 3.0;
/// Matches of bug patterns that are listed.
const MAX_MATCHES: usize = 3;
/// Patterns looked for after a write.
const MAX_PATTERNS: usize = 100;

answer_kinds! {
    /// What an insight is about.
    InsightKind {
        CoChange = "co_change_prediction",
        Companion = "untouched_test_companion",
        Recurrence = "antibody_recurrence",
    }
}

/// Something that the writer should know.
#[derive(Debug, Serialize)]
pub(crate) struct Insight {
    severity: Word<Severity>,
    kind: Word<InsightKind>,
    message: String,
    confidence: f64,
    evidence: Vec<String>,
    suggested_tool: ToolRef,
    suggested_target: String,
}

/// What is joined to the answer of a write. Empty lists are absent.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Joined {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proactive_insights: Vec<Insight>,
    /// Memories about the touched code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<m1nd_mind::Note>,
}

/// Looks up what is known about the changes of some plans that are written and indexed.
///
/// # Errors
/// Those of the store of patterns. Cancellation does not count: the files are written.
pub(crate) fn join_knowledge(
    cx: &WriteContext<'_>,
    (before, after): (&Snapshot, &Snapshot),
    plans: &[Plan],
    delta: &WriteDelta,
) -> Result<Joined, ToolError> {
    let edits: Vec<&PlannedEdit> = plans.iter().flat_map(Plan::changes).collect();
    let mut proactive_insights = matches(cx, after, &edits)?;
    proactive_insights.extend(list_forgotten(cx, before, after, &edits));
    Ok(Joined {
        proactive_insights,
        memory: cx.memory().about(&list_touched(before, after, &edits, delta.ids()), after),
    })
}

/// The same of a single plan, if the index has what was written.
///
/// # Errors
/// Those of [`join_knowledge`].
pub(crate) fn join_written(
    cx: &WriteContext<'_>,
    before: &Snapshot,
    written: &Written,
    plans: &[Plan],
    delta: &WriteDelta,
) -> Result<Joined, ToolError> {
    match written.not_indexed {
        None => join_knowledge(cx, (before, &written.after), plans, delta),
        Some(_) => Ok(Joined::default()),
    }
}

/// Ids of the touched symbols, what they are in, and their files.
fn list_touched(before: &Snapshot, after: &Snapshot, edits: &[&PlannedEdit], touched: Vec<String>) -> Vec<String> {
    let mut ids: BTreeSet<String> = touched.iter().cloned().collect();
    for (snapshot, id) in [before, after].into_iter().flat_map(|snapshot| touched.iter().map(move |id| (snapshot, id)))
    {
        let graph = snapshot.graph();
        let mut at = graph.find(id).and_then(|node| graph.parent(node));
        while let Some(node) = at.filter(|node| ids.insert(graph.id(*node).to_owned())) {
            at = graph.parent(node);
        }
    }
    ids.extend(edits.iter().map(|edit| format!("file::{}", edit.path())));
    ids.into_iter().collect()
}

/// Files that usually change with the written ones and are as they were.
fn list_forgotten(cx: &WriteContext<'_>, before: &Snapshot, after: &Snapshot, edits: &[&PlannedEdit]) -> Vec<Insight> {
    let Some(history) = cx.loaded_history() else { return Vec::new() };
    // A file that was removed has a node only before.
    let of = |snapshot: &Snapshot| -> Vec<NodeIx> {
        edits.iter().filter_map(|edit| snapshot.graph().find_file(edit.path().as_str())).collect()
    };
    let (snapshot, changed) = match of(after) {
        changed if changed.is_empty() => (before, of(before)),
        changed => (after, changed),
    };
    if changed.is_empty() {
        return Vec::new();
    }
    let also_changed = edits.iter().map(|edit| edit.path().as_str().to_owned()).collect();
    let query = PredictQuery { changed, also_changed, min_support: 2, with_symbols: false, waits: false };
    let Ok(found) = predict(snapshot, &history, &query, cx.cancel()) else { return Vec::new() };
    let counts = |row: &PredictRow| {
        row.verdict == Verdict::Act || (row.verdict != Verdict::Abstain && row.probability >= LIKELY)
    };
    let mut rows: Vec<PredictRow> = found.rows.into_iter().filter(counts).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    // What was changed by hand or by an earlier call is not forgotten.
    if let Ok(work_tree) = work_tree_changes(snapshot, &history, cx.cancel()) {
        rows.retain(|row| !work_tree.changed.contains(&row.path));
    }
    rows.into_iter().take(MAX_PREDICTED).map(|row| insight(snapshot, row)).collect()
}

fn insight(snapshot: &Snapshot, row: PredictRow) -> Insight {
    let because = snapshot.graph().path(row.because_of);
    let (kind, verb) = bond(&row.path, row.tests, row.verdict);
    let support = match row.support {
        0 => String::new(),
        count => format!(": {count} of {} commits of `{because}`", row.of),
    };
    let cited =
        row.commits.iter().map(|(commit, subject)| format!("{} {subject}", &commit[..commit.floor_char_boundary(12)]));
    Insight {
        severity: Word(if row.verdict == Verdict::Act { Severity::Warning } else { Severity::Info }),
        kind: Word(kind),
        message: format!("`{}` {verb} and was not touched{support}", row.path),
        confidence: round_value(row.probability),
        evidence: cited.collect(),
        suggested_tool: ToolRef("view"),
        suggested_target: row.path,
    }
}

/// The kind of an insight and how a file belongs to the written one, which it may test or be tested by.
fn bond(path: &str, is_test_link: bool, verdict: Verdict) -> (InsightKind, &'static str) {
    match is_test_link && RepoPath::new(path).is_ok_and(|path| is_test_path(&path)) {
        true => (InsightKind::Companion, "tests it"),
        false if verdict == Verdict::Act => (InsightKind::CoChange, "usually changes with it"),
        false => (InsightKind::CoChange, "often changes with it"),
    }
}

/// Bug patterns that the new text matches. Code that was there before does not count.
fn matches(cx: &WriteContext<'_>, after: &Snapshot, edits: &[&PlannedEdit]) -> Result<Vec<Insight>, ToolError> {
    let (mut known, _) = list_stored(cx.list_held())?;
    known.retain(|pattern| pattern.value.enabled);
    if known.is_empty() {
        return Ok(Vec::new());
    }
    known.sort_by_key(|pattern| std::cmp::Reverse(Severity::of(&pattern.value.severity)));
    let paths: BTreeSet<String> =
        edits.iter().filter(|edit| edit.after_text().is_some()).map(|edit| edit.path().as_str().to_owned()).collect();
    let looking = Looking {
        snapshot: after,
        mode: LabelMode::Substring,
        changed: Some(&paths),
        limit: MAX_MATCHES * 4,
        cancel: cx.cancel(),
    };
    let mut rows = Vec::new();
    for pattern in known.iter().take(MAX_PATTERNS) {
        // The files are written: a search that is cancelled or fails leaves the rest unsaid.
        let Ok(found) = look(&pattern.value, &looking) else { break };
        for found in found.rows {
            let path = found.location.rsplit_once(':').map_or(found.location.as_str(), |(path, _)| path);
            let is_new = match (&found.line, edits.iter().find(|edit| edit.path().as_str() == path)) {
                (Some(line), Some(edit)) => edit.before_text().is_none_or(|before| !has_line(before, line)),
                (None, Some(_)) => true,
                (_, None) => false,
            };
            if is_new && rows.len() < MAX_MATCHES {
                rows.push(Insight {
                    severity: Word(Severity::of(&pattern.value.severity)),
                    kind: Word(InsightKind::Recurrence),
                    message: format!(
                        "the new text matches the bug pattern `{}` at {}",
                        pattern.value.name, found.location
                    ),
                    confidence: round_value(pattern.value.specificity),
                    evidence: vec![pattern.id.clone()],
                    suggested_tool: ToolRef("antibody_scan"),
                    suggested_target: path.to_owned(),
                });
            }
        }
    }
    Ok(rows)
}

/// Whether a text has a line with this content, however it is indented.
fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|other| other.trim() == line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_tested_does_not_test() {
        let kind = |path: &str| bond(path, true, Verdict::Reverify).0;
        assert_eq!((kind("tests/test_a.py"), kind("a.py")), (InsightKind::Companion, InsightKind::CoChange));
        assert_eq!(bond("a.py", false, Verdict::Act).1, "usually changes with it");
    }
}
