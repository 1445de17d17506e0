use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

/// A project with a memory about its code.
const REMEMBERED: &str = r#"
//- pool.py
class Pool:
    def acquire(self):
        return self.open()

    def open(self):
        return 1
//- .mind/MEMORY.md
# Pools

## Project State
- Goal: connections that never run out
- Stack: python, sqlite

## Gotchas
- [critical] Pools leak after a fork -> call `Pool.open` in the child

## 2026-03-02
**Decided:** `Pool.acquire` waits for ever because callers cannot retry
**Problem:** slow start of workers
**Fixed:** slow start of workers, by lazy imports

## 2026-03-04
**Problem:** token rotation breaks sign-in on Safari
**Learned:** password=hunter2hunter2 is what the staging box takes
"#;

fn open_remembered() -> Project {
    let project = Project::new(REMEMBERED);
    project.note();
    project
}

fn code(project: &Project) -> Value {
    let answer = project.ok("mind_search", json!({"query": "why does acquire wait for ever"}));
    let first = answer["results"][0].clone();
    assert_eq!(first["title"], "`Pool.acquire` waits for ever", "{answer}");
    first["code"].clone()
}

#[test]
fn a_search_answers_with_what_was_promised_and_where_it_stands() {
    let answer = open_remembered().ok("mind_search", json!({"query": "safari sign-in"}));
    let first = &answer["results"][0];
    assert_eq!((&first["type"], &first["status"]), (&json!("issue"), &json!("open")));
    assert_eq!((&first["source_file"], &first["source_line"]), (&json!(".mind/MEMORY.md"), &json!(16)));
    let relevance = first["relevance"].as_f64().expect("a number");
    assert!(relevance > 0.3 && relevance <= 1.0 && first["confidence"].as_f64().is_some_and(|value| value <= 1.0));
    let date = first["date"].as_str().expect("a date");
    assert!(date.starts_with("2026-03-04T00:00:00") && date.parse::<jiff::Timestamp>().is_ok(), "{date}");
    assert!(first["project"].is_string() && first["content"].is_string() && first["id"].is_string());
    assert!(answer["total"].as_u64() >= Some(1));
}

/// Two memories in the same words about two functions, and a third function that calls one of them.
const NEAR: &str = r#"
//- jobs.py
from store import save
from mail import send

def run_job():
    return save()

def other_job():
    return 2
//- store.py
def save():
    return 1
//- mail.py
def send():
    return 1

def unused():
    return 3
//- .mind/MEMORY.md
# Jobs

## 2026-03-02
**Problem:** `send` gives slow answers
**Problem:** `save` gives slow answers
**Problem:** Safari drops the login cookie
**Problem:** the importer reads no umlauts
**Learned:** SQLite wants a busy timeout
**Learned:** invoices are numbered by month
**Decided:** nightly backups go to R2
**Decided:** every tenant has its own schema
"#;

#[test]
fn memories_about_code_near_a_place_come_first_and_say_why() {
    let project = Project::new(NEAR);
    for is_noted in [false, true] {
        if is_noted {
            project.note();
        }
        let first = |arguments: Value| {
            let answer = project.ok("mind_search", arguments);
            assert_eq!(answer["total"], 2, "{answer}");
            answer["results"][0].clone()
        };
        let ids = ["file::mail.py::fn::send", "file::store.py::fn::save"];
        for (place, node, steps) in [
            ("store.py", ids[1], 1),
            ("save", ids[1], 0),
            ("run_job", ids[1], 1),
            ("file::jobs.py::fn::run_job", ids[1], 1),
            ("unused", ids[0], 2),
        ] {
            let found = first(json!({"query": "slow answers", "near": [place]}));
            assert_eq!((&found["near"]["node_id"], &found["near"]["steps"]), (&json!(node), &json!(steps)), "{found}");
            assert!(found["near"]["to"].as_str().is_some_and(|to| to.contains(place)), "{found}");
        }
        // A place in the words of the question counts, too; code that is nowhere near, or unknown, changes nothing.
        assert_eq!(first(json!({"query": "`run_job` gives slow answers"}))["near"]["node_id"], ids[1]);
        let plain = first(json!({"query": "slow answers"}));
        for place in ["nothing_of_that_name", "src/none.py"] {
            let found = first(json!({"query": "slow answers", "near": [place]}));
            assert!(found["near"].is_null() && found["id"] == plain["id"], "{found}");
        }
    }
}

