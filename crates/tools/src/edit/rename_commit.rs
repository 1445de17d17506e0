//! Renames a symbol in all files.

use m1nd_edit::{Change, Edit, Expected};
use m1nd_query::edits::{RenamedFile, rename};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::apply_batch::OnBroken;
use super::changes::{plan_edits, target, writable};
use super::checked_write::CheckedWrite;
use super::rename_preview::{LeftRow, left_rows, rename_error};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    node_id: String,
    new_name: String,
    #[serde(default)]
    confirm: bool,
    /// Leave places that may mean it as they are
    #[serde(default)]
    leave: bool,
    /// Also run the commands of the project
    #[serde(default)]
    verify: bool,
    /// If the verdict is BROKEN
    #[serde(default)]
    on_broken: OnBroken,
}

#[derive(Debug, Serialize)]
struct FileRow {
    file_path: String,
    places: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    new_name: String,
    files: Vec<FileRow>,
    total_places: usize,
    /// References left as they are, because they are only possible.
    possible_left: usize,
    /// Other places that write the old name and may mean the symbol, left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<LeftRow>,
    #[serde(flatten)]
    written: CheckedWrite,
}

pub(crate) struct RenameCommit;

impl Tool for RenameCommit {
    const NAME: &'static str = "rename_commit";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Rename a symbol in all files at once";
    const ANSWERS: &'static str = "renames a symbol in all files";
    const HELP: &'static str = "\
Writes what `rename_preview` shows, computed again from the current files: all files or none. Afterwards the graph is
compared with the one before, as `verify: true` of `apply_batch` does, and `verify: true` also runs the commands of the
project; with `on_broken: rollback` a BROKEN rename is
undone. It is refused for the same reasons as the preview, before anything is written. With `leave: true`, places that may mean the
symbol are left as they are and listed; comments and documents always are.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "node_id": "load_user", "new_name": "fetch_user", "confirm": true}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 80, "rename a symbol in all files")];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"files": {"type": "array"}, "total_places": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for RenameCommit {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        if !input.confirm {
            return Err(ToolError::invalid("argument `confirm` must be true: files will be written"));
        }
        // What changes.
        let node = rows::resolve(&snapshot, "node_id", &input.node_id)?;
        let found = rename(&snapshot, node, input.new_name.trim(), input.leave, cx.cancel()).map_err(rename_error)?;
        let rows: Vec<FileRow> = found
            .files
            .iter()
            .map(|file| FileRow { file_path: file.path.as_str().to_owned(), places: file.places.len() })
            .collect();
        let edits = found.files.into_iter().map(|file| edits_of(&snapshot, file)).collect::<Result<Vec<_>, _>>()?;
        let plan = plan_edits(cx, edits.into_iter().flatten().collect())?;
        let written = CheckedWrite::commit(cx, &snapshot, plan, (input.verify, input.on_broken))?;
        let (is_broken, rolls_back) = (written.is_broken(), written.rolled_back);
        let hint = hint_of(is_broken, rolls_back);
        let state = if is_broken { ProofState::Blocked } else { ProofState::Triaging };
        let guidance = Guidance::next(state, ToolRef("search"), Some(snapshot.graph().label(node).to_owned()), hint);
        let output = Output {
            new_name: input.new_name,
            total_places: rows.iter().map(|row| row.places).sum(),
            files: rows,
            possible_left: found.possible.len(),
            left: left_rows(&found.left),
            written,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// What to do next.
const fn hint_of(is_broken: bool, is_undone: bool) -> &'static str {
    match (is_broken, is_undone) {
        (_, true) => "undone: `verification.broken` says why",
        (true, _) => "repair what `verification.broken` lists",
        _ => "run the compiler or the tests; comments and documents have the old name still",
    }
}

/// The edits of one file: two, if its own name changes.
fn edits_of(snapshot: &m1nd_engine::Snapshot, file: RenamedFile) -> Result<Vec<Edit>, ToolError> {
    let RenamedFile { path, new_path, before, text, .. } = file;
    let own = target(snapshot, path.as_str())?;
    let expected = Expected::Content(before);
    let Some(new_path) = new_path else {
        return Ok(vec![Edit { target: own, change: Change::Text(text), expected }]);
    };
    let moved = target(snapshot, new_path.as_str())?;
    Ok(vec![
        Edit { target: own, change: Change::Remove, expected },
        Edit { target: moved, change: Change::Text(text), expected: Expected::Nothing },
    ])
}
