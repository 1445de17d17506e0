//! Writes many files, all or none.

use m1nd_base::ProgressEvent;
use m1nd_edit::{Plan, split_patch};
use m1nd_engine::Snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{ChangeInput, edit_error, plan, writable};
use super::checking::{self, Commands};
use super::delta::{DeltaRow, compare_written};
use super::joins::{Joined, join_knowledge};
use super::locks::check_locks;
use super::verification::{Report, Verdict, report};
use super::writing::{Reindexed, Syntax, hash, index, roll_back, shown_diff, syntax, write};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool, yes,
};
use crate::word::{Word, answer_kinds};

/// The phases of a batch with their progress at the end.
const PHASES: [(Phase, u8); 5] =
    [(Phase::Validate, 20), (Phase::Write, 40), (Phase::Reingest, 60), (Phase::Verify, 80), (Phase::Done, 100)];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnBroken {
    #[default]
    Keep,
    Rollback,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    edits: Vec<ChangeInput>,
    /// Over several files
    diff: Option<String>,
    #[serde(default = "yes")]
    atomic: bool,
    #[serde(default = "yes")]
    reingest: bool,
    #[serde(default)]
    verify: bool,
    #[serde(default)]
    on_broken: OnBroken,
}

#[derive(Debug, Serialize)]
struct ResultRow {
    file_path: String,
    success: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diff_cut: bool,
    lines_added: usize,
    lines_removed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    syntax: Syntax,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

answer_kinds! {
    /// A phase of a batch.
    Phase {
        Validate = "validate",
        Write = "write",
        Reingest = "reingest",
        Verify = "verify",
        Done = "done",
    }
}

answer_kinds! {
    /// What has ended.
    BatchEvent { Phase = "phase_completed", Batch = "batch_completed", }
}

/// How a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Completed,
    /// It was not asked for, or a phase before it failed.
    Skipped,
    Failed,
}

#[derive(Debug, Clone, Serialize)]
struct PhaseRow {
    phase: Word<Phase>,
    phase_index: usize,
    status: Status,
    files_completed: usize,
    files_total: usize,
    progress_pct: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_phase: Option<Word<Phase>>,
    elapsed_ms: u64,
    message: String,
}

#[derive(Debug, Serialize)]
struct EventRow {
    batch_id: String,
    event_type: Word<BatchEvent>,
    phase: Word<Phase>,
    phase_index: usize,
    progress_pct: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_phase: Option<Word<Phase>>,
    elapsed_ms: u64,
    message: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    batch_id: String,
    all_succeeded: bool,
    files_written: usize,
    files_total: usize,
    results: Vec<ResultRow>,
    #[serde(flatten)]
    reindexed: Reindexed,
    total_bytes_written: u64,
    delta: DeltaRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<Report>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rolled_back: bool,
    #[serde(flatten)]
    joined: Joined,
    /// Locks of other agents on the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locks: Vec<String>,
    status_message: String,
    active_phase: Word<Phase>,
    completed_phase_count: usize,
    phase_count: usize,
    remaining_phase_count: usize,
    progress_pct: u8,
    phases: Vec<PhaseRow>,
    progress_events: Vec<EventRow>,
}

pub(crate) struct ApplyBatch;

