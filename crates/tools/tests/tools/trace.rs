use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

const TEXT: &str = "boot ok\nTraceback (most recent call last):\n  File \"/srv/app/app.py\", line 5, in login\n    return validate_credentials(user, password)\n  File \"/srv/app/auth.py\", line 7, in validate_credentials\n    return load_user(user) == password\n  File \"/srv/app/auth.py\", line 11, in load_user\n    return Store().find(name)\n  File \"/usr/lib/python3.11/queue.py\", line 168, in get\nLookupError: no user in Store\n";

fn trace(project: &Project, text: &str) -> Value {
    project.ok("trace", json!({"error_text": text}))
}

#[test]
fn frames_of_another_machine_become_suspects() {
    let project = Project::new(PROGRAM);
    let answer = trace(&project, TEXT);
    assert_eq!(answer["language_detected"], "python");
    assert_eq!((&answer["error_type"], &answer["error_message"]), (&json!("LookupError"), &json!("no user in Store")));
    assert_eq!((&answer["frames_parsed"], &answer["frames_mapped"]), (&json!(4), &json!(3)));
    let first = &answer["suspects"][0];
    assert_eq!(first["node_id"], "file::auth.py::fn::load_user", "{answer}");
    assert_eq!((&first["in_trace"], &first["signals"]["trace_depth_score"]), (&json!(true), &json!(1.0)));
    assert_eq!(first["related_callers"], json!(["auth.py::validate_credentials"]));
    assert_eq!(answer["causal_chain"], json!(["auth.py::load_user", "auth.py::validate_credentials", "app.py::login"]));
    assert_eq!(column(&answer, "mapped_frames", "matched_by"), "line_and_name line_and_name line_and_name");
    assert_eq!(column(&answer, "unmapped_frames", "origin"), "runtime");
    // In no frame, but called by the innermost one.
    let labels = column(&answer, "suspects", "label");
    assert!(labels.contains("Store"), "{labels}");
    let next = project.ok("trace", json!({"error_text": TEXT, "top_k": 20}));
    assert!(column(&next, "suspects", "label").contains("find"), "{next}");
    let files = answer["fix_scope"]["files_to_inspect"].as_array().expect("files");
    assert_eq!(files[0], "auth.py");
    assert!(answer["fix_scope"]["estimated_blast_radius"].as_u64() >= Some(2), "{}", answer["fix_scope"]);
    assert_eq!(answer["history_gaps"], json!(["no history: the root is not the top of a git repository"]));
    assert_eq!((&answer["next_suggested_tool"], &answer["next_suggested_target"]), (&json!("view"), &first["node_id"]));
}

#[test]
fn lines_of_another_version_are_found_by_name() {
    let project = Project::new(PROGRAM);
    let text = "  File \"auth.py\", line 900, in load_user\nKeyError: 1\n";
    let answer = trace(&project, text);
    assert_eq!(column(&answer, "mapped_frames", "label"), "load_user");
    assert_eq!(
        (column(&answer, "mapped_frames", "matched_by").as_str(), &answer["proof_state"]),
        ("name", &json!("triaging"))
    );
}

#[test]
fn frames_that_name_a_program_are_found_by_their_function() {
    let project = Project::new(
        "//- pool.h\nvoid lookup(int k);\n//- pool.c\n#include \"pool.h\"\nvoid lookup(int k) { use(k); }\n//- a.c\nstatic void tell(void) {}\n//- b.c\nstatic void tell(void) {}\n//- load.py\ndef lookup():\n    pass\ndef other():\n    pass\n",
    );
    let text = "Backtrace:\n./server 127.0.0.1:1(lookup+0x20)[0x55]\n./server(tell+0x1)[0x56]\n./server(+0x7)[0x57]\n./server(other+0x7)[0x58]\n";
    let answer = trace(&project, text);
    assert_eq!(column(&answer, "mapped_frames", "node_id"), "file::pool.c::fn::lookup", "{answer}");
    assert_eq!(column(&answer, "mapped_frames", "matched_by"), "function");
    let reasons: Vec<&str> =
        answer["unmapped_frames"].as_array().expect("rows").iter().filter_map(|row| row["reason"].as_str()).collect();
    let several = "the frame names no file, and 2 functions are called `tell`";
    assert_eq!(reasons[0], several);
    assert!(reasons[1..].iter().all(|reason| *reason == "no indexed file's path ends like this one"), "{reasons:?}");
}

