use serde_json::Value;

use crate::{Place, SHOP};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_repository_is_indexed_asked_and_described() {
    let place = Place::new(SHOP);
    let run = place.run(&["ingest"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for words in ["generation 1", "python", "typescript", "function gross", "shop/price.py:4", "m1nd call seek"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "no colours into a pipe");
    assert!(run.err.lines().count() < 20, "one line a stage: {}", run.err);

    let run = place.run(&["call", "impact", "--node-id", "file::shop/price.py::fn::net", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(json(&run.out).to_string().contains("file::shop/order.py::class::Order::fn::total"), "{}", run.out);

    let run = place.run(&["call", "seek", "--json", r#"{"query": "gross price", "top_k": 1}"#]);
    assert_eq!(json(&run.out)["results"].as_array().unwrap().len(), 1, "{}", run.out);
    assert!(place.run(&["call", "seek", "--query", "gross"]).out.contains("1. gross (function)"));

    let run = place.run(&["status"]);
    assert!(run.code == 0 && run.out.contains("generation 1"), "{}", run.out);
    let status = json(&place.run(&["status", "--json"]).out);
    assert!(status["node_count"].as_u64() > Some(0), "{status}");
    let names: Vec<&Value> = status["languages"].as_array().unwrap().iter().map(|row| &row["language"]).collect();
    assert!(names.iter().any(|name| *name == "typescript"), "one name everywhere: {names:?}");
    let report = json(&place.run(&["ingest", "--json"]).out);
    assert!(report["files_scanned"].as_u64() >= Some(4), "{report}");
    assert!(report["references"]["certain"].as_u64() > Some(0), "{report}");
}

#[test]
fn a_subfolder_means_the_repository_around_it() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let mut command = place.command(&["status"]);
    let output = command.current_dir(place.project.join("shop")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn failures_have_a_code_a_reason_and_a_next_step() {
    let place = Place::new(SHOP);
    let check = |arguments: &[&str], code: i32, words: &[&str]| {
        let run = place.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {}{}", run.out, run.err);
        for words in words {
            assert!(run.err.contains(words), "{arguments:?} does not say {words:?}: {}", run.err);
        }
        assert_eq!(run.out, "", "{arguments:?}: errors go to standard error");
    };
    check(&["call", "seek", "--query", "x"], 3, &["nothing is indexed yet", "m1nd ingest"]);
    check(&["status"], 3, &["nothing is indexed yet", "m1nd ingest"]);
    check(&["ingest", "no/such/folder"], 2, &["no/such/folder", "next:"]);
    check(&["ingest", "shop/price.py"], 2, &["is not a folder"]);
    check(&["call", "nope"], 2, &["unknown tool: nope"]);
    check(&["call", "seek", "--qurey", "x"], 2, &["unknown flag `--qurey`", "--query"]);
    check(&["serve", "--toolset", "nope"], 2, &["unknown toolset `nope`", "core"]);
    check(&["frobnicate"], 2, &["unrecognized subcommand"]);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    check(&["call", "impact", "--node-id", "file::nope.py"], 4, &["nope.py"]);
    check(&["call", "view", "--file-path", "../../etc/passwd"], 5, &["next:"]);
    let run = place.run(&["call", "impact", "--node-id", "file::nope.py", "--json"]);
    assert_eq!((run.code, json(&run.out)["code"].as_str()), (4, Some("node_not_found")));
}

#[cfg(unix)]
#[test]
fn what_is_skipped_is_named_with_its_reason() {
    let place = Place::new("//- .git/HEAD\nref: x\n//- a.py\nx = 1\n//- noise.py\n\0\u{1}\n//- broken.py\ndef (((\n");
    std::os::unix::fs::symlink("..", place.project.join("up")).unwrap();
    let run = place.run(&["ingest", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for words in [["symbolic_link", "up"], ["binary", "noise.py"], ["syntax_errors", "broken.py"]] {
        let row = run.out.lines().find(|line| line.contains(words[0])).unwrap_or_else(|| panic!("{}", run.out));
        assert!(row.contains(words[1]), "{row}");
    }
    let empty = Place::new("").run(&["ingest", "--quiet"]);
    assert!(empty.code == 0 && empty.out.contains("nothing to index here"), "{}", empty.out);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new(SHOP);
    let mut command = place.command(&["completions", "zsh"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command.stdout(writer).status().unwrap();
    assert!(status.success(), "{status}");
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let place = Place::new(SHOP);
    place.run(&["ingest", "--quiet"]);
    let run = place.run(&["doctor"]);
    assert!(run.code == 0 && run.out.contains("is indexed"), "{}", run.out);
    place.project.write(".mcp.json", "{ broken");
    let run = place.run(&["doctor", "--json"]);
    assert_eq!((run.code, json(&run.out)["problems"].as_u64()), (6, Some(1)), "{}", run.out);
    place.project.write(".mcp.json", r#"{"mcpServers": {"m1nd": {"command": "/no/such/m1nd"}}}"#);
    let run = place.run(&["doctor"]);
    assert!(run.code == 6 && run.out.contains("/no/such/m1nd"), "{}", run.out);
}
