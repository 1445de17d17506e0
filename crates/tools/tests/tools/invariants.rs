//! What holds for every question: asked with many of them.

use std::collections::BTreeSet;
use std::path::Path;

use m1nd_testkit::Random;
use m1nd_tools::{ALL, Effect};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, files_below};

const WORDS: &[&str] =
    &["validate", "credentials", "user", "store", "login", "twin", "needle", "find", "session", "auth"];

/// The arguments of the tool's example, with another question or another node.
fn arguments(tool: &m1nd_tools::ToolDef, project: &Project, random: &mut Random) -> Value {
    let mut arguments = project.example(tool);
    let snapshot = project.services.engine.snapshot();
    let nodes: Vec<_> = snapshot.graph().nodes().filter(|node| snapshot.graph().file(*node).is_some()).collect();
    let mut id = || json!(snapshot.graph().id(nodes[random.below(nodes.len())]));
    for name in ["node_id", "source", "target"] {
        if !arguments[name].is_null() {
            arguments[name] = id();
        }
    }
    if !arguments["query"].is_null() {
        let words: Vec<&str> = (0..1 + random.below(3)).map(|_| WORDS[random.below(WORDS.len())]).collect();
        arguments["query"] = json!(words.join(" "));
    }
    arguments
}

/// What a read call may make: what it read of the history, what databases keep about their own readers, and the
/// figures of all calls.
fn is_derived(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.contains("/derived/history-") || path.contains("/savings") || path.ends_with("-shm") || path.ends_with("-wal")
}

#[test]
fn whatever_is_asked_reading_changes_nothing_and_answers_the_same_twice() {
    let commits: [(&str, &[&str]); 3] =
        [("validate credentials", &["store.py", "auth.py"]), ("needle", &["app.py"]), ("find a user", &["store.py"])];
    let project = Project::in_git(PROGRAM, &commits).reopen(|_| {});
    for tool in ALL {
        project.prepare(tool, &json!("agent"));
    }
    // What the calls before made is otherwise written in the background.
    project.ok("persist", json!({}));
    let state = || {
        let mut files = files_below(&[project.tree.path(), project.home()]);
        files.retain(|path, _| !is_derived(path));
        files
    };
    // Starts the perspective that reading tools read.
    ALL.iter().for_each(|tool| drop(project.example(tool)));
    let before = state();
    assert!(before.keys().any(|path| path.ends_with("auth.py")) && before.len() > 20, "{:?}", before.keys());
    for seed in 0..8 {
        let mut random = Random::new(seed);
        // These speak of the calls of the process, which each call adds to.
        let of_calls = ["health", "report", "savings"];
        for tool in ALL.iter().filter(|tool| tool.effect == Effect::Read && !of_calls.contains(&tool.name)) {
            let arguments = arguments(tool, &project, &mut random);
            let ask = |time: u32| {
                let mut arguments = arguments.clone();
                if tool.name == "mind_edges" {
                    // It shows each gotcha once to an agent, so another one asks.
                    arguments["agent_id"] = json!(format!("{seed} {time}"));
                }
                let mut answer = project.call_as_is(tool.name, arguments).map_err(|error| error.to_json());
                if let Ok(answer) = &mut answer {
                    answer["elapsed_ms"].take();
                    answer["cost_ms"].take();
                }
                answer
            };
            assert_eq!(ask(1), ask(2), "seed {seed}: {} {arguments}", tool.name);
        }
    }
    let after = state();
    let changed: Vec<_> =
        before.iter().filter(|(path, bytes)| after.get(*path) != Some(bytes)).map(|row| row.0).collect();
    let made: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(changed.is_empty() && made.is_empty(), "changed {changed:?}, made {made:?}");
}

#[test]
fn one_dimension_leaves_the_others_out_and_orders_otherwise() {
    let project = Project::new(PROGRAM);
    let mut differs = 0;
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let words = [WORDS[random.below(WORDS.len())], WORDS[random.below(WORDS.len())]].join(" ");
        let one = ["structural", "semantic", "causal"][random.below(3)];
        let order = |dimensions: Value| {
            let answer = project.ok("activate", json!({"query": words, "dimensions": dimensions, "top_k": 200}));
            answer["activated"].as_array().expect("rows").clone()
        };
        let (only, all) = (order(json!([one])), order(json!([])));
        for row in &only {
            let others = ["structural", "semantic", "temporal", "causal"].into_iter().filter(|name| *name != one);
            assert!(others.into_iter().all(|name| row["dimensions"][name].is_null()), "seed {seed}: {row}");
        }
        let ids = |rows: &[Value]| rows.iter().map(|row| row["node_id"].clone()).collect::<Vec<_>>();
        differs += usize::from(ids(&only) != ids(&all));
    }
    assert!(differs >= 6, "the dimensions order the same in {} of 12", 12 - differs);
}

/// Every text in an answer that has the form of an id of this project.
fn ids(value: &Value, found: &mut BTreeSet<String>) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) if text.starts_with("file::") && !text.contains(char::is_whitespace) => {
                found.insert(text.clone());
            }
            Value::Array(elements) => left.extend(elements),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
}

