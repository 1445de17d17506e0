//! Stores a gotcha for all projects.

use m1nd_mind::{Edge, EdgeDraft};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{answers, memory_error};
use crate::framework::{
    Answer, Effect, Guidance, Mention, ProofState, Purpose, Tool, ToolError, Toolset, WriteContext, WriteTool,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SeverityWord {
    Info,
    #[default]
    Warning,
    Critical,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetectionInput {
    #[serde(default)]
    context: Vec<String>,
    #[serde(default)]
    intent: Vec<String>,
    /// Regexes
    #[serde(default)]
    code: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    title: String,
    /// What goes wrong
    description: String,
    workaround: String,
    /// When it applies
    detection: DetectionInput,
    #[serde(default)]
    stack_tags: Vec<String>,
    #[serde(default)]
    severity: SeverityWord,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(flatten)]
    edge: Edge,
}

pub(crate) struct AddGlobalEdge;

impl Tool for AddGlobalEdge {
    const NAME: &'static str = "mind_add_global_edge";
    const TOOLSET: Toolset = Toolset::Memory;
    const SUMMARY: &'static str = "Add a gotcha of a platform or language, for all projects";
    const ANSWERS: &'static str = "stores a gotcha of a platform or language for all projects";
    const HELP: &'static str = "\
Stores a fact about a platform or language that others will run into; a gotcha of this project alone belongs in the
Gotchas section of its MEMORY.md. `detection` says when it applies: `context` and `intent` are keywords, `code`
regular expressions (linear time, without look-around); at least one of them or a stack tag is required. A gotcha
similar to a stored one is not stored again: the error EDGE_EXISTS names the stored one, which is then counted as
verified once more.";
    const EXAMPLE: &'static str = r#"{"title": "Safari ITP blocks cross-domain cookies", "description": "third-party cookies are deleted", "workaround": "use same-domain auth", "detection": {"context": ["safari"], "intent": ["cookies"], "code": ["sameSite.*none"]}}"#;
    const MENTIONS: &'static [Mention] = &[(Purpose::Keep, 10, "")];
    const OUTPUT_SCHEMA: &'static str = answers::EDGE;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for AddGlobalEdge {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let draft = json!({
            "title": input.title, "description": input.description, "workaround": input.workaround,
            "detection": input.detection, "stack_tags": input.stack_tags, "severity": input.severity,
        });
        let draft: EdgeDraft = serde_json::from_value(draft).map_err(|error| ToolError::invalid(error.to_string()))?;
        let edge = cx.keeper().add_global_edge(&draft).map_err(|error| memory_error(&error))?;
        let mut guidance = Guidance::state(ProofState::ReadyToEdit);
        guidance.next_step_hint = Some("`mind_edges` now shows it in every project it applies to".into());
        Ok(Answer::new(Output { edge }).guidance(guidance))
    }
}
