use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

fn file(one: &str, two: &str) -> String {
    format!("def one(value):\n    first = {one}\n    check(first)\n    return first\n\n\ndef two(value):\n    second = {two}\n    check(second)\n    return second\n")
}

/// A file whose first function was mended often, one that was changed often, and one that hardly changed.
pub(crate) fn project() -> Project {
    let mut repository = Repository::new();
    let start = file("none", "0");
    let start = [Put("risky.py", &start), Put("busy.py", "a = 0\n"), Put("calm.py", "b = 0\n"), Put("tests/test_a.py", "c = 0\n")];
    repository.commit("ann", "start", &start);
    for round in 0..60 {
        let text = round.to_string();
        let busy = format!("a = {round}\n");
        if round % 10 == 0 {
            let risky = file(&text, "0");
            let change = [Put("risky.py", &risky), Put("tests/test_a.py", &busy)];
            repository.commit("ann", &format!("Fix crash of one ({round})"), &change);
        }
        repository.commit("bob", &format!("Fix typo {round}"), &[Put("busy.py", &busy)]);
    }
    repository.tree.write("risky.py", file("50", "0"));
    for (path, text) in [("busy.py", "a = 59\n"), ("calm.py", "b = 0\n"), ("tests/test_a.py", "a = 50\n")] {
        repository.tree.write(path, text);
    }
    Project::over_repository(repository)
}

#[test]
fn fixes_lower_trust_and_little_evidence_gives_none() {
    let project = project();
    let answer = project.ok("trust", json!({}));
    assert_eq!(column(&answer, "trust_scores", "node_id"), "file::risky.py file::busy.py file::calm.py");
    let [risky, busy, calm] = [0, 1, 2].map(|at| &answer["trust_scores"][at]);
    assert_eq!((&risky["defect_count"], &risky["commit_count"]), (&json!(6), &json!(7)));
    assert_eq!((&busy["defect_count"], &busy["commit_count"]), (&json!(0), &json!(60)), "typos are no defects");
    assert_eq!((&calm["trust_score"], &calm["insufficient_evidence"]), (&Value::Null, &json!(true)));
    let score = |row: &Value| row["trust_score"].as_f64().expect("a score");
    let interval = risky["interval"].as_array().expect("an interval");
    assert!(score(risky) < 0.5 && score(busy) > 0.8, "{answer}");
    assert!(interval[0].as_f64() < risky["trust_score"].as_f64() && risky["trust_score"].as_f64() < interval[1].as_f64());
    assert_eq!(risky["fixes"][0]["subject"], "Fix crash of one (50)");
    assert_eq!(answer["summary"]["unknown_count"], 1);
}

#[test]
fn symbols_have_the_fixes_of_their_lines() {
    let project = project();
    let answer = project.ok("trust", json!({"scope": "function", "min_history": 1}));
    assert_eq!(column(&answer, "trust_scores", "defect_count"), "6 0");
    let one = project.ok("trust", json!({"node_filter": "risky.py::one"}));
    assert_eq!(column(&one, "trust_scores", "node_id"), "file::risky.py::fn::one");
}

#[test]
fn recorded_outcomes_count_and_can_be_undone() {
    let project = project();
    let before = project.ok("trust", json!({"node_filter": "calm.py", "min_history": 1}));
    for _ in 0..3 {
        project.ok("learn", json!({"outcome": "defect", "node_ids": ["calm.py"]}));
    }
    let told = project.ok("learn", json!({"outcome": "false_alarm", "query": "q", "feedback": "wrong", "node_ids": ["calm.py"]}));
    assert!(told["outcome_ledger_id"].is_i64(), "{told}");
    let after = project.ok("trust", json!({"node_filter": "calm.py", "min_history": 1}));
    let row = &after["trust_scores"][0];
    assert_eq!((&row["defect_count"], &row["false_alarm_count"], &row["total_learn_events"]), (&json!(3), &json!(1), &json!(4)));
    let score = |answer: &Value| answer["trust_scores"][0]["trust_score"].as_f64().expect("a score");
    assert!(score(&after) < score(&before));
    project.ok("learn", json!({"undo": told["outcome_ledger_id"]}));
    let undone = project.ok("trust", json!({"node_filter": "calm.py"}));
    assert_eq!(undone["trust_scores"][0]["false_alarm_count"], 0);
}

#[test]
fn orders_and_faults() {
    let project = project();
    let first = |order: &str| project.ok("trust", json!({"sort_by": order}))["trust_scores"][0]["node_id"].clone();
    assert_eq!((first("trust_desc"), first("defects_desc")), (json!("file::busy.py"), json!("file::risky.py")));
    let capped = project.ok("trust", json!({"risk_cap": 1.5}));
    assert_eq!(capped["trust_scores"][0]["risk_multiplier"], 1.5);
    for arguments in [json!({"sort_by": "size"}), json!({"min_history": "few"}), json!({"decay_half_life_days": []})] {
        assert_eq!(project.err("trust", arguments)["code"], "invalid_params");
    }
    assert_eq!(project.err("trust", json!({"node_filter": "nowhere.py"}))["code"], "node_not_found");
    let plain = Project::new(PROGRAM).ok("trust", json!({}));
    assert!(plain["note"].as_str().is_some_and(|note| note.contains("cannot tell")), "{plain}");
}
