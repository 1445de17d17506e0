//! Reports the state of the server, the size of its index and the share of resolved references.

use std::collections::BTreeMap;

use m1nd_base::ProblemKind;
use m1nd_engine::{GitHead, LanguageStatus, ProblemStatus, ProcessRole, Status, WatchState};
use m1nd_query::changes::work_tree_changes;
use m1nd_sessions::AgentSession;
use serde::Serialize;

use super::ingest::{TierRow, word};
use crate::checks::{Fingerprint, REQUIRED, fingerprint};
use crate::framework::{
    Answer, Guidance, Mention, NoArguments, ProofState, Purpose, ReadContext, ReadTool, Route, Stage, Tool, ToolError,
    ToolRef, Toolset,
};
use crate::rows::count;
use crate::word::{Word, answer_kinds};

/// Maximum agents listed, the most recent ones.
const MAX_AGENTS: usize = 50;
/// Commits and changed files listed.
const RECENT: usize = 20;
/// Files of the largest index that is compared with the commit: answers must come at once.
const COMPARED: usize = 2_000;
/// Maximum examples of each kind of problem.
const MAX_EXAMPLES: usize = 5;

answer_kinds! {
    /// Whether the index can be asked.
    pub(crate) HealthStatus { Ok = "ok", Empty = "empty", Degraded = "degraded", }
}

answer_kinds! {
    /// Whether changes on disk are seen at once.
    pub(crate) Watcher { Off = "off", On = "on", Failed = "failed", }
}

#[derive(Debug, Serialize)]
pub(crate) struct LanguageRow {
    language: m1nd_engine::Language,
    files: usize,
    lines: u64,
    references: TierRow,
    /// Reasons why references have no target, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved_reasons: Vec<Reason>,
}

