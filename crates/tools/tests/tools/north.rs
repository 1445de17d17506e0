//! The start of a task: `north`, `orient`, `focus`, `boot_memory`.

use m1nd_tools::find;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

const TASK: &str = "reject credentials of users that are unknown";

/// Makes a call that an answer proposes.
fn follow(project: &Project, call: &Value) {
    let tool = call["tool"].as_str().unwrap_or_else(|| panic!("no call: {call}"));
    let answer = project.call_as_is(tool, call["arguments"].clone());
    answer.unwrap_or_else(|error| panic!("{call}: {}", error.to_json()));
}

/// Every call in an answer of `north`.
fn calls(answer: &Value) -> Vec<Value> {
    let mut calls = vec![answer["next_move"].clone()];
    calls.extend(answer["honest_gaps"].as_array().expect("gaps").iter().map(|gap| gap["repair_call"].clone()));
    calls.extend(answer["recovery_steps"].as_array().into_iter().flatten().cloned());
    calls.retain(|call| call["tool"].is_string());
    calls
}

/// A name, and how the project is made.
type Case = (&'static str, fn() -> Project);

#[test]
fn every_call_that_north_proposes_can_be_made() {
    let cases: [Case; 6] = [
        ("indexed", || Project::new(PROGRAM)),
        ("empty", || Project::open_unindexed(PROGRAM)),
        ("read only", || Project::open(PROGRAM, true)),
        ("noted", || {
            let project = Project::new(PROGRAM);
            project.note();
            project
        }),
        ("edited", || {
            let project = Project::new(PROGRAM);
            project.tree.write("auth.py", "def other(): pass\n");
            project
        }),
        ("in git", || Project::in_git(PROGRAM, &[("validate credentials", &["store.py", "auth.py"])])),
    ];
    for (name, make) in cases {
        let count = calls(&make().ok("north", json!({"task": TASK}))).len();
        for number in 0..count {
            // Each in a project of its own: the first repair may be the end of all.
            let project = make();
            let answer = project.ok("north", json!({"task": TASK}));
            follow(&project, &calls(&answer)[number]);
        }
        assert!(count > 0 || name == "read only", "{name} proposes nothing");
    }
    let project = Project::new(PROGRAM);
    for task in ["zzqx unheard", "Store.find", "auth.py"] {
        let answer = project.ok("north", json!({"task": task}));
        calls(&answer).iter().for_each(|call| follow(&project, call));
        assert!(answer["next_move"]["tool"].is_string(), "{task}: {answer}");
    }
}

#[test]
fn north_says_whose_index_it_is_where_to_look_and_whether_that_is_enough() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("north", json!({"task": TASK}));
    assert_eq!(answer["binding"]["trust_mode"], "full_trust", "{answer}");
    assert!(column(&answer["context"], "focus_nodes", "label").contains("validate_credentials"), "{answer}");
    let named = project.ok("north", json!({"task": "Store.find"}));
    assert_eq!(named["sufficiency"]["state"], "sufficient", "{named}");
    assert!(named["next_move"]["arguments"]["file_path"].as_str().expect("a node").contains("find"), "{named}");
    assert_eq!(named["next_move"]["tool"], "surgical_context_v2", "a known place is read to be edited: {named}");
    let context = project.call_as_is("surgical_context_v2", named["next_move"]["arguments"].clone()).expect("is made");
    assert_eq!(context["focused_symbol"]["label"], "find", "{context}");
    let nothing = project.ok("north", json!({"task": "zzqx unheard"}));
    assert_eq!((&nothing["proof_state"], &nothing["sufficiency"]["state"]), (&json!("blocked"), &json!("saturated")));
    assert_eq!(nothing["next_move"]["tool"], "search", "{nothing}");
    let error = project.err("north", json!({"task": "  "}));
    assert_eq!(error["code"], "invalid_params");
}

#[test]
fn north_on_nothing_and_on_another_folder_says_so_and_how_to_go_on() {
    let empty = Project::open_unindexed(PROGRAM);
    let answer = empty.ok("north", json!({"task": TASK}));
    assert_eq!((&answer["needs"], &answer["next_move"]["tool"]), (&json!("needs_ingest"), &json!("ingest")), "{answer}");
    assert!(answer.get("context").is_none() && answer.get("sufficiency").is_none(), "{answer}");
    follow(&empty, &answer["next_move"]);
    assert_eq!(empty.ok("north", json!({"task": TASK}))["binding"]["trust_mode"], "full_trust");
    let project = Project::new(PROGRAM);
    let answer = project.ok("north", json!({"task": TASK, "scope": "/somewhere/else"}));
    assert_eq!(answer["binding"]["trust_mode"], "wrong_workspace_binding", "{answer}");
    assert!(answer.get("reception").is_none(), "the client's folder is not known: {answer}");
    project.services.memories.set_client_places(vec!["/tmp".into()]);
    let answer = project.ok("north", json!({"task": TASK}));
    assert_eq!(answer["reception"]["match"], "caller_root_mismatch", "{answer}");
    assert_ne!(answer["binding"]["trust_mode"], "full_trust", "{answer}");
    project.services.memories.set_client_places(vec![project.tree.path().to_path_buf()]);
    assert!(project.ok("north", json!({"task": TASK})).get("reception").is_none());
}

