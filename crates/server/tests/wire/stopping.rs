use std::time::Duration;

use m1nd_engine::{EngineConfig, ProcessRole};
use m1nd_server::{ServeOptions, serve};
use m1nd_testkit::Random;
use m1nd_testkit::wire::Wire;
use m1nd_tools::Services;
use serde_json::json;

use crate::session;
use crate::tools::{running, wait_for_running};

/// Long enough for an erroneous answer to arrive.
const QUIET: Duration = Duration::from_millis(100);

#[test]
fn cancelled_calls_stop_and_get_no_answer_and_others_are_not_disturbed() {
    let seed = 4_711;
    let mut random = Random::new(seed);
    let mut session = session();
    for round in 0..100 {
        let tool = if random.below(2) == 0 { "spin" } else { "build" };
        let id = session.wire.ask_tool(tool, json!({"agent_id": "a", "mark": 3}));
        // At any moment: queued, starting or running.
        std::thread::sleep(Duration::from_micros(random.below(3_000) as u64));
        session.wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        let (answer, _) = session.wire.call("echo", json!({"agent_id": "a", "text": "x"}));
        assert_eq!(answer["text"], "x", "seed {seed}, round {round}");
    }
    wait_for_running(3, 0);
    assert_eq!(session.wire.within(QUIET), None, "a cancelled call gets no answer");
    session.finish();
}

#[test]
fn unknown_cancellations_are_ignored() {
    let mut session = session();
    for params in [json!({"requestId": 5}), json!({"requestId": []}), json!({}), json!(null)] {
        session.wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }
    assert_eq!(session.wire.request("ping", json!({}))["result"], json!({}));
    session.finish();
}

#[test]
fn a_panic_in_a_tool_is_an_internal_error_and_the_server_lives() {
    let mut session = session();
    for round in 0..200 {
        let (answer, is_error) = session.wire.call("panics", json!({"agent_id": "a", "text": round.to_string()}));
        assert!(is_error);
        assert_eq!(answer["code"], "internal");
        assert!(answer["error"].as_str().unwrap().contains(&format!("on purpose: {round}")), "{answer}");
    }
    let (answer, _) = session.wire.call("echo", json!({"agent_id": "a", "text": "alive"}));
    assert_eq!(answer["text"], "alive");
    session.finish();
}

#[test]
fn when_the_client_is_gone_everything_stops() {
    let mut session = session();
    for _ in 0..4 {
        session.wire.ask_tool("spin", json!({"agent_id": "a", "mark": 4}));
    }
    session.wire.ask_tool("build", json!({"agent_id": "a", "mark": 4}));
    wait_for_running(4, 5);
    session.vanish();
    wait_for_running(4, 0);
}

#[test]
fn tools_about_the_server_answer_while_everything_else_is_busy() {
    let mut session = session();
    for _ in 0..30 {
        session.wire.ask_tool("spin", json!({"agent_id": "a", "mark": 5}));
        session.wire.ask_tool("build", json!({"agent_id": "a", "mark": 6}));
    }
    let (answer, _) = session.wire.call("pulse", json!({"agent_id": "a"}));
    assert_eq!(answer["text"], "alive");
    assert_eq!(session.wire.request("ping", json!({}))["result"], json!({}));
    assert!(running(5) < 30 && running(6) < 30, "the pool is bounded");
    session.vanish();
    wait_for_running(5, 0);
    wait_for_running(6, 0);
}

#[test]
fn progress_grows_until_the_answer_and_ends_there() {
    let mut session = session();
    let arguments = json!({"agent_id": "a", "steps": 800});
    let id = session
        .wire
        .ask("tools/call", json!({"name": "build", "arguments": arguments, "_meta": {"progressToken": 41}}));
    session.wire.answer(id);
    let notices = session.wire.take_kept();
    assert!(!notices.is_empty(), "there was time for progress");
    let mut last = -1.0;
    for notice in &notices {
        let params = &notice["params"];
        assert_eq!((&notice["method"], &params["progressToken"]), (&json!("notifications/progress"), &json!(41)));
        let progress = params["progress"].as_f64().unwrap();
        assert!(progress > last, "{notices:?}");
        last = progress;
    }
    assert_eq!(notices.last().unwrap()["params"]["total"], json!(800.0));
    assert_eq!(session.wire.within(QUIET), None, "no progress after the answer");
    session.finish();
}

#[test]
fn progress_names_the_stage_the_count_and_the_total() {
    let mut session = session();
    let arguments = json!({"agent_id": "a", "steps": 600});
    let id = session
        .wire
        .ask("tools/call", json!({"name": "build", "arguments": arguments, "_meta": {"progressToken": "t"}}));
    session.wire.answer(id);
    let notices = session.wire.take_kept();
    assert!(!notices.is_empty(), "there was time for progress");
    for notice in notices {
        // Counting starts at 0.
        let message = notice["params"]["message"].as_str().unwrap();
        let done = message.strip_prefix("building ").and_then(|rest| rest.strip_suffix(" of 600"));
        let done: f64 = done.unwrap_or_else(|| panic!("{message}")).parse().unwrap();
        let expected = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
            {"progressToken": "t", "progress": done, "total": 600.0, "message": message}});
        assert_eq!(notice, expected);
    }
    session.finish();
}

#[test]
fn without_a_token_there_is_no_progress() {
    let mut session = session();
    for meta in [json!({}), json!({"progressToken": null}), json!({"progressToken": []})] {
        let call = json!({"name": "build", "arguments": {"steps": 300}, "_meta": meta});
        let answer = session.wire.request("tools/call", call);
        assert_eq!(Wire::read_body(&answer)["text"], "done", "{answer}");
        assert_eq!(session.wire.take_kept(), [] as [serde_json::Value; 0]);
    }
    session.finish();
}

#[test]
fn with_the_end_of_the_input_the_engine_is_free_to_save() {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    std::fs::create_dir_all(root.join(".mind")).unwrap();
    std::fs::write(root.join(".mind/MEMORY.md"), "# P\n\n## Gotchas\n- one -> two\n").unwrap();
    let config = EngineConfig::new(folders.path().join("home"), vec![root]);
    for round in 0..5 {
        let services = Services::self_contained(config.clone()).unwrap();
        assert_eq!(services.engine.status().role, ProcessRole::Writer, "round {round}: the engine before has ended");
        let (_client_input, server_output) = std::io::pipe().unwrap();
        let options = ServeOptions { tools: crate::tools::TOOLS, ..ServeOptions::default() };
        serve(&services, options, &b""[..], server_output).unwrap();
    }
}
