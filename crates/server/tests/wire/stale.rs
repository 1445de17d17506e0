//! Questions right after files changed.

use m1nd_engine::EngineConfig;
use m1nd_server::ServeOptions;
use serde_json::{Value, json};

use crate::{Session, session_over};

/// A server with the real tools on an indexed project with one function; returns the folder of the project.
fn serve(change: impl FnOnce(&mut EngineConfig)) -> (Session, std::path::PathBuf) {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.py"), "def target():\n    pass\n").unwrap();
    let mut config = EngineConfig::new(folders.path().join("home"), vec![root.clone()]);
    change(&mut config);
    let mut session = session_over(folders, config, ServeOptions::default());
    session.wire.initialize("2025-06-18");
    let (answer, failed) = session.wire.call("ingest", json!({"agent_id": "a", "path": "."}));
    assert!(!failed, "{answer}");
    (session, root)
}

fn impact(session: &mut Session) -> (Vec<String>, Value) {
    let (answer, failed) =
        session.wire.call("impact", json!({"agent_id": "a", "node_id": "target", "max_output_chars": 90_000}));
    assert!(!failed, "{answer}");
    let rows = answer["blast_radius"].as_array().unwrap().iter();
    (rows.map(|row| row["label"].as_str().unwrap().to_owned()).collect(), answer)
}

/// Writes callers and asks right after each; returns how often the answer was closed.
fn ask_after_each_write(mut session: Session, root: &std::path::Path) -> usize {
    let mut closed = 0;
    for round in 0..50 {
        let name = format!("caller_{round}");
        let text = format!("from a import target\n\ndef {name}():\n    target()\n");
        std::fs::write(root.join(format!("{name}.py")), text).unwrap();
        let (labels, answer) = impact(&mut session);
        if answer["closure"]["state"] == "closed" {
            closed += 1;
            assert!(labels.contains(&name), "{name}: {answer}");
            assert!(answer.get("stale").is_none(), "{answer}");
        } else {
            assert!(answer["stale"].is_object() && answer["proof_state"] != "ready_to_edit", "{answer}");
        }
    }
    session.finish();
    closed
}

#[test]
fn without_a_watcher_an_answer_knows_what_was_written_before_it() {
    let (session, root) = serve(|_| {});
    assert!(ask_after_each_write(session, &root) > 0, "the index follows the files");
}

#[test]
fn with_a_watcher_an_answer_knows_what_was_written_before_it() {
    let (session, root) = serve(|config| config.watch = true);
    assert!(ask_after_each_write(session, &root) > 0, "the index follows the files");
}

#[test]
fn a_read_only_server_says_which_files_it_has_not_seen() {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.py"), "def target():\n    pass\n").unwrap();
    let config = EngineConfig::new(folders.path().join("home"), vec![root.clone()]);
    let engine = m1nd_engine::Engine::open(config.clone()).unwrap();
    let request = m1nd_engine::IngestRequest::code(&root);
    engine.ingest(request, &m1nd_base::Cancel::new(), &m1nd_base::NoProgress).unwrap();
    drop(engine);
    let config = EngineConfig { read_only: true, ..config };
    let mut session = session_over(folders, config, ServeOptions { read_only: true, ..ServeOptions::default() });
    session.wire.initialize("2025-06-18");
    assert_eq!(impact(&mut session).1["closure"]["state"], "closed");
    std::fs::write(root.join("b.py"), "from a import target\ntarget()\n").unwrap();
    let (labels, answer) = impact(&mut session);
    assert_eq!((labels.len(), &answer["closure"]["state"]), (0, &json!("blocked")), "{answer}");
    assert_eq!(answer["stale"]["files"], json!(["b.py"]), "{answer}");
    session.finish();
}
