//! Explains how two nodes are connected, with evidence for every step.

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_engine::graph::paths::Way;
use m1nd_query::analysis::{
    DanglingEdge, WhyAnswer, WhyClosure, WhyPartsQuery, WhyPath, WhyQuery, WhyStep, why, why_parts,
};
use m1nd_query::changes::together;
use m1nd_query::closure::ClosureState;
use m1nd_query::what_if::hypothesize::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::framework::{
    Answer, Command, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef,
    Toolset, number, rows_schema,
};
use crate::past::CitedCommit;
use crate::rows::{self, NodeRow, count, round_value};
use crate::word::{Provenance, Word, answer_kinds};

/// Default maximum number of edges of a path.
const DEFAULT_HOPS: usize = 6;
/// Maximum edges of a path.
const MAX_HOPS: usize = 20;
/// Default number of paths.
const DEFAULT_PATHS: usize = 3;
/// Maximum paths.
const MAX_PATHS: usize = 20;

/// Reason of a closure that rests on an index which is not what is on disk.
const STALE: &str = "files_changed";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name, also of a folder
    source: String,
    target: String,
    #[serde(default = "number::<DEFAULT_HOPS>")]
    #[schemars(range(min = 1, max = MAX_HOPS))]
    max_hops: usize,
    #[serde(default = "number::<DEFAULT_PATHS>")]
    #[schemars(range(min = 1, max = MAX_PATHS))]
    max_paths: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    from: String,
    to: String,
    from_label: String,
    to_label: String,
    relation: Word<Relation>,
    /// Whether the edge points from `from` to `to`, not back.
    forward: bool,
    tier: Word<EdgeTier>,
    #[serde(skip_serializing_if = "is_one")]
    of: u16,
    /// The call names a method that the target overrides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dispatch: bool,
    /// Source of the edge, unless it is our linker.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Word<Provenance>>,
    file_path: String,
    line: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<String>,
}

fn is_one(number: &u16) -> bool {
    *number <= 1
}

