use m1nd_tools::{ALL, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

#[test]
fn the_overview_names_every_tool() {
    let project = Project::new(PROGRAM);
    for format in ["text", "markdown", "json"] {
        let answer = project.ok("help", json!({"format": format}));
        let text = answer["formatted"].as_str().expect("text");
        assert!(ALL.iter().all(|tool| text.contains(tool.name) && text.contains(tool.summary)), "{text}");
        assert_eq!(answer["details"].is_array(), format == "json");
    }
}

#[test]
fn the_manual_of_every_tool_names_its_arguments() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let answer = project.ok("help", json!({"tool_name": format!("m1nd.{}", tool.name)}));
        assert_eq!(answer["tool"], json!(tool.name));
        let text = answer["formatted"].as_str().expect("text");
        for name in tool.schema()["properties"].as_object().expect("properties").keys() {
            assert!(text.contains(name.as_str()), "{} does not explain {name}", tool.name);
        }
        let call = &answer["minimal_calls"][0];
        assert_eq!(call["arguments"], tool.example_arguments());
    }
}

#[test]
fn unknown_names_give_near_ones() {
    let project = Project::unindexed(PROGRAM);
    let answer = project.ok("help", json!({"tool": "serch"}));
    assert_eq!((&answer["found"], &answer["suggestions"][0]), (&json!(false), &json!("search")));
    assert_eq!(answer["proof_state"], "blocked");
}

#[test]
fn routes_name_only_tools_that_exist() {
    let project = Project::new(PROGRAM);
    let stages = find("help").expect("help").schema()["properties"]["stage"]["enum"].clone();
    for stage in stages.as_array().expect("stages") {
        let answer = project.ok("help", json!({"stage": stage}));
        let tools = column(&answer, "recommended_sequence", "tool");
        assert!(!tools.is_empty(), "{stage}");
        assert!(tools.split(' ').all(|tool| find(tool).is_some()), "{stage}: {tools}");
    }
    let stage = |intent: &str| project.ok("help", json!({"intent": intent}))["stage"].clone();
    let cases = [
        ("a stack trace from production", "diagnose"),
        ("where do we start docker", "orient"),
        ("what breaks if I rename it", "plan"),
        ("the class that parses tokens", "find"),
        ("is the index stale", "operate"),
    ];
    for (intent, expected) in cases {
        assert_eq!(stage(intent), Value::from(expected), "{intent}");
    }
}

#[test]
fn errors_lead_to_a_way_out() {
    let project = Project::new(PROGRAM);
    let error = project.err("impact", json!({"node_id": "gone"}));
    let answer = project.ok("help", json!({"error_text": error.to_string()}));
    assert_eq!((&answer["decision_type"], &answer["next_suggested_tool"]), (&json!("recovery"), &json!("seek")));
}
