//! Lists known gotchas before code is written.

use m1nd_mind::{EdgeQuestion, EdgeWarning};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{answers, share};
use crate::framework::{
    Answer, Guidance, Mention, ProofState, Purpose, ReadContext, ReadTool, Tool, ToolError, Toolset,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What you are about to do
    intent: String,
    /// Snippet to check
    code: Option<String>,
    /// Replaces the detected stack
    stack: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    result: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

pub(crate) struct Edges;

impl Tool for Edges {
    const NAME: &'static str = "mind_edges";
    const TOOLSET: Toolset = Toolset::Memory;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Check what you are about to do against known gotchas";
    const ANSWERS: &'static str = "known gotchas of what you are about to do";
    const HELP: &'static str = "\
Checks an intent, and optionally a piece of code, against three kinds of gotchas: those of all projects (stored or
built in), those of the Gotchas section of this project's MEMORY.md, and those of its stack, which is detected from
manifests unless `stack` is given. The text of the answer is a list of warnings, most certain and severe first;
`matched_on` names the evidence, `confidence` its strength. If the list is empty, no known gotcha applies. Outside a
project only the gotchas of all projects are checked.";
    const EXAMPLE: &'static str = r#"{"intent": "implementing token generation with crypto"}"#;
    const MENTIONS: &'static [Mention] = &[(Purpose::Recall, 20, "before risky code")];
    const OUTPUT_SCHEMA: &'static str = answers::EDGES;
    const TEXT_OF: Option<&'static str> = Some("result");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Edges {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        if input.intent.trim().is_empty() {
            return Err(ToolError::invalid("argument `intent` is empty, expected what you are about to do"));
        }
        let question =
            EdgeQuestion { intent: &input.intent, code: input.code.as_deref(), stack: input.stack.as_deref() };
        let found = cx.memory().edges(&question);
        let guidance = match found.warnings.first() {
            None => Guidance::state(ProofState::ReadyToEdit),
            Some(_) => {
                let mut guidance = Guidance::state(ProofState::Proving);
                guidance.next_step_hint = Some("read each `workaround` before writing the code".into());
                guidance
            }
        };
        let row = |warning: &EdgeWarning| {
            let mut row = json!(warning);
            row["confidence"] = share(warning.confidence);
            row
        };
        let result = found.warnings.iter().map(row).collect();
        Ok(Answer::new(Output { result, notice: found.notice }).guidance(guidance))
    }
}
