use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn real_numbers() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("health", json!({}));
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["node_count"], json!(project.services.engine.snapshot().graph().node_count()));
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
    let project = Project::open_unindexed(PROGRAM);
    let answer = project.ok("health", json!({}));
    assert_eq!((&answer["status"], &answer["next_suggested_tool"]), (&json!("empty"), &json!("ingest")));
    assert_eq!(answer["proof_state"], "blocked");
}

#[test]
fn what_is_not_resolved_skipped_and_checked_out_is_told() {
    let project = Project::new(
        "//- .git/HEAD\nref: refs/heads/topic\n//- .git/refs/heads/topic\n0123456789abcdef0123456789abcdef01234567\n\
         //- a.py\ndef run(x):\n    return missing_name(x)\n//- broken.py\ndef (((\n//- noise.py\n\0\u{1}\n",
    );
    let answer = project.ok("health", json!({}));
    let python = &answer["languages"][0];
    assert_eq!(python["language"], "python");
    let unresolved = python["references"]["unresolved"].as_u64().expect("a number");
    let reasons = python["unresolved_reasons"].as_array().expect("reasons");
    let counted: u64 = reasons.iter().filter_map(|row| row["count"].as_u64()).sum();
    assert!(unresolved > 0 && counted == unresolved, "{python}");
    let rows: Vec<_> = answer["problems"].as_array().expect("problems").iter().collect();
    let of = |kind: &str| rows.iter().find(|row| row["kind"] == kind).map(|row| row["in_graph"].clone());
    assert_eq!((of("syntax_errors"), of("binary")), (Some(json!("partial")), Some(json!("file"))), "{rows:?}");
    let git = &answer["git"];
    assert_eq!((&git["available"], &git["branch"], &git["clean"]), (&json!(true), &json!("topic"), &json!(null)));
    assert_eq!(git["head"], "0123456789abcdef0123456789abcdef01234567");
    let none = Project::new(PROGRAM).ok("health", json!({}));
    assert_eq!(none["git"]["available"], json!(false));
}
