use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn dependents_with_witness_code_before_tests() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("impact", json!({"node_id": "validate_credentials"}));
    let labels = column(&answer, "blast_radius", "label");
    assert!(labels.starts_with("login") && labels.contains("test_validate"), "{labels}");
    let row = &answer["blast_radius"][0];
    assert_eq!((&row["class"], &row["hop_distance"]), (&json!("breaks"), &json!(1)));
    assert_eq!((&row["witness"][0]["file_path"], &row["witness"][0]["line"]), (&json!("app.py"), &json!(5)));
    assert_eq!(answer["source"], "file::auth.py::fn::validate_credentials");
    let rows = answer["blast_radius"].as_array().expect("rows");
    let test = rows.iter().find(|row| row["label"] == "test_validate").expect("test row");
    assert_eq!(test["class"], "test");
}

#[test]
fn directions() {
    let project = Project::new(PROGRAM);
    let labels = |direction| {
        column(&project.ok("impact", json!({"node_id": "load_user", "direction": direction})), "blast_radius", "label")
    };
    let (forward, reverse) = (labels("forward"), labels("reverse"));
    assert!(forward.contains("login") && !forward.contains("find"), "{forward}");
    assert!(reverse.contains("find") && !reverse.contains("login"), "{reverse}");
    assert_eq!(
        column(&project.ok("impact", json!({"node_id": "login"})), "blast_radius", "label"),
        "",
        "an entry point"
    );
}

#[test]
fn chains_run_from_the_change_outwards_and_caps_are_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("impact", json!({"node_id": "Store.find"}));
    let chains = answer["causal_chains"].as_array().expect("chains");
    assert!(
        chains.iter().any(|chain| chain["path"] == json!(["find", "load_user", "validate_credentials"])),
        "{chains:?}"
    );
    let capped = project.ok("impact", json!({"node_id": "Store.find", "max_nodes": 1, "include_causal_chains": false}));
    assert_eq!((capped["blast_radius"].as_array().map(Vec::len), &capped["truncated"]), (Some(1), &json!(true)));
    assert_eq!(capped["total_blast_nodes"], answer["total_blast_nodes"]);
    assert_eq!(capped["causal_chains"], json!([]));
}

#[test]
fn open_references_keep_it_from_being_closed() {
    let project =
        Project::new("//- a.py\ndef close_everything():\n    pass\n//- b.py\ndef run(x):\n    x.close_everything()\n");
    let answer = project.ok("impact", json!({"node_id": "close_everything"}));
    assert_eq!(column(&answer, "blast_radius", "label"), "", "{answer}");
    assert_eq!(
        (&answer["closure"]["state"], &answer["proof_state"]),
        (&json!("blocked"), &json!("proving")),
        "{answer}"
    );
    let hint = answer["next_step_hint"].as_str().expect("a hint");
    assert!(!hint.contains(answer["closure"]["why"].as_str().expect("a reason")), "it is said once: {hint}");
}

#[test]
fn overloads_are_told_apart_by_their_signatures() {
    let java = "//- Gson.java\npublic class Gson {\n    public String toJson(Object src) { return null; }\n    \
                public String toJson(int number, String name) { return null; }\n}\n";
    let project = Project::new(java);
    let error = project.err("impact", json!({"node_id": "Gson.toJson"}));
    let mut signatures = crate::harness::column(&error, "candidates", "signature").to_owned();
    assert!(signatures.contains("toJson(Object src)"), "{signatures}");
    assert!(signatures.contains("toJson(int number, String name)"), "{signatures}");
    let error = project.err("impact", json!({"node_id": "Gson.toJsn"}));
    signatures = crate::harness::column(&error, "did_you_mean", "signature");
    assert!(signatures.contains("toJson(Object src)"), "{signatures}");
    assert!(error["suggestions"][0].as_str().is_some_and(|id| id.contains("toJson~")), "{error}");
}

