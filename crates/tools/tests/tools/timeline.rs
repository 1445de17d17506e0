use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Move, Put, Repository};

/// A file of two functions.
fn file(one: &str, two: &str) -> String {
    let function = |name: &str, body: &str| {
        format!("def {name}(value):\n    result = {body}\n    check_{body}(result)\n    return result + {body}\n")
    };
    format!("{}\n\n{}", function("one", one), function("two", two))
}

/// A program whose functions changed at different times.
fn project() -> Project {
    let mut repository = Repository::new();
    let test = |body: &str| format!("import a\n\ndef test_one():\n    assert a.one({body})\n");
    repository.commit("ann", "start", &[Put("a.py", &file("first", "second")), Put("tests/test_a.py", &test("0"))]);
    for (number, body) in ["third", "fourth", "fifth"].iter().enumerate() {
        let test = test(&(number + 1).to_string());
        repository.commit("bob", &format!("one: {body}"), &[Put("a.py", &file(body, "second")), Put("tests/test_a.py", &test)]);
    }
    repository.commit("ann", "two", &[Put("a.py", &file("fifth", "other"))]);
    repository.commit("ann", "run black", &[Put("a.py", &file("fifth", "other").replace("    ", "\t"))]);
    repository.commit("dependabot[bot]", "bump", &[Put("lock.txt", "1"), Put("a.py", &file("fifth", "other"))]);
    repository.commit("ann", "move", &[Move("a.py", "pkg/a.py")]);
    repository.tree.write("pkg/a.py", file("fifth", "other"));
    repository.tree.write("tests/test_a.py", test("3"));
    Project::over_repository(repository)
}

fn subjects(answer: &Value) -> String {
    column(answer, "changes", "subject")
}

#[test]
fn a_file_is_followed_over_its_names() {
    let project = project();
    let answer = project.ok("timeline", json!({"node": "pkg/a.py", "depth": "all"}));
    assert_eq!(subjects(&answer), "move bump run black two one: fifth one: fourth one: third start");
    assert_eq!(answer["commit_count_in_window"], 8);
    assert_eq!(answer["changes"][3]["delta"], "+3/-3");
    assert_eq!(answer["changes"][3]["author"], "ann");
    assert_eq!((&answer["changes"][2]["kind"], &answer["changes"][1]["kind"]), (&json!("format"), &json!("format")));
    assert_eq!(answer["changes"][4]["co_changed"], json!(["tests/test_a.py"]));
    let partner = &answer["co_changed_with"][0];
    assert_eq!((&partner["file"], &partner["times"]), (&json!("tests/test_a.py"), &json!(4)));
    // start, three of one, two, move: formatting does not count.
    assert_eq!(partner["coupling_degree"], json!(0.6667));
    assert_eq!(partner["commits"].as_array().map(Vec::len), Some(3));
    assert_eq!((&answer["velocity"], &answer["author_count"]), (&json!("stable"), &json!(3)));
    assert_eq!(answer["what_is_missing"], Value::Null);
}

#[test]
fn a_folder_has_the_commits_of_its_files() {
    let project = project();
    let answer = project.ok("timeline", json!({"node": "tests", "depth": "all"}));
    assert_eq!((&answer["node"], &answer["label"]), (&json!("tests/"), &json!("tests/")), "{answer}");
    assert_eq!(subjects(&answer), "one: fifth one: fourth one: third start");
    assert_eq!(answer["co_changed_with"][0]["file"], "pkg/a.py", "{answer}");
    assert_eq!(answer["total_churn"], json!({"lines_added": 7, "lines_deleted": 3}), "{answer}");
    let file = project.ok("timeline", json!({"node": "pkg/a.py", "depth": "all"}));
    let folder = project.ok("timeline", json!({"node": "pkg/", "depth": "all"}));
    assert_eq!((subjects(&folder), &folder["total_churn"]), (subjects(&file), &file["total_churn"]));
}

