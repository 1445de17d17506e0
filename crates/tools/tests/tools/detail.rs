//! Brief answers and the schemas of answers: what they leave out, and what they promise.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use m1nd_tools::{ALL, Format, Reply, ToolDef, Toolset, find};
use serde_json::{Map, Value, json};

use crate::harness::{PROGRAM, Project};

/// Members that say what something is, where it is, what is concluded and why: no brief answer lacks them.
const NEEDED: &[&str] = &[
    "node_id", "label", "name", "type", "title", "file_path", "path", "line", "line_number", "column", "state", "status",
    "verdict", "tier", "class", "side", "role", "severity", "confidence", "score", "activation", "suspiciousness", "found",
    "stale", "reason", "reasons", "why", "message", "witness", "line_content", "content", "closure", "trust_envelope",
    "sufficiency", "what_is_missing", "history_missing", "incomplete", "cannot_tell", "proof_state", "next_step_hint",
    "next_suggested_tool", "next_suggested_target", "truncated", "cursor", "generation",
];

/// Members that are the place of a row that has no other line.
const RANGE: &[&str] = &["line_start", "line_end"];

/// Tools whose every member is promised by their published page.
const ALL_PROMISED: &[&str] = &["mind_edges"];
/// Tools whose example is answered with an empty list.
const EMPTY: &[&str] = &["edit_undo"];

/// Calls whose answers have rows. Tools that are not among them are called as in their example.
fn calls() -> Vec<(&'static str, Value)> {
    let trace = "Traceback (most recent call last):\n  File \"auth.py\", line 3, in validate_credentials\nKeyError: x";
    let mut calls = vec![
        ("seek", json!({"query": "validate credentials", "min_score": 0.0})),
        ("search", json!({"query": "validate"})),
        ("search", json!({"query": "validate credentials", "mode": "semantic"})),
        ("glob", json!({"pattern": "**"})),
        ("outline", json!({"file_path": "auth.py"})),
        ("view", json!({"file_path": "auth.py"})),
        ("batch_view", json!({"files": ["*.py"]})),
        ("definition", json!({"target": "Store.find"})),
        ("why", json!({"source": "validate_credentials", "target": "Store.find"})),
        ("impact", json!({"node_id": "Store.find"})),
        ("callers", json!({"node_id": "Store.find"})),
        ("references", json!({"node_id": "Store.find"})),
        ("activate", json!({"query": "validate credentials"})),
        ("resonate", json!({"query": "validate credentials"})),
        ("scan", json!({"pattern": "test_coverage", "severity_min": 0.0, "include_false_positives": true})),
        ("scan", json!({"pattern": "return $X"})),
        ("trace", json!({"error_text": trace})),
        ("warmup", json!({"task_description": "validate credentials"})),
        ("help", json!({"stage": "find"})),
        ("counterfactual", json!({"node_ids": ["Store.find"]})),
        ("fingerprint", json!({"target_node": "file::auth.py::fn::validate_credentials", "similarity_threshold": 0.0})),
        ("ghost_edges", json!({"node": "file::auth.py"})),
        ("hypothesize", json!({"claim": "validate_credentials depends on Store"})),
        ("boot_memory", json!({"action": "set", "key": "rule", "value": "never raise"})),
    ];
    // As in the example.
    calls.extend(ALL.iter().map(|tool| (tool.name, Value::Null)));
    calls
}

/// A call with its full and its brief answer.
type Asked = (&'static ToolDef, Value, [Value; 2]);

/// Every call with its answers, each in a project of its own: write tools answer a second call otherwise.
fn ask_all() -> &'static [Asked] {
    static ASKED: LazyLock<Vec<Asked>> = LazyLock::new(|| {
        let ask = |(name, arguments): (&str, Value)| {
            let tool = find(name).expect("a tool");
            let both = ["full", "brief"].map(|detail| {
                let project = Project::new(PROGRAM);
                let mut arguments = if arguments.is_null() { project.example(tool) } else { arguments.clone() };
                arguments["detail"] = json!(detail);
                arguments.as_object_mut().expect("an object").entry("agent_id").or_insert_with(|| json!("tester"));
                project.steady(name, arguments)
            });
            let arguments = if arguments.is_null() { tool.example_arguments() } else { arguments };
            (tool, arguments, both)
        };
        calls().into_iter().map(ask).collect()
    });
    &ASKED
}

