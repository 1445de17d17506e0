//! Takes writes back.

use m1nd_base::RepoPath;
use m1nd_edit::{FileChange, KeptWrite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{edit_error, target, writable};
use super::delta::{DeltaRow, compare_written};
use super::locks::check_locks;
use super::writing::{Reindexed, write_undo};
use crate::framework::{
    Answer, Command, Effect, ErrorCode, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    WriteContext, WriteTool,
};

/// Maximum number of writes that are listed.
const MAX_LISTED: usize = 50;
/// Maximum number of files of a write that are named in the list.
const MAX_NAMED: usize = 5;
/// Milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Default: your last write that is not undone
    write: Option<String>,
    /// Only list what can be undone
    #[serde(default)]
    list: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct WriteRow {
    write: String,
    agent: String,
    tool: String,
    minutes_ago: u64,
    files: Vec<String>,
    /// Number of all files, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_files: Option<usize>,
    /// The write that this one took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    /// It is undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undone: bool,
}

#[derive(Debug, Serialize)]
struct FileRow {
    file_path: String,
    /// What undoing did to it.
    change: FileChange,
}

/// What was taken back.
#[derive(Debug, Serialize)]
pub(crate) struct Undone {
    undone: String,
    /// By which the undoing is undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<String>,
    files: Vec<FileRow>,
    #[serde(flatten)]
    reindexed: Reindexed,
    delta: DeltaRow,
    /// Locks of other agents on the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Output {
    List { writes: Vec<WriteRow> },
    Undone(Box<Undone>),
}

pub(crate) struct EditUndo;

impl Tool for EditUndo {
    const NAME: &'static str = "edit_undo";
    const TOOLSET: Toolset = Toolset::Edit;
    const SUMMARY: &'static str = "Take back a write, if its files still have what was written";
    const ANSWERS: &'static str = "takes back a write of the last day, all files or none";
    const HELP: &'static str = "\
Takes back a write that was made through these tools: all its files or, after a failure or a crash, none. Replaced and
removed files get their old bytes and mode, created ones are removed with the folders made for them. Without `write`, it
is your last write that is not undone; `list: true` only lists the writes of all agents, newest first, with their ids.

It is refused with `source_modified` and the file if one no longer has the written content: undo what was written later
first, or edit by hand. Writes are kept for 24 hours, and up to 64 MiB of a project; a batch rolled back by `on_broken`
is not kept. Undoing is a write: `write` in its answer is the id to undo the undoing. Locks of other agents and guarded
files count as for any write.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "list": true}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 30, "take back a write")];
    const COMMAND: Option<Command> = Some(Command::new("undo", &["write"]));
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"writes": {"type": "array"}, "undone": {"type": "string"}, "files": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for EditUndo {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let now = cx.engine().clock().now_ms();
        let kept = cx.files().list_kept(now).map_err(edit_error)?;
        if input.list {
            let writes: Vec<WriteRow> = kept.iter().take(MAX_LISTED).map(|write| row(write, now)).collect();
            let hint = if writes.is_empty() { "no write of the last day is kept" } else { "undo one by its `write`" };
            let guidance = Guidance::next(ProofState::Triaging, ToolRef("edit_undo"), None, hint);
            return Ok(Answer::new(Output::List { writes }).guidance(guidance));
        }
        let snapshot = writable(cx)?;
        let chosen = choose(&kept, input.write.as_deref(), cx.agent())?;
        // What is taken back, unless something speaks against it.
        let find = |path: &RepoPath| target(&snapshot, path.as_str());
        let plan = cx.files().plan_undo(&chosen.id, &find, &edit_error).map_err(later_first)?;
        let locks = check_locks(cx, &snapshot, &plan)?;
        let plans = [plan];
        let [plan] = &plans;
        let written = write_undo(cx, plan, &chosen.id)?;
        // Empty folders that stay are harmless.
        _ = cx.files().remove_created_folders(&chosen.id);
        let delta = compare_written((&snapshot, &written.after), &plans, written.not_indexed, cx.cancel());
        let changed = |edit: &m1nd_edit::PlannedEdit| FileRow {
            file_path: edit.path().as_str().to_owned(),
            change: match (edit.before_text(), edit.after_text()) {
                (None, _) => FileChange::Created,
                (Some(_), None) => FileChange::Removed,
                (Some(_), Some(_)) => FileChange::Replaced,
            },
        };
        let output = Undone {
            undone: chosen.id.clone(),
            write: written.kept,
            files: plan.changes().map(changed).collect(),
            reindexed: Reindexed::new(written.not_indexed),
            delta: delta.row(false),
            locks,
        };
        let first = plan.edits().first().map(|edit| edit.path().as_str().to_owned());
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("impact"), first, "check what depends on it");
        Ok(Answer::new(Output::Undone(Box::new(output))).guidance(guidance))
    }
}

/// The write to take back: the named one, else the last of the agent that is neither undone nor an undoing.
fn choose<'k>(kept: &'k [KeptWrite], id: Option<&str>, agent: &str) -> Result<&'k KeptWrite, ToolError> {
    let unknown = |message: String| {
        ToolError::invalid(message).next_step("list what can be undone with `list: true` and pass its `write`")
    };
    if let Some(id) = id {
        let found = kept.iter().find(|write| write.id == id);
        let found = found.ok_or_else(|| unknown(format!("no write `{id}` is kept; writes are kept for 24 hours")))?;
        return match found.is_undone {
            true => Err(unknown(format!("the write `{id}` is undone already"))),
            false => Ok(found),
        };
    }
    let is_open = |write: &&KeptWrite| !write.is_undone && write.origin.undoes.is_none();
    kept.iter().filter(is_open).find(|write| write.origin.agent == agent).ok_or_else(|| {
        let of_other = kept.iter().find(is_open);
        unknown(match of_other {
            Some(other) => format!(
                "no write of `{agent}` can be undone; the last one is `{}` of `{}`",
                other.id, other.origin.agent
            ),
            None => "no write can be undone: none is kept, or all are undone".to_owned(),
        })
    })
}

/// The error with what to do about a file that was changed since.
fn later_first(error: ToolError) -> ToolError {
    match error.code {
        ErrorCode::SourceModified => error.next_step(
            "it has changed since the write: undo the later write first (`list: true` names them), or edit by hand",
        ),
        _ => error,
    }
}

fn row(write: &KeptWrite, now: u64) -> WriteRow {
    let (total, files) = (write.files.len(), write.files.iter().take(MAX_NAMED));
    WriteRow {
        write: write.id.clone(),
        agent: write.origin.agent.clone(),
        tool: write.origin.tool.clone(),
        minutes_ago: now.saturating_sub(write.origin.time_ms) / MINUTE_MS,
        files: files.map(|file| file.path.as_str().to_owned()).collect(),
        total_files: Some(total).filter(|total| *total > MAX_NAMED),
        undoes: write.origin.undoes.clone(),
        undone: write.is_undone,
    }
}
