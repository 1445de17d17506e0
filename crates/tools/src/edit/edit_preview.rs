//! What an edit would change, without writing anything.

use std::time::Duration;

use m1nd_edit::Encoding;
use m1nd_sessions::{Access, Held, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{ChangeInput, plan, writable};
use super::locks::lock_warnings;
use super::writing::{Syntax, hash, line_count, shown_diff, syntax};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows;
use crate::word::Word;

/// Time for which a preview can be committed.
const LIFETIME: Duration = Duration::from_secs(5 * 60);
/// Most previews of an agent.
const MAX_PREVIEWS: usize = 32;
/// Largest preview, in bytes.
const MAX_BYTES: u64 = 20 << 20;

/// A change that was previewed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Preview {
    pub(crate) path: String,
    /// Hash of the content it was made from; `None` if there was no file.
    pub(crate) before: Option<String>,
    /// The new text; `None` if the file is removed.
    pub(crate) after: Option<String>,
}

impl Held for Preview {
    const KIND: Kind = Kind {
        name: "preview",
        prefix: "preview",
        access: Access::Owner,
        lifetime: Some(LIFETIME),
        max_per_owner: MAX_PREVIEWS,
        max_bytes: MAX_BYTES,
    };
}

#[derive(Debug, Serialize)]
struct SourceRow {
    file_path: String,
    file_exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    bytes: usize,
    line_count: usize,
    encoding: Word<Encoding>,
}

#[derive(Debug, Serialize)]
struct DiffRow {
    unified_diff: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diff_cut: bool,
    lines_added: usize,
    lines_removed: usize,
    bytes_written: usize,
}

#[derive(Debug, Serialize)]
struct Validation {
    source_changed: bool,
    candidate_is_empty: bool,
    candidate_equals_source: bool,
    syntax: Syntax,
    ready_to_commit: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    preview_id: String,
    file_path: String,
    snapshot: SourceRow,
    diff: DiffRow,
    validation: Validation,
    /// Locks of other agents on what the edit changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
}

/// The arguments of [`ChangeInput`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Input(ChangeInput);

pub(crate) struct EditPreview;

impl Tool for EditPreview {
    const NAME: &'static str = "edit_preview";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Show what an edit would change, without writing it";
    const ANSWERS: &'static str = "the diff of an edit and its syntax errors, before it is written";
    const HELP: &'static str = "\
Computes an edit of one file and keeps it for five minutes; `edit_commit` writes it. Nothing is written now. The change
is one of: `new_content` (the whole text; creates the file if there is none), `edits` (a list of `{old, new}`, each
`old` occurring exactly once), `diff` (a unified diff), `node_id` with `new_content` (the definition gets this text; its
decorators and doc comment stay), `delete: true`.

`diff.unified_diff` can be given to `patch -p1`. `validation.syntax` lists syntax errors that the edit brings in, with
their line; errors that the file already has do not count. `ready_to_commit` says that the content differs and no new
syntax error is known. Encoding (UTF-8, UTF-16, Latin-1, byte order mark) and line endings of the file are kept.
`expected_hash` refuses the edit if the file has another content.";
    const EXAMPLE: &'static str = r##"{"agent_id": "agent", "file_path": "notes.py", "new_content": "NOTE = 1\n"}"##;
    const STAGES: &'static [Route] = &[(Stage::Edit, 40, "see the diff and the syntax errors of an edit first")];
    const DETAILS: &'static [&'static str] = &["snapshot.encoding", "snapshot.bytes", "diff.bytes_written"];
    const UNLISTED: &'static [&'static str] = &["description"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"preview_id": {"type": "string"}, "diff": {"type": "object"}, "validation": {"type": "object"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for EditPreview {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, Input(input): Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        let plan = plan(cx, &snapshot, vec![input])?;
        // A preview writes nothing, so that locks only warn.
        let locks = lock_warnings(cx, &snapshot, &plan)?;
        let Some(edit) = plan.edits().first() else { return Err(ToolError::invalid("no change was given")) };
        let path = edit.path().as_str().to_owned();
        let syntax = syntax(&snapshot, edit, cx.cancel());
        // The commit compares the hash, so that it never writes over other content.
        let preview = Preview {
            path: path.clone(),
            before: hash(edit.before_hash()),
            after: edit.after_text().map(str::to_owned),
        };
        let handle = cx.sessions().mint(cx.agent(), preview).map_err(rows::session_error)?;
        let (diff, counts) = edit.diff();
        let (unified_diff, diff_cut) = shown_diff(diff);
        let ready = edit.is_change() && syntax.ok != Some(false);
        let guidance = guidance(ready, edit.is_change(), &path);
        let output = Output {
            preview_id: handle.id,
            snapshot: SourceRow {
                file_path: path.clone(),
                file_exists: edit.before_hash().is_some(),
                content_hash: hash(edit.before_hash()),
                bytes: edit.before_len(),
                line_count: line_count(edit.before_text()),
                encoding: Word(edit.encoding()),
            },
            file_path: path,
            diff: DiffRow {
                unified_diff,
                diff_cut,
                lines_added: counts.added,
                lines_removed: counts.removed,
                bytes_written: edit.after_bytes().map_or(0, <[u8]>::len),
            },
            validation: Validation {
                source_changed: false,
                candidate_is_empty: edit.after_text().is_none_or(str::is_empty),
                candidate_equals_source: !edit.is_change(),
                syntax,
                ready_to_commit: ready,
            },
            locks,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn guidance(ready: bool, is_change: bool, path: &str) -> Guidance {
    if ready {
        let hint = "commit it with this `preview_id` and `confirm: true`, within five minutes";
        return Guidance::next(ProofState::ReadyToEdit, ToolRef("edit_commit"), None, hint);
    }
    let hint = if is_change { "the edit brings in syntax errors: repair it" } else { "the edit changes nothing" };
    Guidance::next(ProofState::Proving, ToolRef("view"), Some(path.to_owned()), hint)
}
