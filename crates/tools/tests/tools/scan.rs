//! The patterns over cases that are data: `scan_cases/<language>.txt` holds one folder a pattern, and the scan of that
//! folder must find exactly the lines that say so at their end: `FIND` (confirmed), `MITIGATED`, `FALSE` (false
//! positive), `OPEN` (cannot be told), each with the name of its rule. `CLEAR` marks lines that look like findings of a
//! rule and must give none. That every rule has cases is checked where the rules are.

use std::collections::BTreeSet;

use m1nd_testkit::parse_fixture;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

const PATTERNS: [&str; 8] = [
    "error_handling",
    "resource_cleanup",
    "api_surface",
    "state_mutation",
    "concurrency",
    "auth_boundary",
    "test_coverage",
    "dependency_injection",
];

const MARKS: [(&str, &str); 4] =
    [("FIND", "confirmed"), ("MITIGATED", "mitigated"), ("FALSE", "false_positive"), ("OPEN", "unvalidated")];

/// The mark at the end of a line, after the last `#` or `//`, and its rule.
fn mark(line: &str) -> Option<(&str, &str)> {
    let (word, rule) = line.rsplit_once("# ").or_else(|| line.rsplit_once("// "))?.1.trim().split_once(' ')?;
    word.chars().all(|c| c.is_ascii_uppercase()).then_some((word, rule))
}

fn read_expected(files: &[(String, String)], pattern: &str) -> BTreeSet<String> {
    let mut expected = BTreeSet::new();
    for (path, content) in files.iter().filter(|(path, _)| path.starts_with(&format!("{pattern}/"))) {
        for (number, line) in content.lines().enumerate() {
            let Some((mark, rule)) = mark(line) else { continue };
            if let Some((_, status)) = MARKS.iter().find(|(word, _)| *word == mark) {
                expected.insert(format!("{path}:{} {rule} {status}", number + 1));
            }
        }
    }
    expected
}

