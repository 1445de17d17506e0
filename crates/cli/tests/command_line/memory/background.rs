//! The daemon, and what many processes do to the same files.
#![cfg(unix)]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{MEMORY, json, mind, open_remembered, text};
use crate::{Place, SHOP};

/// Longest wait for something that takes milliseconds when the machine is free.
const PATIENCE: Duration = Duration::from_secs(120);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        // Looking costs a process, and the machine may be busy.
        std::thread::sleep(Duration::from_millis(60));
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
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let _daemon = Daemon::start(&place);
    until("the project is watched", || report(&place)["projects"][0]["state"] != Value::Null);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    until("the block holds the new decision", || text(&place, "CLAUDE.md").contains("sell jam"));
    until("the change counts as activity", || report(&place)["projects"][0]["state"] == "active");
    let seen = || (text(&place, "CLAUDE.md"), report(&place)["projects"][0]["looks"].clone());
    assert!(seen().1.as_u64() > Some(0));
    // Woken by its own writing it would look again and again.
    until("it comes to rest", || {
        let before = seen();
        std::thread::sleep(Duration::from_secs(2));
        seen() == before
    });
    assert_eq!(json(&mind(&place, &["status", "--json"]))["daemon"]["running"], true);
}

#[test]
fn there_is_one_daemon_and_it_survives_being_killed() {
    let place = open_remembered();
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
    let place = open_remembered();
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

/// Sends a signal.
fn signal(process: u32, name: &str) {
    let sent = std::process::Command::new("kill").args([format!("-{name}"), process.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_signal_ends_it_with_the_block_written_and_nothing_left_behind() {
    for name in ["TERM", "INT", "HUP"] {
        let place = open_remembered();
        assert_eq!(mind(&place, &["init"]).code, 0);
        // So that the change cannot have been looked at before the signal comes.
        assert_eq!(mind(&place, &["config", "set", "daemon.debounce_ms", "60000"]).code, 0);
        let mut daemon = Daemon::start(&place);
        until("the project is watched", || report(&place)["projects"][0]["state"] != Value::Null);
        assert_eq!(mind(&place, &["config", "reset"]).code, 0);
        place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
        // It answers after the change in order, so it has been told of it; nothing else says so from outside.
        std::thread::sleep(Duration::from_millis(500));
        signal(daemon.0.id(), name);
        let status = daemon.0.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{name}");
        assert!(text(&place, "CLAUDE.md").contains("sell jam"), "{name}: the change that waited was looked at");
        assert!(
            !place.user.join("mind/daemon.sock").exists() && !place.user.join("mind/daemon.json").exists(),
            "{name}"
        );
        assert_eq!(mind(&place, &["daemon", "status"]).code, 4, "{name}");
        let log = std::fs::read_to_string(place.user.join("mind/logs/daemon.log")).unwrap();
        assert!(log.contains("ended"), "{name}: {log}");
    }
}

#[test]
fn of_many_that_start_at_once_one_goes_on() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    for round in 0..2 {
        let start = || {
            let mut command = place.command(&["memory", "daemon", "run"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut all: Vec<Daemon> = (0..6).map(|_| Daemon(start())).collect();
        let mut ended = Vec::new();
        until("all but one have ended", || {
            ended = all.iter_mut().filter_map(|daemon| daemon.0.try_wait().unwrap()).collect();
            ended.len() == 5
        });
        assert!(ended.iter().all(|status| status.code() == Some(1)), "{ended:?}");
        until("the one answers", || mind(&place, &["daemon", "status"]).code == 0);
        let running = |daemon: &mut Daemon| daemon.0.try_wait().unwrap().is_none().then(|| u64::from(daemon.0.id()));
        let left: Vec<u64> = all.iter_mut().filter_map(running).collect();
        assert_eq!(vec![report(&place)["pid"].as_u64().unwrap()], left, "round {round}");
        // However it ends, the next one starts.
        if round % 2 == 0 { all.clear() } else { assert_eq!(mind(&place, &["daemon", "stop"]).code, 0) }
    }
}

#[test]
fn code_that_a_memory_names_is_noticed_when_it_changes() {
    let place = open_remembered();
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(mind(&place, &["init"]).code, 0);
    let _daemon = Daemon::start(&place);
    until("the code was noted and is watched", || report(&place)["projects"][0]["named_files"] == 1);
    let block = text(&place, "CLAUDE.md");
    place.project.write("shop/other.py", "x = 1\n");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(text(&place, "CLAUDE.md"), block, "other files wake nobody");
    let code = std::fs::read_to_string(place.project.join("shop/price.py")).unwrap();
    place.project.write("shop/price.py", format!("{code}\n\ndef gross(value):\n    return value\n"));
    until("the block says so", || text(&place, "CLAUDE.md").contains("[its file changed, not indexed yet]"));
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    until("the index knows it", || text(&place, "CLAUDE.md").contains("[its code changed since]"));
    place.project.write("shop/price.py", &code);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    until("it is as it was", || !text(&place, "CLAUDE.md").contains("[its "));
}

/// Memory that a process holds, in kilobytes.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn many_saves_leave_its_memory_bounded() {
    /// What may be added by all saves after the first, in kilobytes: a leak of one parsed memory a save is more.
    const GROWTH: u64 = 12 << 10;

    let place = open_remembered();
    let lines: String =
        (0..300).map(|n| format!("**Learned:** part {n} of the machine needs oil number {n}\n")).collect();
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}{lines}"));
    assert_eq!(mind(&place, &["init"]).code, 0);
    let daemon = Daemon::start(&place);
    let save = |number: u32| {
        place.project.write(".mind/MEMORY.md", format!("{MEMORY}{lines}**KEY:** save number {number} of jam\n"));
        // A save that comes while the former is being looked at is none of its own.
        let shown = format!("save number {number} of jam");
        until("the save is in the block", || text(&place, "CLAUDE.md").contains(&shown));
    };
    (0..10).for_each(save);
    let before = resident(daemon.0.id());
    (10..40).for_each(save);
    let after = resident(daemon.0.id());
    assert!(after < before + GROWTH, "{before} kB, then {after} kB");
    let files = std::fs::read_dir(format!("/proc/{}/fd", daemon.0.id())).unwrap().count();
    assert!(files < 64, "{files} open files");
    let left: Vec<String> = crate::tree(place.project.path()).into_iter().map(|(name, _)| name).collect();
    assert!(left.iter().all(|name| !name.contains("tmp-")) && left.len() < 60, "{left:?}");
}

#[test]
fn a_server_starts_it_only_where_the_user_wants_that() {
    let place = open_remembered();
    let serve = |forbidden: &str| {
        let mut command = place.command(&["memory", "mcp"]);
        command.env("MIND_NO_DAEMON", forbidden).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success());
    };
    serve("");
    assert_eq!(mind(&place, &["config", "set", "daemon.autostart", "true"]).code, 0);
    serve("1");
    assert_eq!(mind(&place, &["daemon", "status"]).code, 4);
    serve("");
    until("it was started", || mind(&place, &["daemon", "status"]).code == 0);
    assert_eq!(mind(&place, &["daemon", "stop"]).code, 0);
    for system in ["systemd", "launchd"] {
        let unit = mind(&place, &["daemon", "unit", system]).out;
        assert!(unit.contains("daemon") && unit.contains(env!("CARGO_BIN_EXE_m1nd")), "{unit}");
    }
}

#[test]
fn comments_and_manifests_are_noticed_where_they_stand() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let _daemon = Daemon::start(&place);
    until("the project was looked at", || report(&place)["projects"][0]["looks"].as_u64() > Some(0));
    let block = || text(&place, "CLAUDE.md");
    place.project.write("shop/order.py", "# MEMORY: decided to round half to even because banks do\nx = 1\n");
    until("the comment is in the block", || block().contains("round half to even"));
    place.project.write("shop/order.py", "x = 1\n");
    until("it is gone with its comment", || !block().contains("round half to even"));
    place.project.write("Cargo.toml", "[package]\n");
    let stack = || json(&mind(&place, &["status", "--json"]))["current_project"]["stack"].clone();
    until("the manifest is read", || stack().as_array().is_some_and(|tags| tags.iter().any(|tag| tag == "rust")));
}

#[test]
fn four_logs_say_what_was_done_and_never_what_a_memory_says() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    place.project.write(".mind/config.toml", "[context]\nmax_gotcha = 1\n");
    let _daemon = Daemon::start(&place);
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam because people like it\n"));
    until("the block holds the new decision", || text(&place, "CLAUDE.md").contains("sell jam"));
    let logs = |more: &[&str]| mind(&place, &[&["daemon", "logs", "-n", "1000"], more].concat()).out;
    until("the look is in the log", || logs(&[]).contains("[INFO] index: "));
    let all = logs(&[]);
    for expected in ["[INFO] daemon: started, process ", "[INFO] parser: ", "2 decisions", "memories in the file"] {
        assert!(all.contains(expected), "{expected}: {all}");
    }
    let times: Vec<&str> = all.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert!(times.is_sorted() && !all.contains("sell jam") && !all.contains("totals differ"), "{all}");
    let errors = logs(&["--only", "errors"]);
    assert!(errors.contains("max_gotcha") && errors.lines().all(|line| line.contains("[WARN]")), "{errors}");
    for name in ["daemon", "parser", "index"] {
        assert!(logs(&["--only", name]).lines().all(|line| line.contains(&format!("] {name}: "))), "{name}");
    }
}

#[test]
fn a_folder_that_others_may_write_into_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;

    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let home = place.user.join("mind");
    let set = |mode: u32| std::fs::set_permissions(&home, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = || std::fs::metadata(&home).unwrap().permissions().mode() & 0o777;
    set(0o777);
    let _daemon = Daemon::start(&place);
    assert_eq!(mode(), 0o755, "starting closes it");
    let socket = std::fs::metadata(home.join("daemon.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
    // Whoever could write there meanwhile may have put another socket in its place.
    set(0o777);
    for command in [&["daemon", "status"][..], &["daemon", "stop"]] {
        let run = mind(&place, command);
        assert!(
            run.code == 5 && run.err.contains("others may write into it; run `chmod go-w"),
            "{command:?}: {}",
            run.err
        );
    }
    let degraded = json(&mind(&place, &["status", "--json"]))["daemon"]["degraded"].clone();
    assert!(degraded.as_str().unwrap_or_default().contains("others may write"), "{degraded}");
    let doctor = mind(&place, &["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("others may write"), "{}", doctor.out);
    set(0o700);
    assert_eq!(mind(&place, &["daemon", "status"]).code, 0);
}

#[test]
fn a_project_that_goes_and_comes_back_is_looked_after_again() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let (here, away) = (place.project.join(".mind"), place.project.join("away"));
    // Away before anybody looked, and once more while it is watched: as changing branches does.
    std::fs::rename(&here, &away).unwrap();
    let _daemon = Daemon::start(&place);
    for number in 0..2 {
        until("it is missed", || report(&place)["projects"][0]["problem"].is_string());
        // A look that was under way may have noted something.
        let _ = std::fs::remove_dir_all(&here);
        std::fs::rename(&away, &here).unwrap();
        until("it is back", || report(&place)["projects"][0]["problem"].is_null());
        place
            .project
            .write(".mind/MEMORY.md", format!("{MEMORY}**Decided:** sell jam number {number} because of it\n"));
        until("it is looked after", || text(&place, "CLAUDE.md").contains(&format!("jam number {number}")));
        std::fs::rename(&here, &away).unwrap();
    }
}

#[test]
fn one_whose_lock_was_removed_ends_and_leaves_the_next_alone() {
    let place = open_remembered();
    assert_eq!(mind(&place, &["init"]).code, 0);
    let mut first = Daemon::start(&place);
    std::fs::remove_file(place.user.join("mind/daemon.lock")).unwrap();
    until("it ends by itself", || first.0.try_wait().unwrap().is_some());
    let _second = Daemon::start(&place);
    assert_eq!(mind(&place, &["daemon", "status"]).code, 0);
}

#[test]
fn whoever_starts_it_is_told_why_it_does_not() {
    let place = open_remembered();
    place.user.write("taken", "a file");
    let long = "x".repeat(120);
    for (home, expected) in [("taken", "cannot create the folder"), (&long, "a shorter MIND_HOME may help")] {
        let mut command = place.command(&["memory", "daemon", "start"]);
        let output = command.env("MIND_HOME", place.user.join(home)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{said}");
    }
    // A number that is left over, whoever has it now, stands in nobody's way.
    place.user.write("mind/daemon.pid", "1\n");
    place.user.write("mind/daemon.json", "{\"version\":1,\"pid\":1}");
    assert_eq!(mind(&place, &["daemon", "status"]).code, 4);
    assert_eq!(mind(&place, &["daemon", "start"]).code, 0);
    let pid = std::fs::read_to_string(place.user.join("mind/daemon.pid")).unwrap();
    assert_eq!(report(&place)["pid"].to_string(), pid.trim_end());
    assert_eq!(mind(&place, &["daemon", "stop"]).code, 0);
    assert!(!place.user.join("mind/daemon.pid").exists());
}
