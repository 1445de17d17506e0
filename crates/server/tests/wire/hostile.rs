use m1nd_testkit::Random;
use serde_json::{Value, json};

use crate::session;

/// One malformed message. It ends with a line end, so that the next message can be told apart.
fn make_malformed(random: &mut Random) -> Vec<u8> {
    let valid = r#"{"jsonrpc":"2.0","id":77777,"method":"tools/call","params":{"name":"echo","arguments":{}}}"#;
    let mut bytes = match random.below(9) {
        // Cut somewhere.
        0 => valid.as_bytes()[..1 + random.below(valid.len() - 1)].to_vec(),
        // A byte replaced.
        1 => {
            let mut bytes = valid.as_bytes().to_vec();
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
            bytes
        }
        // Noise.
        2 => (0..random.below(200)).map(|_| random.below(256) as u8).collect(),
        3 => b"{\"id\":null,\"method\":\"ping\"}".to_vec(),
        4 => b"{\"jsonrpc\":\"2.0\",\"method\":7}".to_vec(),
        5 => b"[[],{},1,null,\"x\"]".to_vec(),
        6 => format!("Content-Length: {}\r\n\r\nxx", random.below(3)).into_bytes(),
        7 => b"Content-Length: 99999999999999999999\r\n\r\n".to_vec(),
        _ => b"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"tools/call\",\"params\":\"x\"}".to_vec(),
    };
    bytes.extend_from_slice(b"\n\n");
    bytes
}

#[test]
fn after_each_of_500_malformed_messages_the_server_answers() {
    let seed = 20_261_121;
    let mut random = Random::new(seed);
    let mut session = session();
    for round in 0..500 {
        let bytes = make_malformed(&mut random);
        session.wire.send_bytes(&bytes);
        // Noise may look like the start of headers; a line that starts a message ends them.
        let id = format!("round {round}");
        session.wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        let answer = session.wire.answer(id).message;
        assert_eq!(answer["result"], json!({}), "seed {seed}, after {:?}", String::from_utf8_lossy(&bytes));
        session.wire.take_kept();
    }
    session.finish();
}

/// Sends bytes, and expects one error with this id and an answer to the next request.
fn expect_refusal(bytes: &[u8], id: Value, words: &str) {
    let mut session = session();
    session.wire.send_bytes(bytes);
    let refusal = session.wire.next_message().expect("a refusal").message;
    assert_eq!(refusal["id"], id, "{refusal}");
    let message = refusal["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {refusal}"));
    assert!(message.contains(words), "{message}");
    let (answer, _) = session.wire.call("echo", json!({"agent_id": "a", "text": "still here"}));
    assert_eq!(answer["text"], "still here");
    session.finish();
}

#[test]
fn what_is_too_large_or_too_deep_is_refused_and_the_next_call_answered() {
    let long =
        json!({"jsonrpc": "2.0", "method": "tools/call", "id": 8, "params": {"x": "y".repeat(8 << 20)}}).to_string();
    expect_refusal(format!("{long}\n").as_bytes(), json!(8), "limit of 4194304 bytes");
    expect_refusal(
        format!("Content-Length: {}\r\n\r\n{long}", long.len()).as_bytes(),
        json!(8),
        "limit of 4194304 bytes",
    );
    expect_refusal(b"Content-Length: 9999999999999999\r\n\r\n", Value::Null, "over the limit");
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{}{}}}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    expect_refusal(deep.as_bytes(), json!(9), "nests 10001 levels deep");
}

#[test]
fn an_id_in_use_and_too_many_requests_are_refused() {
    let mut session = session();
    let call = |id: i64| {
        let params = json!({"name": "spin", "arguments": {"agent_id": "a", "mark": 2}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    for id in 0..m1nd_server::IN_FLIGHT as i64 {
        session.wire.send(&call(id));
    }
    session.wire.send(&call(3));
    let refusal = session.wire.answer(3).message;
    assert!(refusal["error"]["message"].as_str().unwrap().contains("id is in use"), "{refusal}");
    session.wire.send(&call(100_000));
    let refusal = session.wire.answer(100_000).message;
    assert!(refusal["error"]["message"].as_str().unwrap().contains("wait for some"), "{refusal}");
    session.vanish();
}
