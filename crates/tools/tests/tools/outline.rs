use serde_json::json;

use crate::harness::{Project, column};

const NESTED: &str = "\
//- a.py
LIMIT = 1

class Pool:
    size = 2

    def acquire(self, wait):
        pass

def main():
    pass
//- notes.md
# Title

## Part
";

#[test]
fn symbols_come_in_order_with_their_depth_and_signature() {
    let project = Project::new(NESTED);
    let answer = project.ok("outline", json!({"file_path": "a.py"}));
    assert_eq!(column(&answer, "symbols", "label"), "LIMIT Pool size acquire main");
    assert_eq!(column(&answer, "symbols", "depth"), "0 0 1 1 0");
    assert_eq!(answer["symbols"][3]["signature"], "def acquire(self, wait)", "{answer}");
    let text = project.ok("outline", json!({"file_path": "a.py", "format": "text"}));
    let expected = "4. 6-7:   def acquire(self, wait)\n5. 9-10: def main()\n";
    assert!(text["text"].as_str().is_some_and(|text| text.contains(expected)), "{text}");
}

#[test]
fn depth_and_symbols_narrow_it() {
    let project = Project::new(NESTED);
    let labels = |arguments| column(&project.ok("outline", arguments), "symbols", "label");
    assert_eq!(labels(json!({"file_path": "a.py", "depth": 1})), "LIMIT Pool main");
    assert_eq!(labels(json!({"file_path": "Pool"})), "size acquire");
    assert_eq!(labels(json!({"file_path": "notes.md"})), "Title Part");
    assert_eq!(project.err("outline", json!({"file_path": "a.py", "depth": "all"}))["code"], "invalid_params");
    assert_eq!(project.err("outline", json!({"file_path": "gone.py"}))["code"], "file_not_found");
}

#[test]
fn a_file_without_symbols_leads_to_its_text() {
    let answer = Project::new("//- empty.py\n").ok("outline", json!({"file_path": "empty.py"}));
    assert_eq!((&answer["total_symbols"], &answer["next_suggested_tool"]), (&json!(0), &json!("view")), "{answer}");
}

#[test]
fn functions_only_leaves_out_what_is_not_called() {
    let project = Project::new("//- a.py\nLIMIT = 3\n\nclass Pool:\n    size = 1\n\n    def get(self):\n        return 1\n\ndef open():\n    return 2\n");
    let labels = |arguments| column(&project.ok("outline", arguments), "symbols", "label");
    assert_eq!(labels(json!({"file_path": "a.py", "functions_only": true})), "get open");
    assert!(labels(json!({"file_path": "a.py"})).contains("LIMIT Pool"));
}
