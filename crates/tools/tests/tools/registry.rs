//! What holds for every tool at once.

use std::collections::BTreeSet;

use expect_test::expect_file;
use m1nd_tools::{ALL, Effect, Toolset, canonical_name, find, suggestions};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// Tokens of the list entry of a tool, on average over all.
const LIST_TOKENS: usize = 150;

fn list_entry(tool: &m1nd_tools::ToolDef) -> Value {
    json!({"name": tool.name, "description": tool.summary, "inputSchema": tool.listed_schema()})
}

#[test]
fn names_are_unique_and_canonical() {
    let names: BTreeSet<&str> = ALL.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), ALL.len());
    assert!(names.iter().all(|name| canonical_name(name) == *name));
}

#[test]
fn every_alias_reaches_its_tool() {
    for tool in ALL {
        let name = tool.name;
        let aliases = [
            format!("m1nd.{name}"),
            format!("m1nd_{name}"),
            format!("mcp__m1nd__{name}"),
            format!("mcp__m1nd__m1nd.{name}"),
            format!(" {} ", name.replace('_', ".")),
        ];
        for alias in aliases {
            assert_eq!(find(&alias).map(|tool| tool.name), Some(name), "{alias:?}");
        }
    }
    assert!(find("nothing").is_none() && find("").is_none());
}

#[test]
fn near_names_are_suggested() {
    assert_eq!(suggestions("serch").first(), Some(&"search"));
    assert_eq!(suggestions("m1nd.impcat").first(), Some(&"impact"));
    assert!(suggestions("completely_different_thing").is_empty());
}

#[test]
fn schemas_are_small_plain_objects() {
    let mut bytes = 0;
    for tool in ALL {
        let schema = tool.schema();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], json!(false), "{}", tool.name);
        let text = schema.to_string();
        for banned in ["$ref", "$defs", "oneOf", "anyOf", "allOf", "uint", "\"format\":\"", "\"null\"", "\"title\":\""]
        {
            assert!(!text.contains(banned), "{} has {banned}: {text}", tool.name);
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        // Tools about memories promise to take exactly what their page says.
        assert_eq!(required.contains(&json!("agent_id")), tool.toolset != Toolset::Memory, "{}", tool.name);
        bytes += list_entry(tool).to_string().len();
    }
    let tokens = bytes / 4 / ALL.len();
    assert!(tokens <= LIST_TOKENS, "{tokens} tokens a tool on average");
}

#[test]
fn schemas_are_as_published() {
    let all: Vec<Value> = ALL.iter().map(list_entry).collect();
    let text = serde_json::to_string_pretty(&all).expect("json") + "\n";
    expect_file!["./schemas.json"].assert_eq(&text);
}

#[test]
fn the_minimal_call_of_every_tool_runs() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let answer = project.call_as_is(tool.name, tool.example_arguments());
        let answer = answer.unwrap_or_else(|error| panic!("{}: {}", tool.name, error.to_json()));
        assert!(answer["generation"].is_u64() && answer["elapsed_ms"].is_f64(), "{}: {answer}", tool.name);
        assert!(answer["proof_state"].is_string(), "{} gives no guidance", tool.name);
        if let Some(next) = answer["next_suggested_tool"].as_str() {
            assert!(find(next).is_some(), "{} suggests `{next}`, which does not exist", tool.name);
        }
    }
}

#[test]
fn refusals_name_the_argument_and_show_a_call_that_works() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let mut arguments = tool.example_arguments();
        arguments["bogus"] = json!(1);
        let error = project.call_as_is(tool.name, arguments).expect_err("unknown argument").to_json();
        let code = if tool.toolset == Toolset::Memory { "INVALID_ARGUMENT" } else { "invalid_params" };
        assert_eq!(error["code"], code, "{}", tool.name);
        let message = error["error"].as_str().expect("message");
        assert!(message.contains("`bogus`") && message.contains("`agent_id`"), "{}: {message}", tool.name);
        assert_eq!(error["example"], tool.example_arguments());
        assert!(error["suggested_next_step"].is_string());

        for (name, property) in tool.schema()["properties"].as_object().expect("properties") {
            let mut arguments = tool.example_arguments();
            arguments[name] = if property["type"] == "object" { json!(1) } else { json!({"a": 1}) };
            let error = project.call_as_is(tool.name, arguments).expect_err("wrong type").to_json();
            let message = error["error"].as_str().expect("message");
            assert!(message.contains(&format!("`{name}`")), "{} {name}: {message}", tool.name);
            if property["enum"].is_array() {
                let mut arguments = tool.example_arguments();
                arguments[name] = json!("bogus");
                let error = project.call_as_is(tool.name, arguments).expect_err("unknown word").to_json();
                let message = error["error"].as_str().expect("message");
                let words = property["enum"].as_array().expect("words");
                assert!(words.iter().all(|word| message.contains(word.as_str().expect("word"))), "{message}");
            }
        }
        let required = tool.schema()["required"][0].as_str().map(str::to_owned);
        if let Some(required) = required {
            let error = project.call_as_is(tool.name, json!({})).expect_err("no arguments").to_json();
            assert!(error["error"].as_str().expect("message").contains(&required), "{}: {error}", tool.name);
        }
        let error = project.call_as_is(tool.name, json!([1])).expect_err("no object").to_json();
        assert_eq!(error["code"], code);
    }
}

