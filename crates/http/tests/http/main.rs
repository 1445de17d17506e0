//! The server, driven over plain sockets, with test tools beside those of the registry.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod client;
mod limits;
mod mcp;
mod rest;
mod tls;
mod tools;

use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use m1nd_engine::EngineConfig;
use m1nd_http::{HttpOptions, HttpServer, Limits, adapt_options};
use m1nd_server::{Host, ServeOptions, start_runtime, stop};
use m1nd_testkit::TempTree;
use m1nd_tools::Services;
use tokio_util::sync::CancellationToken;

/// How long a state may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program to index.
const SHOP: &str = "
//- /shop/price.py
def net(value):
    return value * 2

def gross(value):
    return net(value) + 1

//- /shop/order.py
from shop.price import gross

def total():
    return gross(3)
";

/// A server in this process.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    shutdown: CancellationToken,
    thread: Option<JoinHandle<()>>,
    pub(crate) project: TempTree,
    // Last, since the server saves its index at the end.
    home: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.cancel();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Starts a server over an indexed project.
pub(crate) fn start() -> Server {
    start_with(ServeOptions::default(), Limits::default())
}

/// Starts a server with the test tools only.
pub(crate) fn start_test_tools(limits: Limits) -> Server {
    start_with(ServeOptions { tools: tools::TOOLS, ..ServeOptions::default() }, limits)
}

pub(crate) fn start_with(options: ServeOptions, limits: Limits) -> Server {
    start_http(options, HttpOptions { limits, ..HttpOptions::default() })
}

pub(crate) fn start_http(options: ServeOptions, http: HttpOptions) -> Server {
    let (home, project) = (tempfile::tempdir().unwrap(), TempTree::new(SHOP));
    let config = EngineConfig::new(home.path().join("home"), vec![project.path().canonicalize().unwrap()]);
    let options = ServeOptions { index_when_empty: true, ..options };
    let (sender, started) = channel();
    let thread = std::thread::spawn(move || {
        let place = config.home.clone();
        let services = Services::self_contained(config).unwrap();
        let runtime = start_runtime().unwrap();
        let host = Host::start(&services, adapt_options(options, &http.limits)).unwrap();
        runtime.block_on(async {
            let server = HttpServer::start(host.clone(), &place, http).await.unwrap();
            let address = server.url().split_once("://").unwrap().1.parse().unwrap();
            sender.send((address, server.token().text().to_owned(), server.shutdown())).unwrap();
            server.run().await;
        });
        stop(&host, runtime);
    });
    let (address, token, shutdown) = started.recv_timeout(PATIENCE).unwrap();
    Server { address, token, shutdown, thread: Some(thread), project, home }
}

impl Server {
    /// The home of m1nd.
    pub(crate) fn home(&self) -> std::path::PathBuf {
        self.home.path().join("home")
    }

    /// Waits until the project is indexed.
    pub(crate) fn wait_for_index(&self) {
        wait_until("the index is there", || self.get("/api/health").json()["status"] == "ok");
    }
}

/// Waits, with a limit, until something is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}
