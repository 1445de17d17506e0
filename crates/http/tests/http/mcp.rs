//! MCP: sessions, streams, cancellation, and the form without sessions.

use std::io::Write;

use m1nd_http::Limits;
use serde_json::{Value, json};

use crate::client::read_until;
use crate::tools::count_running;
use crate::{Server, start_test_tools, wait_until};

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// The text that a call answers in a session.
fn answer_text(server: &Server, session: &str, text: &str) -> Value {
    let answer = server.send(&server.message(Some(session), &call(5, "echo", &json!({"text": text}))));
    assert_eq!(answer.status, 200, "{answer:?}");
    let message = answer.messages().pop().unwrap();
    let body = message["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(body).unwrap()["text"].clone()
}

#[test]
fn sessions_are_separate_and_end_with_delete() {
    let server = start_test_tools(Limits::default());
    let (one, two) = (server.open_session(), server.open_session());
    assert_ne!(one, two);
    assert_eq!((answer_text(&server, &one, "a"), answer_text(&server, &two, "b")), (json!("a"), json!("b")));
    let end = server.request("DELETE", "/mcp").with("Mcp-Session-Id", &one);
    assert_eq!(server.send(&end).status, 204);
    assert_eq!(server.send(&server.message(Some(&one), &call(6, "echo", &json!({})))).status, 404);
    assert_eq!(answer_text(&server, &two, "c"), json!("c"));
    for unknown in ["guess", "00000000-0000-0000-0000-000000000000"] {
        assert_eq!(server.send(&server.message(Some(unknown), &call(7, "echo", &json!({})))).status, 404);
    }
    // Without a session nothing but a handshake is answered.
    assert!(server.send(&server.message(None, &call(8, "echo", &json!({})))).status >= 400);
}

#[test]
fn a_call_is_cancelled_by_its_notification_and_with_its_session() {
    let server = start_test_tools(Limits::default());
    let session = server.open_session();
    let (status, _stream) = server.open_stream(&server.message(Some(&session), &call(3, "spin", &json!({"mark": 3}))));
    assert_eq!(status, 200);
    wait_until("the call runs", || count_running(3) == 1);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}});
    assert_eq!(server.send(&server.message(Some(&session), &cancel)).status, 202);
    wait_until("the call stops", || count_running(3) == 0);

    let (_, _stream) = server.open_stream(&server.message(Some(&session), &call(4, "spin", &json!({"mark": 4}))));
    wait_until("the call runs", || count_running(4) == 1);
    server.send(&server.request("DELETE", "/mcp").with("Mcp-Session-Id", &session));
    wait_until("the call stops", || count_running(4) == 0);
}

#[test]
fn an_interrupted_stream_is_resumed_with_its_answer() {
    let server = start_test_tools(Limits::default());
    let session = server.open_session();
    let request = server.message(Some(&session), &call(3, "echo", &json!({"text": "late", "mark": 10})));
    let (_, mut stream) = server.open_stream(&request);
    let lines = read_until(&mut stream, "id: ");
    let id = lines.last().unwrap().strip_prefix("id: ").unwrap().to_owned();
    drop(stream);
    let resume = server
        .request("GET", "/mcp")
        .with("Accept", "text/event-stream")
        .with("Mcp-Session-Id", &session)
        .with("Last-Event-ID", &id);
    let (status, mut stream) = server.open_stream(&resume);
    assert_eq!(status, 200);
    let lines = read_until(&mut stream, "data: {");
    assert!(lines.last().unwrap().contains("late"), "{lines:?}");
}

#[test]
fn the_newest_version_needs_no_session() {
    let server = start_test_tools(Limits::default());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut message = call(1, "echo", &json!({"text": "alone"}));
    message["params"]["_meta"] = meta;
    let request = server
        .message(None, &message)
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "echo");
    let answer = server.send(&request);
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None), "{answer:?}");
    assert!(answer.body.contains("alone"), "{answer:?}");
    // Methods that no server has, and those of earlier versions.
    for method in ["nothing/at_all", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let mut unknown = message.clone();
        unknown["method"] = method.into();
        let other =
            server.message(None, &unknown).with("MCP-Protocol-Version", "2026-07-28").with("Mcp-Method", method);
        let answer = server.send(&other);
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!(-32601)), "{answer:?}");
    }
    // Headers that contradict the body.
    let answer = server.send(&request.clone().with("Mcp-Name", "spin"));
    assert_eq!(answer.status, 400, "{answer:?}");
    // The call stops with its connection.
    message["params"]["name"] = "spin".into();
    message["params"]["arguments"] = json!({"mark": 5});
    let request = server
        .message(None, &message)
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "spin");
    let mut stream = server.connect();
    stream.write_all(&request.bytes()).unwrap();
    wait_until("the call runs", || count_running(5) == 1);
    drop(stream);
    wait_until("the call stops", || count_running(5) == 0);
}