#[test]
fn paths_that_fit_several_files_say_so() {
    let project = Project::new("//- a/util/load.py\nX = 1\n//- b/util/load.py\ndef run():\n    pass\n");
    let answer = trace(&project, "  File \"/x/util/load.py\", line 1, in run\nKeyError: 1\n");
    assert_eq!(column(&answer, "mapped_frames", "file_path"), "b/util/load.py", "it has the function");
    assert_eq!(answer["mapped_frames"][0]["ambiguous_with"], json!(["a/util/load.py"]));
}

#[test]
fn dependencies_are_not_taken_for_the_project() {
    let project = Project::new("//- lib/conn.js\nfunction open() {}\n//- packages/pg/lib/pool.js\nfunction get() {}\n");
    let at = |path: &str| trace(&project, &format!("Error: x\n    at get (/app/node_modules/{path}:1:2)\n"));
    let other = at("pg/lib/conn.js");
    assert_eq!(
        (&other["frames_mapped"], column(&other, "unmapped_frames", "origin").as_str()),
        (&json!(0), "vendored")
    );
    assert_eq!(at("pg/lib/pool.js")["frames_mapped"], 1, "a package of the project that is linked in");
}

#[test]
fn a_test_is_where_a_fault_shows() {
    let project = Project::new(PROGRAM);
    let answer = trace(
        &project,
        "tests/test_auth.py:5: in test_validate\nauth.py:7: in validate_credentials\nE   KeyError: 'a'\n",
    );
    assert_eq!(answer["suspects"][0]["label"], "validate_credentials");
    let only = trace(&project, "tests/test_auth.py:5: in test_validate\nE   KeyError: 'a'\n");
    assert!(column(&only, "suspects", "label").contains("validate_credentials"), "{only}");
}

#[test]
fn text_without_a_trace_and_traces_from_elsewhere() {
    let project = Project::new(PROGRAM);
    let none = trace(&project, "quagga zebra");
    assert_eq!((&none["proof_state"], &none["next_suggested_tool"]), (&json!("blocked"), &json!("seek")));
    assert_eq!(none["next_suggested_target"], "quagga zebra");
    assert_eq!((&none["suspects"], &none["frames_parsed"]), (&json!([]), &json!(0)));
    let elsewhere = trace(&project, "panic: zzz\n\ngoroutine 1 [running]:\nmain.zzz()\n\t/x/zzz.go:5 +0x2\n");
    assert_eq!((&elsewhere["frames_mapped"], &elsewhere["language_detected"]), (&json!(0), &json!("go")));
    assert_eq!(elsewhere["unmapped_frames"][0]["reason"], "no indexed file's path ends like this one");
}

#[test]
fn a_text_without_a_trace_leads_where_its_words_do() {
    let project = Project::new(PROGRAM);
    let answer = trace(&project, "login rejects valid credentials");
    let sought = project.ok("seek", json!({"query": "login rejects valid credentials"}));
    assert_eq!(answer["suspects"][0]["file_path"], sought["results"][0]["file_path"], "{answer}");
    let hint = answer["next_step_hint"].as_str().unwrap_or_default();
    assert!(hint.contains("no known stack trace"), "{answer}");
    assert_eq!((&answer["proof_state"], &answer["fix_scope"]["risk_level"]), (&json!("triaging"), &json!("unknown")));
}

/// What only reports a fault comes after its caller: the helper that raises. The error type is not a suspect.
#[test]
fn a_helper_that_only_raises_comes_after_its_caller() {
    let fixture = "//- app/errors.py
class PoolError(Exception):
    def __init__(self, why):
        self.why = why


def fail(why):
    \"\"\"Raises.\"\"\"
    message = f'pool: {why}'
    raise PoolError(message)
//- app/pool.py
from app.errors import fail


def acquire(pool):
    if not pool:
        fail('empty')
    return pool.pop()
//- app/main.py
from app.pool import acquire


def main(pool):
    return acquire(pool)
";
    let text = "Traceback (most recent call last):
  File \"app/main.py\", line 5, in main
    return acquire(pool)
  File \"app/pool.py\", line 6, in acquire
    fail('empty')
  File \"app/errors.py\", line 9, in fail
    raise PoolError(message)
app.errors.PoolError: pool: empty
";
    let answer = trace(&Project::new(fixture), text);
    assert_eq!(answer["suspects"][0]["label"], "acquire", "{answer}");
    let labels = column(&answer, "suspects", "label");
    assert!(labels.contains("fail") && !labels.contains("PoolError"), "{labels}");
    assert_eq!(column(&answer, "mapped_frames", "label"), "fail acquire main", "frames are still listed");
    let why = answer["suspects"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("frame 2 of the project"), "{why}");
}

