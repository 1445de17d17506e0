//! Answers in a git repository: one state of its history, and what they say of it.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{Context, TOOLS, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};
use crate::repository::DAY;

/// Commits that speak of credentials and touched a file that does not.
const COMMITS: &[(&str, &[&str])] = &[
    ("validate credentials of users", &["store.py", "app.py"]),
    ("validate credentials again", &["store.py", "app.py"]),
    ("validate the credentials of a user", &["store.py", "app.py"]),
    ("prose", &["README.md"]),
];
const QUESTION: &str = "validate credentials";

fn project() -> Project {
    Project::in_git(PROGRAM, COMMITS)
}

fn ask(project: &Project, tool: &str, more: Value) -> Value {
    let mut arguments = json!({"query": QUESTION});
    arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let mut answer = project.ok(tool, arguments);
    answer["elapsed_ms"].take();
    answer
}

/// Moves the branch to a commit that is not there yet when `history` was read.
fn commit_elsewhere(project: &Project) {
    let head = project.tree.join(".git/refs/heads/main");
    let before = std::fs::read_to_string(&head).expect("a branch");
    let objects = std::path::Path::new(".git/objects").to_owned();
    let odb = gix_odb::at(project.tree.join(objects), gix_hash::Kind::Sha1).expect("objects");
    let tree = gix_object::Write::write_buf(&odb, gix_object::Kind::Tree, b"").expect("a tree");
    let time = crate::repository::START + 99 * DAY;
    let person = format!("ann <ann@example.org> {time} +0000");
    let text = format!("tree {tree}\nparent {}\nauthor {person}\ncommitter {person}\n\nmore\n", before.trim());
    let commit = gix_object::Write::write_buf(&odb, gix_object::Kind::Commit, text.as_bytes()).expect("a commit");
    std::fs::write(head, format!("{commit}\n")).expect("written");
}

#[test]
fn the_first_answer_rests_on_the_history_as_the_second_does() {
    let project = project();
    for tool in ["activate", "missing"] {
        let project = if tool == "activate" { &project } else { &self::project() };
        let first = ask(project, tool, json!({}));
        assert_eq!(first, ask(project, tool, json!({})), "{tool}");
    }
    let trace = json!({"error_text": "  File \"/x/auth.py\", line 7, in validate_credentials\nValueError: user"});
    let project = self::project();
    let ask = || project.ok("trace", trace.clone())["suspects"].clone();
    assert_eq!(ask(), ask());
}

#[test]
fn a_page_goes_on_only_while_the_history_is_the_same() {
    let project = project();
    let first = json!({"top_k": 1, "min_score": 0.0});
    let next = |page: &Value| json!({"query": QUESTION, "top_k": 1, "min_score": 0.0, "cursor": page["cursor"]});
    let page = ask(&project, "seek", first.clone());
    project.ok("seek", next(&page));
    ask(&project, "activate", json!({}));
    assert_eq!(project.err("seek", next(&page))["code"], "stale_cursor", "the history was loaded in between");
    let page = ask(&project, "seek", first);
    project.ok("seek", next(&page));
    let pages = [
        ("activate", json!({"top_k": 1})),
        ("resonate", json!({"top_k": 1})),
        ("search", json!({"top_k": 1, "mode": "semantic"})),
    ];
    for (tool, arguments) in pages {
        let page = ask(&project, tool, arguments.clone());
        assert!(page["cursor"].is_string(), "{tool}: {page}");
        let mut next = arguments;
        (next["query"], next["cursor"]) = (json!(QUESTION), page["cursor"].clone());
        project.ok(tool, next.clone());
        commit_elsewhere(&project);
        ask(&project, "activate", json!({}));
        assert_eq!(project.err(tool, next)["code"], "stale_cursor", "{tool}");
    }
}

#[test]
fn where_nobody_reads_ahead_the_first_answer_rests_on_the_whole_history() {
    for tool in ["seek", "search", "resonate", "activate"] {
        let project = project();
        let cancel = Cancel::new();
        let context = Context { reads_history: true, ..Context::new(&project.services, TOOLS, &cancel, &NoProgress) };
        let mut arguments = json!({"query": QUESTION, "agent_id": "tester"});
        if tool == "search" {
            arguments["mode"] = json!("semantic");
        }
        let mut first = find(tool).expect("a tool").invoke(&context, arguments.clone()).expect("an answer");
        first["elapsed_ms"].take();
        // `activate` needs all of it whoever asks.
        ask(&project, "activate", json!({}));
        let mut second = find(tool).expect("a tool").invoke(&context, arguments).expect("an answer");
        second["elapsed_ms"].take();
        assert_eq!(first, second, "{tool}");
        assert_eq!(first["history_missing"], Value::Null, "{tool}: {first}");
    }
}

