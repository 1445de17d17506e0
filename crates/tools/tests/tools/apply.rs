use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

const TWO: &str = "//- /a.py\ndef load(x):\n    return x\n\n\nclass Pool:\n    def get(self):\n        return load(1)\n//- /b.py\nfrom a import load\n\n\ndef run():\n    return load(2)\n";

fn text(project: &Project, path: &str) -> String {
    std::fs::read_to_string(project.tree.join(path)).expect("is there")
}

#[test]
fn each_form_of_a_change() {
    let project = Project::new(TWO);
    let answer = project.ok("apply", json!({"file_path": "a.py", "edits": [{"old": "return x\n", "new": "return x + 1\n"}]}));
    assert_eq!(answer["delta"]["changed"], json!(["a.py:1 load"]), "{answer}");
    assert_eq!((&answer["lines_added"], &answer["lines_removed"]), (&json!(1), &json!(1)));
    let hash = answer["content_hash"].clone();
    let body = "def get(self):\n    return load(3)\n";
    project.ok("apply", json!({"node_id": "Pool.get", "new_content": "def get(self):\n        return load(3)\n", "expected_hash": hash}));
    assert!(text(&project, "a.py").ends_with("class Pool:\n    def get(self):\n        return load(3)\n"), "{body}");
    project.ok("apply", json!({"file_path": "b.py", "diff": "@@ -5 +5 @@\n-    return load(2)\n+    return load(4)\n"}));
    assert!(text(&project, "b.py").ends_with("return load(4)\n"));
    let made = project.ok("apply", json!({"file_path": "new/c.py", "new_content": "def fresh():\n    pass\n"}));
    assert_eq!(made["delta"]["added"], json!(["new/c.py:1 fresh"]), "{made}");
    assert!(project.ok("definition", json!({"target": "fresh"}))["definitions"][0]["file_path"] == "new/c.py");
    project.ok("apply", json!({"file_path": "new/c.py", "delete": true}));
    assert_eq!(project.call("definition", json!({"target": "fresh"})).expect_err("is gone").code.word(), "node_not_found");
}

#[test]
fn what_is_refused() {
    let project = Project::new(TWO);
    project.tree.write(".git/config", "safe");
    let rows = [
        (json!({"file_path": "a.py"}), "invalid_params"),
        (json!({"file_path": "a.py", "new_content": "", "delete": true}), "invalid_params"),
        (json!({"file_path": "../a.py", "new_content": "x"}), "outside_workspace"),
        (json!({"file_path": "/etc/passwd", "new_content": "x"}), "outside_workspace"),
        (json!({"file_path": ".git/config", "new_content": "x"}), "write_refused"),
        (json!({"file_path": "a.py", "new_content": "x", "expected_hash": "0".repeat(64)}), "source_modified"),
        (json!({"file_path": "a.py", "new_content": "x", "expected_hash": "1"}), "invalid_params"),
        (json!({"file_path": "a.py", "edits": [{"old": "zzz", "new": ""}]}), "edit_does_not_apply"),
        (json!({"file_path": "a.py", "new_content": "a\u{0}b"}), "write_refused"),
        (json!({"file_path": ".env", "new_content": "x"}), "write_refused"),
    ];
    for (arguments, code) in rows {
        let error = project.call("apply", arguments.clone()).expect_err("is refused");
        assert_eq!(error.code.word(), code, "{arguments}: {error}");
    }
    assert_eq!(text(&project, ".git/config"), "safe");
}

#[test]
fn new_syntax_errors_are_named() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("apply", json!({"file_path": "bad.rs", "new_content": "fn a() {}\nfn b( {}\n"}));
    assert_eq!(answer["syntax"]["ok"], false);
    assert_eq!(answer["syntax"]["new_errors"][0]["line"], 2, "{answer}");
    assert_eq!(answer["proof_state"], "blocked");
    let again = project.ok("apply", json!({"file_path": "bad.rs", "new_content": "fn a() { }\nfn b( {}\n"}));
    assert_eq!(again["syntax"]["ok"], true, "it was there before: {again}");
}

#[test]
fn a_read_only_server_writes_nothing() {
    let project = Project::open(TWO, true);
    let calls: [(&str, Value); 5] = [
        ("apply", json!({"file_path": "a.py", "new_content": "x"})),
        ("apply_batch", json!({"edits": [{"file_path": "a.py", "new_content": "x"}]})),
        ("edit_preview", json!({"file_path": "a.py", "new_content": "x"})),
        ("edit_commit", json!({"preview_id": "preview_x", "confirm": true})),
        ("rename_commit", json!({"node_id": "load", "new_name": "fetch", "confirm": true})),
    ];
    for (tool, arguments) in calls {
        assert_eq!(project.call(tool, arguments).expect_err(tool).code.word(), "read_only", "{tool}");
    }
    assert!(text(&project, "a.py").starts_with("def load"));
}

#[test]
fn locks_of_others_warn_or_refuse() {
    let project = Project::new(TWO);
    let body = |n: u32| json!({"node_id": "load", "new_content": format!("def load(x):\n    return {n}\n")});
    let import = json!({"file_path": "a.py", "edits": [{"old": "def load", "new": "import os\n\n\ndef load"}]});
    let of = |agent: &str, mut call: Value| {
        call["agent_id"] = agent.into();
        call
    };
    let lock = |strict: bool| {
        let call = json!({"scope": "node", "root_nodes": ["load"], "strict": strict});
        project.call_as_is("lock_create", of("ann", call)).expect("is made")["lock_id"].clone()
    };
    let loose = lock(false);
    let warned = project.call_as_is("apply", of("bob", body(1))).expect("is only warned of");
    assert!(warned["locks"][0].as_str().is_some_and(|text| text.contains("`file::a.py::fn::load`")), "{warned}");
    let own = project.call_as_is("apply", of("ann", body(2))).expect("is her own");
    assert_eq!(own["locks"], Value::Null, "{own}");
    project.call_as_is("lock_release", of("ann", json!({"lock_id": loose}))).expect("is released");

    lock(true);
    for (tool, call) in [
        ("apply", body(3)),
        ("apply", json!({"file_path": "a.py", "delete": true})),
        ("apply_batch", json!({"edits": [{"file_path": "b.py", "new_content": "x = 1\n"}, body(3)]})),
        ("rename_commit", json!({"node_id": "load", "new_name": "fetch", "confirm": true})),
    ] {
        let error = project.call_as_is(tool, of("bob", call)).expect_err("is refused");
        assert_eq!(error.code.word(), "write_refused", "{tool}: {error}");
    }
    assert!(text(&project, "a.py").contains("return 2") && !text(&project, "b.py").starts_with('x'));
    let elsewhere = project.call_as_is("apply", of("bob", import)).expect("is outside of the locked definition");
    assert_eq!(elsewhere["locks"], Value::Null, "{elsewhere}");
}