impl Tool for ApplyBatch {
    const NAME: &'static str = "apply_batch";
    const TOOLSET: Toolset = Toolset::Edit;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Write many files, all or none, and check what breaks";
    const ANSWERS: &'static str = "writes many files atomically, and what that breaks";
    const HELP: &'static str = "\
Writes a batch of files: all of them, or after a failure or a crash none. Each of `edits` is a change of one file in one
of these forms: `new_content` (whole text), `edits` (a list of `{old, new}`, each `old` occurring exactly once), `diff`,
`node_id` with `new_content` (that definition gets this text), `delete: true`. Instead of `edits`, `diff` takes a unified
diff over several files. All paths and contents are checked before the first write. `expected_hash` of an edit refuses
the batch with `source_modified` if that file has another content. A file named twice is refused.

`atomic: false` writes each file on its own: those that fail are in `results` with `error`, the others are written.
Cancelling counts until the first file is replaced.

`verify: true` compares the graph before and after: references that had a target and have none, imports that dangle,
calls with a number of arguments that does not fit, new import cycles, new dependencies against the layers that
`m1nd-layers.toml` declares. The verdict is BROKEN (one of these is certain, or
there are new syntax errors), RISKY (something may be broken, or much depends on the files), UNVERIFIED (nothing is known
to be broken, but no command of the project passed) or SAFE (one did, and none failed). Commands run only if a person
allowed them (`m1nd verify allow`): before the write, so that failures that were there do not count, and after it. With `on_broken: rollback`, a BROKEN batch is
undone and `rolled_back` is true. `delta` is there in any case: symbols added, removed, renamed, moved and changed; what
is broken, counted, and listed unless `verification` lists it; copies of other functions; tests that reach the batch.
`proactive_insights` names files that usually change with these and did not, and bug
patterns that the new text matches; `memory` holds what is remembered about the touched code. Other programs may see some files old and some new while the batch is written.";
    const EXAMPLE: &'static str =
        r##"{"agent_id": "agent", "edits": [{"file_path": "notes.py", "new_content": "NOTE = 1\n"}], "verify": true}"##;
    const STAGES: &'static [Route] = &[(Stage::Edit, 55, "write several files at once and check what breaks")];
    const DETAILS: &'static [&'static str] =
        &["phases", "progress_events", "results.diff", "phase_count", "remaining_phase_count", "completed_phase_count"];
    const TEXT_OMITS: &'static [&'static str] = &[
        "phases", "progress_events", "phase_count", "remaining_phase_count", "completed_phase_count", "progress_pct",
        "active_phase",
    ];
    const RARE: &'static [&'static str] = &["reingest"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"all_succeeded": {"type": "boolean"}, "files_written": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for ApplyBatch {
    const EFFECT: Effect = Effect::Disk;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = writable(cx)?;
        let mut run = Run::new(cx);
        let changes = changes_of(input.edits, input.diff)?;
        let total = changes.len();
        run.begin("checking", total);
        let Planned { plans, failed, locks } = plan_changes(cx, &snapshot, changes, input.atomic)?;
        run.complete(0, total, total, format!("{total} edits checked"));
        let mut results = Vec::new();
        let commands = match input.verify && input.reingest && failed.is_empty() {
            true => checking::before(cx, &snapshot, &plans)?,
            false => Commands::None(String::new()),
        };
        let mut batch = Batch { failed, ..Batch::default() };
        for plan in plans {
            let syntax: Vec<Syntax> = plan.edits().iter().map(|edit| syntax(&snapshot, edit, cx.cancel())).collect();
            let written = if input.atomic { Ok(write(cx, &plan, false)?) } else { write(cx, &plan, false) };
            match written {
                Ok(written) => {
                    batch.bytes += written.bytes;
                    batch.files += plan.edits().len();
                    results.extend(rows(&plan, syntax));
                    batch.plans.push(plan);
                    batch.kept.push(written.kept);
                }
                Err(error) => {
                    let path = plan.edits().first().map(|edit| edit.path().as_str().to_owned());
                    batch.failed.push((path.unwrap_or_default(), error.to_string()));
                }
            }
        }
        results.extend(batch.failed.iter().map(|(path, error)| failed_row(path, error)));
        let status = if batch.failed.is_empty() { Status::Completed } else { Status::Failed };
        run.end(1, status, batch.files, total, format!("{} of {total} files written", batch.files));
        let asked = Asked { reingest: input.reingest, verify: input.verify, on_broken: input.on_broken, commands };
        finish(cx, &snapshot, run, batch, (results, locks), &asked)
    }
}

