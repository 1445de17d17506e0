use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Progress, ProgressEvent};
use m1nd_engine::history::ProjectHistory;
use m1nd_engine::{
    AutoIngestStatus, Engine, EngineError, Federation, FileMark, Freshness, LocalModel, ProcessRole, Setting, Snapshot,
    Status, StoredCheck, StoredSnapshot, WatchState,
};
use m1nd_mind::Keeper;
use m1nd_query::retrieval::{PrimedTask, Prior};
use m1nd_query::risk::{Outcome, OutcomeKind};
use m1nd_run::ProviderHealth;
use m1nd_sessions::{CallLog, CallTotals, Handle, Held, Listed, Mark, SessionError, Sessions, StoredFeedback};

use super::answer::Page;
use super::call::Call;
use super::catalog::Catalog;
use super::definition::ToolDef;
use super::error::ToolError;
use super::kinds::ToolChoice;
use super::stale::Stale;
use crate::services::Services;

/// Name of a caller that gives none.
pub const ANONYMOUS: &str = "anonymous";

/// Input of a call from its caller (server, command line).
#[derive(Clone)]
pub struct Context<'a> {
    /// The index, memories and sessions.
    pub services: &'a Services,
    /// The tools of the server or command line.
    pub tools: Catalog,
    /// Those of them that the client is shown; `None` for all.
    pub listed: Option<&'a [ToolChoice]>,
    /// The state that the call answers from. Taken once, so that an answer never mixes two generations.
    pub snapshot: Arc<Snapshot>,
    /// Cancels the call when set.
    pub cancel: &'a Cancel,
    /// Receives the progress of long work.
    pub progress: &'a dyn Progress,
    /// Name under which a call without `agent_id` is answered.
    pub agent: &'a str,
    /// Whether [`ReadContext::loaded_history`] reads on in the git history, for a moment. For a process that answers
    /// once, since nothing loads it ahead.
    pub reads_history: bool,
}

impl<'a> Context<'a> {
    /// A context on the current snapshot, for a caller without a name.
    pub fn new(services: &'a Services, tools: Catalog, cancel: &'a Cancel, progress: &'a dyn Progress) -> Self {
        let snapshot = services.engine.snapshot();
        Self { services, tools, listed: None, snapshot, cancel, progress, agent: ANONYMOUS, reads_history: false }
    }
}

/// The history as far as it is loaded; where nobody loads it ahead, with what can be read of it in a moment.
fn load_history(snapshot: &Snapshot, all: bool, cancel: &Cancel) -> Option<ProjectHistory> {
    if all { Some(snapshot.history_briefly(cancel)) } else { snapshot.loaded_history() }
}

/// Reports the beginning of work that is not counted.
pub(super) fn stage(progress: &dyn Progress, stage: &'static str) {
    progress.report(ProgressEvent { stage, done: 0, total: None });
}

/// Says which repositories of a federation are not read; `None` if all are.
fn not_federated(engine: &Engine) -> Option<String> {
    let names = engine.federation()?.unread();
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    let more = names.len() - shown.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{}{rest} of the workspace cannot be read and may use it", shown.join(", ")))
}

/// Values that agents hold, for reading.
#[derive(Clone, Copy)]
pub(crate) struct HeldValues<'a>(&'a Sessions);

impl HeldValues<'_> {
    /// See [`Sessions::get`].
    pub(crate) fn get<T: Held>(self, agent: &str, id: &str) -> Result<Handle<T>, SessionError> {
        self.0.get(agent, id)
    }

    /// See [`Sessions::list`].
    pub(crate) fn list<T: Held>(self, owner: Option<&str>, limit: usize) -> Result<Listed<T>, SessionError> {
        self.0.list(owner, limit)
    }

    /// Numbers and nodes of the feedback rows after one, oldest first.
    pub(crate) fn feedback_after(self, row: i64) -> Vec<(i64, Vec<String>)> {
        let (rows, _) = self.0.feedback();
        let later = rows.rows().iter().filter(|stored| stored.id > row);
        later.map(|stored| (stored.id, stored.told.nodes.clone())).collect()
    }
}

/// Context of a read tool: a snapshot, without access to the writer.
#[derive(Clone, Copy)]
pub struct ReadContext<'a> {
    // Private, and exposed only by methods that cannot write, so that a read tool that writes does not compile.
    services: &'a Services,
    tools: Catalog,
    listed: Option<&'a [ToolChoice]>,
    snapshot: &'a Arc<Snapshot>,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    reads_history: bool,
    call: &'a Call,
    /// Hash of the state handed out that may change before the next call. The next page must depend on the same.
    state: &'a Cell<u64>,
}