/// What the brief value has that the full one has not, and the needed members that it lacks.
fn compare(at: &str, full: &Value, brief: &Value, faults: &mut Vec<String>) {
    match (full, brief) {
        (Value::Object(full), Value::Object(brief)) => {
            faults.extend(brief.keys().filter(|name| !full.contains_key(*name)).map(|name| format!("{at}.{name} is new")));
            for (name, value) in full {
                match brief.get(name) {
                    Some(other) => compare(&format!("{at}.{name}"), value, other, faults),
                    None if is_needed(name, full) && !value.is_null() => faults.push(format!("{at}.{name} is missing")),
                    None => {}
                }
            }
        }
        (Value::Array(full), Value::Array(brief)) => {
            if full.len() != brief.len() {
                faults.push(format!("{at} has {} elements instead of {}", brief.len(), full.len()));
            }
            for (number, (full, brief)) in full.iter().zip(brief).enumerate() {
                compare(&format!("{at}[{number}]"), full, brief, faults);
            }
        }
        _ if full == brief => {}
        _ => faults.push(format!("{at} is {brief} instead of {full}")),
    }
}

fn is_needed(name: &str, members: &Map<String, Value>) -> bool {
    let has_line = ["line", "line_number"].iter().any(|line| members.contains_key(*line));
    NEEDED.contains(&name) || RANGE.contains(&name) && !has_line
}

