use serde_json::json;

use crate::harness::{Project, column};

/// `copy` repeats `load`; `renamed` has other names; `rewritten` uses the same in another form; `other` shares nothing.
const COPIES: &str = r#"
//- a.py
from lib import open_file, parse, validate

def load(path, strict):
    # Reads a file.
    handle = open_file(path)
    rows = []
    for line in handle:
        row = parse(line)
        if strict and not validate(row):
            raise ValueError("bad row")
        rows.append(row)
    return rows

def load_fast(path, strict):
    handle = open_file(path)
    rows = []
    for line in handle:
        row = parse(line)
        if strict and not validate(row):
            raise ValueError("bad row")
        rows.append(row)
    return rows
//- b.py
from lib import open_file, parse, validate

def renamed(name, check):
    source = open_file(name)
    found = []
    for text in source:
        item = parse(text)
        if check and not validate(item):
            raise KeyError("no item")
        found.append(item)
    return found

def rewritten(path):
    with open_file(path) as handle:
        return [row for row in map(parse, handle) if validate(row) or print("left out", row, path, sep=" ")]

def other(a, b, c):
    total = a * b + c
    while total > 100:
        total = total // 2 - a + 17 * (b - c)
    return {"total": total, "a": a, "b": b, "c": c}

def tiny(a):
    return a
//- lib.py
def open_file(path):
    return path

def parse(line):
    return line

def validate(row):
    return row
"#;

#[test]
fn copies_renamed_copies_and_the_same_uses() {
    let project = Project::new(COPIES);
    let answer = project.ok("fingerprint", json!({"target_node": "load", "similarity_threshold": 0.6}));
    assert_eq!(column(&answer, "equivalents", "label"), "load_fast renamed rewritten", "{answer}");
    assert_eq!(column(&answer, "equivalents", "reason"), "copy renamed_copy same_uses");
    let rewritten = &answer["equivalents"][2];
    assert_eq!((&rewritten["use_similarity"], &rewritten["common_uses"]), (&json!(1.0), &json!(["open_file", "parse", "validate"])));
    assert!(rewritten["token_similarity"].as_f64().is_some_and(|value| value < 0.5), "{rewritten}");
    let strict = project.ok("fingerprint", json!({"target_node": "load", "similarity_threshold": 1.0, "probe_queries": ["b.py"]}));
    assert_eq!(column(&strict, "equivalents", "label"), "renamed rewritten");
}

#[test]
fn all_pairs_of_similar_code() {
    let project = Project::new(COPIES);
    let answer = project.ok("fingerprint", json!({}));
    let pairs = answer["equivalent_pairs"].as_array().expect("pairs");
    let shown: Vec<String> = pairs.iter().map(|pair| format!("{}-{}", pair["place_a"], pair["place_b"])).collect();
    assert_eq!(answer["total_pairs"], 3, "{shown:?}");
    assert_eq!(column(&answer, "equivalent_pairs", "reason"), "copy renamed_copy renamed_copy");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let project = Project::new(COPIES);
    let answer = project.ok("fingerprint", json!({"target_node": "tiny"}));
    assert!(answer["note"].as_str().is_some_and(|note| note.contains("30 tokens")), "{answer}");
    assert_eq!(project.err("fingerprint", json!({"similarity_threshold": "much"}))["code"], "invalid_params");
}