/// A function that raises although its caller uses its result is where it broke, whatever language it is written in.
#[test]
fn an_innermost_line_that_raises_is_the_first_suspect() {
    let python = "//- app/store.py
def load(path):
    raise ValueError('cannot load ' + path)
//- app/main.py
from app.store import load


def main(path):
    return load(path)
//- web/load.js
export function loadMain(path) {
    return path + 'cannot load main store';
}
";
    let text = "Traceback (most recent call last):
  File \"app/main.py\", line 5, in main
    return load(path)
  File \"app/store.py\", line 2, in load
    raise ValueError('cannot load ' + path)
ValueError: cannot load x
";
    let javascript = "//- src/store.js
export function load(path) {
    throw new Error('cannot load ' + path);
}
//- src/main.js
import { load } from './store.js';
export function main(path) {
    const text = load(path);
    return text;
}
";
    let stack = "Error: cannot load x
    at load (/app/src/store.js:2:11)
    at main (/app/src/main.js:3:18)
";
    for (fixture, text) in [(python, text), (javascript, stack)] {
        let answer = trace(&Project::new(fixture), text);
        let first = &answer["suspects"][0];
        let why = first["why"].as_str().unwrap_or_default();
        assert_eq!((&first["label"], &first["signals"]["trace_depth_score"]), (&json!("load"), &json!(1.0)), "{answer}");
        assert!(why.starts_with("the innermost frame of the project"), "{why}");
        assert!(!column(&answer, "suspects", "file_path").contains("web/"), "{answer}");
    }
}

/// What only the words lead to does not look as sure as a frame.
#[test]
fn suspects_without_evidence_have_low_values() {
    let fixture = format!("{PROGRAM}//- other.py\ndef unrelated():\n    return 'user store'\n");
    let answer = trace(&Project::new(&fixture), TEXT);
    let rows = answer["suspects"].as_array().expect("suspects");
    let value = |row: &Value| row["suspiciousness"].as_f64().unwrap_or_default();
    assert!(rows.windows(2).all(|pair| value(&pair[0]) >= value(&pair[1])), "{answer}");
    for row in rows.iter().filter(|row| row["signals"]["nearness_score"] == 0.0) {
        assert!(value(row) < 0.6, "{row}");
    }
}

/// The line in which a runner names a failed test is a frame, and the code that the test calls is the suspect.
#[test]
fn failed_tests_of_runners_are_frames() {
    let project = Project::new(PROGRAM);
    let cases = [
        "FAILED tests/test_auth.py::test_validate - KeyError: 'a'\n",
        "FAIL: test_validate (tests.test_auth.test_validate)\n",
    ];
    for text in cases {
        let answer = trace(&project, text);
        assert_eq!(column(&answer, "mapped_frames", "label"), "test_validate", "{answer}");
        assert_eq!(answer["suspects"][0]["label"], "validate_credentials", "{answer}");
    }
}

#[test]
fn the_first_page_is_of_different_files() {
    let many: String = (0..30).map(|n| format!("def step{n}(pool):\n    return pool\n\n\n")).collect();
    let calls: String = (0..30).map(|n| format!("    step{n}(pool)\n")).collect();
    let others: String =
        (0..12).map(|n| format!("//- lib/pool{n}.py\ndef pool_timeout{n}():\n    return 'pool exhausted'\n")).collect();
    let fixture = format!("//- app/pool.py\n{many}def acquire(pool):\n{calls}    raise KeyError(pool)\n{others}");
    let text = "Traceback (most recent call last):
  File \"app/pool.py\", line 152, in acquire
KeyError: pool exhausted
";
    let answer = trace(&Project::new(&fixture), text);
    let files = column(&answer, "suspects", "file_path");
    let mut distinct: Vec<&str> = files.split(' ').collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((distinct.len(), answer["suspects"][0]["label"].as_str()), (10, Some("acquire")), "{files}");
}

/// Words of the message may lead to code, but nothing says that it is what broke.
#[test]
fn without_a_mapped_frame_nothing_is_claimed_about_the_repair() {
    let project = Project::new(PROGRAM);
    let text = "Traceback (most recent call last):\n  File \"/x/zzz.py\", line 5, in zzz\nKeyError: load_user found no user in Store\n";
    let answer = trace(&project, text);
    assert_eq!((&answer["frames_parsed"], &answer["frames_mapped"]), (&json!(1), &json!(0)));
    assert!(!answer["suspects"].as_array().expect("suspects").is_empty(), "{answer}");
    assert!(!column(&answer, "suspects", "in_trace").contains("true"), "{answer}");
    let scope = &answer["fix_scope"];
    assert_eq!((&scope["risk_level"], &scope["estimated_blast_radius"]), (&json!("unknown"), &json!(null)));
    assert_eq!((&answer["causal_chain"], &answer["co_change_suspects"]), (&json!([]), &json!([])));
    assert_eq!(answer["proof_state"], "triaging");
    let missing = answer["what_is_missing"].as_str().expect("what is missing");
    assert!(missing.starts_with("no frame is in the index"), "{missing}");
}

