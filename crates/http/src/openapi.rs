//! The OpenAPI document of the REST face, made from the registry.

use m1nd_server::EventKind;
use m1nd_tools::canonical_name;
use serde_json::{Map, Value, json};

/// Statuses of failed calls, with what they mean.
const FAILURES: [(&str, &str); 8] = [
    ("400", "The arguments or the body are invalid, or the tool does not apply"),
    ("401", "The token is missing or wrong"),
    ("403", "Not allowed: a foreign host or origin, a read-only server, a path outside the project"),
    ("404", "No such tool, node or file"),
    ("413", "The body is too large"),
    ("415", "The body is not `application/json`"),
    ("500", "A bug in m1nd, or the store cannot be used"),
    ("504", "The call took too long and was cancelled"),
];

/// The document, for the tools that `tools/list` shows.
pub fn describe_api(list: &Value) -> Value {
    let tools = list["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut paths = Map::new();
    for (path, operation) in fixed_paths() {
        paths.insert(path.to_owned(), json!({"get": operation}));
    }
    for tool in tools {
        let name = canonical_name(tool["name"].as_str().unwrap_or_default());
        paths.insert(format!("/api/tools/{name}"), json!({"post": describe_tool(&name, tool)}));
    }
    let failure = |meaning: &str| {
        let schema = json!({"$ref": "#/components/schemas/Failure"});
        json!({"description": meaning, "content": {"application/json": {"schema": schema}}})
    };
    let known = FAILURES.iter().map(|(status, meaning)| (format!("Failure{status}"), failure(meaning)));
    let responses = Map::from_iter(known.chain([("Failure".to_owned(), failure("The request failed"))]));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "m1nd",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The tools of m1nd over HTTP. Answers of tools are those of MCP.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas(),
            "responses": responses,
        },
    })
}

/// The paths that do not depend on the registry, which are only read.
fn fixed_paths() -> [(&'static str, Value); 5] {
    let events: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.word()).collect();
    let last = json!({
        "name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "minimum": 0},
        "description": "Number of the last event that the client saw: later ones are sent again",
    });
    [
        ("/api/health", describe_read("readHealth", "The state of the server", "Health")),
        ("/api/tools", describe_read("listTools", "The tools, as `tools/list` of MCP shows them", "Tools")),
        ("/api/instances", describe_read("listInstances", "The running servers of this user", "Instances")),
        ("/api/openapi.json", describe_read("describe", "This document", "Document")),
        (
            "/api/events",
            json!({
                "operationId": "watch",
                "summary": "What happens on the server, until the client disconnects",
                "description": format!("Kinds of events: {}", events.join(", ")),
                "parameters": [last],
                "responses": {
                    "200": {
                        "description": "Server-sent events with `id`, `event` and `data` as JSON",
                        "content": {"text/event-stream": {"schema": {"type": "string"}}},
                    },
                    "default": {"$ref": "#/components/responses/Failure"},
                },
            }),
        ),
    ]
}

fn describe_read(id: &str, summary: &str, schema: &str) -> Value {
    json!({
        "operationId": id,
        "summary": summary,
        "responses": {
            "200": {
                "description": summary,
                "content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}},
            },
            "default": {"$ref": "#/components/responses/Failure"},
        },
    })
}

/// The operation that calls a tool.
fn describe_tool(name: &str, tool: &Value) -> Value {
    let mut result = tool.get("outputSchema").cloned().unwrap_or_else(|| json!({}));
    let mut input = tool.get("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"}));
    for schema in [&mut result, &mut input] {
        if let Some(schema) = schema.as_object_mut() {
            // The dialect is that of the document.
            schema.shift_remove("$schema");
        }
    }
    let mut responses = Map::new();
    let answer = json!({"type": "object", "required": ["result"], "properties": {"result": result}});
    responses.insert(
        "200".to_owned(),
        json!({"description": "The answer of the tool", "content": {"application/json": {"schema": answer}}}),
    );
    responses.extend(
        FAILURES.iter().map(|(status, _)| {
            ((*status).to_owned(), json!({"$ref": format!("#/components/responses/Failure{status}")}))
        }),
    );
    json!({
        "operationId": name,
        "summary": tool.get("title").cloned().unwrap_or_else(|| name.into()),
        "description": tool.get("description").cloned().unwrap_or_default(),
        "tags": ["tools"],
        "requestBody": {"content": {"application/json": {"schema": input}}},
        "responses": responses,
    })
}

/// The schemas that operations refer to.
fn schemas() -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "minimum": 0});
    json!({
        "Failure": {
            "type": "object", "required": ["error", "message"],
            "properties": {"error": text, "message": text, "suggested_next_step": text},
        },
        "Health": {
            "type": "object",
            "required": ["status", "root", "nodes", "edges", "generation", "uptime_secs", "clients", "version"],
            "properties": {
                "status": {"enum": ["ok", "empty", "indexing"]}, "root": text, "nodes": count, "edges": count,
                "generation": count, "uptime_secs": count, "clients": count, "version": text,
                "progress": {
                    "type": "object", "required": ["done", "total", "stage"],
                    "properties": {"done": count, "total": {"type": ["integer", "null"], "minimum": 0}, "stage": text},
                },
            },
        },
        "Tools": {
            "type": "object", "required": ["tools"],
            "properties": {"tools": {"type": "array", "items": {
                "type": "object", "required": ["name", "inputSchema"],
                "properties": {"name": text, "description": text, "inputSchema": {"type": "object"}},
            }}},
        },
        "Instances": {
            "type": "object", "required": ["instances"],
            "properties": {"instances": {"type": "array", "items": {
                "type": "object", "required": ["id", "root", "url", "pid", "started", "is_this"],
                "properties": {
                    "id": text, "root": text, "url": text, "pid": count, "started": count, "is_this": {"type": "boolean"},
                },
            }}},
        },
        "Document": {"type": "object"},
    })
}
