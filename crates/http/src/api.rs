//! The REST face: the tools of the registry, the state of the server.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use m1nd_base::uri::unescape;
use m1nd_query::map::{Color, MapQuery, map};
use m1nd_tools::{ANONYMOUS, ErrorCode, Reply, ToolError};
use serde_json::{Map, Value, json};

use crate::instances::list_instances;
use crate::openapi::describe_api;
use crate::server::{App, Limits};

/// Beginnings of the paths that need the token.
const API: [&str; 2] = ["/api", "/mcp"];
/// The type of bodies.
const JSON: &str = "application/json";

/// Returns whether a path is of the API, and therefore needs the token.
pub(crate) fn is_api(path: &str) -> bool {
    API.iter().any(|api| path.strip_prefix(api).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// An answer that is an error: `{error, message, …}`.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    body: Map<String, Value>,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let body = [("error".to_owned(), code.into()), ("message".to_owned(), Value::String(message.into()))];
        Self { status, body: Map::from_iter(body) }
    }

    /// Adds the next step.
    pub(crate) fn next(mut self, step: &str) -> Self {
        self.body.insert("suggested_next_step".to_owned(), step.into());
        self
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = answer(self.status, &Value::Object(self.body));
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let mut failure = Self::new(status_of(error.code), error.code.word(), error.message.clone());
        if let Value::Object(members) = error.to_json() {
            // What `error` and `code` of a tool say has other names here.
            let more = members.into_iter().filter(|(name, _)| name != "error" && name != "code");
            failure.body.extend(more);
        }
        failure
    }
}

/// The status for an error of a tool.
fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::UnknownTool
        | ErrorCode::NodeNotFound
        | ErrorCode::FileNotFound
        | ErrorCode::RevisionNotFound
        | ErrorCode::PreviewNotFound
        | ErrorCode::RouteNotFound
        | ErrorCode::HandleUnknown
        | ErrorCode::LayerNotFound
        | ErrorCode::ProjectNotRegistered => StatusCode::NOT_FOUND,
        ErrorCode::ReadOnly | ErrorCode::OutsideWorkspace | ErrorCode::WriteRefused | ErrorCode::HandleNotYours => {
            StatusCode::FORBIDDEN
        }
        ErrorCode::Busy | ErrorCode::IndexNotReady => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::Internal | ErrorCode::StoreFailed | ErrorCode::WriteFailed | ErrorCode::SearchFailed => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::BAD_REQUEST,
    }
}

/// An answer in JSON.
pub(crate) fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], body.to_string()).into_response()
}

/// Reads a body with its limits of size and time.
pub(crate) async fn read_body(body: Body, limits: &Limits) -> Result<Bytes, Failure> {
    let read = tokio::time::timeout(limits.body_time, Limited::new(body, limits.body_bytes).collect());
    match read.await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(report_size(limits)),
        Ok(Err(error)) => {
            Err(Failure::new(StatusCode::BAD_REQUEST, "invalid_body", format!("the body cannot be read: {error}")))
        }
        Err(_) => Err(Failure::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", "the body did not arrive in time")),
    }
}

/// Refuses a body that says that it is too large, before any of it is read.
pub(crate) fn check_length(headers: &HeaderMap, limits: &Limits) -> Result<(), Failure> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limits.body_bytes as u64) { Err(report_size(limits)) } else { Ok(()) }
}

fn report_size(limits: &Limits) -> Failure {
    let most = limits.body_bytes;
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", format!("a body has at most {most} bytes"))
}

/// Refuses a body that is not JSON. A form of another site can send only other types.
fn check_type(headers: &HeaderMap) -> Result<(), Failure> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(JSON) {
        return Ok(());
    }
    let message = "the type of the body is missing or another; expected `Content-Type: application/json`";
    Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_type", message))
}

/// Reads a body that is an object, or empty.
pub(crate) async fn read_arguments(app: &App, request: Request) -> Result<Map<String, Value>, Failure> {
    let (parts, body) = request.into_parts();
    check_type(&parts.headers)?;
    check_length(&parts.headers, &app.limits)?;
    let body = read_body(body, &app.limits).await?;
    match serde_json::from_slice(&body) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => {
            let message = "the body is not an object; expected the arguments of the call";
            Err(Failure::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidParams.word(), message))
        }
        Err(_) if body.trim_ascii().is_empty() => Ok(Map::new()),
        Err(error) => {
            let message = format!("the body is not valid JSON: {error}");
            Err(Failure::new(StatusCode::BAD_REQUEST, "invalid_json", message))
        }
    }
}

