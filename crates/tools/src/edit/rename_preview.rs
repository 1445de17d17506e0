//! The places that change if a symbol gets another name.

use m1nd_engine::Snapshot;
use m1nd_query::edits::{CannotRename, Left, Rename, rename};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::writing::shown_diff;
use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows;
use crate::sites::{SiteRow, site_rows};

/// Files on a page.
const MAX_FILES: usize = 200;
/// Places listed that are left.
const MAX_LEFT: usize = 50;
/// References listed that may mean the symbol, in an error.
const MAX_HIDING: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    node_id: String,
    new_name: String,
    /// Leave places that may mean it as they are
    #[serde(default)]
    leave: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    file_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_path: Option<String>,
    places: usize,
    diff: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diff_cut: bool,
}

/// A place that writes the old name and is left as it is.
#[derive(Debug, Serialize)]
pub(crate) struct LeftRow {
    file_path: String,
    line: u32,
    reason: String,
    text: String,
}

/// The first places that are left.
pub(super) fn left_rows(left: &[Left]) -> Vec<LeftRow> {
    let row = |row: &Left| LeftRow {
        file_path: row.file.clone(),
        line: row.line,
        reason: row.reason.clone(),
        text: crate::source::clip(&row.text).to_string(),
    };
    left.iter().take(MAX_LEFT).map(row).collect()
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    definitions: Vec<String>,
    new_name: String,
    files: Vec<FileRow>,
    total_files: usize,
    total_places: usize,
    /// References that may mean the symbol: left as they are.
    possible: Vec<SiteRow>,
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    total_possible: usize,
    /// Other places that write the old name and may mean the symbol: left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<LeftRow>,
    #[serde(skip_serializing_if = "crate::framework::is_zero")]
    total_left: usize,
    /// Documents that name it: left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<SiteRow>,
    /// Comments in these files that have the old name: left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// Code outside of the project may use the old name.
    exported: bool,
}

pub(crate) struct RenamePreview;

impl Tool for RenamePreview {
    const NAME: &'static str = "rename_preview";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Show every place that changes if a symbol is renamed";
    const ANSWERS: &'static str = "the places that a new name of a symbol changes, or why it cannot be renamed";
    const HELP: &'static str = "\
Finds every certain reference to a symbol in all files, as `references` lists them, with declarations and overrides of the
same name, and shows what `rename_commit` would write. The project with the new name is parsed and linked in memory: a
new syntax error, a reference that would be lost or captured refuses the rename (`would_break` lists the lines).

Every other place that writes the old name is changed where it certainly means the symbol (`__all__`, texts that are
addresses or annotations), explained by something else of that name, or left. Places that are left and may mean the
symbol refuse the rename (`may_mean_it`); with `leave: true` they stay and are listed as `left` and `possible`. Comments
and documents are listed and stay. `exported: true` says that code outside of the project may use the old name.

The rename is also refused where code outside of the project gives the name, or where the new name is taken.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_id": "load_user", "new_name": "fetch_user"}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 70, "rename a symbol in all files: see the places first")];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const DETAILS: &'static [&'static str] = &["files.diff"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"files": {"type": "array"}, "possible": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for RenamePreview {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let node = rows::resolve(snapshot, "node_id", &input.node_id)?;
        let found = rename(snapshot, node, input.new_name.trim(), input.leave, cx.cancel()).map_err(rename_error)?;
        let page = cx.page(MAX_FILES);
        let total_files = found.files.len();
        let files = page.cut(file_rows(snapshot, &found));
        let possible = &found.possible[..found.possible.len().min(MAX_LEFT)];
        let documents = &found.documents[..found.documents.len().min(MAX_LEFT)];
        let hint = match found.possible.len() + found.left.len() {
            0 => "write it with the same arguments".to_owned(),
            count => format!("{count} place(s) that may mean it are left as they are: look at them, then write it"),
        };
        let guidance =
            Guidance::next(ProofState::ReadyToEdit, ToolRef("rename_commit"), Some(input.node_id.clone()), hint);
        let output = Output {
            definitions: found.definitions.iter().map(|node| snapshot.graph().id(*node).to_owned()).collect(),
            new_name: input.new_name,
            total_files,
            total_places: found.files.iter().map(|file| file.places.len()).sum(),
            files,
            possible: site_rows(snapshot, possible),
            total_possible: found.possible.len(),
            left: left_rows(&found.left),
            total_left: found.left.len(),
            documents: site_rows(snapshot, documents),
            comments: comment_lines(&found),
            exported: found.is_exported,
        };
        Ok(Answer::new(output).rows("files", total_files).guidance(guidance))
    }
}

