//! Answers about files that changed after they were indexed.

use serde_json::{Value, json};

use crate::harness::{Project, column};

const FIXTURE: &str = "//- a.py\ndef target():\n    pass\n";
const CALLER: &str = "from a import target\n\ndef unseen():\n    target()\n";

/// The index of an earlier run, read by a process that may not write, with a caller that came later.
fn read_only() -> Project {
    let project = Project::new(FIXTURE).reopen(|config| config.read_only = true);
    project.tree.write("b.py", CALLER);
    project
}

fn state(answer: &Value) -> (&str, &str) {
    (answer["closure"]["state"].as_str().unwrap_or_default(), answer["proof_state"].as_str().unwrap_or_default())
}

#[test]
fn nothing_is_said_about_files_that_are_as_indexed() {
    let project = Project::new(FIXTURE);
    for (tool, arguments) in [("impact", json!({"node_id": "target"})), ("search", json!({"query": "target"}))] {
        let answer = project.ok(tool, arguments);
        assert!(answer.get("stale").is_none(), "{answer}");
    }
    assert_eq!(state(&project.ok("impact", json!({"node_id": "target"}))), ("closed", "ready_to_edit"));
}

#[test]
fn a_writer_indexes_what_changed_before_it_answers() {
    let project = Project::new(FIXTURE);
    project.tree.write("b.py", CALLER);
    let answer = project.ok("impact", json!({"node_id": "target"}));
    assert_eq!(column(&answer, "blast_radius", "label"), "unseen b.py", "{answer}");
    assert!(answer.get("stale").is_none() && state(&answer).0 == "closed", "{answer}");
    project.tree.remove("b.py");
    let answer = project.ok("impact", json!({"node_id": "target"}));
    assert_eq!((column(&answer, "blast_radius", "label").as_str(), state(&answer).0), ("", "closed"), "{answer}");
    for round in 0..3 {
        let name = format!("late_{round}");
        project.tree.write("c.py", format!("def {name}(): pass\n"));
        let found = project.ok("seek", json!({"query": name, "top_k": 1}));
        assert_eq!(found["results"][0]["label"], name.as_str(), "{found}");
    }
}

#[test]
fn impact_is_not_closed_over_files_that_it_has_not_seen() {
    let project = read_only();
    let answer = project.ok("impact", json!({"node_id": "target"}));
    assert_eq!(column(&answer, "blast_radius", "label"), "", "{answer}");
    assert_eq!(state(&answer), ("blocked", "proving"), "{answer}");
    assert_eq!(answer["closure"]["why"], "1 file changed since it was indexed");
    let stale = &answer["stale"];
    assert_eq!((&stale["files"], &stale["total"]), (&json!(["b.py"]), &json!(1)), "{answer}");
    assert!(stale["hint"].as_str().is_some_and(|hint| hint.contains("m1nd ingest")), "{answer}");
    let again = project.reopen(|_| {}).ok("impact", json!({"node_id": "target"}));
    assert_eq!((column(&again, "blast_radius", "label").as_str(), state(&again).0), ("unseen b.py", "closed"), "{again}");
}

#[test]
fn no_other_answer_is_proof_either() {
    let project = read_only();
    let answer = project.ok("why", json!({"source": "target", "target": "target"}));
    assert_ne!(state(&answer).0, "closed", "{answer}");
    for (tool, arguments) in [
        ("seek", json!({"query": "unseen"})),
        ("search", json!({"query": "unseen"})),
        ("glob", json!({"pattern": "*.py"})),
        ("activate", json!({"query": "target"})),
    ] {
        let answer = project.ok(tool, arguments);
        assert_eq!(answer["stale"]["files"], json!(["b.py"]), "{tool}: {answer}");
        assert_ne!(answer["proof_state"], "ready_to_edit", "{tool}: {answer}");
    }
    let error = project.err("impact", json!({"node_id": "unseen"}));
    assert!(error.to_string().contains("b.py"), "{error}");
    let health = project.ok("health", json!({}));
    assert_eq!(health["status"], "degraded", "{health}");
}

#[test]
fn a_comparison_that_takes_too_long_closes_nothing() {
    let slow = |config: &mut m1nd_engine::EngineConfig| {
        config.check_budget = std::time::Duration::ZERO;
        config.read_only = true;
    };
    let answer = Project::new(FIXTURE).reopen(slow).ok("impact", json!({"node_id": "target"}));
    assert_eq!(state(&answer), ("blocked", "proving"), "{answer}");
    assert_eq!(answer["stale"]["incomplete"], true, "{answer}");
}