#[test]
fn every_id_of_any_answer_is_taken_by_every_tool_that_takes_nodes() {
    let project = Project::new(PROGRAM);
    let mut found = BTreeSet::new();
    for seed in 0..6 {
        let mut random = Random::new(seed);
        for tool in ALL.iter().filter(|tool| tool.effect == Effect::Read && tool.name != "help") {
            if let Ok(answer) = project.call_as_is(tool.name, arguments(tool, &project, &mut random)) {
                ids(&answer, &mut found);
            }
        }
    }
    ids(&project.ok("warmup", json!({"task_description": "validate credentials"})), &mut found);
    assert!(found.len() >= 10, "{found:?}");
    for id in &found {
        assert_eq!(project.ok("impact", json!({"node_id": id}))["source"], json!(id));
        assert_eq!(project.ok("why", json!({"source": id, "target": id}))["source"]["node_id"], json!(id));
        assert_eq!(project.ok("view", json!({"file_path": id}))["node_id"], json!(id));
        assert_eq!(project.ok("resonate", json!({"node_id": id}))["seed"], json!(id));
        let told = project.ok("learn", json!({"query": "x y", "feedback": "partial", "node_ids": [id]}));
        assert_eq!(told["nodes"][0]["node_id"], json!(id));
    }
}

#[test]
fn what_was_told_wrong_moves_it_for_questions_like_it_alone_and_undoing_it_restores_every_answer() {
    let project = Project::new(PROGRAM);
    let ask = |tool: &str, query: &str| {
        let mut answer = project.ok(tool, json!({"query": query, "top_k": 200}));
        answer["elapsed_ms"].take();
        answer
    };
    let value = |answer: &Value, id: &Value| {
        let rows = answer["results"].as_array().expect("rows");
        rows.iter().find(|row| row["node_id"] == *id).and_then(|row| row["score"].as_f64())
    };
    let mut lowered = 0;
    for seed in 0..16 {
        let mut random = Random::new(seed);
        let mut words = WORDS.to_vec();
        let mut word = || words.remove(random.below(words.len()));
        let (a, b, c, d) = (word(), word(), word(), word());
        let (question, like, unlike) = (format!("{a} {b}"), format!("where is the {b} of {a}?"), format!("{c} {d}"));
        let all = || {
            let seek = [&question, &like, &unlike].map(|query| ask("seek", query));
            (seek, [&question, &unlike].map(|query| ask("activate", query)))
        };
        let before = all();
        let rows = before.0[0]["results"].as_array().expect("rows");
        if rows.is_empty() {
            continue;
        }
        let id = rows[random.below(rows.len())]["node_id"].clone();
        let strength = (1 + random.below(10)) as f64 / 10.0;
        let told = project
            .ok("learn", json!({"query": question, "feedback": "wrong", "node_ids": [id], "strength": strength}));
        let after = all();
        for number in [0, 1] {
            let (old, new) = (value(&before.0[number], &id), value(&after.0[number], &id));
            // Below the least score it is no longer a row.
            assert!(old.is_none() || new < old, "seed {seed}: {id} for {question}, {like}: {old:?} {new:?}");
            lowered += usize::from(old.is_some());
        }
        assert_eq!((&before.0[2], &before.1[1]), (&after.0[2], &after.1[1]), "seed {seed}: {question}, but {unlike}");
        project.ok("learn", json!({"undo": told["ledger_id"]}));
        assert_eq!(before, all(), "seed {seed}: {question}");
    }
    assert!(lowered >= 16, "{lowered} of 32 questions had the node");
}

/// A chain of files around one topic, in a project of others; with a hub, one more function calls every one of them.
fn project_with(hub: bool, links: &[(usize, usize)]) -> String {
    let mut text = String::new();
    for file in 0..24 {
        let mut imports = String::new();
        let mut body = String::new();
        for (_, to) in links.iter().filter(|(from, _)| *from == file) {
            imports += &format!("from m{to} import part{to}\n");
            body += &format!("    part{to}()\n");
        }
        let name = if file == 0 { "def invoice():\n    part0()\n\n\n" } else { "" };
        text += &format!("//- m{file}.py\n{imports}\n\n{name}def part{file}():\n{body}    return {file}\n");
    }
    if hub {
        let imports: String = (0..24).map(|file| format!("from m{file} import part{file}\n")).collect();
        let calls: String = (0..24).map(|file| format!("    part{file}()\n")).collect();
        text += &format!("//- hub.py\n{imports}\n\ndef everything():\n{calls}");
    }
    text
}

#[test]
fn a_hub_that_is_tied_to_everything_does_not_change_what_is_nearest() {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut links = vec![(0, 1), (1, 2), (2, 3)];
        for file in 4..24 {
            links.push((file, 4 + random.below(20)));
        }
        links.retain(|(from, to)| from != to);
        let nearest = |project: &Project, xlr: bool, count: usize| {
            let question = json!({"query": "invoice", "dimensions": ["structural"], "top_k": 50, "xlr": xlr});
            let answer = project.ok("activate", question);
            let rows = answer["activated"].as_array().expect("rows").clone();
            let functions = rows.iter().filter(|row| row["type"] == "function");
            functions.filter_map(|row| row["label"].as_str().map(str::to_owned)).take(count).collect::<Vec<_>>()
        };
        let [without, with] = [false, true].map(|hub| Project::new(&project_with(hub, &links)));
        assert_eq!(nearest(&without, true, 3), nearest(&with, true, 3), "seed {seed}");
        assert_eq!(nearest(&with, true, 3), ["invoice", "part0", "part1"], "seed {seed}");
        // The hub is near the seeds: without what is taken off it would stand among the nearest.
        assert!(nearest(&with, false, 4).contains(&"everything".to_owned()), "seed {seed}");
    }
}
