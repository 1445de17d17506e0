//! Shows what changed since the agent's last visit.

use m1nd_mind::{Kind, Trust};
use m1nd_query::changes::{Baseline, Drift as Found, FileChange, Velocity, drift};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_rows::row_text;
use crate::continuity::stale_trails;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError, ToolRef,
    Toolset,
};
use crate::past::{self, LAST_SESSION, NoBaseline};
use crate::rows::{count, round_value};
use crate::word::Word;

/// Maximum rows of each list.
const MAX_ROWS: usize = 200;
/// Maximum edges whose number of places changed, and files with a trend.
const MAX_WEIGHTS: usize = 20;
const MAX_TRENDS: usize = 10;
/// Maximum memories.
const MAX_MEMORIES: usize = 20;
/// Maximum stale trails.
const MAX_TRAILS: usize = 20;
/// Characters of a commit's message that are shown.
const SUBJECT: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// last_session, a time or date, or a commit
    #[serde(default = "last_session")]
    since: String,
    #[serde(default = "crate::framework::yes")]
    include_weight_drift: bool,
    /// Path prefix or glob
    scope: Option<String>,
}

fn last_session() -> String {
    LAST_SESSION.to_owned()
}

#[derive(Debug, Serialize)]
pub(crate) struct CommitRow {
    commit: String,
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    file_path: String,
    change: Word<FileChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Commits since; 0 if the change is not committed; absent if the history does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_count: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<CommitRow>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Renamed {
    from: String,
    to: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Weight {
    edge: String,
    old: usize,
    new: usize,
    delta: i64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Trend {
    node_id: String,
    velocity: f64,
    trend: Word<Velocity>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Feedback {
    ledger_id: i64,
    agent: String,
    feedback: String,
    query: String,
}

/// A memory of the project. Text of the repository.
#[derive(Debug, Serialize)]
pub(crate) struct MemoryRow {
    #[serde(rename = "type")]
    kind: Kind,
    title: String,
    /// Its place: `file:line`.
    source: String,
    date: String,
    #[serde(skip_serializing_if = "Trust::is_own")]
    trust: Trust,
}

/// A trail of the caller that code changed under.
#[derive(Debug, Serialize)]
pub(crate) struct StaleTrail {
    trail_id: String,
    label: String,
    stale_nodes: usize,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    since: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_commit: Option<String>,
    summary: String,
    changed_files: Vec<FileRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structural_drift: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_count_delta: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_count_delta: Option<i64>,
    new_nodes: Vec<String>,
    removed_nodes: Vec<String>,
    renamed_nodes: Vec<Renamed>,
    top_weight_drifts: Vec<Weight>,
    top_velocities: Vec<Trend>,
    /// Rows of the feedback ledger since.
    feedback: Vec<Feedback>,
    /// Memories of the project since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memories: Vec<MemoryRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_trails: Vec<StaleTrail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Drift;

impl Tool for Drift {
    const NAME: &'static str = "drift";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Show what changed since your last visit, or since a time or commit";
    const ANSWERS: &'static str = "which files and symbols changed since the agent was last here, committed or not";
    const HELP: &'static str = "\
Compares the index with its state at your last visit (`since: last_session`), at a time or date, or at a commit.

A visit is a series of calls under one `agent_id` without a pause of more than 30 minutes; the start of a server begins
a new one. At its end m1nd has noted the checked-out commit and the hashes of all files, so edits that were never
committed are seen, too. Symbols of then come from the cache of facts, the disk or the commit; files for which neither has
them are named in `what_is_missing`, and their symbols count as new. Of projects with more than 50,000 files only the
commit is noted. Visits are forgotten after 60 days. A time or date means the newest commit that is not later.

- `changed_files`: `modified`, `new`, `removed` or `renamed`, with the newest commits that touched them since and their
  authors; `commit_count` 0: the change is not committed.
- `new_nodes`, `removed_nodes`, `renamed_nodes`, `structural_drift`: as in `differential`; `node_count_delta` and
  `edge_count_delta` are new minus removed ones.
- `top_weight_drifts`: edges with another number of places (`include_weight_drift`).
- `top_velocities`: changed files with commits since; commits per 30 days, newer minus older half of 90 days.
- `feedback`: rows of the ledger of `learn` since your last visit, of all agents.
- `memories`: decisions, issues, learnings and gotchas of the project that were first seen since, or are dated on that day
  or later if that is not known; the newest 20. `trust` is absent for those written on this machine.
- `stale_trails`: your trails with nodes that are not as they were saved, whatever `since` is, the last 20 that changed;
  `trail_resume` names the nodes.

Each list has at most 200 rows. Subjects and authors are text of the repository.";
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 60, "what changed since you were last here")];
    const COMMAND: Option<Command> = Some(Command::new("drift", &["since"]));
    const RARE: &'static [&'static str] = &["include_weight_drift"];
    const DETAILS: &'static [&'static str] =
        &["top_weight_drifts", "top_velocities", "changed_files.commits", "baseline_commit", "structural_drift"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"summary": {"type": "string"}, "changed_files": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Drift {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let scope = past::scope(input.scope.as_deref())?;
        let history = cx.history();
        let place = past::first_place(snapshot, &history);
        let since = input.since.trim();
        let mut output = Output { since: input.since.clone(), ..Output::default() };
        let baseline = match past::baseline(cx, place.as_ref(), since) {
            Ok(baseline) => baseline,
            Err(NoBaseline::Unknown { reason, remedy }) => {
                output.summary = "cannot tell".to_owned();
                output.note = Some(format!("cannot tell: {reason}"));
                return Ok(Answer::new(output).guidance(past::report_blocked(remedy)));
            }
            Err(NoBaseline::Failed(error)) => return Err(*error),
        };
        let prefix =
            place.as_ref().ok().filter(|_| baseline.is_commit).map(|place| place.outer("")).unwrap_or_default();
        let scope = scope.below(&prefix);
        let found = drift(snapshot, place.as_ref().ok(), &baseline, &scope, cx.cancel())?;
        let guidance = guidance(&found);
        fill(&mut output, &baseline, found, input.include_weight_drift);
        output.memories = memories(cx, baseline.time, &mut output.what_is_missing);
        let stale = stale_trails(cx)?.into_iter().take(MAX_TRAILS);
        let row = |(trail_id, label, stale_nodes)| StaleTrail { trail_id, label, stale_nodes };
        output.stale_trails = stale.map(row).collect();
        if since == LAST_SESSION {
            output.feedback = feedback(cx);
        }
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn feedback(cx: &ReadContext<'_>) -> Vec<Feedback> {
    let Some((mark, _)) = cx.last_visit() else { return Vec::new() };
    let row = |stored: m1nd_sessions::StoredFeedback| Feedback {
        ledger_id: stored.id,
        agent: stored.told.agent,
        feedback: stored.told.kind,
        query: stored.told.query,
    };
    cx.feedback_since(mark.feedback).into_iter().take(MAX_ROWS).map(row).collect()
}

/// What the memory of the project got since a time, in seconds since 1970; adds to `missing` what cannot be listed.
fn memories(cx: &ReadContext<'_>, time: i64, missing: &mut Option<String>) -> Vec<MemoryRow> {
    let mut add = |text: String| {
        let all: Vec<String> = missing.take().into_iter().chain([text]).collect();
        *missing = Some(all.join("; "));
    };
    // A project without a memory has none that is new.
    let Ok(project) = cx.memory().project() else { return Vec::new() };
    let memory = match cx.memory().of(&project) {
        Ok(memory) => memory,
        Err(error) => {
            add(format!("the memory of the project is not known: {error}"));
            return Vec::new();
        }
    };
    let Ok(time) = jiff::Timestamp::from_second(time) else { return Vec::new() };
    let found = memory.since(time);
    if found.len() > MAX_MEMORIES {
        add(format!("{} of {} memories are not listed", found.len() - MAX_MEMORIES, found.len()));
    }
    let row = |at: usize| {
        let record = &memory.records[at];
        MemoryRow {
            kind: record.kind,
            title: record.title.to_string(),
            source: format!("{}:{}", record.source.file, record.source.line),
            date: memory.dates[at].clone(),
            trust: memory.trust(record),
        }
    };
    found.into_iter().take(MAX_MEMORIES).map(row).collect()
}

fn fill(output: &mut Output, baseline: &Baseline, found: Found, with_weights: bool) {
    let graph = &found.graph;
    output.baseline_time = Some(past::moment(baseline.time));
    output.baseline_commit = baseline.commit.map(|commit| past::short(&commit.name()));
    output.structural_drift = Some(round_value(graph.drift()));
    let delta = |new: usize, removed: usize| Some(new as i64 - removed as i64);
    output.node_count_delta = delta(graph.new_nodes.len(), graph.removed_nodes.len());
    output.edge_count_delta = delta(graph.new_edges.len(), graph.removed_edges.len());
    output.summary = format!(
        "{}{} changed; nodes: {} new, {} removed, {} renamed; edges: {} new, {} removed",
        found.commits.map(|commits| format!("{}; ", count(commits, "commit"))).unwrap_or_default(),
        count(found.files.len(), "file"),
        graph.new_nodes.len(),
        graph.removed_nodes.len(),
        graph.renamed.len(),
        graph.new_edges.len(),
        graph.removed_edges.len()
    );
    let mut gaps = found.gaps;
    for (what, rows) in [
        ("changed files", found.files.len()),
        ("new nodes", graph.new_nodes.len()),
        ("removed nodes", graph.removed_nodes.len()),
        ("renamed nodes", graph.renamed.len()),
    ] {
        if rows > MAX_ROWS {
            gaps.push(format!("{} of {rows} {what} are not listed", rows - MAX_ROWS));
        }
    }
    output.top_velocities = velocities(&found.files);
    output.changed_files = found.files.into_iter().take(MAX_ROWS).map(file_row).collect();
    output.new_nodes = graph.new_nodes.iter().take(MAX_ROWS).cloned().collect();
    output.removed_nodes = graph.removed_nodes.iter().take(MAX_ROWS).cloned().collect();
    let renamed = graph.renamed.iter().take(MAX_ROWS).cloned();
    output.renamed_nodes = renamed.map(|row| Renamed { from: row.from, to: row.to }).collect();
    if with_weights {
        output.top_weight_drifts = weights(graph.weight_changes.clone());
    }
    output.what_is_missing = (!gaps.is_empty()).then(|| gaps.join("; "));
}

fn file_row(file: m1nd_query::changes::DriftedFile) -> FileRow {
    let commit = |commit: m1nd_query::changes::TouchingCommit| CommitRow {
        commit: past::short(&commit.name),
        subject: commit.subject.chars().take(SUBJECT).collect(),
        author: commit.author,
    };
    FileRow {
        file_path: file.path,
        change: Word(file.change),
        from: file.from,
        commit_count: file.commit_count,
        commits: file.commits.into_iter().map(commit).collect(),
    }
}

/// The files with the largest change of their rate of commits.
fn velocities(files: &[m1nd_query::changes::DriftedFile]) -> Vec<Trend> {
    let trend = |file: &m1nd_query::changes::DriftedFile| {
        let (trend, (older, newer)) = file.trend?;
        let node_id = format!("file::{}", file.path);
        Some(Trend { node_id, velocity: round_value(newer - older), trend: Word(trend) })
    };
    let mut rows: Vec<Trend> = files.iter().filter_map(trend).collect();
    rows.sort_by(|a, b| b.velocity.abs().total_cmp(&a.velocity.abs()).then_with(|| a.node_id.cmp(&b.node_id)));
    rows.truncate(MAX_TRENDS);
    rows
}

/// The edges with the largest change of their number of places.
fn weights(changes: Vec<m1nd_query::changes::WeightChange>) -> Vec<Weight> {
    let row = |row: m1nd_query::changes::WeightChange| Weight {
        edge: format!("{} {} {}", row.edge.source, row.edge.relation, row.edge.target),
        old: row.before,
        new: row.edge.sites,
        delta: row.edge.sites as i64 - row.before as i64,
    };
    let mut rows: Vec<Weight> = changes.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.delta.abs().cmp(&a.delta.abs()).then_with(|| a.edge.cmp(&b.edge)));
    rows.truncate(MAX_WEIGHTS);
    rows
}

fn guidance(found: &Found) -> Guidance {
    match found.files.iter().find(|file| file.change != m1nd_query::changes::FileChange::Removed) {
        Some(first) => {
            let hint = format!(
                "{} changed; what depends on the first may have changed with it",
                count(found.files.len(), "file")
            );
            Guidance::next(ProofState::Triaging, ToolRef("impact"), Some(first.path.clone()), hint)
        }
        None => Guidance::state(ProofState::Triaging),
    }
}
