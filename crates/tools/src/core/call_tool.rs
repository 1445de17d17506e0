//! Calls any tool by its name, for clients that call only tools of the list that they are shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Its name; `help` finds it
    tool: String,
    /// Its arguments
    #[allow(dead_code, reason = "a server passes them on")]
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    tool: ToolRef,
    summary: &'static str,
    arguments: Value,
    example: Value,
}

pub(crate) struct CallTool;

impl Tool for CallTool {
    const NAME: &'static str = "call_tool";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Call a tool that is not in this list, by name";
    const ANSWERS: &'static str = "what the named tool answers, for clients that call only what they list";
    const HELP: &'static str = "\
A server with a short list of tools (`--toolset agent`) has all of them. Some clients call only those that are listed:
`call_tool` passes `arguments` to the tool named `tool` and gives its answer as it is, also if that is an error. `help`
with `intent` finds a tool, with `tool_name` its arguments. What the server does not allow stays forbidden. On the command
line, where every tool can be called, it describes the tool.";
    const WAITS: bool = false;
    const FORWARDS: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "tool": "timeline", "arguments": {"node": "README.md"}}"#;
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"generation": {"type": "integer"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for CallTool {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let Some(tool) = cx.tools().find(&input.tool) else {
            let near = cx.tools().suggestions(&input.tool).join(", ");
            let shown: String = input.tool.chars().take(80).collect();
            return Err(ToolError::new(ErrorCode::UnknownTool, format!("unknown tool: {shown}"))
                .hint(format!("names like it: {near}"))
                .next_step("call `help` for an overview"));
        };
        let (arguments, example) = (tool.schema()["properties"].clone(), tool.example_arguments());
        let output = Output { tool: ToolRef(tool.name), summary: tool.summary, arguments, example };
        let hint = "call it by its name";
        Ok(Answer::new(output).guidance(Guidance::next(ProofState::Triaging, ToolRef(tool.name), None, hint)))
    }
}
