//! Questions right after the start of a server on a project without an index.

use std::fmt::Write as _;

use m1nd_base::Clock;
use m1nd_engine::EngineConfig;
use m1nd_server::ServeOptions;
use serde_json::json;

use crate::{Session, session_over};

/// A server that starts on a project of 300 files without an index.
fn start(options: ServeOptions) -> Session {
    start_with(options, |_| {})
}

/// The same with an engine that is set up otherwise.
fn start_with(options: ServeOptions, change: impl FnOnce(&mut EngineConfig)) -> Session {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    std::fs::create_dir(&root).unwrap();
    for file in 0..300 {
        let mut text = String::new();
        for line in 0..20 {
            let _ = writeln!(text, "def read_{file}_{line}(path):\n    return open(path).read()\n");
        }
        std::fs::write(root.join(format!("m{file}.py")), text).unwrap();
    }
    let mut config = EngineConfig::new(folders.path().join("home"), vec![root]);
    change(&mut config);
    session_over(folders, config, options)
}

#[test]
fn definitions_are_answered_before_links_and_callers_wait_for_them() {
    // The writer asks the clock right before it publishes: it is held there.
    let (release, is_released) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(Some(is_released));
    let clock = Clock::new(move || {
        let is_writer = std::thread::current().name() == Some("m1nd-writer");
        let gate = if is_writer { gate.lock().unwrap().take() } else { None };
        let _ = gate.map(|is_released| is_released.recv());
        0
    });
    let options = ServeOptions { index_when_empty: true, ..ServeOptions::default() };
    let mut session = start_with(options, |config| (config.answers_unlinked, config.clock) = (true, clock));
    session.wire.initialize("2025-06-18");
    for (tool, arguments) in [
        ("definition", json!({"agent_id": "a", "target": "read_7_3"})),
        ("outline", json!({"agent_id": "a", "file_path": "m7.py"})),
        ("search", json!({"agent_id": "a", "query": "read_7_3"})),
    ] {
        let (answer, failed) = session.wire.call(tool, arguments);
        let text = answer.to_string();
        assert!(!failed && text.contains("still being linked") && text.contains("m7.py"), "{tool}: {answer}");
    }
    release.send(()).unwrap();
    let (answer, failed) = session.wire.call("callers", json!({"agent_id": "a", "node": "read_7_3"}));
    assert!(!failed && answer.to_string().contains("closed"), "{answer}");
    session.finish();
}

#[test]
fn a_call_waits_for_the_first_index_and_is_answered_from_it() {
    let calls = [
        ("seek", json!({"agent_id": "a", "query": "read_7_3"}), "read_7_3"),
        ("north", json!({"agent_id": "a", "task": "change read_7_3"}), "read_7_3"),
        ("view", json!({"agent_id": "a", "path": "m7.py"}), "read_7_3"),
        ("search", json!({"agent_id": "a", "query": "read_7_3"}), "m7.py"),
        ("callers", json!({"agent_id": "a", "node": "read_7_3"}), "closed"),
        ("panoramic", json!({"agent_id": "a"}), "m0.py"),
    ];
    for (tool, arguments, expected) in calls {
        let mut session = start(ServeOptions { index_when_empty: true, ..ServeOptions::default() });
        session.wire.initialize("2025-06-18");
        let (answer, failed) = session.wire.call(tool, arguments);
        assert!(!failed && answer.to_string().contains(expected), "{tool}: {answer}");
        session.finish();
    }
}

#[test]
fn a_call_does_not_wait_for_an_index_that_nobody_builds() {
    let mut session = start(ServeOptions::default());
    session.wire.initialize("2025-06-18");
    let (answer, failed) = session.wire.call("seek", json!({"agent_id": "a", "query": "read"}));
    assert!(failed && answer["code"] == "empty_graph", "{answer}");
    session.finish();
}