#[test]
fn arguments_are_checked() {
    let project = Project::new(PROGRAM);
    for arguments in [
        json!({"error_text": "  "}),
        json!({"error_text": TEXT, "language": "cobol"}),
        json!({"error_text": TEXT, "window_hours": "day"}),
    ] {
        assert_eq!(project.err("trace", arguments)["code"], "invalid_params");
    }
    let answer = project.ok("trace", json!({"error_text": TEXT, "language": "Python", "top_k": 1}));
    assert_eq!((answer["suspects"].as_array().map(Vec::len), &answer["truncated"]), (Some(1), &json!(true)));
}

#[test]
fn what_of_a_long_text_is_not_sought_is_said() {
    let project = Project::new(PROGRAM);
    assert!(trace(&project, TEXT)["what_is_missing"].is_null());
    let answer = trace(&project, &format!("{TEXT}{}", "request served\n".repeat(4_000)));
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("`whole_text_score` is about the first 32 of 59 KiB"), "{said}");
    assert_eq!(answer["suspects"][0]["node_id"], "file::auth.py::fn::load_user");
}

#[test]
fn what_the_innermost_frame_uses_beyond_a_limit_is_said() {
    let steps: String = (0..250).map(|n| format!("def step{n}():\n    pass\n\n\n")).collect();
    let calls: String = (0..250).map(|n| format!("    step{n}()\n")).collect();
    let project = Project::new(&format!("//- steps.py\n{steps}def run():\n{calls}"));
    let answer = trace(&project, "  File \"steps.py\", line 1002, in run\nKeyError: 1\n");
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("uses more than was searched"), "{answer}");
}

#[test]
fn steps_of_a_chain_beyond_those_listed_are_counted() {
    let text: String = (0..80).map(|n| format!("def step{n}():\n    step{}()\n", n + 1)).collect();
    let project = Project::new(&format!("//- deep.py\n{text}"));
    let frames: String =
        (0..80).map(|n| format!("  File \"deep.py\", line {}, in step{n}\n    go()\n", 2 * n + 2)).collect();
    let answer = trace(&project, &format!("Traceback (most recent call last):\n{frames}KeyError: 1\n"));
    assert_eq!(answer["causal_chain"].as_array().map(Vec::len), Some(60));
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("`causal_chain` has the first 60 of 80 steps"), "{answer}");
}

#[test]
fn a_long_message_says_that_it_goes_on() {
    let project = Project::new(PROGRAM);
    let answer =
        trace(&project, &format!("  File \"auth.py\", line 11, in load_user\nKeyError: {}\n", "é".repeat(500)));
    let message = answer["error_message"].as_str().unwrap_or_default();
    assert!(message.ends_with("é…") && message.chars().count() == 401, "{message}");
    let many = "\n more of it".repeat(50);
    let answer = trace(&project, &format!("  File \"auth.py\", line 11, in load_user\nKeyError: x{many}\n"));
    assert_eq!(answer["what_is_missing"], "1 message read in part, only the first lines of each");
}

