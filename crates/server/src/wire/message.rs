//! Converts the bytes of a frame to typed messages of the SDK: limits first, then leniency.
//!
//! The SDK is strict where real clients are sloppy (no `protocolVersion` in `initialize`, arguments sent as a string)
//! and silent where they need an answer (a malformed message, a batch). Both are handled here, on the raw JSON, so
//! that everything behind this module only sees well-formed messages.

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value, json};

use crate::scan::Scan;

/// Maximum nesting of arrays and objects in a request.
pub const NESTING: usize = 64;
/// Maximum number of messages in a batch.
pub const BATCH: usize = 100;
/// Protocol version assumed for a client that names none.
const ASSUMED_VERSION: &str = "2024-11-05";
/// Supported request methods.
pub(crate) const METHODS: &[&str] = &[
    "initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list",
    "resources/read", "prompts/list", "prompts/get",
];
/// Key that carries arguments that are not an object to the tool, whose own validation then names the expected type.
pub(crate) const NOT_AN_OBJECT: &str = "\u{0}arguments";

/// JSON-RPC error codes that this server sends.
pub(crate) mod code {
    pub(crate) const PARSE: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;
}

/// Action for one message.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// Pass it to the SDK.
    Deliver(Box<ClientJsonRpcMessage>),
    /// Answer it here, with this JSON.
    Reply(Value),
}

/// An error response of JSON-RPC.
pub(crate) fn error_reply(id: Option<Value>, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

fn refuse(id: Option<Value>, code: i64, message: &str) -> Incoming {
    Incoming::Reply(error_reply(id, code, message))
}

/// Reads one frame. A batch gives several messages; an unsolicited answer or an unusable notification gives none.
pub(crate) fn read(bytes: &[u8]) -> Vec<Incoming> {
    let mut scan = Scan::default();
    scan.feed(bytes);
    if scan.deepest() > NESTING {
        let message =
            format!("request nests {} levels deep, the limit is {NESTING}; send a flatter one", scan.deepest());
        return vec![refuse(scan.id(), code::INVALID_REQUEST, &message)];
    }
    match serde_json::from_slice(bytes) {
        Err(error) => vec![refuse(None, code::PARSE, &format!("Parse error: {error}"))],
        Ok(Value::Array(batch)) if batch.is_empty() || batch.len() > BATCH => {
            let message = format!("a batch holds 1 to {BATCH} messages, received {}", batch.len());
            vec![refuse(None, code::INVALID_REQUEST, &message)]
        }
        Ok(Value::Array(batch)) => batch.into_iter().filter_map(read_one).collect(),
        Ok(value) => read_one(value).into_iter().collect(),
    }
}

fn read_one(value: Value) -> Option<Incoming> {
    let Value::Object(mut message) = value else {
        return Some(refuse(None, code::INVALID_REQUEST, "a message is a JSON object"));
    };
    if !message.contains_key("method") && (message.contains_key("result") || message.contains_key("error")) {
        return answer(message);
    }
    // Checked before the SDK parses the message, so that each error names its cause and has the id where it is usable.
    let has_id = message.contains_key("id");
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64()).cloned();
    if has_id && id.is_none() {
        return Some(refuse(None, code::INVALID_REQUEST, "id must be a string or a whole number"));
    }
    if message.get("jsonrpc").is_some_and(|version| version != "2.0") {
        return Some(refuse(id, code::INVALID_REQUEST, "jsonrpc must be \"2.0\""));
    }
    message.insert("jsonrpc".into(), "2.0".into());
    let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
        return Some(refuse(id, code::INVALID_REQUEST, "method must be a string"));
    };
    // Some clients send notifications as requests and wait for an answer.
    if has_id && method.starts_with("notifications/") {
        return Some(Incoming::Reply(json!({"jsonrpc": "2.0", "id": id, "result": {}})));
    }
    if has_id && !METHODS.contains(&method.as_str()) {
        let shown: String = method.chars().take(100).collect();
        return Some(refuse(id, code::METHOD_NOT_FOUND, &format!("Method not found: {shown}")));
    }
    // Only now the parameters; a notification with wrong ones is dropped, since nobody waits for an error.
    let params = match message.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => {
            return has_id.then(|| refuse(id, code::INVALID_PARAMS, "params must be an object"));
        }
    };
    message.insert("params".into(), Value::Object(normalise_params(&method, params)));
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(message)) {
        Ok(message) => Some(Incoming::Deliver(Box::new(message))),
        Err(error) => {
            has_id.then(|| refuse(id, code::INVALID_PARAMS, &format!("Invalid params for {method}: {error}")))
        }
    }
}

