//! The server: its options, routes, start and end.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};
use m1nd_server::{Host, ServeError, ServeOptions, Source};
use m1nd_store::StoreError;
use serde_json::Value;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::api::{self, Failure};
use crate::instances::Announcement;
use crate::mcp::{self, Mcp};
use crate::page::Page;
use crate::token::Token;
use crate::wall::{Wall, guard};
use crate::{Address, connections, events, memory, tls};

/// How long a call over HTTP may take.
const CALL_TIME: Duration = Duration::from_secs(120);
/// How many connections may wait to be accepted; the system may allow fewer. A client that finds no place tries again
/// after a second.
const BACKLOG: u32 = 4096;
/// Interval of looks whether anybody uses a server that ends when nobody does.
const IDLE_STEP: Duration = Duration::from_secs(1);

/// The limits of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a connection may take until its first request has arrived, without the body.
    pub first_request: Duration,
    /// Largest body, in bytes: an edit of many files is one call.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How long a call may take before it is cancelled.
    pub call_time: Duration,
    /// Maximum number of open streams of events and answers.
    pub streams: usize,
    /// Maximum number of sessions; a new one too many ends the one that was used least recently.
    pub sessions: usize,
    /// Maximum number of connections that are kept open between requests.
    pub connections: usize,
    /// Maximum number of connections that have not sent a request yet.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_request: Duration::from_secs(10),
            body_bytes: 4 << 20,
            body_time: Duration::from_secs(30),
            call_time: CALL_TIME,
            streams: 256,
            sessions: 128,
            connections: 512,
            waiting: 256,
        }
    }
}

/// How to serve over HTTP.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// Where to listen.
    pub address: Address,
    /// The certificate with its chain, and its key, as PEM files.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Listens on an address that other machines reach without a certificate.
    pub insecure: bool,
    /// Names of the server beside its address, for `Host`.
    pub names: Vec<String>,
    /// Ends the server when nobody has used it for this long.
    pub idle: Option<Duration>,
    /// Its limits.
    pub limits: Limits,
}

/// The reason why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is reachable from other machines, without encryption.
    #[error("{0} can be reached from other machines, which needs a certificate: pass --tls-cert and --tls-key")]
    NeedsCertificate(SocketAddr),
    /// The certificate or its key cannot be used.
    #[error("cannot use `{path}`: {why}", path = path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The token or the entry of the server cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused a thread.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) host: Host,
    pub(crate) mcp: Mcp,
    pub(crate) limits: Limits,
    pub(crate) home: PathBuf,
    pub(crate) instance: Option<String>,
    pub(crate) openapi: OnceLock<Value>,
    pub(crate) shutdown: CancellationToken,
    streams: Arc<Semaphore>,
    page: Page,
}

impl App {
    /// Counts a stream until the permit is dropped.
    pub(crate) fn open_stream(&self) -> Result<OwnedSemaphorePermit, Failure> {
        self.streams.clone().try_acquire_owned().map_err(|_| {
            let most = self.limits.streams;
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_streams", format!("{most} streams are open"))
                .next("close some of them")
        })
    }
}

/// A server that listens.
pub struct HttpServer {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    url: String,
    token: Token,
    app: Arc<App>,
    router: Router,
    idle: Option<Duration>,
    /// Removed when the server ends.
    _announcement: Option<Announcement>,
}

