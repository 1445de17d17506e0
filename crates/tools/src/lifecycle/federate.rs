//! Makes several repositories one index.

use std::path::{Path, PathBuf};

use m1nd_base::EdgeTier;
use m1nd_engine::{
    Engine, EngineError, Federation, IngestReport, IngestRequest, Member, Mode, RootInfo, Snapshot, may_read,
};
use m1nd_query::analysis::{CrossEdge, CrossKind, PairCounts, cross_edges};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::framework::{
    Answer, Effect, ErrorCode, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext,
    WriteTool, is_zero, yes,
};
use crate::rows::{engine_error, round_value};
use crate::word::Word;

/// Maximum number of repositories of one call.
const MAX_REPOS: usize = 256;
/// Maximum number of edges listed.
const MAX_LISTED: usize = 100;

fn code() -> String {
    "code".to_owned()
}

/// A repository of the federation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repo {
    /// Prefix of its ids
    name: String,
    /// Its folder
    path: String,
    #[serde(default = "code")]
    adapter: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// All repositories, also the current one
    #[schemars(length(min = 1, max = MAX_REPOS))]
    repos: Vec<Repo>,
    /// List the edges between repositories
    #[serde(default = "yes")]
    detect_cross_repo_edges: bool,
    /// Read only what changed since last time
    #[serde(default)]
    incremental: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct RepoRow {
    name: String,
    path: String,
    node_count: usize,
    edge_count: usize,
    /// No file of it had to be parsed.
    from_cache: bool,
    ingest_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct CrossRow {
    source_repo: String,
    target_repo: String,
    source_node: String,
    target_node: String,
    edge_type: Word<CrossKind>,
    relation: String,
    weight: f64,
    causal_strength: f64,
    tier: Word<EdgeTier>,
    evidence: Evidence,
}

/// Both ends of an edge, as `file:line`.
#[derive(Debug, Serialize)]
pub(crate) struct Evidence {
    source: String,
    target: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PairRow {
    source_repo: String,
    target_repo: String,
    certain: usize,
    possible: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    repos_ingested: Vec<RepoRow>,
    total_nodes: usize,
    total_edges: usize,
    cross_repo_edges: Vec<CrossRow>,
    /// Null if they were not looked for.
    cross_repo_edge_count: Option<usize>,
    cross_repo_pairs: Vec<PairRow>,
    /// Edges beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    cross_repo_edges_left: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
    incremental: bool,
    skipped_repos: Vec<String>,
}

impl Output {
    /// The source of the first edge.
    pub(super) fn first_edge(&self) -> Option<String> {
        self.cross_repo_edges.first().map(|edge| edge.source_node.clone())
    }
}

pub(crate) struct Federate;

impl Tool for Federate {
    const NAME: &'static str = "federate";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Make several repositories one graph: all tools answer over all of them afterwards";
    const ANSWERS: &'static str = "which code of one repository uses code of another";
    const HELP: &'static str = "\
Indexes the repositories of `repos` as one. References from one into another, which were `external` before, become edges
to the very function, with the same tiers as inside a repository; afterwards every tool answers over all of them. The
index of the single repository stays as it is on disk. What was learned, saved or locked in a repository is found in the
federation, with its ids, and what is about one repository is kept with it. To leave the federation, call with the folder
of the server as the only repository.

Files of the repository `backend` have ids such as `backend::file::src/main.py`; paths may be given as
`backend/src/main.py`, `backend::src/main.py` or, to limit a search, `backend::`. Repositories are folders beside each
other: none may be inside another one. A folder outside of the roots is read only if its user has allowed it once with
`m1nd workspace add`; else the error names what would be read.

`repos_ingested` says per repository how many nodes it has, how many edges start in it, whether all of it was cached
(`from_cache`) and how long reading it took; linking is one step for all. With `incremental: true` only files whose
size or time changed are read, and `skipped_repos` names the repositories without a change. `cross_repo_edges` lists up
to 100 edges (`cross_repo_edge_count` is the number of all, `cross_repo_edges_left` of the others), those of each pair of repositories in turn, the certain ones first: `edge_type` is `package_dep`,
`shared_type` (bases, interfaces, types and tables), `api_contract` (a request and the route, procedure, field or topic
that serves it), `mcp_contract` (a call and the tool), `deployment_dep` (a container and what its image is built from) or
`shared_config` (both read the same key, or one sets what the other reads). A pair without a certain edge is only in `cross_repo_pairs`: its possible edges rest on names
alone. `weight` is 1 for a certain edge and 1/n for one of n candidates, `causal_strength` half of it where nothing is
called, and `evidence` has file and line of both ends.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "repos": [{"name": "server", "path": "src"}, {"name": "checks", "path": "tests"}]}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 70, "the code is spread over several repositories")];
    const RARE: &'static [&'static str] = &["detect_cross_repo_edges"];
    const DETAILS: &'static [&'static str] =
        &["cross_repo_pairs", "cross_repo_edges.evidence", "repos_ingested.ingest_ms"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"cross_repo_edge_count": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Federate {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let workspace = workspace(cx)?;
        let members = members(&input.repos, &workspace)?;
        if let [only] = members.as_slice()
            && only.path == workspace
            && let Some(engine) = cx.end_federation()
        {
            return alone(cx, &engine, only);
        }
        let output = federate(cx, members, &Wanted::of(&input))?;
        let first = output.first_edge();
        let hint = match output.cross_repo_edge_count {
            None => "all tools answer over all repositories now; edges between them were not looked for",
            Some(0) => {
                "all tools answer over all repositories now; no edge between them was found, which references without a \
                 target may hide"
            }
            Some(_) => "all tools answer over all repositories now; see who depends on this",
        };
        Ok(Answer::new(output).guidance(Guidance::next(ProofState::Triaging, ToolRef("impact"), first, hint)))
    }
}

