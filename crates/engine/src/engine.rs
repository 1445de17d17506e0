//! The handle for callers: reads use the published snapshot, writes go to the writer thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use m1nd_base::{Cancel, Clock, Deadline, Progress, RepoPath};
use m1nd_edit::Workspace;
use m1nd_store::{Home, ProjectDir};

use crate::auto_ingest::{AutoIngestRequest, AutoIngestStatus, AutoIngestTick, EventSource, Manifest, status_of};
use crate::config::is_too_wide;
use crate::config::{Adapter, EngineConfig, IngestRequest, Setting};
use crate::error::EngineError;
use crate::freshness::Checks;
use crate::kept::text_model::LocalModel;
use crate::report::{Activity, Freshness, IngestReport, ProcessRole, Status, WatchState};
use crate::repositories::federation::Federation;
use crate::state::shared::Shared;
use crate::state::snapshot::{Snapshot, open_root};
use crate::state::status;
use crate::state::stored::{self, StoredCheck, StoredSnapshot};
use crate::writer::{Asker, Claim, Event, Reply, Writer, stored_settings};

/// Interval of checks of the cancel flag during an ingest.
const CANCEL_PERIOD: Duration = Duration::from_millis(20);

/// Longest wait for changes that watchers know of.
const FLUSH: Duration = Duration::from_millis(500);
/// Longest wait for the writer to index changes that a comparison found.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Longest wait for the writer to index files that this process wrote.
const INDEX_WRITTEN: Duration = Duration::from_secs(10);

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

/// A handle that does not keep the engine alive: for background work beside other users.
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
    checks: Checks,
    own_ingests: OwnIngests,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Handle {
    /// Ends the writer thread and waits for it: the index is stored then, and another engine may write it.
    fn close(&self) {
        self.shared.stop.cancel();
        let _ = self.events.send(Event::Stop);
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer
            && writer.thread().id() != std::thread::current().id()
        {
            let _ = writer.join();
        }
        self.shared.histories.wait_for_readings();
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.close();
    }
}

impl Engine {
    /// Opens the index of the first root's project, maps the existing snapshot, and starts the writer. Waits for no
    /// ingest. Opened read-only, it creates no file and no folder.
    ///
    /// # Errors
    /// [`EngineError::NoRoot`], [`EngineError::PathNotFound`], [`EngineError::Files`] for a root inside of a folder of
    /// version control, [`EngineError::NoSpace`] or [`EngineError::Store`]. A damaged snapshot is no
    /// error: it is quarantined, see [`Status::notices`].
    pub fn open(config: EngineConfig) -> Result<Self, EngineError> {
        let allowed = match config.federation {
            // Its paths are canonical already, and a repository that is gone for now stays a part of it.
            Some(_) => config.roots.clone(),
            None => canonical_roots(&config.roots)?,
        };
        let workspace = config.federation.as_ref().map(|federation| federation.workspace().to_owned());
        let store = |error: m1nd_store::StoreError| match error.is_out_of_space() {
            true => EngineError::NoSpace(error.to_string()),
            false => EngineError::Store(error.to_string()),
        };
        let (home, project) = match config.read_only {
            true => {
                let home = Home::to_read(&config.home);
                let project = match &workspace {
                    Some(folder) => home.federation_to_read(folder),
                    None => home.project_to_read(&allowed[0]),
                };
                let project = project.map_err(store)?;
                (home, project)
            }
            false => {
                let home = Home::open(&config.home).map_err(store)?;
                let project = match &workspace {
                    Some(folder) => home.federation(folder),
                    None => home.project(&allowed[0]),
                };
                let project = project.map_err(store)?;
                (home, project)
            }
        };
        let writer_lock = if config.read_only { None } else { project.try_lock().map_err(store)? };
        let role = match (&writer_lock, config.read_only) {
            (_, true) => ProcessRole::ReadOnly,
            (Some(_), false) => ProcessRole::Writer,
            (None, false) => ProcessRole::Reader,
        };
        let shared = Arc::new(Shared::new(config, allowed, Arc::new(project), role));
        let (events, inbox) = unbounded();
        let mut writer = Writer::new(shared.clone(), home, writer_lock, events.clone(), inbox);
        writer.load();
        let writer = std::thread::Builder::new()
            .name("m1nd-writer".into())
            .spawn(move || writer.run())
            .map_err(|error| EngineError::Internal(format!("the writer thread does not start: {error}")))?;
        Ok(Self {
            handle: Arc::new(Handle {
                shared,
                events,
                checks: Checks::default(),
                own_ingests: OwnIngests::default(),
                writer: Mutex::new(Some(writer)),
            }),
        })
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
        // A writer publishes on its own; others poll for its snapshots.
        if shared.follows_others() {
            shared.follow();
        }
        shared.current()
    }