/// `POST /api/tools/{tool}`.
pub(crate) async fn call_tool(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Failure> {
    let arguments = read_arguments(&app, request).await?;
    let result = match app.host.call(&name, arguments, ANONYMOUS).await? {
        Reply::Json(value) => value,
        Reply::Text(text) => json!({"text": text}),
    };
    Ok(answer(StatusCode::OK, &json!({"result": result})))
}

/// `GET /api/tools`.
pub(crate) async fn list_tools(State(app): State<Arc<App>>) -> Response {
    answer(StatusCode::OK, &app.host.list_tools())
}

/// `GET /api/health`.
pub(crate) async fn show_health(State(app): State<Arc<App>>) -> Response {
    let health = app.host.health();
    let mut body = json!({
        "status": health.status,
        "root": health.root,
        "nodes": health.nodes,
        "edges": health.edges,
        "generation": health.generation,
        "uptime_secs": health.uptime_secs,
        "clients": health.clients,
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(activity) = health.activity {
        body["progress"] = json!({"done": activity.done, "total": activity.total, "stage": activity.stage});
    }
    answer(StatusCode::OK, &body)
}

/// `GET /api/map`.
pub(crate) async fn show_map(State(app): State<Arc<App>>, uri: Uri) -> Result<Response, Failure> {
    let query = read_map_query(uri.query().unwrap_or_default())?;
    let found = app.host.read("map", move |cx| {
        if cx.snapshot.is_empty() {
            return Err(ToolError::empty_graph());
        }
        map(&cx.snapshot, &query, cx.cancel).map_err(|_| ToolError::new(ErrorCode::Cancelled, "the map was cancelled"))
    });
    let found = serde_json::to_string(&found.await?);
    let body = found.map_err(|error| {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal.word(), error.to_string())
    })?;
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, JSON)], body).into_response())
}

/// The parameters of a map.
fn read_map_query(text: &str) -> Result<MapQuery, Failure> {
    let invalid = |message: String| Failure::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidParams.word(), message);
    let mut query = MapQuery::default();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = unescape(&value.replace('+', " ")).ok_or_else(|| invalid(format!("`{name}` is not valid")))?;
        let count = || value.parse().map_err(|_| invalid(format!("`{name}` is not a number")));
        match name {
            "open" => query.open.push(value),
            "reveal" => query.reveal.push(value),
            "limit" => query.limit = count()?,
            "edges" => query.edges = count()?,
            "color" if value.is_empty() => {}
            "color" => {
                let words = Color::ALL.map(Color::word).join(", ");
                let found = Color::parse(&value);
                query.color = Some(found.ok_or_else(|| invalid(format!("unknown colour, expected one of {words}")))?);
            }
            _ => {
                let shown: String = name.chars().take(40).collect();
                let known = "open, reveal, limit, edges, color";
                return Err(invalid(format!("unknown parameter `{shown}`, expected one of {known}")));
            }
        }
    }
    Ok(query)
}

/// `GET /api/instances`.
pub(crate) async fn show_instances(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let home = app.home.clone();
    let listed = tokio::task::spawn_blocking(move || list_instances(&home)).await;
    let instances = match listed {
        Ok(Ok(instances)) => instances,
        _ => return Err(Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "instances cannot be listed")),
    };
    let rows: Vec<Value> = instances
        .iter()
        .map(|instance| {
            let is_this = app.instance.as_ref() == Some(&instance.id);
            json!({
                "id": instance.id, "root": instance.root, "url": instance.url, "pid": instance.pid,
                "started": instance.started, "is_this": is_this,
            })
        })
        .collect();
    Ok(answer(StatusCode::OK, &json!({"instances": rows})))
}

/// `GET /api/openapi.json`.
pub(crate) async fn show_openapi(State(app): State<Arc<App>>) -> Response {
    answer(StatusCode::OK, app.openapi.get_or_init(|| describe_api(&app.host.list_tools())))
}

/// Every other path of the API.
pub(crate) async fn report_unknown_route() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "unknown_route", "there is nothing at this path")
        .next("`/api/openapi.json` describes the API")
}

/// Every other method of a path of the API.
pub(crate) async fn report_method(method: Method) -> Failure {
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", format!("{method} is not allowed at this path"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_need_the_token() {
        for (path, expected) in [
            ("/api", true),
            ("/api/tools", true),
            ("/mcp", true),
            ("/mcp/", true),
            ("/apis", false),
            ("/", false),
            ("/map", false),
            ("/assets/api/x.js", false),
        ] {
            assert_eq!(is_api(path), expected, "{path}");
        }
    }
}
