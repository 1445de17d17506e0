use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

fn entry<'a>(answer: &'a Value, path: &str) -> &'a Value {
    let entries = answer["entries"].as_array().expect("entries");
    entries.iter().find(|entry| entry["file_path"] == path).unwrap_or_else(|| panic!("no {path} in {answer}"))
}

/// A file with so many functions of four lines, after a class with two methods.
fn long_file(functions: usize) -> String {
    let functions: String = (0..functions).map(|n| format!("\n\ndef function_{n}():\n    return {n}\n")).collect();
    format!("class Pool:\n    size = 3\n\n    def acquire(self):\n        pass\n\n    def release(self):\n        pass\n{functions}")
}

#[test]
fn paths_ids_and_globs_are_shown_together_and_each_file_once() {
    let project = Project::new(PROGRAM);
    let files = json!(["auth.py", "file::store.py::class::Store::fn::find", "./auth.py", "twins/*.py", "a*.py", "file::app.py"]);
    let answer = project.ok("batch_view", json!({"files": files}));
    assert_eq!(
        column(&answer, "entries", "file_path"),
        "auth.py store.py twins/left.py twins/right.py app.py src/ab.py"
    );
    assert_eq!((&answer["files_read"], &answer["total_files"]), (&json!(6), &json!(6)));
    assert_eq!(answer["truncated"], json!(false));
    let whole = entry(&answer, "auth.py");
    assert_eq!(whole["content"], project.ok("view", json!({"file_path": "auth.py"}))["content"]);
    assert_eq!((&whole["total_lines"], &whole["lines_returned"], &whole["summary"]), (&json!(11), &json!(11), &json!(null)));
    let symbol = entry(&answer, "store.py");
    assert_eq!(symbol["content"], "4      def find(self, name):\n5          return None\n");
    assert_eq!(symbol["node_id"], "file::store.py::class::Store::fn::find");
    assert_eq!(entry(&answer, "twins/left.py")["requested"], "twins/*.py");
}

#[test]
fn longer_files_have_an_outline_and_their_head() {
    let project = Project::new(&format!("//- long.py\n{}", long_file(30)));
    let answer = project.ok("batch_view", json!({"files": ["long.py"]}));
    let long = entry(&answer, "long.py");
    let outline = long["summary"].as_str().expect("an outline");
    assert!(outline.starts_with("1-8 class Pool\n  4-5 function acquire\n  7-8 function release\n"), "{outline}");
    assert!(outline.contains("function function_29") && !outline.contains("size"), "{outline}");
    assert_eq!((&long["lines_returned"], &long["next_offset"], &long["truncated"]), (&json!(20), &json!(20), &json!(true)));
    assert_eq!((&answer["next_suggested_tool"], &answer["next_suggested_target"]), (&json!("view"), &json!("long.py")));

    let plain = project.ok("batch_view", json!({"files": ["long.py"], "summary_mode": false, "max_lines_per_file": 50}));
    let plain = entry(&plain, "long.py");
    assert_eq!((&plain["lines_returned"], &plain["summary"], &plain["next_offset"]), (&json!(50), &json!(null), &json!(50)));
    let whole = project.ok("batch_view", json!({"files": ["long.py"], "max_lines_per_file": 500}));
    assert_eq!(entry(&whole, "long.py")["truncated"], json!(false));

    let many = Project::new(&format!("//- long.py\n{}", long_file(200)));
    let many = many.ok("batch_view", json!({"files": ["long.py"]}));
    let outline = entry(&many, "long.py")["summary"].as_str().expect("an outline").to_owned();
    assert_eq!(outline.lines().count(), 41, "{outline}");
    assert!(outline.ends_with("… and 163 more"), "{outline}");
}

