//! The texts of `callers` and `references` as agents read them, in every linked language: `call_texts.txt`.
//!
//! A row is a title, questions (`> TOOL NODE`) each with the lines of its answer (`| `), and a small program.
//! `UPDATE_EXPECT=1` writes the answers that hold today.

use serde_json::json;

use crate::harness::Project;

const ROWS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tools/call_texts.txt");

/// The rows with the answers of today in place of those that are written.
fn answer_rows(rows: &str) -> String {
    let mut out = String::new();
    for row in rows.split("== ").skip(1) {
        let (title, rest) = row.split_once('\n').expect("a title");
        let at = rest.find("//- ").expect("a program");
        let project = Project::new(&rest[at..]);
        out.push_str(&format!("== {title}\n"));
        for question in rest[..at].lines().filter_map(|line| line.strip_prefix("> ")) {
            let (tool, node) = question.split_once(' ').expect("a tool and a node");
            let answer = project.ok(tool, json!({"node_id": node, "format": "text"}));
            out.push_str(&format!("> {question}\n"));
            for line in answer["text"].as_str().expect("a text").lines() {
                out.push_str(&format!("| {line}\n"));
            }
        }
        out.push_str(&rest[at..]);
    }
    out
}

#[test]
fn one_answer_ends_the_search() {
    let rows = std::fs::read_to_string(ROWS).expect("the rows");
    let answers = answer_rows(&rows);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(ROWS, &answers).expect("the rows");
        return;
    }
    for (answer, row) in answers.split("== ").zip(rows.split("== ")) {
        assert_eq!(answer, row);
    }
}
