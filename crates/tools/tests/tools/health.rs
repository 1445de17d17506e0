use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn real_numbers() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("health", json!({}));
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["node_count"], json!(project.engine.snapshot().graph().node_count()));
    assert!(answer["references"]["certain"].as_u64() > Some(3));
    assert!(column(&answer, "languages", "language").contains("python"));
    assert_eq!(answer["role"], "writer");
    assert_eq!(answer["active_sessions"][0]["agent_id"], "tester");
    assert_eq!(answer["queries_processed"], json!(2));
    if cfg!(target_os = "linux") {
        assert!(answer["memory_usage_bytes"].as_u64() > Some(1 << 20));
    }
}

#[test]
fn nothing_indexed_names_the_next_call() {
    let project = Project::unindexed(PROGRAM);
    let answer = project.ok("health", json!({}));
    assert_eq!((&answer["status"], &answer["next_suggested_tool"]), (&json!("empty"), &json!("ingest")));
    assert_eq!(answer["proof_state"], "blocked");
}
