use std::time::{Duration, Instant};

use m1nd_base::{Cancel, ContentHash, NoProgress};
use m1nd_run::{CheckKind, CheckResult, Selection};

use crate::world::World;

/// Waits until a file exists, and returns whether it did within two seconds.
fn appears(path: &std::path::Path) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        if path.exists() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_command_that_hangs_is_ended_with_its_children() {
    let world = World::new();
    let started = Instant::now();
    let script = "grep -q old state && exit 0; (sleep 3; touch survivor) & sleep 100";
    let report = world.judge_script(CheckKind::Compile, script, 1);
    assert_eq!(report.result, CheckResult::Unclear, "{report:?}");
    assert_eq!(report.reason.as_deref(), Some("it did not end within 1 s; before the change it did"));
    assert!(started.elapsed() < Duration::from_secs(5));
    std::thread::sleep(Duration::from_secs(2));
    assert!(!appears(&world.path().join("survivor")));
}

#[test]
fn a_command_that_always_hangs_says_nothing() {
    let report = World::new().judge_script(CheckKind::Compile, "sleep 100", 1);
    assert_eq!(report.result, CheckResult::NotRun);
}

#[test]
fn what_a_command_leaves_behind_is_ended() {
    let world = World::new();
    let started = Instant::now();
    // The child keeps the pipes open.
    let report = world.judge_script(CheckKind::Compile, "(sleep 2; touch survivor) & echo done; exit 0", 60);
    assert_eq!(report.result, CheckResult::Pass);
    assert!(started.elapsed() < Duration::from_secs(4));
    assert!(!appears(&world.path().join("survivor")));
}

#[test]
fn a_huge_output_neither_blocks_nor_fills_memory() {
    let script = "i=0; while [ $i -lt 3000 ]; do printf '%4000s\\n' x; printf '%4000s\\n' y >&2; i=$((i+1)); done; echo 'z.go:1: bad'; exit 1";
    let report = World::new().judge_script(CheckKind::Compile, script, 60);
    // What was lost may have been another failure.
    assert_eq!(report.result, CheckResult::Unclear, "{report:?}");
    assert!(report.output.len() <= 2_000);
}

#[test]
fn standard_input_is_empty_and_the_environment_is_small() {
    let world = World::new();
    world.judge_script(CheckKind::Compile, "cat; env > environment; pwd > folder", 20);
    let environment = std::fs::read_to_string(world.path().join("environment")).expect("is there");
    assert!(environment.contains("CI=1") && environment.contains("PATH="), "{environment}");
    assert!(!environment.contains("CARGO_MANIFEST_DIR"), "{environment}");
    let folder = std::fs::read_to_string(world.path().join("folder")).expect("is there");
    assert_eq!(folder.trim(), world.path().canonicalize().expect("is there").to_string_lossy());
}

#[test]
fn a_named_variable_is_passed_on() {
    let world = World::new();
    let mut command = world.command(CheckKind::Compile, &["/bin/sh", "-c", "test -n \"$CARGO_MANIFEST_DIR\""]);
    command.env.push("CARGO_MANIFEST_DIR".to_owned());
    world.checks.allow(&world.scope(), command).expect("is allowed");
    assert_eq!(world.around(Selection::default(), || ())[0].result, CheckResult::Pass);
}

#[test]
fn a_program_that_is_missing_says_so() {
    let world = World::new();
    world.allow(CheckKind::Compile, &["/no/such/program"], 5);
    let report = world.around(Selection::default(), || ()).remove(0);
    assert_eq!(report.result, CheckResult::NotRun);
    assert!(report.reason.expect("is given").contains("does not start"));
}

#[test]
fn cancelling_ends_a_command() {
    let world = World::new();
    world.script(CheckKind::Compile, "sleep 100", 100);
    let prepared = world.checks.prepare(&world.scope(), Selection::default()).expect("is read").expect("is allowed");
    let cancel = Cancel::new();
    let (other, started) = (cancel.clone(), Instant::now());
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.cancel();
    });
    assert!(prepared.before(ContentHash::of(b""), &cancel, &NoProgress).is_err());
    assert!(started.elapsed() < Duration::from_secs(5));
    thread.join().expect("ends");
}
