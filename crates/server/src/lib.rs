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
mod uri;

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use m1nd_base::NoProgress;
use m1nd_engine::{Engine, EngineError, IngestRequest, Mode as IngestMode, WeakEngine};
use m1nd_mind::{Depth, Memories};
use m1nd_tools::Services;

pub use calls::unknown_tool;
pub use framing::{Frame, Framer, MESSAGE_BYTES, Mode};
pub use handler::tools_list;
pub use instructions::instructions;
pub use message::{BATCH, NESTING};
pub use options::{SERVER_NAME, ServeOptions};
pub use transport::{IN_FLIGHT, Output, OutputClosed};

/// Threads that serve the protocol itself.
const WIRE_THREADS: usize = 2;
/// Interval of checks for changed memories.
const MEMORY_PERIOD: Duration = Duration::from_secs(2);
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
    let background = if options.read_only { None } else { Some(keep_up(services, &options, &running)?) };
    let calls = calls::Calls::new(services.clone(), &options, running.clone());
    let handler = handler::Handler::new(calls, services.memories.clone(), &options);
    let ended = runtime.block_on(async {
        let transport = transport::StdioTransport::start(input, output, running.clone())?;
        // Skips the SDK's handshake, because requests before `initialize` are answered, too.
        let service = rmcp::service::serve_directly(handler, transport, None);
        service.waiting().await.map_err(ServeError::from)
    });
    running.cancel_all();
    runtime.shutdown_timeout(SHUTDOWN);
    // If a thread still holds the engine, the caller's drop would not save its edits.
    let _ = background.map(|ends| ends.recv_timeout(SHUTDOWN));
    ended.map(|reason| tracing::debug!(?reason, "the client disconnected"))
}

/// Brings the index of every allowed root up to date in the background, so that a client need not ask for it: builds
/// what is missing, and looks for what changed while nobody watched. Then looks after the memories of the project.
/// What it returns is disconnected when it has ended.
fn keep_up(
    services: &Services,
    options: &ServeOptions,
    running: &Arc<running::Running>,
) -> std::io::Result<Receiver<()>> {
    let requests = due(&services.engine, options);
    let (engine, memories, running) = (services.engine.downgrade(), services.memories.clone(), running.clone());
    let (alive, ends) = channel();
    std::thread::Builder::new().name("m1nd-background".into()).spawn(move || {
        for request in requests {
            // One of its own each: a client that asks for one root does not stop the others.
            let work = running.start();
            let Some(engine) = engine.upgrade() else { break };
            let root = request.path.display().to_string();
            match engine.ingest(request, &work.cancel, &NoProgress) {
                Ok(report) => tracing::info!(root, files = report.files_scanned, "indexed"),
                Err(EngineError::WriterElsewhere) => tracing::info!(root, "another process keeps the index up to date"),
                Err(EngineError::Cancelled) => {
                    tracing::debug!(root, "the client disconnected, or asked for the same itself")
                }
                Err(error) => tracing::warn!(root, %error, "could not index"),
            }
        }
        keep_memories(&engine, &memories, &running);
        drop(alive);
    })?;
    Ok(ends)
}

/// The ingests due at startup.
fn due(engine: &Engine, options: &ServeOptions) -> Vec<IngestRequest> {
    let indexed = engine.snapshot().roots().to_vec();
    let is_federated = engine.federation().is_some();
    let wanted = move |root: &PathBuf| {
        let known = indexed.iter().find(|info| info.path == *root);
        let request = IngestRequest { mode: IngestMode::Merge, gives_way: true, ..IngestRequest::code(root) };
        match known {
            // Reads all repositories at the first one, and trusts what is indexed of the others.
            None if is_federated => IngestRequest { incremental: true, ..request },
            None => request,
            Some(info) => IngestRequest {
                incremental: true,
                include_hidden: info.include_hidden,
                hidden_patterns: info.hidden_patterns.clone(),
                ..request
            },
        }
    };
    let is_empty = engine.snapshot().is_empty();
    let is_due = |request: &IngestRequest| match request.incremental && !is_empty {
        true => options.refresh,
        false => options.index_when_empty,
    };
    engine.status().allowed_roots.iter().map(wanted).filter(is_due).collect()
}

/// Notes what is new in the memories of the project, and what the code they name looks like, until the server ends:
/// at once, and whenever the memory or the index is another. The memory may be made while the server runs.
fn keep_memories(engine: &WeakEngine, memories: &Memories, running: &running::Running) {
    let mut last = None;
    loop {
        let Some(engine) = engine.upgrade() else { return };
        let project = memories.project().ok();
        let seen = project.map(|project| {
            let now = (memories.stamp(&project), engine.snapshot().generation(), project.clone());
            (now, memories.keeper(engine.snapshot()), project)
        });
        // Recording may take a while, and an engine that is held cannot end.
        drop(engine);
        if let Some((now, keeper, project)) = seen.filter(|(now, ..)| last.as_ref() != Some(now)) {
            match keeper.refresh(&project, Depth::Full) {
                Ok(changed) => tracing::debug!(changed, "checked the memories"),
                Err(error) => tracing::warn!(%error, "could not record changes in the memories"),
            }
            last = Some(now);
        }
        if running.stops_within(MEMORY_PERIOD) {
            return;
        }
    }
}
