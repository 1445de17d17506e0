//! Which uses of a value write it and which read it, in every linked language: `access_cases.txt`.
//!
//! A row is a title, a node, and a program. The last word of a comment marks the lines that write (`W`) or read (`R`)
//! the node; no other line does.

use std::collections::BTreeSet;

use m1nd_testkit::parse_fixture;
use serde_json::json;

use crate::harness::Project;

/// Places of the program whose line ends with a mark.
fn list_marked(program: &str, mark: &str) -> BTreeSet<String> {
    let files = parse_fixture(program);
    let lines = files.iter().flat_map(|(path, text)| {
        text.lines().enumerate().map(move |(at, line)| (format!("{path}:{}", at + 1), line.to_owned()))
    });
    let is_marked = |line: &str| [format!("# {mark}"), format!("// {mark}")].iter().any(|end| line.ends_with(end));
    lines.filter(|(_, line)| is_marked(line)).map(|(place, _)| place).collect()
}

#[test]
fn writes_are_told_from_reads() {
    let mut wrong = Vec::new();
    for row in include_str!("access_cases.txt").split("== ").skip(1) {
        let (head, program) = row.split_once('\n').expect("a head");
        let (title, node) = head.split_once(" | ").expect("a title and a node");
        let project = Project::new(program);
        for (role, mark) in [("write", "W"), ("read", "R")] {
            let answer = project.ok("references", json!({"node_id": node, "access": role}));
            let rows = answer["references"].as_array().expect("rows");
            let place = |row: &serde_json::Value| format!("{}:{}", row["file_path"].as_str().unwrap(), row["line_number"]);
            let found: BTreeSet<String> = rows.iter().map(place).collect();
            let wanted = list_marked(program, mark);
            if found != wanted {
                let (extra, missing): (Vec<_>, Vec<_>) =
                    (found.difference(&wanted).collect(), wanted.difference(&found).collect());
                wrong.push(format!("{title}: {role}: extra {extra:?}, missing {missing:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_answer_about_writes_says_what_else_there_is() {
    let project = Project::new("//- a.py\nclass A:\n    def __init__(self):\n        self.x = 1\ndef use(a: A):\n    a.x = 2\n    print(a.x)\n");
    let answer = project.ok("references", json!({"node_id": "A.x", "access": "write", "format": "text"}));
    let expected = "complete: 1 write of `A.x` in 1 file (of all uses: 1 read, 1 write); no search adds one; defined at a.py:3\na.py\n5: a.x = 2  (write, use)\n";
    assert_eq!(answer["text"], expected);
}
