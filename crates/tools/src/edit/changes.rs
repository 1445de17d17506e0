//! From the arguments of a write to a plan of it.

use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, RepoPath};
use m1nd_edit::{Change, Edit, EditError, Expected, Plan, Replacement, Target};
use m1nd_engine::{EngineError, Snapshot, Withheld};
use m1nd_query::edits::definition_range;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::framework::{ErrorCode, ToolError, WriteContext};
use crate::rows;

/// A text and what takes its place.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplacementInput {
    /// Occurs once
    old: String,
    new: String,
}

/// A change of one file, in one of several forms.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeInput {
    pub(super) file_path: Option<String>,
    pub(super) new_content: Option<String>,
    #[serde(default)]
    pub(super) edits: Vec<ReplacementInput>,
    pub(super) diff: Option<String>,
    pub(super) node_id: Option<String>,
    #[serde(default)]
    pub(super) delete: bool,
    pub(super) expected_hash: Option<String>,
    #[expect(dead_code, reason = "for people who read the calls")]
    pub(super) description: Option<String>,
}

impl ChangeInput {
    /// A change from the arguments of a tool that takes only one.
    pub(crate) fn of_whole(file_path: String, diff: String) -> Self {
        Self { file_path: Some(file_path), diff: Some(diff), ..Self::default() }
    }

    /// The path as given, for messages.
    pub(crate) fn display_path(&self) -> &str {
        self.file_path.as_deref().or(self.node_id.as_deref()).unwrap_or_default()
    }

    /// The edit that it asks for.
    pub(crate) fn edit(self, snapshot: &Snapshot, cancel: &Cancel) -> Result<Edit, ToolError> {
        let expected = match self.expected_hash.as_deref().map(str::trim) {
            None => Expected::Anything,
            Some(text) => Expected::Content(ContentHash::parse(text).ok_or_else(|| {
                ToolError::invalid(
                    "argument `expected_hash` is no content hash; pass `content_hash` of an answer as it is",
                )
            })?),
        };
        let forms = [self.new_content.is_some(), !self.edits.is_empty(), self.diff.is_some(), self.delete];
        if forms.iter().filter(|given| **given).count() != 1 {
            return Err(ToolError::invalid(
                "a change needs exactly one of `new_content`, `edits`, `diff` and `delete: true`",
            ));
        }
        if let Some(id) = &self.node_id {
            let Some(text) = self.new_content.filter(|_| self.file_path.is_none()) else {
                return Err(ToolError::invalid(
                    "`node_id` goes with `new_content` alone, the new text of the definition",
                ));
            };
            return of_definition(snapshot, id, text, expected, cancel);
        }
        let Some(path) = &self.file_path else {
            return Err(ToolError::invalid("a change needs `file_path`, or `node_id` with `new_content`"));
        };
        let target = target(snapshot, path)?;
        let change = if let Some(text) = self.new_content {
            Change::Text(text)
        } else if let Some(diff) = self.diff {
            Change::Patch(diff)
        } else if self.delete {
            Change::Remove
        } else {
            Change::Replace(
                self.edits.into_iter().map(|ReplacementInput { old, new }| Replacement { old, new }).collect(),
            )
        };
        Ok(Edit { target, change, expected })
    }
}

/// The file at a path that a caller names, which may not exist yet.
pub(crate) fn target(snapshot: &Snapshot, path: &str) -> Result<Target, ToolError> {
    let path = snapshot.index_path(path).map_err(|error| rows::read_error("file_path", &error))?;
    let Some((root, inner)) = snapshot.locate(&path) else {
        return Err(ToolError::new(ErrorCode::OutsideWorkspace, format!("`{path}` is below no indexed root")));
    };
    let is_there = root.metadata(&inner).is_ok() || root.is_link(&inner);
    match snapshot.check_withheld(&path) {
        Some(why) if is_there || why != Withheld::Hidden => {
            let message = format!("`{path}` is not written: {}", why.text());
            Err(ToolError::new(ErrorCode::WriteRefused, message).hint(why.hint()))
        }
        _ => Ok(Target { root: root.clone(), inner, path }),
    }
}

