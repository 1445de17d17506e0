//! Locks a region of the graph.

use std::time::Duration;

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::priming_plan;
use m1nd_sessions::{LOCK_MINUTES, Lock, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock_baselines::{MINUTE_MS, baseline, scope_of, see};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::perspective::Kept;
use crate::rows::{self, session_error};

/// Default edges from the roots to the rest of the region.
const DEFAULT_RADIUS: u32 = 2;
/// Maximum edges from the roots.
const MAX_RADIUS: u32 = 4;
/// Maximum nodes that a call names.
const MAX_ROOTS: usize = 100;
/// Nodes that the words of a query name.
const QUERY_ROOTS: usize = 10;
/// Longest time of a lock, in minutes: a week.
const MAX_MINUTES: u64 = 7 * 24 * 60;
/// Longest id of a perspective.
const MAX_ID: usize = 200;

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScopeWord {
    Node,
    Subgraph,
    QueryNeighborhood,
    Path,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    scope: ScopeWord,
    /// Ids, paths or names
    #[serde(default)]
    #[schemars(length(max = MAX_ROOTS))]
    root_nodes: Vec<String>,
    #[serde(default = "radius")]
    #[schemars(range(min = 1, max = MAX_RADIUS))]
    radius: u32,
    /// For query_neighborhood
    query: Option<String>,
    /// For path, in order
    #[serde(default)]
    #[schemars(length(max = MAX_ROOTS))]
    path_nodes: Vec<String>,
    /// Refuses writes of others
    #[serde(default)]
    strict: bool,
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = MAX_MINUTES))]
    ttl_minutes: u64,
    /// Its close releases the lock
    #[schemars(length(max = MAX_ID))]
    perspective_id: Option<String>,
}

const fn radius() -> u32 {
    DEFAULT_RADIUS
}

const fn minutes() -> u64 {
    LOCK_MINUTES
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    lock_id: String,
    scope: ScopeWord,
    roots: Vec<String>,
    baseline_nodes: usize,
    baseline_edges: usize,
    graph_generation: u64,
    created_at_ms: u64,
    expires_at_ms: Option<u64>,
    /// Locks of other agents on nodes of the region.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_with: Vec<Shared>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Shared {
    lock_id: String,
    agent_id: String,
    strict: bool,
    nodes: usize,
}

pub(crate) struct LockCreate;

impl Tool for LockCreate {
    const NAME: &'static str = "lock_create";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Keep a region of the graph as it is, to see what changes in it";
    const ANSWERS: &'static str = "remembers a region as it is, to see exactly what changes";
    const HELP: &'static str = "\
Keeps the nodes and edges of a region as they are. `lock_diff` compares them with the present; `lock_rebase` takes the
present as the new baseline. Other agents see the lock in `shared_with` when they lock nodes of the region, and in `locks` when
they write there with the edit tools; if it is `strict`, those writes are refused.

`scope`: `node`: `root_nodes` with their members; `subgraph`: these, and what at most `radius` edges lead to or from
(both ways; containment is not followed, nor are packages); `query_neighborhood`: like it around the best matches of
`query`; `path`: `path_nodes` with the shortest connection from each to the next. Every name has to be that of one node.

A region has at most 2,000 nodes and 20,000 edges, an agent at most 10 locks. A lock ends `ttl_minutes` (480) after its
last change: `lock_watch` and `lock_rebase` start the time again. Only its owner can use it; it survives restarts.
`perspective_id` releases it when that perspective is closed. `shared_with` lists locks of others on the same nodes.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "scope": "subgraph", "root_nodes": ["auth.py"], "radius": 1}"#;
    const STAGES: &'static [Route] = &[(Stage::Edit, 60, "see what changes around your edit")];
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] = &["path_nodes", "perspective_id", "ttl_minutes"];
    const DETAILS: &'static [&'static str] = &["roots", "graph_generation", "created_at_ms"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"lock_id": {"type": "string"}, "baseline_nodes": {"type": "integer"}}}"#;
    const TEXT_OMITS: &'static [&'static str] = &["created_at_ms", "expires_at_ms", "graph_generation"];
    type Input = Input;
    type Output = Output;
}