/// The client's answer to the only request that this server makes. The transport checks whether it was made.
fn answer(mut message: Map<String, Value>) -> Option<Incoming> {
    let has_id = message.get("id").is_some_and(|id| id.is_string() || id.is_i64());
    let is_expected = message.get("result").is_none_or(|result| result["roots"].is_array());
    if !has_id || !is_expected {
        return None;
    }
    message.insert("jsonrpc".into(), "2.0".into());
    let message = serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(message)).ok()?;
    Some(Incoming::Deliver(Box::new(message)))
}

/// Adds what the SDK requires and clients omit; drops values of a type it cannot read.
fn normalise_params(method: &str, mut params: Map<String, Value>) -> Map<String, Value> {
    keep_if(&mut params, "_meta", Value::is_object);
    match method {
        "initialize" => {
            keep_if(&mut params, "protocolVersion", Value::is_string);
            keep_if(&mut params, "capabilities", Value::is_object);
            keep_if(&mut params, "clientInfo", Value::is_object);
            params.entry("protocolVersion").or_insert_with(|| ASSUMED_VERSION.into());
            params.entry("capabilities").or_insert_with(|| json!({}));
            if let Some(Value::Object(info)) = Some(params.entry("clientInfo").or_insert_with(|| json!({}))) {
                keep_if(info, "version", Value::is_string);
                keep_if(info, "name", |name| name.as_str().is_some_and(|name| !name.trim().is_empty()));
                info.entry("name").or_insert_with(|| m1nd_tools::ANONYMOUS.into());
                info.entry("version").or_insert_with(|| "0".into());
            }
        }
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            keep_if(&mut params, "cursor", Value::is_string);
        }
        "resources/read" | "prompts/get" => {
            // Members of newer protocol versions that no request here uses.
            params.remove("inputResponses");
            params.remove("requestState");
            if method == "prompts/get" {
                keep_if(&mut params, "arguments", Value::is_object);
            }
        }
        "tools/call" => {
            keep_if(&mut params, "name", Value::is_string);
            params.entry("name").or_insert_with(|| "".into());
            params.remove("inputResponses");
            params.remove("requestState");
            let arguments = params.remove("arguments").unwrap_or(Value::Null);
            params.insert("arguments".into(), Value::Object(arguments_object(arguments)));
        }
        _ => {}
    }
    params
}

fn arguments_object(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Null => Map::new(),
        Value::Object(object) => object,
        // Some clients encode the arguments twice.
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => object,
            _ => Map::from_iter([(NOT_AN_OBJECT.to_owned(), Value::String(text))]),
        },
        other => Map::from_iter([(NOT_AN_OBJECT.to_owned(), other)]),
    }
}

fn keep_if(object: &mut Map<String, Value>, key: &str, good: fn(&Value) -> bool) {
    if object.get(key).is_some_and(|value| !good(value)) {
        object.remove(key);
    }
}