#[test]
fn kinds_and_limits_hold_and_nothing_is_an_answer() {
    let project = open_remembered();
    let ask = |arguments: Value| project.ok("mind_search", arguments);
    let kinds = column(&ask(json!({"query": "pool fork workers", "types": ["edge"]})), "results", "type");
    assert_eq!(kinds, "edge");
    let limited = ask(json!({"query": "pool workers sign-in", "limit": 1}));
    assert_eq!(limited["results"].as_array().map(Vec::len), Some(1));
    let nothing = ask(json!({"query": "zebra xylophone"}));
    assert_eq!((&nothing["results"], &nothing["total"]), (&json!([]), &json!(0)));
    let solved = ask(json!({"query": "slow start of workers"}));
    assert_eq!(solved["results"][0]["status"], "resolved");
    for bad in [json!({"query": " "}), json!({"query": "x", "types": ["bug"]}), json!({"query": "x", "scope": "world"})]
    {
        let error = project.err("mind_search", bad);
        assert_eq!(error["code"], "INVALID_ARGUMENT", "{error}");
        assert!(error["message"].is_string());
        // Where only these tools are there is no such one.
        assert!(!error.to_string().contains("`help`"), "{error}");
    }
    let long = ask(json!({"query": "zebra ".repeat(10_000)}));
    let repeated = long["query"].as_str().expect("a text");
    assert!(repeated.starts_with("zebra") && repeated.len() < 1_000, "{} bytes are repeated", repeated.len());
}

#[test]
fn secrets_are_never_shown() {
    let project = open_remembered();
    for tool in ["mind_search", "mind_status"] {
        let arguments = if tool == "mind_search" { json!({"query": "staging box password"}) } else { json!({}) };
        let answer = project.ok(tool, arguments).to_string();
        assert!(!answer.contains("hunter2"), "{answer}");
    }
}

#[test]
fn a_memory_about_code_is_current_until_that_code_changes() {
    let project = open_remembered();
    let state = |project: &Project| code(project)[0]["state"].clone();
    assert_eq!(state(&project), "current", "{}", code(&project));
    assert_eq!(code(&project)[0]["node_id"], "file::pool.py::class::Pool::fn::acquire");
    let text = std::fs::read_to_string(project.tree.join("pool.py")).expect("is there");

    project.tree.write("pool.py", text.replace("return self.open()", "return self.open() or None"));
    assert_ne!(state(&project), "current", "changed but not indexed yet");
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(state(&project), "stale");

    project.tree.write("pool.py", format!("import os\n\n\n{text}"));
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(state(&project), "current", "moved down as it was");

    project.tree.remove("pool.py");
    project.tree.write("lib/pools.py", &text);
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(state(&project), "relocated");
    assert_eq!(code(&project)[0]["moved_to"], "file::lib/pools.py::class::Pool::fn::acquire");

    project.tree.remove("lib");
    let row = code(&project)[0].clone();
    assert_eq!(row["state"], "unknown", "it may have been moved: {row}");
    assert!(row["reason"].as_str().is_some_and(|why| why.contains("not indexed yet")), "{row}");
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(state(&project), "gone");
}

#[test]
fn code_that_came_back_after_it_was_indexed_is_not_said_to_be_gone() {
    let project = open_remembered();
    let state = |project: &Project| code(project)[0]["state"].clone();
    assert_eq!(state(&project), "current");
    let text = std::fs::read_to_string(project.tree.join("pool.py")).expect("is there");
    // Another branch, without the function or without the file, is indexed; then the first one is checked out again.
    for other in [Some("def other():\n    return 1\n"), None] {
        match other {
            Some(other) => project.tree.write("pool.py", other),
            None => project.tree.remove("pool.py"),
        }
        project.ok("ingest", json!({"path": "."}));
        assert_eq!(state(&project), "gone");
        project.tree.write("pool.py", &text);
        assert_eq!(state(&project), "current", "the file is as it was noted");
        project.tree.write("pool.py", format!("import os\n{text}"));
        let row = code(&project)[0].clone();
        assert_eq!(row["state"], "unknown", "{row}");
        assert!(row["reason"].as_str().is_some_and(|why| why.contains("index")), "{row}");
    }
}

