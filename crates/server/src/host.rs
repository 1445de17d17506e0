//! A server of one project for any number of clients, which share its index.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use m1nd_engine::Activity;
use m1nd_mind::MindConfig;
use m1nd_tools::{ANONYMOUS, Context, ErrorCode, Format, Reply, Services, ToolError, canonical_name, resolve_call};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::caller::Caller;
use crate::calls::{Calls, Outcome, Pool};
use crate::events::{Event, EventKind};
use crate::handler::{Face, Handler};
use crate::options::{ServeOptions, Source};
use crate::presence::Presence;
use crate::running::Running;
use crate::transport::{Output, StdioTransport};
use crate::upkeep::Upkeep;
use crate::{ServeError, tools_list};

/// Interval of looks at the index while somebody watches.
const WATCH_PERIOD: Duration = Duration::from_millis(250);
/// Interval of looks whether the last guest has left.
const GUEST_PERIOD: Duration = Duration::from_millis(50);
/// Looks at the index for one at the memory, which reads files.
const MEMORY_PERIODS: u32 = 8;

/// A server of one project. Clones share everything.
#[derive(Debug, Clone)]
pub struct Host {
    services: Services,
    options: Arc<ServeOptions>,
    face: Arc<Face>,
    running: Arc<Running>,
    upkeep: Arc<Upkeep>,
    pool: Arc<Pool>,
    clients: Arc<AtomicUsize>,
    /// Clients beside the one that the server was started for.
    guests: Arc<AtomicUsize>,
    started: Instant,
}

/// The state of a server, at the cost of a look.
#[derive(Debug, Clone)]
pub struct Health {
    /// `ok`, `indexing` while the first index is built, or `empty`.
    pub status: &'static str,
    /// The folder that is indexed.
    pub root: String,
    /// Nodes of the index.
    pub nodes: usize,
    /// Edges of the index.
    pub edges: usize,
    /// Generation of the index.
    pub generation: u64,
    /// Seconds since the start.
    pub uptime_secs: u64,
    /// Connected clients.
    pub clients: usize,
    /// What the writer is doing.
    pub activity: Option<Activity>,
}

impl Host {
    /// Starts to keep the index and the memories of a project up to date. Does not block.
    ///
    /// # Errors
    /// The system refused a thread.
    #[allow(clippy::disallowed_methods, reason = "measures the time since the start")]
    pub fn start(services: &Services, options: ServeOptions) -> Result<Self, ServeError> {
        let running = Arc::new(Running::default());
        let upkeep = Arc::new(Upkeep::new(services.clone(), &options, running.clone()));
        upkeep.start(services)?;
        Ok(Self {
            services: services.clone(),
            face: Arc::new(Face::new(&options)),
            options: Arc::new(options),
            running,
            upkeep,
            pool: Arc::default(),
            clients: Arc::default(),
            guests: Arc::default(),
            started: Instant::now(),
        })
    }

    /// The index and what belongs to it.
    pub fn services(&self) -> Services {
        self.services.current()
    }

    /// The options of the server.
    pub fn options(&self) -> &ServeOptions {
        &self.options
    }

    /// Number of connected clients.
    pub fn count_clients(&self) -> usize {
        self.clients.load(Ordering::Acquire)
    }

    /// Counts a client that has no handler, until the value is dropped.
    #[must_use]
    pub fn count_client(&self) -> Presence {
        Presence::of(&self.clients)
    }

    /// The handler of a client that shares everything with the others.
    pub fn handler(&self) -> Handler {
        let calls = self.calls(self.services.clone(), &self.options, self.running.clone());
        Handler::new(calls, self.upkeep.clone(), self.services.memories.clone(), self.face.clone(), self.count_client())
    }

    fn calls(&self, services: Services, options: &ServeOptions, running: Arc<Running>) -> Calls {
        Calls::new(services, options, running, self.upkeep.clone(), self.pool.clone())
    }

    /// Serves the client that the server was started for until its input ends.
    ///
    /// # Errors
    /// The threads cannot be started, or the protocol loop failed.
    pub async fn serve(&self, input: impl Read + Send + 'static, output: impl Output) -> Result<(), ServeError> {
        let running = Arc::new(Running::default());
        let calls = self.calls(self.services.clone(), &self.options, running.clone());
        let (memories, face) = (self.services.memories.clone(), self.face.clone());
        let handler = Handler::new(calls, self.upkeep.clone(), memories, face, self.count_client());
        let served = serve_stream(handler, running.clone(), input, output).await;
        running.cancel_all();
        served
    }

    /// Waits until the clients beside the one that the server was started for have left.
    pub async fn wait_for_guests(&self) {
        while self.guests.load(Ordering::Acquire) > 0 {
            tokio::time::sleep(GUEST_PERIOD).await;
        }
    }

    /// Serves another client over a stream, with its own options and places of memories, until its input ends. What
    /// the server refuses stays refused.
    ///
    /// # Errors
    /// The threads cannot be started, or the protocol loop failed.
    pub async fn serve_attached(
        &self,
        options: ServeOptions,
        mind: MindConfig,
        input: impl Read + Send + 'static,
        output: impl Output,
    ) -> Result<(), ServeError> {
        let _guest = Presence::of(&self.guests);
        let read_only = options.read_only || self.options.read_only;
        let options = ServeOptions { read_only, root_from_client: false, source: Source::Attached, ..options };
        let mut services = self.services.clone();
        services.memories = Arc::new(m1nd_mind::Memories::new(mind));
        let (memories, running) = (services.memories.clone(), Arc::new(Running::default()));
        let calls = self.calls(services, &options, running.clone());
        let face = Arc::new(Face::new(&options));
        let handler = Handler::new(calls, self.upkeep.clone(), memories, face, self.count_client());
        let served = serve_stream(handler, running.clone(), input, output).await;
        running.cancel_all();
        served
    }

