//! Ends a perspective.

use serde::Serialize;

use super::held::Kept;
use super::input::OnePerspective;
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    closed: bool,
    /// Ids of locks that belonged to it.
    locks_released: Vec<String>,
}

pub(crate) struct PerspectiveClose;

impl Tool for PerspectiveClose {
    const NAME: &'static str = "perspective_close";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "End a perspective";
    const ANSWERS: &'static str = "ends a perspective, and says what was released with it";
    const HELP: &'static str = "\
Removes the perspective with its way; its branches stay. `locks_released` lists the locks that were created for it and
are released with it. A closed perspective is unknown to all other tools.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "perspective_id": "persp_agent_0"}"#;
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"perspective_id": {"type": "string"}, "closed": {"type": "boolean"}}}"#;
    type Input = OnePerspective;
    type Output = Output;
}

impl WriteTool for PerspectiveClose {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: OnePerspective) -> Result<Answer<Output>, ToolError> {
        cx.sessions().remove::<Kept>(cx.agent(), &input.perspective_id)?;
        let locks_released = cx.release_locks_of(&input.perspective_id)?;
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("perspective_start"), None, "it is closed");
        let output = Output { perspective_id: input.perspective_id, closed: true, locks_released };
        Ok(Answer::new(output).guidance(guidance))
    }
}
