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
fn only_overviews_and_manuals_have_details() {
    let project = Project::new(PROGRAM);
    for (arguments, has_details) in [
        (json!({}), true),
        (json!({"tool_name": "seek"}), true),
        (json!({"stage": "plan"}), false),
        (json!({"error_text": "node not found"}), false),
        (json!({"tool_name": "serch"}), false),
    ] {
        let mut arguments = arguments;
        arguments["format"] = json!("json");
        let answer = project.ok("help", arguments);
        assert_eq!(answer.get("details").is_some(), has_details, "{answer}");
    }
    let manual = find("help").expect("help").help;
    assert!(manual.contains("an overview and a manual have `details`"), "{manual}");
}

#[test]
fn unknown_names_give_near_ones() {
    let project = Project::open_unindexed(PROGRAM);
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

#[test]
fn render_says_how_much_text_comes() {
    let project = Project::new(PROGRAM);
    for ask in [json!({"tool_name": "impact"}), json!({"stage": "find"}), json!({})] {
        let length = |render: &str| {
            let mut ask = ask.clone();
            ask["render"] = json!(render);
            project.ok("help", ask)["formatted"].as_str().expect("text").len()
        };
        let full = project.ok("help", ask.clone())["formatted"].as_str().expect("text").len();
        assert_eq!((length("full"), length("none")), (full, 0));
        assert!(length("compact") > 0 && length("compact") < full, "{ask}");
    }
    assert!(project.err("help", json!({"render": "ansi"}))["error"].as_str().expect("text").contains("\"compact\""));
}

#[test]
fn the_kind_of_answer_and_what_is_known_can_be_given() {
    let project = Project::new(PROGRAM);
    let kind = |arguments| project.ok("help", arguments)["decision_type"].clone();
    assert_eq!(kind(json!({"mode": "overview", "intent": "find it"})), "overview");
    assert_eq!(kind(json!({"mode": "tool"})), "overview");
    assert_eq!(kind(json!({"mode": "workflow", "stage": "find"})), "sequence");
    assert_eq!(kind(json!({"mode": "recovery"})), "recovery");
    assert_eq!(kind(json!({"mode": "overview", "tool_name": "seek"})), "tool");
    let route = json!({"stage": "find", "path": "src", "recent_tools": ["m1nd.seek"], "max_suggestions": 2});
    let answer = project.ok("help", route);
    assert_eq!(column(&answer, "recommended_sequence", "tool"), "search glob");
    let rejected = &answer["rejected_alternatives"];
    assert_eq!(rejected[0], json!({"tool": "seek", "reason": "already called"}), "{rejected}");
    assert_eq!(answer["minimal_calls"][0]["arguments"]["scope"], "src");
    let proposed = |recent: Value| {
        let asked = json!({"stage": "operate", "recent_tools": recent, "max_suggestions": 10});
        column(&project.ok("help", asked), "recommended_sequence", "tool")
    };
    let every = proposed(json!([]));
    assert!(every.contains("health") && every.contains("ingest"), "{every}");
    assert_eq!(proposed(json!(every.split(' ').collect::<Vec<_>>())), every, "none is left out if all were called");
}
