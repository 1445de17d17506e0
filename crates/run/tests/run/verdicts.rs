use m1nd_run::{CheckKind, CheckResult, Selection};

use crate::world::World;

/// What a script prints and returns before and after, and what that says.
#[test]
fn old_failures_are_told_from_new_ones() {
    let error = |text: &str| format!("echo 'a.go:3:1: {text}'; exit 1");
    let rows: &[(&str, String, String, CheckResult, usize)] = &[
        ("passes", "exit 0".into(), "exit 0".into(), CheckResult::Pass, 0),
        ("breaks", "exit 0".into(), error("undefined: x"), CheckResult::Fail, 1),
        ("breaks without words", "exit 0".into(), "exit 3".into(), CheckResult::Fail, 0),
        ("fails as before", error("undefined: x"), error("undefined: x"), CheckResult::FailsAsBefore, 0),
        ("fails otherwise", error("undefined: x"), error("undefined: y"), CheckResult::Fail, 1),
        ("fails without words", "exit 1".into(), "exit 1".into(), CheckResult::Unclear, 0),
        ("is mended", error("undefined: x"), "exit 0".into(), CheckResult::Pass, 0),
        ("is killed", "exit 0".into(), "kill -9 $$".into(), CheckResult::Fail, 0),
    ];
    for (name, old, new, expected, failures) in rows {
        let script = format!("if grep -q old state; then {old}; else {new}; fi");
        let report = World::new().judge_script(CheckKind::Compile, &script, 20);
        assert_eq!((report.result, report.new_failures.len()), (*expected, *failures), "{name}: {report:?}");
    }
}

#[test]
fn a_moved_line_makes_no_new_failure() {
    let script = "if grep -q old state; then echo 'a.go:3:1: bad'; else echo 'a.go:9:1: bad'; fi; exit 1";
    assert_eq!(World::new().judge_script(CheckKind::Compile, script, 20).result, CheckResult::FailsAsBefore);
}

#[test]
fn tests_are_not_run_if_nothing_compiles() {
    let world = World::new();
    world.write("state", "old");
    world.script(CheckKind::Test, "touch tested-$(cat state)", 20);
    world.script(CheckKind::Compile, "grep -q old state", 20);
    let reports = world.around(Selection::default(), || drop(world.write("state", "new")));
    let results: Vec<_> = reports.iter().map(|report| (report.kind, report.result)).collect();
    assert_eq!(results, [(CheckKind::Compile, CheckResult::Fail), (CheckKind::Test, CheckResult::NotRun)]);
    assert!(world.path().join("tested-old").exists() && !world.path().join("tested-new").exists());
}

#[test]
fn a_result_of_the_same_content_is_not_made_twice() {
    let world = World::new();
    world.script(CheckKind::Compile, "echo run >> runs", 20);
    for _ in 0..2 {
        world.around(Selection::default(), || ());
    }
    // Once before, and each time after.
    assert_eq!(std::fs::read_to_string(world.path().join("runs")).expect("is there").lines().count(), 3);
}

#[test]
fn selected_tests_are_arguments() {
    let world = World::new();
    let (test, odd) = (world.write("tests/a b.py", ""), world.write("-x.py", ""));
    let outside = world.state().join("other.py");
    world.allow(
        CheckKind::Test,
        &["/bin/sh", "-c", "printf '%s|' \"$@\" > arguments", "name", "{tests}", "{dirs}"],
        20,
    );
    let selection = Selection { files: vec![odd.clone()], tests: vec![test, odd, outside], names: Vec::new() };
    world.around(selection, || ());
    let arguments = std::fs::read_to_string(world.path().join("arguments")).expect("is there");
    assert_eq!(arguments, "tests/a b.py|./-x.py|./|./tests|");
    let reports = world.around(Selection::default(), || ());
    assert_eq!(reports[0].result, CheckResult::NotRun);
    assert_eq!(reports[0].reason.as_deref(), Some("nothing in the index takes the place of `{tests}` for this change"));
}

#[test]
fn a_failing_test_in_a_new_file_is_new() {
    let world = World::new();
    let test = world.path().join("test_new.py");
    world.allow(CheckKind::Test, &["/bin/sh", "-c", "exit 1", "name", "{tests}"], 20);
    let selection = Selection { tests: vec![test], ..Selection::default() };
    let reports = world.around(selection, || drop(world.write("test_new.py", "")));
    assert_eq!(reports[0].result, CheckResult::Fail);
}
