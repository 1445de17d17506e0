//! What holds for the arguments of every tool: they are listed with their defaults, and checked against their schema.

use m1nd_tools::{ALL, Effect, Format, ToolDef, Toolset, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// The arguments that published pages name, one a line: tool, argument, and its default as JSON where there is one.
const PUBLISHED: &str = include_str!("published_arguments.txt");

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

#[test]
fn published_arguments_are_listed_with_their_defaults() {
    for line in PUBLISHED.lines() {
        let mut parts = line.splitn(3, ' ');
        let (tool, name) = (parts.next().expect("a tool"), parts.next().expect("an argument"));
        let default: Option<Value> = parts.next().map(|text| serde_json::from_str(text).expect("JSON"));
        let tool = find(tool).unwrap_or_else(|| panic!("{line}: no such tool"));
        let listed = tool.listed_schema(Format::Json, false);
        let property = listed["properties"].get(name).unwrap_or_else(|| panic!("{line}: not listed"));
        assert_eq!(property.get("default"), default.as_ref(), "{line}");
    }
}

/// The answer to the example with these arguments as well, in a project of its own.
fn answer(tool: &ToolDef, more: &Value) -> Value {
    let project = Project::new(PROGRAM);
    let mut arguments = project.example(tool);
    for (name, value) in more.as_object().into_iter().flatten() {
        if arguments.get(name).is_none() {
            arguments[name] = value.clone();
        }
    }
    let mut answer = project.steady(tool.name, arguments);
    // A cursor belongs to the arguments as they were written.
    answer.as_object_mut().expect("an object").remove("cursor");
    answer
}

#[test]
fn a_default_spelled_out_changes_nothing() {
    for tool in ALL {
        let schema = tool.schema();
        let defaults = properties(&schema).filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())));
        let defaults: serde_json::Map<String, Value> = defaults.collect();
        assert!(defaults.contains_key("max_output_chars"), "{}", tool.name);
        assert_eq!(answer(tool, &Value::Object(defaults)), answer(tool, &json!({})), "{}", tool.name);
    }
}

/// The error of the example with another value of an argument.
fn refusal(project: &Project, tool: &ToolDef, name: &str, value: &Value) -> String {
    let mut arguments = tool.example_arguments();
    arguments[name] = value.clone();
    let error = match project.call_as_is(tool.name, arguments) {
        Ok(answer) => panic!("{} takes {name} {value}: {answer}", tool.name),
        Err(error) => error.to_json(),
    };
    let code = if tool.toolset == Toolset::Memory { "INVALID_ARGUMENT" } else { "invalid_params" };
    assert_eq!(error["code"], code, "{} {name} {value}: {error}", tool.name);
    assert!(error["suggested_next_step"].as_str().is_some_and(|step| step.contains(name)), "{error}");
    error["error"].as_str().expect("a message").to_owned()
}

/// What the example with another value of an argument comes to: the number that is taken, said in the answer, or the
/// refusal of a tool that changes something or promises exact answers.
fn check_number(project: &Project, tool: &ToolDef, name: &str, value: &Value) {
    let is_exact = !matches!(tool.effect, Effect::Read | Effect::Session) || tool.toolset == Toolset::Memory;
    if is_exact {
        let message = refusal(project, tool, name, value);
        assert!(message.contains(&format!("`{name}` is {value}, expected ")), "{message}");
        return;
    }
    let mut arguments = project.example(tool);
    arguments[name] = value.clone();
    // The answer may fail for other reasons: that other value may not fit the example.
    let Ok(answer) = project.call_as_is(tool.name, arguments) else { return };
    let said = answer["clamped"][0].as_str().unwrap_or_default();
    assert!(said.starts_with(&format!("`{name}` {value} is out of range: ")), "{} {name} {value}: {answer}", tool.name);
}

#[test]
fn numbers_out_of_bounds_are_brought_into_them_by_reads_and_refused_by_writes() {
    let project = Project::new(PROGRAM);
    let mut checked = 0;
    for tool in ALL {
        for (name, property) in properties(&tool.schema()) {
            if name == "max_output_chars" {
                continue;
            }
            let is_integer = property["type"] == "integer";
            for (bound, step) in [("minimum", -1.0), ("maximum", 1.0)] {
                let Some(value) = property[bound].as_f64().map(|value| value + step) else { continue };
                let value = if is_integer { json!(value as i64) } else { json!(value) };
                check_number(&project, tool, name, &value);
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked}");
}

#[test]
fn every_page_has_a_bound() {
    for tool in ALL {
        for (name, property) in properties(&tool.schema()).filter(|(name, _)| ["top_k", "limit"].contains(&name.as_str())) {
            assert!(property["maximum"].is_u64() || tool.name == "view", "{} {name} has no maximum", tool.name);
        }
    }
}

#[test]
fn an_unknown_argument_is_named_with_the_nearest_known_one() {
    let project = Project::new(PROGRAM);
    let error = project.err("seek", json!({"query": "login", "topk": 3}));
    let message = error["error"].as_str().expect("a message");
    assert!(message.starts_with("unknown argument `topk`, did you mean `top_k`?"), "{message}");
}