/// The JSON form of a request's id.
pub(crate) fn id_value(id: &RequestId) -> Value {
    id.clone().into_json_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage};

    /// Short form: the delivered method, the code of the error, or `ok` for another answer.
    fn check(text: &str, expected: &[&str]) {
        let got: Vec<String> = read(text.as_bytes())
            .into_iter()
            .map(|incoming| match incoming {
                Incoming::Deliver(message) => match *message {
                    JsonRpcMessage::Request(request) => match request.request {
                        ClientRequest::CustomRequest(request) => format!("custom {}", request.method),
                        request => request.method().to_owned(),
                    },
                    JsonRpcMessage::Notification(note) => match note.notification {
                        ClientNotification::CustomNotification(note) => format!("note {}", note.method),
                        _ => "note".into(),
                    },
                    other => format!("{other:?}"),
                },
                Incoming::Reply(reply) => match reply["error"]["code"].as_i64() {
                    Some(code) => format!("{code} {}", reply["id"]),
                    None => "ok".into(),
                },
            })
            .collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn sloppy_but_clear_requests_are_delivered() {
        check(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#, &["initialize"]);
        check(r#"{"id":0,"method":"initialize"}"#, &["initialize"]);
        check(
            r#"{"id":0,"method":"initialize","params":{"clientInfo":3,"capabilities":[],"protocolVersion":1}}"#,
            &["initialize"],
        );
        check(r#"{"id":"a","method":"tools/list","params":null}"#, &["tools/list"]);
        check(r#"{"id":"a","method":"tools/list","params":{"cursor":3,"_meta":7}}"#, &["tools/list"]);
        check(r#"{"id":1,"method":"tools/call"}"#, &["tools/call"]);
        check(r#"{"id":1,"method":"tools/call","params":{"name":3,"arguments":[1]}}"#, &["tools/call"]);
        check(r#"{"id":1,"method":"ping"}"#, &["ping"]);
        check(r#"{"id":1,"method":"no/such"}"#, &["-32601 1"]);
        check(r#"{"id":1,"method":"prompts/list","params":{"cursor":3}}"#, &["prompts/list"]);
        check(r#"{"id":1,"method":"prompts/get","params":{"name":"x","arguments":7}}"#, &["prompts/get"]);
        check(r#"{"id":1,"method":"resources/read","params":{"uri":7}}"#, &["custom resources/read"]);
        check(r#"{"id":1,"method":"resources/subscribe","params":{"uri":"x"}}"#, &["-32601 1"]);
        check(r#"{"method":"notifications/whatever"}"#, &["note notifications/whatever"]);
        check(r#"{"id":3,"method":"notifications/initialized"}"#, &["ok"]);
    }

    #[test]
    fn malformed_messages_get_the_code_of_json_rpc() {
        check("{", &["-32700 null"]);
        check("{} trailing", &["-32700 null"]);
        check("[]", &["-32600 null"]);
        check("[1]", &["-32600 null"]);
        check("{}", &["-32600 null"]);
        check(r#"{"id":4}"#, &["-32600 4"]);
        check(r#"{"id":4,"method":5}"#, &["-32600 4"]);
        check(r#"{"id":null,"method":"ping"}"#, &["-32600 null"]);
        check(r#"{"id":1.5,"method":"ping"}"#, &["-32600 null"]);
        check(r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, &["-32600 4"]);
        check(r#"{"id":4,"method":"ping","params":[1]}"#, &["-32602 4"]);
    }

    #[test]
    fn answers_and_unusable_notifications_are_dropped() {
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, &[]);
        check(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":{}}}"#, &[]);
        check(r#"{"jsonrpc":"2.0","id":null,"result":{"roots":[]}}"#, &[]);
        check(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#, &[]);
        // The transport checks whether these were requested.
        let delivered = |text: &str| matches!(read(text.as_bytes()).as_slice(), [Incoming::Deliver(_)]);
        assert!(delivered(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#));
        assert!(delivered(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#));
        check(r#"{"method":"notifications/x","params":[1]}"#, &[]);
    }

    #[test]
    fn a_batch_is_split_and_its_size_bounded() {
        check(r#"[{"id":1,"method":"ping"},3,{"id":2,"method":"tools/list"}]"#, &["ping", "-32600 null", "tools/list"]);
        let many = format!("[{}]", vec!["1"; BATCH + 1].join(","));
        check(&many, &["-32600 null"]);
    }

    #[test]
    fn deep_nesting_is_refused_before_parsing_and_names_the_id() {
        let deep =
            format!(r#"{{"id":9,"method":"ping","params":{{"x":{}{}}}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        check(&deep, &["-32600 9"]);
    }

    #[test]
    fn arguments_of_the_wrong_shape_reach_the_tool() {
        assert_eq!(arguments_object(json!("{\"a\":1}")), json!({"a": 1}).as_object().cloned().unwrap());
        assert_eq!(arguments_object(json!([1]))[NOT_AN_OBJECT], json!([1]));
        assert!(arguments_object(Value::Null).is_empty());
    }
}
