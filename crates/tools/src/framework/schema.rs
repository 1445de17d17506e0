use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::arguments::bounds;
use super::definition::ToolDef;
use super::kinds::{Detail, Format};
use super::repository::{REPOSITORY, takes_repository};

/// The schema of the arguments that a tool declares: small, self-contained, an object at its top.
///
/// A model reads every schema in each session, so all that it does not need is omitted: titles, number
/// formats, the `null` of optional members, the `minimum` of 0 that every integer has.
pub(super) fn input_schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = simplify(schema.to_value());
    if let Some(top) = schema.as_object_mut() {
        top.remove("description");
        top.insert("type".into(), "object".into());
        top.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

/// Adds the arguments that the framework handles for the tool. `format` is the form of answers to calls that do not
/// name one.
pub(super) fn add_own(schema: &mut Value, tool: &ToolDef, format: Format) {
    if let Some(properties) = schema["properties"].as_object_mut() {
        if takes_repository(tool.name, properties) {
            let about = "Which repository of a federation the names and the scope of the call belong to";
            properties.insert(REPOSITORY.into(), json!({"type": "string", "description": about}));
        }
        properties.insert("agent_id".into(), json!({"type": "string"}));
        let budget = json!({"type": "integer", "minimum": 1, "default": tool.usual_bytes(format)});
        properties.insert("max_output_chars".into(), budget);
        let words: Vec<&str> = Detail::ALL.iter().map(|detail| detail.word()).collect();
        let detail = json!({"type": "string", "enum": words, "default": Detail::default().word()});
        properties.insert("detail".into(), detail);
        if !tool.has_own_format() {
            let words: Vec<&str> = Format::ALL.iter().map(|format| format.word()).collect();
            properties.insert("format".into(), json!({"type": "string", "enum": words, "default": format.word()}));
        }
        if tool.paged {
            properties.insert("cursor".into(), json!({"type": "string", "description": "From a truncated answer"}));
        }
        if tool.token_budget {
            let about = json!({"type": "integer", "minimum": 1, "description": "Maximum tokens of the rows"});
            properties.insert("token_budget".into(), about);
        }
    }
    if tool.toolset.requires_agent()
        && let Some(top) = schema.as_object_mut()
        && let Some(required) = top.entry("required").or_insert_with(|| json!([])).as_array_mut()
    {
        required.insert(0, "agent_id".into());
    }
}

/// Shortens the schemas of elements of lists for the list of tools, at any depth: what follows from the rest is left
/// out, namely the default of an empty list, and that other members are refused, as everywhere. Some clients take no
/// schema that says so below its top.
pub(super) fn shorten_elements(properties: &mut Map<String, Value>) {
    let mut rest: Vec<&mut Value> = properties.values_mut().collect();
    while let Some(Value::Object(schema)) = rest.pop() {
        schema.remove("additionalProperties");
        for (name, inner) in schema.iter_mut() {
            match (name.as_str(), inner) {
                ("items", items) => rest.push(items),
                ("properties", Value::Object(members)) => {
                    for member in members.values_mut() {
                        if member["default"] == json!([]) {
                            member.as_object_mut().map(|member| member.remove("default"));
                        }
                        rest.push(member);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The values that an argument takes, in words: `integer; 1 to 200; default 20`.
pub fn takes(property: &Value) -> String {
    let mut parts = vec![kind(property)];
    parts.extend(bounds(property));
    parts.extend(default_of(property).map(|default| format!("default {default}")));
    parts.join("; ")
}

/// The default of an argument, in words; `None` without one and for an empty list.
pub fn default_of(property: &Value) -> Option<String> {
    match property.get("default")? {
        Value::String(word) => Some(word.clone()),
        Value::Array(items) if items.is_empty() => None,
        other => Some(other.to_string()),
    }
}

/// Type of an argument, in words.
fn kind(property: &Value) -> String {
    let words: Vec<&str> = property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match (words.is_empty(), property["type"].as_str()) {
        (false, _) => words.join(", "),
        (true, Some("array")) => format!("list of {}", kind(&property["items"])),
        (true, Some("object")) => {
            let members = property["properties"].as_object().into_iter().flatten();
            let members: Vec<String> = members.map(|(name, member)| format!("`{name}`: {}", kind(member))).collect();
            format!("object of {}", members.join(", "))
        }
        (true, kind) => kind.unwrap_or("anything").to_owned(),
    }
}

/// Removes members that the caller does not need. Recursion is bounded by the types of this crate.
fn simplify(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    for key in ["$schema", "$defs", "title", "format"] {
        // Properties with such a name are not affected: they are one level deeper, below `properties`.
        members.remove(key);
    }
    if members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    if let Some(description) = members.get_mut("description").and_then(|text| text.as_str().map(one_line)) {
        members.insert("description".into(), description.into());
    }
    flatten_choices(&mut members);
    if let Some(Value::Array(types)) = members.get("type") {
        let mut types: Vec<Value> = types.iter().filter(|kind| *kind != "null").cloned().collect();
        if let (1, Some(only)) = (types.len(), types.pop()) {
            members.insert("type".into(), only);
        }
    }
    let is_zero = members.get("minimum").is_some_and(|minimum| minimum.as_f64() == Some(0.0));
    if is_zero && members.get("type").is_some_and(|kind| kind == "integer") {
        members.remove("minimum");
    }
    if let Some(Value::Object(properties)) = members.remove("properties") {
        let properties: Map<_, _> = properties.into_iter().map(|(name, schema)| (name, simplify(schema))).collect();
        members.insert("properties".into(), properties.into());
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(schema) = members.remove(inner) {
            members.insert(inner.into(), simplify(schema));
        }
    }
    Value::Object(members)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

/// `oneOf` of constants becomes `enum`; `anyOf` of a schema and `null` becomes the schema.
fn flatten_choices(members: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = members.get("oneOf") {
        let words: Option<Vec<Value>> =
            choices.iter().map(choice_words).collect::<Option<Vec<_>>>().map(|w| w.concat());
        if let Some(words) = words {
            members.remove("oneOf");
            members.insert("enum".into(), words.into());
            members.insert("type".into(), "string".into());
        }
    }
    if let Some(Value::Array(choices)) = members.get("anyOf") {
        let mut real = choices.iter().filter(|choice| choice.get("type") != Some(&json!("null"))).cloned();
        if let (Some(only), None) = (real.next(), real.next()) {
            members.remove("anyOf");
            if let Value::Object(inner) = simplify(only) {
                for (key, value) in inner {
                    members.entry(key).or_insert(value);
                }
            }
        }
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

fn choice_words(choice: &Value) -> Option<Vec<Value>> {
    match (choice.get("const"), choice.get("enum")) {
        (Some(word), _) => Some(vec![word.clone()]),
        (None, Some(Value::Array(words))) => Some(words.clone()),
        _ => None,
    }
}
