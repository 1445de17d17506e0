//! The OpenAPI document of the REST face, made from the registry.

use m1nd_query::map::{Color, DEFAULT_EDGES, DEFAULT_NODES, MAX_EDGES, MAX_NODES};
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
        let method = if operation.get("requestBody").is_some() { "post" } else { "get" };
        paths.insert(path.to_owned(), json!({method: operation}));
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

/// The paths that do not depend on the registry.
fn fixed_paths() -> [(&'static str, Value); 9] {
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
        ("/api/map", describe_map()),
        ("/api/memory", describe_read("listMemories", "The memories of the project with their state", "Memory")),
        (
            "/api/memory/approve",
            describe_write("approveMemories", "Approves memories that came with the project, or withdraws that", {
                json!({"sources": {"type": "array", "items": {"type": "string"}}, "undo": {"type": "boolean"}})
            }),
        ),
        (
            "/api/memory/forget",
            describe_write("forgetMemory", "Removes a memory from its file, or hides it", {
                json!({"id": {"type": "string"}, "undo": {"type": "boolean"}, "dry_run": {"type": "boolean"}})
            }),
        ),
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

/// The operation that shows the map.
fn describe_map() -> Value {
    let parameter = |name: &str, schema: Value, meaning: &str| json!({"name": name, "in": "query", "schema": schema, "description": meaning});
    let ids = json!({"type": "array", "items": {"type": "string"}});
    let count =
        |default: usize, most: usize| json!({"type": "integer", "minimum": 0, "maximum": most, "default": default});
    let mut operation = describe_read("showMap", "The map of the project, as far as it is opened", "Map");
    operation["parameters"] = json!([
        parameter("open", ids.clone(), "Ids of nodes to replace by their content"),
        parameter("reveal", ids, "Ids of nodes to show: what contains them is opened"),
        parameter("limit", count(DEFAULT_NODES, MAX_NODES), "Maximum number of nodes"),
        parameter("edges", count(DEFAULT_EDGES, MAX_EDGES), "Maximum number of bundled edges"),
        parameter("color", json!({"enum": Color::ALL.map(Color::word)}), "What the colour of nodes shows"),
    ]);
    operation
}

/// An operation that takes an object with these properties. What it wrote is described by its command.
fn describe_write(id: &str, summary: &str, properties: Value) -> Value {
    let schema = json!({"type": "object", "properties": properties});
    let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
    let mut operation = describe_read(id, summary, "Document");
    operation["requestBody"] = body;
    operation
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
    let node = json!({
        "type": "object", "required": ["id", "label", "kind", "x", "y", "size", "children"],
        "properties": {
            "id": text, "label": text, "kind": {"enum": ["package", "folder", "file", "symbol"]}, "parent": text,
            "x": {"type": "number"}, "y": {"type": "number"}, "size": {"type": "number"}, "children": count,
        },
    });
    let memory = json!({
        "type": "object", "required": ["id", "type", "title", "content"],
        "properties": {"id": text, "type": text, "title": text, "content": text},
    });
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
        "Memory": {
            "type": "object", "required": ["registered", "approved", "memories", "hidden", "sources"],
            "properties": {
                "project": text, "registered": {"type": "boolean"}, "approved": {"type": "boolean"},
                "memories": {"type": "array", "items": memory}, "hidden": {"type": "array", "items": memory},
                "sources": {"type": "array", "items": {"type": "object"}},
            },
        },
        "Map": {
            "type": "object", "required": ["generation", "nodes", "opened", "edges", "hidden", "bounds"],
            "properties": {
                "generation": count, "nodes": {"type": "array", "items": node}, "opened": {"type": "array", "items": node},
                "edges": {"type": "array", "items": {"type": "object", "required": ["source", "target", "count", "kinds"]}},
                "hidden": {"type": "object", "required": ["nodes", "edges"]},
                "bounds": {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
            },
        },
    })
}