#[test]
fn code_that_cannot_be_looked_at_is_not_said_to_be_gone() {
    let project = open_remembered();
    assert_eq!(code(&project)[0]["state"], "current");
    project.tree.remove("pool.py");
    project.tree.write("pool.py/x", "a folder in its place");
    let row = code(&project)[0].clone();
    assert_eq!(row["state"], "unknown", "{row}");
    assert!(row["reason"].as_str().is_some_and(|why| why.contains("pool.py")), "{row}");
}

/// A memory about a file that moves, and files that are alike.
const ALIKE: &str = r#"
//- a.py
def one():
    return 1
//- .mind/MEMORY.md
# Alike

## 2026-03-02
**Decided:** `a.py` stays as small as it is because acquire waits for ever
"#;

#[test]
fn a_file_has_moved_only_where_one_file_alone_is_like_it() {
    let project = Project::new(ALIKE);
    project.note();
    let row = |project: &Project| {
        let answer = project.ok("mind_search", json!({"query": "a.py stays as small as it is"}));
        answer["results"][0]["code"][0].clone()
    };
    assert_eq!(row(&project)["state"], "current");
    let text = "def one():\n    return 1\n";
    project.tree.remove("a.py");
    project.tree.write("b.py", text);
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(row(&project)["moved_to"], "file::b.py");
    project.tree.write("c.py", text);
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(row(&project)["state"], "gone", "nobody can tell which of two it is");
}

#[test]
fn without_an_index_nobody_says_that_code_is_current() {
    let project = Project::open_unindexed(REMEMBERED);
    project.note();
    let answer = project.ok("mind_search", json!({"query": "acquire waits for ever"}));
    assert!(!answer.to_string().contains("current"), "{answer}");
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(code(&project)[0]["state"], "unknown", "what it looked like when it was written is not known");
}

#[test]
fn gotchas_of_all_sources_are_checked() {
    let project = open_remembered();
    let ask = |arguments: Value| project.ok("mind_edges", arguments)["result"].clone();
    let own = ask(json!({"intent": "open pools after a fork of the worker"}));
    assert_eq!((&own[0]["source"], &own[0]["severity"]), (&json!("project"), &json!("critical")), "{own}");
    let crypto = ask(json!({"intent": "auth middleware", "code": "import crypto from 'crypto'", "stack": ["vercel"]}));
    assert!(crypto[0]["id"].as_str().is_some_and(|id| id.starts_with("builtin_")), "{crypto}");
    for member in ["id", "title", "description", "workaround", "severity", "source", "matched_on", "confidence"] {
        assert!(!crypto[0][member].is_null(), "{member}: {crypto}");
    }
    assert_eq!(ask(json!({"intent": "rename a variable"})), json!([]));
    let question = json!({"intent": "token generation", "stack": ["vercel", "edge"]});
    let first = ask(question.clone());
    assert!(first != json!([]) && ask(question) == first, "whoever asks again is answered again: {first}");
    assert_eq!(project.err("mind_edges", json!({"intent": ""}))["code"], "INVALID_ARGUMENT");
}

#[test]
fn a_gotcha_is_stored_once_and_counted() {
    let project = open_remembered();
    let edge = json!({
        "title": "Frobnicators overheat", "description": "after an hour", "workaround": "restart them",
        "detection": {"context": [], "intent": ["frobnicate"], "code": ["frob\\w+\\("]}, "stack_tags": ["sqlite"],
    });
    let stored = project.ok("mind_add_global_edge", edge.clone());
    assert_eq!((&stored["verified_count"], &stored["severity"]), (&json!(0), &json!("warning")));
    assert!(stored["created_at"].as_str().is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok()), "{stored}");
    let again = project.err("mind_add_global_edge", edge);
    assert_eq!((&again["code"], &again["details"]["existing_id"]), (&json!("EDGE_EXISTS"), &stored["id"]));
    let found = project.ok("mind_edges", json!({"intent": "frobnicate all of it"}));
    assert_eq!(found["result"][0]["id"], stored["id"]);
    assert_eq!(project.ok("mind_status", json!({}))["global_stats"]["global_edges"], 1);
    let bad = json!({"title": "a", "description": "b", "workaround": "c", "detection": {"code": ["("]}});
    assert_eq!(project.err("mind_add_global_edge", bad)["code"], "INVALID_ARGUMENT");
    let none = json!({"title": "a", "description": "b", "workaround": "c", "detection": {}});
    assert_eq!(project.err("mind_add_global_edge", none)["code"], "INVALID_ARGUMENT");
}