/// What to do after the files are written.
struct Asked {
    reingest: bool,
    verify: bool,
    on_broken: OnBroken,
    commands: Commands,
}

/// What was written.
#[derive(Default)]
struct Batch {
    plans: Vec<Plan>,
    /// Ids by which the plans can be taken back.
    kept: Vec<Option<String>>,
    files: usize,
    bytes: u64,
    failed: Vec<(String, String)>,
}

/// The changes of a batch: those that are listed, or those of a diff.
fn changes_of(edits: Vec<ChangeInput>, diff: Option<String>) -> Result<Vec<ChangeInput>, ToolError> {
    let Some(diff) = diff else { return Ok(edits) };
    if !edits.is_empty() {
        return Err(ToolError::invalid("a batch takes `edits` or `diff`, not both"));
    }
    let files = split_patch(&diff);
    if files.is_empty() {
        return Err(ToolError::invalid("argument `diff` names no file; expected lines `--- a/path` and `+++ b/path`"));
    }
    let change = |file: m1nd_edit::FilePatch| {
        let text = file.text();
        match (&file.old_path, &file.new_path) {
            (Some(old), Some(new)) if old != new => {
                Err(ToolError::invalid(format!("the diff renames `{old}` to `{new}`; write and delete them instead")))
            }
            (Some(path), _) | (None, Some(path)) => Ok(ChangeInput::of_whole(path.clone(), text)),
            (None, None) => Err(ToolError::invalid("the diff has a file without a name")),
        }
    };
    files.into_iter().map(change).collect()
}

/// Plans of a batch: one of all, or one of each.
#[derive(Debug, Default)]
struct Planned {
    plans: Vec<Plan>,
    /// Files of changes that cannot be made, with the reason.
    failed: Vec<(String, String)>,
    /// Warnings of locks of other agents.
    locks: Vec<String>,
}

fn plan_changes(
    cx: &WriteContext<'_>,
    snapshot: &Snapshot,
    changes: Vec<ChangeInput>,
    atomic: bool,
) -> Result<Planned, ToolError> {
    if atomic {
        let plan = plan(cx, snapshot, changes)?;
        let locks = check_locks(cx, snapshot, &plan)?;
        return Ok(Planned { plans: vec![plan], failed: Vec::new(), locks });
    }
    // Duplicates are refused in any case: which of them is meant is not known.
    let valid = changes.iter().filter_map(|change| change.clone().edit(snapshot, cx.cancel()).ok()).collect();
    if let Err(error @ m1nd_edit::EditError::Duplicate { .. }) = cx.files().plan(valid) {
        return Err(edit_error(error));
    }
    let mut all = Planned::default();
    for change in changes {
        let path = change.display_path().to_owned();
        let checked = plan(cx, snapshot, vec![change])
            .and_then(|plan| check_locks(cx, snapshot, &plan).map(|locks| (plan, locks)));
        match checked {
            Ok((plan, locks)) => {
                all.plans.push(plan);
                all.locks.extend(locks);
            }
            Err(error) => all.failed.push((path, error.to_string())),
        }
    }
    Ok(all)
}

fn rows(plan: &Plan, syntax: Vec<Syntax>) -> Vec<ResultRow> {
    let row = |(edit, syntax): (&m1nd_edit::PlannedEdit, Syntax)| {
        let (diff, counts) = edit.diff();
        let (diff, diff_cut) = shown_diff(diff);
        ResultRow {
            file_path: edit.path().as_str().to_owned(),
            success: true,
            diff,
            diff_cut,
            lines_added: counts.added,
            lines_removed: counts.removed,
            content_hash: hash(edit.after_hash()),
            syntax,
            error: None,
        }
    };
    plan.edits().iter().zip(syntax).map(row).collect()
}

