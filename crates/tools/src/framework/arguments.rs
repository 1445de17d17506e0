use m1nd_base::count;
use serde_json::{Map, Value};

use super::error::ToolError;
use super::names::edit_distance;

/// Numbers from here on are not all whole as `f64`: 2^53.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Maximum edit distance between an unknown argument and the one that may be meant.
const SLIP_DISTANCE: usize = 4;

/// Checks arguments against a tool's schema. Every error names the argument, the value received and those expected.
///
/// Supports what the schemas of this crate use: types, enums, bounds of numbers, lengths of texts and arrays,
/// required and unknown members, items of arrays, members of objects.
pub(crate) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), ToolError> {
    check_members("", schema, arguments)
}

/// Checks the members of an object. `path` is its own name with a dot behind it, empty for the arguments themselves.
/// The depth is bounded by that of the schema.
fn check_members(path: &str, schema: &Value, members: &Map<String, Value>) -> Result<(), ToolError> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let allowed = || properties.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let is_closed = path.is_empty() || schema.get("additionalProperties") == Some(&Value::Bool(false));
    for name in members.keys() {
        if is_closed && !properties.contains_key(name) {
            return Err(report_unknown(path, name, properties));
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) {
            let message = format!("missing argument `{path}{name}`, expected arguments are {}", allowed());
            return Err(ToolError::invalid(message));
        }
    }
    for (name, value) in members {
        if let Some(property) = properties.get(name) {
            check_value(&format!("{path}{name}"), property, value)?;
        }
    }
    Ok(())
}

/// The error about an argument that does not exist, with the one that is spelled nearly so.
fn report_unknown(path: &str, name: &str, properties: &Map<String, Value>) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let near = properties.keys().map(|known| (edit_distance(&shown.to_lowercase(), known), known)).min();
    let near = near.filter(|(distance, known)| *distance <= SLIP_DISTANCE.min(known.len() / 2));
    let allowed: Vec<String> = properties.keys().map(|name| format!("`{name}`")).collect();
    let allowed = allowed.join(", ");
    match near {
        Some((_, near)) => ToolError::invalid(format!(
            "unknown argument `{path}{shown}`, did you mean `{path}{near}`? Expected one of {allowed}"
        )),
        None => ToolError::invalid(format!("unknown argument `{path}{shown}`, expected one of {allowed}")),
    }
}

fn check_value(name: &str, schema: &Value, value: &Value) -> Result<(), ToolError> {
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && !has_type(kind, value)
    {
        return Err(refuse_value(name, schema, value, &describe_expected(kind, schema)));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let fits = words.iter().any(|word| match (word.as_str(), value.as_str()) {
            (Some(word), Some(text)) => word.eq_ignore_ascii_case(text),
            _ => word == value,
        });
        if !fits {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            return Err(refuse_value(name, schema, value, &format!("one of {}", words.join(", "))));
        }
    }
    if let Some(number) = value.as_f64()
        && !is_within(schema, number)
    {
        return Err(refuse_value(name, schema, value, &bounds(schema).unwrap_or_default()));
    }
    check_size(name, schema, value)?;
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (at, value) in values.iter().enumerate() {
            check_value(&format!("{name}[{at}]"), items, value)?;
        }
    }
    match value {
        Value::Object(members) if schema.get("properties").is_some() => {
            check_members(&format!("{name}."), schema, members)
        }
        _ => Ok(()),
    }
}

/// Checks the number of characters of a text, and of elements of an array.
fn check_size(name: &str, schema: &Value, value: &Value) -> Result<(), ToolError> {
    let (size, least, most, unit) = match value {
        Value::String(text) => (text.chars().count(), "minLength", "maxLength", "character"),
        Value::Array(values) => (values.len(), "minItems", "maxItems", "element"),
        _ => return Ok(()),
    };
    let limit = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    let (least, most) = (limit(least).unwrap_or(0), limit(most).unwrap_or(usize::MAX));
    if (least..=most).contains(&size) {
        return Ok(());
    }
    let expected = match most {
        usize::MAX => format!("at least {}", count(least, unit)),
        most => format!("{least} to {}", count(most, unit)),
    };
    Err(ToolError::invalid(format!("argument `{name}` has {}, expected {expected}", count(size, unit))))
}

/// The error about a value that the schema does not allow.
fn refuse_value(name: &str, schema: &Value, value: &Value, expected: &str) -> ToolError {
    let error = ToolError::invalid(format!("argument `{name}` is {}, expected {expected}", show_value(value)));
    match schema.get("default") {
        Some(default) => error.next_step(format!("pass {expected} as `{name}`, or omit it for {default}")),
        None => error.next_step(format!("pass {expected} as `{name}`")),
    }
}

