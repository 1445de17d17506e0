//! The tools of trust: each verdict on an index that deserves it, and a way back that works.

use std::path::Path;

use m1nd_tools::{TOOLS, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};
use crate::repository::{Put, Repository};

fn result(answer: &Value, check: &str) -> String {
    let rows = answer["checks"].as_array().or_else(|| answer["findings"].as_array()).expect("checks");
    let row = rows.iter().find(|row| row["check"] == check);
    row.unwrap_or_else(|| panic!("no `{check}` in {answer}"))["result"].as_str().expect("a result").to_owned()
}

/// Replaces a byte of a file, which keeps its size and time.
fn change_unseen(path: &Path) {
    let time = std::fs::metadata(path).expect("is there").modified().expect("a time");
    let mut bytes = std::fs::read(path).expect("readable");
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    std::fs::write(path, bytes).expect("is written");
    let file = std::fs::OpenOptions::new().append(true).open(path).expect("opens");
    file.set_modified(time).expect("the time is set");
}

#[test]
fn an_index_of_what_is_on_disk_is_trusted() {
    let project = Project::new(PROGRAM);
    for tool in ["trust_selftest", "doctor"] {
        let answer = project.ok(tool, json!({}));
        let verdict = answer["verdict"].as_str().or(answer["trust_mode"].as_str());
        assert_eq!(verdict, Some("full_trust"), "{answer}");
        for check in ["index", "store", "files", "disk", "round_trip"] {
            assert_eq!(result(&answer, check), "pass", "{check}: {answer}");
            assert!(answer["cost_ms"][check].is_f64(), "{check}: {answer}");
        }
        assert_eq!(result(&answer, "git_head"), "unknown", "no repository: {answer}");
    }
}

#[test]
fn a_sampled_file_that_differs_is_never_trusted_even_with_its_old_time_and_size() {
    let project = Project::new(PROGRAM);
    change_unseen(&project.tree.path().join("auth.py"));
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!(answer["verdict"], "stale_binding_suspected", "{answer}");
    assert_eq!(result(&answer, "files"), "fail", "{answer}");
    let step = &answer["recovery_playbook"]["steps"][0];
    assert_eq!(step["tool"], "ingest", "{answer}");
    follow(&project, step);
    assert_eq!(project.ok("trust_selftest", json!({}))["verdict"], "full_trust");
}

/// Makes the call of a step.
fn follow(project: &Project, step: &Value) {
    let tool = step["tool"].as_str().expect("a call");
    let answer = project.call_as_is(tool, step["arguments"].clone());
    answer.unwrap_or_else(|error| panic!("{step}: {}", error.to_json()));
}