fn failed_row(path: &str, error: &str) -> ResultRow {
    ResultRow {
        file_path: path.to_owned(),
        success: false,
        diff: String::new(),
        diff_cut: false,
        lines_added: 0,
        lines_removed: 0,
        content_hash: None,
        syntax: Syntax::default(),
        error: Some(error.to_owned()),
    }
}

/// Indexes and checks what was written, and undoes it if asked to.
fn finish(
    cx: &WriteContext<'_>,
    before: &Snapshot,
    mut run: Run<'_>,
    batch: Batch,
    (mut results, locks): (Vec<ResultRow>, Vec<String>),
    asked: &Asked,
) -> Result<Answer<Output>, ToolError> {
    let total = results.len();
    let not_indexed = match asked.reingest {
        true => batch.plans.iter().find_map(|plan| index(cx, plan)),
        false => Some("`reingest` is false"),
    };
    let indexed = not_indexed.is_none();
    let status = match (indexed, asked.reingest) {
        (true, _) => Status::Completed,
        (false, true) => Status::Failed,
        (false, false) => Status::Skipped,
    };
    run.end(2, status, batch.files, total, not_indexed.unwrap_or("the index is up to date").to_owned());
    let mut after = cx.engine().snapshot();
    let delta = compare_written((before, &after), &batch.plans, not_indexed, cx.cancel());
    let mut verification = None;
    if asked.verify && indexed && batch.failed.is_empty() {
        run.begin("verifying", total);
        let syntax: Vec<Syntax> = results.iter().map(|row| row.syntax.clone()).collect();
        verification = delta.comparison().map(|delta| report(delta, &syntax));
        if let Some(report) = &mut verification {
            let is_undone = report.verdict == Verdict::Broken && asked.on_broken == OnBroken::Rollback;
            report.add_commands(match is_undone {
                true => Err("the graph shows already that the batch is broken".to_owned()),
                false => checking::after(cx, &asked.commands, &after),
            });
        }
    }
    let verdict = verification.as_ref().map(|report| report.verdict);
    let said = verdict.map_or_else(|| "not verified".to_owned(), |verdict| format!("verdict {}", verdict.word()));
    run.end(3, verdict.map_or(Status::Skipped, |_| Status::Completed), total, total, said);
    let rolls_back = verdict == Some(Verdict::Broken) && asked.on_broken == OnBroken::Rollback;
    let joined = match indexed && !rolls_back && !batch.plans.is_empty() {
        true => join_knowledge(cx, (before, &after), &batch.plans, &delta)?,
        false => Joined::default(),
    };
    if rolls_back {
        for (plan, kept) in batch.plans.iter().zip(&batch.kept) {
            roll_back(cx, plan, kept.as_deref())?;
        }
        after = cx.engine().snapshot();
        // What was written is not there any more.
        for row in &mut results {
            row.success = false;
            row.content_hash = None;
            row.error.get_or_insert_with(|| "undone, since the batch is broken".to_owned());
        }
    }
    drop(after);
    let files_written = if rolls_back { 0 } else { batch.files };
    run.complete(4, files_written, total, if rolls_back { "undone".to_owned() } else { "written".to_owned() });
    let guidance = guidance(&batch, indexed || !asked.reingest, (verdict, delta.is_broken()), rolls_back);
    let all_succeeded = batch.failed.is_empty() && !rolls_back;
    let status_message = format!(
        "{files_written} of {total} files written{}{}",
        verdict.map(|verdict| format!(", {}", verdict.word())).unwrap_or_default(),
        if rolls_back { "; all files have their old content again" } else { "" },
    );
    let (phases, progress_events) = run.rows();
    let output = Output {
        batch_id: run.id,
        all_succeeded,
        files_written,
        files_total: total,
        results,
        reindexed: Reindexed::new(not_indexed),
        total_bytes_written: if rolls_back { 0 } else { batch.bytes },
        delta: delta.row(verification.is_some()),
        verification,
        rolled_back: rolls_back,
        joined,
        locks,
        status_message,
        active_phase: Word(Phase::Done),
        completed_phase_count: phases.iter().filter(|phase| phase.status == Status::Completed).count(),
        phase_count: PHASES.len(),
        remaining_phase_count: 0,
        progress_pct: 100,
        phases,
        progress_events,
    };
    Ok(Answer::new(output).guidance(guidance))
}

