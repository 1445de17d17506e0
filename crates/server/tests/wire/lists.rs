use m1nd_server::{ServeOptions, tools_list};
use m1nd_tools::{Format, ToolChoice, Toolset};
use serde_json::{Value, json};

use crate::{session_with, tools};

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

/// Whether a list describes answers: of all its tools or of none.
fn describes_answers(list: &Value) -> bool {
    let described: Vec<bool> =
        list["tools"].as_array().expect("tools").iter().map(|tool| tool["outputSchema"].is_object()).collect();
    assert!(described.windows(2).all(|pair| pair[0] == pair[1]), "{list}");
    described[0]
}

#[test]
fn answers_are_sent_once_unless_schemas_are_asked_for() {
    let versions = [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)];
    let asked = versions.iter().flat_map(|(version, knows)| [(*version, *knows, true), (*version, false, false)]);
    for (version, knows, output_schemas) in asked {
        let options = ServeOptions { tools: tools::TOOLS, output_schemas, ..ServeOptions::default() };
        let mut session = session_with(options);
        session.wire.initialize(version);
        let list = session.wire.request("tools/list", json!({}))["result"].clone();
        assert_eq!(describes_answers(&list), knows, "{version}");
        // Who was given a schema is owed structured content, whatever the form of the answer.
        let arguments = json!({"agent_id": "a", "text": "x", "format": "text"});
        let answer = session.wire.request("tools/call", json!({"name": "m1nd.echo", "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].clone();
        let expected = if knows { json!({"text": text}) } else { Value::Null };
        assert_eq!(answer["result"]["structuredContent"], expected, "{version}: {answer}");
        session.finish();
    }
}

#[test]
fn the_version_without_a_handshake_is_told_with_each_request() {
    let options = ServeOptions { tools: tools::TOOLS, output_schemas: true, ..ServeOptions::default() };
    let mut session = session_with(options);
    let meta = |version: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    };
    let list = session.wire.request("tools/list", json!({"_meta": meta("2026-07-28")}))["result"].clone();
    assert!(describes_answers(&list), "{list}");
    session.finish();
}

#[test]
fn text_and_short_lists_describe_no_answers() {
    let (text, short) = (Format::Text, Some(vec![ToolChoice::Agent, ToolChoice::Set(Toolset::Core)]));
    for (format, listed) in [(text, None), (Format::Json, short)] {
        let mut session = session_with(ServeOptions { tools: tools::TOOLS, format, listed, ..ServeOptions::default() });
        session.wire.initialize("2025-11-25");
        let list = session.wire.request("tools/list", json!({}))["result"].clone();
        assert!(!describes_answers(&list), "{list}");
        session.finish();
    }
}
