use serde_json::json;

use crate::harness::Project;

const ONE: &str = "//- /a.py\nx = 1\ny = 2\n";

#[test]
fn a_preview_is_committed_once() {
    let project = Project::new(ONE);
    let preview = project.ok("edit_preview", json!({"file_path": "a.py", "new_content": "x = 1\ny = 3\n"}));
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n";
    assert_eq!(preview["diff"]["unified_diff"], diff, "{preview}");
    assert_eq!(preview["validation"]["ready_to_commit"], true);
    assert_eq!(std::fs::read_to_string(project.tree.join("a.py")).expect("is there"), "x = 1\ny = 2\n");
    let id = preview["preview_id"].clone();
    let refused = project.call("edit_commit", json!({"preview_id": id})).expect_err("is not confirmed");
    assert_eq!(refused.code.word(), "invalid_params");
    project.ok("edit_commit", json!({"preview_id": id, "confirm": true}));
    assert_eq!(std::fs::read_to_string(project.tree.join("a.py")).expect("is there"), "x = 1\ny = 3\n");
    let again = project.call("edit_commit", json!({"preview_id": id, "confirm": true})).expect_err("is used up");
    assert_eq!(again.code.word(), "preview_not_found");
}

#[test]
fn a_change_in_between_refuses_the_commit() {
    let project = Project::new(ONE);
    let preview = project.ok("edit_preview", json!({"file_path": "a.py", "new_content": "x = 5\n"}));
    project.tree.write("a.py", "mine = 1\n");
    let error = project.call("edit_commit", json!({"preview_id": preview["preview_id"], "confirm": true}));
    assert_eq!(error.expect_err("is refused").code.word(), "source_modified");
    assert_eq!(std::fs::read_to_string(project.tree.join("a.py")).expect("is there"), "mine = 1\n");
}

#[test]
fn a_preview_belongs_to_its_agent() {
    let project = Project::new(ONE);
    let preview = project.ok("edit_preview", json!({"file_path": "a.py", "new_content": "x = 5\n"}));
    let arguments = json!({"agent_id": "other", "preview_id": preview["preview_id"], "confirm": true});
    let error = project.call_as_is("edit_commit", arguments).expect_err("is refused");
    assert_eq!(error.code.word(), "preview_not_found");
}

#[test]
fn nothing_to_commit() {
    let project = Project::new(ONE);
    let same = project.ok("edit_preview", json!({"file_path": "a.py", "new_content": "x = 1\ny = 2\n"}));
    assert_eq!(same["validation"]["candidate_equals_source"], true);
    assert_eq!(same["validation"]["ready_to_commit"], false);
    let broken = project.ok("edit_preview", json!({"file_path": "a.py", "new_content": "x = (\n"}));
    assert_eq!(broken["validation"]["ready_to_commit"], false, "{broken}");
}