    /// The files and definitions of the first index while its references are being linked, for questions that need no
    /// links; see [`Snapshot::is_unlinked`]. `None` before all files are parsed and once an index is published.
    pub fn find_unlinked(&self) -> Option<Arc<Snapshot>> {
        self.handle.shared.find_unlinked()
    }

    /// Indexes the requested path and waits until the result is published. Progress is reported, and cancellation
    /// checked, on this thread.
    ///
    /// # Errors
    /// See [`EngineError`]; the index is then unchanged.
    pub fn ingest(
        &self,
        request: IngestRequest,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<IngestReport, EngineError> {
        if !self.config().roots_named && is_too_wide(&request.path) {
            return Err(EngineError::TooWide(request.path));
        }
        let _own = self.handle.own_ingests.make_way(&request, cancel);
        let _counted = (!request.incremental).then(|| Counted::new(&self.handle.shared.whole_ingests));
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

    /// Brings the index of a federation up to date with its repositories, in the order of [`Federation::members`]: one
    /// report for each. The first one is about all if other repositories were indexed before.
    ///
    /// # Errors
    /// Those of [`Engine::ingest`]; [`EngineError::BadRequest`] if it is no federation.
    pub fn federate(
        &self,
        incremental: bool,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Vec<IngestReport>, EngineError> {
        let Some(federation) = self.federation() else {
            return Err(EngineError::BadRequest("the index is of one repository, not of a federation".into()));
        };
        let mut reports: Vec<IngestReport> = Vec::new();
        for member in federation.members().iter().filter(|member| member.path.is_dir()) {
            // A run over all repositories has looked at this one, too.
            if reports.first().is_some_and(|first| first.by_root.len() > 1) {
                break;
            }
            let request = IngestRequest { incremental, ..IngestRequest::code(&member.path) };
            reports.push(self.ingest(request, cancel, progress)?);
        }
        Ok(reports)
    }

    /// The repositories of a federation; `None` for an index of one repository.
    pub fn federation(&self) -> Option<&Federation> {
        self.handle.shared.config.federation.as_ref()
    }

    /// The folder that a federation belongs to, or would: that of the index.
    ///
    /// # Errors
    /// [`EngineError::NoRoot`], or [`EngineError::PathNotFound`] if it is gone.
    pub fn workspace(&self) -> Result<PathBuf, EngineError> {
        let folder = match self.federation() {
            Some(federation) => federation.workspace(),
            None => self.config().roots.first().ok_or(EngineError::NoRoot)?,
        };
        std::fs::canonicalize(folder).map_err(|_| EngineError::PathNotFound(folder.to_owned()))
    }

    /// What it was opened with.
    pub fn config(&self) -> &EngineConfig {
        &self.handle.shared.config
    }

    /// Stops writing and stores the index, so that another engine may write it. Snapshots stay usable; requests fail
    /// with [`EngineError::WriterStopped`].
    pub fn close(&self) {
        self.handle.close();
    }

    /// The newest snapshot, and how it compares with the disk now: the comparison began after this call. Takes at most
    /// [`EngineConfig::check_budget`].
    pub fn freshness(&self, cancel: &Cancel) -> (Arc<Snapshot>, Freshness) {
        let shared = &self.handle.shared;
        if shared.follows_others() {
            shared.follow();
        }
        self.handle.checks.check(shared, shared.config.check_budget, cancel)
    }

    /// Like [`Engine::freshness`], after bringing the index up to date with the disk where this process writes it and
    /// that takes at most two seconds.
    pub fn catch_up(&self, cancel: &Cancel) -> (Arc<Snapshot>, Freshness) {
        let shared = &self.handle.shared;
        let is_watching = {
            let state = shared.state();
            state.watch == WatchState::On && state.role == ProcessRole::Writer
        };
        // The writer looks after this call, so its result has all that was written before.
        if is_watching && self.ask_writer(|asker| Event::Flush { asker }, FLUSH, cancel) {
            return (shared.current(), Freshness::of_all());
        }
        let (snapshot, found) = self.freshness(cancel);
        let asks = !found.is_fresh() && self.role() == ProcessRole::Writer;
        match asks && self.ask_writer(|asker| Event::CatchUp { asker }, CATCH_UP, cancel) {
            true => (shared.current(), Freshness::of_all()),
            false => (snapshot, found),
        }
    }

    /// Indexes these files of the newest snapshot, which were just changed, created or removed. Returns whether the
    /// newest snapshot has all of them: not if another process writes the index, or it is being built as a whole.
    pub fn index_written(&self, paths: &[RepoPath], cancel: &Cancel) -> bool {
        if paths.is_empty() {
            return true;
        }
        if self.role() != ProcessRole::Writer {
            return false;
        }
        let snapshot = self.snapshot();
        let mut by_root: BTreeMap<PathBuf, Vec<RepoPath>> = BTreeMap::new();
        for path in paths {
            let Some((root, inner)) = snapshot.locate(path) else { return false };
            by_root.entry(root.path().to_owned()).or_default().push(inner);
        }
        by_root.values_mut().for_each(|paths| paths.sort_unstable());
        by_root
            .into_iter()
            .all(|(root, paths)| self.ask_writer(|asker| Event::Written { root, paths, asker }, INDEX_WRITTEN, cancel))
    }

    /// Returns whether the writer says yes within `wait`. It is not waited for while it builds an index.
    fn ask_writer(&self, event: impl FnOnce(Asker) -> Event, wait: Duration, cancel: &Cancel) -> bool {
        let (reply, replies) = unbounded();
        let gave_up = Cancel::new();
        let asker = Asker { reply, gave_up: gave_up.clone() };
        let is_building = self.handle.shared.whole_ingests.load(Ordering::Acquire) > 0;
        if is_building || self.handle.events.send(event(asker)).is_err() {
            return false;
        }
        let deadline = Deadline::after(wait);
        while !deadline.is_over() && !cancel.is_cancelled() {
            match replies.recv_timeout(CANCEL_PERIOD) {
                Ok(reply) => return reply,
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        gave_up.cancel();
        false
    }

    /// What the writer of this process does now; `None` if it is idle.
    pub fn activity(&self) -> Option<Activity> {
        self.handle.shared.state().activity.clone()
    }

    /// State of the engine and its index.
    pub fn status(&self) -> Status {
        let snapshot = self.snapshot();
        let shared = &self.handle.shared;
        let state = shared.state();
        // It lasts as long as this process, unlike those that an ingest settles.
        let lasting = shared.project.notice().map(str::to_owned).into_iter();
        let notices: Vec<String> = lasting.chain(state.notices.iter().cloned()).collect();
        let facts = (state.role, state.watch.clone(), state.activity.clone(), notices);
        let last_ingest = state.last_ingest.clone();
        drop(state);
        let (role, watch, activity, mut notices) = facts;
        notices.extend(shared.interrupted_writes());
        for gone in gone_roots(&snapshot).filter(|gone| !notices.contains(gone)).collect::<Vec<_>>() {
            notices.push(gone);
        }
        status::status(status::Parts {
            snapshot: &snapshot,
            allowed_roots: shared.allowed.clone(),
            role,
            watch,
            activity,
            last_ingest,
            notices,
            uptime_secs: shared.uptime_secs(),
        })
    }

    /// Compares the stored snapshot with its checksums. Reads all of it if it has at most `most` bytes; a larger one
    /// counts as sound if this process has compared it before.
    pub fn check_stored(&self, most: u64, cancel: &Cancel) -> StoredCheck {
        stored::check(&self.handle.shared, most, cancel)
    }

    /// The snapshot file on disk; `None` if there is none.
    pub fn find_stored(&self) -> Option<StoredSnapshot> {
        stored::find_stored(&self.handle.shared)
    }

    /// Keeps documents below these roots current from now on, after reading them. Replaces what ran before, which goes
    /// on if this fails.
    ///
    /// # Errors
    /// [`EngineError::NotOwner`] if another agent started what runs; [`EngineError::BadRequest`] for formats or bounds
    /// that are not possible; those of a path of [`Engine::ingest`].
    pub fn start_auto_ingest(
        &self,
        request: AutoIngestRequest,
        cancel: &Cancel,
    ) -> Result<AutoIngestTick, EngineError> {
        self.ask(cancel, |reply| Event::StartAutoIngest { request: Box::new(request), cancel: cancel.clone(), reply })
    }

    /// Reads documents that changed by now, without waiting for a pause.
    ///
    /// # Errors
    /// [`EngineError::BadRequest`] if documents are not kept current.
    pub fn tick_auto_ingest(&self, cancel: &Cancel) -> Result<AutoIngestTick, EngineError> {
        self.ask(cancel, |reply| Event::TickAutoIngest { cancel: cancel.clone(), reply })
    }

    /// Stops keeping documents current. Returns how many were.
    ///
    /// # Errors
    /// [`EngineError::NotOwner`] if another agent started it; [`EngineError::BadRequest`] if it does not run.
    pub fn stop_auto_ingest(&self, agent: &str, cancel: &Cancel) -> Result<usize, EngineError> {
        self.ask(cancel, |reply| Event::StopAutoIngest { agent: agent.to_owned(), reply })
    }

    /// State of keeping documents current, by this process or as it is stored.
    pub fn auto_ingest_status(&self) -> AutoIngestStatus {
        let shared = &self.handle.shared;
        let (own, watch, role) = {
            let state = shared.state();
            (state.auto_ingest.clone(), state.watch.clone(), state.role)
        };
        let mut status = match (own, watch) {
            (Some(status), WatchState::Failed(why)) => {
                AutoIngestStatus { backend: EventSource::Degraded, last_error: Some(why), ..status }
            }
            (Some(status), _) => status,
            (None, _) => {
                let settings = stored_settings(&shared.project);
                let was_running = settings.as_ref().is_some_and(|settings| settings.running);
                let manifest = Manifest::load(&shared.project.derived_files());
                let is_elsewhere = was_running && role == ProcessRole::Reader;
                AutoIngestStatus {
                    running: is_elsewhere,
                    resumes: was_running && !is_elsewhere,
                    backend: if is_elsewhere { EventSource::OtherProcess } else { EventSource::None },
                    ..status_of(settings.as_ref(), &manifest)
                }
            }
        };
        status.provider_status = shared.config.providers.as_ref().map(|known| known.states()).unwrap_or_default();
        status
    }

    /// Asks the writer and waits for its answer, or until the caller cancels.
    fn ask<T>(
        &self,
        cancel: &Cancel,
        event: impl FnOnce(Sender<Result<T, EngineError>>) -> Event,
    ) -> Result<T, EngineError> {
        let (reply, replies) = unbounded();
        self.handle.events.send(event(reply)).map_err(|_| EngineError::WriterStopped)?;
        loop {
            match replies.recv_timeout(CANCEL_PERIOD) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::WriterStopped),
                Err(RecvTimeoutError::Timeout) => cancel.check().map_err(|_| EngineError::Cancelled)?,
            }
        }
    }

    /// Writes the newest snapshot to disk and waits for it. Returns whether there was something to write.
    ///
    /// # Errors
    /// [`EngineError::ReadOnly`] or [`EngineError::WriterElsewhere`] if this process does not write the index,
    /// [`EngineError::Store`], [`EngineError::Cancelled`] if the caller gave up; it is then written in the background.
    pub fn save(&self, cancel: &Cancel) -> Result<bool, EngineError> {
        match self.role() {
            ProcessRole::Writer => {}
            ProcessRole::Reader => return Err(EngineError::WriterElsewhere),
            ProcessRole::ReadOnly => return Err(EngineError::ReadOnly),
        }
        self.ask(cancel, |reply| Event::Save { reply })
    }

    /// Sentences about indexed roots that left their path.
    pub fn gone_roots(&self) -> Vec<String> {
        gone_roots(&self.snapshot()).collect()
    }

    /// The writer of project files. What it recovers from a crash is named by the next answer.
    pub fn files(&self) -> &Arc<Workspace> {
        &self.handle.shared.files
    }

    /// Damage found in stored files, and what became of them, for the user.
    pub fn damage(&self) -> Vec<String> {
        self.handle.shared.state().damage.clone()
    }

    /// Returns whether there are stored snapshots but none that can be used: the index has to be rebuilt.
    pub fn has_lost_index(&self) -> bool {
        self.handle.shared.state().lost
    }

    /// Whether this process writes the index.
    pub fn role(&self) -> ProcessRole {
        self.handle.shared.state().role
    }

    /// Returns whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.handle.shared.config.read_only
    }

    /// The settings that it was opened with, as their reader reported them.
    pub fn settings(&self) -> &[Setting] {
        &self.handle.shared.config.settings
    }

    /// The clock that it was opened with.
    pub fn clock(&self) -> &Clock {
        &self.handle.shared.config.clock
    }

    /// The folder in which the state of the project is kept.
    pub fn project(&self) -> &Arc<ProjectDir> {
        &self.handle.shared.project
    }
}

fn gone_roots(snapshot: &Snapshot) -> impl Iterator<Item = String> {
    snapshot.roots().iter().filter_map(|info| open_root(info).err())
}

/// Ingests that run without having been asked for, see [`IngestRequest::gives_way`].
#[derive(Default)]
struct OwnIngests(Mutex<Vec<(PathBuf, Cancel)>>);

impl OwnIngests {
    /// Adds a request that gives way, until the result is dropped; of others, cancels those that give way to it.
    fn make_way(&self, request: &IngestRequest, cancel: &Cancel) -> Option<OwnIngest<'_>> {
        let path = std::fs::canonicalize(&request.path).ok()?;
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if request.gives_way {
            running.push((path.clone(), cancel.clone()));
            return Some(OwnIngest { all: self, path });
        }
        if request.adapter == Adapter::Code {
            running.iter().filter(|(own, _)| *own == path).for_each(|(_, cancel)| cancel.cancel());
        }
        None
    }
}

/// A running ingest of [`OwnIngests`].
struct OwnIngest<'a> {
    all: &'a OwnIngests,
    path: PathBuf,
}

impl Drop for OwnIngest<'_> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(path, _)| *path != self.path);
    }
}

/// One more for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn canonical_roots(roots: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for root in roots {
        let path = std::fs::canonicalize(root).map_err(|_| EngineError::PathNotFound(root.clone()))?;
        // A file named on the command line means the folder around it.
        let path = if path.is_dir() { path } else { path.parent().map_or(path.clone(), Path::to_path_buf) };
        m1nd_vfs::check_not_version_control(&path)?;
        if !found.contains(&path) {
            found.push(path);
        }
    }
    if found.is_empty() { Err(EngineError::NoRoot) } else { Ok(found) }
}