impl HttpServer {
    /// Listens, and announces the server to programs of this user. Runs in a runtime of
    /// [`m1nd_server::start_runtime`].
    ///
    /// # Errors
    /// The address is not allowed or in use, the certificate or the token cannot be read.
    pub async fn start(host: Host, home: &Path, options: HttpOptions) -> Result<Self, HttpError> {
        // What is refused, before anything is opened.
        let Address(wanted) = options.address;
        if !wanted.ip().is_loopback() && options.certificate.is_none() && !options.insecure {
            return Err(HttpError::NeedsCertificate(wanted));
        }
        let tls = options.certificate.as_ref().map(|(certificate, key)| tls::load(certificate, key)).transpose()?;
        let token = Token::load(home)?;
        let failed = |source| HttpError::Listen { address: wanted, source };
        let listener = listen(wanted).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let url = url_of(address, tls.is_some(), &options.names);
        // The entry by which `m1nd open` finds it. Without one the server works, too.
        let root = host.services().engine.config().roots.first().cloned().unwrap_or_default();
        let announcement = Announcement::write(home, &root, &url)
            .inspect_err(|error| tracing::warn!(%error, "`m1nd open` will not find this server"))
            .ok();
        // What the requests share.
        let (shutdown, limits) = (CancellationToken::new(), options.limits);
        let app = Arc::new(App {
            mcp: Mcp::new(&host, &limits, &shutdown),
            streams: Arc::new(Semaphore::new(limits.streams)),
            instance: announcement.as_ref().map(|announcement| announcement.id.clone()),
            home: home.to_owned(),
            openapi: OnceLock::new(),
            page: Page::load(),
            limits,
            shutdown,
            host,
        });
        let wall = Arc::new(Wall { address, names: options.names, token: token.clone() });
        let router = build_router(app.clone(), wall);
        Ok(Self { listener, tls, url, token, app, router, idle: options.idle, _announcement: announcement })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The token that requests need.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// Ends the server when it is cancelled.
    pub fn shutdown(&self) -> CancellationToken {
        self.app.shutdown.clone()
    }

    /// Serves until it is told to end.
    pub async fn run(self) {
        let Self { listener, tls, app, router, idle, .. } = self;
        let shutdown = app.shutdown.clone();
        let watch = tokio::spawn(app.host.clone().watch());
        if let Some(idle) = idle {
            tokio::spawn(end_when_idle(app.clone(), idle));
        }
        connections::accept_all(listener, tls, router, app.limits.clone(), shutdown).await;
        watch.abort();
    }
}

/// The options of the MCP side of a server over HTTP, whose clients share one memory.
#[must_use]
pub fn adapt_options(options: ServeOptions, limits: &Limits) -> ServeOptions {
    ServeOptions {
        asks_roots: false,
        root_from_client: false,
        call_limit: Some(limits.call_time),
        source: Source::Http,
        ..options
    }
}

/// Opens the listener. Like that of the standard library, it can follow another on the same port at once.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Ends the server when it had no client for a while.
#[allow(clippy::disallowed_methods, reason = "measures how long nobody used it")]
async fn end_when_idle(app: Arc<App>, idle: Duration) {
    let mut used = Instant::now();
    while used.elapsed() < idle {
        tokio::time::sleep(IDLE_STEP.min(idle)).await;
        if app.host.count_clients() > 0 {
            used = Instant::now();
        }
    }
    tracing::info!("nobody uses the server: it ends");
    app.shutdown.cancel();
}

/// The address of the server for people: a name of theirs, else its address; that of this machine for all addresses.
fn url_of(address: SocketAddr, is_encrypted: bool, names: &[String]) -> String {
    let scheme = if is_encrypted { "https" } else { "http" };
    let host = match (names.first(), address.ip()) {
        (Some(name), _) => name.clone(),
        (None, ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
        (None, IpAddr::V6(ip)) => format!("[{ip}]"),
        (None, IpAddr::V4(ip)) => ip.to_string(),
    };
    format!("{scheme}://{host}:{}", address.port())
}

/// The table of routes, behind the wall.
fn build_router(app: Arc<App>, wall: Arc<Wall>) -> Router {
    let page = app.clone();
    Router::new()
        .route("/api/health", get(api::show_health))
        .route("/api/tools", get(api::list_tools))
        .route("/api/tools/{tool}", post(api::call_tool))
        .route("/api/events", get(events::stream))
        .route("/api/map", get(api::show_map))
        .route("/api/memory", get(memory::list_memories))
        .route("/api/memory/approve", post(memory::approve_memories))
        .route("/api/memory/forget", post(memory::forget_memory))
        .route("/api/instances", get(api::show_instances))
        .route("/api/openapi.json", get(api::show_openapi))
        .route("/mcp", any(mcp::serve))
        .method_not_allowed_fallback(api::report_method)
        .fallback(move |request: Request| {
            let page = page.clone();
            async move { page.page.answer(request.method().clone(), request.uri(), request.headers()).await }
        })
        .layer(from_fn_with_state(wall, guard))
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_as_people_can_open_them() {
        for (address, is_encrypted, names, expected) in [
            ("127.0.0.1:80", false, &[][..], "http://127.0.0.1:80"),
            ("[::1]:81", true, &[], "https://[::1]:81"),
            ("0.0.0.0:82", true, &[], "https://127.0.0.1:82"),
            ("0.0.0.0:83", true, &["m1nd.example".to_owned()], "https://m1nd.example:83"),
        ] {
            assert_eq!(url_of(address.parse().unwrap(), is_encrypted, names), expected);
        }
    }
}