/// Comments that have the old name, as `path:line: text`.
fn comment_lines(found: &Rename) -> Vec<String> {
    let line = |comment: &m1nd_query::edits::Comment| {
        format!("{}:{}: {}", comment.path, comment.line, crate::source::clip(&comment.text))
    };
    found.comments.iter().take(MAX_LEFT).map(line).collect()
}

fn file_rows(snapshot: &Snapshot, found: &Rename) -> Vec<FileRow> {
    let row = |file: &m1nd_query::edits::RenamedFile| {
        let before = snapshot.read_file(&file.path).map(|source| source.text).unwrap_or_default();
        let (diff, diff_cut) =
            shown_diff(m1nd_edit::unified_diff(file.path.as_str(), Some(&before), Some(&file.text)).0);
        FileRow {
            file_path: file.path.as_str().to_owned(),
            new_path: file.new_path.as_ref().map(|path| path.as_str().to_owned()),
            places: file.places.len(),
            diff,
            diff_cut,
        }
    };
    found.files.iter().map(row).collect()
}

/// Converts the reason why a symbol is not renamed.
pub(super) fn rename_error(error: CannotRename) -> ToolError {
    let message = error.to_string();
    let reason = reason(&error);
    let refused = move |message: String| {
        ToolError::new(ErrorCode::RenameRefused, message).detail("refused_because", json!(reason))
    };
    match error {
        CannotRename::Cancelled => ToolError::new(ErrorCode::Cancelled, message),
        CannotRename::BadName { .. } => ToolError::invalid(message),
        CannotRename::Open { hiding, .. } => {
            let places: Vec<String> =
                hiding.iter().take(MAX_HIDING).map(|(file, line)| format!("{file}:{line}")).collect();
            refused(message).detail("may_mean_it", json!(places)).next_step(
                "look at these places: pass `leave: true` if none of them means it, else rename by `apply_batch` or make \
                 their target known (types, imports)",
            )
        }
        CannotRename::Breaks { broken, .. } => {
            let row = |found: &m1nd_query::edits::Broken| format!("{}:{} {}", found.file, found.line, found.what);
            let rows: Vec<String> = broken.iter().take(MAX_HIDING).map(row).collect();
            refused(message)
                .detail("would_break", json!(rows))
                .next_step("choose another name, or rename by `apply_batch` and change these places, too")
        }
        CannotRename::NotLinked { .. } => refused(message),
        CannotRename::File { .. } => ToolError::new(ErrorCode::SourceModified, message),
        CannotRename::NoName { .. } | CannotRename::Taken { .. } | CannotRename::NotOurs { .. } => refused(message),
    }
}

/// The reason of a refusal, for programs.
const fn reason(error: &CannotRename) -> &'static str {
    match error {
        CannotRename::Cancelled => "cancelled",
        CannotRename::BadName { .. } => "bad_name",
        CannotRename::Open { .. } => "references_unknown",
        CannotRename::File { .. } => "file_changed",
        CannotRename::NoName { .. } => "no_name",
        CannotRename::Taken { .. } => "name_taken",
        CannotRename::NotOurs { .. } => "name_given_outside",
        CannotRename::Breaks { .. } => "would_break",
        CannotRename::NotLinked { .. } => "not_checked",
    }
}