#[test]
fn what_cannot_be_shown_is_an_entry_that_says_why_as_view_does() {
    let project = Project::new(PROGRAM);
    project.tree.write("data.bin", b"a\0b");
    project.tree.write("tls.key", "TOP-SECRET-CONTENT");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", project.tree.join("link.txt")).expect("a link");
    let bad = ["gone.py", "data.bin", ".env", "tls.key", "link.txt", "../x", "/etc/passwd", "src", "file::auth.py::fn::gone", "twin::"];
    let mut files: Vec<&str> = bad.to_vec();
    files.extend(["nothing/*.zig", "a[", "auth.py"]);
    let answer = project.ok("batch_view", json!({"files": files}));
    assert_eq!((&answer["files_read"], &answer["total_files"]), (&json!(1), &json!(files.len())));
    let entries = answer["entries"].as_array().expect("entries");
    let by_request: BTreeMap<&str, &Value> =
        entries.iter().map(|entry| (entry["requested"].as_str().expect("text"), entry)).collect();
    for path in bad {
        let error = project.err("view", json!({"file_path": path}));
        let entry = by_request[path];
        assert_eq!(entry["code"], error["code"], "{path}: {entry}");
        let message = error["error"].as_str().expect("text").replace("`file_path`", "`files`");
        assert_eq!((&entry["error"], &entry["content"]), (&json!(message), &json!("")), "{path}");
    }
    assert_eq!(by_request["nothing/*.zig"]["code"], "file_not_found");
    assert_eq!(by_request["a["]["code"], "invalid_pattern");
    assert!(answer["inline_summary"].as_str().is_some_and(|text| text.starts_with("12 entries cannot")), "{answer}");
    assert!(!answer.to_string().contains("TOP-SECRET") && !answer.to_string().contains("root:x:"));
    let blocked = project.ok("batch_view", json!({"files": ["gone.py"]}));
    assert_eq!((&blocked["proof_state"], &blocked["next_suggested_tool"]), (&json!("blocked"), &json!("glob")));
    for files in [json!([]), json!(vec!["a"; 1_001]), json!(vec!["*"; 101])] {
        assert_eq!(project.err("batch_view", json!({"files": files}))["code"], "invalid_params");
    }
}

#[test]
fn pages_join_and_nothing_is_larger_than_its_budget() {
    let files: String = (0..60).map(|n| format!("//- pkg/mod_{n:02}.py\n{}", long_file(n))).collect();
    let hidden: String = (0..300).map(|n| format!("# {n} {}\n", "\u{200b}".repeat(40))).collect();
    let project = Project::new(&format!("{files}//- pkg/mod_60.py\n{hidden}"));
    for (size, summary) in [(2_000, true), (20_000, true), (20_000, false), (100_000, false)] {
        let mut arguments = json!({"files": ["pkg/*.py"], "max_output_chars": size, "summary_mode": summary,
            "max_lines_per_file": 300});
        let (mut paths, mut pages) = (Vec::new(), 0);
        loop {
            let answer = project.ok("batch_view", arguments.clone());
            let sent = m1nd_tools::text_of(&answer).len();
            assert!(sent <= size, "{sent} of {size}");
            let entries = answer["entries"].as_array().expect("entries");
            assert_eq!(answer["files_read"], json!(entries.len()), "what was counted is here");
            for entry in entries {
                paths.push(entry["file_path"].as_str().expect("text").to_owned());
                let content = entry["content"].as_str().expect("text");
                assert_eq!(json!(content.lines().count()), entry["lines_returned"]);
                assert_eq!(entry["truncated"], json!(entry["lines_returned"] != entry["total_lines"]), "{entry}");
            }
            pages += 1;
            match answer["cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = json!(cursor),
                None => break,
            }
        }
        let expected: Vec<String> = (0..61).map(|n| format!("pkg/mod_{n:02}.py")).collect();
        assert_eq!((paths, pages > 1), (expected, true), "{size} {summary}");
    }
}

#[test]
fn files_are_shown_as_they_are_now_and_nothing_is_indexed() {
    let project = Project::new(PROGRAM);
    let before = project.services.engine.snapshot().generation();
    project.tree.write("store.py", "changed = 1\n");
    let answer = project.ok("batch_view", json!({"files": ["store.py"], "auto_ingest": true}));
    let entry = entry(&answer, "store.py");
    assert_eq!((&entry["content"], &entry["stale"]), (&json!("1  changed = 1\n"), &json!(true)));
    assert_eq!(entry["auto_ingested"], json!(false));
    assert_eq!(project.services.engine.snapshot().generation(), before);
}

#[test]
fn as_text_each_file_has_its_lines_and_named_lines_are_whole() {
    let long: String = (1..=150).map(|line| format!("line {line}\n")).collect();
    let project = Project::new(&format!("//- a.py\ndef first():\n    return 1\n//- long.txt\n{long}"));
    let text = project.text("batch_view", json!({"files": ["a.py", "long.txt:2-141", "gone.py"]}));
    assert!(text.starts_with("1. a.py  2 of 2 lines\n   1  def first():\n   2      return 1\n"), "{text}");
    assert!(text.contains("   141  line 141\n") && !text.contains("line 142"), "{text}");
    assert!(text.contains("gone.py: "), "{text}");
}