/// The checkout, as far as files of git show it: m1nd starts no program.
#[derive(Debug, Default, Serialize)]
pub(crate) struct GitBlock {
    available: bool,
    root: Option<String>,
    branch: Option<String>,
    head: Option<String>,
    clean: Option<bool>,
    /// Subjects of the newest commits, as far as the history is loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recent_commits: Vec<String>,
    /// Files that differ from the commit, the first of them; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uncommitted_files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

answer_kinds! {
    /// How much of a file is in the graph; `file` is without symbols.
    pub(crate) InGraph { None = "none", File = "file", Partial = "partial", }
}

#[derive(Debug, Serialize)]
pub(crate) struct ProblemRow {
    kind: String,
    /// How much of the file is in the graph.
    in_graph: Word<InGraph>,
    count: usize,
    examples: Vec<ProblemExample>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProblemExample {
    file_path: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct CompilerRow {
    tools: Vec<String>,
    files_covered: usize,
    /// Edited since: the compiler index is not used for them.
    files_stale: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentRow {
    agent_id: String,
    first_seen_ms: u64,
    last_seen_ms: u64,
    query_count: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ActivityRow {
    stage: &'static str,
    done: u64,
    total: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    /// `ok`, `empty` or `degraded`.
    status: Word<HealthStatus>,
    /// Reasons for `degraded`.
    issues: Vec<String>,
    node_count: usize,
    edge_count: usize,
    file_count: usize,
    line_count: u64,
    roots: Vec<String>,
    allowed_roots: Vec<String>,
    references: TierRow,
    languages: Vec<LanguageRow>,
    /// Reasons why references have no target, most frequent first.
    unresolved_reasons: Vec<Reason>,
    problems: Vec<ProblemRow>,
    /// Coverage of imported compiler indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiler_index: Option<CompilerRow>,
    git: GitBlock,
    queries_processed: u64,
    uptime_seconds: u64,
    memory_usage_bytes: u64,
    indexed_at_ms: u64,
    watcher: Word<Watcher>,
    role: Word<ProcessRole>,
    activity: Option<ActivityRow>,
    /// Learned edge weights. There are none: reads change nothing.
    plasticity_state: &'static str,
    active_sessions: Vec<AgentRow>,
    stages_ms: BTreeMap<String, f64>,
    /// When the stored index was written, in milliseconds since 1970; null if it never was.
    last_persist_time: Option<u64>,
    binding_fingerprint: Fingerprint,
    tool_surface_contract: SurfaceContract,
    settings: Vec<Setting>,
}

/// What a host must show of the tools.
#[derive(Debug, Serialize)]
struct SurfaceContract {
    full_registry_tool_count: usize,
    required_agent_trust_tools: &'static [ToolRef],
    minimum_safe_tool_count: usize,
}

/// A setting, and which source won: a flag, the environment, or the default.
#[derive(Debug, Serialize)]
struct Setting {
    name: &'static str,
    value: String,
    source: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Reason {
    reason: String,
    count: u64,
}

pub(crate) struct Health;

impl Tool for Health {
    const NAME: &'static str = "health";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Show server state, index size and resolution rate";
    const ANSWERS: &'static str = "how large, fresh and complete the index is";
    const HELP: &'static str = "\
Answers immediately, even during an ingest. `status` is `ok`, `empty` (nothing indexed) or `degraded`; `issues` gives
the reasons: a failed watcher, a missing root, a quarantined damaged snapshot. `git` describes the checkout as far as
the files of git show it, without running git: `clean`, `recent_commits` and `uncommitted_files` need the history to be
loaded, the first and the last also at most 2,000 files; `clean` is null otherwise. `settings` says for each whether a
`flag`, the `environment`, the `file` settings.toml in `home`, or the `default` won, in this order.

`references` and `languages` count references by tier, overall and by language: `certain`, `possible`, `external`,
`unresolved`. `unresolved_reasons` (overall and by language) lists why references have no target. `problems` counts by
reason, with examples, files that are not in the graph (`in_graph: none`), that are in it without symbols (`file`) or
incomplete (`partial`). `compiler_index` counts the files that an imported index covers and those edited since
(`files_stale`). `role` is `writer`, `reader` (another process writes; this one follows it) or `read_only`.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Orient, 10, "what is indexed and how much of it is resolved"),
        (Stage::Operate, 10, "state, watcher, problems"),
        (Stage::Handoff, 90, "the generation that the findings refer to"),
    ];
    const MENTIONS: &'static [Mention] = &[(Purpose::Server, 20, "shows how fresh the index is")];
    const DETAILS: &'static [&'static str] = &[
        "languages", "unresolved_reasons", "problems.examples", "git", "queries_processed", "uptime_seconds",
        "memory_usage_bytes", "plasticity_state", "active_sessions", "stages_ms", "last_persist_time",
        "binding_fingerprint", "tool_surface_contract", "settings",
    ];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"status": {"type": "string"}, "node_count": {"type": "integer"}}}"#;
    type Input = NoArguments;
    type Output = Output;
}

impl ReadTool for Health {
    fn run(cx: &ReadContext<'_>, _input: NoArguments) -> Result<Answer<Output>, ToolError> {
        let status = cx.status();
        let agents = cx.agents();
        let mut issues = issues(&status);
        issues.extend(cx.look_for_unseen(&status).map(|unseen| format!("{unseen}; run `ingest`")));
        let guidance = guidance(&status, &issues);
        let mut output = output(status, agents, issues, fingerprint(cx, &cx.status()));
        add_work_tree(cx, &mut output.git);
        output.last_persist_time = cx.find_stored().map(|stored| stored.written_ms);
        output.tool_surface_contract.full_registry_tool_count = cx.tools().all().len();
        let setting =
            |row: &m1nd_engine::Setting| Setting { name: row.name, value: row.value.clone(), source: row.source };
        output.settings = cx.settings().iter().map(setting).collect();
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn issues(status: &Status) -> Vec<String> {
    let mut issues = status.notices.clone();
    if let WatchState::Failed(why) = &status.watch {
        issues.push(format!("files are not watched: {why}; run `ingest` after edits"));
    }
    issues
}

fn output(
    status: Status,
    mut agents: Vec<AgentSession>,
    issues: Vec<String>,
    binding_fingerprint: Fingerprint,
) -> Output {
    let text = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    // Counted before the list is cut: agents that are not shown have asked, too.
    let queries_processed = agents.iter().map(|agent| agent.queries).sum();
    agents.sort_by(|a, b| b.last_seen_ms.cmp(&a.last_seen_ms).then_with(|| a.agent_id.cmp(&b.agent_id)));
    agents.truncate(MAX_AGENTS);
    Output {
        status: Word(match (status.node_count, issues.is_empty()) {
            (_, false) => HealthStatus::Degraded,
            (0, true) => HealthStatus::Empty,
            _ => HealthStatus::Ok,
        }),
        issues,
        node_count: status.node_count,
        edge_count: status.edge_count,
        file_count: status.files,
        line_count: status.lines,
        roots: text(&status.roots),
        allowed_roots: text(&status.allowed_roots),
        references: status.tiers.into(),
        languages: status.languages.into_iter().map(language_row).collect(),
        unresolved_reasons: reasons(status.unresolved_reasons),
        git: git(status.git, status.roots.first()),
        problems: status.problems.into_iter().map(problem_row).collect(),
        compiler_index: status.compiler.map(|row| CompilerRow {
            tools: row.tools,
            files_covered: row.files,
            files_stale: row.stale,
        }),
        queries_processed,
        uptime_seconds: status.uptime_secs,
        memory_usage_bytes: status.rss_bytes,
        indexed_at_ms: status.indexed_at_ms,
        watcher: Word(match status.watch {
            WatchState::Off => Watcher::Off,
            WatchState::On => Watcher::On,
            WatchState::Failed(_) => Watcher::Failed,
        }),
        role: Word(status.role),
        activity: status.activity.map(|now| ActivityRow { stage: now.stage, done: now.done, total: now.total }),
        // Members that older clients read; what they say is fixed.
        plasticity_state: "0 edges tracked",
        active_sessions: agents.into_iter().map(agent_row).collect(),
        stages_ms: status
            .last_ingest
            .map(|ingest| ingest.stages.into_iter().map(|(stage, ms)| (stage.to_owned(), ms)).collect())
            .unwrap_or_default(),
        last_persist_time: None,
        binding_fingerprint,
        tool_surface_contract: SurfaceContract {
            full_registry_tool_count: 0,
            required_agent_trust_tools: REQUIRED,
            minimum_safe_tool_count: REQUIRED.len(),
        },
        settings: Vec::new(),
    }
}

/// Adds what the loaded history says of the work tree, if comparing that takes a moment only.
fn add_work_tree(cx: &ReadContext<'_>, git: &mut GitBlock) {
    let Some(history) = cx.loaded_history().filter(|_| git.available) else { return };
    let newest = history.first().map(|history| history.commits()).unwrap_or_default();
    git.recent_commits = newest.iter().take(RECENT).map(|commit| commit.subject.to_string()).collect();
    if cx.snapshot().files().len() > COMPARED {
        return;
    }
    if let Ok(found) = work_tree_changes(cx.snapshot(), &history, cx.cancel()) {
        git.clean = found.gaps.is_empty().then_some(found.changed.is_empty());
        git.uncommitted_files = found.changed.into_iter().take(RECENT).collect();
    }
}

/// Maximum reasons listed for each language; the overall list is longer.
const LANGUAGE_REASONS: usize = 3;

fn language_row(row: LanguageStatus) -> LanguageRow {
    let mut unresolved_reasons = reasons(row.unresolved_reasons);
    unresolved_reasons.truncate(LANGUAGE_REASONS);
    LanguageRow {
        language: row.language,
        files: row.files,
        lines: row.lines,
        references: row.tiers.into(),
        unresolved_reasons,
    }
}

fn reasons(rows: Vec<(String, u64)>) -> Vec<Reason> {
    rows.into_iter().map(|(reason, count)| Reason { reason, count }).collect()
}

fn git(head: Option<GitHead>, root: Option<&std::path::PathBuf>) -> GitBlock {
    let Some(head) = head else { return GitBlock::default() };
    GitBlock {
        available: !head.is_elsewhere,
        root: root.map(|root| root.to_string_lossy().into_owned()),
        branch: head.branch,
        head: head.head,
        clean: None,
        recent_commits: Vec::new(),
        uncommitted_files: Vec::new(),
        note: head.is_elsewhere.then_some("the git folder is outside the root (a linked worktree) and is not read"),
    }
}

/// How much of a file with this problem is in the graph.
fn in_graph(kind: ProblemKind) -> InGraph {
    match kind {
        ProblemKind::TooLarge
        | ProblemKind::Binary
        | ProblemKind::LongLine
        | ProblemKind::ParseTimeout
        | ProblemKind::ParseMemory
        | ProblemKind::ParseDepth
        | ProblemKind::ExtractorFailed
        | ProblemKind::ProcessEnded
        | ProblemKind::LfsPointer => InGraph::File,
        ProblemKind::InvalidUtf8
        | ProblemKind::TreeDepth
        | ProblemKind::FactsLimit
        | ProblemKind::LinkLimit
        | ProblemKind::NamesLimit
        | ProblemKind::ManyWords
        | ProblemKind::SyntaxErrors
        | ProblemKind::BadManifest => InGraph::Partial,
        ProblemKind::Unreadable
        | ProblemKind::UnsupportedPath
        | ProblemKind::SymbolicLink
        | ProblemKind::NotRegular
        | ProblemKind::FolderDepth
        | ProblemKind::FilesLimit
        | ProblemKind::GraphLimit
        | ProblemKind::NotCheckedOut
        | ProblemKind::Submodule
        | ProblemKind::LinkedWorktree => InGraph::None,
    }
}

fn problem_row(row: ProblemStatus) -> ProblemRow {
    let examples = row.examples.into_iter().take(MAX_EXAMPLES);
    let examples = examples.map(|(file_path, detail)| ProblemExample { file_path, detail }).collect();
    ProblemRow { in_graph: Word(in_graph(row.kind)), kind: word(&row.kind), count: row.count, examples }
}

fn agent_row(agent: AgentSession) -> AgentRow {
    AgentRow {
        agent_id: agent.agent_id,
        first_seen_ms: agent.first_seen_ms,
        last_seen_ms: agent.last_seen_ms,
        query_count: agent.queries,
    }
}

fn guidance(status: &Status, issues: &[String]) -> Guidance {
    if let Some(activity) = &status.activity {
        let hint = format!(
            "an ingest is at stage `{}`; until it is done, answers come from the previous generation",
            activity.stage
        );
        return Guidance::next(ProofState::Proving, ToolRef("health"), None, hint);
    }
    if status.node_count == 0 {
        let target = status.allowed_roots.first().map(|root| root.to_string_lossy().into_owned());
        return match status.role {
            ProcessRole::Writer => {
                Guidance::next(ProofState::Blocked, ToolRef("ingest"), target, "nothing is indexed yet")
            }
            _ => Guidance::next(
                ProofState::Blocked,
                ToolRef("health"),
                None,
                "nothing is indexed yet, and this process cannot index",
            ),
        };
    }
    if let Some(issue) = issues.first() {
        return Guidance::next(ProofState::Proving, ToolRef("ingest"), None, issue.clone());
    }
    let unparsed: usize = status.problems.iter().map(|problem| problem.count).sum();
    let hint = match unparsed {
        0 => "the index is complete; find code by what it does".to_owned(),
        _ => format!("the index is usable; `problems` lists {} with files", count(unparsed, "problem")),
    };
    Guidance::next(ProofState::Triaging, ToolRef("seek"), None, hint)
}
