//! The daemon, and what many processes do to the same files.
#![cfg(unix)]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{MEMORY, json, mind, remembered, text};
use crate::{Place, SHOP};

/// Longest wait for something that takes milliseconds when the machine is free.
const PATIENCE: Duration = Duration::from_secs(120);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A daemon in the foreground of the test, ended with it.
struct Daemon(Child);

impl Daemon {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["memory", "daemon", "run"]);
        let daemon = Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        until("the daemon answers", || mind(place, &["daemon", "status"]).code == 0);
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn report(place: &Place) -> Value {
    json(&mind(place, &["daemon", "status", "--json"]))["report"].clone()
}

#[test]
fn a_save_refreshes_the_block_and_nothing_else_happens() {
    let place = remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let _daemon = Daemon::start(&place);
    until("the project is watched", || report(&place)["projects"][0]["state"] != Value::Null);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    until("the block holds the new decision", || text(&place, "CLAUDE.md").contains("sell jam"));
    until("the change counts as activity", || report(&place)["projects"][0]["state"] == "active");
    let (block, seen) = (text(&place, "CLAUDE.md"), report(&place)["last_index"].clone());
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(
        (text(&place, "CLAUDE.md"), report(&place)["last_index"].clone()),
        (block, seen),
        "its own writing wakes nobody"
    );
    assert_eq!(json(&mind(&place, &["status", "--json"]))["daemon"]["running"], true);
}

#[test]
fn there_is_one_daemon_and_it_survives_being_killed() {
    let place = remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let mut daemon = Daemon::start(&place);
    let second = mind(&place, &["daemon", "run"]);
    assert!(second.code == 1 && second.err.contains("running already"), "{}", second.err);
    daemon.0.kill().unwrap();
    daemon.0.wait().unwrap();
    assert_eq!(mind(&place, &["daemon", "status"]).code, 4, "a lock is not a file that stays behind");
    let started = mind(&place, &["daemon", "start"]);
    assert_eq!(started.code, 0, "{}{}", started.out, started.err);
    assert_eq!(mind(&place, &["daemon", "start"]).code, 1);
    assert_eq!(mind(&place, &["daemon", "stop"]).code, 0);
    assert_eq!(mind(&place, &["daemon", "stop"]).code, 4);
    let log = mind(&place, &["daemon", "logs"]).out;
    assert!(log.contains("started, process") && log.contains("ended"), "{log}");
    assert!(!log.contains("invoice"), "no memory is logged: {log}");
    assert!(!place.user.join("mind/daemon.sock").exists());
}

#[test]
fn projects_registered_while_it_runs_are_looked_after_and_none_is_lost() {
    let place = Place::new(SHOP);
    let _daemon = Daemon::start(&place);
    let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
    for name in &names {
        place.project.write(format!("{name}/.mind/MEMORY.md"), MEMORY);
    }
    std::thread::scope(|scope| {
        for part in names.chunks(13) {
            let place = &place;
            scope.spawn(move || {
                for name in part {
                    let run = mind(place, &["add", name]);
                    assert_eq!(run.code, 0, "{}", run.err);
                }
            });
        }
    });
    assert_eq!(json(&mind(&place, &["list", "--json"])).as_array().map(Vec::len), Some(50));
    until("all are watched", || report(&place)["projects"].as_array().map(Vec::len) == Some(50));
    place.project.write("p7/CLAUDE.md", "");
    assert_eq!(mind(&place, &["context", "--regenerate", "p7"]).code, 0);
    place.project.write("p7/.mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    until("a new project's block is kept", || text(&place, "p7/CLAUDE.md").contains("sell jam"));
    assert_eq!(mind(&place, &["remove", "p8"]).code, 0);
    until("a removed one is dropped", || report(&place)["projects"].as_array().map(Vec::len) == Some(49));
}

#[test]
fn a_writer_killed_at_any_moment_leaves_whole_files() {
    let place = remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    for round in 0..12_u64 {
        let memory = format!("{MEMORY}**Decided:** sell jam number {round} because people like it\n");
        place.project.write(".mind/MEMORY.md", memory);
        let mut child =
            place.command(&["memory", "index"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 4));
        let _ = child.kill();
        child.wait().unwrap();
        let claude = text(&place, "CLAUDE.md");
        assert!(claude.contains("<!-- MIND:CONTEXT") && claude.contains("<!-- MIND:END -->"), "{round}: {claude}");
        assert_eq!(json(&mind(&place, &["list", "--json"])).as_array().map(Vec::len), Some(1));
    }
    assert_eq!(mind(&place, &["index"]).code, 0);
    assert_eq!(mind(&place, &["context", "--check"]).code, 0);
    let left: Vec<String> = crate::tree(place.project.path()).into_iter().map(|(name, _)| name).collect();
    assert!(left.iter().all(|name| !name.contains("tmp-")), "{left:?}");
}
