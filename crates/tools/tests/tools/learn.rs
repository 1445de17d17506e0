use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use m1nd_engine::Clock;
use m1nd_testkit::Random;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

const DAY: u64 = 24 * 60 * 60 * 1_000;
const QUESTION: &str = "validate user credentials";
const LIKE_IT: &str = "how are the credentials of a user validated";
const UNLIKE_IT: &str = "logout of a session";

fn seek(project: &Project, query: &str) -> Value {
    let mut answer = project.ok("seek", json!({"query": query, "min_score": 0.0, "top_k": 200}));
    answer["elapsed_ms"].take();
    answer
}

fn activate(project: &Project, query: &str) -> Value {
    let mut answer = project.ok("activate", json!({"query": query, "top_k": 200}));
    answer["elapsed_ms"].take();
    answer
}

fn scores(answer: &Value) -> BTreeMap<String, f64> {
    let rows = answer["results"].as_array().or_else(|| answer["activated"].as_array()).expect("rows");
    let score = |row: &Value| row["score"].as_f64().or_else(|| row["activation"].as_f64()).unwrap_or_default();
    rows.iter().map(|row| (row["node_id"].as_str().unwrap_or_default().to_owned(), score(row))).collect()
}

const LOAD: &str = "file::auth.py::fn::load_user";
const VALIDATE: &str = "file::auth.py::fn::validate_credentials";

#[test]
fn wrong_lowers_a_node_for_questions_like_it_and_for_no_others() {
    let project = Project::new(PROGRAM);
    let dump = project.services.engine.snapshot().graph().dump();
    let before = [QUESTION, LIKE_IT, UNLIKE_IT].map(|query| seek(&project, query));
    let near = activate(&project, QUESTION);
    let told =
        project.ok("learn", json!({"query": QUESTION, "feedback": "wrong", "node_ids": [VALIDATE], "strength": 1}));
    assert_eq!((&told["nodes_found"], &told["edges_modified"]), (&json!(1), &json!(0)));
    let after = [QUESTION, LIKE_IT, UNLIKE_IT].map(|query| seek(&project, query));
    for (number, query) in [QUESTION, LIKE_IT].into_iter().enumerate() {
        let (old, new) = (scores(&before[number])[VALIDATE], scores(&after[number])[VALIDATE]);
        assert!(new < old && new >= old / 4.0 - 1e-3, "{query}: {old} {new}");
        let others = |answer: &Value| {
            let mut scores = scores(answer);
            scores.remove(VALIDATE);
            scores
        };
        assert_eq!(others(&before[number]), others(&after[number]), "{query}");
        assert_eq!(after[number]["feedback_applied"]["entries"][0]["ledger_id"], told["ledger_id"], "{query}");
    }
    let (old, new) = (scores(&before[0])[VALIDATE], scores(&after[0])[VALIDATE]);
    assert!((old / new - 4.0).abs() < 0.01, "the same question: {old} {new}");
    assert_eq!(before[2], after[2]);
    assert!(scores(&activate(&project, QUESTION))[VALIDATE] < scores(&near)[VALIDATE]);
    let undone = project.ok("learn", json!({"undo": told["ledger_id"]}));
    assert_eq!(undone["undone"], told["ledger_id"]);
    assert_eq!([QUESTION, LIKE_IT, UNLIKE_IT].map(|query| seek(&project, query)), before);
    assert_eq!(activate(&project, QUESTION), near);
    assert_eq!(project.services.engine.snapshot().graph().dump(), dump);
}

