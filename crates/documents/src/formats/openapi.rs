//! OpenAPI (Swagger) descriptions and JSON Schemas, in JSON.

use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::model::BlockKind;
use crate::{Format, Unreadable, formats::report_malformed};

/// Methods of HTTP, in lower case.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Whether a text is one of both.
pub(super) fn is(name: &str, text: &str) -> bool {
    text.contains("\"openapi\"")
        || text.contains("\"swagger\"")
        || text.contains("\"$schema\"") && text.contains("json-schema.org")
        || name.ends_with(".schema.json")
}

/// Reads a description.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let value = super::json_tree(text, Format::OpenApi, draft.limits)?;
    let Value::Object(root) = &value else { return Err(report_malformed(Format::OpenApi, "it is not an object")) };
    if root.contains_key("openapi") || root.contains_key("swagger") {
        api(root, draft);
    } else {
        let title = string(&value, "title").or_else(|| string(&value, "$id")).unwrap_or("schema");
        schema(title, &value, 1, draft);
        for name in ["definitions", "$defs"] {
            schemas(value.get(name), draft);
        }
    }
    Ok(())
}

fn string<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

fn api(root: &Map<String, Value>, draft: &mut Draft<'_>) {
    let info = root.get("info").unwrap_or(&Value::Null);
    draft.heading(1, string(info, "title").unwrap_or("API"), 0);
    draft.block(BlockKind::Paragraph, string(info, "description").unwrap_or(""), None, (0, 0));
    if let Some(version) = string(info, "version") {
        draft.metadata().extra.push(("version".to_owned(), version.to_owned()));
    }
    for (path, item) in root.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get(*method) {
                endpoint(method, path, operation, draft);
            }
        }
    }
    schemas(root.get("definitions").or_else(|| root.get("components").and_then(|all| all.get("schemas"))), draft);
}

fn endpoint(method: &str, path: &str, operation: &Value, draft: &mut Draft<'_>) {
    draft.heading(2, &format!("{} {path}", method.to_uppercase()), 0);
    if let Some(name) = string(operation, "operationId") {
        draft.role("operation", name, 0);
    }
    for name in ["summary", "description"] {
        draft.block(BlockKind::Paragraph, string(operation, name).unwrap_or(""), None, (0, 0));
    }
    let row = |parts: [&str; 4]| parts.map(str::to_owned).to_vec();
    let mut rows = vec![row(["parameter", "in", "type", "description"])];
    for parameter in operation.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        let kind = parameter.get("schema").unwrap_or(parameter);
        rows.push(row([
            string(parameter, "name").unwrap_or(""),
            string(parameter, "in").unwrap_or(""),
            string(kind, "type").unwrap_or(""),
            string(parameter, "description").unwrap_or(""),
        ]));
    }
    for (status, response) in operation.get("responses").and_then(Value::as_object).into_iter().flatten() {
        rows.push(row([status, "response", "", string(response, "description").unwrap_or("")]));
    }
    if rows.len() > 1 {
        draft.table(None, rows, 0);
    }
}

fn schemas(all: Option<&Value>, draft: &mut Draft<'_>) {
    for (name, value) in all.and_then(Value::as_object).into_iter().flatten() {
        schema(name, value, 2, draft);
    }
}

fn schema(name: &str, value: &Value, level: u8, draft: &mut Draft<'_>) {
    draft.heading(level, name, 0);
    draft.role("schema", name, 0);
    draft.block(BlockKind::Paragraph, string(value, "description").unwrap_or(""), None, (0, 0));
    let required: Vec<&str> =
        value.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut rows = vec![["property", "type", "required", "description"].map(str::to_owned).to_vec()];
    for (property, value) in value.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let kind = string(value, "type").or_else(|| string(value, "$ref")).unwrap_or("");
        let needed = if required.contains(&&**property) { "yes" } else { "" };
        rows.push([property, kind, needed, string(value, "description").unwrap_or("")].map(str::to_owned).to_vec());
    }
    if rows.len() > 1 {
        draft.table(Some(name), rows, 0);
    }
}