#[test]
fn nothing_indexed_is_an_error_of_every_tool_that_needs_the_graph() {
    let project = Project::unindexed(PROGRAM);
    let needs_graph = |tool: &&m1nd_tools::ToolDef| {
        tool.effect == Effect::Read && tool.toolset != Toolset::Memory && !["health", "help"].contains(&tool.name)
    };
    for tool in ALL.iter().filter(needs_graph) {
        let error = project.call_as_is(tool.name, tool.example_arguments()).expect_err("no graph").to_json();
        assert_eq!(error["code"], "empty_graph", "{}: {error}", tool.name);
        assert!(error["suggested_next_step"].as_str().expect("step").contains("`ingest`"));
    }
}

#[test]
fn every_node_id_of_an_answer_is_taken_by_the_tools_that_take_nodes() {
    let project = Project::new(PROGRAM);
    let mut ids = BTreeSet::new();
    let answers = [
        project.ok("seek", json!({"query": "validate credentials store", "min_score": 0.0})),
        project.ok("search", json!({"query": "validate"})),
        project.ok("impact", json!({"node_id": "Store.find", "direction": "both"})),
        project.ok("glob", json!({"pattern": "*"})),
        project.ok("view", json!({"file_path": "auth.py"})),
    ];
    for answer in &answers {
        let text = answer.to_string();
        for piece in text.split("\"node_id\":\"").skip(1) {
            ids.insert(piece.split('"').next().expect("end").to_owned());
        }
    }
    assert!(ids.len() >= 10, "{ids:?}");
    for id in ids.iter().filter(|id| !id.starts_with("external::")) {
        assert_eq!(project.ok("impact", json!({"node_id": id}))["source"], json!(id));
        assert_eq!(project.ok("why", json!({"source": id, "target": id}))["source"]["node_id"], json!(id));
        assert_eq!(project.ok("view", json!({"file_path": id}))["node_id"], json!(id));
    }
}

#[test]
fn answers_stay_within_their_budget_and_pages_join() {
    let files: String =
        (0..400).map(|n| format!("//- pkg/mod_{n:03}.py\ndef func_{n:03}():\n    return 'needle'\n")).collect();
    let project = Project::new(&files);
    let mut seen = BTreeSet::new();
    let mut arguments = json!({"query": "needle", "top_k": 500, "max_output_chars": 8_000});
    for page in 0.. {
        assert!(page < 100, "paging does not end");
        let answer = project.ok("search", arguments.clone());
        assert!(m1nd_tools::text_of(&answer).len() <= 8_000, "{}", m1nd_tools::text_of(&answer).len());
        assert_eq!(answer["total_matches"], json!(400));
        for row in answer["matches"].as_array().expect("rows") {
            assert!(seen.insert(row["file_path"].to_string()), "{row} came twice");
        }
        match answer["cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => {
                assert_eq!(answer["truncated"], json!(false));
                break;
            }
        }
    }
    assert_eq!(seen.len(), 400);
    let error = project.err("search", json!({"query": "other", "cursor": arguments["cursor"]}));
    assert_eq!(error["code"], "stale_cursor");
}

#[test]
fn the_tools_that_explain_the_server_wait_for_no_other_call() {
    let never_wait: Vec<&str> = ALL.iter().filter(|tool| !tool.waits).map(|tool| tool.name).collect();
    assert_eq!(never_wait, ["health", "help"]);
}