#[test]
fn a_history_of_another_commit_is_used_and_said() {
    let project = project();
    assert_eq!(ask(&project, "seek", json!({}))["history_missing"], "not loaded yet");
    ask(&project, "activate", json!({}));
    let fresh = ask(&project, "seek", json!({}));
    assert_eq!(fresh["history_missing"], Value::Null, "{fresh}");
    commit_elsewhere(&project);
    let old = ask(&project, "seek", json!({}));
    let said = old["history_missing"].as_str().unwrap_or_default();
    assert!(said.starts_with("the history is of commit "), "{old}");
    let scores = |answer: &Value| {
        answer["results"].as_array().expect("rows").iter().map(|row| row["score"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(scores(&old), scores(&fresh));
    let project = project.reopen(|_| {});
    let said = ask(&project, "seek", json!({}))["history_missing"].clone();
    assert!(said.as_str().unwrap_or_default().starts_with("the history is of commit "), "{said}");
    ask(&project, "activate", json!({}));
    assert_eq!(ask(&project, "seek", json!({}))["history_missing"], Value::Null);
}

#[test]
fn the_measured_precision_is_said_only_of_what_was_measured() {
    let project = Project::in_git(PROGRAM, &[("first", &["auth.py"]), ("prose", &["README.md"])]);
    let trust = |more: Value| ask(&project, "seek", more)["trust_envelope"].clone();
    assert_eq!(trust(json!({}))["calibrated"], json!(false), "no history yet");
    ask(&project, "activate", json!({}));
    let whole = trust(json!({}));
    assert_eq!(whole["calibrated"], json!(true), "{whole}");
    assert!(whole["score"].is_f64() && whole["calibration_receipt"].is_object(), "{whole}");
    let plain = trust(json!({"embeddings": false}));
    assert_eq!((&plain["calibrated"], &plain["verdict"] == "act"), (&json!(false), false), "{plain}");
    let elsewhere = trust(json!({"scope": "app.py", "min_score": 0.0}));
    assert_eq!((&elsewhere["calibrated"], &elsewhere["verdict"] == "act"), (&json!(false), false), "{elsewhere}");
    let kinds = trust(json!({"node_types": ["function"]}));
    assert_eq!((&kinds["calibrated"], &kinds["verdict"] == "act"), (&json!(false), false), "{kinds}");
    let first = ask(&project, "seek", json!({}))["results"][0]["node_id"].clone();
    project.ok("learn", json!({"query": QUESTION, "feedback": "wrong", "node_ids": [first], "strength": 1}));
    let other = ask(&project, "seek", json!({}));
    assert_ne!(other["results"][0]["node_id"], first, "{other}");
    let trust = &other["trust_envelope"];
    assert_eq!((&trust["calibrated"], &trust["score"]), (&json!(false), &Value::Null), "{other}");
    commit_elsewhere(&project);
    let old = ask(&project, "seek", json!({"query": "users"}))["trust_envelope"].clone();
    assert_eq!(old["calibrated"], json!(false), "{old}");
}

/// What can be said without the history is said at once, with a line about the rest, which comes by itself.
#[test]
fn no_answer_waits_for_the_history() {
    let no_wait = |config: &mut m1nd_engine::EngineConfig| config.history_wait = std::time::Duration::ZERO;
    let project = Project::over_repository_with(crate::predict::repository(), no_wait);
    let first = project.ok("impact", json!({"node_id": "model.py"}));
    assert!(first["no_probability"].as_str().is_some_and(|why| why.contains("still being read")), "{first}");
    assert_eq!(first["tests"][0]["file_path"], "tests/test_model.py", "{first}");
    for (tool, arguments) in [("predict", json!({"changed_node": "model.py"})), ("activate", json!({"query": "model"}))] {
        project.ok(tool, arguments);
    }
    let begun = std::time::Instant::now();
    loop {
        let answer = project.ok("impact", json!({"node_id": "model.py"}));
        let is_known = answer["no_probability"].is_null();
        if is_known {
            assert!(answer["blast_radius"][0]["probability"].as_f64() > Some(0.9), "{answer}");
            break;
        }
        assert!(begun.elapsed().as_secs() < 120, "nobody reads on: {answer}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
