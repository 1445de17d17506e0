use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

#[test]
fn the_session_is_reported_from_what_was_measured() {
    let project = Project::new(PROGRAM);
    project.ok("view", json!({"file_path": "auth.py"}));
    project.ok("seek", json!({"query": "password hunter2 AKIAIOSFODNN7EXAMPLQ"}));
    project.err("view", json!({"file_path": "nowhere.py"}));
    let report = project.ok("report", json!({}));
    assert_eq!(report["session_summary"]["total_queries"], 4, "ingest, view, seek, view");
    assert_eq!(report["queries_made"][0]["tool"], "view");
    assert_eq!(report["queries_made"][0]["m1nd_answered"], false);
    assert!(!report.to_string().contains("AKIA"), "secrets are not repeated");
    assert_eq!(report["graph_evolution"]["ingestions"], 1);
    let savings = &report["savings"];
    assert_eq!((&savings["basis"], &savings["cost_saved_usd"]), (&json!("measured_bytes"), &Value::Null));
    assert!(savings["returned_bytes"].as_u64() > Some(0) && savings["files_bytes"].as_u64() > Some(0), "{savings}");
    assert!(report["formatted"].as_str().is_some_and(|text| text.starts_with("## Session")), "{report}");
    let text = project.ok("report", json!({"format": "text"}));
    assert!(text["formatted"].as_str().is_some_and(|text| !text.contains('#')), "{text}");
    let inner = project.ok("report", json!({"format": "json"}));
    let formatted: Value = serde_json::from_str(inner["formatted"].as_str().expect("text")).expect("JSON");
    assert_eq!(formatted["session_summary"], inner["session_summary"]);
}

#[test]
fn findings_are_those_of_now() {
    let project = Project::new(PROGRAM);
    project.ok("antibody_create", json!({"code": "return $X", "language": "python"}));
    let report = project.ok("report", json!({}));
    assert_eq!(report["bugs_found"][0]["category"], "antibody_match", "{report}");
    assert!(report["bugs_found"][0]["severity"].as_f64() <= Some(1.0));
}
