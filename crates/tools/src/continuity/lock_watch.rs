//! Sets what a lock reports.

use m1nd_sessions::{Lock, SessionError, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock_baselines::{get, see};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::session_error;
use crate::word::Word;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strategy {
    Manual,
    OnIngest,
    OnLearn,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    lock_id: String,
    strategy: Strategy,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    lock_id: String,
    strategy: Word<Watch>,
    previous_strategy: Word<Watch>,
    expires_at_ms: Option<u64>,
}

pub(crate) struct LockWatch;

impl Tool for LockWatch {
    const NAME: &'static str = "lock_watch";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Have a lock count changes of the index, or feedback on its region";
    const ANSWERS: &'static str = "sets which events a lock counts";
    const HELP: &'static str = "\
From now on `lock_diff` reports the number of events in `watcher_events_drained`: with `on_ingest` changes of the index,
by whatever process; with `on_learn` rows of feedback that name a node of the region; with `manual` none. Events are not
lost by a restart, and reading them does not use them up: they count from this call or the last `lock_rebase`. There is
no strategy that watches by time.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "lock_id": "latest", "strategy": "on_ingest"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] =
        &[("lock_create", r#"{"scope": "node", "root_nodes": ["auth.py"]}"#)];
    const DETAILS: &'static [&'static str] = &["previous_strategy", "expires_at_ms"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"lock_id": {"type": "string"}, "strategy": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for LockWatch {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let known = get(cx.list_held(), cx.agent(), &input.lock_id)?;
        let strategy = match input.strategy {
            Strategy::Manual => Watch::Manual,
            Strategy::OnIngest => Watch::OnIngest,
            Strategy::OnLearn => Watch::OnLearn,
        };
        let change = |lock: &mut Lock| {
            let previous = std::mem::replace(&mut lock.watch, strategy);
            see(cx.list_held(), &snapshot, lock);
            Ok::<Watch, SessionError>(previous)
        };
        let (handle, previous) = cx.sessions().update(cx.agent(), &known.id, change).map_err(session_error)?;
        let target = Some(handle.id.clone());
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("lock_diff"), target, "ask for differences later");
        Ok(Answer::new(Output {
            lock_id: handle.id,
            strategy: Word(strategy),
            previous_strategy: Word(previous),
            expires_at_ms: handle.expires_ms,
        })
        .guidance(guidance))
    }
}
