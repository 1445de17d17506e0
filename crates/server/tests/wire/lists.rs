use m1nd_server::{ServeOptions, tools_list};
use m1nd_tools::{Format, ToolChoice};
use serde_json::Value;

/// Tokens of an entry of the whole list, on average: 90 tools in 20,000 tokens.
const ENTRY_TOKENS: usize = 220;
/// Tokens of the list for agents, and of its entries on average.
const AGENT_TOKENS: usize = 5_000;
const AGENT_ENTRY_TOKENS: usize = 200;
/// Tools of the list for agents.
const AGENT_TOOLS: usize = 25;
/// Bytes that count as one token.
const TOKEN_BYTES: usize = 4;

/// Number of tools of a list, and its tokens as sent.
fn size(list: &Value) -> (usize, usize) {
    (list["tools"].as_array().expect("tools").len(), list.to_string().len() / TOKEN_BYTES)
}

#[test]
fn the_list_of_all_tools_is_worth_its_tokens() {
    for format in [Format::Json, Format::Text] {
        let list = tools_list(&ServeOptions { format, ..ServeOptions::default() });
        let (tools, tokens) = size(&list);
        assert!(tokens <= tools * ENTRY_TOKENS, "{tokens} tokens for {tools} tools, {} for each", tokens / tools);
    }
}

#[test]
fn the_list_for_agents_is_short() {
    let listed = Some(vec![ToolChoice::Agent]);
    for format in [Format::Json, Format::Text] {
        let list = tools_list(&ServeOptions { format, listed: listed.clone(), ..ServeOptions::default() });
        let (tools, tokens) = size(&list);
        assert!((10..=AGENT_TOOLS).contains(&tools), "{tools}");
        assert!(tokens <= AGENT_TOKENS && tokens <= tools * AGENT_ENTRY_TOKENS, "{tokens} tokens for {tools} tools");
    }
}