/// It may still be first: then nothing that was measured speaks for it.
#[test]
fn a_first_row_that_was_told_wrong_is_not_to_be_acted_on() {
    let project = Project::new(PROGRAM);
    let query = "validate_credentials";
    let verdict = || seek(&project, query)["trust_envelope"].take();
    assert_eq!(verdict()["verdict"], "act");
    let told = json!({"query": query, "feedback": "wrong", "node_ids": [VALIDATE], "strength": 0.05});
    let ledger_id = project.ok("learn", told)["ledger_id"].take();
    let doubted = verdict();
    assert_eq!((&doubted["verdict"], &doubted["calibrated"]), (&json!("reverify"), &json!(false)));
    assert!(doubted["reasons"][0].as_str().is_some_and(|reason| reason.contains("ledger_id 1")), "{doubted}");
    project.ok("learn", json!({"undo": ledger_id}));
    assert_eq!(verdict()["verdict"], "act");
}

#[test]
fn correct_lifts_a_node_and_half_as_much_what_it_contains() {
    let project = Project::new(PROGRAM);
    let (question, class, method) =
        ("store keeps users, find", "file::store.py::class::Store", "file::store.py::class::Store::fn::find");
    let before = scores(&seek(&project, question));
    let told = project.ok("learn", json!({"query": question, "feedback": "partial", "node_ids": ["Store"]}));
    assert!(told["nodes_expanded"].as_u64() >= Some(2), "{told}");
    let answer = seek(&project, question);
    let after = scores(&answer);
    let times = |id: &str| (after[id] / before[id]).log(4.0);
    assert!((times(class) - 0.1).abs() < 0.01, "{answer}");
    assert!((times(method) - 0.05).abs() < 0.01, "{answer}");
    let row = answer["results"].as_array().and_then(|rows| rows.iter().find(|row| row["node_id"] == method));
    assert_eq!(row.map(|row| &row["feedback"]), Some(&json!({"weight": 0.05, "ledger_ids": [told["ledger_id"]]})));
    assert_eq!(column(&answer, "results", "node_id").matches(method).count(), 1);
}

#[test]
fn what_was_told_survives_a_restart_and_fades() {
    let now = Arc::new(AtomicU64::new(1_700_000_000_000));
    let clock = |now: &Arc<AtomicU64>| {
        let now = now.clone();
        Clock::new(move || now.load(Ordering::Relaxed))
    };
    let project = Project::with(PROGRAM, |config| config.clock = clock(&now));
    project.ok("ingest", json!({"path": "."}));
    let before = seek(&project, QUESTION);
    project.ok("learn", json!({"query": QUESTION, "feedback": "partial", "node_ids": [LOAD], "strength": 0.8}));
    let told = seek(&project, QUESTION);
    let project = project.reopen(|config| config.clock = clock(&now));
    assert_eq!(scores(&seek(&project, QUESTION)), scores(&told));
    let weight = |days: u64| {
        now.fetch_add(days * DAY, Ordering::Relaxed);
        let answer = seek(&project, QUESTION);
        let row = answer["results"].as_array().and_then(|rows| rows.iter().find(|row| row["node_id"] == LOAD));
        row.and_then(|row| row["feedback"]["weight"].as_f64()).unwrap_or_default()
    };
    assert_eq!((weight(0), weight(30), weight(30)), (0.4, 0.2, 0.1));
    assert!(scores(&seek(&project, QUESTION))[LOAD] > scores(&before)[LOAD]);
}

#[test]
fn pages_go_on_while_feedback_on_the_question_is_the_same_also_after_a_restart() {
    let tell = |project: &Project, query: &str, id: &str| {
        project.ok("learn", json!({"query": query, "feedback": "wrong", "node_ids": [id], "strength": 1}));
    };
    let page = |cursor: &Value| {
        let mut page = json!({"query": QUESTION, "min_score": 0.0, "top_k": 1});
        if cursor.is_string() {
            page["cursor"] = cursor.clone();
        }
        page
    };
    let project = Project::new(PROGRAM);
    tell(&project, QUESTION, LOAD);
    let project = project.reopen(|_| {});
    let first = project.ok("seek", page(&Value::Null));
    let project = project.reopen(|_| {});
    project.ok("seek", page(&first["cursor"]));
    tell(&project, "needle mark", "src/ab.py");
    project.ok("seek", page(&first["cursor"]));
    tell(&project, QUESTION, VALIDATE);
    let project = project.reopen(|_| {});
    assert_eq!(project.err("seek", page(&first["cursor"]))["code"], "stale_cursor");
}

