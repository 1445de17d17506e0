//! The built program, run as `m1nd team` runs it, without a database. Tests with one are those of the crate `team`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Nothing listens there.
const AWAY: &str = "postgres://alice:hunter2@127.0.0.1:1/team";

fn run(folder: &Path, database: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_m1nd-fleet"));
    command.arg("--home").arg(folder.join("home")).arg("team").args(arguments).current_dir(folder);
    for variable in ["M1ND_HOME", "M1ND_TEAM", "M1ND_TEAM_CA", "M1ND_TEAM_REPOSITORY", "M1ND_TEAM_PASSWORD"] {
        command.env_remove(variable);
    }
    match database {
        Some(database) => command.env("M1ND_TEAM_DATABASE", database),
        None => command.env_remove("M1ND_TEAM_DATABASE"),
    };
    let output = command.output().expect("is run");
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains("hunter2"), "{text}");
    }
    output
}

fn create_project() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    std::fs::create_dir_all(folder.path().join(".mind")).expect("is created");
    std::fs::write(folder.path().join(".mind/MEMORY.md"), "**Decided:** redis over memcached\n").expect("is written");
    folder
}

#[test]
fn without_a_database_a_push_is_queued_and_a_pull_fails() {
    let project = create_project();
    let push = ["push", "--team", "t", "--repository", "example.com/shop", "--wait", "0", "--json"];
    for _ in 0..2 {
        let output = run(project.path(), Some(AWAY), &push);
        assert!(output.status.success(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
        assert_eq!((&answer["queued"], &answer["sent"]), (&Value::from(1), &Value::from(0)), "{answer}");
        assert!(answer["offline"].is_string(), "{answer}");
    }
    let pull = ["pull", "--team", "t", "--repository", "example.com/shop", "--wait", "0", "--json"];
    let output = run(project.path(), Some(AWAY), &pull);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
    assert_eq!(answer["error"]["code"], "offline", "{answer}");
    let status = run(project.path(), Some(AWAY), &["status", "--team", "t", "--wait", "0"]);
    assert!(String::from_utf8_lossy(&status.stdout).contains("1 queued on this machine"), "{status:?}");
    let text = std::fs::read_to_string(project.path().join(".mind/MEMORY.md")).expect("is read");
    assert_eq!(text, "**Decided:** redis over memcached\n");
}

#[test]
fn settings_that_cannot_work_are_refused_and_not_shown() {
    let project = create_project();
    let push = &["push", "--team", "t", "--repository", "example.com/shop", "--wait", "0"][..];
    let rows: &[(Option<&str>, &[&str], &str)] = &[
        (None, push, "no database is named"),
        (Some(AWAY), &["status"], "no team is named"),
        (Some("postgres://alice:hunter2@db.example.com/t?sslmode=disable"), push, "would not be encrypted"),
        (Some("hunter2"), push, "cannot be read"),
        (Some(AWAY), &["push", "--team", "t", "--wait", "0"], "name it with --repository"),
        (Some(AWAY), &["init", "--team", "t", "--wait", "0"], "cannot be reached after 1 attempts"),
        (Some(AWAY), &["init", "--member", "alice:own"], "is not a level"),
        (Some(AWAY), &["search", "x", "--type", "thought"], "is not a type"),
    ];
    for (database, arguments, expected) in rows {
        let output = run(project.path(), *database, arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(expected), "{arguments:?}: {output:?}");
    }
}
