use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use m1nd_engine::Clock;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

const MINUTE: u64 = 60_000;

fn with_clock() -> (Project, Arc<AtomicU64>) {
    let now = Arc::new(AtomicU64::new(1_700_000_000_000));
    let clock = now.clone();
    let project = Project::with(PROGRAM, |config| config.clock = Clock::new(move || clock.load(Ordering::Relaxed)));
    project.ok("ingest", json!({"path": "."}));
    (project, now)
}

fn seek(project: &Project, agent: &str) -> Value {
    let mut answer = project
        .call_as_is("seek", json!({"agent_id": agent, "query": "user credentials", "min_score": 0.0}))
        .unwrap_or_else(|error| panic!("{}", error.to_json()));
    answer["elapsed_ms"].take();
    answer
}

fn score(answer: &Value, rows: &str, label: &str) -> f64 {
    let row = answer[rows].as_array().and_then(|rows| rows.iter().find(|row| row["label"] == label));
    let row = row.unwrap_or_else(|| panic!("no row {label} in {answer}"));
    row["score"].as_f64().or_else(|| row["activation"].as_f64()).expect("a score")
}

#[test]
fn later_answers_of_this_agent_lean_towards_the_task() {
    let (project, _) = with_clock();
    let before = seek(&project, "tester");
    let dump = project.services.engine.snapshot().graph().dump();
    let primed = project.ok("warmup", json!({"task_description": "load_user", "boost_strength": 0.5}));
    assert!(column(&primed, "seeds", "label").starts_with("load_user"), "{primed}");
    assert_eq!(primed["top_primed"][0]["boost"], json!(0.5), "{primed}");
    assert!(column(&primed, "top_primed", "label").contains("find"), "what it calls: {primed}");
    assert!(!column(&primed, "top_primed", "label").contains("twin"), "{primed}");
    let after = seek(&project, "tester");
    assert_eq!(after["primed_by"]["task"], "load_user");
    let lifted = score(&after, "results", "load_user") / score(&before, "results", "load_user");
    assert!((lifted - 1.5).abs() < 1e-3, "{lifted}");
    let row = after["results"].as_array().and_then(|rows| rows.iter().find(|row| row["label"] == "load_user"));
    assert_eq!(row.map(|row| &row["primed_by"]), Some(&json!(0.5)));
    let sorted = after["results"].as_array().expect("rows").iter().filter_map(|row| row["score"].as_f64());
    assert!(sorted.is_sorted_by(|a, b| a >= b), "{after}");
    assert_eq!(seek(&project, "another"), before, "another agent sees nothing of it");
    assert_eq!(project.services.engine.snapshot().graph().dump(), dump);
    let activated = project.ok("activate", json!({"query": "user credentials"}));
    assert_eq!(activated["primed_by"]["task"], "load_user");
}

#[test]
fn it_fades_and_can_be_ended() {
    let (project, now) = with_clock();
    let before = seek(&project, "tester");
    project.ok("warmup", json!({"task_description": "load_user"}));
    assert_eq!(seek(&project, "tester")["primed_by"]["strength"], json!(0.15));
    assert_eq!(seek(&project, "tester"), seek(&project, "tester"));
    now.fetch_add(31 * MINUTE, Ordering::Relaxed);
    assert_eq!(seek(&project, "tester")["primed_by"]["strength"], json!(0.075));
    now.fetch_add(240 * MINUTE, Ordering::Relaxed);
    assert_eq!(seek(&project, "tester"), before);
    project.ok("warmup", json!({"task_description": "load_user"}));
    assert_ne!(seek(&project, "tester"), before);
    let ended = project.ok("warmup", json!({"task_description": "load_user", "boost_strength": 0}));
    assert_eq!((&ended["primed_nodes"], &ended["top_primed"]), (&json!(0), &json!([])));
    assert_eq!(seek(&project, "tester"), before);
}

#[test]
fn pages_of_another_order_do_not_go_on() {
    let (project, _) = with_clock();
    let question = json!({"query": "user credentials", "top_k": 1, "min_score": 0.0});
    let first = project.ok("seek", question.clone());
    let mut next = question;
    next["cursor"] = first["cursor"].clone();
    project.ok("seek", next.clone());
    project.ok("warmup", json!({"task_description": "load_user"}));
    assert_eq!(project.err("seek", next)["code"], "stale_cursor");
}

#[test]
fn what_cannot_be_kept_is_a_preview() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("warmup", json!({"task_description": "zebra quagga"}));
    assert_eq!((&answer["primed_nodes"], &answer["proof_state"]), (&json!(0), &json!("blocked")));
    assert_eq!(answer["next_suggested_target"], "zebra quagga");
    assert!(seek(&project, "tester")["primed_by"].is_null());
    for bad in [json!({"task_description": " ?! "}), json!({"task_description": "x", "boost_strength": "x"})] {
        assert_eq!(project.err("warmup", bad)["code"], "invalid_params");
    }
    let reading = project.reopen(|config| config.read_only = true);
    let answer = reading.ok("warmup", json!({"task_description": "load_user"}));
    assert_eq!(answer["preview"], json!(true));
    assert!(seek(&reading, "tester")["primed_by"].is_null());
}