#[test]
fn a_node_that_is_gone_is_named() {
    let project = Project::new(PROGRAM);
    project.ok("learn", json!({"query": QUESTION, "feedback": "correct", "node_ids": [LOAD, "app.py::logout"]}));
    let answer = project.ok("seek", json!({"query": QUESTION, "min_score": 0.0, "scope": "auth.py"}));
    assert_eq!(answer["feedback_applied"]["not_among_rows"], json!(["file::app.py::fn::logout"]), "{answer}");
    project.tree.write("auth.py", "def validate_credentials(user, password):\n    return user\n");
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(seek(&project, QUESTION)["feedback_applied"]["gone"], json!([LOAD]));
}

#[test]
fn what_cannot_be_told_is_refused() {
    let project = Project::new(PROGRAM);
    let before = seek(&project, QUESTION);
    for (arguments, code) in [
        (json!({"query": QUESTION, "feedback": "correct"}), "invalid_params"),
        (json!({"query": QUESTION, "node_ids": [LOAD]}), "invalid_params"),
        (json!({"feedback": "correct", "node_ids": [LOAD]}), "invalid_params"),
        (json!({"query": QUESTION, "feedback": "splendid", "node_ids": [LOAD]}), "invalid_params"),
        (json!({"query": QUESTION, "feedback": "correct", "node_ids": [LOAD], "strength": 0}), "invalid_params"),
        (json!({"query": QUESTION, "feedback": "correct", "node_ids": [LOAD], "strength": 2}), "invalid_params"),
        (json!({"query": QUESTION, "feedback": "correct", "node_ids": ["nothing_such"]}), "node_not_found"),
        (json!({"undo": 77}), "invalid_params"),
        (json!({"undo": 1, "query": QUESTION}), "invalid_params"),
    ] {
        assert_eq!(project.err("learn", arguments.clone())["code"], code, "{arguments}");
    }
    assert_eq!(seek(&project, QUESTION), before);
    let some = project.ok(
        "learn",
        json!({"query": QUESTION, "feedback": "correct", "node_ids": [LOAD, LOAD, "twin", "nothing_such"]}),
    );
    assert_eq!(some["nodes_found"], json!(1));
    assert_eq!(column(&some, "not_found", "node_id"), "twin nothing_such");
    assert!(some["not_found"][0]["suggestions"].as_array().is_some_and(|found| found.len() == 2), "{some}");
    let again = project.ok("learn", json!({"undo": some["ledger_id"]}));
    let twice = project.ok("learn", json!({"undo": some["ledger_id"]}));
    assert_eq!((&twice["repeated"], &twice["ledger_id"]), (&json!(true), &again["ledger_id"]));
    assert_eq!(project.err("learn", json!({"undo": again["ledger_id"]}))["code"], "invalid_params");
    let reading = project.reopen(|config| config.read_only = true);
    let refused = reading.err("learn", json!({"query": QUESTION, "feedback": "correct", "node_ids": [LOAD]}));
    assert_eq!(refused["code"], "read_only");
}

#[test]
fn a_repeated_key_is_told_once_and_secrets_are_not_kept() {
    let project = Project::new(PROGRAM);
    let call = json!({"query": format!("{QUESTION} AKIAIOSFODNN7EXAMPLQ"), "feedback": "correct", "node_ids": [LOAD],
        "idempotency_key": "k1"});
    let first = project.ok("learn", call.clone());
    let second = project.ok("learn", call);
    assert_eq!((&second["repeated"], &second["ledger_id"]), (&json!(true), &first["ledger_id"]));
    let answer = seek(&project, QUESTION);
    assert_eq!(answer["feedback_applied"]["entries"].as_array().map(Vec::len), Some(1), "{answer}");
    assert!(!answer.to_string().contains("AKIA"), "{answer}");
}