/// What a caller wants of a federation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) edges: bool,
    pub(super) incremental: bool,
}

impl Wanted {
    fn of(input: &Input) -> Self {
        Self { edges: input.detect_cross_repo_edges, incremental: input.incremental }
    }
}

/// The folder that a federation belongs to.
///
/// # Errors
/// If there is none, or it is gone.
pub(super) fn workspace(cx: &WriteContext<'_>) -> Result<PathBuf, ToolError> {
    let engine = cx.engine();
    if engine.is_read_only() {
        return Err(engine_error(EngineError::ReadOnly));
    }
    engine.workspace().map_err(engine_error)
}

/// Answers from these repositories as one from now on.
pub(super) fn federate(cx: &WriteContext<'_>, members: Vec<Member>, wanted: &Wanted) -> Result<Output, ToolError> {
    let engine = cx.engine();
    check_consent(engine, &members)?;
    let federation = Federation::new(workspace(cx)?, members).map_err(engine_error)?;
    let engine = cx.federate(federation).map_err(engine_error)?;
    let reports = engine.federate(wanted.incremental, cx.cancel(), cx.progress()).map_err(|error| {
        // An index without files would answer nothing.
        if engine.snapshot().is_empty() {
            cx.leave_federation();
        }
        engine_error(error)
    })?;
    let snapshot = engine.snapshot();
    let found = if wanted.edges { cross_edges(&snapshot, cx.cancel())? } else { Default::default() };
    let count = wanted.edges.then_some(found.edges.len());
    let rows = repo_rows(&engine, &snapshot, &reports);
    let unchanged = |row: &&RepoRow| wanted.incremental && is_unchanged(&engine, &reports, &row.name);
    let skipped_repos = rows.iter().filter(unchanged).map(|row| row.name.clone()).collect();
    let pair = |((source_repo, target_repo), counts): ((String, String), PairCounts)| PairRow {
        source_repo,
        target_repo,
        certain: counts.certain,
        possible: counts.possible,
    };
    let left = found.edges.len().saturating_sub(MAX_LISTED);
    let hint = "`impact` and `why` follow all of them, and `cross_repo_pairs` counts them";
    Ok(Output {
        cross_repo_edges_left: left,
        what_is_missing: (left > 0).then(|| {
            format!("the first {MAX_LISTED} of {} edges between repositories are listed: {hint}", found.edges.len())
        }),
        repos_ingested: rows,
        total_nodes: snapshot.graph().node_count(),
        total_edges: snapshot.graph().edge_count(),
        cross_repo_edges: found.edges.iter().take(MAX_LISTED).map(|edge| cross_row(&snapshot, edge)).collect(),
        cross_repo_edge_count: count,
        cross_repo_pairs: found.by_pair.into_iter().map(pair).collect(),
        incremental: wanted.incremental,
        skipped_repos,
    })
}

