//! Takes the present as the new baseline of a lock.

use m1nd_engine::graph::NodeIx;
use m1nd_sessions::{Lock, SessionError, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock_baselines::{baseline, get, scope_of, see};
use crate::framework::{
    Answer, Effect, ErrorCode, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::session_error;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    lock_id: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    lock_id: String,
    previous_generation: u64,
    new_generation: u64,
    baseline_nodes: usize,
    baseline_edges: usize,
    watcher_preserved: bool,
    /// Roots that are not in the graph any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_roots: Vec<String>,
    expires_at_ms: Option<u64>,
}

pub(crate) struct LockRebase;

impl Tool for LockRebase {
    const NAME: &'static str = "lock_rebase";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Take the present as the new baseline of a lock";
    const ANSWERS: &'static str = "makes the present the baseline of a lock";
    const HELP: &'static str = "\
Makes the region again from the roots of the lock, with the same scope and radius, and keeps it as the new baseline;
what it counts as events starts again, and so does its time. Roots that are gone are left out and come back in
`lost_roots`; if none is left, nothing changes and the call fails. The limits of `lock_create` apply.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "lock_id": "latest"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] =
        &[("lock_create", r#"{"scope": "node", "root_nodes": ["auth.py"]}"#)];
    const NEEDS_FRESH: bool = true;
    const DETAILS: &'static [&'static str] = &["previous_generation", "watcher_preserved", "expires_at_ms"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"lock_id": {"type": "string"}, "baseline_nodes": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for LockRebase {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let known = get(cx.list_held(), cx.agent(), &input.lock_id)?;
        let graph = snapshot.graph();
        let roots: Vec<NodeIx> = known.value.roots.iter().filter_map(|root| graph.find(root)).collect();
        let lost_roots: Vec<String> =
            known.value.roots.iter().filter(|root| graph.find(root).is_none()).cloned().collect();
        if roots.is_empty() {
            let message = format!("none of the roots of lock `{}` is in the graph any more", known.id);
            return Err(ToolError::new(ErrorCode::NodeNotFound, message)
                .next_step("release the lock, and create another one on the code that took its place"));
        }
        let next = baseline(&snapshot, &roots, scope_of(&known.value), cx.cancel())?;
        let change = |lock: &mut Lock| {
            let previous = std::mem::replace(&mut lock.generation, snapshot.generation());
            lock.baseline = next.clone();
            see(cx.list_held(), &snapshot, lock);
            Ok::<u64, SessionError>(previous)
        };
        let (handle, previous_generation) =
            cx.sessions().update(cx.agent(), &known.id, change).map_err(session_error)?;
        let target = Some(handle.id.clone());
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("lock_diff"), target, "see later what changed");
        Ok(Answer::new(Output {
            lock_id: handle.id,
            previous_generation,
            new_generation: handle.value.generation,
            baseline_nodes: handle.value.baseline.nodes.len(),
            baseline_edges: handle.value.baseline.edges.len(),
            watcher_preserved: handle.value.watch != Watch::Manual,
            lost_roots,
            expires_at_ms: handle.expires_ms,
        })
        .guidance(guidance))
    }
}