impl<'a> ReadContext<'a> {
    pub(super) fn new(cx: &'a Context<'a>, call: &'a Call, state: &'a Cell<u64>) -> Self {
        let Context { services, tools, listed, snapshot, cancel, progress, reads_history, .. } = cx;
        Self {
            services,
            tools: *tools,
            listed: *listed,
            snapshot,
            cancel,
            progress: *progress,
            reads_history: *reads_history,
            call,
            state,
        }
    }

    /// `agent_id` of the caller, or its name if it gives none.
    pub fn agent(&self) -> &'a str {
        &self.call.agent
    }

    /// Maximum size of the answer, in bytes as sent. The framework cuts lists that do not fit; only a tool that chooses
    /// itself what to omit needs this.
    pub fn budget(&self) -> usize {
        self.call.budget
    }

    /// Returns whether the client is shown a tool.
    pub(crate) fn lists(&self, tool: &ToolDef) -> bool {
        self.listed.is_none_or(|listed| listed.iter().any(|choice| choice.has(tool)))
    }

    /// The tools of the server or command line.
    pub fn tools(&self) -> Catalog {
        self.tools
    }

    /// Adds state that the order of rows depends on, besides the state handed out by this context.
    pub(crate) fn rests_on(&self, what: &[u8]) {
        let both = [&self.state.get().to_le_bytes(), what].concat();
        self.state.set(ContentHash::of(&both).short());
    }

    /// The snapshot to answer from.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The snapshot to answer from, or the error of every tool if nothing is indexed.
    pub fn require_indexed(&self) -> Result<&'a Snapshot, ToolError> {
        if self.snapshot.is_empty() { Err(ToolError::empty_graph()) } else { Ok(self.snapshot) }
    }

    /// Says what the snapshot does not have: changes on disk, or repositories of the federation. `None` if it is what
    /// is on disk. Only for tools with [`Tool::NEEDS_FRESH`](super::Tool::NEEDS_FRESH): what they say to be absent
    /// may be there.
    pub fn describe_unseen(&self) -> Option<String> {
        self.call.stale.as_ref().map(Stale::why).or_else(|| not_federated(&self.services.engine))
    }

    /// What agents hold, for reading.
    pub(crate) fn list_held(&self) -> HeldValues<'a> {
        HeldValues(&self.services.sessions)
    }

    /// Compares the index with the disk now and says what it does not have, unless it is being watched or changed.
    pub(crate) fn look_for_unseen(&self, status: &Status) -> Option<String> {
        let follows = status.role == ProcessRole::Writer && status.watch == WatchState::On;
        if follows || status.activity.is_some() {
            return None;
        }
        let (_, found) = self.services.engine.freshness(self.cancel);
        Stale::of(&found, status.role).map(|stale| stale.why())
    }

    /// Returns whether the index was brought up to date with the disk for this call.
    pub(crate) fn is_caught_up(&self) -> bool {
        self.call.is_compared && self.call.stale.is_none()
    }

    /// Compares the files on disk with the index by their times and sizes.
    pub(crate) fn freshness(&self) -> Freshness {
        self.services.engine.freshness(self.cancel).1
    }

    /// Compares the stored snapshot with its checksums, see [`m1nd_engine::Engine::check_stored`].
    pub(crate) fn check_stored(&self, most: u64) -> StoredCheck {
        self.services.engine.check_stored(most, self.cancel)
    }

    /// The settings of this process, with where each came from.
    pub(crate) fn settings(&self) -> &'a [Setting] {
        self.services.engine.settings()
    }

    /// The snapshot file on disk.
    pub(crate) fn find_stored(&self) -> Option<StoredSnapshot> {
        self.services.engine.find_stored()
    }

    /// Number of file watches that the system allows a user, where it says so.
    pub(crate) fn watch_limit(&self) -> Option<u64> {
        m1nd_engine::watch_limit()
    }

    /// The folder in which the state of the project is stored.
    pub(crate) fn store_path(&self) -> &'a Path {
        self.services.engine.project().path()
    }

    /// What became of a database of the project that could not be used, and the damaged ones that are kept.
    pub(crate) fn databases(&self) -> (Option<String>, Vec<PathBuf>) {
        let project = self.services.engine.project();
        (project.notice().map(str::to_owned), project.kept_databases())
    }

    /// Returns whether this process answers one call and ends: the command line, which can index what is missing.
    pub(crate) fn answers_once(&self) -> bool {
        self.reads_history
    }

    /// Runs `work` and says how many milliseconds it took.
    #[allow(clippy::disallowed_methods, reason = "checks say how long they took, as answers do")]
    pub(crate) fn time_work<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let started = std::time::Instant::now();
        let done = work();
        (done, (started.elapsed().as_secs_f64() * 1e5).round() / 1e2)
    }

    /// Cancellation, to poll in long loops.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// Progress, for work that may take more than a second.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// The page to answer with: `limit` rows from the position of the caller's cursor.
    pub fn page(&self, limit: usize) -> Page {
        Page { offset: self.call.offset, limit }
    }

    /// Priming of the caller and feedback of all agents for a query.
    pub fn prior(&self, text: &str) -> Result<Prior, ToolError> {
        self.cancel.check()?;
        let prior = self.services.prior(self.agent(), text, self.snapshot);
        self.rests_on(&prior.state(self.snapshot.graph()).to_le_bytes());
        Ok(prior)
    }

    /// The calls of this process, the milliseconds since it started, and the time in milliseconds since 1970.
    pub(crate) fn calls(&self) -> (CallLog, u64, u64) {
        self.services.sessions.calls()
    }

    /// The figures of all sessions of this user, with those of this process; `None` where nothing can be stored.
    pub(crate) fn stored_totals(&self) -> Result<Option<CallTotals>, String> {
        self.services.sessions.store_totals().map_err(|error| error.to_string())
    }

    /// Recorded outcomes by node id, and the reason if they could not be read.
    pub(crate) fn outcomes(&self) -> (BTreeMap<String, Vec<Outcome>>, Option<String>) {
        let (rows, unavailable) = self.services.sessions.feedback();
        self.rests_on(&rows.newest().to_le_bytes());
        let mut found: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
        for row in rows.rows() {
            let Some(kind) = OutcomeKind::parse(&row.told.kind) else { continue };
            let outcome = Outcome { kind, time: i64::try_from(row.told.at_ms / 1_000).unwrap_or(i64::MAX) };
            row.told.nodes.iter().for_each(|node| found.entry(node.clone()).or_default().push(outcome));
        }
        (found, unavailable)
    }

    /// Like [`ReadContext::prior`], with these nodes in place of the priming of the caller: ids with their nearness, 0
    /// to 1.
    pub(crate) fn prior_of(&self, text: &str, named: &PrimedTask<'_>) -> Result<Prior, ToolError> {
        self.cancel.check()?;
        let prior = self.services.prior_of(text, Some(*named), self.snapshot);
        self.rests_on(&prior.state(self.snapshot.graph()).to_le_bytes());
        Ok(prior)
    }

    /// The git history up to the current checkout. Take it once, so that an answer never mixes two states of it.
    pub fn history(&self) -> ProjectHistory {
        stage(self.progress, "reading history");
        let history = self.snapshot.history(self.cancel);
        stage(self.progress, "answering");
        self.rests_on(&history.state().to_le_bytes());
        history
    }

    /// The git history for an answer that can do without it: what was read before and what can be read in a moment. A
    /// server reads on in the background. Take it once, like [`ReadContext::history`].
    pub fn history_at_hand(&self) -> ProjectHistory {
        let history = match self.reads_history {
            true => self.snapshot.history_briefly(self.cancel),
            false => self.snapshot.history_at_hand(self.cancel),
        };
        self.rests_on(&history.state().to_le_bytes());
        history
    }

    /// The git history as far as it is loaded, with `reads_history` and what can be read in a moment; `None` while
    /// nothing is loaded.
    pub fn loaded_history(&self) -> Option<ProjectHistory> {
        let history = load_history(self.snapshot, self.reads_history, self.cancel);
        self.rests_on(&history.as_ref().map_or(0, ProjectHistory::state).to_le_bytes());
        history
    }

    /// The embedding model that the user configured.
    pub fn model(&self) -> Option<Arc<LocalModel>> {
        self.services.engine.model().cloned()
    }

    /// State of the engine.
    pub fn status(&self) -> Status {
        self.services.engine.status()
    }

    /// State of the programs that a person named to read documents, and what is wrong with the settings.
    pub(crate) fn providers(&self) -> (Vec<ProviderHealth>, Option<String>, PathBuf) {
        let providers = &self.services.providers;
        let (rows, damage) = providers.health(self.cancel);
        (rows, damage, providers.file())
    }

    /// State of keeping documents current.
    pub(crate) fn auto_ingest(&self) -> AutoIngestStatus {
        self.services.engine.auto_ingest_status()
    }

    /// Memories, read-only.
    pub fn memory(&self) -> &'a m1nd_mind::Memories {
        &self.services.memories
    }

    /// What the caller saw at the end of its last visit, with the files of that time if they are known.
    pub(crate) fn last_visit(&self) -> Option<(Mark, Option<Vec<FileMark>>)> {
        let mark = self.services.visits.baseline(self.agent())?;
        let files = self.services.files_of(self.agent(), &mark);
        self.rests_on(&mark.generation.to_le_bytes());
        Some((mark, files))
    }

    /// Rows of the feedback ledger after one of them, oldest first.
    pub(crate) fn feedback_since(&self, row: i64) -> Vec<StoredFeedback> {
        let (rows, _) = self.services.sessions.feedback();
        self.rests_on(&rows.newest().to_le_bytes());
        rows.rows().iter().filter(|stored| stored.id > row).cloned().collect()
    }

    /// Agents that have called, oldest first.
    pub fn agents(&self) -> Vec<m1nd_sessions::AgentSession> {
        self.services.sessions.agents()
    }
}

