use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

/// A function of some lines.
fn function(name: &str, lines: usize) -> String {
    let body: String = (0..lines).map(|line| format!("    step_{name}_{line}()\n")).collect();
    format!("def {name}():\n{body}")
}

/// Before the baseline `a.py` and `b.py` change together, after it `a.py` and `c.py`; `a.py` grows tenfold.
fn project() -> Project {
    let mut repository = Repository::new();
    let text = |name: &str, round: usize| format!("{}# {round}\n", function(name, 10));
    repository.commit("ann", "start", &[Put("c.py", &text("c", 99))]);
    for round in 0..4 {
        repository.commit("ann", "a and b", &[Put("a.py", &text("a", round)), Put("b.py", &text("b", round))]);
    }
    let baseline = repository.commit("ann", "baseline", &[Put("c.py", &text("c", 0))]);
    repository.tree.write(".git/refs/heads/old", format!("{baseline}\n"));
    repository.tree.write(".git/refs/tags/v1", format!("{baseline}\n"));
    for round in 4..8 {
        repository.commit("ann", "a and c", &[Put("a.py", &text("a", round)), Put("c.py", &text("c", round))]);
    }
    let grown = function("a", 120);
    repository.commit("ann", "grow", &[Put("a.py", &grown), Put("b.py", &text("b", 9))]);
    let written = [("a.py", grown.clone()), ("b.py", text("b", 9)), ("c.py", text("c", 7))];
    for (path, text) in &written {
        repository.tree.write(path, text);
    }
    Project::over_repository(repository)
}

fn kinds(answer: &Value) -> String {
    column(answer, "anomalies", "type")
}

#[test]
fn a_baseline_is_a_commit_or_a_date() {
    let project = project();
    let answer = project.ok("diverge", json!({"baseline": "HEAD~5"}));
    assert_eq!(column(&answer, "modified_nodes", "file"), "a.py b.py c.py", "{answer}");
    assert_eq!(answer["modified_nodes"][0]["growth_ratio"], json!(10.0833));
    assert_eq!(kinds(&answer), "velocity_spike new_coupling");
    assert_eq!(answer["anomalies"][0]["severity"], "critical");
    let directions: Vec<(String, String)> = answer["coupling_changes"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["pair"][1].as_str().unwrap_or_default().to_owned(), row["direction"].as_str().unwrap_or_default().to_owned()))
        .collect();
    assert_eq!(directions, [("b.py".into(), "weakened".into()), ("c.py".into(), "new_coupling".into())], "{answer}");
    // The baseline is the sixth commit, six days after the start.
    let date = end_of_day(6);
    let by_date = project.ok("diverge", json!({"baseline": date}));
    assert_eq!(by_date["baseline_commit"], answer["baseline_commit"]);
    assert_eq!(by_date["modified_nodes"], answer["modified_nodes"]);
    // By the start of its name, a tag and a branch.
    let short = answer["baseline_commit"].as_str().expect("a commit").to_owned();
    let full = std::fs::read_to_string(project.tree.join(".git/refs/heads/old")).expect("a branch").trim().to_owned();
    for name in [short.as_str(), full.as_str(), "old", "v1"] {
        let named = project.ok("diverge", json!({"baseline": name}));
        assert_eq!(named["baseline_commit"], answer["baseline_commit"], "{name}");
        assert_eq!(named["modified_nodes"], answer["modified_nodes"], "{name}");
    }
    let scoped = project.ok("diverge", json!({"baseline": "HEAD~5", "scope": "b*.py", "include_anomalies": false}));
    assert_eq!((column(&scoped, "modified_nodes", "file").as_str(), kinds(&scoped).as_str()), ("b.py", ""));
}

#[test]
fn the_last_visit_is_a_baseline_and_a_removed_coupling_is_told() {
    let mut repository = Repository::new();
    let text = |name: &str, round: usize| format!("{}# {round}\n", function(name, 10));
    for round in 0..4 {
        repository.commit("ann", "a and b", &[Put("a.py", &text("a", round)), Put("b.py", &text("b", round))]);
    }
    for round in 4..8 {
        repository.commit("ann", "a", &[Put("a.py", &text("a", round))]);
    }
    repository.commit("ann", "b", &[Put("b.py", &text("b", 9))]);
    repository.tree.write("a.py", text("a", 7));
    repository.tree.write("b.py", text("b", 9));
    let project = Project::over_repository(repository);
    let apart = project.ok("diverge", json!({"baseline": "HEAD~5"}));
    assert_eq!(column(&apart, "coupling_changes", "direction"), "decoupled", "{apart}");
    let project = project.reopen(|_| {});
    project.tree.write("a.py", function("a", 120));
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("diverge", json!({"baseline": "last_session"}));
    assert_eq!((column(&answer, "modified_nodes", "file").as_str(), kinds(&answer).as_str()), ("a.py", "velocity_spike"));
    assert_eq!(answer["modified_nodes"][0]["delta"], "+110/-1", "{answer}");
}

/// The end of a day after the first commit of a test.
fn end_of_day(days: i64) -> String {
    let time = crate::repository::START + days * crate::repository::DAY + 60;
    jiff::Timestamp::from_second(time).expect("a time").to_string()
}

#[test]
fn what_is_no_baseline_is_said() {
    let project = project();
    assert_eq!(project.err("diverge", json!({"baseline": "nowhere"}))["code"], "revision_not_found");
    let future = project.err("diverge", json!({"baseline": "2999-01-01"}));
    assert!(future["code"] == "invalid_params" && future.to_string().contains("earlier date"), "{future}");
    let past = project.err("diverge", json!({"baseline": "1999-01-01"}));
    assert!(past["code"] == "invalid_params" && past.to_string().contains("later date"), "{past}");
    let session = project.ok("diverge", json!({"baseline": "last_session"}));
    assert!(session["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{session}");
    let none = Project::new(PROGRAM).ok("diverge", json!({"baseline": "HEAD"}));
    assert!(none["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{none}");
}
