//! `m1nd upgrade`, and stores that another version wrote.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{Place, Run, SHOP, tree};

/// Where the format version is in a snapshot, and in a database of SQLite.
const SNAPSHOT_VERSION: usize = 8;
const DATABASE_VERSION: usize = 60;

/// A project with an index, a trail, feedback and a memory.
fn open_used() -> Place {
    let place = Place::new(SHOP);
    for command in [
        &["memory", "init", "--quiet"][..],
        &["memory", "add", "Prices are integers", "--kind", "decision"],
        &["ingest", "--quiet"],
        &["call", "trail_save", "--label", "kept"],
        &[
            "call",
            "learn",
            "--json",
            "{\"query\": \"price\", \"feedback\": \"correct\", \"node_ids\": [\"shop/price.py\"]}",
        ],
    ] {
        let run = place.run(command);
        assert_eq!(run.code, 0, "{command:?}: {}{}", run.out, run.err);
    }
    place
}

/// The only file of the store with this ending.
fn find(place: &Place, ending: &str) -> PathBuf {
    let store = place.user.join("store");
    let mut names: Vec<String> = tree(&store).into_iter().map(|(name, _)| name).collect();
    names.retain(|name| name.contains("projects/") && name.ends_with(ending));
    assert_eq!(names.len(), 1, "{ending}: {names:?}");
    store.join(names.remove(0))
}

/// Writes other bytes into a file.
fn patch(file: &PathBuf, at: usize, bytes: [u8; 4]) {
    let mut text = std::fs::read(file).unwrap();
    text[at..at + 4].copy_from_slice(&bytes);
    std::fs::write(file, text).unwrap();
}

fn check_answers(place: &Place, what: &str) -> Run {
    let run = place.run(&["callers", "net"]);
    assert!(run.code == 0 && run.out.starts_with("complete: 1 call of `net`"), "{what}: {}{}", run.out, run.err);
    let memory = place.run(&["memory", "search", "integers"]);
    assert!(memory.out.contains("Prices are integers"), "{what}: {}{}", memory.out, memory.err);
    run
}

/// What `upgrade --check` says about a stored file.
fn report(place: &Place, file: &str) -> String {
    let run = place.run(&["upgrade", "--check"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let line = run.out.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{file}: {}", run.out));
    line.to_owned()
}

#[test]
fn an_index_of_another_format_is_rebuilt_and_what_people_wrote_is_kept() {
    for (version, said) in [(1, "older than"), (2, "older than"), (4, "newer than"), (50, "newer than")] {
        let place = open_used();
        let snapshot = find(&place, "snapshot-1.m1nd");
        assert!(report(&place, "snapshot-1.m1nd").ends_with("format 3, current"));
        patch(&snapshot, SNAPSHOT_VERSION, u32::to_le_bytes(version));
        let before = std::fs::read(&snapshot).unwrap();
        assert!(report(&place, "snapshot-1.m1nd").contains(said), "{version}");
        assert_eq!(std::fs::read(&snapshot).unwrap(), before, "{version}: a report changes nothing");
        check_answers(&place, &format!("{version}"));
        assert!(place.run(&["trail", "list"]).out.starts_with("kept"), "{version}");
        assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
        assert!(report(&place, "snapshot-").ends_with("format 3, current"), "{version}");
        assert_eq!(place.run(&["doctor"]).code, 0, "{version}");
    }
}

#[test]
fn a_database_of_a_newer_format_is_left_as_it_is_and_refused_with_a_text() {
    let place = open_used();
    let database = find(&place, "project.db");
    assert!(report(&place, "project.db").ends_with("current"));
    patch(&database, DATABASE_VERSION, u32::to_be_bytes(9));
    let before = std::fs::read(&database).unwrap();
    let said = report(&place, "project.db");
    assert!(said.contains("format 9, newer than") && said.contains("upgrade m1nd"), "{said}");
    let run = check_answers(&place, "newer database");
    assert!(run.err.contains("9"), "the answer says that feedback is not used: {}", run.err);
    let trails = place.run(&["trail", "list"]);
    assert!(trails.code != 0 && !trails.err.contains("internal"), "{} {}", trails.code, trails.err);
    let saved = place.run(&["call", "trail_save", "--label", "new"]);
    assert!(saved.code != 0 && saved.err.contains('9'), "{}", saved.err);
    assert_eq!(std::fs::read(&database).unwrap(), before, "not a byte is changed");
}

#[test]
fn another_program_on_path_is_named_with_its_version() {
    let place = Place::new(SHOP);
    let folder = place.user.join("bin");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("m1nd");
    std::fs::write(&program, "#!/bin/sh\necho 'm1nd 99.0.0 (abc, x)'\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = place.command(&["upgrade", "--json"]).env("PATH", &folder).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["others"][0]["version"], "99.0.0 (abc, x)", "{report}");
    assert_eq!((&report["others"][0]["newer"], &report["stored"]), (&true.into(), &serde_json::json!([])), "{report}");
    assert!(!place.user.join("store").exists(), "a report creates nothing");
}

#[test]
fn only_on_request_the_releases_are_listed() {
    let place = Place::new(SHOP);
    let repository = place.user.join("releases");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-C"])
            .arg(&repository)
            .args(arguments);
        command.output().is_ok_and(|output| output.status.success())
    };
    std::fs::create_dir(&repository).unwrap();
    if !(git(&["init", "-q"]) && git(&["commit", "-q", "--allow-empty", "-m", "one"])) {
        return;
    }
    let ask = || place.run(&["upgrade", "--check", &format!("--online={}", repository.display())]);
    assert!(place.run(&["upgrade"]).out.contains("no network was used"));
    assert!(ask().out.contains("no release is published"), "{:?}", ask());
    for tag in ["v0.0.9", "v98.10.0", "v98.9.0", "v99.0.0-rc.1", "other"] {
        assert!(git(&["tag", tag]));
    }
    assert!(ask().out.contains("release 98.10.0 is newer; to upgrade: "), "{:?}", ask());
    let gone = place.run(&["upgrade", "--online=/nowhere"]);
    assert!(gone.code == 2 && gone.err.contains("cannot list the releases of /nowhere"), "{gone:?}");
}
