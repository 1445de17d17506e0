use serde_json::{Value, json};

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

#[test]
fn a_radius_gives_callers_of_callers() {
    let project = Project::new(
        "//- /a.py\ndef one():\n    return 1\n\n\ndef two():\n    return one()\n\n\ndef three():\n    return two()\n",
    );
    let of = |radius: u8| project.ok("surgical_context", json!({"file_path": "a.py", "symbol": "one", "radius": radius}));
    assert_eq!(column(&of(1), "callers", "label"), "two");
    let wide = of(2);
    assert_eq!(column(&wide, "callers", "label"), "two three", "{wide}");
    assert_eq!((&wide["callers"][0]["distance"], &wide["callers"][1]["distance"]), (&Value::Null, &json!(2)));
    let used = project.ok("surgical_context", json!({"file_path": "a.py", "symbol": "three", "radius": 3}));
    assert_eq!(column(&used, "callees", "label"), "two one", "{used}");
}
