//! What a refactoring would write.

use m1nd_engine::Snapshot;
use m1nd_query::edits::{NewFile, refactor};
use serde::Serialize;

use super::refactor_input::{NoteRow, RefactorInput, note_rows, refactor_error};
use super::writing::shown_diff;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
};

/// Files on a page.
const MAX_FILES: usize = 200;

#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    file_path: String,
    diff: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diff_cut: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    files: Vec<FileRow>,
    total_files: usize,
    /// Uses that were rewritten.
    places: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<NoteRow>,
}

pub(crate) struct RefactorPreview;

impl Tool for RefactorPreview {
    const NAME: &'static str = "refactor_preview";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Show what a move, a new signature, an extraction or an inlining would write";
    const ANSWERS: &'static str = "the files that a refactoring writes, or the place that stands in its way";
    const HELP: &'static str = "\
`operation: move` takes a top-level function, class, type or constant (or a file) to the file `to`, with the imports that
it needs, and rewrites the imports of its users. `change_signature` adds (`add`), removes, renames or reorders parameters
of a function and rewrites every call site, with overrides and implementations. `extract_function` makes the lines
`start_line` to `end_line` of `file_path` the function `name`. `inline_function` replaces every call of a function by its
body.

Only certain references are rewritten. The project with the new texts is parsed and linked in memory: a use that would be
lost, a name that is taken, an import cycle or a reference that may mean the symbol refuses the operation and names the
place. `notes` says what else changes: visibility that is raised, helpers that go along.";
    const UNLISTED: &'static [&'static str] = &["leave_unmapped", "order", "with_helpers"];
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "operation": "move", "node_id": "login", "to": "sessions.py"}"#;
    const STAGES: &'static [Route] =
        &[(Stage::Edit, 72, "move code, change parameters, extract or inline a function: see the diff first")];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const COMMAND: Option<Command> = Some(Command::new("refactor-preview", &["operation", "node_id", "to"]));
    const DETAILS: &'static [&'static str] = &["files.diff"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"files": {"type": "array"}, "notes": {"type": "array"}}}"#;
    type Input = RefactorInput;
    type Output = Output;
}

impl ReadTool for RefactorPreview {
    fn run(cx: &ReadContext<'_>, input: RefactorInput) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let operation = input.operation(snapshot)?;
        let found = refactor(snapshot, &operation, cx.cancel()).map_err(refactor_error)?;
        let page = cx.page(MAX_FILES);
        let total_files = found.files.len();
        let files = page.cut(found.files.iter().map(|file| file_row(snapshot, file)).collect());
        let hint = "write it with the same arguments".to_owned();
        let guidance = Guidance::next(ProofState::ReadyToEdit, ToolRef("refactor_commit"), input.node_id, hint);
        let output = Output { files, total_files, places: found.places, notes: note_rows(&found.notes) };
        Ok(Answer::new(output).rows("files", total_files).guidance(guidance))
    }
}

fn file_row(snapshot: &Snapshot, file: &NewFile) -> FileRow {
    let before = snapshot.read_file(&file.path).ok().filter(|_| file.before.is_some()).map(|source| source.text);
    let diff = m1nd_edit::unified_diff(file.path.as_str(), before.as_deref(), file.text.as_deref()).0;
    let (diff, diff_cut) = shown_diff(diff);
    FileRow { file_path: file.path.as_str().to_owned(), diff, diff_cut }
}
