use serde_json::json;

use crate::harness::{PROGRAM, Project};

#[test]
fn without_patterns_it_says_so() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("antibody_list", json!({}));
    assert_eq!(answer["next_suggested_tool"], "antibody_create");
}
