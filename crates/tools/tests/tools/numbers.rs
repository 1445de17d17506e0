//! A number that a caller passes bounds no work: whatever it is, each tool answers or refuses it within the same number
//! of steps. A tool that loops over such a number does not end here.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{ALL, Context, ErrorCode, TOOLS, ToolDef, ToolError};
use serde_json::{Map, Value, json};

use crate::harness::{PROGRAM, Project};

/// How often one call may ask whether it was cancelled: several thousand times what a call on the small program needs.
const MAX_POLLS: u64 = 1_000_000;

const INTEGERS: &[u64] =
    &[0, 1, 999_999_999, i32::MAX as u64, u32::MAX as u64, u32::MAX as u64 + 1, i64::MAX as u64, u64::MAX];
const NUMBERS: &[f64] = &[0.0, -1.0, 1e9, 1e300, f64::MAX, f64::MIN, f64::MIN_POSITIVE];

/// Texts with large numbers, for every argument that is a text: line numbers, revisions, cursors, repetitions,
/// durations and dates.
const TEXTS: &[&str] = &[
    "auth.py:2000000000",
    "auth.py:18446744073709551615:18446744073709551615",
    "auth.py:1-18446744073709551615",
    "HEAD~2000000000",
    "HEAD^18446744073709551615",
    "HEAD~99999~99999~99999~99999~99999~99999",
    "1-00000000-0",
    "1-00000000-00000000-ffffffffffffffff",
    "{1..4294967295}",
    "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    "((a{1000}){1000}){1000}",
    "a{1,4294967295}",
    "4294967295d",
    "18446744073709551615h",
    "9999-12-31",
    "4294967295",
    "Traceback (most recent call last):\n  File \"auth.py\", line 18446744073709551615, in f\n  [Previous line repeated \
     18446744073709551615 more times]\nValueError: x",
    "Exception in thread \"main\" java.lang.Error: x\n\tat a.B.c(B.java:4294967295)\n\t... 18446744073709551615 more\n\
     Caused by: java.lang.Error: y\n\tat a.B.c(B.java:1)\n\t... 18446744073709551615 more",
    "goroutine 1 [running]:\nmain.f(0x1)\n\t/x/auth.go:4294967295 +0x1\n...18446744073709551615 frames elided...\n\
     ...18446744073709551615 frames elided...\nmain.g(0x1)\n\t/x/auth.go:1 +0x1",
    "@@ -2000000000,1 +2000000000,1 @@\n-x\n+y\n",
    "--- a/auth.py\n+++ b/auth.py\n@@ -18446744073709551615,1 +18446744073709551615,1 @@\n-import os\n+import sys\n",
];

/// The value of every argument for a place in the schema of a tool: the path to it, and what to put there.
fn list_attacks(schema: &Value) -> Vec<(Vec<String>, Vec<Value>)> {
    let mut found = Vec::new();
    let mut work = vec![(Vec::new(), schema)];
    while let Some((path, schema)) = work.pop() {
        let values: Vec<Value> = match schema["type"].as_str() {
            Some("integer") => INTEGERS.iter().map(|number| json!(number)).collect(),
            Some("number") => NUMBERS.iter().map(|number| json!(number)).collect(),
            Some("string") if schema["enum"].is_null() => TEXTS.iter().map(|text| json!(text)).collect(),
            _ => Vec::new(),
        };
        if !values.is_empty() {
            found.push((path.clone(), values));
        }
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            work.push(([path.clone(), vec![name.clone()]].concat(), member));
        }
        if schema["items"].is_object() {
            work.push(([path, vec!["[]".to_owned()]].concat(), &schema["items"]));
        }
    }
    found
}

/// Puts a value at a path into arguments; lists on the way get it as an element, with what their elements require.
fn put(into: &mut Value, schema: &Value, path: &[String], value: &Value) {
    let Some((first, rest)) = path.split_first() else {
        *into = value.clone();
        return;
    };
    if first == "[]" {
        if into.as_array().is_none_or(|items| items.is_empty()) {
            *into = json!([{}]);
        }
        return put(&mut into[0], &schema["items"], rest, value);
    }
    if !into.is_object() {
        *into = json!({});
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let is_text = schema["properties"][name]["type"] == "string";
        if is_text && into[name].is_null() {
            into[name] = json!("auth.py");
        }
    }
    put(&mut into[first.as_str()], &schema["properties"][first.as_str()], rest, value);
}

fn call(project: &Project, tool: &ToolDef, arguments: Value) -> Result<Value, ToolError> {
    let cancel = Cancel::at_poll(MAX_POLLS);
    tool.invoke(&Context::new(&project.services, TOOLS, &cancel, &NoProgress), arguments)
}

#[test]
fn no_number_of_a_caller_bounds_the_work() {
    let (mut numbers, mut texts) = (0, 0);
    for tool in ALL {
        // What one tool writes must not be all that the next one finds.
        let project = Project::new(PROGRAM);
        let schema = tool.schema();
        for (path, values) in list_attacks(&schema) {
            for value in values {
                let mut arguments = project.example(tool);
                put(&mut arguments, &schema, &path, &value);
                let shown = arguments.to_string();
                *if value.is_number() { &mut numbers } else { &mut texts } += 1;
                if let Err(error) = call(&project, tool, arguments) {
                    let is_refusal = !matches!(error.code, ErrorCode::Internal | ErrorCode::Cancelled);
                    assert!(is_refusal, "{} {shown}: {error}", tool.name);
                }
            }
        }
    }
    assert!(numbers >= 1_500 && texts >= 3_000, "{numbers} numbers, {texts} texts");
}

/// Several diffs, one in each form in which a tool takes it.
#[test]
fn hunks_of_any_line_end() {
    let project = Project::new("//- a.py\na = 1\nb = 2\n");
    for start in ["2000000000", "9223372036854775807", "18446744073709551615"] {
        let hunk = format!("@@ -{start},1 +{start},1 @@\n-b = 3\n+b = 4\n");
        let diff = format!("--- a/a.py\n+++ b/a.py\n{hunk}");
        let calls = [
            ("apply", json!({"file_path": "a.py", "diff": hunk})),
            ("apply_batch", json!({"diff": diff})),
            ("edit_preview", json!({"file_path": "a.py", "diff": hunk})),
        ];
        for (tool, arguments) in calls {
            let shown = arguments.to_string();
            let error = project.call(tool, arguments).expect_err("is refused");
            assert!(error.message.contains("does not fit"), "{tool} {shown}: {error}");
        }
    }
}

/// Members of arguments are found at every depth.
#[test]
fn attacks_reach_elements_of_lists() {
    let schema = json!({"properties": {"rows": {"type": "array", "items": {"type": "object", "required": ["name"],
        "properties": {"name": {"type": "string"}, "share": {"type": "number"}}}}}});
    let attacks = list_attacks(&schema);
    assert_eq!(attacks.len(), 2);
    let mut arguments = Value::Object(Map::new());
    put(&mut arguments, &schema, &["rows".into(), "[]".into(), "share".into()], &json!(7));
    assert_eq!(arguments, json!({"rows": [{"name": "auth.py", "share": 7}]}));
}