impl WriteTool for LockCreate {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let roots = roots(cx, &snapshot, &input)?;
        // The perspective must be one of the caller: its close releases the lock.
        if let Some(perspective) = &input.perspective_id {
            cx.list_held().get::<Kept>(cx.agent(), perspective).map_err(session_error)?;
        }
        let graph = snapshot.graph();
        let ids: Vec<String> = roots.iter().map(|&node| graph.id(node).to_owned()).collect();
        let (word, radius) = match input.scope {
            ScopeWord::Node => ("node", 0),
            ScopeWord::Subgraph => ("subgraph", input.radius),
            ScopeWord::QueryNeighborhood => ("query_neighborhood", input.radius),
            ScopeWord::Path => ("path", 0),
        };
        let mut lock = Lock {
            scope: word.to_owned(),
            roots: ids.clone(),
            radius,
            strict: input.strict,
            watch: Watch::Manual,
            seen_generation: 0,
            seen_feedback: 0,
            perspective: input.perspective_id,
            generation: snapshot.generation(),
            baseline: m1nd_sessions::LockBaseline::default(),
        };
        // What the region is now; a later `lock_diff` compares with it.
        lock.baseline = baseline(&snapshot, &roots, scope_of(&lock), cx.cancel())?;
        see(cx.list_held(), &snapshot, &mut lock);
        // Others may hold locks on the same nodes; both are told.
        let nodes: Vec<&str> = lock.baseline.nodes.iter().map(String::as_str).collect();
        let touched = cx.sessions().locks_touched(cx.agent(), &[], &nodes).map_err(session_error)?;
        let shared_with = touched.into_iter().map(|other| Shared {
            lock_id: other.lock_id,
            agent_id: other.owner,
            strict: other.strict,
            nodes: other.nodes.len(),
        });
        let shared_with = shared_with.collect();
        let time = Duration::from_millis(input.ttl_minutes * MINUTE_MS);
        let handle = cx.sessions().mint_for(cx.agent(), lock, Some(time)).map_err(|error| {
            session_error(error).hint("`lock_release` releases a lock; those of a perspective end with it")
        })?;
        let hint = "after changes, see what they did to the region";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("lock_diff"), Some(handle.id.clone()), hint);
        Ok(Answer::new(Output {
            lock_id: handle.id.clone(),
            scope: input.scope,
            roots: ids,
            baseline_nodes: handle.value.baseline.nodes.len(),
            baseline_edges: handle.value.baseline.edges.len(),
            graph_generation: handle.value.generation,
            created_at_ms: handle.created_ms,
            expires_at_ms: handle.expires_ms,
            shared_with,
        })
        .guidance(guidance))
    }
}

fn roots(cx: &WriteContext<'_>, snapshot: &Snapshot, input: &Input) -> Result<Vec<NodeIx>, ToolError> {
    let (argument, names) = match input.scope {
        ScopeWord::Path => ("path_nodes", &input.path_nodes),
        _ => ("root_nodes", &input.root_nodes),
    };
    let mut roots = Vec::new();
    for name in names {
        let node = rows::resolve(snapshot, argument, name)?;
        if !roots.contains(&node) {
            roots.push(node);
        }
    }
    if let ScopeWord::QueryNeighborhood = input.scope {
        let query = input.query.as_deref().unwrap_or_default();
        rows::words("query", query, "the words or names of a topic")?;
        let plan = priming_plan(snapshot, query, cx.cancel())?;
        let new = plan.seeds.iter().take(QUERY_ROOTS).map(|(node, _)| *node).filter(|node| !roots.contains(node));
        let new: Vec<NodeIx> = new.collect();
        roots.extend(new);
    }
    if roots.is_empty() {
        let what = match input.scope {
            ScopeWord::QueryNeighborhood => "argument `query` matches no node".to_owned(),
            _ => format!("argument `{argument}` is empty, expected ids, paths or names"),
        };
        return Err(ToolError::invalid(what));
    }
    Ok(roots)
}
