//! The handle that callers hold: reads go to the published snapshot, writes to the writer thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use m1nd_base::{Cancel, Progress};
use m1nd_store::{Home, ProjectDir};

use crate::clock::Clock;
use crate::config::{EngineConfig, IngestRequest};
use crate::error::EngineError;
use crate::feedback::Ledger;
use crate::history::Histories;
use crate::memory::{Keeper, Memories};
use crate::persist;
use crate::priming::Primings;
use crate::report::{Activity, AgentSession, IngestReport, ProcessRole, Status, WatchState};
use crate::snapshot::Snapshot;
use crate::status;
use crate::text_model::LocalModel;
use crate::writer::{Claim, Event, Reply, Writer};

/// Time between two looks for a newer snapshot of another process.
const FOLLOW_PERIOD: Duration = Duration::from_millis(100);
/// Time between two looks at the cancel flag while an ingest runs.
const CANCEL_PERIOD: Duration = Duration::from_millis(20);
/// Agents remembered; the one not seen for the longest is forgotten.
const MAX_AGENTS: usize = 1_000;
/// Longest agent name kept, in characters.
const MAX_AGENT_NAME: usize = 200;
/// Notices kept, the newest.
const MAX_NOTICES: usize = 20;

/// Owner of a project's index. Clones share it; the last one dropped ends the writer thread.
#[derive(Clone)]
pub struct Engine {
    handle: Arc<Handle>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("snapshot", &self.handle.shared.current()).finish_non_exhaustive()
    }
}

/// A handle that does not keep the engine alive: for what goes on in the background while others use it.
#[derive(Clone)]
pub struct WeakEngine(Weak<Handle>);

impl std::fmt::Debug for WeakEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeakEngine").finish_non_exhaustive()
    }
}

impl WeakEngine {
    /// The engine, unless it has ended. To be held no longer than a step takes.
    pub fn upgrade(&self) -> Option<Engine> {
        self.0.upgrade().map(|handle| Engine { handle })
    }
}

/// Ends the writer thread with the last engine.
struct Handle {
    shared: Arc<Shared>,
    events: Sender<Event>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        let _ = self.events.send(Event::Stop);
        if let Some(writer) = self.writer.take()
            && writer.thread().id() != std::thread::current().id()
        {
            let _ = writer.join();
        }
    }
}

/// What callers and the writer thread share.
pub(crate) struct Shared {
    pub(crate) config: EngineConfig,
    /// Allowed roots, canonical.
    pub(crate) allowed: Vec<PathBuf>,
    pub(crate) project: ProjectDir,
    /// Set when the engine ends: background work stops.
    pub(crate) stop: Cancel,
    current: RwLock<Arc<Snapshot>>,
    state: Mutex<State>,
    agents: Mutex<BTreeMap<String, AgentSession>>,
    primings: Mutex<Primings>,
    ledger: Mutex<Arc<Ledger>>,
    followed: Mutex<Followed>,
    opened: Instant,
    pub(crate) high_water: AtomicU64,
    pub(crate) histories: Arc<Histories>,
    memories: Memories,
    pub(crate) model: Option<Arc<LocalModel>>,
}

/// What the writer reports.
pub(crate) struct State {
    pub(crate) role: ProcessRole,
    pub(crate) watch: WatchState,
    pub(crate) activity: Option<Activity>,
    pub(crate) last_ingest: Option<IngestReport>,
    pub(crate) notices: Vec<String>,
}

