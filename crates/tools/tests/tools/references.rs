use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

/// Every role of a class and a variable.
const ROLES: &str = "\
//- shapes.py
LIMIT = 3

class Shape:
    pass
//- use.py
import shapes
from shapes import Shape

class Square(Shape):
    pass

def area(shape: Shape):
    return shapes.LIMIT

def grow():
    shapes.LIMIT = 4
    return Shape()
";

#[test]
fn each_use_has_its_role() {
    let project = Project::new(ROLES);
    let check = |node: &str, expected: &str| {
        let answer = project.ok("references", json!({"node_id": node}));
        let rows = answer["references"].as_array().expect("rows").iter();
        let rows: Vec<String> = rows
            .map(|row| format!("{}:{}:{} {}", row["file_path"], row["line_number"], row["column"], row["role"]).replace('"', ""))
            .collect();
        assert_eq!(rows.join(", "), expected, "{answer}");
    };
    check("Shape", "use.py:2:20 import, use.py:4:14 inherit, use.py:7:17 type, use.py:12:12 call");
    check("LIMIT", "use.py:8:19 read, use.py:11:12 write");
}

#[test]
fn roles_select_rows_and_all_are_counted() {
    let project = Project::new(ROLES);
    let answer = project.ok("references", json!({"node_id": "Shape", "roles": ["Call", "type"]}));
    assert_eq!(column(&answer, "references", "role"), "type call");
    assert_eq!(answer["by_role"], json!({"call": 1, "type": 1, "inherit": 1, "import": 1}));
    assert_eq!(answer["total_references"], 2);
    let error = project.err("references", json!({"node_id": "Shape", "roles": ["jump"]}));
    assert!(error["error"].as_str().is_some_and(|text| text.contains("`jump`") && text.contains("`inherit`")), "{error}");
}

#[test]
fn what_was_written_since_is_in_the_answer() {
    let project = Project::new(ROLES);
    project.tree.write("use.py", "import shapes\n\n\ndef late():\n    shapes.LIMIT = 5\n");
    let answer = project.ok("references", json!({"node_id": "LIMIT"}));
    assert_eq!((column(&answer, "references", "label"), column(&answer, "references", "role")), ("late".into(), "write".into()));
}

#[test]
fn nothing_uses_it_only_if_the_list_is_closed() {
    let answer = Project::new(PROGRAM).ok("references", json!({"node_id": "logout"}));
    assert_eq!((&answer["total_references"], &answer["closure"]["state"]), (&json!(0), &json!("closed")), "{answer}");
    assert_eq!(answer["proof_state"], "ready_to_edit");
}

#[test]
fn a_field_of_what_outside_code_yields_keeps_the_answer_open_for_fields() {
    let text = "\
//- Cargo.toml
[package]
name = \"app\"
[dependencies]
chan = \"1\"
//- src/lib.rs
pub struct Job { pub weight: u32, pub other: u32 }
pub fn weight() -> u32 { 1 }
fn run(rx: chan::Receiver<Job>) {
    for job in rx.drain_all() {
        drop(job.weight);
    }
}
";
    let project = Project::new(text);
    for (node, state) in [
        ("file::src/lib.rs::struct::Job::field::weight", "blocked"),
        ("file::src/lib.rs::struct::Job::field::other", "closed"),
        ("file::src/lib.rs::fn::weight", "closed"),
    ] {
        let answer = project.ok("references", json!({"node_id": node}));
        assert_eq!(answer["closure"]["state"], state, "{node}: {answer}");
    }
}
