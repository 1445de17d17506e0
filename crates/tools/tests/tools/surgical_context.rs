use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn a_file_with_its_neighbours() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("surgical_context", json!({"file_path": "auth.py", "symbol": "validate_credentials"}));
    assert_eq!(column(&answer, "callees", "label"), "load_user", "{answer}");
    assert_eq!(column(&answer, "tests", "file_path"), "tests/test_auth.py", "{answer}");
    assert_eq!(answer["content_hash"].as_str().map(str::len), Some(64));
    let whole = project.ok("surgical_context", json!({"file_path": "auth.py"}));
    assert!(whole["file_contents"].as_str().is_some_and(|text| text.contains("def load_user")), "{whole}");
}
