//! Execution of a tool call: look-up, permission check, wait for the first index, run on a blocking thread,
//! cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use m1nd_base::{Cancel, Progress, ProgressEvent, memory};
use m1nd_engine::{Activity, Engine};
use m1nd_tools::{
    Catalog, Context, Effect, ErrorCode, Format, Reply, ResourceDef, Services, ToolChoice, ToolDef, ToolError, Toolset,
    add_envelope, canonical_name, find_resource, visible,
};
use rmcp::model::ProgressNotificationParam;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::caller::{Caller, Meter};
use crate::events::{EventKind, Events};
use crate::message::NOT_AN_OBJECT;
use crate::options::{ServeOptions, Source};
use crate::progress::Latest;
use crate::running::Running;
use crate::upkeep::Upkeep;

/// Maximum concurrent read calls; more are queued. Tools about the server itself are never queued.
const READS_AT_ONCE: usize = 6;
/// Maximum concurrent write calls. The engine has one writer; the second call waits in its queue.
const WRITES_AT_ONCE: usize = 2;
/// Blocking threads: all of the above, plus room for tools that are never queued.
pub const THREADS: usize = READS_AT_ONCE + WRITES_AT_ONCE + 16;
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

/// What the calls of all clients of a server share.
#[derive(Debug)]
pub(crate) struct Pool {
    reads: Arc<Semaphore>,
    writes: Arc<Semaphore>,
    /// Memory is going to be given back to the system.
    is_releasing: Arc<AtomicBool>,
    pub(crate) events: Events,
}

impl Default for Pool {
    fn default() -> Self {
        let (reads, writes) = (Semaphore::new(READS_AT_ONCE), Semaphore::new(WRITES_AT_ONCE));
        Self {
            reads: Arc::new(reads),
            writes: Arc::new(writes),
            is_releasing: Arc::default(),
            events: Events::default(),
        }
    }
}

/// Sets the cancel flag of a call when it is dropped: its answer is no longer needed.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Shared state of all calls of a client.
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
    pool: Arc<Pool>,
    limit: Option<Duration>,
    source: Source,
}

