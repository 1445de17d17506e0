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

#[test]
fn a_pattern_that_matches_too_much_is_listed_and_left_out() {
    let calls: String = (0..120).map(|number| format!("    print({number})\n")).collect();
    let project = Project::new(&format!("//- /many.py\ndef many():\n{calls}"));
    let created = project.ok("antibody_create", json!({"code": "print($X)", "language": "python"}));
    let id = &created["antibody_id"];
    let answer = project.ok("antibody_scan", json!({}));
    assert_eq!((&answer["auto_disabled_antibodies"], &answer["matches"]), (&json!([id]), &json!([])), "{answer}");
    let named = project.ok("antibody_scan", json!({"antibody_ids": [id], "max_matches_per_antibody": 5}));
    assert_eq!(named["matches"].as_array().map(Vec::len), Some(5));
    assert_eq!(named["auto_disabled_antibodies"], json!([]));
}
