//! `audit`, `persist`, and what `health` says of the work tree and the process.

use m1nd_tools::{ALL, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

#[test]
fn an_audit_names_ways_in_central_code_tests_and_what_was_skipped() {
    let project = Project::new(
        "//- app.py\nfrom store import find\n\ndef main():\n    return find(1)\n\
         //- store.py\ndef find(key):\n    return key\n\ndef unused():\n    return find(2)\n\
         //- tests/test_store.py\nfrom store import find\n\ndef test_find():\n    assert find(1)\n\
         //- broken.py\ndef (((\n",
    );
    let answer = project.ok("audit", json!({}));
    assert_eq!((&answer["entry_points"][0]["label"], &answer["entry_points"][0]["entry"]), (&json!("main"), &json!("main")));
    let central = answer["central"].as_array().expect("rows");
    let row = |label: &str| central.iter().find(|row| row["label"] == label).unwrap_or_else(|| panic!("{answer}"));
    assert_eq!((&row("find")["tested"], &row("unused")["tested"]), (&json!(true), &json!(false)), "{answer}");
    assert!(central.iter().all(|row| row["label"] != "test_find"), "{answer}");
    assert_eq!(answer["tests"], json!({"files": 1, "functions": 1}), "{answer}");
    assert!(column(&answer, "skipped", "kind").contains("syntax_errors"), "{answer}");
    assert!(column(&answer, "languages", "language").contains("python"), "{answer}");
    assert!(column(&answer, "honest_gaps", "code").contains("history_missing"), "{answer}");
    let inside = project.ok("audit", json!({"scope": "tests"}));
    assert_eq!(column(&inside, "folders", "folder"), "tests", "{inside}");
}

#[test]
fn an_audit_of_a_history_names_the_files_that_change_most() {
    let mut repository = Repository::new();
    let text = |number: usize| format!("def often():\n    return {number}\n");
    for number in 0..4 {
        repository.commit("ann", "again", &[Put("often.py", &text(number))]);
    }
    repository.commit("ann", "once", &[Put("once.py", "def once(): pass\n")]);
    repository.tree.write("often.py", text(3));
    repository.tree.write("once.py", "def once(): pass\n");
    let project = Project::over_repository(repository);
    project.ok("timeline", json!({"node": "file::often.py"}));
    let answer = project.ok("audit", json!({}));
    assert_eq!(column(&answer, "risks", "file_path"), "often.py", "{answer}");
    assert_eq!((&answer["risks"][0]["commits"], &answer["risks"][0]["tested"]), (&json!(4), &json!(false)), "{answer}");
    let health = project.ok("health", json!({}));
    assert_eq!((&health["git"]["clean"], &health["git"]["recent_commits"][0]), (&json!(true), &json!("once")), "{health}");
    project.tree.write("often.py", "def other(): pass\n");
    let health = project.ok("health", json!({}));
    assert_eq!(health["git"]["uncommitted_files"], json!(["often.py"]), "{health}");
    assert_eq!(health["git"]["clean"], json!(false), "{health}");
}

#[test]
fn the_index_is_written_when_asked_for_and_health_says_when() {
    let project = Project::new(PROGRAM);
    let saved = project.ok("persist", json!({}));
    assert_eq!(saved["is_persisted"], true, "{saved}");
    assert!(saved["last_persist_ms"].as_u64() > Some(1_600_000_000_000), "{saved}");
    let again = project.ok("persist", json!({}));
    assert_eq!((&again["saved"], &again["is_persisted"]), (&json!(false), &json!(true)), "{again}");
    let health = project.ok("health", json!({}));
    assert_eq!(health["last_persist_time"], saved["last_persist_ms"], "{health}");
    let contract = &health["tool_surface_contract"];
    assert_eq!(contract["full_registry_tool_count"], json!(ALL.len()), "{health}");
    let required = contract["required_agent_trust_tools"].as_array().expect("names");
    assert!(required.iter().all(|name| name.as_str().is_some_and(|name| find(name).is_some())), "{health}");
    let reader = project.reopen(|config| config.read_only = true);
    assert_eq!(reader.ok("persist", json!({"action": "status"}))["is_persisted"], true);
    assert_eq!(reader.err("persist", json!({}))["code"], "read_only");
}

#[test]
fn every_call_that_help_proposes_runs() {
    let stages = find("help").expect("help").schema()["properties"]["stage"]["enum"].clone();
    let errors = ["node_not_found: x", "nothing is indexed yet", "invalid_params: unknown argument", "no such file", "boom"];
    let mut asked: Vec<Value> =
        stages.as_array().expect("words").iter().map(|stage| json!({"stage": stage, "max_suggestions": 10})).collect();
    asked.extend(errors.iter().map(|text| json!({"error_text": text})));
    asked.extend(ALL.iter().map(|tool| json!({"tool_name": tool.name})));
    let project = Project::new(PROGRAM);
    for arguments in asked {
        let answer = project.ok("help", arguments.clone());
        let calls = answer["minimal_calls"].as_array().expect("calls");
        assert!(!calls.is_empty(), "{arguments}: {answer}");
        for call in calls {
            let tool = call["tool"].as_str().expect("a name");
            // The id of a perspective is random: no text can have one that exists.
            let walks = call["arguments"].as_object().is_some_and(|of| of.keys().any(|key| key.starts_with("perspective_id")));
            let arguments_made =
                if walks { project.example(find(tool).expect("a tool")) } else { call["arguments"].clone() };
            let made = project.call_as_is(tool, arguments_made);
            // A gotcha is stored once.
            let is_fine = made.as_ref().map_or_else(|error| error.to_json()["code"] == "EDGE_EXISTS", |_| true);
            assert!(is_fine, "{arguments}: {call}: {:?}", made.err().map(|error| error.to_json()));
        }
    }
}
