use std::fmt::Write;

use m1nd_run::{CheckKind, CheckReport, Selection};

use crate::world::World;

/// The report on a program of this name that passes before the change, and prints this text and fails after it.
fn report(program: &str, kind: CheckKind, arguments: &[&str], text: &str) -> CheckReport {
    let world = World::new();
    world.write("output", text);
    let script = "#!/bin/sh\ntest -e changed || exit 0\ncase \"$1\" in --junitxml=*) cp output \"${1#--junitxml=}\";; *) cat output;; esac\nexit 1\n";
    let path = world.write(program, script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("is set");
    let program = path.to_string_lossy().into_owned();
    world.allow(kind, &[&[program.as_str()], arguments].concat(), 20);
    world.around(Selection::default(), || drop(world.write("changed", ""))).remove(0)
}

/// Counts and failures in one line.
fn show_report(report: &CheckReport) -> String {
    let mut text = String::new();
    if let (Some(passed), Some(failed)) = (report.tests_passed, report.tests_failed) {
        write!(text, "{passed} passed, {failed} failed").expect("fits");
    }
    for failure in &report.new_failures {
        let place = failure.file.as_ref().map(|file| format!("{file}:{}: ", failure.line)).unwrap_or_default();
        write!(text, "; {place}{}", failure.name).expect("fits");
    }
    text.trim_start_matches("; ").to_owned()
}

#[test]
fn formats() {
    let rows = [
        (
            "cargo",
            r#"{"reason":"compiler-message","message":{"level":"error","message":"mismatched types","spans":[{"is_primary":true,"file_name":"src/a.rs","line_start":3}]}}
{"reason":"compiler-message","message":{"level":"warning","message":"unused","spans":[{"is_primary":true,"file_name":"src/a.rs","line_start":1}]}}
{"reason":"compiler-message","message":{"level":"error","message":"aborting","spans":[]}}
"#,
            "src/a.rs:3: mismatched types",
        ),
        (
            "cargo",
            "error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\nerror: could not compile `x` (lib)\n",
            "src/a.rs:3: mismatched types",
        ),
        (
            "cargo",
            "running 3 tests\ntest a::one ... ok\ntest a::two ... FAILED\ntest a::three ... ignored\n",
            "1 passed, 1 failed; a::two",
        ),
        (
            "go",
            r#"{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"./q.go:3:2: undefined: x\n"}
"#,
            "1 passed, 1 failed; p.TestB; ./q.go:3: undefined: x",
        ),
        ("go", "# p\n./a.go:3:2: undefined: x\n", "./a.go:3: undefined: x"),
        (
            "pytest",
            "...F\n=== short test summary info ===\nFAILED tests/test_a.py::test_b - assert 1 == 2\n=== 1 failed, 3 passed in 0.10s ===\n",
            "3 passed, 1 failed; tests/test_a.py::test_b",
        ),
        ("tsc", "src/a.ts(3,5): error TS2322: Type 'x' is bad.\n", "src/a.ts:3: TS2322: Type 'x' is bad."),
        ("other", "a.c:1:2: warning: unused\nb.c:4:1: error: bad\nplain words: 3: here\n", "b.c:4: error: bad"),
    ];
    for (program, text, expected) in rows {
        let found = show_report(&report(program, CheckKind::Compile, &[], text));
        assert_eq!(found, expected, "{program}");
    }
}

#[test]
fn a_report_of_junit() {
    let xml = r#"<testsuites><testsuite><testcase classname="a" name="one"/><testcase classname="a" name="two"><failure message="x"/></testcase><testcase name="three"><skipped/></testcase><testcase name="four"></testcase></testsuite></testsuites>"#;
    let found = report("runner", CheckKind::Test, &["--junitxml={report}"], xml);
    assert_eq!(show_report(&found), "2 passed, 1 failed; a::two");
}
