//! MCP: maps the tool registry to the wire, for one client over stdio, or for many that share a [`Host`].
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

mod caller;
mod calls;
mod events;
mod features;
mod handler;
mod host;
mod instructions;
mod options;
mod presence;
mod progress;
mod roots;
mod running;
mod upkeep;
mod wire;

use features::{apps, prompts, resources};

use wire::{framing, message, scan, transport};

use std::io::Read;
use std::time::Duration;

use m1nd_tools::Services;

pub use calls::{THREADS, unknown_tool};
pub use events::{Event, EventKind, KEPT_EVENTS};
pub use framing::{Frame, Framer, MESSAGE_BYTES, Mode};
pub use handler::{Handler, tools_list};
pub use host::{Health, Host};
pub use instructions::instructions;
pub use message::{BATCH, NESTING};
pub use options::{SERVER_NAME, ServeOptions, Source};
pub use presence::Presence;
pub use transport::{IN_FLIGHT, Output, OutputClosed};

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
    serve_shared(services, options, input, output, |_| ())
}

/// Like [`serve`], for a server that other clients may use: it goes on until they have left, too. `on_start` is called
/// in the runtime of the server.
///
/// # Errors
/// Those of [`serve`].
pub fn serve_shared(
    services: &Services,
    options: ServeOptions,
    input: impl Read + Send + 'static,
    output: impl Output,
    on_start: impl FnOnce(&Host),
) -> Result<(), ServeError> {
    let runtime = start_runtime()?;
    let host = Host::start(services, options)?;
    let ended = runtime.block_on(async {
        on_start(&host);
        let ended = host.serve(input, output).await;
        host.wait_for_guests().await;
        ended
    });
    stop(&host, runtime);
    ended
}

/// Starts the threads of a server, with as many for calls as it runs at once.
///
/// # Errors
/// The system refused a thread.
pub fn start_runtime() -> Result<tokio::runtime::Runtime, ServeError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(WIRE_THREADS).max_blocking_threads(THREADS).thread_name("m1nd-call");
    Ok(builder.enable_all().build()?)
}

/// Ends a server: cancels what runs, and waits for it, with a limit.
pub fn stop(host: &Host, runtime: tokio::runtime::Runtime) {
    host.stop();
    runtime.shutdown_timeout(SHUTDOWN);
    // If a thread still holds the engine, the caller's drop would not save its edits.
    host.wait_for_end();
}
