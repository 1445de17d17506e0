//! Writes a refactoring.

use m1nd_edit::{Change, Edit, Expected};
use m1nd_engine::Snapshot;
use m1nd_query::edits::{NewFile, refactor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::apply_batch::OnBroken;
use super::changes::{plan_edits, target, writable};
use super::checked_write::CheckedWrite;
use super::refactor_input::{NoteRow, RefactorInput, note_rows, refactor_error};
use crate::framework::{
    Answer, Command, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext,
    WriteTool,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Input {
    #[serde(flatten)]
    of: RefactorInput,
    #[serde(default)]
    confirm: bool,
    /// Also run the commands of the project
    #[serde(default)]
    verify: bool,
    /// If the verdict is BROKEN
    #[serde(default)]
    on_broken: OnBroken,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    files: Vec<String>,
    /// Uses that were rewritten.
    places: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<NoteRow>,
    #[serde(flatten)]
    written: CheckedWrite,
}

pub(crate) struct RefactorCommit;

impl Tool for RefactorCommit {
    const NAME: &'static str = "refactor_commit";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Move code, change a signature, extract or inline a function, in all files at once";
    const ANSWERS: &'static str = "writes a refactoring in all files, or says what stands in its way";
    const HELP: &'static str = "\
Writes what `refactor_preview` shows, computed again from the current files: all files or none. It is refused for the same
reasons, before anything is written. Afterwards the graph is compared with the one before; `verify: true` also runs the
commands of the project, and with `on_broken: rollback` a BROKEN refactoring is undone.";
    const UNLISTED: &'static [&'static str] = &["leave_unmapped", "on_broken", "order", "with_helpers"];
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "operation": "move", "node_id": "login", "to": "sessions.py", "confirm": true}"#;
    const STAGES: &'static [Route] =
        &[(Stage::Edit, 82, "move code, change parameters, extract or inline a function in all files")];
    const DETAILS: &'static [&'static str] = &["files"];
    const COMMAND: Option<Command> = Some(Command::new("refactor", &["operation", "node_id", "to"]));
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"files": {"type": "array"}, "places": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for RefactorCommit {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        if !input.confirm {
            return Err(ToolError::invalid("argument `confirm` must be true: files will be written"));
        }
        // What changes.
        let operation = input.of.operation(&snapshot)?;
        let found = refactor(&snapshot, &operation, cx.cancel()).map_err(refactor_error)?;
        let files = found.files.iter().map(|file| file.path.as_str().to_owned()).collect();
        let edits = found.files.into_iter().map(|file| edit_of(&snapshot, file)).collect::<Result<Vec<_>, _>>()?;
        let plan = plan_edits(cx, edits)?;
        let written = CheckedWrite::commit(cx, &snapshot, plan, (input.verify, input.on_broken))?;
        let (is_broken, rolls_back) = (written.is_broken(), written.rolled_back);
        let (state, hint) = match (is_broken, rolls_back) {
            (_, true) => (ProofState::Blocked, "undone: `verification.broken` says why"),
            (true, _) => (ProofState::Blocked, "repair what `verification.broken` lists"),
            _ => (ProofState::Triaging, "run the compiler or the tests"),
        };
        let guidance = Guidance::next(state, ToolRef("outline"), None, hint);
        let output = Output { files, places: found.places, notes: note_rows(&found.notes), written };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn edit_of(snapshot: &Snapshot, file: NewFile) -> Result<Edit, ToolError> {
    Ok(Edit {
        target: target(snapshot, file.path.as_str())?,
        change: file.text.map_or(Change::Remove, Change::Text),
        expected: file.before.map_or(Expected::Nothing, Expected::Content),
    })
}
