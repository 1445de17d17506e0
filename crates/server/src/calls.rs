//! Execution of a tool call: look-up, permission check, wait for the first index, run on a blocking thread,
//! cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use m1nd_base::{Progress, ProgressEvent, memory};
use m1nd_engine::{Activity, Engine};
use m1nd_tools::{
    ANONYMOUS, Catalog, Context, Effect, ErrorCode, Format, Reply, ResourceDef, Services, ToolChoice, ToolDef,
    ToolError, Toolset, add_envelope, canonical_name, find_resource,
};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::message::NOT_AN_OBJECT;
use crate::options::ServeOptions;
use crate::progress::Latest;
use crate::running::Running;
use crate::upkeep::Upkeep;

/// Maximum concurrent read calls; more are queued. Tools about the server itself are never queued.
const READS_AT_ONCE: usize = 6;
/// Maximum concurrent write calls. The engine has one writer; the second call waits in its queue.
const WRITES_AT_ONCE: usize = 2;
/// Blocking threads: all of the above, plus room for tools that are never queued.
pub(crate) const THREADS: usize = READS_AT_ONCE + WRITES_AT_ONCE + 16;
/// Interval of progress notifications.
const PROGRESS_EVERY: Duration = Duration::from_millis(400);
/// How long after a call memory that it freed is given back to the system. Calls meanwhile use it again.
const RELEASE_AFTER: Duration = Duration::from_secs(5);
/// Maximum time that a call waits for the first index of a project. Clients give up a call after 30 seconds or more.
const FIRST_INDEX_WAIT: Duration = Duration::from_secs(20);
/// Interval of checks whether the first index is there.
const FIRST_INDEX_PERIOD: Duration = Duration::from_millis(25);

/// The outcome of a call, or its cancellation.
pub(crate) enum Outcome<T> {
    Answer(Result<T, ToolError>),
    Cancelled,
}

/// Shared state of all calls of a connection.
pub(crate) struct Calls {
    services: Services,
    tools: Catalog,
    format: Format,
    envelope: bool,
    only: Option<Toolset>,
    listed: Option<Arc<[ToolChoice]>>,
    read_only: bool,
    running: Arc<Running>,
    upkeep: Arc<Upkeep>,
    reads: Arc<Semaphore>,
    writes: Arc<Semaphore>,
    /// Memory is going to be given back to the system.
    is_releasing: Arc<AtomicBool>,
}

impl Calls {
    pub(crate) fn new(services: Services, options: &ServeOptions, running: Arc<Running>, upkeep: Arc<Upkeep>) -> Self {
        let reads = Arc::new(Semaphore::new(READS_AT_ONCE));
        let writes = Arc::new(Semaphore::new(WRITES_AT_ONCE));
        let (tools, only, read_only) = (Catalog::new(options.tools), options.only, options.read_only);
        Self {
            services,
            tools,
            format: options.format,
            envelope: options.envelope,
            only,
            listed: options.listed.as_deref().map(Arc::from),
            read_only,
            running,
            upkeep,
            reads,
            writes,
            is_releasing: Arc::default(),
        }
    }