fn check_language(fixture: &str) {
    let files = parse_fixture(fixture);
    let project = Project::new(fixture);
    let mut wrong = Vec::new();
    for pattern in PATTERNS {
        let expected = read_expected(&files, pattern);
        let clear = files
            .iter()
            .filter(|(path, _)| path.starts_with(&format!("{pattern}/")))
            .any(|(_, content)| content.lines().any(|line| mark(line).is_some_and(|(mark, _)| mark == "CLEAR")));
        if !expected.iter().any(|row| row.ends_with(" confirmed")) {
            wrong.push(format!("{pattern} has no positive case"));
        }
        if !clear && !expected.iter().any(|row| row.ends_with(" false_positive")) {
            wrong.push(format!("{pattern} has no negative case"));
        }
        let call = json!({"pattern": pattern, "scope": pattern, "limit": 500, "include_false_positives": true, "severity_min": 0.0});
        let answer = project.ok("scan", call);
        let found: BTreeSet<String> = answer["findings"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| {
                format!(
                    "{}:{} {} {}",
                    row["file_path"].as_str().expect("path"),
                    row["line"],
                    row["rule"].as_str().expect("rule"),
                    row["status"].as_str().expect("status")
                )
            })
            .collect();
        for missing in expected.difference(&found) {
            wrong.push(format!("{pattern}: missing {missing}"));
        }
        for extra in found.difference(&expected) {
            let (place, _) = extra.split_once(' ').expect("a place");
            let row = answer["findings"]
                .as_array()
                .expect("rows")
                .iter()
                .find(|row| place == format!("{}:{}", row["file_path"].as_str().unwrap_or_default(), row["line"]));
            wrong.push(format!("{pattern}: extra {extra} {}", row.cloned().unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python() {
    check_language(include_str!("scan_cases/python.txt"));
}

#[test]
fn javascript() {
    check_language(include_str!("scan_cases/javascript.txt"));
}

#[test]
fn rust() {
    check_language(include_str!("scan_cases/rust.txt"));
}

#[test]
fn go() {
    check_language(include_str!("scan_cases/go.txt"));
}

#[test]
fn java() {
    check_language(include_str!("scan_cases/java.txt"));
}

const SWALLOWS: &str = "
//- a.py
def load(path):
    try:
        return path.read()
    except Exception:
        pass
//- b.js
function f() { try { g(); } catch (e) {} }
//- tests/test_a.py
def test_a():
    try:
        run()
    except Exception:
        pass
//- notes.txt
except Exception:
";

fn total(answer: &Value) -> (u64, u64) {
    let number = |name: &str| answer[name].as_u64().expect("a number");
    (number("total_matches_raw"), number("total_matches_validated"))
}

#[test]
fn findings_name_their_place_and_what_was_left_out() {
    let project = Project::new(SWALLOWS);
    let answer = project.ok("scan", json!({"pattern": "error_handling"}));
    assert_eq!((column(&answer, "findings", "file_path"), total(&answer)), ("a.py b.js".to_owned(), (3, 2)));
    assert_eq!(answer["by_status"], json!({"confirmed": 2, "mitigated": 0, "false_positive": 1}));
    assert_eq!((&answer["files_scanned"], &answer["files_without_rules"]), (&json!(3), &json!(1)));
    let first = &answer["findings"][0];
    assert_eq!((&first["label"], &first["line"], &first["rule"]), (&json!("load"), &json!(4), &json!("swallowed_any")));
    assert_eq!(answer["next_suggested_tool"], "view");

    let all = project.ok("scan", json!({"pattern": "error_handling", "include_false_positives": true}));
    assert_eq!(column(&all, "findings", "status"), "confirmed confirmed false_positive");
    let grave = project.ok("scan", json!({"pattern": "error_handling", "severity_min": 0.65}));
    assert_eq!(column(&grave, "findings", "file_path"), "a.py");
    let raw = project.ok("scan", json!({"pattern": "error_handling", "graph_validate": false}));
    assert_eq!(column(&raw, "findings", "status"), "unvalidated unvalidated unvalidated");
    assert_eq!(total(&raw), (3, 0));
    let scoped = project.ok("scan", json!({"pattern": "error_handling", "scope": "b.js"}));
    assert_eq!((column(&scoped, "findings", "file_path"), &scoped["files_scanned"]), ("b.js".to_owned(), &json!(1)));
}

#[test]
fn a_pattern_of_ones_own() {
    let project = Project::new(SWALLOWS);
    let lines = project.ok("scan", json!({"pattern": r"except\s+Exception"}));
    assert_eq!(column(&lines, "findings", "file_path"), "a.py notes.txt tests/test_a.py");
    assert_eq!(column(&lines, "findings", "status"), "confirmed confirmed mitigated");
    assert_eq!(lines["read_as"], "regex");
    for arguments in [json!({"pattern": "$X.read()"}), json!({"pattern": "$X.read()", "language": "python"})] {
        let code = project.ok("scan", arguments);
        assert_eq!((column(&code, "findings", "file_path"), &code["read_as"]), ("a.py".to_owned(), &json!("code")));
    }
    let none = project.ok("scan", json!({"pattern": "$X.read($Y)"}));
    assert_eq!((&none["findings"], &none["files_scanned"]), (&json!([]), &json!(3)), "text files are no code");
    let query =
        project.ok("scan", json!({"pattern": "((identifier) @found (#eq? @found \"load\"))", "language": "python"}));
    assert_eq!(
        (column(&query, "findings", "line"), column(&query, "findings", "pattern")),
        ("1".into(), "custom".into())
    );
    assert_eq!(query["read_as"], "tree_sitter_query");
    for (arguments, code, word) in [
        (json!({"pattern": "(["}), "invalid_pattern", "expression"),
        (json!({"pattern": "(nothing) @x", "language": "python"}), "invalid_pattern", "nothing"),
        (json!({"pattern": "(module) @x", "language": "vue"}), "invalid_pattern", "grammar"),
        (json!({"pattern": "$X.read("}), "invalid_pattern", "not one expression or statement"),
        (
            json!({"pattern": "$X", "language": "python"}),
            "invalid_pattern",
            "not one expression or statement of python",
        ),
        (json!({"pattern": "x", "language": "klingon"}), "invalid_params", "klingon"),
        (json!({"pattern": "error_handing"}), "invalid_params", "error_handling"),
        (json!({"pattern": "sql_injection"}), "invalid_params", "`sql_injection`, which is no known id, expected one of"),
        (json!({"pattern": "authboundary"}), "invalid_params", "expected one of auth_boundary, "),
        (json!({"pattern": "resource-clean"}), "invalid_params", "expected one of resource_cleanup, "),
        (json!({"pattern": " "}), "invalid_params", "empty"),
        (json!({"pattern": "concurrency", "severity_min": "high"}), "invalid_params", "severity_min"),
    ] {
        let error = project.err("scan", arguments.clone());
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert!(error["error"].as_str().unwrap_or_default().contains(word), "{arguments}: {error}");
    }
}

#[test]
fn pages_join() {
    let files: String =
        (0..30).map(|n| format!("//- m{n:02}.py\ntry:\n    x()\nexcept Exception:\n    pass\n")).collect();
    let project = Project::new(&files);
    let mut seen = Vec::new();
    let mut arguments = json!({"pattern": "error_handling", "limit": 7});
    loop {
        let answer = project.ok("scan", arguments.clone());
        seen.push(column(&answer, "findings", "file_path"));
        match answer["cursor"].as_str() {
            Some(cursor) if seen.len() < 10 => arguments["cursor"] = json!(cursor),
            _ => break,
        }
    }
    let expected: Vec<String> = (0..30).map(|n| format!("m{n:02}.py")).collect();
    assert_eq!(seen.join(" "), expected.join(" "));
}

#[test]
fn a_module_that_is_only_declared_for_tests_is_test_code() {
    let declared = |how: &str| {
        let helper = "pub fn load(text: &str) -> u8 {\n    text.parse().unwrap()\n}\n";
        format!(
            "//- Cargo.toml\n[package]\nname = \"a\"\nversion = \"0.1.0\"\n//- src/lib.rs\n{how}\npub mod outer;\n\
             //- src/outer.rs\npub fn run() {{}}\n//- src/helpers/mod.rs\npub mod deep;\n{helper}\
             //- src/helpers/deep.rs\n{helper}"
        )
    };
    let in_tests = "false_positive false_positive";
    let cases = [
        ("#[cfg(test)]\nmod helpers;", in_tests),
        ("#[cfg(test)]\n#[macro_use]\n// with a word\npub(crate) mod helpers;", in_tests),
        ("#[macro_use]\n#[cfg(all(test, unix))]\nmod helpers;", in_tests),
        ("#[cfg(not(test))]\nmod helpers;", "confirmed confirmed"),
        ("#[cfg(any(test, unix))]\nmod helpers;", "confirmed confirmed"),
        ("#[cfg(all(not(test), unix))]\nmod helpers;", "confirmed confirmed"),
        ("#[cfg(feature = \"test\")]\nmod helpers;", "confirmed confirmed"),
        ("#[cfg(test)]\nmod tests {}\nmod helpers;", "confirmed confirmed"),
        ("mod helpers;", "confirmed confirmed"),
    ];
    for (how, expected) in cases {
        let project = Project::new(&declared(how));
        let call = json!({"pattern": "error_handling", "include_false_positives": true, "severity_min": 0.0});
        let answer = project.ok("scan", call);
        assert_eq!(column(&answer, "findings", "status"), expected, "{how}: {answer}");
    }
}

#[test]
fn a_file_that_changed_says_so() {
    let project = Project::new(PROGRAM).reopen(|config| config.read_only = true);
    project.tree.write("app.py", "try:\n    x()\nexcept Exception:\n    pass\n");
    let answer = project.ok("scan", json!({"pattern": "error_handling"}));
    assert_eq!((&answer["findings"][0]["stale"], &answer["findings"][0]["line"]), (&json!(true), &json!(3)));
    assert!(answer["findings"][0]["cannot_tell"].is_string(), "{answer}");
}

#[test]
fn callers_that_cannot_be_looked_through_are_not_called_unready() {
    let fixture = "//- lib/load.py\ndef load(x):\n    raise Exception(x)\n//- app/run.py\nfrom lib.load import load\n\n\n\
                   def run(x):\n    try:\n        return load(x)\n    except Exception:\n        return None\n";
    let project = Project::new(fixture).reopen(|config| config.read_only = true);
    let finding = || {
        let answer = project.ok("scan", json!({"pattern": "error_handling", "scope": "lib", "severity_min": 0.0}));
        let rows = answer["findings"].as_array().expect("rows").clone();
        rows.into_iter().find(|row| row["rule"] == "raises_general").unwrap_or_else(|| panic!("{answer}"))
    };
    let ready = finding();
    assert_eq!(
        (&ready["status"], &ready["reason"]),
        (&json!("mitigated"), &json!("every known caller is ready for it"))
    );
    project.tree.remove("app/run.py");
    let unread = finding();
    assert_eq!(unread["status"], "confirmed");
    assert_eq!(unread["cannot_tell"], "1 of the known callers could not be looked through", "{unread}");
}

#[test]
fn what_may_be_run_without_being_named_is_not_called_untested_for_certain() {
    let fixture = "//- auth.py
class Digest:
    def __call__(self, request):
        request.on(self.answer)
        return request

    def answer(self, response):
        again = response.request
        return again
//- tests/test_auth.py
from auth import Digest

def test_it(server):
    assert server.get(auth=Digest()).ok
";
    let project = Project::new(fixture);
    let shown = project.ok("scan", json!({"pattern": "test_coverage"}));
    assert!(!column(&shown, "findings", "label").contains("answer"), "what is not proven is only counted: {shown}");
    let answer = project.ok("scan", json!({"pattern": "test_coverage", "include_false_positives": true}));
    let rows = answer["findings"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["label"] == "answer").expect("a row of `answer`");
    assert_eq!(row["status"], "unvalidated");
    let open = row["cannot_tell"].as_str().expect("what is not known is told");
    assert!(open.contains("passed as value at auth.py:3"), "{open}");
}

#[test]
fn a_page_of_other_rows_is_refused() {
    let files: String = (0..4)
        .map(|n| format!("//- m{n}.py\ndef f():\n    try:\n        g()\n    except Exception:\n        pass\n"))
        .collect();
    let project = Project::new(&files);
    let first = project.ok("scan", json!({"pattern": "error_handling", "limit": 2}));
    let cursor = first["cursor"].as_str().expect("more rows");
    let second = json!({"pattern": "error_handling", "limit": 2, "cursor": cursor});
    assert_eq!(column(&project.ok("scan", second.clone()), "findings", "file_path"), "m2.py m3.py");
    project.tree.write("m0.py", "def f():\n    pass\n");
    let refused = project.err("scan", second);
    assert!(refused.to_string().contains("cursor"), "{refused}");
}

#[test]
fn where_nothing_is_to_be_shown_it_is_said_what_was_looked_at() {
    let project = Project::new(
        "//- tests/test_a.py\ndef test_a():\n    try:\n        run()\n    except:\n        pass\n//- b.kt\nfun b() {}\n",
    );
    let hint = |pattern: &str| {
        let answer = project.ok("scan", json!({"pattern": pattern}));
        assert_eq!(answer["findings"], json!([]), "{answer}");
        answer["next_step_hint"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        hint("error_handling"),
        "1 match in 1 file, all refuted or not proven: `include_false_positives` shows them; 1 file of other languages"
    );
    assert_eq!(hint("concurrency"), "no match in 1 file; 1 file of other languages");
}
