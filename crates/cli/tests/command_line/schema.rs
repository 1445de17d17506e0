//! A validator for the part of JSON Schema (draft 7) that the schema of SARIF uses.

use serde_json::Value;

/// What of a value contradicts a schema, as the place and the rule.
pub(crate) fn faults(root: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, root, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(pointer) = schema["$ref"].as_str() {
        let target = root.pointer(pointer.trim_start_matches('#')).unwrap_or_else(|| panic!("no {pointer}"));
        return check(root, target, value, at, found);
    }
    let mut fault = |rule: &str| found.push(format!("{at}: {rule}: {value}"));
    if let Some(kind) = schema["type"].as_str() {
        let is_right = match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("unknown type {other}"),
        };
        if !is_right {
            fault("type");
        }
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        fault("enum");
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        fault("minimum");
    }
    if let Some(items) = value.as_array() {
        if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
            fault("minItems");
        }
        if schema["uniqueItems"] == true && (1..items.len()).any(|at| items[..at].contains(&items[at])) {
            fault("uniqueItems");
        }
    }
    let is_any = |one: &Value| {
        let mut inner = Vec::new();
        check(root, one, value, at, &mut inner);
        inner.is_empty()
    };
    for (name, is_one) in [("anyOf", false), ("oneOf", true)] {
        if let Some(choices) = schema[name].as_array() {
            let right = choices.iter().filter(|one| is_any(one)).count();
            if right == 0 || is_one && right > 1 {
                fault(name);
            }
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            fault(&format!("required {name}"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Bool(false)) => found.push(format!("{at}: unknown member {name}")),
            (Value::Null, rest) if rest.is_object() => check(root, rest, inner, &format!("{at}/{name}"), found),
            (Value::Null, _) => {}
            (known, _) => check(root, known, inner, &format!("{at}/{name}"), found),
        }
    }
    if schema["items"].is_object() {
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            check(root, &schema["items"], item, &format!("{at}/{number}"), found);
        }
    }
}