fn guidance(
    batch: &Batch,
    indexed: bool,
    (verdict, is_broken): (Option<Verdict>, bool),
    rolled_back: bool,
) -> Guidance {
    let first = batch.plans.first().and_then(|plan| plan.edits().first());
    let target = first.map(|edit| edit.path().as_str().to_owned());
    if let Some((path, _)) = batch.failed.first() {
        let hint = "some files were not written: see `error` in `results`";
        return Guidance::next(ProofState::Blocked, ToolRef("view"), Some(path.clone()), hint);
    }
    if rolled_back {
        return Guidance::next(
            ProofState::Blocked,
            ToolRef("view"),
            target,
            "undone: repair what `broken` lists first",
        );
    }
    match verdict {
        Some(Verdict::Broken) => {
            Guidance::next(ProofState::Blocked, ToolRef("view"), target, "repair what `verification.broken` lists")
        }
        Some(Verdict::Risky) => {
            let hint = "look at `verification.doubtful`, and at what makes the file risky";
            Guidance::next(ProofState::Proving, ToolRef("heuristics_surface"), target, hint)
        }
        Some(Verdict::Safe) => Guidance::state(ProofState::ReadyToEdit),
        Some(Verdict::Unverified) => {
            Guidance::next(ProofState::Triaging, ToolRef("impact"), target, "run the tests of what depends on it")
        }
        None if !indexed => Guidance::next(ProofState::Blocked, ToolRef("view"), target, "the index lacks the files"),
        None if is_broken => Guidance::next(ProofState::Blocked, ToolRef("view"), target, "repair what `delta` lists"),
        None => Guidance::next(ProofState::Triaging, ToolRef("validate_plan"), target, "check who uses the files"),
    }
}

/// Progress of a batch.
struct Run<'a> {
    cx: WriteContext<'a>,
    id: String,
    started: u64,
    phases: Vec<PhaseRow>,
}

impl<'a> Run<'a> {
    fn new(cx: &WriteContext<'a>) -> Self {
        let started = cx.engine().clock().now_ms();
        Self { cx: *cx, id: format!("batch-{started}"), started, phases: Vec::new() }
    }

    fn begin(&self, stage: &'static str, total: usize) {
        self.cx.progress().report(ProgressEvent { stage, done: 0, total: Some(total as u64) });
    }

    fn complete(&mut self, index: usize, completed: usize, total: usize, message: String) {
        self.end(index, Status::Completed, completed, total, message);
    }

    fn end(&mut self, index: usize, status: Status, completed: usize, total: usize, message: String) {
        let (phase, progress_pct) = PHASES[index];
        self.phases.push(PhaseRow {
            phase: Word(phase),
            phase_index: index,
            status,
            files_completed: completed,
            files_total: total,
            progress_pct,
            next_phase: PHASES.get(index + 1).map(|(phase, _)| Word(*phase)),
            elapsed_ms: self.cx.engine().clock().now_ms().saturating_sub(self.started),
            message,
        });
    }

    fn rows(&self) -> (Vec<PhaseRow>, Vec<EventRow>) {
        let event = |row: &PhaseRow| EventRow {
            batch_id: self.id.clone(),
            event_type: Word(if row.phase.0 == Phase::Done { BatchEvent::Batch } else { BatchEvent::Phase }),
            phase: row.phase,
            phase_index: row.phase_index,
            progress_pct: row.progress_pct,
            next_phase: row.next_phase,
            elapsed_ms: row.elapsed_ms,
            message: row.message.clone(),
        };
        (self.phases.clone(), self.phases.iter().map(event).collect())
    }
}
