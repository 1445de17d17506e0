//! Committing a plan, and what answers say about it.

use std::sync::Arc;

use m1nd_base::{Cancel, ProgressEvent, RepoPath};
use m1nd_edit::{Origin, Plan, PlannedEdit};
use m1nd_engine::{ProcessRole, Snapshot};
use m1nd_query::edits::{SyntaxCheck, new_syntax_errors};
use serde::Serialize;

use super::changes::edit_error;
use crate::framework::{ToolError, WriteContext};

/// Lines of a diff that an answer shows, by default of a preview.
const MAX_DIFF_LINES: usize = 400;

/// What a commit did.
pub(crate) struct Written {
    pub(crate) bytes: u64,
    /// The snapshot after it; the one before if the index does not have it.
    pub(crate) after: Arc<Snapshot>,
    /// The reason why the index does not have the files.
    pub(crate) not_indexed: Option<&'static str>,
    /// Id by which it can be taken back.
    pub(crate) kept: Option<String>,
}

/// Whether the index has what was written, in an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Reindexed {
    reingested: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_reingested: Option<&'static str>,
}

impl Reindexed {
    /// `not_indexed` is the reason why the index does not have it.
    pub(crate) fn new(not_indexed: Option<&'static str>) -> Self {
        Self { reingested: not_indexed.is_none(), not_reingested: not_indexed }
    }
}

/// Commits a plan and brings the index up to date.
pub(crate) fn write(cx: &WriteContext<'_>, plan: &Plan, reingest: bool) -> Result<Written, ToolError> {
    commit(cx, plan, Some(None), reingest)
}

/// Commits the plan that takes a kept write back.
pub(crate) fn write_undo(cx: &WriteContext<'_>, plan: &Plan, undoes: &str) -> Result<Written, ToolError> {
    commit(cx, plan, Some(Some(undoes)), true)
}

/// Takes back a plan that was just written, and forgets it, so that it cannot be undone once more.
pub(crate) fn roll_back(cx: &WriteContext<'_>, plan: &Plan, kept: Option<&str>) -> Result<Written, ToolError> {
    let written = commit(cx, &plan.inverse(), None, true)?;
    // A record that stays is refused: its files no longer have the written content.
    _ = kept.map(|id| cx.files().forget(id));
    Ok(written)
}

/// Commits a plan; with the write that it takes back, if any, it is kept.
fn commit(
    cx: &WriteContext<'_>,
    plan: &Plan,
    keeps: Option<Option<&str>>,
    reingest: bool,
) -> Result<Written, ToolError> {
    let total = plan.changes().count();
    let mut told =
        |done| cx.progress().report(ProgressEvent { stage: "writing", done: done as u64, total: Some(total as u64) });
    let committed = match keeps {
        None => cx.files().commit(plan, cx.cancel(), &mut told),
        Some(undoes) => {
            let origin = Origin {
                agent: cx.agent().to_owned(),
                tool: cx.tool().to_owned(),
                time_ms: cx.engine().clock().now_ms(),
                undoes: undoes.map(str::to_owned),
            };
            cx.files().commit_as(plan, &origin, cx.cancel(), &mut told)
        }
    };
    let committed = committed.map_err(edit_error)?;
    let not_indexed = if reingest { index(cx, plan) } else { Some("`reingest` is false") };
    Ok(Written { bytes: committed.bytes, after: cx.engine().snapshot(), not_indexed, kept: committed.kept })
}

/// Brings the index up to date with a committed plan. Returns the reason why it could not.
pub(crate) fn index(cx: &WriteContext<'_>, plan: &Plan) -> Option<&'static str> {
    cx.progress().report(ProgressEvent { stage: "indexing", done: 0, total: None });
    let paths: Vec<RepoPath> = plan.changes().map(|edit| edit.path().clone()).collect();
    // The files are written: a cancelled call still leaves an index of what is there.
    if cx.engine().index_written(&paths, &Cancel::new()) {
        return None;
    }
    Some(match cx.engine().role() {
        ProcessRole::Writer => "the index is being built; it will have the files soon",
        _ => "another process writes the index; it will have the files soon",
    })
}

/// A syntax error in an answer.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SyntaxRow {
    line: u32,
    column: u16,
    detail: String,
}

/// The syntax of a new text in an answer.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Syntax {
    /// No new errors; absent if it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ok: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) new_errors: Vec<SyntaxRow>,
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    pub(crate) total_new_errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_checked: Option<String>,
}

/// Checks the syntax of the new text of an edit.
pub(crate) fn syntax(snapshot: &Snapshot, edit: &PlannedEdit, cancel: &Cancel) -> Syntax {
    let Some(after) = edit.after_text() else {
        return Syntax { not_checked: Some("the file is removed".into()), ..Syntax::default() };
    };
    let SyntaxCheck { not_checked, errors, total } =
        new_syntax_errors(snapshot, edit.path(), edit.before_text(), after, cancel);
    let row = |error: m1nd_query::edits::SyntaxProblem| SyntaxRow {
        line: error.line,
        column: error.column,
        detail: error.detail,
    };
    Syntax {
        ok: not_checked.is_none().then_some(total == 0),
        new_errors: errors.into_iter().map(row).collect(),
        total_new_errors: total,
        not_checked,
    }
}

/// A diff cut after some lines, at the end of a line.
pub(crate) fn shown_diff(diff: String) -> (String, bool) {
    let end = diff.match_indices('\n').nth(MAX_DIFF_LINES - 1).map(|(at, _)| at + 1);
    match end.filter(|end| *end < diff.len()) {
        Some(end) => (diff[..end].to_owned(), true),
        None => (diff, false),
    }
}

/// A hash in an answer.
pub(crate) fn hash(hash: Option<m1nd_base::ContentHash>) -> Option<String> {
    hash.map(|hash| hash.to_string())
}

/// Number of lines of a text.
pub(crate) fn line_count(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.lines().count())
}