/// The request that brings an indexed root up to date.
fn build_refresh(root: &RootInfo) -> IngestRequest {
    IngestRequest {
        mode: Mode::Merge,
        incremental: true,
        include_hidden: root.include_hidden,
        hidden_patterns: root.hidden_patterns.clone(),
        ..IngestRequest::code(&root.path)
    }
}

/// The answer after a federation was left for the repository that the program started with.
fn alone(cx: &WriteContext<'_>, engine: &Engine, only: &Member) -> Result<Answer<Output>, ToolError> {
    let mut requests: Vec<IngestRequest> = engine.snapshot().roots().iter().map(build_refresh).collect();
    if requests.is_empty() {
        requests.push(IngestRequest::code(&only.path));
    }
    let mut reports = Vec::new();
    for request in requests {
        reports.push(engine.ingest(request, cx.cancel(), cx.progress()).map_err(engine_error)?);
    }
    let snapshot = engine.snapshot();
    let (node_count, edge_count) = (snapshot.graph().node_count(), snapshot.graph().edge_count());
    let (parsed, _, ms) = work_of(&reports, 0);
    let row = RepoRow {
        name: only.name.clone(),
        path: only.path.to_string_lossy().into_owned(),
        node_count,
        edge_count,
        from_cache: parsed == 0,
        ingest_ms: round_value(ms),
    };
    let output = Output {
        repos_ingested: vec![row],
        total_nodes: node_count,
        total_edges: edge_count,
        cross_repo_edges: Vec::new(),
        cross_repo_edge_count: Some(0),
        cross_repo_pairs: Vec::new(),
        cross_repo_edges_left: 0,
        what_is_missing: None,
        incremental: true,
        skipped_repos: Vec::new(),
    };
    let mut guidance = Guidance::state(ProofState::Triaging);
    guidance.next_step_hint = Some(
        "the federation is left: all tools answer over this repository alone, and ids have no repository in front"
            .to_owned(),
    );
    Ok(Answer::new(output).guidance(guidance))
}

/// The members named by a call. Relative paths start at the folder of the federation.
fn members(repos: &[Repo], workspace: &Path) -> Result<Vec<Member>, ToolError> {
    let member = |repo: &Repo| {
        if repo.adapter != "code" {
            let shown: String = repo.adapter.chars().take(80).collect();
            return Err(ToolError::invalid(format!(
                "argument `repos.adapter` is `{shown}`, expected `code`: other adapters add files to one repository"
            )));
        }
        if repo.path.trim().is_empty() {
            return Err(ToolError::invalid(format!("argument `repos.path` of `{}` is empty", repo.name)));
        }
        Ok(Member::at(repo.name.trim().to_owned(), Path::new(repo.path.trim()), workspace))
    };
    repos.iter().map(member).collect()
}

/// The command with which a person allows to read a folder.
pub(super) fn allow_command(folder: &Path) -> String {
    format!("m1nd workspace add '{}'", folder.display().to_string().replace('\'', "'\\''"))
}