/// The snapshot file that was looked at last.
struct Followed {
    path: PathBuf,
    looked: Instant,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// The published snapshot.
    pub(crate) fn current(&self) -> Arc<Snapshot> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes a snapshot the current one unless a newer one already is.
    pub(crate) fn publish(&self, snapshot: Arc<Snapshot>) -> bool {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let newer = snapshot.generation >= current.generation;
        // The old one is dropped after the lock: unmapping and freeing may take a while.
        let old = if newer { Some(std::mem::replace(&mut *current, snapshot)) } else { None };
        drop(current);
        drop(old);
        newer
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(crate) fn notice(&self, text: String) {
        tracing::warn!("{text}");
        let mut state = self.state();
        state.notices.retain(|known| *known != text);
        state.notices.push(text);
        let excess = state.notices.len().saturating_sub(MAX_NOTICES);
        state.notices.drain(..excess);
    }

    /// Takes back what was noticed before an ingest that ended well: what it complained of has been made anew. What lasts
    /// is noticed again.
    pub(crate) fn settle(&self, before: &[String]) {
        self.state().notices.retain(|notice| !before.contains(notice));
    }

    /// Opens the current snapshot file, setting one that cannot be used aside if `writes`. `None` if there is none.
    pub(crate) fn open_stored(&self, writes: bool) -> Option<persist::Stored> {
        let path = self.project.snapshot_path();
        lock(&self.followed).path.clone_from(&path);
        match persist::open(&path) {
            Ok(stored) => Some(stored),
            Err(m1nd_graph::SnapshotError::NotThere(_)) => None,
            Err(error) => {
                self.set_aside(&path, &error.to_string(), writes);
                None
            }
        }
    }

    /// The snapshot file that was opened last.
    pub(crate) fn followed_path(&self) -> PathBuf {
        lock(&self.followed).path.clone()
    }

    /// Gives an unusable snapshot file another name.
    pub(crate) fn set_aside(&self, path: &Path, why: &str, writes: bool) {
        let kept = if writes { self.project.quarantine(path, why).ok() } else { None };
        let place = kept.map_or_else(String::new, |kept| format!("; it is kept as `{}`", kept.display()));
        self.notice(format!("{why}{place}; the next ingest builds the index anew"));
    }

    /// Follows what another process publishes.
    fn follow(&self) {
        let Ok(mut followed) = self.followed.try_lock() else { return };
        if followed.looked.elapsed() < FOLLOW_PERIOD {
            return;
        }
        followed.looked = Instant::now();
        let path = self.project.snapshot_path();
        if path == followed.path {
            return;
        }
        match persist::open(&path) {
            Ok(stored) => {
                followed.path = path;
                drop(followed);
                self.publish(Arc::new(Snapshot::from_stored(stored, self)));
            }
            Err(error) => tracing::debug!(%error, "a newer snapshot cannot be opened yet"),
        }
    }
}

impl Engine {
    /// Opens the index of the first root's project, maps the snapshot that is there, and starts the writer. Waits for no
    /// ingest. Opened for reading only, it makes no file and no folder.
    ///
    /// # Errors
    /// [`EngineError::NoRoot`], [`EngineError::PathNotFound`] or [`EngineError::Store`]. A damaged snapshot is no error:
    /// it is set aside, see [`Status::notices`].
    pub fn open(config: EngineConfig) -> Result<Self, EngineError> {
        let allowed = canonical_roots(&config.roots)?;
        let store = |error: m1nd_store::StoreError| EngineError::Store(error.to_string());
        let (home, project) = match config.read_only {
            true => {
                let home = Home::to_read(&config.home);
                let project = home.project_to_read(&allowed[0]).map_err(store)?;
                (home, project)
            }
            false => {
                let home = Home::open(&config.home).map_err(store)?;
                let project = home.project(&allowed[0]).map_err(store)?;
                (home, project)
            }
        };
        let writer_lock = if config.read_only { None } else { project.try_lock().map_err(store)? };
        let role = match (&writer_lock, config.read_only) {
            (_, true) => ProcessRole::ReadOnly,
            (Some(_), false) => ProcessRole::Writer,
            (None, false) => ProcessRole::Reader,
        };
        let watch = WatchState::Off;
        let state = State { role, watch, activity: None, last_ingest: None, notices: Vec::new() };
        let memories = Memories::new(config.mind_home.clone(), config.mind_places.clone(), config.mind_named);
        let histories = Arc::new(Histories::new(project.derived(), !config.read_only));
        let mut nothing = Snapshot::empty();
        nothing.histories = histories.clone();
        let followed = Followed { path: PathBuf::new(), looked: Instant::now() };
        let model = config.model.clone().map(|folder| Arc::new(LocalModel::new(folder)));
        let shared = Arc::new(Shared {
            model,
            config,
            allowed,
            project,
            stop: Cancel::new(),
            current: RwLock::new(Arc::new(nothing)),
            state: Mutex::new(state),
            agents: Mutex::default(),
            primings: Mutex::default(),
            ledger: Mutex::default(),
            followed: Mutex::new(followed),
            opened: Instant::now(),
            high_water: AtomicU64::new(0),
            histories,
            memories,
        });
        let (events, inbox) = unbounded();
        let mut writer = Writer::new(shared.clone(), home, writer_lock, events.clone(), inbox);
        writer.load();
        let writer = std::thread::Builder::new()
            .name("m1nd-writer".into())
            .spawn(move || writer.run())
            .map_err(|error| EngineError::Internal(format!("the writer thread does not start: {error}")))?;
        Ok(Self { handle: Arc::new(Handle { shared, events, writer: Some(writer) }) })
    }

    /// The model of meaning that the user named.
    pub fn model(&self) -> Option<&Arc<LocalModel>> {
        self.handle.shared.model.as_ref()
    }

