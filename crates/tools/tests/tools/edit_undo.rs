use serde_json::{Value, json};

use crate::harness::Project;

const TWO: &str = "//- /a.py\ndef load(x):\n    return x\n//- /b.py\nfrom a import load\n\n\ndef run():\n    return load(2)\n";

fn text(project: &Project, path: &str) -> Option<String> {
    std::fs::read_to_string(project.tree.join(path)).ok()
}

fn of(agent: &str, mut call: Value) -> Value {
    call["agent_id"] = agent.into();
    call
}

#[test]
fn the_last_write_is_undone_and_redone() {
    let project = Project::new(TWO);
    let (a, b) = (text(&project, "a.py"), text(&project, "b.py"));
    project.ok("apply", json!({"file_path": "a.py", "edits": [{"old": "return x", "new": "return x + 1"}]}));
    let changed = text(&project, "a.py");
    let edits = json!([{"file_path": "b.py", "delete": true}, {"file_path": "new/c.py", "new_content": "def c():\n    pass\n"}]);
    project.ok("apply_batch", json!({"edits": edits}));
    let list = project.ok("edit_undo", json!({"list": true}));
    assert_eq!(list["writes"].as_array().map(Vec::len), Some(2), "{list}");
    assert_eq!((&list["writes"][0]["tool"], &list["writes"][1]["files"]), (&json!("apply_batch"), &json!(["a.py"])));

    // The batch, then the write before it; the graph follows.
    let undone = project.ok("edit_undo", json!({}));
    assert_eq!((text(&project, "b.py"), text(&project, "new/c.py")), (b, None), "{undone}");
    assert!(!project.tree.join("new").exists(), "the folder was made for the file");
    assert_eq!(undone["delta"]["removed"], json!(["new/c.py:1 c"]), "{undone}");
    assert_eq!(project.ok("definition", json!({"target": "run"}))["definitions"][0]["file_path"], "b.py");
    let first = project.ok("edit_undo", json!({}));
    assert_eq!((text(&project, "a.py"), &first["files"]), (a, &json!([{"file_path": "a.py", "change": "replaced"}])));
    assert_eq!(project.err("edit_undo", json!({}))["code"], "invalid_params");

    // Undoing is a write that can be undone.
    let redone = project.ok("edit_undo", json!({"write": first["write"]}));
    assert_eq!(text(&project, "a.py"), changed, "{redone}");
    let again = project.err("edit_undo", json!({"write": first["write"]}));
    assert!(again["error"].as_str().is_some_and(|text| text.contains("undone already")), "{again}");
}

#[test]
fn lines_keep_their_ends() {
    let mixed = "def load(x):\r\n    return x\n\n\r\ndef run():\r\n    return load(2)\r\n";
    let project = Project::new(&format!("//- /a.py\n{mixed}"));
    let old = text(&project, "a.py");
    assert_eq!(old.as_deref(), Some(mixed));
    let edit = json!([{"file_path": "a.py", "edits": [{"old": "(2)\n", "new": "(2)\n\n\ndef more():\n    pass\n"}]}]);
    let written = project.ok("apply_batch", json!({"edits": edit}));
    let expected = format!("{mixed}\r\n\r\ndef more():\r\n    pass\r\n");
    assert_eq!(text(&project, "a.py").as_deref(), Some(&*expected));
    assert_eq!(written["delta"]["added"], json!(["a.py:9 more"]), "{written}");
    // The whole text, as an agent writes it.
    let plain = expected.replace("\r\n", "\n").replace("pass", "return 1");
    project.ok("apply", json!({"file_path": "a.py", "new_content": plain}));
    assert_eq!(text(&project, "a.py"), Some(expected.replace("pass", "return 1")));
    project.ok("edit_undo", json!({}));
    assert_eq!(text(&project, "a.py"), Some(expected));
    project.ok("edit_undo", json!({}));
    assert_eq!(text(&project, "a.py"), old);
}

#[test]
fn what_is_refused() {
    let project = Project::new(TWO);
    let body = |n: u32| json!({"node_id": "load", "new_content": format!("def load(x):\n    return {n}\n")});
    project.call_as_is("apply", of("ann", body(1))).expect("is written");
    // Not the write of somebody else, unless it is named.
    let error = project.call_as_is("edit_undo", of("bob", json!({}))).expect_err("has none");
    assert!(error.to_string().contains("of `ann`"), "{error}");
    // Not over what was written later.
    project.call_as_is("apply", of("bob", body(2))).expect("is written");
    let error = project.call_as_is("edit_undo", of("ann", json!({}))).expect_err("has changed");
    assert!(error.code.word() == "source_modified" && error.to_string().contains("`a.py`"), "{error}");
    assert!(text(&project, "a.py").is_some_and(|text| text.contains("return 2")));
    // Not where another agent holds a strict lock.
    let lock = json!({"scope": "node", "root_nodes": ["load"], "strict": true});
    project.call_as_is("lock_create", of("ann", lock)).expect("is made");
    let error = project.call_as_is("edit_undo", of("bob", json!({}))).expect_err("is locked");
    assert_eq!(error.code.word(), "write_refused", "{error}");
    let unknown = project.err("edit_undo", json!({"write": "00"}));
    assert_eq!(unknown["code"], "invalid_params", "{unknown}");
}

#[test]
fn a_batch_that_was_rolled_back_cannot_be_undone() {
    let project = Project::new(TWO);
    let edits = json!([{"file_path": "a.py", "new_content": "def other(x):\n    return [x, x, x, x]\n"}]);
    let answer = project.ok("apply_batch", json!({"edits": edits, "verify": true, "on_broken": "rollback"}));
    assert_eq!(answer["rolled_back"], true, "{answer}");
    assert_eq!(project.ok("edit_undo", json!({"list": true}))["writes"], json!([]));
}
