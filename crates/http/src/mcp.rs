//! `/mcp`: Streamable HTTP of the official SDK, with limits of bodies, streams and sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use m1nd_server::{Handler, Host};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::api::{Failure, check_length, read_body};
use crate::server::{App, Limits};

/// Name of the header of sessions.
const SESSION: &str = "mcp-session-id";
/// How long a session without requests is kept. Editors stay open over a night.
const SESSION_IDLE: Duration = Duration::from_secs(24 * 3600);
/// Type of streams.
const STREAM: &str = "text/event-stream";

/// The sessions of clients up to 2025-11-25. Of more than the limit, the one that was used least recently ends; its
/// client is then told to start another.
pub(crate) struct Mcp {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    used: Mutex<HashMap<String, Instant>>,
    max_sessions: usize,
}

impl Mcp {
    pub(crate) fn new(host: &Host, limits: &Limits, shutdown: &CancellationToken) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION_IDLE);
        let manager = Arc::new(manager);
        // Hosts and origins are checked before, more strictly.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(limits.body_bytes)
            .with_cancellation_token(shutdown.child_token());
        let host = host.clone();
        let service = StreamableHttpService::new(move || Ok(host.handler()), manager.clone(), config);
        Self { service, manager, used: Mutex::default(), max_sessions: limits.sessions }
    }

    /// Notes the use of the session that a request or an answer names, and ends others if there are too many.
    #[allow(clippy::disallowed_methods, reason = "the least recently used session ends first")]
    async fn note_use(&self, headers: &HeaderMap, is_new: bool) {
        let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return };
        let known: Vec<String> = self.manager.sessions.read().await.keys().map(|id| id.to_string()).collect();
        if !known.iter().any(|known| known == id) {
            return;
        }
        let surplus = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.insert(id.to_owned(), Instant::now());
            if !is_new {
                return;
            }
            used.retain(|id, _| known.contains(id));
            let mut oldest: Vec<(Instant, String)> = used.iter().map(|(id, at)| (*at, id.clone())).collect();
            oldest.sort();
            let surplus = oldest.len().saturating_sub(self.max_sessions);
            oldest.into_iter().take(surplus).map(|(_, id)| id).collect::<Vec<_>>()
        };
        for id in surplus {
            tracing::info!("too many sessions: the one that was used least recently ends");
            let _ = self.manager.close_session(&id.into()).await;
        }
    }
}

/// Passes a request on to the SDK, with its body read and its stream counted.
pub(crate) async fn serve(State(app): State<Arc<App>>, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let body = match parts.method {
        Method::POST => {
            check_length(&parts.headers, &app.limits)?;
            read_body(body, &app.limits).await?
        }
        _ => Default::default(),
    };
    let is_end = parts.method == Method::DELETE;
    let stream = if is_end { None } else { Some(app.open_stream()?) };
    app.mcp.note_use(&parts.headers, false).await;
    let mut response = app.mcp.service.handle(Request::from_parts(parts, Body::from(body))).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        // The session has ended, and clients warn of anything but 200 and 204.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    app.mcp.note_use(response.headers(), true).await;
    let is_stream = response.headers().get(header::CONTENT_TYPE).is_some_and(|given| given == STREAM);
    Ok(match stream.filter(|_| is_stream) {
        // The stream counts until its body is dropped.
        Some(stream) => response
            .map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let _ = &stream;
                    frame
                }))
            })
            .into_response(),
        None => response.map(Body::new).into_response(),
    })
}