impl Calls {
    pub(crate) fn new(
        services: Services,
        options: &ServeOptions,
        running: Arc<Running>,
        upkeep: Arc<Upkeep>,
        pool: Arc<Pool>,
    ) -> Self {
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
            pool,
            limit: options.call_limit,
            source: options.source,
        }
    }

    /// Runs a call until it finishes, the client cancels it or its time is up, and tells those who watch.
    pub(crate) async fn run(&self, name: &str, arguments: Map<String, Value>, caller: &Caller) -> Outcome<Reply> {
        let tool = match self.admit(name) {
            Ok(tool) => tool,
            Err(error) => return Outcome::Answer(Err(error)),
        };
        let agent = arguments.get("agent_id").and_then(Value::as_str).unwrap_or(&caller.name).to_owned();
        let outcome = self.limit_time(tool.name, self.run_tool(tool, arguments, caller)).await;
        self.publish(tool, &agent, &outcome);
        outcome
    }

    /// The outcome of work, or an error once its time is up. The work stops with its future.
    async fn limit_time<T>(&self, name: &str, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let Some(limit) = self.limit else { return work.await };
        let ended = tokio::time::timeout(limit, work).await;
        ended.unwrap_or_else(|_| Outcome::Answer(Err(report_timeout(name, limit))))
    }

    /// Tells those who watch that a call has ended.
    fn publish(&self, tool: &ToolDef, agent: &str, outcome: &Outcome<Reply>) {
        let (success, answer) = match outcome {
            Outcome::Answer(Ok(Reply::Json(answer))) => (true, Some(answer)),
            Outcome::Answer(Ok(Reply::Text(_))) => (true, None),
            _ => (false, None),
        };
        let at = self.services.engine.clock().now_ms();
        let told = json!({
            "tool": tool.name, "source": self.source.word(), "agent_id": visible(agent), "success": success, "at": at,
        });
        self.pool.events.publish(EventKind::ToolResult, told);
        if success && tool.toolset == Toolset::Perspective {
            let member = |name: &str| answer.and_then(|answer| answer.get(name)).cloned().unwrap_or(Value::Null);
            let step = json!({
                "agent_id": visible(agent), "tool": tool.name, "perspective_id": member("perspective_id"),
                "focus": member("focus"), "at": at,
            });
            self.pool.events.publish(EventKind::Perspective, step);
        }
    }

    async fn run_tool(
        &self,
        tool: &'static ToolDef,
        mut arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Outcome<Reply> {
        let arguments = arguments.remove(NOT_AN_OBJECT).unwrap_or(Value::Object(arguments));
        let queue = match (tool.effect, tool.waits) {
            (Effect::Read, false) => None,
            (Effect::Read | Effect::Session, _) => Some(&self.pool.reads),
            _ => Some(&self.pool.writes),
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
            self.wait_for_first_index(caller, tool.answers_unlinked).await;
        }
        self.work(queue, caller, tool.name, call).await
    }

    /// Reads the resource at an address until it is done or the client cancels it; `None` if there is no such resource.
    pub(crate) async fn read(&self, address: &str, caller: &Caller) -> Option<(&'static ResourceDef, Outcome<String>)> {
        let (resource, argument) =
            find_resource(address).filter(|(resource, _)| resource.is_offered(|name| self.offers(name)))?;
        let argument = argument.to_owned();
        let text = self.work(Some(&self.pool.reads), caller, resource.name, move |cx| resource.read(cx, &argument));
        Some((resource, self.limit_time(resource.name, text).await))
    }

    /// Runs other work that only reads, with the queue and the limits of calls.
    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        name: &'static str,
        caller: &Caller,
        work: impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static,
    ) -> Outcome<T> {
        self.limit_time(name, self.work(Some(&self.pool.reads), caller, name, work)).await
    }

    /// Returns whether a tool may be called here.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.admit(name).is_ok()
    }

    /// Runs work on a thread of the pool, in this queue, and reports its progress.
    async fn work<T: Send + 'static>(
        &self,
        queue: Option<&Arc<Semaphore>>,
        caller: &Caller,
        name: &'static str,
        work: impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static,
    ) -> Outcome<T> {
        let work = Arc::new(work);
        let outcome = self.work_once(queue, caller, name, work.clone()).await;
        self.release_memory_later();
        match outcome {
            Outcome::Answer(Err(error)) if error.code == ErrorCode::EmptyGraph => {
                if self.wait_for_first_index(caller, false).await {
                    return self.work_once(queue, caller, name, work).await;
                }
                Outcome::Answer(Err(while_indexing(error, &self.services.current().engine)))
            }
            outcome => outcome,
        }
    }

    /// Gives memory that calls freed back to the system, once for all calls of [`RELEASE_AFTER`]: reading a history or
    /// linking a rename takes tens of megabytes for a second, which the C library would keep.
    fn release_memory_later(&self) {
        if self.pool.is_releasing.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_releasing = self.pool.is_releasing.clone();
        tokio::spawn(async move {
            tokio::time::sleep(RELEASE_AFTER).await;
            is_releasing.store(false, Ordering::Relaxed);
            // A call that ends from here on asks for another release.
            let _ = tokio::task::spawn_blocking(memory::release).await;
        });
    }

    /// Waits until the first index of the project is there; returns whether it is. Does not wait for one that nobody
    /// builds. `takes_unlinked` says that parsed files are enough, before their references are linked.
    async fn wait_for_first_index(&self, caller: &Caller, takes_unlinked: bool) -> bool {
        let latest = Latest::default();
        #[allow(clippy::disallowed_methods, reason = "a wait has a limit")]
        let started = tokio::time::Instant::now();
        let mut told = started;
        loop {
            // Another one once the client has said which folder it has open.
            let engine = self.services.current().engine;
            if !engine.snapshot().is_empty() || takes_unlinked && engine.find_unlinked().is_some() {
                return true;
            }
            let activity = engine.activity();
            let is_built = activity.is_some() || self.upkeep.builds();
            if !is_built || caller.cancel.is_cancelled() || started.elapsed() >= FIRST_INDEX_WAIT {
                return false;
            }
            if let Some(meter) = caller.meter.as_ref().filter(|_| told.elapsed() >= PROGRESS_EVERY) {
                told = tokio::time::Instant::now();
                if let Some(Activity { stage, done, total }) = activity {
                    latest.report(ProgressEvent { stage, done, total });
                }
                notify(meter, &latest).await;
            }
            tokio::time::sleep(FIRST_INDEX_PERIOD).await;
        }
    }

    async fn work_once<T: Send + 'static>(
        &self,
        queue: Option<&Arc<Semaphore>>,
        caller: &Caller,
        name: &'static str,
        work: Arc<impl Fn(&Context<'_>) -> Result<T, ToolError> + Send + Sync + 'static>,
    ) -> Outcome<T> {
        let permit = match queue {
            None => None,
            Some(queue) => tokio::select! {
                permit = queue.clone().acquire_owned() => permit.ok(),
                () = caller.cancel.cancelled() => return Outcome::Cancelled,
            },
        };
        let unit = self.running.start();
        let _dropped = CancelOnDrop(unit.cancel.clone());
        let latest = Arc::new(Latest::default());
        let (services, tools, progress) = (self.services.current(), self.tools, latest.clone());
        let listed = self.listed.clone();
        let client = caller.name.clone();
        let mut task = tokio::task::spawn_blocking(move || {
            let _held = permit;
            let context = Context {
                agent: &client,
                listed: listed.as_deref(),
                ..Context::new(&services, tools, &unit.cancel, &*progress)
            };
            catch_panic(name, &context, &*work)
        });
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                done = &mut task => return Outcome::Answer(done.unwrap_or_else(|_| Err(report_panic(name)))),
                // The thread continues until it polls the flag; its result is dropped.
                () = caller.cancel.cancelled() => return Outcome::Cancelled,
                _ = ticks.tick(), if caller.meter.is_some() => {
                    if let Some(meter) = &caller.meter {
                        notify(meter, &latest).await;
                    }
                }
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

/// The error for a call that took longer than the server allows.
fn report_timeout(tool: &str, limit: Duration) -> ToolError {
    let seconds = limit.as_secs();
    ToolError::new(ErrorCode::Timeout, format!("`{tool}` was stopped: it did not answer within {seconds} seconds"))
        .next_step("ask for less: a smaller `top_k` or depth, or one file in place of a folder")
        .detail("timeout_secs", seconds.into())
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

async fn notify(meter: &Meter, latest: &Latest) {
    let notice = latest.notice();
    let mut params = ProgressNotificationParam::new(meter.token.clone(), notice.progress).with_message(notice.message);
    if let Some(total) = notice.total {
        params = params.with_total(total);
    }
    // A disconnected client ends the call elsewhere.
    let _ = meter.peer.notify_progress(params).await;
}
