use m1nd_testkit::wire::{Framing, Wire};
use serde_json::{Value, json};

use crate::{session, tools};

fn ping(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

#[test]
fn each_request_is_answered_in_its_own_framing_however_the_bytes_arrive() {
    for piece in [1, 2, 5, 64, 4096] {
        let mut session = session();
        let mut bytes = Vec::new();
        for id in 0..20 {
            bytes.extend(framing_of(id).wrap(&ping(id)));
        }
        for piece in bytes.chunks(piece) {
            session.wire.send_bytes(piece);
        }
        for id in 0..20 {
            assert_eq!(session.wire.answer(id).framing, framing_of(id), "request {id}");
        }
        session.finish();
    }
}

fn framing_of(id: i64) -> Framing {
    if id % 3 == 1 { Framing::Header } else { Framing::Line }
}

#[test]
fn mixed_framings_in_flight_at_once_keep_apart() {
    let mut session = session();
    for id in 0..40 {
        let arguments = json!({"agent_id": "a", "steps": (id * 7) % 11});
        let params = json!({"name": if id % 2 == 0 { "spin" } else { "build" }, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        session.wire.send_bytes(&framing_of(id).wrap(&request));
    }
    for id in (0..40).rev() {
        let answer = session.wire.answer(id);
        assert_eq!(answer.framing, framing_of(id), "request {id}");
        assert_eq!(Wire::read_body(&answer.message)["text"], "done");
    }
    session.finish();
}

#[test]
fn a_notification_uses_the_framing_last_seen() {
    let mut session = session();
    session.wire.send_bytes(&Framing::Header.wrap(&ping(1)));
    assert_eq!(session.wire.answer(1).framing, Framing::Header);
    let params = json!({"name": "build", "arguments": {"agent_id": "a", "mark": 1}, "_meta": {"progressToken": "t"}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    session.wire.send_bytes(&Framing::Header.wrap(&call));
    let notice = session.wire.next_message().expect("progress");
    assert_eq!(notice.message["method"], "notifications/progress");
    assert_eq!(notice.framing, Framing::Header);
    session.wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    tools::wait_for_running(1, 0);
    session.finish();
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let mut session = session();
    session.wire.send(&json!([ping(1), {"jsonrpc": "2.0", "method": "notifications/x"}, ping(2)]));
    assert_eq!(session.wire.answer(2).message["result"], json!({}));
    assert_eq!(session.wire.answer(1).message["result"], json!({}));
    session.finish();
}

#[test]
fn everything_asked_before_the_end_of_the_input_is_answered() {
    let mut session = session();
    let ids: Vec<i64> = (0..30).map(|_| session.wire.ask_tool("spin", json!({"agent_id": "a", "steps": 20}))).collect();
    session.wire.send_bytes(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#); // no end of line
    session.wire.close_input();
    for id in ids {
        assert_eq!(Wire::read_body(&session.wire.answer(id).message)["text"], "done");
    }
    assert_eq!(session.wire.answer("last").message["result"], json!({}));
    assert!(session.wire.next_message().is_none(), "then the server is gone");
    session.finish();
}
