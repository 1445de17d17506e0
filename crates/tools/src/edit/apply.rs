//! Writes one file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{ChangeInput, ReplacementInput, plan, writable};
use super::delta::{DeltaRow, compare_written};
use super::joins::{Joined, join_written};
use super::locks::check_locks;
use super::writing::{Reindexed, Syntax, hash, syntax, write};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool, yes,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    file_path: Option<String>,
    /// Whole text, or of `node_id`
    new_content: Option<String>,
    #[serde(default)]
    edits: Vec<ReplacementInput>,
    diff: Option<String>,
    node_id: Option<String>,
    #[serde(default)]
    delete: bool,
    expected_hash: Option<String>,
    description: Option<String>,
    #[serde(default = "yes")]
    reingest: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    file_path: String,
    bytes_written: u64,
    lines_added: usize,
    lines_removed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    syntax: Syntax,
    #[serde(flatten)]
    reindexed: Reindexed,
    updated_node_ids: Vec<String>,
    delta: DeltaRow,
    #[serde(flatten)]
    joined: Joined,
    /// Locks of other agents on the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
}

pub(crate) struct Apply;

impl Tool for Apply {
    const NAME: &'static str = "apply";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Write one file: text, replacements, diff or definition";
    const ANSWERS: &'static str = "writes one file, and says what that changed and broke";
    const HELP: &'static str = "\
Writes one file, durably and as a whole: after a failure or a crash it has its old content or the new one. The change is one of:
`new_content` (the whole text; creates the file and its folders), `edits` (a list of `{old, new}`, each `old` occurring
exactly once), `diff` (a unified diff), `node_id` with `new_content` (the definition gets this text; its decorators and
doc comment stay), `delete: true`.

`expected_hash` refuses the write with `source_modified` if the file has another content than the caller saw. Mode,
encoding and line endings are kept. Files of version control, of the state of m1nd, behind links, write-protected files
and files that are not text are refused. `delta` says what the write did: symbols added, removed, renamed, moved and
changed; uses left dangling and calls that do not fit; new import cycles; copies of other functions; tests that reach
it. `syntax` lists syntax errors that the edit brought in. `content_hash` is the hash to write against next. `proactive_insights` names files
that usually change with this one and did not, and bug patterns that the new text matches; `memory` holds what is
remembered about the touched code.";
    const EXAMPLE: &'static str = r##"{"agent_id": "agent", "file_path": "notes.py", "new_content": "NOTE = 1\n"}"##;
    const STAGES: &'static [Route] = &[(Stage::Edit, 60, "write one file")];
    const DETAILS: &'static [&'static str] = &["updated_node_ids"];
    const UNLISTED: &'static [&'static str] = &["description"];
    const RARE: &'static [&'static str] = &["reingest"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"file_path": {"type": "string"}, "bytes_written": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Apply {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        let Input { file_path, new_content, edits, diff, node_id, delete, expected_hash, description, reingest } =
            input;
        let change = ChangeInput { file_path, new_content, edits, diff, node_id, delete, expected_hash, description };
        let plan = plan(cx, &snapshot, vec![change])?;
        // Strict locks of others refuse the write.
        let locks = check_locks(cx, &snapshot, &plan)?;
        let plans = [plan];
        let [plan] = &plans;
        let Some(edit) = plan.edits().first() else { return Err(ToolError::invalid("no change was given")) };
        let syntax = syntax(&snapshot, edit, cx.cancel());
        // Written whole or not at all; what follows only describes it.
        let written = write(cx, plan, reingest)?;
        let delta = compare_written((&snapshot, &written.after), &plans, written.not_indexed, cx.cancel());
        let joined = join_written(cx, &snapshot, &written, &plans, &delta)?;
        let counts = edit.diff().1;
        let path = edit.path().as_str().to_owned();
        let guidance = match syntax.ok {
            Some(false) => Guidance::next(
                ProofState::Blocked,
                ToolRef("view"),
                Some(path.clone()),
                "the file is written and has new syntax errors: repair them",
            ),
            _ if delta.is_broken() => Guidance::next(
                ProofState::Blocked,
                ToolRef("view"),
                Some(path.clone()),
                "the file is written and breaks what `delta` lists: repair it",
            ),
            _ => {
                Guidance::next(ProofState::Triaging, ToolRef("impact"), Some(path.clone()), "check what depends on it")
            }
        };
        let output = Output {
            file_path: path,
            bytes_written: written.bytes,
            lines_added: counts.added,
            lines_removed: counts.removed,
            previous_hash: hash(edit.before_hash()),
            content_hash: hash(edit.after_hash()),
            syntax,
            reindexed: Reindexed::new(written.not_indexed),
            updated_node_ids: delta.list_updated(),
            delta: delta.row(false),
            joined,
            locks,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}