#[test]
fn north_keeps_to_two_thousand_tokens_and_to_what_it_is_given() {
    let files: String =
        (0..300).map(|n| format!("//- pkg/mod_{n:03}.py\ndef reject_credentials_{n:03}(user):\n    return user\n")).collect();
    let project = Project::new(&files);
    let size = |arguments: Value| m1nd_tools::text_of(&project.ok("north", arguments)).len();
    assert!(size(json!({"task": TASK, "top_k": 50})) <= 8_000);
    assert!(size(json!({"task": TASK, "top_k": 50, "max_output_chars": 3_000})) <= 3_000);
    assert!(project.text("north", json!({"task": TASK, "top_k": 50})).len() <= 8_000);
}

#[test]
fn remembered_claims_say_what_became_of_their_code() {
    let project = Project::new(PROGRAM);
    let set = json!({"action": "set", "key": "auth.rule", "value": "validate_credentials never raises",
        "source_refs": ["auth.py"], "tags": ["auth"]});
    project.ok("boot_memory", set);
    project.note();
    let claim = |answer: &Value| {
        let rows = answer["memory"].as_array().expect("claims");
        rows.iter().find(|row| row["key"] == "auth.rule").cloned().unwrap_or_else(|| panic!("{answer}"))
    };
    let answer = project.ok("north", json!({"task": TASK}));
    assert_eq!((&claim(&answer)["kind"], &claim(&answer)["code_state"]), (&json!("boot_memory"), &json!("current")));
    assert_eq!(claim(&answer)["source_refs"], json!(["auth.py"]));
    project.tree.write("auth.py", "def validate_credentials(user):\n    raise ValueError(user)\n");
    let answer = project.ok("north", json!({"task": TASK}));
    assert_eq!(claim(&answer)["code_state"], "stale", "{answer}");
    let codes = column(&answer, "honest_gaps", "code");
    assert!(codes.contains("memory_outdated"), "{codes}");
}

#[test]
fn boot_memory_is_a_view_of_the_projects_memory() {
    let project = Project::new(PROGRAM);
    assert_eq!(project.ok("boot_memory", json!({}))["notes"], json!([]));
    let set = |value: &str| project.ok("boot_memory", json!({"action": "set", "key": "deploy", "value": value}));
    set("migrations first");
    let again = set("migrations last");
    assert_eq!((&again["done"], &again["notes"][0]["value"]), (&json!(true), &json!("migrations last")));
    let memory = std::fs::read_to_string(project.tree.path().join(".mind/MEMORY.md")).expect("is there");
    assert!(memory.contains("boot/deploy: migrations last") && !memory.contains("migrations first"), "{memory}");
    let found = project.ok("mind_search", json!({"query": "migrations"}));
    assert!(found["results"].to_string().contains("migrations last"), "{found}");
    let got = project.ok("boot_memory", json!({"action": "get", "key": "deploy"}));
    assert_eq!(got["notes"][0]["key"], "deploy", "{got}");
    assert_eq!(project.ok("boot_memory", json!({"action": "delete", "key": "deploy"}))["done"], true);
    assert_eq!(project.ok("boot_memory", json!({"action": "delete", "key": "deploy"}))["done"], false);
    assert_eq!(project.ok("boot_memory", json!({"action": "list"}))["notes"], json!([]));
    for (arguments, words) in [
        (json!({"action": "set", "key": "a b", "value": "x"}), "the key must be"),
        (json!({"action": "set", "key": "k"}), "`value` is missing"),
        (json!({"action": "get"}), "`key` is missing"),
    ] {
        let error = project.err("boot_memory", arguments);
        assert!(error["error"].as_str().expect("a message").contains(words), "{error}");
    }
    let error = Project::new("//- a.py\ndef a(): pass\n").err("boot_memory", json!({}));
    assert!(error["suggested_next_step"].as_str().expect("a step").contains("mind init"), "{error}");
}

#[test]
fn the_set_of_focus_stays_within_its_budget_and_says_what_did_not_fit() {
    let body = "    value = 1\n".repeat(60);
    let files: String = (0..30)
        .map(|n| format!("//- pkg/mod_{n:02}.py\ndef reject_credentials_{n:02}(user):\n{body}    return user\n"))
        .collect();
    let project = Project::new(&files);
    let ask = |tokens: usize| project.ok("focus", json!({"task": "reject credentials", "token_budget": tokens}));
    let (small, large) = (ask(500), ask(20_000));
    assert!(small["bytes"].as_u64().expect("bytes") <= 2_000, "{small}");
    assert_eq!(small["sufficiency"]["state"], "gathering", "{small}");
    assert!(small["dropped"].as_u64() > Some(0), "{small}");
    assert_eq!(large["sufficiency"]["state"], "saturated", "{large}");
    let count = |answer: &Value| answer["nodes"].as_array().expect("rows").len();
    assert!(count(&large) > count(&small), "{} {}", count(&large), count(&small));
    assert_eq!(ask(500)["nodes"], small["nodes"], "the same question has the same answer");
}

#[test]
fn orient_proposes_calls_that_can_be_made() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("orient", json!({"task": TASK}));
    let calls = answer["suggested_first_calls"].as_array().expect("calls");
    assert!(calls.len() >= 2, "{answer}");
    calls.iter().for_each(|call| follow(&project, call));
    assert!(!answer["anchors"].as_array().expect("rows").is_empty(), "{answer}");
    assert!(find("orient").is_some());
}
