//! Compares a locked region with the present.

use m1nd_query::regions::{EdgeChange, EdgeKey, RegionDiff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock_baselines::{difference, events, get};
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, is_zero,
};
use crate::rows::round_value;

/// Nodes of one list.
const MAX_NODES: usize = 50;
/// Edges of one list.
const MAX_EDGES: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, or `latest`
    lock_id: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Removed {
    node_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Unknown {
    node_id: String,
    reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct WeightRow {
    edge_key: String,
    old_weight: f64,
    new_weight: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Diff {
    lock_id: String,
    no_changes: bool,
    modified_nodes: Vec<String>,
    new_nodes: Vec<String>,
    removed_nodes: Vec<Removed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_nodes: Vec<Unknown>,
    new_edges: Vec<String>,
    removed_edges: Vec<String>,
    boundary_edges_added: Vec<String>,
    boundary_edges_removed: Vec<String>,
    weight_changes: Vec<WeightRow>,
    /// Rows left out of these lists.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    baseline_stale: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    diff: Diff,
    watcher_events_drained: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rebase_suggested: bool,
}

pub(crate) struct LockDiff;

impl Tool for LockDiff {
    const NAME: &'static str = "lock_diff";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Show exactly what changed in a locked region";
    const ANSWERS: &'static str = "which nodes and edges of a locked region, and over its boundary, changed";
    const HELP: &'static str = "\
Compares the baseline of your lock with the present. The region is the nodes it had, and what its roots contain now:
`modified_nodes` have another text (a class or file has one if anything in it has), `new_nodes` are new members of the
roots, `removed_nodes` are gone, with `moved_to` where the same text is now. Edges are `from -> to: relation`:
`new_edges` and `removed_edges` have both ends in the region, those in `boundary_edges_…` one; `weight_changes` are edges
of another certainty (1 over the number of candidates). Code elsewhere that came to use the region shows as a boundary
edge. `unknown_nodes` could not be compared.

Lists are complete up to 50 nodes and 100 edges each; `more` counts what is left out. `baseline_stale`: the index changed
since the baseline, whether or not the region did. `watcher_events_drained`: see `lock_watch`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "lock_id": "latest"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] =
        &[("lock_create", r#"{"scope": "node", "root_nodes": ["auth.py"]}"#)];
    const STAGES: &'static [Route] = &[(Stage::Review, 60, "what a change did to a locked region")];
    const NEEDS_FRESH: bool = true;
    const DETAILS: &'static [&'static str] = &["diff.weight_changes", "diff.lock_id", "diff.baseline_stale"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"diff": {"type": "object"}, "watcher_events_drained": {"type": "integer"}}}"#;
    const TEXT_OMITS: &'static [&'static str] = &["lock_id", "baseline_stale"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for LockDiff {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let handle = get(cx.list_held(), cx.agent(), &input.lock_id)?;
        let lock = &handle.value;
        let found = difference(snapshot, lock, cx.cancel())?;
        let baseline_stale = snapshot.generation() != lock.generation;
        let guidance = guidance(&found, &handle.id);
        let rebase_suggested = !found.is_empty();
        let watcher_events_drained = events(cx.list_held(), snapshot, lock);
        let diff = diff(handle.id, found, baseline_stale);
        Ok(Answer::new(Output { diff, watcher_events_drained, rebase_suggested }).guidance(guidance))
    }
}

fn diff(lock_id: String, found: RegionDiff, baseline_stale: bool) -> Diff {
    let mut more = 0;
    let no_changes = found.is_empty();
    let removed = |(node_id, moved_to)| Removed { node_id, moved_to };
    let unknown = |(node_id, reason)| Unknown { node_id, reason };
    let weight = |change: EdgeChange| WeightRow {
        edge_key: key(change.edge),
        old_weight: round_value(change.old),
        new_weight: round_value(change.new),
    };
    Diff {
        lock_id,
        no_changes,
        modified_nodes: first(found.modified_nodes, MAX_NODES, &mut more, |id| id),
        new_nodes: first(found.new_nodes, MAX_NODES, &mut more, |id| id),
        removed_nodes: first(found.removed_nodes, MAX_NODES, &mut more, removed),
        unknown_nodes: first(found.unknown_nodes, MAX_NODES, &mut more, unknown),
        new_edges: first(found.added.inside, MAX_EDGES, &mut more, key),
        removed_edges: first(found.removed.inside, MAX_EDGES, &mut more, key),
        boundary_edges_added: first(found.added.boundary, MAX_EDGES, &mut more, key),
        boundary_edges_removed: first(found.removed.boundary, MAX_EDGES, &mut more, key),
        weight_changes: first(found.weights, MAX_EDGES, &mut more, weight),
        more,
        baseline_stale,
    }
}

fn first<T, R>(rows: Vec<T>, limit: usize, more: &mut usize, row: impl FnMut(T) -> R) -> Vec<R> {
    *more += rows.len().saturating_sub(limit);
    rows.into_iter().take(limit).map(row).collect()
}

fn key(edge: EdgeKey) -> String {
    format!("{} -> {}: {}", edge.from, edge.to, edge.relation)
}

fn guidance(found: &RegionDiff, id: &str) -> Guidance {
    let changed = found.modified_nodes.first().or(found.new_nodes.first()).cloned();
    match (found.is_empty(), changed) {
        (true, _) if found.unknown_nodes.is_empty() => Guidance::state(ProofState::ReadyToEdit),
        (true, _) => Guidance::state(ProofState::Proving),
        (false, Some(node)) => {
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(node), "look at what changed in the region")
        }
        (false, None) => {
            let hint = "take the present as the new baseline once the changes are right";
            Guidance::next(ProofState::Proving, ToolRef("lock_rebase"), Some(id.to_owned()), hint)
        }
    }
}
