//! Committing a plan, and what answers say about it.

use std::collections::BTreeSet;
use std::sync::Arc;

use m1nd_base::{Cancel, NodeKind, ProgressEvent, RepoPath};
use m1nd_edit::{Plan, PlannedEdit};
use m1nd_engine::{ProcessRole, Snapshot};
use m1nd_query::edits::{SyntaxCheck, new_syntax_errors};
use serde::Serialize;

use super::changes::edit_error;
use crate::framework::{ToolError, WriteContext};

/// Lines of a diff that an answer shows, by default of a preview.
const MAX_DIFF_LINES: usize = 400;
/// Nodes listed in each list of a node delta.
const MAX_NODES: usize = 50;

/// What a commit did.
pub(crate) struct Written {
    pub(crate) bytes: u64,
    /// The snapshot after it; the one before if the index does not have it.
    pub(crate) after: Arc<Snapshot>,
    /// The reason why the index does not have the files.
    pub(crate) not_indexed: Option<&'static str>,
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
    let total = plan.changes().count();
    let mut told =
        |done| cx.progress().report(ProgressEvent { stage: "writing", done: done as u64, total: Some(total as u64) });
    let committed = cx.files().commit(plan, cx.cancel(), &mut told).map_err(edit_error)?;
    let not_indexed = if reingest { index(cx, plan) } else { Some("`reingest` is false") };
    Ok(Written { bytes: committed.bytes, after: cx.engine().snapshot(), not_indexed })
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

/// The symbols of a file before and after.
#[derive(Debug, Default, Serialize)]
pub(crate) struct NodeDelta {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
    /// Ids beyond the first 50 of a list.
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    more: usize,
}

impl NodeDelta {
    /// Number of touched symbols.
    pub(crate) fn total(&self) -> usize {
        self.added.len() + self.removed.len() + self.changed.len() + self.more
    }

    /// Ids of the touched symbols, those that were removed as well.
    pub(crate) fn all(&self) -> impl Iterator<Item = &String> {
        self.added.iter().chain(&self.removed).chain(&self.changed)
    }

    /// Ids that are there afterwards and were touched.
    pub(crate) fn list_updated(&self) -> Vec<String> {
        self.added.iter().chain(&self.changed).cloned().collect()
    }
}

/// Compares the symbols of some edited files.
pub(crate) fn node_delta<'p>(
    before: &Snapshot,
    after: &Snapshot,
    edits: impl IntoIterator<Item = &'p PlannedEdit>,
) -> NodeDelta {
    let mut delta = NodeDelta::default();
    for edit in edits {
        let old = symbols(before, edit.path(), edit.before_text());
        let new = symbols(after, edit.path(), edit.after_text());
        let text =
            |all: &[(String, String)], id: &str| all.iter().find(|(known, _)| known == id).map(|row| row.1.clone());
        delta.added.extend(new.iter().filter(|(id, _)| text(&old, id).is_none()).map(|row| row.0.clone()));
        delta.removed.extend(old.iter().filter(|(id, _)| text(&new, id).is_none()).map(|row| row.0.clone()));
        let differs = |(id, body): &&(String, String)| text(&old, id).is_some_and(|old| old != *body);
        delta.changed.extend(new.iter().filter(differs).map(|row| row.0.clone()));
    }
    // What is around a touched symbol is touched through it.
    let touched: BTreeSet<String> =
        [&delta.added, &delta.removed, &delta.changed].into_iter().flatten().cloned().collect();
    let is_inner = |id: &String| {
        let prefix = format!("{id}::");
        touched.range(prefix.clone()..).next().is_none_or(|next| !next.starts_with(&prefix))
    };
    delta.changed.retain(is_inner);
    for list in [&mut delta.added, &mut delta.removed, &mut delta.changed] {
        delta.more += list.len().saturating_sub(MAX_NODES);
        list.truncate(MAX_NODES);
    }
    delta
}

/// Ids of the symbols of a file, with their text.
fn symbols(snapshot: &Snapshot, path: &RepoPath, text: Option<&str>) -> Vec<(String, String)> {
    let graph = snapshot.graph();
    let (Some(file), Some(text)) = (graph.find_file(path.as_str()), text) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let row = |node| {
        let (first, last) = graph.lines(node);
        let range = (first as usize).saturating_sub(1)..(last as usize).min(lines.len());
        (graph.id(node).to_owned(), lines.get(range).unwrap_or_default().join("\n"))
    };
    let own = graph.of_file(file).into_iter().filter(|node| graph.kind(*node) != NodeKind::File);
    own.map(row).collect()
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
