use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

#[test]
fn a_symbol_stands_for_its_file() {
    let project = Project::in_git(PROGRAM, &[("Fix crash", &["auth.py"]), ("Fix bug", &["auth.py"]), ("Fix leak", &["auth.py"]), ("Add", &["auth.py"])]);
    let answer = project.ok("heuristics_surface", json!({"node_id": "validate_credentials"}));
    assert_eq!((&answer["file_path"], &answer["resolved_by"]), (&json!("auth.py"), &json!("node_id")));
    let signals = &answer["heuristic_summary"]["heuristic_signals"];
    assert!(signals["trust_score"].is_f64(), "{answer}");
    assert_eq!(answer["fixes"].as_array().map(Vec::len), Some(3));
    assert!(answer["unknown_parts"].to_string().contains("antibody"), "{answer}");
    let same = project.ok("heuristics_surface", json!({"file_path": "auth.py"}));
    assert_eq!(same["heuristic_summary"], answer["heuristic_summary"]);
}

#[test]
fn what_is_not_rated_is_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("heuristics_surface", json!({"node_id": "auth.py"}));
    assert_eq!(answer["heuristic_summary"]["heuristic_signals"]["trust_score"], Value::Null);
    assert_eq!(project.err("heuristics_surface", json!({}))["code"], "invalid_params");
    assert_eq!(project.err("heuristics_surface", json!({"node_id": "nowhere"}))["code"], "node_not_found");
}