/// The values of a type, in words.
fn describe_expected(kind: &str, schema: &Value) -> String {
    let kind = match kind {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => return "true or false".to_owned(),
        "array" => return "an array".to_owned(),
        "object" => return "an object".to_owned(),
        _ => return "a string".to_owned(),
    };
    match bounds(schema) {
        Some(bounds) => format!("{kind} of {bounds}"),
        None if kind == "an integer" => format!("{kind} of at least 0"),
        None => kind.to_owned(),
    }
}

fn read_bound(schema: &Value, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

fn is_within(schema: &Value, number: f64) -> bool {
    read_bound(schema, "minimum").is_none_or(|least| number >= least)
        && read_bound(schema, "exclusiveMinimum").is_none_or(|below| number > below)
        && read_bound(schema, "maximum").is_none_or(|most| number <= most)
}

/// The bounds of a number, in words: `1 to 200`. An integer without a minimum starts at 0.
pub fn bounds(schema: &Value) -> Option<String> {
    let is_integer = schema.get("type").is_some_and(|kind| kind == "integer");
    let least = read_bound(schema, "minimum").or(is_integer.then_some(0.0));
    let most = read_bound(schema, "maximum");
    match (least, read_bound(schema, "exclusiveMinimum"), most) {
        (_, Some(below), Some(most)) => Some(format!("more than {below} and at most {most}")),
        (Some(least), _, Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), _, None) if least > 0.0 || !is_integer => Some(format!("at least {least}")),
        _ => None,
    }
}

/// Replaces aliases, drops `null`, which means "not given", and takes values in the form that the schema expects where
/// only one can be meant: see [`take_as`].
pub(crate) fn normalise(schema: &Value, aliases: &[(&str, &str)], arguments: &mut Map<String, Value>) {
    arguments.retain(|_, value| !value.is_null());
    for (alias, name) in aliases {
        if let Some(value) = arguments.remove(*alias) {
            arguments.entry(*name).or_insert(value);
        }
    }
    take_members(schema, arguments);
}

fn take_members(schema: &Value, members: &mut Map<String, Value>) {
    for (name, value) in members.iter_mut() {
        if let Some(property) = schema["properties"].get(name) {
            take_as(property, value);
        }
    }
}