    /// Runs a call until it finishes or the client cancels it.
    pub(crate) async fn run(
        &self,
        name: &str,
        mut arguments: Map<String, Value>,
        request: &RequestContext<RoleServer>,
    ) -> Outcome<Reply> {
        let tool = match self.admit(name) {
            Ok(tool) => tool,
            Err(error) => return Outcome::Answer(Err(error)),
        };
        let arguments = arguments.remove(NOT_AN_OBJECT).unwrap_or(Value::Object(arguments));
        let queue = match (tool.effect, tool.waits) {
            (Effect::Read, false) => None,
            (Effect::Read | Effect::Session, _) => Some(&self.reads),
            _ => Some(&self.writes),
        };
        let (format, envelope) = (self.format, self.envelope);
        let call = move |cx: &Context<'_>| {
            let mut reply = tool.reply(cx, arguments.clone(), format)?;
            // The published answers of the memory tools are exact.
            if envelope
                && tool.toolset != Toolset::Memory
                && let Reply::Json(Value::Object(body)) = &mut reply
            {
                add_envelope(cx, body);
            }
            Ok(reply)
        };
        if tool.needs_fresh {
            self.wait_for_first_index(request, tool.answers_unlinked).await;
        }
        self.work(queue, request, tool.name, call).await
    }

    /// Reads the resource at an address until it is done or the client cancels it; `None` if there is no such resource.
    pub(crate) async fn read(
        &self,
        address: &str,
        request: &RequestContext<RoleServer>,
    ) -> Option<(&'static ResourceDef, Outcome<String>)> {
        let (resource, argument) =
            find_resource(address).filter(|(resource, _)| resource.is_offered(|name| self.offers(name)))?;
        let argument = argument.to_owned();
        let text = self.work(Some(&self.reads), request, resource.name, move |cx| resource.read(cx, &argument));
        Some((resource, text.await))
    }

    /// Returns whether a tool may be called here.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.admit(name).is_ok()
    }

    /// Runs work on a thread of the pool, in this queue, and reports its progress.
    async fn work<T: Send + 'static>(
        &self,
        queue: Option<&Arc<Semaphore>>,
        request: &RequestContext<RoleServer>,
        name: &'static str,
        work: impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static,
    ) -> Outcome<T> {
        let work = Arc::new(work);
        let outcome = self.work_once(queue, request, name, work.clone()).await;
        self.release_memory_later();
        match outcome {
            Outcome::Answer(Err(error)) if error.code == ErrorCode::EmptyGraph => {
                if self.wait_for_first_index(request, false).await {
                    return self.work_once(queue, request, name, work).await;
                }
                Outcome::Answer(Err(while_indexing(error, &self.services.current().engine)))
            }
            outcome => outcome,
        }
    }

    /// Gives memory that calls freed back to the system, once for all calls of [`RELEASE_AFTER`]: reading a history or
    /// linking a rename takes tens of megabytes for a second, which the C library would keep.
    fn release_memory_later(&self) {
        if self.is_releasing.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_releasing = self.is_releasing.clone();
        tokio::spawn(async move {
            tokio::time::sleep(RELEASE_AFTER).await;
            is_releasing.store(false, Ordering::Relaxed);
            // A call that ends from here on asks for another release.
            let _ = tokio::task::spawn_blocking(memory::release).await;
        });
    }

    /// Waits until the first index of the project is there; returns whether it is. Does not wait for one that nobody
    /// builds. `takes_unlinked` says that parsed files are enough, before their references are linked.
    async fn wait_for_first_index(&self, request: &RequestContext<RoleServer>, takes_unlinked: bool) -> bool {
        let token = request.meta.get_progress_token();
        let latest = Latest::default();
        #[allow(clippy::disallowed_methods, reason = "a wait has a limit")]
        let started = tokio::time::Instant::now();
        let mut told = started;
        loop {
            // Another one once the client has said which folder it has open.
            let engine = self.services.current().engine;
            if !engine.snapshot().is_empty() || takes_unlinked && engine.unlinked().is_some() {
                return true;
            }
            let activity = engine.activity();
            let is_built = activity.is_some() || self.upkeep.builds();
            if !is_built || request.ct.is_cancelled() || started.elapsed() >= FIRST_INDEX_WAIT {
                return false;
            }
            if token.is_some() && told.elapsed() >= PROGRESS_EVERY {
                told = tokio::time::Instant::now();
                if let Some(Activity { stage, done, total }) = activity {
                    latest.report(ProgressEvent { stage, done, total });
                }
                notify(&request.peer, token.as_ref(), &latest).await;
            }
            tokio::time::sleep(FIRST_INDEX_PERIOD).await;
        }
    }

    async fn work_once<T: Send + 'static>(
        &self,
        queue: Option<&Arc<Semaphore>>,
        request: &RequestContext<RoleServer>,
        name: &'static str,
        work: Arc<impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static>,
    ) -> Outcome<T> {
        let permit = match queue {
            None => None,
            Some(queue) => tokio::select! {
                permit = queue.clone().acquire_owned() => permit.ok(),
                () = request.ct.cancelled() => return Outcome::Cancelled,
            },
        };
        let unit = self.running.start();
        let cancel = unit.cancel.clone();
        let latest = Arc::new(Latest::default());
        let (services, tools, progress) = (self.services.current(), self.tools, latest.clone());
        let listed = self.listed.clone();
        let client = request.client_info().map_or_else(|| ANONYMOUS.to_owned(), |client| client.name);
        let mut task = tokio::task::spawn_blocking(move || {
            let _held = permit;
            let context = Context {
                agent: &client,
                listed: listed.as_deref(),
                ..Context::new(&services, tools, &unit.cancel, &*progress)
            };
            catch_panic(name, &context, &*work)
        });
        let token = request.meta.get_progress_token();
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                done = &mut task => return Outcome::Answer(done.unwrap_or_else(|_| Err(report_panic(name)))),
                () = request.ct.cancelled() => {
                    // The thread continues until it polls the flag; its result is dropped.
                    cancel.cancel();
                    return Outcome::Cancelled;
                }
                _ = ticks.tick(), if token.is_some() => notify(&request.peer, token.as_ref(), &latest).await,
            }
        }
    }

    /// Like [`unknown_tool`], for a server with a single toolset, which does not include `help`.
    fn unknown_among(&self, name: &str, only: Toolset) -> ToolError {
        let shown: String = name.chars().take(80).collect();
        let tools = self.tools.all().iter().filter(|tool| tool.toolset == only).map(|tool| format!("`{}`", tool.name));
        ToolError::new(ErrorCode::UnknownTool, format!("unknown tool: {shown}"))
            .next_step(format!("call one of {}", tools.collect::<Vec<_>>().join(", ")))
    }

    /// Returns the tool of this name, if it may be called here.
    fn admit(&self, name: &str) -> Result<&'static ToolDef, ToolError> {
        let canonical = canonical_name(name);
        let found = self.tools.find(name).filter(|tool| self.only.is_none_or(|only| only == tool.toolset));
        let Some(tool) = found else {
            return Err(self.only.map_or_else(|| unknown_tool(name), |only| self.unknown_among(name, only)));
        };
        // Session tools are admitted: on a read-only server they change nothing and answer what they would do.
        if self.read_only && !matches!(tool.effect, Effect::Read | Effect::Session) {
            return Err(ToolError::new(
                ErrorCode::ReadOnly,
                format!("`{canonical}` changes state and this server is read-only"),
            )
            .hint("the person who started the server chose `--read-only`")
            .next_step("use a tool that only reads, or ask that person to start the server without `--read-only`"));
        }
        Ok(tool)
    }
}

