//! Writes a previewed edit.

use m1nd_base::ContentHash;
use m1nd_edit::{Change, Edit, Expected};
use m1nd_sessions::SessionError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{plan_edits, target, writable};
use super::delta::{DeltaRow, compare_written};
use super::edit_preview::Preview;
use super::joins::{Joined, join_written};
use super::locks::check_locks;
use super::writing::{Reindexed, hash, write};
use crate::framework::{
    Answer, Effect, ErrorCode, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext,
    WriteTool, yes,
};
use crate::rows;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    preview_id: String,
    #[serde(default)]
    confirm: bool,
    #[serde(default = "yes")]
    reingest: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    preview_id: String,
    file_path: String,
    bytes_written: u64,
    lines_added: usize,
    lines_removed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    #[serde(flatten)]
    reindexed: Reindexed,
    updated_node_ids: Vec<String>,
    delta: DeltaRow,
    #[serde(flatten)]
    joined: Joined,
    /// Locks of other agents on what the edit changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
}

pub(crate) struct EditCommit;

impl Tool for EditCommit {
    const NAME: &'static str = "edit_commit";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Write a previewed edit, if the file is unchanged since";
    const ANSWERS: &'static str = "writes a previewed edit";
    const HELP: &'static str = "\
Writes the edit that `edit_preview` computed, for the agent that previewed it, within five minutes. If the file has
changed since, nothing is written and the error is `source_modified` with the current hash. The preview is used up by a
success. The file is replaced as a whole and durably, with its mode, encoding and line endings. `delta` says what the
write did, as in `apply`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "preview_id": "preview_agent_0", "confirm": true}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 50, "write the previewed edit")];
    const RARE: &'static [&'static str] = &["reingest"];
    const DETAILS: &'static [&'static str] = &["updated_node_ids"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"file_path": {"type": "string"}, "bytes_written": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for EditCommit {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        if !input.confirm {
            return Err(ToolError::invalid("argument `confirm` must be true: the file will be written"));
        }
        let preview = cx.sessions().get::<Preview>(cx.agent(), &input.preview_id).map_err(preview_error)?;
        let Preview { path, before, after } = preview.value;
        let expected = match before.as_deref().map(ContentHash::parse) {
            None => Expected::Nothing,
            Some(Some(hash)) => Expected::Content(hash),
            Some(None) => return Err(ToolError::new(ErrorCode::Internal, "the preview has no valid hash")),
        };
        let change = after.map_or(Change::Remove, Change::Text);
        let plan = plan_edits(cx, vec![Edit { target: target(&snapshot, &path)?, change, expected }])?;
        let locks = check_locks(cx, &snapshot, &plan)?;
        let written = write(cx, &plan, input.reingest)?;
        // Another call may have used it up meanwhile; the file is written in any case.
        _ = cx.sessions().remove::<Preview>(cx.agent(), &input.preview_id);
        let plans = [plan];
        let delta = compare_written((&snapshot, &written.after), &plans, written.not_indexed, cx.cancel());
        let joined = join_written(cx, &snapshot, &written, &plans, &delta)?;
        let is_broken = delta.is_broken();
        let edit = &plans[0].edits()[0];
        let counts = edit.diff().1;
        let output = Output {
            preview_id: input.preview_id,
            bytes_written: written.bytes,
            lines_added: counts.added,
            lines_removed: counts.removed,
            content_hash: hash(edit.after_hash()),
            reindexed: Reindexed::new(written.not_indexed),
            updated_node_ids: delta.list_updated(),
            delta: delta.row(false),
            joined,
            locks,
            file_path: path.clone(),
        };
        let guidance = match is_broken {
            true => Guidance::next(ProofState::Blocked, ToolRef("view"), Some(path), "repair what `delta` lists"),
            false => Guidance::next(ProofState::Triaging, ToolRef("impact"), Some(path), "check what depends on it"),
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn preview_error(error: SessionError) -> ToolError {
    match error {
        SessionError::Unknown { .. } | SessionError::Expired { .. } | SessionError::NotYours { .. } => {
            ToolError::new(ErrorCode::PreviewNotFound, error.to_string())
                .next_step("make a new one with `edit_preview` and commit it within five minutes")
        }
        error => rows::session_error(error),
    }
}