#[test]
fn installed_packages_of_the_project_are_its_code() {
    let fixture = "//- package.json
{\"name\": \"@acme/web\"}
//- lib/view.js
function lookup() {
  return 1;
}
//- go.mod
module example.com/acme/mux/v5
//- mux.go
package mux

func Mount() {
	panic(1)
}
//- crates/walk/Cargo.toml
[package]
name = \"acme-walk\"
//- crates/walk/src/walk.rs
pub fn run_one() {
    panic!();
}
//- src/walk.rs
pub fn run_one() {
    panic!();
}
";
    let project = Project::new(fixture);
    let js = |path: &str| format!("Error: x\n    at lookup (/app/node_modules/{path}:2:2)\n");
    let go = |path: &str| format!("panic: 1\n\ngoroutine 1 [running]:\nx.Mount()\n\t/go/pkg/mod/{path}:4 +0x2\n");
    let rust =
        |path: &str| format!("thread 'main' panicked at /h/.cargo/registry/src/index/{path}:2:5:\nexplicit panic\n");
    let cases = [
        (js("@acme/web/lib/view.js"), "file::lib/view.js::fn::lookup"),
        (js(".pnpm/@acme+web@1.0.0/node_modules/@acme/web/lib/view.js"), "file::lib/view.js::fn::lookup"),
        (js("web/lib/view.js"), ""),
        (go("example.com/acme/mux/v5@v5.0.10/mux.go"), "file::mux.go::fn::Mount"),
        (go("example.com/other/mux@v1.0.0/mux.go"), ""),
        (rust("acme-walk-0.4.20/src/walk.rs"), "file::crates/walk/src/walk.rs::fn::run_one"),
        (rust("other-walk-0.4.20/src/walk.rs"), ""),
    ];
    for (text, expected) in cases {
        let answer = trace(&project, &text);
        assert_eq!(column(&answer, "mapped_frames", "node_id"), expected, "{text}");
    }
    let built = trace(&project, &js("@acme/web/dist/main.js"));
    let reason = built["unmapped_frames"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("`@acme/web`"), "{reason}");
}

#[test]
fn frames_of_different_exceptions_do_not_call_each_other() {
    let fixture = "//- src/a/Http.java
package a;
class Http {
    void get() {
        open();
    }
    void open() {
    }
    void close() {
    }
}
";
    let text = "java.lang.RuntimeException: boom
\tat a.Http.open(Http.java:6)
\tat a.Http.get(Http.java:4)
\tSuppressed: java.io.IOException: close
\t\tat a.Http.close(Http.java:8)
";
    let answer = trace(&Project::new(fixture), text);
    assert_eq!(answer["causal_chain"], json!(["Http.java::open", "Http.java::get"]), "{answer}");
    let rows = answer["suspects"].as_array().expect("rows");
    let callers = |label: &str| rows.iter().find(|row| row["label"] == label).map(|row| row["related_callers"].clone());
    assert_eq!(callers("open"), Some(json!(["Http.java::get"])));
    assert_eq!(callers("get"), Some(json!([])), "what failed while closing did not call it");
}

#[test]
fn lines_beyond_a_file_are_of_another_version() {
    let project = Project::new("//- m.py\nX = 1\n");
    let answer = trace(&project, "  File \"/x/m.py\", line 900, in <module>\nKeyError: 1\n");
    let hint = answer["next_step_hint"].as_str().expect("a hint");
    assert!(hint.contains("another version"), "{hint}");
}

#[test]
fn frames_in_built_files_are_found_in_their_sources() {
    let fixture = "//- package.json
{\"name\": \"acme\"}
//- src/data/Source.ts
export class Source {
  query() { return 1; }
  #open() { return 2; }
}
//- src/index.ts
export function start() {}
//- packages/web/src/view.tsx
export function render() {}
//- lib/kept.js
function kept() {}
";
    let project = Project::new(fixture);
    let cases = [
        (
            "Source.query (/app/node_modules/acme/data/Source.js:90:2)",
            "file::src/data/Source.ts::class::Source::fn::query",
        ),
        (
            "Source.#open (file:///a/node_modules/acme/dist/esm/data/Source.mjs:9:2)",
            "file::src/data/Source.ts::class::Source::fn::#open",
        ),
        ("Source.gone (/app/node_modules/acme/dist/data/Source.js:2:2)", "file::src/data/Source.ts"),
        ("start (/app/node_modules/acme/dist/index.js:900:2)", "file::src/index.ts::fn::start"),
        // All of the package may have been built into it.
        ("query (/app/node_modules/acme/dist/index.js:900:2)", ""),
        ("query (/app/node_modules/other/dist/data/Source.js:900:2)", ""),
        ("Source.query (/srv/app/dist/data/Source.js:90:2)", "file::src/data/Source.ts::class::Source::fn::query"),
        ("render (C:\\p\\packages\\web\\build\\view.js:90:2)", "file::packages/web/src/view.tsx::fn::render"),
        ("render (/srv/packages/other/dist/view.js:90:2)", ""),
        ("kept (/srv/dist/lib/kept.js:1:2)", "file::lib/kept.js::fn::kept"),
    ];
    for (frame, expected) in cases {
        let answer = trace(&project, &format!("Error: x\n    at {frame}\n"));
        assert_eq!(column(&answer, "mapped_frames", "node_id"), expected, "{frame}");
        let by = if expected.contains("kept") { "line_and_name" } else { "built" };
        if !expected.is_empty() {
            assert_eq!(column(&answer, "mapped_frames", "matched_by"), by, "{frame}");
            let has_line = !answer["mapped_frames"][0]["line"].is_null();
            assert_eq!(has_line, by != "built", "a line of a built file is none of the source: {frame}");
        }
    }
}