/// The error for an unknown tool name.
pub fn unknown_tool(name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let near = m1nd_tools::TOOLS.suggestions(name);
    let error = ToolError::new(ErrorCode::UnknownTool, format!("unknown tool: {shown}"))
        .next_step("call `help` for an overview, or list the tools")
        .example(json!({"tool": "help", "arguments": {"agent_id": "agent"}}));
    match near.is_empty() {
        true => error,
        false => error
            .hint(format!("did you mean {}?", near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))),
    }
}

fn report_panic(tool: &str) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("`{tool}` failed without a message"))
        .next_step("other calls are not affected; report this with the arguments")
}

fn catch_panic<T>(
    name: &str,
    cx: &Context<'_>,
    work: impl Fn(&Context<'_>) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(|| work(cx))).unwrap_or_else(|_| Err(report_panic(name)))
}

/// Adapts "nothing is indexed yet" while the first index is being built.
fn while_indexing(error: ToolError, engine: &Engine) -> ToolError {
    let Some(activity) = engine.activity() else { return error };
    let of = activity.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let (stage, done) = (activity.stage, activity.done);
    let error = error.detail("indexing", json!({"stage": stage, "done": done, "total": activity.total}));
    // Such an error says itself what answers meanwhile.
    if error.details().contains_key("linking") {
        return error;
    }
    error
        .hint(format!("the index is being built now: {stage} {done}{of}"))
        .next_step("repeat this call in a few seconds; `health` shows how far the index is")
}

async fn notify(peer: &Peer<RoleServer>, token: Option<&ProgressToken>, latest: &Latest) {
    let Some(token) = token else { return };
    let notice = latest.notice();
    let mut params = ProgressNotificationParam::new(token.clone(), notice.progress).with_message(notice.message);
    if let Some(total) = notice.total {
        params = params.with_total(total);
    }
    // A disconnected client ends the call elsewhere.
    let _ = peer.notify_progress(params).await;
}