/// The edit that replaces a definition.
fn of_definition(
    snapshot: &Snapshot,
    id: &str,
    text: String,
    expected: Expected,
    cancel: &Cancel,
) -> Result<Edit, ToolError> {
    let node = rows::resolve(snapshot, "node_id", id)?;
    let graph = snapshot.graph();
    let path = RepoPath::new(graph.path(node))
        .map_err(|_| ToolError::new(ErrorCode::WriteRefused, format!("`{id}` is in no file of the project")))?;
    let target = target(snapshot, path.as_str())?;
    let source = snapshot.read_file(&path).map_err(|error| rows::read_error("node_id", &error))?;
    let range = if source.lossy { None } else { definition_range(snapshot, node, &source.text, cancel) };
    let Some((start, end)) = range else {
        let message =
            format!("the text of `{}` is not where the index says; the file may have changed", graph.id(node));
        return Err(ToolError::new(ErrorCode::EditDoesNotApply, message)
            .next_step("read the file and pass `file_path` with `edits`"));
    };
    // The range begins behind the indentation and ends before the line break.
    let mut new = text.trim_start_matches([' ', '\t']);
    if !source.text[start..end].ends_with('\n') {
        new = new.strip_suffix('\n').unwrap_or(new);
    }
    let expected = if expected == Expected::Anything { Expected::Content(source.hash) } else { expected };
    Ok(Edit { target, change: Change::Range(start, end, new.to_owned()), expected })
}

/// The newest snapshot, for a call that may write: up to date with the disk as far as that is quick.
pub(crate) fn writable(cx: &WriteContext<'_>) -> Result<Arc<Snapshot>, ToolError> {
    if cx.engine().is_read_only() {
        return Err(rows::engine_error(EngineError::ReadOnly));
    }
    let snapshot = cx.engine().catch_up(cx.cancel()).0;
    if snapshot.is_empty() && snapshot.roots().is_empty() { Err(ToolError::empty_graph()) } else { Ok(snapshot) }
}

/// Reads the files of some changes and computes their new content.
pub(crate) fn plan(cx: &WriteContext<'_>, snapshot: &Snapshot, changes: Vec<ChangeInput>) -> Result<Plan, ToolError> {
    let edits = changes.into_iter().map(|change| change.edit(snapshot, cx.cancel())).collect::<Result<_, _>>()?;
    plan_edits(cx, edits)
}

/// Like [`plan`], for edits.
pub(crate) fn plan_edits(cx: &WriteContext<'_>, edits: Vec<Edit>) -> Result<Plan, ToolError> {
    cx.files().plan(edits).map_err(edit_error)
}

/// Converts an error of a write.
pub(crate) fn edit_error(error: EditError) -> ToolError {
    let message = error.to_string();
    match error {
        EditError::SourceModified { path, expected, found } => ToolError::new(ErrorCode::SourceModified, message)
            .detail("file_path", json!(path))
            .detail("expected_hash", json!(expected))
            .detail("current_hash", json!(found))
            .next_step("read the file again, make the edit from it, and pass its `content_hash` as `expected_hash`"),
        EditError::Duplicate { path, .. } => ToolError::invalid(message).detail("file_path", json!(path)),
        EditError::Guarded { path, inner, .. } => {
            let next = format!("ask the person to run `m1nd write allow {inner}`, or to make the change");
            ToolError::new(ErrorCode::WriteRefused, message).detail("file_path", json!(path)).next_step(next)
        }
        EditError::Refused { path, .. } | EditError::Binary { path } => {
            ToolError::new(ErrorCode::WriteRefused, message).detail("file_path", json!(path))
        }
        EditError::NulByte { path, .. } | EditError::NotEncodable { path, .. } => {
            ToolError::new(ErrorCode::WriteRefused, message).detail("file_path", json!(path))
        }
        EditError::TooLarge { .. } | EditError::TooMany { .. } => ToolError::new(ErrorCode::WriteRefused, message),
        EditError::DoesNotApply { path, .. } => ToolError::new(ErrorCode::EditDoesNotApply, message)
            .detail("file_path", json!(path))
            .next_step("read the file again and repeat the edit with its current text"),
        EditError::Files(_) => ToolError::new(ErrorCode::WriteRefused, message),
        EditError::NotKept { .. } => ToolError::invalid(message),
        EditError::Cancelled => ToolError::new(ErrorCode::Cancelled, message),
        EditError::Store(_) => ToolError::new(ErrorCode::StoreFailed, message),
        EditError::Failed { .. } | EditError::NotRestored { .. } | EditError::NotDurable { .. } => {
            ToolError::new(ErrorCode::WriteFailed, message)
        }
    }
}
