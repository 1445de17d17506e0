//! Writes the index to disk now, or says when that was last done.

use m1nd_engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::engine_error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PersistAction {
    #[default]
    Save,
    Status,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(default)]
    action: PersistAction,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    /// Whether this call wrote something.
    saved: bool,
    /// The newest state is on disk.
    is_persisted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_persist_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes: Option<u64>,
}

pub(crate) struct Persist;

impl Tool for Persist {
    const NAME: &'static str = "persist";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str = "Write the index to disk now; it is also written by itself";
    const ANSWERS: &'static str = "whether the newest index is on disk, and since when";
    const HELP: &'static str = "\
The index is written by itself a second or two after the last change, and when the server ends; memories, feedback and
what agents hold are written at once. `action: save` (default) writes the index now and waits for it, for whoever wants
to copy the store or end the process hard. `action: status` only tells: `is_persisted`, `last_persist_ms` (milliseconds
since 1970) and `stored_bytes`. A process that does not write the index is refused `save`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "action": "status"}"#;
    const STAGES: &'static [Route] = &[(Stage::Operate, 60, "write the index to disk now")];
    const DETAILS: &'static [&'static str] = &["stored_bytes", "last_persist_ms"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"is_persisted": {"type": "boolean"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Persist {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let engine: &Engine = cx.engine();
        let saved = match input.action {
            PersistAction::Save => engine.save(cx.cancel()).map_err(engine_error)?,
            PersistAction::Status => false,
        };
        let stored = engine.find_stored();
        let is_persisted = stored.is_some_and(|stored| stored.is_newest);
        let output = Output {
            saved,
            is_persisted,
            last_persist_ms: stored.map(|stored| stored.written_ms),
            stored_bytes: stored.map(|stored| stored.bytes),
        };
        let hint = if is_persisted { "the newest index is on disk" } else { "it is written by itself soon" };
        Ok(Answer::new(output).guidance(Guidance::next(ProofState::Triaging, ToolRef("health"), None, hint)))
    }
}