/// More changes than are listed are counted, and the answer says so.
#[test]
fn changes_beyond_those_listed_are_counted() {
    let mut repository = Repository::new();
    for round in 0..60 {
        repository.commit("ann", &format!("round {round}"), &[Put("a.py", &format!("value = {round}\n"))]);
    }
    repository.tree.write("a.py", "value = 59\n");
    let project = Project::over_repository(repository);
    let answer = project.ok("timeline", json!({"node": "a.py", "depth": "all"}));
    assert_eq!((answer["changes"].as_array().map(Vec::len), &answer["changes_total"]), (Some(50), &json!(60)));
    let gaps = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(gaps.contains("the newest 50 of 60 changes"), "{answer}");
}

#[test]
fn a_symbol_has_the_commits_of_its_lines() {
    let project = project();
    let one = project.ok("timeline", json!({"node": "pkg/a.py::one", "depth": "all"}));
    assert_eq!(subjects(&one), "bump run black one: fifth one: fourth one: third start");
    assert_eq!(one["co_changed_with"][0]["coupling_degree"], json!(1.0));
    assert_eq!(one["total_churn"], json!({"lines_added": 13, "lines_deleted": 9}));
    assert_eq!(one["pattern"], "churning");
    let two = project.ok("timeline", json!({"node": "pkg/a.py::two", "depth": "all"}));
    assert_eq!(subjects(&two), "bump run black two start");
    // Lines that are not committed do not change what was committed.
    project.tree.write("pkg/a.py", format!("import x\n\n{}", file("fifth", "other")));
    project.ok("ingest", json!({"path": "."}));
    let edited = project.ok("timeline", json!({"node": "pkg/a.py::two", "depth": "all"}));
    assert_eq!(subjects(&edited), "bump run black two start");
}

#[test]
fn a_window_ends_with_the_newest_commit() {
    let project = project();
    let answer = project.ok("timeline", json!({"node": "pkg/a.py", "depth": "3d", "top_k": 1}));
    assert_eq!(subjects(&answer), "move bump run black two");
    assert_eq!(answer["pattern"], "churning");
    let dormant = project.ok("timeline", json!({"node": "tests/test_a.py", "depth": "1d"}));
    assert_eq!((&dormant["pattern"], &dormant["stability_score"]), (&json!("dormant"), &json!(1.0)));
    assert_eq!(dormant["next_suggested_tool"], "timeline");
    let plain = project.ok("timeline", json!({"node": "pkg/a.py", "include_churn": false, "include_co_changes": false}));
    assert_eq!((&plain["total_churn"], &plain["co_changed_with"]), (&Value::Null, &Value::Null));
    assert_eq!(plain["stability_score"], Value::Null);
}

#[test]
fn what_cannot_be_told_is_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("timeline", json!({"node": "app.py"}));
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(note.contains("not the top of a git repository"), "{answer}");
    assert_eq!((&answer["velocity"], &answer["proof_state"]), (&Value::Null, &json!("blocked")));
    let project = Project::in_git(PROGRAM, &[("first", &["auth.py"])]);
    let answer = project.ok("timeline", json!({"node": "app.py"}));
    assert!(answer["note"].as_str().unwrap_or_default().contains("not committed yet"), "{answer}");
    let mut repository = Repository::new();
    repository.commit("ann", "first", &[Put("a.py", "one = 1\n"), Put("b.py", "two = 1\n")]);
    let second = repository.commit("ann", "second", &[Put("a.py", "one = 2\n")]);
    repository.commit("ann", "third", &[Put("a.py", "one = 3\n")]);
    repository.tree.write(".git/shallow", format!("{second}\n"));
    repository.tree.write("a.py", "one = 3\n");
    repository.tree.write("b.py", "two = 1\n");
    let shallow = Project::over_repository(repository);
    let cut = shallow.ok("timeline", json!({"node": "b.py"}));
    assert!(cut["note"].as_str().unwrap_or_default().contains("shallow"), "{cut}");
    assert!(cut["next_step_hint"].as_str().unwrap_or_default().contains("--unshallow"), "{cut}");
    let known = shallow.ok("timeline", json!({"node": "a.py"}));
    assert!(known.to_string().contains("shallow"), "older changes are unknown: {known}");
    assert_eq!(project.err("timeline", json!({"node": "app.py", "depth": "soon"}))["code"], "invalid_params");
    assert_eq!(project.err("timeline", json!({"node": "nowhere.py"}))["code"], "node_not_found");
}