/// Context of a write tool.
#[derive(Clone, Copy)]
pub struct WriteContext<'a> {
    services: &'a Services,
    snapshot: &'a Arc<Snapshot>,
    reads_history: bool,
    call: &'a Call,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
}

impl<'a> WriteContext<'a> {
    pub(super) fn new(cx: &'a Context<'a>, call: &'a Call) -> Self {
        let Context { services, snapshot, reads_history, cancel, progress, .. } = cx;
        Self { services, snapshot, reads_history: *reads_history, call, cancel, progress: *progress }
    }

    /// The snapshot that the call started with.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Name of the called tool.
    pub(crate) fn tool(&self) -> &'static str {
        self.call.tool
    }

    /// Releases the locks that the caller created for a perspective. Returns their ids.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn release_locks_of(&self, perspective: &str) -> Result<Vec<String>, ToolError> {
        Ok(self.services.sessions.release_locks_of(self.agent(), perspective)?)
    }

    /// Like [`ReadContext::loaded_history`].
    pub fn loaded_history(&self) -> Option<ProjectHistory> {
        load_history(self.snapshot, self.reads_history, self.cancel)
    }

    /// The index, for reading and writing.
    pub fn engine(&self) -> &'a Engine {
        &self.services.engine
    }

    /// State of agents.
    pub fn sessions(&self) -> &'a Sessions {
        &self.services.sessions
    }

    /// What agents hold, for reading.
    pub(crate) fn list_held(&self) -> HeldValues<'a> {
        HeldValues(&self.services.sessions)
    }

    /// See [`ReadContext::unseen`].
    pub(crate) fn describe_unseen(&self) -> Option<String> {
        self.call.stale.as_ref().map(Stale::why).or_else(|| not_federated(&self.services.engine))
    }

    /// The current snapshot, or the error of every tool if nothing is indexed.
    pub(crate) fn require_indexed(&self) -> Result<Arc<Snapshot>, ToolError> {
        let snapshot = self.services.engine.snapshot();
        if snapshot.is_empty() { Err(ToolError::empty_graph()) } else { Ok(snapshot) }
    }

    /// The commands of the project that a person allowed.
    pub(crate) fn checks(&self) -> &'a m1nd_run::Checks {
        &self.services.checks
    }

    /// The writer of project files.
    pub(crate) fn files(&self) -> &'a m1nd_edit::Workspace {
        &self.services.files
    }

    /// Memories, read-only.
    pub fn memory(&self) -> &'a m1nd_mind::Memories {
        &self.services.memories
    }

    /// The writer of memories, on the current snapshot.
    pub fn keeper(&self) -> Keeper {
        self.services.memories.keeper(self.services.engine.snapshot())
    }

    /// `agent_id` of the caller, or its name if it gives none.
    pub fn agent(&self) -> &'a str {
        &self.call.agent
    }

    /// Answers from these repositories as one from now on; returns their index.
    ///
    /// # Errors
    /// Those of opening it.
    pub(crate) fn federate(&self, federation: Federation) -> Result<Engine, EngineError> {
        Ok(self.services.federate(federation)?.engine)
    }

    /// Answers from the repository that the program started with again; returns its index. `None` if there is none.
    pub(crate) fn end_federation(&self) -> Option<Engine> {
        Some(self.services.end_federation()?.engine)
    }

    /// Answers from the single repository again, if the federation was opened by this call.
    pub(crate) fn leave_federation(&self) {
        self.services.leave_federation();
    }

    /// Cancellation, for the engine.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// Progress, for the engine.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }
}
