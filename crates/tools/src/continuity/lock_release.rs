//! Releases a lock.

use m1nd_sessions::Lock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock_baselines::get;
use crate::framework::{Answer, Effect, Guidance, ProofState, Tool, ToolError, Toolset, WriteContext, WriteTool};
use crate::rows::session_error;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    lock_id: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    lock_id: String,
    released: bool,
}

pub(crate) struct LockRelease;

impl Tool for LockRelease {
    const NAME: &'static str = "lock_release";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Release a lock";
    const ANSWERS: &'static str = "ends a lock";
    const HELP: &'static str = "\
Removes a lock of yours with its baseline. Locks also end by their time, and those made with a `perspective_id` when that
perspective is closed.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "lock_id": "latest"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] =
        &[("lock_create", r#"{"scope": "node", "root_nodes": ["auth.py"]}"#)];
    const DETAILS: &'static [&'static str] = &["lock_id"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"released": {"type": "boolean"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for LockRelease {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let lock_id = get(cx.list_held(), cx.agent(), &input.lock_id)?.id;
        cx.sessions().remove::<Lock>(cx.agent(), &lock_id).map_err(session_error)?;
        Ok(Answer::new(Output { lock_id, released: true }).guidance(Guidance::state(ProofState::ReadyToEdit)))
    }
}
