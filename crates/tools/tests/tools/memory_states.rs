//! Memories in states other than "all is well": seen before, not read yet, unreadable, closed elsewhere.

use serde_json::{Value, json};

use crate::harness::{Project, column};

const REMEMBERED: &str = r#"
//- pool.py
# MEMORY: problem - worker pool starves under load
class Pool:
    pass
//- .mind/MEMORY.md
# Pools

## Project State
- Goal: connections that never run out
- Stack: python

## Gotchas
- Pools leak after a fork -> call `Pool.open` in the child

## 2026-03-02
**Decided:** keep idle connections for a minute because opening is slow
**Problem:** login loop on mobile browsers
**Problem:** slow exports because of the login loop on mobile browsers
"#;

fn open_remembered() -> Project {
    let project = Project::new(REMEMBERED);
    project.note();
    project
}

/// Makes the memory a file that cannot be read, even by a user who may read everything: a link out of the project.
#[cfg(unix)]
fn make_unreadable(project: &Project) -> m1nd_testkit::TempTree {
    let outside = m1nd_testkit::TempTree::new("//- MEMORY.md\n**Decided:** OUTSIDE\n");
    let file = project.tree.join(".mind/MEMORY.md");
    std::fs::remove_file(&file).expect("was there");
    std::os::unix::fs::symlink(outside.join("MEMORY.md"), &file).expect("a link");
    outside
}

#[test]
fn an_explicit_call_answers_the_same_every_time() {
    let project = open_remembered();
    let questions = [
        json!({"intent": "open pools after a fork of the worker", "agent_id": "one"}),
        json!({"intent": "auth middleware", "code": "import crypto from 'crypto'", "agent_id": "one"}),
    ];
    for question in questions {
        let ask = || project.call_as_is("mind_edges", question.clone()).expect("answers");
        let first = ask();
        assert!(first["result"].as_array().is_some_and(|rows| !rows.is_empty()), "{first}");
        assert_eq!(ask()["result"], first["result"]);
    }
}

#[test]
fn nothing_found_is_not_said_while_comments_and_commits_are_being_read() {
    let project = Project::new(REMEMBERED);
    let root = std::fs::canonicalize(project.tree.path()).expect("is there");
    let ask = |query: &str| project.call("mind_search", json!({"query": query, "types": ["issue"]}));
    let look = project.services.memories.looking().begin(&root);
    look.is_at(3, 8);
    let error = ask("worker pool starves").expect_err("it stands in a comment that was not read").to_json();
    assert_eq!(
        (&error["code"], &error["details"]["progress"]),
        (&json!("INDEX_NOT_READY"), &json!({"done": 3, "total": 8}))
    );
    assert!(error["suggested_next_step"].to_string().contains("repeat this call"), "{error}");
    let found = ask("login loop on mobile").expect("the file itself answers");
    assert!(found["notice"].to_string().contains("still being read"), "{found}");
    drop(look);
    let nobody = ask("worker pool starves").expect("nobody is reading");
    assert!(nobody["results"] == json!([]) && nobody["notice"].to_string().contains("mind index"), "{nobody}");
    project.note();
    let found = ask("worker pool starves").expect("was read");
    assert_eq!(found["results"][0]["source_file"], "pool.py", "{found}");
    assert!(found.get("notice").is_none(), "{found}");
}

#[test]
#[cfg(unix)]
fn a_search_that_cannot_be_done_says_so_and_what_is_left_answers() {
    let project = open_remembered();
    let ask = |project: &Project, query: &str| project.call("mind_search", json!({"query": query}));
    ask(&project, "login loop").expect("answers");
    let _outside = make_unreadable(&project);
    let held = ask(&project, "login loop on mobile").expect("what was read last");
    assert!(held["notice"].to_string().contains("was read last") && !held.to_string().contains("OUTSIDE"), "{held}");
    assert_eq!(held["results"][0]["title"], "login loop on mobile browsers", "{held}");

    let project = project.reopen(|_| ());
    let rest = ask(&project, "worker pool starves").expect("comments were noted");
    assert!(rest["notice"].to_string().contains("only its archive"), "{rest}");
    assert_eq!(column(&rest, "results", "source_file"), "pool.py");
    std::fs::remove_dir_all(project.tree.join(".mind/.index")).expect("was there");
    let project = project.reopen(|_| ());
    let error = ask(&project, "login loop").expect_err("nothing is left").to_json();
    assert_eq!(error["code"], "SEARCH_FAILED", "{error}");
    assert!(error["suggested_next_step"].to_string().contains("mind doctor"), "{error}");
    assert!(error["details"]["why"].is_string() && error["message"].is_string(), "{error}");

    let edges = project.ok("mind_edges", json!({"intent": "implementing token generation with crypto"}));
    assert!(edges["result"].as_array().is_some_and(|rows| !rows.is_empty()), "those of all projects: {edges}");
    assert!(edges["notice"].to_string().contains("only gotchas of all projects"), "{edges}");
    let status = project.ok("mind_status", json!({}));
    let here = &status["current_project"];
    assert_eq!(here["memory_health"], "stale", "{status}");
    assert!(here["memory_health_reason"].to_string().contains("cannot be read"), "{status}");
}