    /// Calls a tool without the protocol. The answer is JSON unless the arguments name another form. Stops when the
    /// future is dropped.
    ///
    /// # Errors
    /// The error of the tool.
    pub async fn call(&self, name: &str, arguments: Map<String, Value>, client: &str) -> Result<Reply, ToolError> {
        let (name, arguments) = resolve_call(name, arguments);
        answer_of(self.rest_calls().run(&name, arguments, &Caller::with_name(client)).await)
    }

    /// Runs other work that only reads, with the queue and the limits of calls. Stops when the future is dropped.
    ///
    /// # Errors
    /// The error of the work.
    pub async fn read<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static,
    ) -> Result<T, ToolError> {
        answer_of(self.rest_calls().read_with(name, &Caller::with_name(ANONYMOUS), work).await)
    }

    /// Calls without the protocol.
    fn rest_calls(&self) -> Calls {
        let options = ServeOptions { format: Format::Json, source: Source::Rest, ..(*self.options).clone() };
        self.calls(self.services.clone(), &options, self.running.clone())
    }

    /// Returns whether a tool can be called here.
    pub fn offers(&self, name: &str) -> bool {
        self.options.tools.iter().any(|tool| tool.name == canonical_name(name))
    }

    /// The tools as `tools/list` shows them.
    pub fn list_tools(&self) -> Value {
        tools_list(&self.options)
    }

    /// The state of the server.
    pub fn health(&self) -> Health {
        let services = self.services.current();
        let (snapshot, activity) = (services.engine.snapshot(), services.engine.activity());
        let is_empty = snapshot.is_empty();
        let status = match (is_empty, activity.is_some() || self.upkeep.builds()) {
            (false, _) => "ok",
            (true, true) => "indexing",
            (true, false) => "empty",
        };
        let root = services.engine.config().roots.first().map(|root| root.display().to_string());
        Health {
            status,
            root: root.unwrap_or_default(),
            nodes: snapshot.graph().node_count(),
            edges: snapshot.graph().edge_count(),
            generation: snapshot.generation(),
            uptime_secs: self.started.elapsed().as_secs(),
            clients: self.count_clients(),
            activity,
        }
    }

    /// Starts to watch: the kept events after `after`, if it is given, and a receiver of those to come.
    pub fn subscribe(&self, after: Option<u64>) -> (Vec<Event>, broadcast::Receiver<Event>) {
        self.pool.events.subscribe(after)
    }

    /// Publishes changes of the index and the memory, and the progress of ingests, while somebody watches. Never ends.
    pub async fn watch(self) {
        let mut seen = Seen::default();
        let mut round = 0_u32;
        loop {
            tokio::time::sleep(WATCH_PERIOD).await;
            if !self.pool.events.is_watched() {
                seen = Seen::default();
                continue;
            }
            self.publish_changes(&mut seen);
            if round.is_multiple_of(MEMORY_PERIODS) {
                let memories = self.services().memories;
                let stamp = tokio::task::spawn_blocking(move || {
                    let project = memories.project().ok()?;
                    Some(format!("{:?}", memories.stamp(&project)))
                });
                let stamp = stamp.await.ok().flatten();
                if seen.memory.replace(stamp.clone()).is_some_and(|before| before != stamp) {
                    self.pool.events.publish(EventKind::MemoryChanged, json!({}));
                }
            }
            round = round.wrapping_add(1);
        }
    }

    /// Publishes what changed in the index since the last look.
    fn publish_changes(&self, seen: &mut Seen) {
        let engine = self.services().engine;
        let generation = engine.snapshot().generation();
        if seen.generation.replace(generation).is_some_and(|before| before != generation) {
            self.pool.events.publish(EventKind::GraphChanged, json!({"generation": generation}));
        }
        let activity = engine.activity();
        if activity != seen.activity {
            if let Some(Activity { stage, done, total }) = activity {
                self.pool.events.publish(EventKind::Ingest, json!({"done": done, "total": total, "stage": stage}));
            } else {
                self.pool.events.publish(EventKind::Ingest, json!({"done": 0, "total": null, "stage": "done"}));
            }
            seen.activity = activity;
        }
    }

    /// Cancels everything that runs.
    pub fn stop(&self) {
        self.running.cancel_all();
    }

    /// Waits, with a limit, until the work in the background has ended. A thread that still holds the engine would keep
    /// its edits from being saved.
    pub fn wait_for_end(&self) {
        self.upkeep.wait_for_end();
    }
}

/// The answer of a call without the protocol, whose caller cannot cancel; it drops the future.
fn answer_of<T>(outcome: Outcome<T>) -> Result<T, ToolError> {
    match outcome {
        Outcome::Answer(answer) => answer,
        Outcome::Cancelled => Err(ToolError::new(ErrorCode::Cancelled, "the call was cancelled")),
    }
}

/// What a watcher saw last.
#[derive(Debug, Default)]
struct Seen {
    generation: Option<u64>,
    activity: Option<Activity>,
    memory: Option<Option<String>>,
}

/// Serves one client over two byte streams until its input ends.
async fn serve_stream(
    handler: Handler,
    running: Arc<Running>,
    input: impl Read + Send + 'static,
    output: impl Output,
) -> Result<(), ServeError> {
    let transport = StdioTransport::start(input, output, running)?;
    // Skips the SDK's handshake, because requests before `initialize` are answered, too.
    let service = rmcp::service::serve_directly(handler, transport, None);
    let reason = service.waiting().await?;
    tracing::debug!(?reason, "the client disconnected");
    Ok(())
}
