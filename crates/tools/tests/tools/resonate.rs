use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

/// Three handlers of one shape, a chain behind them, and a part of the project that has nothing to do with them.
const HANDLERS: &str = r#"
//- web/handlers.py
from web.check import validate
from web.reply import render


def create_user(request):
    validate(request)
    return render(request)


def delete_user(request):
    validate(request)
    return render(request)


def rename_user(request):
    validate(request)
    return render(request)
//- web/check.py
from web.rules import rule_of


def validate(request):
    return rule_of(request)
//- web/rules.py
from web.tables import table


def rule_of(request):
    return table(request)
//- web/tables.py
def table(request):
    return request
//- web/reply.py
def render(request):
    return request
//- batch/jobs.py
from batch.queue import push


def nightly():
    push(1)


def hourly():
    push(2)
//- batch/queue.py
def push(job):
    return job
"#;

fn order(answer: &Value, label: &str) -> u64 {
    let row = answer["harmonics"].as_array().and_then(|rows| rows.iter().find(|row| row["label"] == label));
    row.and_then(|row| row["harmonic_order"].as_u64()).unwrap_or_else(|| panic!("no {label} in {answer}"))
}

/// The same within a larger project: what is near is only near if there is something else.
fn among_others() -> String {
    let mut text = HANDLERS.to_owned();
    for number in 0..60 {
        text += &format!(
            "//- lib/m{number}.py\ndef base{number}():\n    return 1\n\n\ndef top{number}():\n    return base{number}()\n"
        );
    }
    text
}

#[test]
fn what_is_farther_stands_at_a_coarser_scale() {
    let project = Project::new(&among_others());
    let answer = project.ok("resonate", json!({"node_id": "create_user", "top_k": 100}));
    assert_eq!(answer["seed"], "file::web/handlers.py::fn::create_user");
    assert!(order(&answer, "validate") < order(&answer, "rule_of"), "{answer}");
    assert!(order(&answer, "rule_of") <= order(&answer, "table"), "{answer}");
    assert!(!column(&answer, "harmonics", "label").contains("push"), "{answer}");
    for row in answer["harmonics"].as_array().expect("rows") {
        let amplitude = row["amplitude"].as_f64().expect("a number");
        assert!(amplitude > 0.0 && amplitude <= 1.0, "{row}");
    }
    let counted: u64 =
        answer["groups"].as_array().expect("groups").iter().filter_map(|g| g["node_count"].as_u64()).sum();
    assert_eq!(answer["total_harmonics"], json!(counted));
}

#[test]
fn code_of_the_same_role_is_paired_with_its_witnesses() {
    let project = Project::new(HANDLERS);
    let answer = project.ok("resonate", json!({"node_id": "create_user"}));
    let pairs = answer["sympathetic_pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 2, "{answer}");
    assert!(pairs.iter().all(|pair| pair["coupling"].as_f64() > Some(0.9)), "{answer}");
    assert_eq!(pairs[0]["shared"], json!(["file::web/reply.py::fn::render", "file::web/check.py::fn::validate"]));
    assert_eq!(answer["next_suggested_target"], "file::web/handlers.py::fn::delete_user");
    let alone = project.ok("resonate", json!({"node_id": "web/tables.py::table"}));
    assert_eq!(alone["sympathetic_pairs"], json!([]), "{alone}");
}

#[test]
fn without_a_start_the_parts_of_the_project_are_shown() {
    let project = Project::new(HANDLERS);
    let answer = project.ok("resonate", json!({"top_k": 200}));
    assert_eq!(answer["seed"], Value::Null);
    let group = |label: &str| order(&answer, label);
    assert_eq!(group("push"), group("nightly"), "{answer}");
    assert_ne!(group("push"), group("validate"), "{answer}");
    let anchors = column(&answer, "groups", "anchor");
    assert!(anchors.contains("batch/") && anchors.contains("web/"), "{anchors}");
    assert_eq!(answer["harmonic_groups"], json!(answer["groups"].as_array().map(Vec::len)));
}

#[test]
fn pages_join_and_nothing_changes() {
    let project = Project::new(PROGRAM);
    let dump = project.services.engine.snapshot().graph().dump();
    let whole = project.ok("resonate", json!({"query": "validate credentials", "top_k": 200}));
    let mut seen = Vec::new();
    let mut arguments = json!({"query": "validate credentials", "top_k": 2});
    for _ in 0..100 {
        let part = project.ok("resonate", arguments.clone());
        seen.extend(part["harmonics"].as_array().expect("rows").clone());
        match part["cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(json!(seen), whole["harmonics"]);
    assert_eq!(project.services.engine.snapshot().graph().dump(), dump);
}

#[test]
fn what_is_not_there_is_said() {
    let project = Project::new(PROGRAM);
    let nothing = project.ok("resonate", json!({"query": "zebra quagga"}));
    assert_eq!((&nothing["harmonics"], &nothing["proof_state"]), (&json!([]), &json!("blocked")));
    assert_eq!(
        (&nothing["next_suggested_tool"], &nothing["next_suggested_target"]),
        (&json!("search"), &json!("zebra quagga"))
    );
    let empty = Project::new("//- notes.txt\nnothing here\n").ok("resonate", json!({}));
    assert_ne!(empty["next_step_hint"], nothing["next_step_hint"], "no words were asked for");
    assert_eq!(project.err("resonate", json!({"node_id": "nothing_such"}))["code"], "node_not_found");
    assert_eq!(project.err("resonate", json!({"query": " "}))["code"], "invalid_params");
}

#[test]
fn a_hub_between_two_hides_neither_and_what_is_compared_in_part_is_said() {
    let mut text = HANDLERS.replace("def validate(request):", "def validate(request=None):");
    for number in 0..400 {
        text += &format!(
            "//- lib/m{number:03}.py\nfrom web.check import validate\n\n\ndef run{number}():\n    validate()\n"
        );
    }
    text += "//- zebra.py\nfrom web.check import validate\nfrom web.reply import render\n\n\n\
             def last(request):\n    validate(request)\n    return render(request)\n";
    let names: Vec<String> = (0..340).map(|number| format!("step{number}")).collect();
    let steps: String = names.iter().map(|name| format!("def {name}():\n    pass\n\n\n")).collect();
    let calls: String = names.iter().map(|name| format!("    {name}()\n")).collect();
    text += &format!(
        "//- long.py\nfrom web.check import validate\nfrom web.reply import render\n\n\n{steps}\
         def everything(request):\n    validate(request)\n    render(request)\n{calls}"
    );
    let project = Project::new(&text);
    let answer = project.ok("resonate", json!({"node_id": "create_user"}));
    let like = column(&answer, "sympathetic_pairs", "b");
    assert!(like.contains("zebra.py::fn::last") && like.contains("rename_user"), "{answer}");
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("`everything` compared by the strongest 300 neighbours only"), "{answer}");
    let other = project.ok("resonate", json!({"node_id": "batch/jobs.py::nightly"}));
    assert_eq!(other["what_is_missing"], Value::Null, "{other}");
}
