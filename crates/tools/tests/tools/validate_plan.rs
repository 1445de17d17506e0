use serde_json::{Value, json};

use crate::harness::{Project, column};

const PROGRAM: &str = "//- /a.py\ndef load(x):\n    return x\n//- /b.py\nfrom a import load\n\n\ndef run():\n    return load(2)\n//- /c.py\nfrom b import run\n\nrun()\n//- /tests/test_a.py\nfrom a import load\n\n\ndef test_load():\n    assert load(1) == 1\n";

fn plan(actions: Value) -> Value {
    Project::new(PROGRAM).ok("validate_plan", json!({"actions": actions}))
}

#[test]
fn users_of_what_goes_away_are_critical_and_adding_them_is_enough() {
    let answer = plan(json!([{"action_type": "delete", "file_path": "a.py"}]));
    assert_eq!(column(&answer, "gaps", "file_path"), "b.py tests/test_a.py", "{answer}");
    assert_eq!((&answer["critical_gaps"], &answer["proof_state"]), (&json!(2), &json!("proving")));
    assert!(answer["gaps"][0]["because"].as_str().is_some_and(|because| because.contains("a.py")), "{answer}");
    let mut actions = json!([{"action_type": "delete", "file_path": "a.py"}]);
    for row in answer["suggested_additions"].as_array().expect("rows") {
        let action = json!({"action_type": row["action_type"], "file_path": row["file_path"]});
        actions.as_array_mut().expect("rows").push(action);
    }
    assert_eq!(plan(actions)["critical_gaps"], 0);
}

#[test]
fn both_forms_name_gaps_and_tests() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("validate_plan", json!({"plan": [{"file": "a.py", "action": "modify"}]}));
    assert_eq!(answer["gaps"][0]["severity"], "warning", "{answer}");
    assert_eq!(answer["test_coverage"]["tests"][0]["tests"], json!(["tests/test_a.py"]), "{answer}");
    assert_eq!(answer["test_coverage"]["coverage_ratio"], 1.0);
    let none = plan(json!([]));
    assert_eq!(none["proof_state"], "blocked");
    let created = plan(json!([{"action_type": "create", "file_path": "new.py"}]));
    assert_eq!((&created["actions_unresolved"], &created["proof_state"]), (&json!(0), &json!("ready_to_edit")));
}

#[test]
fn dependencies_give_an_order() {
    let action = |path: &str, before: &[&str]| json!({"action_type": "modify", "file_path": path, "depends_on": before});
    let answer = plan(json!([action("a.py", &["b.py"]), action("b.py", &["c.py"]), action("c.py", &[])]));
    assert_eq!(answer["order"], json!(["c.py", "b.py", "a.py"]));
    let cycle = plan(json!([action("a.py", &["b.py"]), action("b.py", &["a.py"]), action("c.py", &["z.py"])]));
    assert_eq!(cycle["dependency_cycle"], json!(["a.py", "b.py"]), "{cycle}");
    assert!(cycle["missing_dependencies"][0].as_str().is_some_and(|text| text.contains("z.py")));
}

#[test]
fn unknown_users_are_not_said_to_be_none() {
    let project = Project::new(
        "//- /leaf.py\nclass Leaf:\n    def fetch_all(self):\n        return 1\n//- /user.py\ndef use(thing):\n    return thing.fetch_all()\n//- /alone.py\nimport os\n\n\ndef only_here():\n    return os.name\n",
    );
    let planned = |file: &str| project.ok("validate_plan", json!({"plan": [{"file": file, "action": "modify"}]}));
    let open = planned("leaf.py");
    assert_ne!(open["proof_state"], "ready_to_edit", "{open}");
    let closed = planned("alone.py");
    assert_eq!((&closed["open_users"], &closed["proof_state"]), (&Value::Null, &json!("ready_to_edit")), "{closed}");
    let missing = json!({"plan": [{"file": "alone.py", "action": "modify"}, {"file": "none.py", "action": "modify"}]});
    assert_eq!(project.ok("validate_plan", missing)["proof_state"], "proving");
}

#[test]
fn a_scope_leaves_out_what_does_not_break() {
    let project = Project::new(PROGRAM);
    let of = |action: &str| project.ok("validate_plan", json!({"plan": [{"file": "a.py", "action": action}], "scope": "tests"}));
    let changed = of("modify");
    assert_eq!(column(&changed, "gaps", "file_path"), "tests/test_a.py", "{changed}");
    assert_eq!(changed["gaps_outside_scope"], 1);
    assert_eq!(of("delete")["critical_gaps"], 2);
}

#[test]
fn suggestions_are_capped_and_counted() {
    let users: String =
        (0..230).map(|number| format!("//- /u{number}.py\nfrom a import load\n\nload({number})\n")).collect();
    let project = Project::new(&format!("//- /a.py\ndef load(x):\n    return x\n{users}"));
    let mut actions = vec![json!({"action_type": "delete", "file_path": "a.py"})];
    let answer = project.ok("validate_plan", json!({"actions": actions}));
    assert_eq!((&answer["critical_gaps"], &answer["total_suggested_additions"]), (&json!(230), &json!(230)));
    for expected in [30, 0] {
        let answer = project.ok("validate_plan", json!({"actions": actions}));
        let rows = answer["suggested_additions"].as_array().expect("rows");
        actions.extend(rows.iter().map(|row| json!({"action_type": row["action_type"], "file_path": row["file_path"]})));
        assert_eq!(project.ok("validate_plan", json!({"actions": actions}))["critical_gaps"], expected);
    }
}

#[test]
fn the_refactoring_that_would_make_a_change_is_named() {
    let project = Project::new("//- /a.py\ndef load(x):\n    return x\n//- /b.py\nfrom a import load\n\nload(1)\n//- /c.lua\nlocal x = 1\n//- /d.rb\nclass A\nend\n");
    let plan = json!([
        {"file": "a.py", "action": "rename"},
        {"file": "b.py", "action": "modify", "description": "add a parameter"},
        {"file": "c.lua", "action": "rename"},
        {"file": "d.rb", "action": "rename"}
    ]);
    let answer = project.ok("validate_plan", json!({"plan": plan}));
    let expected = [
        "a.py: `refactor_preview` with `operation: move`",
        "b.py: `refactor_preview` with `operation: change_signature`",
    ];
    assert_eq!(answer["refactorings"], json!(expected), "{answer}");
    let plain = project.ok("validate_plan", json!({"plan": [{"file": "a.py", "action": "modify"}]}));
    assert_eq!(plain["refactorings"], serde_json::Value::Null);
    let context = project.ok("surgical_context_v2", json!({"file_path": "a.py", "symbol": "load"}));
    let text = context["refactoring"].as_str().unwrap_or_default();
    assert!(text.contains("rename it: `rename_preview`") && text.contains("`operation: change_signature`"), "{context}");
}