    /// A handle that does not keep it alive.
    pub fn downgrade(&self) -> WeakEngine {
        WeakEngine(Arc::downgrade(&self.handle))
    }

    /// The newest snapshot. Never waits for an ingest.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let shared = &self.handle.shared;
        // A writer publishes by itself; the others look for what it wrote. `try_lock`: nobody waits for that either.
        let reads = shared.state.try_lock().is_ok_and(|state| state.role != ProcessRole::Writer);
        if reads {
            shared.follow();
        }
        shared.current()
    }

    /// Indexes what is asked for and waits until it is published. Progress and cancelling work from this thread.
    ///
    /// # Errors
    /// See [`EngineError`]; the index is then as it was before.
    pub fn ingest(
        &self,
        request: IngestRequest,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<IngestReport, EngineError> {
        let (reply, replies) = unbounded();
        let claim = Claim::default();
        let request = Box::new(request);
        let event = Event::Ingest { request, cancel: cancel.clone(), claim: claim.clone(), reply };
        self.handle.events.send(event).map_err(|_| EngineError::WriterStopped)?;
        let mut asks = true;
        loop {
            match replies.recv_timeout(CANCEL_PERIOD) {
                Ok(Reply::Progress(event)) => progress.report(event),
                Ok(Reply::Done(result)) => return *result,
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::WriterStopped),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if asks && cancel.is_cancelled() {
                if claim.take() {
                    // The writer finds out for itself; nothing it does for this request can be published any more.
                    return Err(EngineError::Cancelled);
                }
                asks = false;
            }
        }
    }

    /// Memories of the projects, for reading.
    pub fn memory(&self) -> &Memories {
        &self.handle.shared.memories
    }

    /// What changes something about memories.
    pub fn memory_writer(&self) -> Keeper {
        Keeper::with_snapshot(self.memory().home().path(), self.snapshot(), self.memory().looking().clone())
    }

    /// State of the engine and its index.
    pub fn status(&self) -> Status {
        let snapshot = self.snapshot();
        let shared = &self.handle.shared;
        let state = shared.state();
        let facts = (state.role, state.watch.clone(), state.activity.clone(), state.notices.clone());
        let last_ingest = state.last_ingest.clone();
        drop(state);
        let (role, watch, activity, notices) = facts;
        status::status(status::Parts {
            snapshot: &snapshot,
            allowed_roots: shared.allowed.clone(),
            role,
            watch,
            activity,
            last_ingest,
            notices,
            uptime_secs: shared.opened.elapsed().as_secs(),
        })
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.handle.shared.config.read_only
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.handle.shared.config.clock
    }

    pub(crate) fn project(&self) -> &ProjectDir {
        &self.handle.shared.project
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Arc<Ledger>> {
        lock(&self.handle.shared.ledger)
    }

    pub(crate) fn primings(&self) -> MutexGuard<'_, Primings> {
        lock(&self.handle.shared.primings)
    }

    /// Notes a call of an agent.
    pub fn touch_agent(&self, agent_id: &str) {
        let now = self.clock().now_ms();
        let name: String = agent_id.chars().take(MAX_AGENT_NAME).collect();
        let mut agents = lock(&self.handle.shared.agents);
        if agents.len() >= MAX_AGENTS && !agents.contains_key(&name) {
            let oldest = agents.values().min_by_key(|agent| agent.last_seen_ms).map(|agent| agent.agent_id.clone());
            oldest.and_then(|oldest| agents.remove(&oldest));
        }
        let session = agents.entry(name.clone()).or_insert(AgentSession {
            agent_id: name,
            first_seen_ms: now,
            last_seen_ms: now,
            queries: 0,
        });
        session.last_seen_ms = now;
        session.queries += 1;
    }

    /// Agents that called since the engine was opened, by name.
    pub fn agents(&self) -> Vec<AgentSession> {
        lock(&self.handle.shared.agents).values().cloned().collect()
    }
}

fn canonical_roots(roots: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for root in roots {
        let path = std::fs::canonicalize(root).map_err(|_| EngineError::PathNotFound(root.clone()))?;
        // A file named on the command line means the folder around it.
        let path = if path.is_dir() { path } else { path.parent().map_or(path.clone(), Path::to_path_buf) };
        if !found.contains(&path) {
            found.push(path);
        }
    }
    if found.is_empty() { Err(EngineError::NoRoot) } else { Ok(found) }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Raises a number that never goes back.
pub(crate) fn raise(number: &AtomicU64, to: u64) {
    number.fetch_max(to, Ordering::AcqRel);
}
