use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn the_hash_of_the_answer_is_the_one_to_write_against() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("surgical_context_v2", json!({"file_path": "auth.py", "symbol": "load_user"}));
    assert_eq!(answer["focused_symbol"]["body"], "def load_user(name):\n    return Store().find(name)", "{answer}");
    assert!(column(&answer, "connected_files", "relation_type").starts_with("caller"), "{answer}");
    assert!(answer["connected_files"][0]["source_excerpt"].as_str().is_some_and(|text| text.contains("load_user(user)")));
    assert_eq!(answer["tests"], json!(["tests/test_auth.py"]));
    let change = json!({
        "node_id": answer["node_id"],
        "new_content": "def load_user(name):\n    return None\n",
        "expected_hash": answer["content_hash"],
    });
    project.ok("apply", change.clone());
    assert_eq!(project.call("apply", change).expect_err("has another content now").code.word(), "source_modified");
}

#[test]
fn few_rows_of_each_kind() {
    let calls: String = (0..30).map(|number| format!("def f{number}():\n    return load()\n\n")).collect();
    let project = Project::new(&format!("//- /a.py\ndef load():\n    return 1\n\n\n{calls}"));
    let all = project.ok("surgical_context_v2", json!({"file_path": "a.py", "symbol": "load"}));
    assert_eq!(all["total_connected"], 30, "{all}");
    let few = project.ok("surgical_context_v2", json!({"file_path": "a.py", "symbol": "load", "proof_focused": true}));
    assert_eq!((&few["total_connected"], few["connected_files"].as_array().map(Vec::len)), (&json!(30), Some(5)), "{few}");
}

#[test]
fn each_relation_has_a_place_on_the_first_page() {
    let calls: String = (0..40).map(|number| format!("def f{number}():\n    return load()\n\n\n")).collect();
    let project = Project::new(&format!(
        "//- /a.py\nclass Base:\n    pass\n\n\nLIMIT = 1\n\n\ndef low():\n    return LIMIT\n\n\ndef load():\n    return low()\n\n\n{calls}\nclass Own(Base):\n    limit = LIMIT\n//- /test_a.py\nfrom a import load\n\n\ndef test_load():\n    assert load()\n",
    ));
    let of = |symbol: &str, few: bool| {
        let asked = json!({"file_path": "a.py", "symbol": symbol, "proof_focused": few, "max_connected_files": 8});
        column(&project.ok("surgical_context_v2", asked), "connected_files", "relation_type")
    };
    assert_eq!(of("load", false), "caller caller caller caller callee test caller caller");
    assert!(of("load", true).starts_with("caller callee test caller"), "{}", of("load", true));
    assert_eq!((of("Base", false).as_str(), of("LIMIT", false).as_str()), ("user", "user user test"));
}

#[test]
fn a_symbol_that_is_only_read_or_inherited_is_not_unused() {
    let project = Project::new(
        "//- /a.py\nclass Base:\n    pass\n\n\nclass Alone:\n    pass\n//- /b.py\nfrom a import Base\n\n\nclass Own(Base):\n    pass\n",
    );
    let state = |symbol: &str| {
        let asked = json!({"file_path": "a.py", "symbol": symbol});
        project.ok("surgical_context_v2", asked)["proof_state"].clone()
    };
    assert_eq!((state("Base"), state("Alone")), (json!("proving"), json!("ready_to_edit")));
    let answer = project.ok("surgical_context_v2", json!({"file_path": "a.py", "symbol": "Alone"}));
    assert_eq!(answer["co_change"], serde_json::Value::Null, "there is no history: {answer}");
}

#[test]
fn uses_near_each_other_are_one_row() {
    let far = "    pass\n".repeat(20);
    let project = Project::new(&format!(
        "//- /a.py\ndef load(x):\n    return x\n\n\ndef run():\n    load(1)\n    load(2)\n{far}    load(3)\n",
    ));
    let answer = project.ok("surgical_context_v2", json!({"file_path": "a.py", "symbol": "load"}));
    assert_eq!((column(&answer, "connected_files", "line_number"), &answer["total_connected"]), ("6 28".into(), &json!(3)));
    let first = &answer["connected_files"][0];
    assert_eq!(first["also_lines"], json!([7]), "{answer}");
    assert!(first["source_excerpt"].as_str().is_some_and(|text| text.contains("load(1)\n    load(2)")), "{first}");
}

#[test]
fn code_is_written_as_lines_in_text_form() {
    let project = Project::new(PROGRAM);
    let asked = json!({"file_path": "auth.py", "symbol": "load_user"});
    let text = project.text("surgical_context_v2", asked);
    assert!(text.lines().any(|line| line.trim() == "return Store().find(name)"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with("def load_user(name):")), "{text}");
}
