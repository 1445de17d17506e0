//! Pages of MCP Apps: for clients that declare the extension, and not a word of them for others.

use m1nd_server::ServeOptions;
use serde_json::{Value, json};

use crate::{Session, session_with};

const MIME_TYPE: &str = "text/html;profile=mcp-app";
const TOOLS: [&str; 3] = ["impact", "panoramic", "why"];

/// Capabilities of clients that show no pages: without the extension, with another, and with other types.
fn list_others() -> Vec<Value> {
    vec![
        json!({}),
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
        json!({"extensions": {"io.modelcontextprotocol/ui": {}}}),
        json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}}),
    ]
}

fn showing() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME_TYPE]}}})
}

fn start(capabilities: &Value) -> Session {
    let mut session = session_with(ServeOptions::default());
    let client = json!({"name": "t", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
    session.wire.request("initialize", params);
    session.wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session
}

/// Tools with a page, and its address.
fn list_pages(tools: &Value) -> Vec<(String, String)> {
    let rows = tools["tools"].as_array().expect("tools").iter();
    let page = |tool: &Value| {
        let uri = tool["_meta"]["ui"]["resourceUri"].as_str()?;
        Some((tool["name"].as_str()?.to_owned(), uri.to_owned()))
    };
    let mut pages: Vec<(String, String)> = rows.filter_map(page).collect();
    pages.sort();
    pages
}

#[test]
fn a_client_with_the_extension_gets_pages() {
    let mut session = start(&showing());
    let tools = session.wire.request("tools/list", json!({}))["result"].clone();
    let pages = list_pages(&tools);
    assert_eq!(pages.iter().map(|(tool, _)| tool.as_str()).collect::<Vec<_>>(), TOOLS);
    let listed = session.wire.request("resources/list", json!({}))["result"]["resources"].clone();
    for (tool, uri) in pages {
        let row = listed.as_array().expect("rows").iter().find(|row| row["uri"] == uri.as_str()).expect("is listed");
        assert_eq!(row["mimeType"], MIME_TYPE);
        let content = session.wire.request("resources/read", json!({"uri": uri}))["result"]["contents"][0].clone();
        assert_eq!((&content["mimeType"], &content["uri"]), (&json!(MIME_TYPE), &json!(uri)), "{tool}");
        assert_eq!(content["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
        assert!(content["text"].as_str().expect("a page").starts_with("<!doctype html>"), "{tool}");
    }
    let unknown = session.wire.request("resources/read", json!({"uri": "ui://m1nd/other"}));
    assert!(unknown["error"]["message"].as_str().is_some_and(|text| text.contains("not found")), "{unknown}");
    session.finish();
}

#[test]
fn nothing_changes_for_others() {
    for capabilities in list_others() {
        let mut session = start(&capabilities);
        let tools = session.wire.request("tools/list", json!({}))["result"].clone();
        assert_eq!(list_pages(&tools), [], "{capabilities}");
        assert!(!tools.to_string().contains("_meta"), "{capabilities}");
        let listed = session.wire.request("resources/list", json!({}))["result"].to_string();
        assert!(!listed.contains("ui://"), "{capabilities}: {listed}");
        let answer = session.wire.request("resources/read", json!({"uri": "ui://m1nd/impact"}));
        assert!(answer["error"].is_object(), "{capabilities}: {answer}");
        session.finish();
    }
}

#[test]
fn a_client_without_a_handshake_declares_it_with_each_request() {
    let mut session = session_with(ServeOptions::default());
    let meta = |capabilities: Value| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        })
    };
    for (capabilities, count) in [(showing(), TOOLS.len()), (json!({}), 0)] {
        let tools = session.wire.request("tools/list", json!({"_meta": meta(capabilities)}))["result"].clone();
        assert_eq!(list_pages(&tools).len(), count, "{tools}");
    }
    session.finish();
}