/// A name, and what is done to the files.
type Harm = (&'static str, fn(&Project));

#[test]
fn each_fault_has_its_verdict_and_a_way_back_that_works() {
    let cases: [Harm; 3] = [
        ("edited", |project| project.tree.write("auth.py", "def other(): pass\n")),
        ("added", |project| project.tree.write("late.py", "def late(): pass\n")),
        ("removed", |project| std::fs::remove_file(project.tree.path().join("auth.py")).expect("is removed")),
    ];
    for (name, harm) in cases {
        let project = Project::new(PROGRAM);
        harm(&project);
        let answer = project.ok("trust_selftest", json!({}));
        assert_eq!(answer["verdict"], "stale_binding_suspected", "{name}: {answer}");
        assert_eq!(answer["next_suggested_tool"], "ingest", "{name}: {answer}");
        follow(&project, &answer["recovery_playbook"]["steps"][0]);
        let after = project.ok("trust_selftest", json!({}));
        assert_eq!(after["verdict"], "full_trust", "{name}: {after}");
        assert!(after["recovery_playbook"].is_null(), "{name}: {after}");
    }
    let empty = Project::open_unindexed(PROGRAM);
    let answer = empty.ok("trust_selftest", json!({}));
    assert_eq!((&answer["verdict"], &answer["status"]), (&json!("needs_ingest"), &json!("blocked")), "{answer}");
    follow(&empty, &answer["recovery_playbook"]["steps"][0]);
    assert_eq!(empty.ok("trust_selftest", json!({}))["verdict"], "full_trust");
    let read_only = Project::open(PROGRAM, true);
    let answer = read_only.ok("trust_selftest", json!({}));
    assert_eq!(answer["verdict"], "orientation_only", "{answer}");
    let step = &answer["recovery_playbook"]["steps"][0];
    assert_eq!(step["command"][1], "ingest", "a process that does not index proposes no call: {answer}");
}

#[test]
fn what_the_caller_works_on_is_compared_with_the_roots() {
    let project = Project::new(PROGRAM);
    let above = project.tree.path().parent().expect("a folder").to_string_lossy().into_owned();
    let inside = project.tree.path().join("auth.py").to_string_lossy().into_owned();
    let cases = [
        (json!("/somewhere/else"), Some("wrong_workspace_binding")),
        (json!(above), Some("nested_workspace_binding")),
        (json!("no/such/folder"), Some("unknown_scope")),
        (json!(inside), None),
        (json!("auth.py"), None),
        (json!("file::auth.py"), None),
    ];
    for (scope, expected) in cases {
        let answer = project.ok("session_handshake", json!({"scope": scope}));
        assert_eq!(answer["workspace_binding_mismatch"]["binding_kind"].as_str(), expected, "{scope}: {answer}");
        let mode = if expected.is_some() { "wrong_workspace_binding" } else { "full_trust" };
        assert_eq!(answer["trust_mode"], mode, "{scope}: {answer}");
    }
    project.services.memories.set_client_places(vec!["/tmp".into()]);
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!(answer["verdict"], "wrong_workspace_binding", "{answer}");
    let steps = answer["recovery_playbook"]["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|step| step["command"] == json!(["m1nd", "ingest", "/tmp"])), "{answer}");
}

#[test]
fn the_hosts_tools_are_compared_with_those_that_exist() {
    let project = Project::new(PROGRAM);
    let every: Vec<&str> = TOOLS.all().iter().map(|tool| tool.name).collect();
    let prefixed: Vec<String> = every.iter().map(|name| format!("mcp__m1nd__{name}")).collect();
    let cases = [
        (json!({}), "unknown", "full_trust"),
        (json!({"available_tools": every}), "ok", "full_trust"),
        (json!({"available_tools": prefixed}), "ok", "full_trust"),
        (json!({"available_tools": ["seek", "help"]}), "degraded_host_tool_surface", "degraded_host_tool_surface"),
        (json!({"missing_tools": ["ingest"]}), "degraded_host_tool_surface", "degraded_host_tool_surface"),
        (json!({"observed_tool_count": 3}), "degraded_host_tool_surface", "degraded_host_tool_surface"),
    ];
    for (arguments, status, mode) in cases {
        let answer = project.ok("session_handshake", arguments.clone());
        assert_eq!((&answer["tool_surface"]["status"], &answer["trust_mode"]), (&json!(status), &json!(mode)), "{arguments}");
    }
    let answer = project.ok("session_handshake", json!({"missing_tools": ["ingest"]}));
    assert_eq!((&answer["can_ingest"], &answer["can_retrieve"]), (&json!(false), &json!(true)), "{answer}");
    let required = answer["tool_surface"]["required_tools"].as_array().expect("names");
    assert!(required.iter().all(|name| find(name.as_str().expect("a name")).is_some()), "{answer}");
}

#[test]
fn every_step_of_every_playbook_that_is_a_call_can_be_made() {
    let modes = find("recovery_playbook").expect("exists").schema()["properties"]["trust_mode"]["enum"].clone();
    let modes = modes.as_array().expect("words").clone();
    assert_eq!(modes.len(), 6);
    for mode in &modes {
        let project = Project::new(PROGRAM);
        let answer = project.ok("recovery_playbook", json!({"trust_mode": mode}));
        let steps = answer["steps"].as_array().expect("steps");
        assert!(!steps.is_empty() && answer["trust_mode"] == *mode, "{mode}: {answer}");
        steps.iter().filter(|step| step["tool"].is_string()).for_each(|step| follow(&project, step));
    }
}

#[test]
fn a_checkout_of_another_commit_is_noticed_and_a_commit_of_what_is_indexed_is_no_fault() {
    let mut repository = Repository::new();
    repository.tree.write("a.py", "def one():\n    return 1\n");
    repository.commit("ann", "one", &[Put("a.py", "def one():\n    return 1\n")]);
    let project = Project::over_repository(repository);
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!([result(&answer, "git_head"), result(&answer, "files")], ["pass", "pass"], "{answer}");
    let head = project.tree.path().join(".git/refs/heads/main");
    let other = "0123456789abcdef0123456789abcdef01234567\n";
    std::fs::write(&head, other).expect("is written");
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!((result(&answer, "git_head"), &answer["verdict"]), ("pass".into(), &json!("full_trust")), "{answer}");
    project.tree.write("a.py", "def two():\n    return 2\n");
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!(result(&answer, "git_head"), "fail", "{answer}");
    project.ok("ingest", json!({"path": ".", "incremental": true}));
    let project = project.reopen(|_| {});
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!(result(&answer, "git_head"), "pass", "the commit is stored: {answer}");
    assert!(answer["checks"].to_string().contains("`0123456789ab` is what was indexed"), "{answer}");
}

#[test]
fn what_was_observed_counts_and_has_a_way_back() {
    let project = Project::new(PROGRAM);
    let blocked = project.ok("trust_selftest", json!({"observed_tool": "seek", "observed_proof_state": "blocked"}));
    assert_eq!(blocked["verdict"], "stale_binding_suspected", "{blocked}");
    let nothing = project.ok("trust_selftest", json!({"observed_tool": "seek", "observed_candidates": 0}));
    assert_eq!(nothing["verdict"], "full_trust", "an empty answer alone is no fault: {nothing}");
    let failed = project.ok("doctor", json!({"error_text": "node_not_found: no node is named x"}));
    let finding = failed["findings"].as_array().expect("rows").iter().find(|row| row["check"] == "observed");
    let repair = &finding.expect("a finding")["repair"];
    follow(&project, repair);
    assert_eq!(repair["tool"], "help", "{failed}");
}

#[test]
fn a_damaged_snapshot_is_not_trusted() {
    let project = Project::new(PROGRAM).reopen(|config| config.verify = false);
    assert_eq!(result(&project.ok("doctor", json!({})), "snapshot"), "pass");
    let files = crate::harness::files_below(&[project.home()]);
    let (path, mut bytes) = files.into_iter().find(|(path, _)| path.extension().is_some_and(|end| end == "m1nd")).expect("one");
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    // Another file at its place, so that what is mapped stays as it was.
    std::fs::remove_file(&path).expect("is removed");
    std::fs::write(&path, bytes).expect("is written");
    let answer = project.ok("trust_selftest", json!({}));
    assert_eq!((result(&answer, "snapshot"), &answer["verdict"]), ("fail".into(), &json!("stale_binding_suspected")), "{answer}");
    follow(&project, &answer["recovery_playbook"]["steps"][0]);
    project.services.engine.save(&m1nd_base::Cancel::new()).expect("is saved");
    assert_eq!(project.ok("trust_selftest", json!({}))["verdict"], "full_trust");
}
