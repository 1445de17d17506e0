use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

fn rows(answer: &Value) -> Vec<&Value> {
    answer["activated"].as_array().map(|rows| rows.iter().collect()).unwrap_or_default()
}

fn row<'a>(answer: &'a Value, label: &str) -> Option<&'a Value> {
    rows(answer).into_iter().find(|row| row["label"] == label)
}

#[test]
fn what_is_tied_to_the_seeds_is_found() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("activate", json!({"query": "validate credentials"}));
    assert_eq!(answer["seeds"][0]["label"], "validate_credentials");
    let shown = column(&answer, "activated", "label");
    let login = row(&answer, "login").unwrap_or_else(|| panic!("login calls it: {shown}"));
    assert!(login["dimensions"]["structural"].as_f64() > Some(0.0) && login["lift"].as_f64() > Some(1.0), "{login}");
    assert!(login["dimensions"]["causal"].as_f64() > Some(0.0), "a change reaches it: {login}");
    assert!(row(&answer, "load_user").is_some(), "{shown}");
    assert!(row(&answer, "twin").is_none(), "nothing ties it: {shown}");
    let scores: Vec<f64> = rows(&answer).iter().filter_map(|row| row["activation"].as_f64()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] <= 1.0, "{scores:?}");
    assert_eq!(answer["next_suggested_tool"], "view");
}

#[test]
fn only_the_dimensions_that_are_named_count() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("activate", json!({"query": "validate credentials", "dimensions": ["Causal"]}));
    for row in rows(&answer) {
        let dimensions = &row["dimensions"];
        assert_eq!(dimensions["causal"], row["activation"], "{row}");
        assert!(["structural", "semantic", "temporal"].iter().all(|name| dimensions[name].is_null()), "{row}");
    }
    assert!(row(&answer, "login").is_some(), "{answer}");
    let error = project.err("activate", json!({"query": "validate", "dimensions": ["spectral"]}));
    assert!(error["error"].as_str().unwrap_or_default().contains("spectral"), "{error}");
}

#[test]
fn a_dimension_without_data_is_said_and_not_zero() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("activate", json!({"query": "validate credentials"}));
    assert_eq!(answer["unavailable"][0]["dimension"], "temporal", "{answer}");
    assert!(rows(&answer).iter().all(|row| row["dimensions"]["temporal"].is_null()));
    assert!(answer["what_is_missing"].as_str().unwrap_or_default().starts_with("temporal"));
    assert_eq!(answer["ghost_edges"], json!([]));
}

#[test]
fn asking_changes_nothing() {
    let project = Project::new(PROGRAM);
    let dump = project.services.engine.snapshot().graph().dump();
    let ask = || {
        let mut answer = project.ok("activate", json!({"query": "keeps users", "include_structural_holes": true}));
        answer["elapsed_ms"] = json!(0);
        answer.to_string()
    };
    assert_eq!(ask(), ask());
    assert_eq!(project.services.engine.snapshot().graph().dump(), dump);
}

#[test]
fn a_token_budget_cuts_and_a_cursor_goes_on() {
    let project = Project::new(PROGRAM);
    let whole = project.ok("activate", json!({"query": "validate credentials"}));
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    for _ in 0..50 {
        let mut arguments = json!({"query": "validate credentials", "token_budget": 1});
        if !cursor.is_null() {
            arguments["cursor"] = cursor;
        }
        let part = project.ok("activate", arguments);
        assert_eq!(rows(&part).len(), 1);
        seen.push(part["activated"][0].clone());
        cursor = part["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(json!(seen), whole["activated"]);
}

#[test]
fn words_that_nothing_meets_lead_to_the_text_search() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("activate", json!({"query": "zebra quagga"}));
    assert_eq!((&answer["activated"], &answer["proof_state"]), (&json!([]), &json!("blocked")));
    assert_eq!((&answer["next_suggested_tool"], &answer["confidence"]), (&json!("search"), &json!(0.0)));
    project.err("activate", json!({"query": " ?! "}));
}

#[test]
fn more_than_is_ranked_is_said() {
    let calls: String = (0..1_100).map(|n| format!("    step_{n}()\n")).collect();
    let steps: String = (0..1_100).map(|n| format!("def step_{n}():\n    return {n}\n\n\n")).collect();
    let project = Project::new(&format!("//- a.py\n{steps}def settle_invoice():\n{calls}"));
    let answer = project.ok("activate", json!({"query": "settle invoice", "dimensions": ["causal", "structural"]}));
    assert!(answer["total_activated"].as_u64() > Some(1_000), "{}", answer["total_activated"]);
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("only the best 1000 of"), "{said}");
}

#[test]
fn what_meets_a_word_and_was_not_ranked_is_said() {
    let text: String = (0..1_050).map(|n| format!("def settle_invoice_{n}():\n    return {n}\n\n\n")).collect();
    let project = Project::new(&format!("//- a.py\n{text}"));
    let said = |dimensions: Value| {
        let answer = project.ok("activate", json!({"query": "settle invoice", "dimensions": dimensions}));
        answer["what_is_missing"].as_str().unwrap_or_default().to_owned()
    };
    assert!(said(json!(["semantic"])).contains("more nodes match a word than were ranked"));
    assert!(!said(json!(["structural"])).contains("match a word"), "words have no part in it");
}

#[test]
fn more_ghost_edges_than_are_listed_are_counted() {
    let mut text = "//- billing.py\ndef charge_invoice():\n    return 1\n".to_owned();
    let parts: Vec<String> = (0..12).map(|number| format!("part{number}.py")).collect();
    for (number, part) in parts.iter().enumerate() {
        text += &format!("//- {part}\nVALUE = {number}\n");
    }
    let with: Vec<Vec<&str>> = parts
        .chunks(6)
        .map(|parts| std::iter::once("billing.py").chain(parts.iter().map(String::as_str)).collect())
        .collect();
    let mut commits: Vec<(&str, &[&str])> =
        with.iter().flat_map(|paths| std::iter::repeat_n(("dunning", paths.as_slice()), 8)).collect();
    commits.extend(std::iter::repeat_n(("other", &["other.py"] as &[&str]), 30));
    let project = Project::in_git(&text, &commits);
    let answer = project.ok("activate", json!({"query": "charge invoice"}));
    assert_eq!(answer["ghost_edges"].as_array().map(Vec::len), Some(10), "{answer}");
    let said = answer["what_is_missing"].as_str().unwrap_or_default();
    assert!(said.contains("only the strongest 10 of") && said.contains("ghost edges"), "{said}");
}