/// Whatever is told in whatever order: a bounded effect on the nodes told and what they contain, none on questions that
/// share no word, and none at all once everything is taken back.
#[test]
fn the_effect_is_bounded_and_undone_exactly() {
    let project = Project::new(PROGRAM);
    let questions = [QUESTION, LIKE_IT, UNLIKE_IT, "needle mark", "store find"];
    let ask = |query: &str| (seek(&project, query), activate(&project, query));
    let before = questions.map(ask);
    let ids: Vec<String> =
        before.iter().flat_map(|(seek, _)| scores(seek).into_keys()).filter(|id| id.contains(".py")).collect();
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut rows = Vec::new();
        for _ in 0..8 {
            let feedback = ["correct", "wrong", "partial"][random.below(3)];
            let (query, id) = (questions[random.below(4)], &ids[random.below(ids.len())]);
            let strength = (1 + random.below(10)) as f64 / 10.0;
            let told = project
                .ok("learn", json!({"query": query, "feedback": feedback, "node_ids": [id], "strength": strength}));
            rows.push(told["ledger_id"].clone());
        }
        for (query, (old, old_near)) in questions.iter().zip(&before) {
            let (new, new_near) = ask(query);
            for (old, new) in [(scores(old), scores(&new)), (scores(old_near), scores(&new_near))] {
                assert_eq!(old.len(), new.len(), "seed {seed}: rows come and go for {query}");
                for (id, score) in &old {
                    let bounds = score / 4.0 - 1e-3..=(score * 4.0).min(1.0) + 1e-3;
                    assert!(bounds.contains(&new[id]), "seed {seed}: {id} {score} {}", new[id]);
                }
            }
        }
        assert_eq!(seek(&project, "store find")["results"], before[4].0["results"], "seed {seed}: shares no word");
        while !rows.is_empty() {
            let row = rows.swap_remove(random.below(rows.len()));
            project.ok("learn", json!({"undo": row}));
        }
        assert_eq!(questions.map(ask), before, "seed {seed}");
    }
}

#[test]
fn a_long_question_is_like_itself_and_passing_on_ends_where_it_is_said() {
    let methods: String = (0..300).map(|n| format!("    def step_{n}(self):\n        pass\n\n")).collect();
    let project = Project::new(&format!("{PROGRAM}//- large.py\nclass Large:\n{methods}"));
    let prose: String = (0..400).map(|n| format!("topic{n} ")).collect();
    let spans: String = (0..70).map(|n| format!("`span{n}` ")).collect();
    let question = format!("Login fails\n\n{prose}\n{spans}\n");
    let told = project.ok("learn", json!({"query": question, "feedback": "correct", "node_ids": ["Large"]}));
    assert_eq!(told["nodes_expanded"], json!(200));
    let answer = seek(&project, &question);
    assert_eq!(answer["feedback_applied"]["entries"][0]["similarity"], json!(1.0), "{}", answer["feedback_applied"]);
}

#[test]
fn older_entries_than_are_shown_are_counted() {
    let project = Project::new(PROGRAM);
    for _ in 0..7 {
        project.ok("learn", json!({"query": QUESTION, "feedback": "correct", "node_ids": [VALIDATE], "strength": 0.1}));
    }
    let applied = seek(&project, QUESTION)["feedback_applied"].clone();
    assert_eq!(
        (applied["entries"].as_array().map(Vec::len), &applied["more_entries"]),
        (Some(5), &json!(2)),
        "{applied}"
    );
    let once = Project::new(PROGRAM);
    once.ok("learn", json!({"query": QUESTION, "feedback": "correct", "node_ids": [VALIDATE]}));
    assert!(seek(&once, QUESTION)["feedback_applied"]["more_entries"].is_null());
}
