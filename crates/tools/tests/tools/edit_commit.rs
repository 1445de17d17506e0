use serde_json::json;

use crate::harness::Project;

#[test]
fn a_commit_survives_a_restart_and_a_new_file_appears() {
    let project = Project::new("//- /a.py\nx = 1\n");
    let preview = project.ok("edit_preview", json!({"file_path": "b/c.py", "new_content": "def f():\n    pass\n"}));
    assert_eq!(preview["snapshot"]["file_exists"], false);
    let project = project.reopen(|_| {});
    let answer = project.ok("edit_commit", json!({"preview_id": preview["preview_id"], "confirm": true}));
    assert_eq!(answer["bytes_written"], 18, "{answer}");
    assert_eq!(std::fs::read_to_string(project.tree.join("b/c.py")).expect("is there"), "def f():\n    pass\n");
}