#[test]
fn brief_answers_are_full_ones_without_details() {
    let (mut all, mut shorter) = (Vec::new(), BTreeSet::from_iter(ALL_PROMISED.iter().chain(EMPTY).copied()));
    for (tool, arguments, [full, brief]) in ask_all() {
        if full.to_string().len() > brief.to_string().len() {
            shorter.insert(tool.name);
        }
        let mut brief = brief.clone();
        // An argument that the answer repeats is known to the caller.
        for (name, value) in arguments.as_object().into_iter().flatten() {
            if full.get(name) == Some(value) {
                brief[name] = value.clone();
            }
        }
        let mut faults = Vec::new();
        compare("", full, &brief, &mut faults);
        all.extend(faults.into_iter().map(|fault| format!("{} {arguments}: {fault}", tool.name)));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    let same: Vec<&str> = ALL.iter().map(|tool| tool.name).filter(|name| !shorter.contains(name)).collect();
    assert!(same.is_empty(), "as long as the full answer: {same:?}");
}

/// Whether a value, or one in the list that it is, has what a path leads to.
fn leads(value: &Value, path: &str) -> bool {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let leads_on = |value: &Value| value.get(name).is_some_and(|value| rest.is_empty() || leads(value, rest));
    value.as_array().map_or(leads_on(value), |rows| rows.iter().any(leads_on))
}

#[test]
fn details_are_members_of_answers() {
    let mut missing = Vec::new();
    for tool in ALL {
        let answers = || ask_all().iter().filter(|(of, ..)| of.name == tool.name).map(|(_, _, [full, _])| full);
        let unknown = tool.detail_paths().iter().filter(|path| !answers().any(|full| leads(full, path)));
        // Not every answer has them all: what this program does not show has to be a member somewhere in the sources.
        let is_made_up = |path: &&&str| !path.split('.').all(|name| SOURCES.iter().any(|text| declares(text, name)));
        missing.extend(unknown.filter(is_made_up).map(|path| format!("{} {path}", tool.name)));
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// Sources of tools whose answers to [`calls`] lack some of their members.
const SOURCES: &[&str] = &[
    include_str!("../../src/analysis/counterfactual.rs"),
    include_str!("../../src/analysis/differential.rs"),
    include_str!("../../src/documents/document_provider_health.rs"),
    include_str!("../../../run/src/providers/mod.rs"),
    include_str!("../../src/analysis/diverge.rs"),
    include_str!("../../src/analysis/fingerprint.rs"),
    include_str!("../../src/analysis/hypothesize.rs"),
    include_str!("../../src/analysis/impact.rs"),
    include_str!("../../src/analysis/predict.rs"),
    include_str!("../../src/continuity/lock_diff.rs"),
    include_str!("../../src/continuity/trail_list.rs"),
    include_str!("../../src/continuity/trail_resume.rs"),
    include_str!("../../src/continuity/trails.rs"),
    include_str!("../../src/core/definition.rs"),
    include_str!("../../src/lifecycle/federate.rs"),
    include_str!("../../src/lifecycle/federate_auto.rs"),
    include_str!("../../src/core/health.rs"),
    include_str!("../../src/core/help.rs"),
    include_str!("../../src/core/ingest.rs"),
    include_str!("../../src/core/seek.rs"),
    include_str!("../../src/core/seek_verdict.rs"),
    include_str!("../../src/analysis/why.rs"),
    include_str!("../../src/documents/document_bindings.rs"),
    include_str!("../../src/exploration/drift.rs"),
    include_str!("../../src/exploration/antibody_create.rs"),
    include_str!("../../src/exploration/antibody_list.rs"),
    include_str!("../../src/exploration/antibody_scan.rs"),
    include_str!("../../src/exploration/flow_simulate.rs"),
    include_str!("../../src/exploration/ghost_edges.rs"),
    include_str!("../../src/exploration/heuristics_surface.rs"),
    include_str!("../../src/exploration/layer_inspect.rs"),
    include_str!("../../src/exploration/layer_rows.rs"),
    include_str!("../../src/exploration/layers.rs"),
    include_str!("../../src/exploration/panoramic.rs"),
    include_str!("../../src/exploration/report.rs"),
    include_str!("../../src/exploration/missing.rs"),
    include_str!("../../src/exploration/resonate.rs"),
    include_str!("../../src/exploration/timeline.rs"),
    include_str!("../../src/exploration/tremor.rs"),
    include_str!("../../src/exploration/trust.rs"),
    include_str!("../../src/memory/search.rs"),
    include_str!("../../src/perspective/list.rs"),
    include_str!("../../src/perspective/rows.rs"),
];

fn declares(source: &str, member: &str) -> bool {
    [format!("    {member}: "), format!("\"{member}\"")].iter().any(|form| source.contains(form))
}

/// How a value differs from a schema, as far as the schemas of answers go.
fn misfit(at: &str, schema: &Value, value: &Value) -> Option<String> {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = |kind: &&str| match *kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => value.is_string(),
    };
    if !kinds.is_empty() && !kinds.iter().any(is) {
        return Some(format!("{at} is {value}, not {kinds:?}"));
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let lacks = value.as_object().and_then(|members| required.into_iter().find(|name| !members.contains_key(*name)));
    if let Some(name) = lacks {
        return Some(format!("{at} lacks {name}"));
    }
    let members = schema["properties"].as_object().into_iter().flatten();
    let mut inner = members.filter_map(|(name, schema)| Some((format!("{at}.{name}"), schema, value.get(name)?)));
    let mut items = value.as_array().into_iter().flatten().map(|item| (format!("{at}[]"), &schema["items"], item));
    inner.find_map(|(at, schema, value)| misfit(&at, schema, value)).or_else(|| items.find_map(|(at, schema, value)| misfit(&at, schema, value)))
}

#[test]
fn answers_and_errors_fit_the_schema_of_the_answer() {
    let project = Project::open_unindexed(PROGRAM);
    for (tool, arguments, [full, brief]) in ask_all() {
        let name = tool.name;
        let whole = tool.output_schema().unwrap_or_else(|| panic!("{name} describes no answer"));
        let short = tool.short_output_schema().expect("a schema");
        let mut wrong = arguments.clone();
        wrong["bogus"] = json!(1);
        let errors = [wrong, arguments.clone()].map(|arguments| match project.call_as_is(name, arguments) {
            Ok(answer) => answer,
            Err(error) => error.to_json(),
        });
        for schema in [whole, short] {
            assert_eq!(schema["type"], "object", "{name}");
            assert!(!schema.contains_key("required"), "{name}: errors lack them");
            for value in [full, brief].into_iter().chain(&errors) {
                assert_eq!(misfit(name, &Value::Object(schema.clone()), value), None, "{value}");
            }
        }
        let described = tool.output_schema().expect("a schema");
        let members = described["properties"].as_object().expect("members");
        let is_there = |member: &String| full.get(member).is_some();
        assert!(tool.toolset == Toolset::Memory || members.keys().any(is_there), "{name}: {full}");
    }
}

#[test]
fn text_is_compact_unless_everything_is_asked_for() {
    let project = Project::new(PROGRAM);
    let tool = find("seek").expect("a tool");
    let ask = |detail: &str| {
        let cancel = m1nd_base::Cancel::new();
        let cx = m1nd_tools::Context::new(&project.services, m1nd_tools::TOOLS, &cancel, &m1nd_base::NoProgress);
        tool.reply(&cx, json!({"agent_id": "a", "query": "login", "detail": detail}), Format::Text).expect("answers")
    };
    let [Reply::Text(brief), Reply::Text(full)] = [ask("brief"), ask("full")] else { panic!("text was asked for") };
    assert!(!brief.contains("trust_envelope") && full.contains("trust_envelope"), "{brief}{full}");
}
