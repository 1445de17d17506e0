//! Finds repositories beside the indexed ones that the project speaks of, and makes them one index if asked to.

use std::path::{Path, PathBuf};

use m1nd_engine::{Adapter, EngineError, Member, may_read, readable_repositories};
use m1nd_query::repositories::{Discovered, Evidence, Sibling, Skipped, discover, namespace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::federate::{self, Wanted, allow_command};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
    number, rows_schema, yes,
};
use crate::rows::{count, engine_error};
use crate::word::{Level, Word, answer_kinds};

/// Repositories by default.
const DEFAULT_REPOS: usize = 8;
/// Maximum repositories.
const MAX_REPOS: usize = 100;
/// Source files and nodes listed of a repository.
const MAX_SOURCES: usize = 10;
/// Places listed as evidence of a repository.
const MAX_EVIDENCE: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path prefix
    scope: Option<String>,
    /// Name of this repository; default: its folder
    #[schemars(length(min = 1, max = 100))]
    current_repo_name: Option<String>,
    #[serde(default = "number::<DEFAULT_REPOS>")]
    #[schemars(range(min = 1, max = MAX_REPOS))]
    max_repos: usize,
    /// With execute: list the edges between repositories
    #[serde(default = "yes")]
    detect_cross_repo_edges: bool,
    /// Federate the current and the suggested repositories
    #[serde(default)]
    execute: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct CurrentRepo {
    namespace: String,
    repo_root: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct EvidenceLine {
    evidence_type: Word<Evidence>,
    file_path: String,
    line: u32,
}

answer_kinds! {
    /// What to do with a found repository.
    pub(crate) RepoAction { Federate = "federate", Review = "review", }
}

answer_kinds! {
    /// Why a path outside names no repository.
    pub(crate) SkipReason { Missing = "path_missing_on_disk", NoRepository = "repo_root_not_detected", }
}

#[derive(Debug, Serialize)]
pub(crate) struct RepoRow {
    namespace: String,
    repo_root: String,
    marker: &'static str,
    confidence: Word<Level>,
    evidence_types: Vec<Word<Evidence>>,
    evidence: Vec<EvidenceLine>,
    source_nodes: Vec<String>,
    source_files: Vec<String>,
    sampled_paths: Vec<String>,
    suggested_action: Word<RepoAction>,
    /// A person allowed to read it.
    allowed: bool,
}

/// A folder that nobody allowed to read, and why it may matter.
#[derive(Debug, Serialize)]
pub(crate) struct UnreadRow {
    path: String,
    reason: String,
    file_path: String,
    line: u32,
    allow: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct SuggestedRepo {
    name: String,
    path: String,
    adapter: Word<Adapter>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SkippedRow {
    external_path: String,
    reason: Word<SkipReason>,
    source_node: String,
    file_path: String,
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    current_repo: CurrentRepo,
    discovered_repos: Vec<RepoRow>,
    suggested_repos: Vec<SuggestedRepo>,
    /// Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread_folders: Vec<UnreadRow>,
    skipped_paths: Vec<SkippedRow>,
    executed: bool,
    /// What `federate` answers, if it was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    federate_result: Option<federate::Output>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct FederateAuto;

impl Tool for FederateAuto {
    const NAME: &'static str = "federate_auto";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Find repositories beside this one that its files refer to, with the evidence";
    const ANSWERS: &'static str = "which other repositories on this disk the project refers to, and where";
    const HELP: &'static str = "\
Reads the indexed files for paths to other repositories. Of such a path it finds out whether it exists and which folder
above it is a repository (the nearest with `.git`, else with a manifest). Nothing outside of the indexed roots is read or
listed unless a person allowed it with `m1nd workspace add`; the texts of allowed repositories are compared with those of
the project. With `execute: true` the current repository and all of `suggested_repos` become one graph, as by `federate`,
whose answer is `federate_result`; if one of them is not allowed, nothing is federated and the error lists what would be
read.

Evidence, strongest first; equal evidence is ordered by confidence, number of files, and path:
- `markdown_link`, `keyed_assignment` (a key with path, root, repo, workspace, dir, home or project): high.
- `quoted_path` (`\"/srv/me/lib\"`): medium.
- `cargo_workspace_member`, `cargo_path_dependency`, `npm_workspace`, `npm_file_dependency`, `pnpm_workspace`,
  `uv_workspace_member`, `go_workspace_use` (also a `replace` of `go.mod`): high; `python_path_dependency`: medium.
- `import_identity_match` (an import names a package of an allowed repository): medium.
- `proto_contract_match`, `mcp_tool_contract_match`, `openapi_contract_match`, with an allowed repository: medium.
- `api_route_match` (the same `/api/` route in both): medium, high from two routes on.

`allowed` says whether a person allowed a repository to be read. `unread_folders` are repositories beside the roots whose
folder has the name of a package that the project uses and does not have: of them no more is known than that they are there.
`allow` is the command with which a person allows to read one; afterwards this tool says whether it has the package.

Paths count if they are absolute (in manifests also relative), lead outside of all roots, and are no placeholder
(`/path/to/…`), system folder, socket or lock. `skipped_paths`: paths that are missing or belong to no repository; quoted
texts without a file are left out.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Orient, 40, "which other repositories the project refers to")];
    const RARE: &'static [&'static str] = &["current_repo_name", "detect_cross_repo_edges"];
    const DETAILS: &'static [&'static str] =
        &["discovered_repos.source_nodes", "discovered_repos.sampled_paths", "suggested_repos"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("discovered_repos": "namespace", "repo_root", "confidence", "evidence");
    type Input = Input;
    type Output = Output;
}

impl WriteTool for FederateAuto {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = &*cx.require_indexed()?;
        let scope = crate::rows::scope(snapshot, input.scope.as_deref())?;
        let roots: Vec<PathBuf> = snapshot.roots().iter().map(|root| root.path.clone()).collect();
        let root = roots.first().cloned().ok_or_else(|| engine_error(EngineError::NoRoot))?;
        cx.engine().workspace().map_err(engine_error)?;
        // Only folders that a person allowed are read; others are proposed.
        let home = &cx.engine().config().home;
        let readable = readable_repositories(home, &roots);
        let found = discover(snapshot, &scope, &readable, cx.cancel())?;
        let total = found.found.len();
        let repos = &found.found[..total.min(input.max_repos)];
        let suggested = repos.iter().map(|repo| SuggestedRepo {
            name: repo.namespace.clone(),
            path: repo.root.to_string_lossy().into_owned(),
            adapter: Word(Adapter::Code),
        });
        let skipped = found.skipped.iter().map(|(path, reason, source)| SkippedRow {
            external_path: path.clone(),
            reason: Word(match reason {
                Skipped::Missing => SkipReason::Missing,
                Skipped::NoRepository => SkipReason::NoRepository,
            }),
            source_node: m1nd_base::node_id::file(&source.file),
            file_path: source.file.to_string(),
            line: source.line,
        });
        // An empty list is an absence only if everything was read.
        let mut missing = Vec::new();
        if total > repos.len() {
            missing.push(format!("{} more than max_repos", total - repos.len()));
        }
        if found.files_left > 0 {
            missing.push(format!("{} not read: too large, or out of time", count(found.files_left, "file")));
        }
        if found.paths_left > 0 {
            missing.push(format!("{} not looked at", count(found.paths_left, "path")));
        }
        // Nothing is federated unless the call asks for it.
        let member = || snapshot.repositories().next().map(str::to_owned);
        let own_name = input.current_repo_name.clone().or_else(member).unwrap_or_else(|| namespace(&root));
        let result = match input.execute && !repos.is_empty() {
            true => Some(execute(cx, &input, (&own_name, &root), repos)?),
            false => None,
        };
        let output = Output {
            current_repo: CurrentRepo { namespace: own_name, repo_root: root.to_string_lossy().into_owned() },
            discovered_repos: repos.iter().map(|repo| row(repo, may_read(home, &roots, &repo.root))).collect(),
            suggested_repos: suggested.collect(),
            unread_folders: found.unread.iter().map(unread_row).collect(),
            skipped_paths: skipped.collect(),
            executed: result.is_some(),
            federate_result: result,
            what_is_missing: (!missing.is_empty()).then(|| missing.join("; ")),
        };
        let guidance = match (total, output.what_is_missing.is_some()) {
            (0, is_partial) => {
                let mut guidance = Guidance::state(ProofState::Triaging);
                guidance.next_step_hint = Some(match is_partial {
                    _ if !output.unread_folders.is_empty() => {
                        "no indexed file refers to another repository; ask the user whether the folders of `unread_folders` may \
                         be read"
                            .to_owned()
                    }
                    false => "no indexed file refers to another repository on this disk".to_owned(),
                    true => {
                        "what was read refers to no other repository on this disk; see `what_is_missing`".to_owned()
                    }
                });
                guidance
            }
            _ if output.executed => {
                let hint = "all tools answer over all repositories now; see who depends on this";
                let first = output.federate_result.as_ref().and_then(federate::Output::first_edge);
                Guidance::next(ProofState::Triaging, ToolRef("impact"), first, hint)
            }
            _ => {
                let hint = "federate those that belong to the task, with the current repository";
                Guidance::next(ProofState::Triaging, ToolRef("federate"), None, hint)
            }
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// Federates the current repository, or all of the federation that is open, with the found ones.
fn execute(
    cx: &WriteContext<'_>,
    input: &Input,
    (own_name, root): (&str, &Path),
    repos: &[Discovered],
) -> Result<federate::Output, ToolError> {
    let mut members = match cx.engine().federation() {
        Some(federation) => federation.members().to_vec(),
        None => vec![Member { name: own_name.to_owned(), path: root.to_owned() }],
    };
    members.extend(repos.iter().map(|repo| Member { name: repo.namespace.clone(), path: repo.root.clone() }));
    federate::federate(cx, members, &Wanted { edges: input.detect_cross_repo_edges, incremental: true })
}

fn unread_row(found: &Sibling) -> UnreadRow {
    let (file, line) = &found.used_in;
    UnreadRow {
        path: found.path.to_string_lossy().into_owned(),
        reason: format!(
            "has the name of the package `{}`, which is used here; whether it has it is not known",
            found.package
        ),
        file_path: file.to_string(),
        line: *line,
        allow: allow_command(&found.path),
    }
}

fn row(repo: &Discovered, allowed: bool) -> RepoRow {
    let evidence = repo.sources.iter().take(MAX_EVIDENCE).map(|source| EvidenceLine {
        evidence_type: Word(source.evidence),
        file_path: source.file.to_string(),
        line: source.line,
    });
    RepoRow {
        namespace: repo.namespace.clone(),
        repo_root: repo.root.to_string_lossy().into_owned(),
        marker: repo.marker,
        confidence: Word(if repo.is_high { Level::High } else { Level::Medium }),
        evidence_types: repo.evidence().into_iter().map(Word).collect(),
        evidence: evidence.collect(),
        source_nodes: repo.nodes().into_iter().take(MAX_SOURCES).collect(),
        source_files: repo.files().into_iter().take(MAX_SOURCES).map(ToString::to_string).collect(),
        sampled_paths: repo.paths.clone(),
        suggested_action: Word(if repo.is_high { RepoAction::Federate } else { RepoAction::Review }),
        allowed,
    }
}