#[test]
fn damaged_files_of_all_projects_are_named_and_the_rest_answers() {
    let project = open_remembered();
    let home = project.keeper().home().path().to_owned();
    std::fs::create_dir_all(&home).expect("a folder");
    for file in ["projects.json", "global_edges.json"] {
        std::fs::write(home.join(file), "{").expect("is written");
    }
    let all = project.ok("mind_search", json!({"query": "login loop on mobile", "scope": "all"}));
    assert!(all["results"][0].is_object() && all["notice"].to_string().contains("projects.json"), "{all}");
    let edges = project.ok("mind_edges", json!({"intent": "open pools after a fork of the worker"}));
    assert!(edges["result"][0].is_object() && edges["notice"].to_string().contains("global_edges.json"), "{edges}");
    let status = project.ok("mind_status", json!({}));
    assert_eq!(status["problems"].as_array().map(Vec::len), Some(2), "{status}");
    let draft = json!({"title": "a b", "description": "b", "workaround": "c", "detection": {"intent": ["x"]}});
    let error = project.err("mind_add_global_edge", draft);
    assert_eq!(error["code"], "store_failed");
    assert!(error["suggested_next_step"].to_string().contains("mind doctor"), "{error}");
    assert_eq!(std::fs::read_to_string(home.join("global_edges.json")).expect("is there"), "{", "left as it was");
}

#[test]
fn a_fix_in_a_comment_closes_an_issue_of_the_file() {
    let project = open_remembered();
    let issue = |project: &Project| {
        let found = project.ok("mind_search", json!({"query": "login loop on mobile browsers", "types": ["issue"]}));
        let rows = found["results"].as_array().cloned().unwrap_or_default();
        rows.into_iter().find(|row| row["title"] == "login loop on mobile browsers").expect("is found")
    };
    assert_eq!(issue(&project)["status"], "open");
    project.tree.write("login.py", "# MEMORY: fixed the login loop on mobile browsers by resetting the cookie\n");
    project.note();
    let closed = issue(&project);
    assert_eq!((&closed["status"], &closed["resolved_by"]), (&json!("resolved"), &json!("login.py:1")), "{closed}");
    assert_eq!(project.ok("mind_status", json!({}))["current_project"]["stats"]["issues_resolved"], 1);
    project.tree.write("login.py", "pass\n");
    project.note();
    assert_eq!(issue(&project)["status"], "open", "the comment went, and the fix with it");
}

#[test]
fn memories_name_those_that_they_are_related_to() {
    let found = open_remembered().ok("mind_search", json!({"query": "slow exports"}));
    let relation = &found["results"][0]["relations"][0];
    assert_eq!(
        (&relation["relation"], &relation["title"]),
        (&json!("caused_by"), &json!("login loop on mobile browsers"))
    );
    assert!(relation["to"].is_string(), "{found}");
}

#[test]
fn rejected_approaches_of_the_session_are_memories_while_they_stand_there() {
    let project = open_remembered();
    project.tree.write(
        ".mind/SESSION.md",
        "# Session\n\n## Rejected\n- polling the queue every second because it drains batteries\n- a global lock\n\
         - keep idle connections for an hour - password=hunter2hunter2 leaks\n",
    );
    let found = project.ok("mind_search", json!({"query": "poll the queue every second"}));
    let first = &found["results"][0];
    assert_eq!((&first["type"], &first["source_file"]), (&json!("decision"), &json!(".mind/SESSION.md")), "{found}");
    assert_eq!(first["reasoning"], "it drains batteries");
    let all = project.ok("mind_search", json!({"query": "idle connections global lock"})).to_string();
    assert!(!all.contains("hunter2") && !all.contains("against a global lock"), "{all}");
    project.tree.remove(".mind/SESSION.md");
    let gone: Value = project.ok("mind_search", json!({"query": "poll the queue every second"}));
    assert!(!gone.to_string().contains("SESSION.md"), "{gone}");
}

#[test]
fn what_is_written_while_somebody_looks_makes_live_sessions() {
    let project = open_remembered();
    let sessions = |project: &Project| {
        project.ok("mind_status", json!({}))["current_project"]["stats"]["sessions_inferred"].clone()
    };
    assert_eq!(sessions(&project), 1, "a day of the file");
    // Times are kept in seconds: what is seen in the second of the first look was written at an unknown time.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let text = std::fs::read_to_string(project.tree.join(".mind/MEMORY.md")).expect("is there");
    let today = jiff::Zoned::now().date();
    project
        .tree
        .write(".mind/MEMORY.md", format!("{text}\n## {today} | exports\n**Learned:** exports wait for logins\n"));
    project.note();
    assert_eq!(sessions(&project), 1, "the session of now goes on");
    let memory = m1nd_mind::ProjectMemory::read(
        &std::fs::canonicalize(project.tree.path()).expect("is there"),
        project.keeper().home(),
    )
    .expect("is read");
    let last = memory.sessions.last().expect("there are some");
    assert_eq!((last.session.summary.as_deref(), last.session.learnings), (Some("exports"), 1), "{last:?}");
    assert!(last.span.is_some() && last.session.duration_minutes == Some(0), "{last:?}");
}
