use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

fn ids(answer: &Value) -> String {
    column(answer, "definitions", "node_id")
}

#[test]
fn a_place_leads_to_what_it_names() {
    let project = Project::new(PROGRAM);
    let check = |target: &str, expected: &str| {
        let answer = project.ok("definition", json!({"target": target}));
        assert_eq!(ids(&answer), expected, "{target}: {answer}");
    };
    let validate = "file::auth.py::fn::validate_credentials";
    check("app.py:5:12", validate);
    check("app.py:5:25", validate);
    check("app.py:5", validate);
    check("app.py:1:20", validate);
    // The name of a definition.
    check("auth.py:5:5", validate);
    // A parameter.
    check("app.py:5:33", "");
    // Both calls of a line.
    check("auth.py:11", "file::store.py::class::Store file::store.py::class::Store::fn::find");
    check("auth.py:11:20", "file::store.py::class::Store::fn::find");
}

#[test]
fn a_name_leads_to_all_that_it_may_mean() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("definition", json!({"target": "Store.find"}));
    assert_eq!((ids(&answer), column(&answer, "definitions", "tier")), ("file::store.py::class::Store::fn::find".into(), "certain".into()));
    let twins = project.ok("definition", json!({"target": "twin"}));
    assert_eq!(column(&twins, "definitions", "tier"), "possible possible", "{twins}");
    assert_eq!(twins["definitions"][0]["candidates"], 2);
    let text = project.ok("definition", json!({"target": "Store.find", "format": "text"}));
    assert!(text["text"].as_str().is_some_and(|text| text.starts_with("1. store.py:4: ")), "{text}");
}

#[test]
fn what_has_no_definition_says_why() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("definition", json!({"target": "app.py:9:13"}));
    assert_eq!((ids(&answer), &answer["unresolved"][0]["name"]), (String::new(), &json!("close_everything")), "{answer}");
    assert_eq!(answer["proof_state"], "blocked");
    assert_eq!(project.err("definition", json!({"target": "nobody_knows"}))["code"], "node_not_found");
    assert_eq!(project.err("definition", json!({"target": "nope.py:3"}))["code"], "file_not_found");
    assert_eq!(project.err("definition", json!({"target": "../secret.py:3"}))["code"], "outside_workspace");
}
