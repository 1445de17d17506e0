//! What holds for every tool at once.

use std::collections::BTreeSet;

use m1nd_tools::{ALL, Effect, Format, Stage, TOOLS, Toolset, canonical_name, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// Tokens of the list entry of a tool, on average over all.
const LIST_TOKENS: usize = 170;
/// Largest list entry of a tool, in bytes.
const ENTRY_BYTES: usize = 1_300;
/// Longest summary of a tool, in bytes.
const SUMMARY_BYTES: usize = 100;
/// Longest sentence of a tool in the table of the README, in bytes.
const ANSWERS_BYTES: usize = 120;
/// Longest reason to propose a tool for a stage, in bytes.
const REASON_BYTES: usize = 80;

fn list_entry(tool: &m1nd_tools::ToolDef) -> Value {
    json!({"name": tool.name, "description": tool.summary, "inputSchema": tool.listed_schema(Format::Json, false)})
}

#[test]
fn names_are_unique_and_canonical() {
    let names: BTreeSet<&str> = ALL.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), ALL.len());
    assert!(names.iter().all(|name| canonical_name(name) == *name));
}

#[test]
fn titles_are_names_as_people_read_them() {
    let title = |name| find(name).expect("exists").title();
    assert_eq!([title("why"), title("batch_view")], ["Why", "Batch view"]);
    let titles: BTreeSet<String> = ALL.iter().map(m1nd_tools::ToolDef::title).collect();
    assert_eq!(titles.len(), ALL.len());
}

#[test]
fn every_alias_reaches_its_tool() {
    for tool in ALL {
        let name = tool.name;
        let aliases = [
            format!("m1nd.{name}"),
            format!("m1nd_{name}"),
            format!("mcp__m1nd__{name}"),
            format!("mcp__mind__{name}"),
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
    assert_eq!(TOOLS.suggestions("serch").first(), Some(&"search"));
    assert_eq!(TOOLS.suggestions("m1nd.impcat").first(), Some(&"impact"));
    assert!(TOOLS.suggestions("completely_different_thing").is_empty());
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
fn the_minimal_call_of_every_tool_runs() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let answer = project.call_as_is(tool.name, project.example(tool));
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
            assert!(message.contains(&format!("`{name}")), "{} {name}: {message}", tool.name);
            if property["enum"].is_array() {
                let mut arguments = tool.example_arguments();
                arguments[name] = json!("bogus");
                let error = project.call_as_is(tool.name, arguments).expect_err("unknown word").to_json();
                let message = error["error"].as_str().expect("message");
                let words = property["enum"].as_array().expect("words");
                assert!(words.iter().all(|word| message.contains(word.as_str().expect("word"))), "{message}");
            }
        }
        let required = tool.schema()["required"].clone();
        // Without `agent_id`, a call is answered under the name of the caller.
        let mut required = required.as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(required) = required.find(|name| *name != "agent_id") {
            let error = project.call_as_is(tool.name, json!({})).expect_err("no arguments").to_json();
            assert!(error["error"].as_str().expect("message").contains(required), "{}: {error}", tool.name);
        }
        let error = project.call_as_is(tool.name, json!([1])).expect_err("no object").to_json();
        assert_eq!(error["code"], code);
    }
}

#[test]
fn nothing_indexed_is_an_error_of_every_tool_that_needs_the_graph() {
    let project = Project::open_unindexed(PROGRAM);
    let needs_graph = |tool: &&m1nd_tools::ToolDef| {
        tool.effect == Effect::Read && tool.toolset != Toolset::Memory && tool.waits && tool.name != "north"
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
fn only_tools_that_change_nothing_need_not_wait_for_other_calls() {
    let never_wait: Vec<_> = ALL.iter().filter(|tool| !tool.waits).collect();
    assert!(never_wait.iter().all(|tool| tool.effect == Effect::Read), "the server runs them beside everything else");
    assert!(["health", "help"].iter().all(|name| never_wait.iter().any(|tool| tool.name == *name)));
}

#[test]
fn every_tool_takes_a_budget_and_keeps_to_it() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let mut arguments = project.example(tool);
        arguments["max_output_chars"] = json!(2_000);
        let answer = project.call_as_is(tool.name, arguments);
        let answer = answer.unwrap_or_else(|error| panic!("{}: {}", tool.name, error.to_json()));
        let size = m1nd_tools::text_of(&answer).len();
        assert!(size <= 2_000, "{}: {size} bytes: {answer}", tool.name);
    }
}

#[test]
fn stages_and_sentences_are_short_and_their_places_are_distinct() {
    for tool in ALL {
        let name = tool.name;
        assert!(tool.summary.len() <= SUMMARY_BYTES && !tool.summary.ends_with('.'), "{name}: {}", tool.summary);
        assert!(!tool.answers.is_empty() && tool.answers.len() <= ANSWERS_BYTES, "{name}: {}", tool.answers);
        assert!(!tool.answers.contains('|') && !tool.answers.ends_with('.'), "{name}: {}", tool.answers);
        assert!(tool.help.len() > tool.summary.len(), "{name} has no manual");
        let stages: BTreeSet<_> = tool.stages.iter().map(|(stage, ..)| stage.word()).collect();
        assert_eq!(stages.len(), tool.stages.len(), "{name} proposes itself twice for a stage");
        for (_, _, reason) in tool.stages {
            assert!(!reason.is_empty() && reason.len() <= REASON_BYTES, "{name}: {reason}");
        }
        let size = list_entry(tool).to_string().len();
        assert!(size <= ENTRY_BYTES, "{name}: {size} bytes in the list of tools");
        let hidden = tool.unlisted.iter().chain(tool.rare);
        let unknown: Vec<_> = hidden.filter(|name| tool.schema()["properties"].get(**name).is_none()).collect();
        assert!(unknown.is_empty(), "{name} leaves out arguments that it does not have: {unknown:?}");
        let to: Vec<_> = tool.argument_aliases.iter().map(|(_, to)| *to).collect();
        assert!(to.iter().all(|name| tool.schema()["properties"].get(*name).is_some()), "{name}: {to:?}");
    }
    for stage in Stage::ALL {
        assert!(!TOOLS.route(*stage).is_empty(), "no tool proposes itself for {}", stage.word());
    }
}
