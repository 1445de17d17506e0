use serde_json::{Map, Value};

use super::error::ToolError;

/// Checks arguments against a tool's schema. Every error names the argument, the value received and those expected.
///
/// Supports what the schemas of this crate use: types, enums, required and unknown members, items of arrays.
pub(crate) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), ToolError> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let allowed = || properties.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for name in arguments.keys() {
        if !properties.contains_key(name) {
            let shown: String = name.chars().take(60).collect();
            return Err(ToolError::invalid(format!("unknown argument `{shown}`, expected one of {}", allowed())));
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            return Err(ToolError::invalid(format!("missing argument `{name}`, expected arguments are {}", allowed())));
        }
    }
    for (name, value) in arguments {
        check_value(name, &properties[name], value)?;
    }
    Ok(())
}

fn check_value(name: &str, schema: &Value, value: &Value) -> Result<(), ToolError> {
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && !has_type(kind, value)
    {
        let expected = match kind {
            "integer" => "an integer of at least 0",
            "number" => "a number",
            "boolean" => "true or false",
            "array" => "an array",
            "object" => "an object",
            _ => "a string",
        };
        return Err(ToolError::invalid(format!("argument `{name}` is {}, expected {expected}", shown(value))));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let fits = words.iter().any(|word| match (word.as_str(), value.as_str()) {
            (Some(word), Some(text)) => word.eq_ignore_ascii_case(text),
            _ => word == value,
        });
        if !fits {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            return Err(ToolError::invalid(format!(
                "argument `{name}` is {}, expected one of {}",
                shown(value),
                words.join(", ")
            )));
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (at, value) in values.iter().enumerate() {
            check_value(&format!("{name}[{at}]"), items, value)?;
        }
    }
    Ok(())
}

/// Replaces aliases, rewrites enum words to the letter case of the schema, and drops `null`, which means "not given".
pub(crate) fn normalise(schema: &Value, aliases: &[(&str, &str)], arguments: &mut Map<String, Value>) {
    arguments.retain(|_, value| !value.is_null());
    for (alias, name) in aliases {
        if let Some(value) = arguments.remove(*alias) {
            arguments.entry(*name).or_insert(value);
        }
    }
    for (name, value) in arguments.iter_mut() {
        let words = schema["properties"][name]["enum"].as_array();
        let Value::String(text) = value else { continue };
        let fitting =
            words.into_iter().flatten().filter_map(Value::as_str).find(|word| word.eq_ignore_ascii_case(text));
        if let Some(word) = fitting {
            *text = word.to_owned();
        }
    }
}

fn has_type(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => value.as_u64().is_some(),
        "number" => value.as_f64().is_some_and(f64::is_finite),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => true,
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Array(_) => return "an array".to_owned(),
        Value::Object(_) => return "an object".to_owned(),
        other => other.to_string(),
    };
    if text.chars().count() > 60 { text.chars().take(60).chain(['…']).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(arguments: Value) -> String {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "depth": {"type": "integer"}, "mode": {"type": "string", "enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}}}});
        let mut arguments = arguments.as_object().expect("object").clone();
        normalise(&schema, &[("file", "path")], &mut arguments);
        check(&schema, &arguments).map_or_else(|error| error.message, |()| "fits".to_owned())
    }

    #[test]
    fn refusals_name_the_argument_and_what_it_takes() {
        let cases = [
            (json!({"path": "x", "depth": null, "mode": "B", "tags": ["t"]}), "fits"),
            (json!({"file": "x"}), "fits"),
            (
                json!({"path": "x", "bogus": 1}),
                "unknown argument `bogus`, expected one of `path`, `depth`, `mode`, `tags`",
            ),
            (json!({}), "missing argument `path`, expected arguments are `path`, `depth`, `mode`, `tags`"),
            (json!({"path": 3}), "argument `path` is 3, expected a string"),
            (json!({"path": "x", "depth": -1}), "argument `depth` is -1, expected an integer of at least 0"),
            (json!({"path": "x", "mode": "c"}), "argument `mode` is \"c\", expected one of \"a\", \"b\""),
            (json!({"path": "x", "tags": ["t", 2]}), "argument `tags[1]` is 2, expected a string"),
        ];
        for (arguments, expected) in cases {
            assert_eq!(refusal(arguments.clone()), expected, "{arguments}");
        }
    }
}
