use serde_json::Value;

use crate::{Place, Run, schema};

const SCHEMA: &str = include_str!("../sarif/sarif-schema-2.1.0.json");

const APP: &str = "\
//- app/web/page.py
from app.core import rules

def show():
    return rules.check()
//- app/core/rules.py
def check():
    return 1
//- m1nd-layers.toml
[[layer]]
name = 'web'
paths = ['app/web']
[[layer]]
name = 'core'
paths = ['app/core']
";

fn sarif(run: &Run) -> Value {
    let log: Value = serde_json::from_str(&run.out).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    assert_eq!(schema::faults(&schema, &log), Vec::<String>::new(), "{}", run.out);
    log
}

#[test]
fn a_clean_tree_has_no_findings() {
    let Some(place) = Place::open_committed(APP) else { return };
    let run = place.run(&["check"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert_eq!(
        run.out, "no findings in what changed since HEAD: declared layers, 0 bug patterns, new cycles\n",
        "the repository is indexed first"
    );
    assert_eq!(sarif(&place.run(&["check", "--sarif"]))["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn a_change_against_the_layers_fails() {
    let Some(place) = Place::open_committed(APP) else { return };
    place.project.write("app/core/rules.py", "from app.web import page\n\ndef check():\n    return page.show()\n");
    let run = place.run(&["check"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("app/core/rules.py:1: error[layer-violation]"), "{}", run.out);
    assert!(run.out.contains("app/core/rules.py:1: error[new-cycle] closes a circle: app/core → app/web → app/core"));
    assert!(run.out.ends_with("2 findings in what changed since HEAD: declared layers, 0 bug patterns, new cycles\n"));
    let run = place.run(&["check", "--sarif"]);
    assert_eq!(run.code, 1);
    let results = &sarif(&run)["runs"][0]["results"];
    assert_eq!((&results[0]["baselineState"], &results[0]["level"]), (&"new".into(), &"error".into()));
    let run = place.run(&["check", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&run.out).expect("JSON")["total"], 2);
}

#[test]
fn a_check_that_cannot_be_made_is_no_finding() {
    let Some(place) = Place::open_committed(APP) else { return };
    let run = place.run(&["check", "--since", "nowhere"]);
    assert!(run.code == 2 && run.err.contains("nowhere"), "{run:?}");
    place.project.write("m1nd-layers.toml", "[[layer]]\n");
    assert_eq!(place.run(&["check"]).code, 2);
}

#[test]
fn the_validator_finds_faults() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let faults = |text: &str| schema::faults(&schema, &serde_json::from_str(text).expect("JSON"));
    assert_eq!(faults(r#"{"version": "2.1.0", "runs": []}"#), Vec::<String>::new());
    assert_eq!(faults(r#"{"version": "2.0", "runs": [{}], "x": 1}"#).len(), 3);
}

const CALLS: &str = "\
//- app/rules.py
def check(value, strict=False):
    return bool(value) and strict
//- app/page.py
from app.rules import check

def show():
    return check(1, strict=True)
";

/// A change of `app/rules.py`, the kind of finding that it brings, and a part of its line.
const CHANGES: &[(&str, &str, &str)] = &[
    (
        "def verify(value, strict=False):\n    return bool(value) and strict\n",
        "dangling",
        "app/page.py:1: error[dangling]",
    ),
    (
        "def check(value, strict, kind):\n    return bool(value) and strict and kind\n",
        "arity",
        "app/page.py:4: error[arity]",
    ),
    ("def check(value, exact=False):\n    return bool(value) and exact\n", "arity", "has no parameter `strict`"),
    (
        "from app import page\n\ndef check(value, strict=False):\n    return bool(value) and strict\n",
        "cycle",
        "closes an import cycle: app/",
    ),
];

#[test]
fn a_change_is_compared_with_a_commit() {
    let Some(place) = Place::open_committed(CALLS) else { return };
    let clean = place.run(&["check", "--base", "HEAD"]);
    assert_eq!((clean.code, clean.err.as_str()), (0, ""), "{clean:?}");
    for (text, kind, part) in CHANGES {
        place.project.write("app/rules.py", text);
        let run = place.run(&["check", "--base", "HEAD"]);
        assert!(run.code == 1 && run.out.contains(part), "{kind}: {run:?}");
        let run = place.run(&["check", "--base", "HEAD", "--json"]);
        let found: Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(found["findings"][0]["rule"], *kind, "{found}");
        // A kind that is not asked for is listed only.
        let other = if *kind == "cycle" { "arity" } else { "cycle" };
        let run = place.run(&["check", "--base", "HEAD", "--fail-on", other]);
        assert!(run.code == 0 && run.out.contains(part), "{kind}: {run:?}");
    }
    let wrong = place.run(&["check", "--base", "HEAD", "--fail-on", "nothing"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

#[test]
fn two_commits_are_compared_whatever_is_checked_out() {
    let Some(place) = Place::open_committed(CALLS) else { return };
    let good = "def check(value, strict=False):\n    return bool(value) and strict\n";
    for (text, kind, part) in CHANGES {
        place.project.write("app/rules.py", text);
        assert!(place.commit("break"));
        // The work tree has neither state of the caller.
        place.project.write("app/rules.py", good);
        place.project.write("app/page.py", "def show():\n    return 1\n");
        let run = place.run(&["check", "--base", "HEAD~1", "--head", "HEAD"]);
        assert!(run.code == 1 && run.out.contains(part), "{kind}: {run:?}");
        assert!(run.out.contains("in what changed since HEAD~1 until HEAD"), "{kind}: {run:?}");
        let back = place.run(&["check", "--base", "HEAD", "--head", "HEAD~1"]);
        assert_eq!(back.code, 0, "{kind}: {back:?}");
        let (_, page) = CALLS.split_once("//- app/page.py\n").expect("the second file");
        place.project.write("app/page.py", page);
        assert!(place.commit("mend"));
    }
    let alone = place.run(&["check", "--head", "HEAD"]);
    assert_eq!(alone.code, 2, "{alone:?}");
    let nowhere = place.run(&["check", "--base", "HEAD", "--head", "nowhere"]);
    assert!(nowhere.code == 2 && nowhere.err.contains("nowhere"), "{nowhere:?}");
}

#[test]
fn files_of_a_comparison_are_as_their_formats_ask() {
    let Some(place) = Place::open_committed(CALLS) else { return };
    place.project.write("app/rules.py", "def verify(value):\n    return value < 1\n");
    let (log, tests) = (place.project.join("out.sarif"), place.project.join("out.xml"));
    let paths = [log.to_string_lossy().into_owned(), tests.to_string_lossy().into_owned()];
    let run = place.run(&["check", "--base", "HEAD", "--sarif", &paths[0], "--junit", &paths[1]]);
    assert!(run.code == 1 && run.out.contains("error[dangling]"), "the page is printed beside them: {run:?}");
    let read = |path| std::fs::read_to_string(path).expect("is written");
    let (log, schema): (Value, Value) =
        (serde_json::from_str(&read(&log)).expect("JSON"), serde_json::from_str(SCHEMA).expect("JSON"));
    assert_eq!(schema::faults(&schema, &log), Vec::<String>::new(), "{log}");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "dangling");
    check_junit(&read(&tests));
    let printed = place.run(&["check", "--base", "HEAD", "--sarif"]);
    assert_eq!(sarif(&printed)["runs"][0]["results"][0]["ruleId"], "dangling");
}

/// Elements of JUnit XML with their parents and the attributes that they must have, as the schema of Jenkins and that
/// of Ant have them in common.
const JUNIT: &[(&str, &str, &[&str])] = &[
    ("testsuites", "", &["name", "tests", "failures", "errors"]),
    ("testsuite", "testsuites", &["name", "tests", "failures", "errors", "skipped"]),
    ("testcase", "testsuite", &["name", "classname"]),
    ("failure", "testcase", &["message", "type"]),
    ("system-out", "testcase", &[]),
];

/// Checks that a report is well formed and has the elements and counts of the format.
fn check_junit(text: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut count = std::collections::BTreeMap::<String, usize>::new();
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    for part in body.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{text}");
            continue;
        }
        let name = tag.split([' ', '/']).next().expect("a name");
        let row = JUNIT.iter().find(|row| row.0 == name).expect("an element of the format");
        assert_eq!(open.last().map_or("", String::as_str), row.1, "{tag}");
        let has = |attribute: &&str| tag.contains(&format!(" {attribute}=\""));
        assert!(row.2.iter().all(has), "{tag}");
        *count.entry(name.to_owned()).or_default() += 1;
        if !tag.ends_with('/') {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "{text}");
    let totals = format!("tests=\"{}\" failures=\"{}\"", count["testcase"], count["failure"]);
    assert_eq!(text.matches(&totals).count(), 2, "{totals}: {text}");
}
