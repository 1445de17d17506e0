use serde_json::json;

use crate::harness::{PROGRAM, Project};

#[test]
fn without_patterns_it_says_so() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("antibody_scan", json!({}));
    assert_eq!(answer["next_suggested_tool"], "antibody_create");
}

#[test]
fn arguments_are_checked() {
    let project = Project::new(PROGRAM);
    assert_eq!(project.err("antibody_scan", json!({"since": "HEAD"}))["code"], "invalid_params");
    assert_eq!(project.err("antibody_scan", json!({"antibody_ids": ["ab_none"]}))["code"], "handle_unknown");
}
