//! Prompts of the registry as the protocol has them.

use m1nd_tools::{PROMPTS, PromptDef};
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, ProtocolVersion, Role,
};
use serde_json::Value;

use crate::calls::Calls;
use crate::resources::has_titles;

/// The entries of `prompts/list`.
pub(crate) fn list_prompts(calls: &Calls, version: Option<&ProtocolVersion>) -> Vec<Prompt> {
    let entry = |prompt: &PromptDef| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.is_required)
        });
        let entry = Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()));
        if has_titles(version) { entry.with_title(prompt.title) } else { entry }
    };
    list_offered(calls).map(entry).collect()
}

fn list_offered(calls: &Calls) -> impl Iterator<Item = &'static PromptDef> {
    PROMPTS.iter().filter(|prompt| prompt.is_offered(|name| calls.offers(name)))
}

/// The answer to `prompts/get`: one message of the user.
pub(crate) fn get(calls: &Calls, request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let Some(prompt) = list_offered(calls).find(|prompt| prompt.name == request.name) else {
        let shown: String = request.name.chars().take(80).collect();
        let known: Vec<&str> = list_offered(calls).map(|prompt| prompt.name).collect();
        let message = format!("unknown prompt: {shown}; expected one of {}", known.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    };
    let given = |name: &str| match request.arguments.as_ref()?.get(name)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let text = prompt.text(|name| calls.offers(name), given);
    let text = text.map_err(|error| ErrorData::invalid_params(error.message, None))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
}
