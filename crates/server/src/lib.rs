//! MCP over stdio: maps the tool registry to the wire.
//!
//! The official SDK (`rmcp`) supplies the typed protocol: version negotiation from 2024-11-05 to 2026-07-28,
//! discovery, cancellation, progress. Our own transport precedes it, because the contract is wider than the SDK's:
//! two framings detected per message ([`Framer`]), limits before parsing, batches, lenient handling of sloppy
//! clients, requests before `initialize`. For that last reason the SDK is started past its handshake. Tools come from
//! the registry; this crate knows no tool by name. So do resources, which are answers of tools, and prompts.
//!
//! - Only the end of the input ends the loop, whatever arrives.
//! - Calls run on a bounded pool. Tools about the server itself (`health`, `help`) are never queued.
//! - A cancelled call stops and gets no answer; when the client disconnects, everything stops.
//! - Standard output carries the protocol and nothing else.

mod calls;
mod framing;
mod handler;
mod instructions;
mod message;
mod options;
mod progress;
mod prompts;
mod resources;
mod roots;
mod running;
mod scan;
mod transport;
mod upkeep;

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use m1nd_tools::Services;

pub use calls::unknown_tool;
pub use framing::{Frame, Framer, MESSAGE_BYTES, Mode};
pub use handler::tools_list;
pub use instructions::instructions;
pub use message::{BATCH, NESTING};
pub use options::{SERVER_NAME, ServeOptions};
pub use transport::{IN_FLIGHT, Output, OutputClosed};
use upkeep::Upkeep;

/// Threads that serve the protocol itself.
const WIRE_THREADS: usize = 2;
/// Time to wait at shutdown for calls that were cancelled.
const SHUTDOWN: Duration = Duration::from_millis(500);

/// The reason why serving did not start or ended abnormally.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refused a thread.
    #[error("cannot start the server's threads: {0}; free some resources and start again")]
    Threads(#[from] std::io::Error),
    /// A bug: the protocol loop failed.
    #[error("the protocol loop failed: {0}; restart the server and report this")]
    Loop(#[from] tokio::task::JoinError),
}

/// Serves one client until its input ends, and answers all requests received before. Blocks.
pub fn serve(
    services: &Services,
    options: ServeOptions,
    input: impl Read + Send + 'static,
    output: impl Output,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WIRE_THREADS)
        .max_blocking_threads(calls::THREADS)
        .thread_name("m1nd-call")
        .enable_time()
        .build()?;
    let running = Arc::new(running::Running::default());
    let upkeep = Arc::new(Upkeep::new(services.clone(), &options, running.clone()));
    upkeep.start(services)?;
    let calls = calls::Calls::new(services.clone(), &options, running.clone(), upkeep.clone());
    let handler = handler::Handler::new(calls, upkeep.clone(), &options);
    let ended = runtime.block_on(async {
        let transport = transport::StdioTransport::start(input, output, running.clone())?;
        // Skips the SDK's handshake, because requests before `initialize` are answered, too.
        let service = rmcp::service::serve_directly(handler, transport, None);
        service.waiting().await.map_err(ServeError::from)
    });
    running.cancel_all();
    runtime.shutdown_timeout(SHUTDOWN);
    // If a thread still holds the engine, the caller's drop would not save its edits.
    upkeep.wait_for_end();
    ended.map(|reason| tracing::debug!(?reason, "the client disconnected"))
}