/// Rewrites a value to the type of its schema if it can mean nothing else: numbers, truth values, lists and objects
/// sent as text, `5.0` for `5`, one element for a list, a number for a text, enum words in another letter case. The
/// depth is bounded by that of the schema.
fn take_as(schema: &Value, value: &mut Value) {
    let kind = schema["type"].as_str().unwrap_or_default();
    if !has_type(kind, value)
        && let Some(other) = read_as(kind, schema, value)
    {
        *value = other;
    }
    match value {
        Value::String(text) => {
            let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if let Some(word) = words.into_iter().find(|word| word.eq_ignore_ascii_case(text)) {
                *text = word.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_as(&schema["items"], item)),
        Value::Object(members) => take_members(schema, members),
        _ => {}
    }
}

/// The value of this type that another one stands for.
fn read_as(kind: &str, schema: &Value, value: &Value) -> Option<Value> {
    let text = value.as_str().map(str::trim);
    match kind {
        "integer" | "number" => {
            let number: f64 =
                text.map_or_else(|| value.as_f64(), |text| text.parse().ok()).filter(|n| n.is_finite())?;
            let is_whole = number.fract() == 0.0 && number.abs() < MAX_WHOLE;
            if is_whole { Some((number as i64).into()) } else { (kind == "number").then(|| number.into()) }
        }
        "boolean" => Some(Value::Bool(text?.to_ascii_lowercase().parse().ok()?)),
        "array" => {
            let listed = text.filter(|text| text.starts_with('['));
            let items = listed.and_then(|text| serde_json::from_str::<Value>(text).ok()).filter(Value::is_array);
            items.or_else(|| {
                let mut item = value.clone();
                take_as(&schema["items"], &mut item);
                let fits = schema["items"]["type"].as_str().is_some_and(|kind| has_type(kind, &item));
                (fits && text != Some("")).then(|| Value::Array(vec![item]))
            })
        }
        "object" => serde_json::from_str::<Value>(text?).ok().filter(Value::is_object),
        "string" if value.is_number() => Some(value.to_string().into()),
        _ => None,
    }
}

/// Brings numbers that are out of range to the nearest one that is in it, and says so for each: a question that asks
/// for too much is answered as far as it can be.
pub(crate) fn clamp(schema: &Value, arguments: &mut Map<String, Value>) -> Vec<String> {
    let mut said = Vec::new();
    for (name, value) in arguments {
        let Some(property) = schema["properties"].get(name) else { continue };
        let kind = property["type"].as_str().unwrap_or_default();
        let Some(number) = value.as_f64().filter(|_| matches!(kind, "integer" | "number")) else { continue };
        let least = read_bound(property, "minimum").or((kind == "integer").then_some(0.0));
        let most = read_bound(property, "maximum").unwrap_or(f64::INFINITY);
        let nearest = number.max(least.unwrap_or(f64::NEG_INFINITY)).min(most);
        if nearest == number {
            continue;
        }
        let taken: Value = if kind == "integer" { (nearest as u64).into() } else { nearest.into() };
        said.push(format!("`{name}` {value} is out of range: {taken} is taken"));
        *value = taken;
    }
    said
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

fn show_value(value: &Value) -> String {
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
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 1, "maxItems": 2}, "rows": {"type": "integer", "minimum": 1, "maximum": 9},
            "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "least": {"type": "integer", "minimum": 1},
            "of": {"type": "object", "required": ["a"], "properties": {"a": {"type": "number", "minimum": 0}}},
            "deep": {"type": "boolean"}}});
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
                "unknown argument `bogus`, expected one of `path`, `depth`, `mode`, `tags`, `rows`, `share`, `least`, `of`, `deep`",
            ),
            (
                json!({"path": "x", "dept": 1}),
                "unknown argument `dept`, did you mean `depth`? Expected one of `path`, `depth`, `mode`, `tags`, `rows`, \
                 `share`, `least`, `of`, `deep`",
            ),
            (
                json!({}),
                "missing argument `path`, expected arguments are `path`, `depth`, `mode`, `tags`, `rows`, `share`, `least`, \
                 `of`, `deep`",
            ),
            (json!({"path": "x", "rows": 0}), "argument `rows` is 0, expected 1 to 9"),
            (json!({"path": "x", "rows": 10}), "argument `rows` is 10, expected 1 to 9"),
            (json!({"path": "x", "rows": "5"}), "fits"),
            (json!({"path": "x", "rows": 5.0, "share": "0.5"}), "fits"),
            (json!({"path": "x", "rows": "five"}), "argument `rows` is \"five\", expected an integer of 1 to 9"),
            (json!({"path": "x", "tags": "t"}), "fits"),
            (json!({"path": "x", "tags": "[\"t\", \"u\"]"}), "fits"),
            (json!({"path": "x", "tags": ""}), "argument `tags` is \"\", expected an array"),
            (json!({"path": "x", "of": "{\"a\": \"1\"}"}), "fits"),
            (json!({"path": "x", "deep": "true"}), "fits"),
            (json!({"path": "x", "deep": "yes"}), "argument `deep` is \"yes\", expected true or false"),
            (json!({"path": "x", "rows": 1.5}), "argument `rows` is 1.5, expected an integer of 1 to 9"),
            (json!({"path": "x", "share": 0}), "argument `share` is 0, expected more than 0 and at most 1"),
            (json!({"path": "x", "least": 0}), "argument `least` is 0, expected at least 1"),
            (json!({"path": "x", "of": {}}), "missing argument `of.a`, expected arguments are `a`"),
            (json!({"path": "x", "of": {"a": -1}}), "argument `of.a` is -1, expected at least 0"),
            (json!({"path": 3}), "fits"),
            (json!({"path": true}), "argument `path` is true, expected a string"),
            (json!({"path": "x", "depth": -1}), "argument `depth` is -1, expected an integer of at least 0"),
            (json!({"path": "x", "mode": "c"}), "argument `mode` is \"c\", expected one of \"a\", \"b\""),
            (json!({"path": "x", "tags": ["t", false]}), "argument `tags[1]` is false, expected a string"),
            (json!({"path": "x", "tags": []}), "argument `tags` has 0 elements, expected 1 to 2 elements"),
            (json!({"path": "x", "tags": ["a", "b", "c"]}), "argument `tags` has 3 elements, expected 1 to 2 elements"),
            (json!({"path": "x", "tags": ["long"]}), "argument `tags[0]` has 4 characters, expected 0 to 3 characters"),
        ];
        for (arguments, expected) in cases {
            assert_eq!(refusal(arguments.clone()), expected, "{arguments}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_brought_into_it_and_said() {
        let schema = json!({"properties": {
            "rows": {"type": "integer", "minimum": 1, "maximum": 9}, "depth": {"type": "integer"},
            "share": {"type": "number", "minimum": 0, "maximum": 1}, "path": {"type": "string"}}});
        let mut arguments = json!({"rows": 500, "depth": -3, "share": 1.5, "path": "x"});
        let said = clamp(&schema, arguments.as_object_mut().expect("an object"));
        assert_eq!(arguments, json!({"rows": 9, "depth": 0, "share": 1.0, "path": "x"}));
        let expected = ["`rows` 500 is out of range: 9 is taken", "`depth` -3", "`share` 1.5"];
        assert!(said.len() == 3 && said.iter().zip(expected).all(|(said, start)| said.starts_with(start)), "{said:?}");
        assert!(clamp(&schema, arguments.as_object_mut().expect("an object")).is_empty());
    }
}