/// Refuses folders that the user did not allow to read. Says nothing about what is there.
fn check_consent(engine: &Engine, members: &[Member]) -> Result<(), ToolError> {
    let config = engine.config();
    let mut allowed: Vec<PathBuf> = config.roots.clone();
    allowed.extend(engine.federation().map(|federation| federation.workspace().to_owned()));
    let refused: Vec<&Member> =
        members.iter().filter(|member| !may_read(&config.home, &allowed, &member.path)).collect();
    if refused.is_empty() {
        let missing = members.iter().find(|member| !member.is_there());
        return missing.map_or(Ok(()), |member| Err(engine_error(EngineError::PathNotFound(member.path.clone()))));
    }
    let list: Vec<String> = refused.iter().map(|member| format!("`{}`", member.path.display())).collect();
    let commands: Vec<String> = refused.iter().map(|member| allow_command(&member.path)).collect();
    Err(ToolError::new(
        ErrorCode::OutsideWorkspace,
        format!("not read: {} are outside the allowed roots", list.join(", ")),
    )
    .hint("a user allows a folder once; all files in it that no ignore rule leaves out are then read")
    .next_step(format!("ask the user to run `{}`, then repeat this call", commands.join(" && ")))
    .detail(
        "would_read",
        json!(refused.iter().map(|member| json!({"name": member.name, "path": member.path})).collect::<Vec<_>>()),
    ))
}

/// The work on a repository, by its number.
fn work_of(reports: &[IngestReport], number: usize) -> (usize, usize, f64) {
    let rows = reports.iter().flat_map(|report| &report.by_root).filter(|row| row.root == number);
    rows.fold((0, 0, 0.0), |(parsed, cached, ms), row| {
        (parsed + row.parsed, cached + row.from_cache, ms + row.elapsed_ms)
    })
}

fn number_of(engine: &Engine, name: &str) -> usize {
    let members = engine.federation().map(Federation::members).unwrap_or_default();
    members.iter().position(|member| member.name == name).unwrap_or(usize::MAX)
}

fn is_unchanged(engine: &Engine, reports: &[IngestReport], name: &str) -> bool {
    let number = number_of(engine, name);
    let removed = reports.iter().any(|report| report.files_removed > 0);
    let (parsed, cached, _) = work_of(reports, number);
    parsed == 0 && cached == 0 && !removed
}

fn repo_rows(engine: &Engine, snapshot: &Snapshot, reports: &[IngestReport]) -> Vec<RepoRow> {
    let graph = snapshot.graph();
    let members = engine.federation().map(Federation::members).unwrap_or_default();
    let mut rows: Vec<RepoRow> = members
        .iter()
        .enumerate()
        .map(|(number, member)| {
            let (parsed, _, ms) = work_of(reports, number);
            RepoRow {
                name: member.name.clone(),
                path: member.path.to_string_lossy().into_owned(),
                node_count: 0,
                edge_count: 0,
                from_cache: parsed == 0,
                ingest_ms: round_value(ms),
            }
        })
        .collect();
    for node in graph.nodes() {
        let Some(name) = snapshot.repository_of(graph.path(node)) else { continue };
        if let Some(row) = rows.iter_mut().find(|row| row.name == name) {
            row.node_count += 1;
            row.edge_count += graph.out_edges(node).count();
        }
    }
    rows
}

fn cross_row(snapshot: &Snapshot, edge: &CrossEdge) -> CrossRow {
    let graph = snapshot.graph();
    let repo = |node| snapshot.repository_of(graph.path(node)).unwrap_or_default().to_owned();
    let place = |node, line: u32| format!("{}:{line}", graph.path(node));
    let weight = 1.0 / f64::from(edge.of.max(1));
    let runs = edge.relation == "calls" || edge.relation == "inherits" || edge.relation == "implements";
    CrossRow {
        source_repo: repo(edge.from),
        target_repo: repo(edge.to),
        source_node: graph.id(edge.from).to_owned(),
        target_node: graph.id(edge.to).to_owned(),
        edge_type: Word(edge.kind),
        relation: edge.relation.clone(),
        weight: round_value(weight),
        causal_strength: round_value(if runs { weight } else { weight / 2.0 }),
        tier: Word(edge.tier),
        evidence: Evidence { source: place(edge.from, edge.from_line), target: place(edge.to, edge.to_line) },
    }
}
