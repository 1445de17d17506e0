//! Branches a perspective.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::held::Kept;
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};

/// Longest name, in characters.
const MAX_NAME: usize = 80;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    perspective_id: String,
    /// Default branch-N
    #[schemars(length(max = MAX_NAME))]
    branch_name: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id: String,
    branch_perspective_id: String,
    branch_name: String,
    branched_from_focus: Option<String>,
    /// Number of stops that both have.
    steps: usize,
}

pub(crate) struct PerspectiveBranch;

impl Tool for PerspectiveBranch {
    const NAME: &'static str = "perspective_branch";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Copy a perspective with its way, to try another direction from the same place";
    const ANSWERS: &'static str = "a copy of a perspective that moves on its own";
    const HELP: &'static str = "\
Makes a perspective of its own with the same focus, way, lens, page and routes (and the same `route_set_version` until one
of the two moves). What is done in one does not affect the other, and `perspective_back` works in both up to the
start. It counts towards the limit of the agent.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "perspective_id": "persp_agent_0"}"#;
    const DETAILS: &'static [&'static str] = &["steps"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"branch_perspective_id": {"type": "string"}, "branch_name": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for PerspectiveBranch {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        if cx.snapshot().is_empty() {
            return Err(ToolError::empty_graph());
        }
        let handle = cx.sessions().get::<Kept>(cx.agent(), &input.perspective_id)?;
        let perspective = &handle.value.0;
        let given = input.branch_name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let branch_name = match given {
            Some(name) => name,
            None => {
                let all = cx.sessions().list::<Kept>(Some(cx.agent()), super::held::MAX_PERSPECTIVES)?;
                let is_branch = |other: &Kept| other.0.branch.as_ref().is_some_and(|branch| branch.from == handle.id);
                format!("branch-{}", all.handles.iter().filter(|other| is_branch(&other.value)).count() + 1)
            }
        };
        let copy = Kept(perspective.branch_off(branch_name.clone(), handle.id.clone()));
        let branch = cx.sessions().mint(cx.agent(), copy)?;
        let hint = "follow another route in the branch, then compare both";
        let target = Some(branch.id.clone());
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("perspective_routes"), target, hint);
        let output = Output {
            perspective_id: handle.id.clone(),
            branch_perspective_id: branch.id,
            branch_name,
            branched_from_focus: perspective.focus().map(str::to_owned),
            steps: perspective.steps.len(),
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}
