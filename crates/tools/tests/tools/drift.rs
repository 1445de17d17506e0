use serde_json::json;

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

/// An edit that is not committed.
fn edit(project: &Project) {
    project.tree.write("pool.py", "def drain():\n    pass\n\ndef refill():\n    drain()\n");
    project.tree.write("fresh.py", "def fresh():\n    pass\n");
    project.ok("ingest", json!({"path": "."}));
}

const POOL: &str = "//- pool.py\ndef drain():\n    pass\n\ndef empty():\n    pass\n";

#[test]
fn what_changed_since_the_last_visit_is_told_without_commits_and_after_a_restart() {
    let project = Project::new(POOL);
    let first = project.ok("drift", json!({}));
    assert!(first["note"].as_str().unwrap_or_default().contains("no earlier visit of agent `tester`"), "{first}");
    let project = project.reopen(|_| {});
    let same = project.ok("drift", json!({}));
    assert_eq!((same["changed_files"].clone(), same["structural_drift"].clone()), (json!([]), json!(0.0)), "{same}");
    edit(&project);
    let answer = project.ok("drift", json!({}));
    assert_eq!(column(&answer, "changed_files", "file_path"), "fresh.py pool.py");
    assert_eq!(column(&answer, "changed_files", "change"), "new modified");
    assert_eq!(answer["new_nodes"], json!(["file::fresh.py", "file::fresh.py::fn::fresh", "file::pool.py::fn::refill"]));
    // `empty` went away: the symbols of a text that is nowhere any more come from the cache.
    assert_eq!(answer["removed_nodes"], json!(["file::pool.py::fn::empty"]));
    assert_eq!((answer["node_count_delta"].clone(), answer["what_is_missing"].clone()), (json!(2), json!(null)), "{answer}");
    // The next visit begins where this one ended; another agent was never here.
    let project = project.reopen(|_| {});
    assert_eq!(project.ok("drift", json!({}))["changed_files"], json!([]));
    let other = project.call_as_is("drift", json!({"agent_id": "other"})).expect("an answer");
    assert!(other["note"].is_string(), "{other}");
}

#[test]
fn a_pause_ends_a_visit() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    let now = Arc::new(AtomicU64::new(1_700_000_000_000));
    let given = now.clone();
    let clock = m1nd_base::Clock::new(move || given.load(Ordering::Relaxed));
    let project = Project::with(POOL, |config| config.clock = clock);
    project.ok("ingest", json!({"path": "."}));
    project.ok("glob", json!({"pattern": "*"}));
    now.fetch_add(m1nd_sessions::PAUSE_MS + 1, Ordering::Relaxed);
    edit(&project);
    assert_eq!(column(&project.ok("drift", json!({})), "changed_files", "file_path"), "fresh.py pool.py");
}

#[test]
fn without_the_cache_the_commit_and_the_disk_are_asked_and_the_rest_is_named() {
    let mut repository = Repository::new();
    let texts = [("a.py", "def a():\n    pass\n"), ("b.py", "def b():\n    pass\n")];
    repository.commit("ann", "start", &texts.map(|(path, text)| Put(path, text)));
    texts.iter().for_each(|(path, text)| repository.tree.write(path, text));
    repository.tree.write("c.py", "def c():\n    pass\n");
    let project = Project::over_repository(repository).reopen(|_| {});
    project.ok("glob", json!({"pattern": "*"}));
    for path in ["b.py", "c.py"] {
        project.tree.write(path, "def other():\n    pass\n");
    }
    project.ok("ingest", json!({"path": "."}));
    std::fs::remove_dir_all(project.home().join("cache")).expect("a cache");
    let project = project.reopen(|_| {});
    let answer = project.ok("drift", json!({}));
    assert_eq!(column(&answer, "changed_files", "file_path"), "b.py c.py", "{answer}");
    assert_eq!(answer["removed_nodes"], json!(["file::b.py::fn::b"]));
    assert_eq!(answer["what_is_missing"], "the symbols of c.py at that time are not known");
    let commit = project.ok("drift", json!({"since": "HEAD"}));
    assert_eq!(column(&commit, "changed_files", "file_path"), "b.py c.py", "{commit}");
    assert_eq!(column(&commit, "changed_files", "change"), "modified new", "{commit}");
    assert_eq!(commit["removed_nodes"], json!(["file::b.py::fn::b"]));
}

#[test]
fn what_is_no_time_is_said() {
    let project = Project::in_git(PROGRAM, &[("one", &["store.py"])]);
    assert_eq!(project.err("drift", json!({"since": "nowhere"}))["code"], "revision_not_found");
    assert!(project.err("drift", json!({"since": "2999-01-01"})).to_string().contains("earlier date"));
    let none = Project::new(PROGRAM).ok("drift", json!({"since": "HEAD"}));
    assert!(none["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{none}");
}

#[test]
fn trails_that_code_changed_under_are_named() {
    let project = Project::new(POOL);
    let saved = json!({"label": "pool leaks", "visited_nodes": [{"node_external_id": "file::pool.py::fn::drain"}]});
    project.ok("trail_save", saved);
    let project = project.reopen(|_| {});
    assert_eq!(project.ok("drift", json!({})).get("stale_trails"), None);
    project.tree.write("pool.py", "def drain():\n    return 2\n\ndef empty():\n    pass\n");
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("drift", json!({}));
    assert_eq!((column(&answer, "stale_trails", "label"), &answer["stale_trails"][0]["stale_nodes"]), ("pool leaks".into(), &json!(1)));
}

#[test]
fn lessons_since_the_last_visit_are_listed() {
    let project = Project::new(PROGRAM);
    project.ok("glob", json!({"pattern": "*"}));
    let project = project.reopen(|_| {});
    let rated = json!({"agent_id": "other", "query": "log in", "feedback": "correct", "node_ids": ["auth.py"]});
    project.call_as_is("learn", rated).expect("is noted");
    assert_eq!(column(&project.ok("drift", json!({})), "feedback", "query"), "log in");
}

#[test]
fn memories_since_the_last_visit_are_listed() {
    let memory = "//- .mind/MEMORY.md\n# Shop\n\n## 2020-03-02\n- Decision: pools are drained at exit\n";
    let project = Project::new(&format!("{POOL}{memory}"));
    project.ok("glob", json!({"pattern": "*"}));
    let project = project.reopen(|_| {});
    assert_eq!(project.ok("drift", json!({})).get("memories"), None);
    let text = "# Shop\n\n## 2999-03-03\n- Issue: the pool leaks after a fork\n\n## 2020-03-02\n\
                - Decision: pools are drained at exit\n";
    project.tree.write(".mind/MEMORY.md", text);
    let answer = project.ok("drift", json!({}));
    assert_eq!(column(&answer, "memories", "type"), "issue", "{answer}");
    assert_eq!(column(&answer, "memories", "source"), ".mind/MEMORY.md:4", "{answer}");
}