#[test]
fn files_that_only_the_history_connects_come_last_with_commits_and_a_probability() {
    let project = crate::predict::project();
    let answer = project.ok("impact", json!({"node_id": "model.py"}));
    assert_eq!(column(&answer, "blast_radius", "file_path"), "tests/test_model.py notes.md", "{answer}");
    let row = &answer["blast_radius"][0];
    assert_eq!((&row["class"], &row["side"]), (&json!("co_change"), &json!("history")));
    assert!(row["witness"].is_null() && row["hop_distance"].is_null(), "no path leads there: {row}");
    assert!(row["probability"].as_f64() > Some(0.9), "{row}");
    assert_eq!((&row["changed_together"]["common_commits"], &row["changed_together"]["of"]), (&json!(240), &json!(240)));
    assert_eq!(row["changed_together"]["commits"][0]["subject"], "model 239");
    let second = project.ok("impact", json!({"node_id": "model.py", "max_nodes": 1}));
    assert_eq!((column(&second, "blast_radius", "file_path").as_str(), &second["truncated"]), ("tests/test_model.py", &json!(true)));
    let reverse = project.ok("impact", json!({"node_id": "model.py", "direction": "reverse"}));
    assert_eq!(reverse["blast_radius"], json!([]));
}

#[test]
fn without_a_history_no_probability_is_given() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("impact", json!({"node_id": "validate_credentials"}));
    assert!(answer["no_probability"].is_string(), "{answer}");
    assert!(answer["blast_radius"].as_array().expect("rows").iter().all(|row| row["probability"].is_null()));
    assert_eq!(column(&answer, "tests", "label"), "test_validate");
    assert_eq!((&answer["total_tests"], &answer["tests"][0]["hop_distance"]), (&json!(1), &json!(1)));
}

/// Calls of `f` in two folders, in a test, and of a function that calls it.
const SCOPED: &str = "\
//- lib/core.py
def f():
    pass
//- app/one.py
from lib.core import f

def first():
    f()
//- tools/two.py
from lib.core import f
from app.one import first

def second():
    f()

def third():
    first()
//- tests/test_core.py
from lib.core import f

def test_f():
    f()
";

#[test]
fn a_scope_and_no_tests_limit_the_rows_and_the_verdict() {
    let project = Project::new(SCOPED);
    let rows = [
        (
            json!({}),
            "first second test_f third one.py test_core.py two.py",
            "complete: 7 dependents of `f` in 3 files (6 direct, 2 in tests)",
        ),
        (
            json!({"without_tests": true}),
            "first second third one.py two.py",
            "complete: 5 dependents of `f` in 2 files outside of tests (4 direct)",
        ),
        (json!({"scope": "tools"}), "second third two.py", "complete: 3 dependents of `f` in 1 file below tools (2 direct)"),
        (json!({"scope": "lib"}), "", "complete: no dependent of `f` below lib"),
    ];
    for (mut arguments, labels, verdict) in rows {
        arguments["node_id"] = json!("f");
        let answer = project.ok("impact", arguments.clone());
        assert_eq!(column(&answer, "blast_radius", "label"), labels, "{arguments}");
        let text = project.text("impact", arguments);
        assert!(text.starts_with(verdict), "{text}");
    }
}

#[test]
fn a_scope_keeps_what_may_be_hidden_behind_places_outside_of_it() {
    let project = Project::new(
        "//- lib/core.py\ndef close_everything():\n    pass\n//- app/one.py\ndef run(x):\n    x.close_everything()\n\
         //- tools/two.py\nfrom app.one import run\n\ndef main(x):\n    run(x)\n",
    );
    let answer = project.ok("impact", json!({"node_id": "close_everything", "scope": "tools"}));
    let states = (&answer["closure"]["state"], &answer["closure"]["indirect"]);
    assert_eq!(states, (&json!("closed"), &json!("blocked")), "{answer}");
}
