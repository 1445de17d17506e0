//! Whatever is passed to a tool, the answer is an answer or a refusal: never a bug, never more than the budget.

use m1nd_testkit::Random;
use m1nd_tools::{ALL, ErrorCode};
use serde_json::{Map, Value, json};

use crate::harness::{PROGRAM, Project};

/// Calls to each tool.
const CALLS: usize = 150;

const TEXTS: &[&str] = &[
    "",
    " ",
    "validate_credentials",
    "auth.py",
    "file::auth.py",
    "file::auth.py::fn::load_user",
    "file::",
    "::",
    "::fn::",
    "src/**",
    "**",
    "[",
    "(",
    "\\",
    "*",
    "a|b",
    "(?i)x",
    "\u{202e}",
    "\0",
    "\n",
    "ä漢🦀",
    "../..",
    "/",
    ".",
    "-1",
    "NaN",
    "Store.find",
    "Store::find",
    "twin",
    "1-00000000-0",
    "ffffffffffffffff-ffffffff-ffffffffffffffff",
    "regex",
    "semantic",
    "file::auth.py::class::\u{feff}",
    "code",
    "json",
    "replace",
    "edit",
    "markdown",
];

fn value(random: &mut Random, property: &Value) -> Value {
    let words = property["enum"].as_array();
    match (random.below(10), property["type"].as_str()) {
        (0, _) => json!(null),
        (1, _) => json!({"a": [1, {"b": null}]}),
        (2, _) => json!(["x", 3]),
        (_, Some("integer")) => json!([0u64, 1, 2, 7, 1_000, u64::MAX][random.below(6)]),
        (_, Some("number")) => json!([0.0, 0.5, 1.0, -3.0, 1e300][random.below(5)]),
        (_, Some("boolean")) => json!(random.below(2) == 0),
        (_, Some("array")) => json!([TEXTS[random.below(TEXTS.len())]]),
        _ => match words.filter(|_| random.below(3) > 0) {
            Some(words) => words[random.below(words.len())].clone(),
            None => json!(TEXTS[random.below(TEXTS.len())]),
        },
    }
}

#[test]
fn no_arguments_break_a_tool() {
    let mut random = Random::new(7);
    for tool in ALL {
        // What one tool writes must not be all that the next one finds.
        let project = Project::new(PROGRAM);
        let schema = tool.schema();
        let properties = schema["properties"].as_object().expect("properties");
        let mut answered = 0;
        for _ in 0..CALLS {
            let mut arguments = match random.below(3) {
                0 => Map::new(),
                _ => project.example(tool).as_object().expect("an object").clone(),
            };
            for (name, property) in properties {
                if random.below(4) == 0 {
                    arguments.insert(name.clone(), value(&mut random, property));
                }
            }
            arguments.entry("agent_id").or_insert_with(|| json!("tester"));
            let shown = Value::Object(arguments.clone()).to_string();
            match project.call_as_is(tool.name, Value::Object(arguments)) {
                Ok(answer) => {
                    answered += 1;
                    assert!(answer.to_string().len() <= 100_000, "{} {shown}", tool.name);
                }
                Err(error) => assert_ne!(error.code, ErrorCode::Internal, "{} {shown}: {error}", tool.name),
            }
        }
        assert!(answered > 0, "{} refused everything: the test says nothing", tool.name);
    }
}