/// What of a value does not fit a schema: types, members that are missing, words, bounds.
fn misfits(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |word: &Value| word == name || (word == "number" && name == "integer");
    let is_of_type = match &schema["type"] {
        Value::Null => true,
        Value::Array(words) => words.iter().any(fits),
        word => fits(word),
    };
    let is_one_of = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    let bound = |key: &str| schema[key].as_f64().zip(value.as_f64());
    let is_within =
        bound("minimum").is_none_or(|(least, is)| is >= least) && bound("maximum").is_none_or(|(most, is)| is <= most);
    if !(is_of_type && is_one_of && is_within) {
        found.push(format!("{place} is {value}, the schema says {schema}"));
    }
    if value.is_object() {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        found.extend(required.filter(|name| value.get(name).is_none()).map(|name| format!("{place} has no {name}")));
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        found.extend(known.into_iter().flat_map(|known| misfits(known, inner, &format!("{place}.{name}"))));
    }
    for inner in value.as_array().into_iter().flatten() {
        found.extend(schema.get("items").into_iter().flat_map(|known| misfits(known, inner, &format!("{place}[]"))));
    }
    found
}

#[test]
fn answers_are_as_their_schemas_say() {
    let project = open_remembered();
    let edge = json!({"title": "Jam sticks", "description": "d", "workaround": "w", "detection": {"intent": ["jam"]}});
    let calls = [
        ("mind_search", json!({"query": "pools safari workers"})),
        ("mind_search", json!({"query": "zebra"})),
        ("mind_edges", json!({"intent": "fork the pool and write sqlite from two processes"})),
        ("mind_add_global_edge", edge),
        ("mind_status", json!({})),
    ];
    let mut rows = 0;
    for (name, arguments) in calls {
        let answer = project.ok(name, arguments);
        let schema = m1nd_tools::find(name).and_then(m1nd_tools::ToolDef::output_schema).expect("it has one");
        let schema = Value::Object(schema);
        assert_eq!(misfits(&schema, &answer, name), Vec::<String>::new(), "{answer}");
        // Clients check what comes with an error, too, and refuse what does not fit.
        let error = project.err(name, json!({"bogus": 1}));
        assert_eq!(misfits(&schema, &error, name), Vec::<String>::new(), "{error}");
        rows += ["results", "result"].iter().filter_map(|name| answer[name].as_array()).map(Vec::len).sum::<usize>();
    }
    assert!(rows > 3, "rows were looked at: {rows}");
    let outside = Project::new("//- a.py\nx = 1\n");
    let schema = m1nd_tools::find("mind_status").and_then(m1nd_tools::ToolDef::output_schema).expect("it has one");
    let answer = outside.ok("mind_status", json!({}));
    assert_eq!(misfits(&Value::Object(schema.clone()), &answer, "status"), Vec::<String>::new());
    assert!(!misfits(&Value::Object(schema), &json!({"daemon": {"running": 1}}), "status").is_empty());
}

#[test]
fn the_status_counts_what_is_there() {
    let status = open_remembered().ok("mind_status", json!({}));
    let expected = json!({
        "decisions": 1, "issues_open": 1, "issues_resolved": 1, "learnings": 1, "edges": 1, "sessions_inferred": 2,
    });
    assert_eq!(status["current_project"]["stats"], expected);
    assert_eq!(status["daemon"]["running"], false);
    assert_eq!(status["current_project"]["registered"], false);
    assert!(status["current_project"]["stack"].to_string().contains("sqlite"), "{status}");
}

#[test]
fn outside_of_a_project_only_what_needs_one_is_refused() {
    let project = Project::new("//- a.py\nx = 1\n");
    let error = project.err("mind_search", json!({"query": "x"}));
    assert_eq!(error["code"], "PROJECT_NOT_REGISTERED");
    assert!(
        error["details"]["cwd"].is_string() && error["suggested_next_step"].to_string().contains("mind init"),
        "{error}"
    );
    assert_eq!(project.ok("mind_search", json!({"query": "x", "scope": "all"}))["total"], 0);
    assert_eq!(project.ok("mind_status", json!({}))["current_project"], Value::Null);
    let edges = project.ok("mind_edges", json!({"intent": "implementing token generation with crypto"}));
    assert!(edges["result"].as_array().is_some_and(|rows| !rows.is_empty()), "{edges}");
    assert!(edges["notice"].is_string());
}