#[derive(Debug, Serialize)]
pub(crate) struct PathRow {
    /// Labels, first to last.
    nodes: Vec<String>,
    node_ids: Vec<String>,
    relations: Vec<Word<Relation>>,
    hops: usize,
    direction: Word<PathDirection>,
    cumulative_strength: f64,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Dangling {
    node_id: String,
    label: String,
    relation: String,
    reason: String,
    name: String,
    file_path: String,
    line: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Closure {
    state: Word<ClosureState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    dangling_edges: Vec<Dangling>,
    dangling_total: usize,
    why: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    source: NodeRow,
    target: NodeRow,
    found: bool,
    paths: Vec<PathRow>,
    total_paths_found: usize,
    closure: Closure,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Common commits of the files of both ends. No part of `found`, `paths` and `closure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<History>,
}

answer_kinds! {
    /// What the history connects.
    pub(crate) HistoryRelation { ChangedTogether = "changed_together", }
}

/// What the history says of the files of both ends.
#[derive(Debug, Serialize)]
pub(crate) struct History {
    relation: Word<HistoryRelation>,
    common_commits: u32,
    commits_of_source: usize,
    commits_of_target: usize,
    lift: f64,
    p_value: f64,
    commits: Vec<CitedCommit>,
}

pub(crate) struct Why;

impl Tool for Why {
    const NAME: &'static str = "why";
    const TOOLSET: Toolset = Toolset::Analysis;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Explain how two nodes connect: paths with evidence";
    const ANSWERS: &'static str = "how two things are connected: paths with evidence for every step";
    const HELP: &'static str = "\
Finds the cheapest paths from `source` to `target` along the direction of edges (calls, imports, inherits, …); if
there are none, from `target` to `source` (`direction: backward`); if there are none either, along edges in both
directions (`mixed`). Each step shows its relation, tier, file and line, and all `candidates` of a reference with
several possible targets.

`closure.state` is about paths from `source` to `target`. `closed`: a path of certain steps exists, or none exists and
nothing can hide one (also if `backward` or `mixed` paths are shown: `closure.reason` is then `no_forward_path`).
`blocked`: every path shown has a step with several possible targets. `unknown`: unresolved references
(`dangling_edges`), incompletely parsed files, changes on disk that are not indexed yet (`stale`) or the search
budget may hide a path. An answer without paths proves
independence only if it is `closed`; a `mixed` path never proves that one end uses the other. `cumulative_strength` is
the product of the probabilities that the edges are correct.

If an end is a folder, `paths` are the references that lead from its code to the other end, one for each pair of files and
the certain ones first; if there are none, a shortest path through other code. Code of tests is left out, except in folders of
tests.

`history` (`changed_together`, if the git history is loaded) counts the commits that changed the files of both ends,
without merges and bulk changes. It shows no dependency and is no part of `found`, `paths` and `closure`. `p_value` is
the chance of so many common commits if the files were independent.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "source": "README.md", "target": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Diagnose, 50, "how the caller and the failing code connect"),
        (Stage::Plan, 20, "how the parts connect"),
    ];
    const COMMAND: Option<Command> = Some(Command::new("why", &["source", "target"]));
    const TEXT_OMITS: &'static [&'static str] = &["node_ids", "nodes", "relations", "found", "total_paths_found"];
    const DETAILS: &'static [&'static str] = &[
        "paths.nodes", "paths.node_ids", "paths.relations", "paths.cumulative_strength", "closure.dangling_edges",
        "history.commits",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("paths": "hops", "direction", "steps");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Why {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let source = end(snapshot, "source", &input.source)?;
        let target = end(snapshot, "target", &input.target)?;
        let (source, target) = match (source, target) {
            (Part::Node(source), Part::Node(target)) => (source, target),
            (source, target) => return of_parts(cx, (&source, &target), &input),
        };
        let query = WhyQuery { source, target, max_hops: input.max_hops as u32, max_paths: input.max_paths };
        let mut found = why(snapshot, &query, cx.cancel())?;
        if let Some(unseen) = cx.describe_unseen().filter(|_| found.closure.state == ClosureState::Closed) {
            found.closure =
                WhyClosure { state: ClosureState::Unknown, reason: Some(STALE), why: unseen, ..found.closure };
        }
        let guidance = guidance(snapshot, &query, &found);
        let ends = (NodeRow::new(snapshot, source), NodeRow::new(snapshot, target));
        let output = output(snapshot, ends, found, history(cx, source, target));
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn output(
    snapshot: &Snapshot,
    (source, target): (NodeRow, NodeRow),
    found: WhyAnswer,
    history: Option<History>,
) -> Output {
    Output {
        source,
        target,
        found: found.found,
        total_paths_found: found.paths.len(),
        paths: found.paths.iter().map(|path| path_row(snapshot, path)).collect(),
        reason: found.closure.reason.filter(|_| !found.found),
        closure: Closure {
            state: Word(found.closure.state),
            reason: found.closure.reason,
            dangling_edges: found.closure.dangling_edges.iter().map(|edge| dangling(snapshot, edge)).collect(),
            dangling_total: found.closure.dangling_total,
            why: found.closure.why,
        },
        history,
    }
}

/// The answer if one end is a folder.
fn of_parts(
    cx: &ReadContext<'_>,
    (source, target): (&Part, &Part),
    input: &Input,
) -> Result<Answer<Output>, ToolError> {
    let snapshot = cx.snapshot();
    let graph = snapshot.graph();
    let members = |argument: &str, part: &Part| {
        part.members(graph).ok_or_else(|| {
            let message = format!("argument `{argument}`: `{}` holds more code than is searched", part.name(graph));
            ToolError::new(ErrorCode::InvalidParams, message).next_step("pass one of its folders or files")
        })
    };
    let query = WhyPartsQuery {
        sources: members("source", source)?,
        targets: members("target", target)?,
        max_hops: input.max_hops as u32,
        max_paths: input.max_paths,
    };
    let mut found = why_parts(snapshot, &query, cx.cancel())?;
    if let Some(unseen) = cx.describe_unseen().filter(|_| found.closure.state == ClosureState::Closed) {
        found.closure = WhyClosure { state: ClosureState::Unknown, reason: Some(STALE), why: unseen, ..found.closure };
    }
    let row = |part: &Part| match part {
        Part::Node(node) => NodeRow::new(snapshot, *node),
        Part::Folder { path, .. } => NodeRow::folder(path),
    };
    let state = match (found.found, found.closure.state) {
        (_, ClosureState::Closed) => ProofState::Proving,
        _ => ProofState::Triaging,
    };
    let first = found.paths.first().and_then(|path| path.steps.first());
    let place = first.map(|step| graph.id(step.hop.from).to_owned());
    let guidance = match place {
        Some(place) => Guidance::next(state, ToolRef("view"), Some(place), found.closure.why.clone()),
        None => Guidance { next_step_hint: Some(found.closure.why.clone()), ..Guidance::state(state) },
    };
    Ok(Answer::new(output(snapshot, (row(source), row(target)), found, None)).guidance(guidance))
}

/// One end of the connection. If it does not exist, the error holds a closure that is not closed.
fn end(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Part, ToolError> {
    rows::resolve_part(snapshot, argument, text).map_err(|error| match error.code {
        ErrorCode::NodeNotFound => {
            let closure = WhyAnswer::node_not_found().closure;
            error
                .detail("closure", json!({"state": closure.state.word(), "reason": closure.reason, "why": closure.why}))
        }
        _ => error,
    })
}

fn history(cx: &ReadContext<'_>, source: NodeIx, target: NodeIx) -> Option<History> {
    let graph = cx.snapshot().graph();
    let (one, other) = (graph.path(source), graph.path(target));
    if one == other || one.is_empty() || other.is_empty() {
        return None;
    }
    let found = together(&cx.loaded_history()?, one, other)?;
    Some(History {
        relation: Word(HistoryRelation::ChangedTogether),
        common_commits: found.support,
        commits_of_source: found.commits_of.0,
        commits_of_target: found.commits_of.1,
        lift: round_value(found.lift),
        p_value: round_value(found.p_value),
        commits: CitedCommit::all(&found.commits),
    })
}

fn ids(snapshot: &Snapshot, nodes: &[NodeIx]) -> Vec<String> {
    nodes.iter().map(|node| snapshot.graph().id(*node).to_owned()).collect()
}

fn path_row(snapshot: &Snapshot, path: &WhyPath) -> PathRow {
    let graph = snapshot.graph();
    let first = path.steps.first().map(|step| step.hop.from);
    let nodes: Vec<NodeIx> = first.into_iter().chain(path.steps.iter().map(|step| step.hop.to)).collect();
    PathRow {
        nodes: nodes.iter().map(|node| graph.label(*node).to_owned()).collect(),
        node_ids: ids(snapshot, &nodes),
        relations: path.steps.iter().map(|step| Word(step.hop.relation)).collect(),
        hops: path.steps.len(),
        direction: Word(direction(path)),
        cumulative_strength: round_value(path.strength),
        steps: path.steps.iter().map(|step| step_row(snapshot, step)).collect(),
    }
}

answer_kinds! {
    /// How the edges of a path lead from source to target.
    pub(crate) PathDirection { Forward = "forward", Backward = "backward", Mixed = "mixed", }
}

fn direction(path: &WhyPath) -> PathDirection {
    match path.direction {
        Way::Forward => PathDirection::Forward,
        Way::Backward => PathDirection::Backward,
        Way::Mixed => PathDirection::Mixed,
    }
}

fn step_row(snapshot: &Snapshot, step: &WhyStep) -> Step {
    let graph = snapshot.graph();
    let hop = &step.hop;
    Step {
        from: graph.id(hop.from).to_owned(),
        to: graph.id(hop.to).to_owned(),
        from_label: graph.label(hop.from).to_owned(),
        to_label: graph.label(hop.to).to_owned(),
        relation: Word(hop.relation),
        forward: hop.forward,
        tier: Word(hop.tier),
        of: hop.of,
        dispatch: hop.dispatch,
        provenance: Provenance::of(hop.compiler),
        file_path: hop.file.clone(),
        line: hop.line,
        candidates: ids(snapshot, &step.candidates),
    }
}

fn dangling(snapshot: &Snapshot, edge: &DanglingEdge) -> Dangling {
    Dangling {
        node_id: snapshot.graph().id(edge.source).to_owned(),
        label: snapshot.graph().label(edge.source).to_owned(),
        relation: edge.relation.clone(),
        reason: edge.reason.clone(),
        name: edge.name.clone(),
        file_path: edge.file.clone(),
        line: edge.line,
        candidates: ids(snapshot, &edge.candidates),
    }
}

fn guidance(snapshot: &Snapshot, query: &WhyQuery, found: &WhyAnswer) -> Guidance {
    let graph = snapshot.graph();
    let open = found.closure.dangling_edges.first();
    let open_at = open.map(|edge| graph.id(edge.source).to_owned());
    let way = found.paths.first().map(|path| path.direction);
    match (found.found, found.closure.state) {
        // A path whose direction proves nothing.
        (true, state) if way == Some(Way::Mixed) || (state == ClosureState::Unknown && way == Some(Way::Backward)) => {
            Guidance::next(ProofState::Proving, ToolRef("view"), open_at, found.closure.why.clone())
        }
        // A path is proven: go on to who else is affected.
        (true, ClosureState::Closed) if way == Some(Way::Backward) => {
            let source = Some(graph.id(query.source).to_owned());
            let hint = "proven: the target leads to the source, not the reverse; check what else depends on the source";
            Guidance::next(ProofState::ReadyToEdit, ToolRef("impact"), source, hint)
        }
        (true, ClosureState::Closed) => {
            let target = Some(graph.id(query.target).to_owned());
            let hint = "the connection is proven; check what else depends on the target";
            Guidance::next(ProofState::ReadyToEdit, ToolRef("impact"), target, hint)
        }
        (true, _) => {
            let hint = format!(
                "{} with several possible targets; open the first",
                count(found.closure.dangling_total, "step")
            );
            Guidance::next(ProofState::Proving, ToolRef("view"), open_at, hint)
        }
        // No path, proven or not.
        (false, ClosureState::Closed) => {
            Guidance { next_step_hint: Some(found.closure.why.clone()), ..Guidance::state(ProofState::Proving) }
        }
        (false, _) if open_at.is_some() => {
            let hint = "no path, but an unresolved reference may hide one; open the first";
            Guidance::next(ProofState::Blocked, ToolRef("view"), open_at, hint)
        }
        (false, _) => {
            let target = Some(graph.id(query.target).to_owned());
            Guidance::next(
                ProofState::Blocked,
                ToolRef("impact"),
                target,
                "no path within the limits; check what depends on the target",
            )
        }
    }
}