#[test]
fn impact_shows_what_was_noted_about_the_code() {
    let project = Project::new(PROGRAM);
    project.note();
    let notes = project.ok("impact", json!({"node_id": "Store"}))["memory"].clone();
    assert_eq!(notes[0]["title"], "keep users in `Store`", "{notes}");
    assert_eq!(notes[0]["state"], "current");
    let none = project.ok("impact", json!({"node_id": "twins/left.py"}));
    assert!(none.get("memory").is_none(), "{none}");
}

#[test]
fn what_says_the_same_elsewhere_is_named_with_the_one_that_is_shown() {
    let project = Project::new(
        "\
//- .mind/MEMORY.md
**Decided:** use Redis for the sessions because it is fast

//- .mind/archive/2024.md
## 2024-03-02
**Decided:** use Redis for sessions because it is fast
",
    );
    project.note();
    let answer = project.ok("mind_search", json!({"query": "redis for sessions"}));
    let rows = answer["results"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{answer}");
    let places = [&rows[0]["source_file"], &rows[0]["same"][0]["source_file"]];
    assert!(
        places.contains(&&json!(".mind/archive/2024.md")) && places.contains(&&json!(".mind/MEMORY.md")),
        "{answer}"
    );
}

#[test]
fn memories_of_like_meaning_are_linked_and_those_that_say_the_same_are_not() {
    let project = Project::new(
        "//- .mind/MEMORY.md\n# Shop\n\n## 2026-03-02\n\
         **Problem:** map tiles look blurry on phones with retina screens\n\
         **Decided:** blurry map tiles are drawn again at twice the size on retina screens\n\
         **Learned:** invoices need a tax number in Spain\n\
         **Decided:** the pool holds 10 connections\n\
         **Decided:** the pool holds 20 connections\n",
    );
    let related = |query: &str, at: usize| {
        let answer = project.ok("mind_search", json!({"query": query}));
        let rows = answer["results"][at]["relations"].as_array().cloned().unwrap_or_default();
        let of = |row: &Value| (row["relation"].clone(), row["title"].as_str().unwrap_or_default().to_owned());
        rows.iter().map(of).collect::<Vec<_>>()
    };
    let like = |title: &str| vec![(json!("relates_to"), title.to_owned())];
    assert_eq!(
        related("blurry map tiles drawn again", 0),
        like("map tiles look blurry on phones with retina screens"),
        "an issue and what was decided about it"
    );
    // All words alike, another number: another statement about the same thing.
    assert_eq!(related("the pool holds 20 connections", 0), like("the pool holds 10 connections"));
    assert_eq!(related("tax number in Spain", 0), Vec::new());
    // By words alone nothing is like another.
    project.tree.write(".mind/config.toml", "[search]\nembedder = \"words\"\n");
    assert_eq!(related("the pool holds 20 connections", 0), Vec::new());
}

#[test]
fn of_memories_that_contradict_each_other_the_newer_comes_first_and_says_so() {
    let project = Project::new(
        "//- cache.py\ndef warm():\n    return 1\n//- .mind/MEMORY.md\n# Jobs\n\n## 2026-01-10\n**Decided:** use MySQL for storage\n\
         **Learned:** the cache must be warmed before `warm`\n\n## 2026-02-10\n**Decided:** we use PostgreSQL for storage now\n\
         **Learned:** the cache must not be warmed before `warm`\n",
    );
    let ask = |query: &str| project.ok("mind_search", json!({"query": query}));
    let storage = ask("use MySQL for storage");
    assert!(column(&storage, "results", "title").contains("PostgreSQL"), "{storage}");
    let first = &storage["results"][0];
    assert!(first["title"].as_str().is_some_and(|title| title.contains("PostgreSQL")), "{storage}");
    assert!(first["replaces"]["title"].as_str().is_some_and(|title| title.contains("MySQL")), "{storage}");
    let cache = ask("the cache must be warmed");
    let (first, second) = (&cache["results"][0], &cache["results"][1]);
    assert!(first["title"].as_str().is_some_and(|title| title.contains("must not")), "{cache}");
    assert_eq!(first["contradicts"][0]["id"], second["id"], "{cache}");
    assert_eq!(second["contradicted_by"][0]["id"], first["id"], "{cache}");
}
