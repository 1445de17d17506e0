//! The only thread that changes the index. Everything that happens to it is an [`Event`]; events are handled in
//! sequence.

mod auto_ingest;
mod build;
mod compare;
mod documents;
mod files;
mod ingest;
mod ingest_target;
mod priority;
mod restore;
mod revision;
mod saving;
mod scip;
mod unlinked;
mod whole;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use m1nd_base::{Cancel, Progress, ProgressEvent, RepoPath};
use m1nd_lang::FileFacts;
use m1nd_link::{FileLinks, Linker};
use m1nd_search::FileTerms;
use m1nd_store::{FactsCache, Home, WriterLock};
use m1nd_vfs::{Changes, Root, WalkOptions, Watcher};

use crate::auto_ingest::{AutoIngest, AutoIngestRequest, AutoIngestTick, Manifest};
use crate::compiler_index::CompilerIndex;
use crate::config::IngestRequest;
use crate::error::EngineError;
use crate::history::Histories;
use crate::kept::cover::Cover;
use crate::report::{Activity, IngestReport, ProcessRole, RootInfo, WatchState};
use crate::state::persist;
use crate::state::shared::{Opened, Shared, raise};
use crate::state::snapshot::Snapshot;
use crate::state::snapshot::root_is_gone;

use restore::StoredFacts;
use saving::Saved;

pub(crate) use auto_ingest::stored_settings;

pub(crate) use compare::{Proven, compare};

/// Pause in changes after which a watcher reports them.
const DEBOUNCE: Duration = Duration::from_millis(80);
/// Longest wait for a watcher to pass on what happened by now.
const FLUSH: Duration = Duration::from_millis(250);
/// Time without events after which changed files are packed and written to disk.
const IDLE: Duration = Duration::from_millis(1_500);
/// [`IDLE`] while another process follows this one: its answers are this much older than the files.
const IDLE_FOLLOWED: Duration = Duration::from_millis(40);
/// [`IDLE`] for an index of [`LARGE`] nodes or more, whose packing and writing takes seconds.
const IDLE_LARGE: Duration = Duration::from_secs(60);
/// Time after which a process that followed counts as gone.
const FOLLOWER_GONE: Duration = Duration::from_secs(3);
/// Nodes of a large index.
const LARGE: usize = 300_000;
/// Time between two tries of a reader to become the writer.
const TAKEOVER_PERIOD: Duration = Duration::from_millis(400);
/// Interval of checks for missing roots.
const ROOT_PERIOD: Duration = Duration::from_secs(1);
/// Setting that holds the last reserved generation.
pub(crate) const GENERATION: &str = "generation";
/// Stack of a parsing thread, in bytes: grammars use some recursion of their own.
const STACK: usize = 16 << 20;

/// Everything that can happen to the index.
pub(crate) enum Event {
    /// A caller wants something indexed.
    Ingest { request: Box<IngestRequest>, cancel: Cancel, claim: Claim, reply: Sender<Reply> },
    /// Files of a root changed.
    Changed { root: PathBuf, changes: Changes },
    /// A reader noticed that files changed. The reply says whether all of them are indexed now.
    CatchUp { asker: Asker },
    /// This process wrote files of a root. The reply says whether they are indexed now.
    Written { root: PathBuf, paths: Vec<RepoPath>, asker: Asker },
    /// A reader wants everything indexed that happened before this event, as far as watchers know.
    Flush { asker: Asker },
    /// The watchers have passed on what happened before a [`Event::Flush`], or failed to.
    Flushed { is_whole: bool, asker: Asker },
    /// A caller wants the newest snapshot written to disk. The reply says whether there was something to write.
    Save { reply: Sender<Result<bool, EngineError>> },
    /// A caller wants documents kept current.
    StartAutoIngest { request: Box<AutoIngestRequest>, cancel: Cancel, reply: Sender<AutoIngestReply> },
    /// A caller wants changed documents read now.
    TickAutoIngest { cancel: Cancel, reply: Sender<AutoIngestReply> },
    /// The watchers have passed on what happened before a [`Event::TickAutoIngest`], or failed to.
    TickedAutoIngest { is_whole: bool, cancel: Cancel, reply: Sender<AutoIngestReply> },
    /// A caller wants documents no longer kept current. The reply says how many were.
    StopAutoIngest { agent: String, reply: Sender<Result<usize, EngineError>> },
    /// The thread that packs and writes the snapshot is done.
    Packed,
    /// The content of the mapped snapshot does not match its checksums.
    Damaged { path: PathBuf, why: String },
    /// The engine ends.
    Stop,
}

/// Result of reading documents that changed.
pub(crate) type AutoIngestReply = Result<AutoIngestTick, EngineError>;

/// A reader that waits for the newest state.
pub(crate) struct Asker {
    /// Takes whether the newest snapshot is what was on disk when the reader asked.
    pub(crate) reply: Sender<bool>,
    /// Set when the reader waits no longer.
    pub(crate) gave_up: Cancel,
}

/// Messages to the caller of an ingest.
pub(crate) enum Reply {
    /// Progress.
    Progress(ProgressEvent),
    /// The result.
    Done(Box<Result<IngestReport, EngineError>>),
}

/// Decides who determines the end of an ingest: the writer that is about to publish, or the caller that stopped
/// waiting. Only the first one gets the claim, so a cancelled ingest never changes the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Returns whether the decision is ours.
    pub(crate) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// Number in the facts and symbol of each node of a file, in order.
type Ids = Box<[(u32, u32)]>;

/// A file as the writer keeps it for linking and packing.
pub(crate) struct LinkedFile {
    /// `None`: they were dropped, because there are many, and can be had again.
    terms: Option<Arc<FileTerms>>,
    /// Number in the facts and symbol of each definition that is a node; `None`: as the published graph has them.
    ids: Option<Ids>,
    /// Test code by its path or content.
    is_test: bool,
}

/// A watched root.
struct Watched {
    info: RootInfo,
    handle: Root,
    watcher: Watcher,
}

/// The linker with all files of the current roots.
pub(crate) struct Linked {
    linker: Linker,
    /// Files that were read in this process and are still in memory.
    files: BTreeMap<RepoPath, LinkedFile>,
    /// Where the facts and terms of the others are.
    facts: Option<Arc<StoredFacts>>,
}

impl Linked {
    fn new(linker: Linker) -> Self {
        Self { linker, files: BTreeMap::new(), facts: None }
    }

    /// Returns whether a file is test code, by its path, its content, or where it is declared.
    fn is_test(&self, links: &FileLinks, facts: &FileFacts) -> bool {
        is_test(&self.files, links, facts)
    }

    /// The search terms of a file; `None` if they cannot be had any more.
    fn terms(&self, path: &RepoPath) -> Option<Arc<FileTerms>> {
        match self.files.get(path).and_then(|file| file.terms.as_ref()) {
            Some(terms) => Some(terms.clone()),
            None => self.facts.as_ref()?.terms(path),
        }
    }
}

fn is_test(known: &BTreeMap<RepoPath, LinkedFile>, links: &FileLinks, facts: &FileFacts) -> bool {
    let known = known.get(&links.path).map(|file| file.is_test);
    links.is_test || known.unwrap_or_else(|| facts.is_test || m1nd_lang::is_test_path(&links.path))
}

/// What the writer is told to do.
struct EventQueue {
    events: Sender<Event>,
    inbox: Receiver<Event>,
    /// Events taken out of the inbox before their turn; they come before it.
    later: VecDeque<Event>,
}

/// What of the published state is on disk.
#[derive(Default)]
struct SavedState {
    /// The file that the published state was mapped from, as long as nothing was indexed since: it may hold what the
    /// linker remembered.
    container: Option<m1nd_graph::Container>,
    /// The file that the published state was mapped from or is based on; `None` after a complete rebuild.
    base: Option<PathBuf>,
    /// The published state is newer than the file.
    is_behind: bool,
    /// Last reserved generation.
    reserved: u64,
    /// Generation that the loaded snapshot was stored with.
    loaded_generation: u64,
}

/// Threads that work beside the writer.
#[derive(Default)]
struct Threads {
    /// Packs and writes the snapshot.
    packing: Option<JoinHandle<Result<Saved, String>>>,
    /// Drops old facts.
    trimming: Option<JoinHandle<()>>,
    /// Reads the history.
    history: Option<JoinHandle<()>>,
}

/// Documents that are kept current.
#[derive(Default)]
struct KeptDocuments {
    auto_ingest: Option<AutoIngest>,
    /// Those that this process kept current before.
    manifest: Option<Manifest>,
}

/// State of the writer thread.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    home: Home,
    lock: Option<WriterLock>,
    queue: EventQueue,
    cache: Option<Arc<FactsCache>>,
    pool: Option<Arc<rayon::ThreadPool>>,
    linked: Option<Linked>,
    saved: SavedState,
    /// Imported compiler indexes and their coverage, once loaded.
    compiler: Option<(Arc<CompilerIndex>, Arc<Cover>)>,
    watchers: Vec<Watched>,
    threads: Threads,
    /// The claim of the ingest that runs for a caller.
    claim: Option<Claim>,
    /// Changes were passed on that could not be indexed.
    missed: bool,
    documents: KeptDocuments,
    /// When something last happened.
    active: Instant,
}

/// Passes progress on to the caller of an ingest and to the status.
struct Reporter<'a> {
    shared: &'a Shared,
    reply: Option<&'a Sender<Reply>>,
}

impl Progress for Reporter<'_> {
    fn report(&self, event: ProgressEvent) {
        let ProgressEvent { stage, done, total } = event;
        self.shared.state().activity = Some(Activity { stage, done, total });
        if let Some(reply) = self.reply {
            let _ = reply.send(Reply::Progress(event));
        }
    }
}

impl Writer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        home: Home,
        lock: Option<WriterLock>,
        events: Sender<Event>,
        inbox: Receiver<Event>,
    ) -> Self {
        Self {
            shared,
            home,
            lock,
            queue: EventQueue { events, inbox, later: VecDeque::new() },
            cache: None,
            pool: None,
            linked: None,
            saved: SavedState::default(),
            compiler: None,
            watchers: Vec::new(),
            threads: Threads::default(),
            claim: None,
            missed: false,
            documents: KeptDocuments::default(),
            active: Instant::now(),
        }
    }

    /// Publishes the stored snapshot.
    pub(crate) fn load(&mut self) {
        let writes = self.lock.is_some();
        if writes {
            // First, so that no half of a write is taken for the project.
            self.shared.recover_files(false);
            self.saved.reserved = self.stored_generation();
            raise(&self.shared.high_water, self.saved.reserved);
        }
        let Some(Opened { stored, path, is_verified }) = self.shared.open_stored(writes) else {
            return;
        };
        if stored.outdated {
            let text = "the index was made by another version of the extractors; the next ingest rebuilds it";
            self.shared.notice(text.into());
        }
        if is_verified {
            self.shared.note_verified(path.clone());
        } else if self.shared.config.verify {
            self.verify(&stored, &path);
        }
        self.saved.base = Some(path);
        self.saved.container = Some(stored.container.clone()).filter(|_| writes && !stored.outdated);
        let mut snapshot = self.shared.snapshot_of(stored);
        self.saved.loaded_generation = snapshot.generation;
        if writes {
            // Later states were published but not written: this older one gets a number that none of them had.
            if self.saved.reserved > snapshot.generation {
                snapshot.generation = self.saved.reserved + 1;
            }
            raise(&self.shared.high_water, snapshot.generation);
        }
        self.shared.note_saved(snapshot.generation);
        self.shared.publish(Arc::new(snapshot));
    }

    /// Compares the mapped file with its checksums in a thread of its own.
    fn verify(&self, stored: &persist::Stored, path: &Path) {
        let container = stored.container.clone();
        let (stop, events) = (self.shared.stop.clone(), self.queue.events.clone());
        let (shared, path) = (self.shared.clone(), path.to_owned());
        let check = move || match container.verify(&stop) {
            Ok(true) => shared.note_verified(path),
            Ok(false) => {}
            Err(error) if error.is_damage() => {
                let _ = events.send(Event::Damaged { path, why: error.to_string() });
            }
            // It says nothing about the content.
            Err(error) => shared.notice(format!("`{}` could not be verified: {error}", path.display())),
        };
        if let Err(error) = std::thread::Builder::new().name("m1nd-verify".into()).spawn(check) {
            tracing::warn!(%error, "the snapshot is not verified");
        }
    }

    fn stored_generation(&self) -> u64 {
        let setting = self.shared.project.setting(GENERATION);
        setting.ok().flatten().and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Handles events until the engine ends.
    pub(crate) fn run(mut self) {
        if self.shared.config.watch {
            priority::stand_back();
            self.resume_auto_ingest();
        }
        self.watch();
        self.read_history();
        loop {
            let event = match (self.queue.later.pop_front(), self.deadline()) {
                (Some(event), _) => Ok(event),
                (None, Some(at)) => self.queue.inbox.recv_deadline(at),
                (None, None) => self.queue.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                // Questions do not put off packing.
                Ok(event @ (Event::Flush { .. } | Event::Flushed { .. })) => self.handle(event),
                Ok(event) => {
                    self.active = Instant::now();
                    self.handle(event);
                    self.note_watch();
                    self.active = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) if self.documents_due().is_some_and(|due| due <= Instant::now()) => {
                    let stop = self.shared.stop.clone();
                    if let Err(error) = self.follow_documents(&stop) {
                        self.shared.notice(format!("changed documents could not be read: {error}"));
                    }
                    self.active = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) => self.idle(),
            }
        }
        self.finish();
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Ingest { request, cancel, claim, reply } => {
                self.claim = Some(claim);
                let result = self.caught_ingest(&request, &cancel, &reply);
                self.claim = None;
                self.shared.withdraw_unlinked();
                if let Ok(report) = &result {
                    self.shared.state().last_ingest = Some(report.clone());
                }
                self.shared.state().activity = None;
                let _ = reply.send(Reply::Done(Box::new(result)));
                self.trim_facts();
                self.read_history();
            }
            Event::Changed { root, changes } => {
                self.note_documents(&root, &changes);
                self.follow_changes(&root, changes);
                // A switch of the branch changes files, too.
                self.read_history();
            }
            // Of many who asked while the writer was busy, most may have given up: their work is not done.
            Event::CatchUp { asker } | Event::Flush { asker } if asker.gave_up.is_cancelled() => {}
            Event::CatchUp { asker } => {
                let _ = asker.reply.send(self.catch_up());
            }
            Event::Written { root, paths, asker } => {
                // Also if nobody waits any more: the files are as they are.
                let changes = Changes::Paths(paths);
                self.note_documents(&root, &changes);
                let is_indexed = self.lock.is_some() && self.follow_changes(&root, changes);
                let _ = asker.reply.send(is_indexed);
            }
            Event::Flush { asker } => {
                let is_whole = self.flush();
                // Behind the changes that the watchers have passed on.
                let _ = self.queue.events.send(Event::Flushed { is_whole, asker });
            }
            Event::Flushed { is_whole, asker } => {
                let _ = asker.reply.send(is_whole && !self.missed);
            }
            Event::Save { reply } => {
                let _ = reply.send(self.save_for_caller());
            }
            Event::StartAutoIngest { request, cancel, reply } => {
                let _ = reply.send(self.start_auto_ingest(&request, &cancel));
            }
            Event::TickAutoIngest { cancel, reply } => {
                let is_whole = self.flush();
                // Behind the changes that the watchers have passed on.
                let _ = self.queue.events.send(Event::TickedAutoIngest { is_whole, cancel, reply });
            }
            Event::TickedAutoIngest { is_whole, cancel, reply } => {
                let _ = reply.send(self.tick_auto_ingest(is_whole && !self.missed, &cancel));
            }
            Event::StopAutoIngest { agent, reply } => {
                let _ = reply.send(self.stop_auto_ingest(&agent));
            }
            Event::Packed => self.adopt_packed(),
            Event::Damaged { path, why } => self.drop_damaged(&path, &why),
            Event::Stop => {}
        }
    }

    /// An ingest in which a bug ends the ingest, not the writer.
    fn caught_ingest(
        &mut self,
        request: &IngestRequest,
        cancel: &Cancel,
        reply: &Sender<Reply>,
    ) -> Result<IngestReport, EngineError> {
        let shared = self.shared.clone();
        let reporter = Reporter { shared: &shared, reply: Some(reply) };
        reporter.report(ProgressEvent { stage: "reading", done: 0, total: None });
        let before = self.shared.state().notices.clone();
        self.recover_files();
        let outcome = self.catch_panic(|writer| writer.ingest(request, cancel, &reporter));
        if outcome.is_ok() {
            self.shared.settle(&before);
        }
        outcome
    }

    /// Runs a change of the index. Whoever changes the linker takes it out until the change is complete; after a panic
    /// it is dropped in any case.
    fn catch_panic<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, EngineError>) -> Result<T, EngineError> {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        outcome.unwrap_or_else(|_| {
            self.linked = None;
            Err(EngineError::Internal("a step panicked".into()))
        })
    }

    /// Looks for changes in all roots. Returns whether everything found is indexed now.
    fn catch_up(&mut self) -> bool {
        self.recover_files();
        let roots = self.shared.current().roots.clone();
        // An index with a root that must not be read stays as it is.
        if self.lock.is_none() || !roots.iter().all(|info| self.shared.allows(&info.path)) {
            return false;
        }
        let is_whole = roots.iter().all(|root| self.follow_changes(&root.path, Changes::Rescan));
        self.missed &= !is_whole;
        is_whole
    }

    /// Asks the watcher of one root for everything that happened by now. Returns whether it knows all of it.
    fn flush_root(&self, root: &Path) -> bool {
        self.watchers.iter().find(|watched| watched.info.path == root).is_some_and(|found| found.watcher.flush(FLUSH))
    }

    /// Asks the watchers for everything that happened by now. Returns whether they know all of it.
    fn flush(&self) -> bool {
        self.watchers.len() == self.shared.current().roots.len()
            && Watcher::flush_all(self.watchers.iter().map(|watched| &watched.watcher), FLUSH)
    }

    /// Follows changes of a root. Returns whether they are indexed now.
    fn follow_changes(&mut self, root: &Path, changes: Changes) -> bool {
        // A process that wrote may have been killed since.
        self.recover_files();
        let shared = self.shared.clone();
        let result = self.catch_panic(|writer| {
            let reporter = Reporter { shared: &shared, reply: None };
            let stop = shared.stop.clone();
            writer.refresh(root, changes, &stop, &reporter)
        });
        self.shared.state().activity = None;
        match &result {
            Ok(()) | Err(EngineError::Cancelled) => {}
            Err(error) => self.shared.notice(format!("changes could not be indexed: {error}")),
        }
        self.missed |= result.is_err();
        result.is_ok()
    }

    /// Recovers what was interrupted by now, if this process writes the index and no process writes files.
    fn recover_files(&self) {
        if self.lock.is_some() {
            self.shared.recover_files(true);
        }
    }

    fn drop_damaged(&mut self, path: &Path, why: &str) {
        if self.saved.base.as_deref() != Some(path) {
            // Nothing rests on that file any more.
            return;
        }
        let writes = self.lock.is_some();
        tracing::warn!(path = %path.display(), why, "the snapshot is damaged");
        self.shared.set_aside(path, why, writes);
        self.saved.base = None;
        // Answers from damaged bytes may be wrong: serve an older state or nothing rather than that.
        let roots = self.shared.current().roots.clone();
        self.linked = None;
        let mut instead = match self.shared.open_stored(writes) {
            Some(Opened { stored, path, is_verified }) => {
                if !is_verified {
                    self.verify(&stored, &path);
                }
                self.saved.base = Some(path);
                self.shared.snapshot_of(stored)
            }
            None => Snapshot {
                limits: self.shared.config.limits.clone(),
                histories: self.shared.histories.clone(),
                ..Snapshot::empty()
            },
        };
        instead.generation = self.next_generation();
        self.shared.publish(Arc::new(instead));
        if writes {
            let shared = self.shared.clone();
            let stop = shared.stop.clone();
            let rebuilt = self.catch_panic(|writer| {
                let reporter = Reporter { shared: &shared, reply: None };
                writer.rebuild(roots.to_vec(), &stop, &reporter)
            });
            self.shared.state().activity = None;
            if let Err(error) = rebuilt {
                self.shared.notice(format!("the index could not be rebuilt: {error}"));
            }
        }
    }

    /// When to act without an event.
    fn deadline(&self) -> Option<Instant> {
        let takes_over = self.lock.is_none() && !self.shared.config.read_only;
        if takes_over {
            return Some(Instant::now() + TAKEOVER_PERIOD);
        }
        let large = self.shared.current().graph.node_count() >= LARGE;
        let idle = || match large {
            true => IDLE_LARGE,
            false if self.shared.project.is_followed(FOLLOWER_GONE) => IDLE_FOLLOWED,
            false => IDLE,
        };
        let packs = (self.saved.is_behind && self.threads.packing.is_none()).then(|| self.active + idle());
        let looks = (self.shared.config.watch && self.misses_root()).then(|| Instant::now() + ROOT_PERIOD);
        packs.into_iter().chain(looks).chain(self.documents_due()).min()
    }

    /// Returns whether a root of the index cannot be read.
    fn misses_root(&self) -> bool {
        self.shared.current().handles.iter().any(Option::is_none)
    }

    fn idle(&mut self) {
        if self.lock.is_none() {
            self.take_over();
        } else {
            if self.shared.config.watch && self.misses_root() {
                self.look_for_roots();
            }
            if self.saved.is_behind && self.threads.packing.is_none() && self.packer().is_none() {
                self.relink();
            }
            self.pack_in_background();
        }
        // A failed operation is retried after the next pause, not at once.
        self.active = Instant::now();
    }

    /// Rebuilds the linker after a failed run consumed it: without it edits could not be packed.
    fn relink(&mut self) {
        let shared = self.shared.clone();
        let linked = self.catch_panic(|writer| {
            let reporter = Reporter { shared: &shared, reply: None };
            writer.relink_all(&shared.stop, &reporter)
        });
        self.shared.state().activity = None;
        if let Err(error) = linked {
            tracing::warn!(%error, "changes are not packed");
        }
    }

    /// Turns a reader into the writer after the former one has ended.
    fn take_over(&mut self) {
        let lock = self.shared.project.try_lock();
        if matches!(lock, Ok(None)) {
            self.shared.project.mark_followed();
        }
        if let Ok(Some(lock)) = lock {
            self.lock = Some(lock);
            self.load();
            self.shared.state().role = ProcessRole::Writer;
            if self.shared.config.watch {
                self.resume_auto_ingest();
            }
            self.watch();
        }
    }

    /// Starts watching the roots of the index, if that is wanted and not done yet.
    fn watch(&mut self) {
        if !(self.shared.config.watch || self.documents.auto_ingest.is_some()) || self.lock.is_none() {
            return;
        }
        let snapshot = self.shared.current();
        let rows = || snapshot.roots.iter().zip(snapshot.handles.iter());
        // A watcher lists the same files as the walk of the index: it is restarted with other options, or for another
        // folder of that name.
        let is_watched = |info: &RootInfo, handle: &Root, watched: &Watched| {
            watched.info == *info && watched.handle.is_same_handle(handle)
        };
        self.watchers.retain(|watched| {
            rows().any(|(info, handle)| handle.as_ref().is_some_and(|handle| is_watched(info, handle, watched)))
        });
        let mut state = WatchState::On;
        for (info, handle) in rows() {
            let Some(handle) = handle else {
                state = WatchState::Failed(root_is_gone(info));
                continue;
            };
            if self.watchers.iter().any(|watched| is_watched(info, handle, watched)) {
                continue;
            }
            let (events, root) = (self.queue.events.clone(), info.path.clone());
            let sink = move |changes: Changes| {
                let _ = events.send(Event::Changed { root: root.clone(), changes });
            };
            let limits = self.shared.config.limits.clone();
            let marks = self.shared.project.marks().ok();
            match Watcher::start(
                handle,
                walk_options(info, &self.shared.histories),
                limits,
                DEBOUNCE,
                marks,
                Box::new(sink),
            ) {
                Ok(watcher) => self.watchers.push(Watched { info: info.clone(), handle: handle.clone(), watcher }),
                Err(error) => state = WatchState::Failed(error.to_string()),
            }
        }
        self.shared.state().watch = state;
    }

    /// Adds to the status that changes may go unnoticed.
    fn note_watch(&mut self) {
        let degraded = self.watchers.iter().find_map(|watched| watched.watcher.health().degraded);
        let missing = self.misses_root();
        let mut state = self.shared.state();
        match (degraded, &state.watch) {
            (Some(why), _) => state.watch = WatchState::Failed(why),
            (None, WatchState::Failed(_)) if !self.watchers.is_empty() && !missing => state.watch = WatchState::On,
            _ => {}
        }
    }

    fn finish(&mut self) {
        self.watchers.clear();
        for thread in [self.threads.trimming.take(), self.threads.history.take()].into_iter().flatten() {
            let _ = thread.join();
        }
        if self.lock.is_none() {
            return;
        }
        self.adopt_packed();
        // Writing a large index takes longer than a stopping client waits; the next server finds the changes on its
        // own.
        let large = self.shared.current().graph.node_count() >= LARGE;
        if self.saved.is_behind
            && !(large && self.shared.config.watch)
            && let Err(why) = self.save_now()
        {
            tracing::warn!(%why, "the index could not be written to disk");
        }
        if !self.saved.is_behind {
            self.store_generation(self.shared.current().generation);
        }
        self.lock = None;
    }

    fn pool(&mut self) -> Result<Arc<rayon::ThreadPool>, EngineError> {
        if let Some(pool) = &self.pool {
            return Ok(pool.clone());
        }
        let threads = self.shared.config.threads.unwrap_or(0);
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
        let pool = builder.thread_name(|number| format!("m1nd-{number}")).build();
        let pool = Arc::new(pool.map_err(|error| EngineError::Internal(error.to_string()))?);
        self.pool = Some(pool.clone());
        Ok(pool)
    }

    /// The facts cache; ingest works without one, only slower.
    fn open_cache(&mut self) {
        if self.cache.is_none() {
            match self.home.facts_cache() {
                Ok(cache) => self.cache = Some(Arc::new(cache)),
                Err(error) => self.shared.notice(format!("facts are not cached: {error}")),
            }
        }
    }
}

impl Writer {
    /// Reads the history ahead for a server; a command line that asks for it reads it then.
    fn read_history(&mut self) {
        let is_reading = self.threads.history.as_ref().is_some_and(|thread| !thread.is_finished());
        if self.shared.config.watch && !is_reading {
            let roots = self.shared.current().roots.clone();
            self.threads.history = self.shared.histories.read_in_background(&roots);
        }
    }

    /// Drops old facts past their bound, in a thread of its own: nobody waits for it.
    fn trim_facts(&mut self) {
        if self.threads.trimming.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let Some(cache) = self.cache.clone() else { return };
        let bound = self.shared.config.facts_bytes;
        let work = move || match cache.stored_bytes() {
            Ok(stored) if stored <= bound => {}
            Ok(_) => match cache.trim(bound) {
                Ok(dropped) => tracing::debug!(dropped, "old facts were dropped"),
                Err(error) => tracing::warn!(%error, "old facts could not be dropped"),
            },
            Err(error) => tracing::warn!(%error, "the facts cache could not be read"),
        };
        match std::thread::Builder::new().name("m1nd-trim".into()).spawn(work) {
            Ok(thread) => self.threads.trimming = Some(thread),
            Err(error) => tracing::warn!(%error, "old facts are not dropped"),
        }
    }
}

fn walk_options(info: &RootInfo, histories: &Histories) -> WalkOptions {
    WalkOptions {
        include_hidden: info.include_hidden,
        hidden_patterns: info.hidden_patterns.clone(),
        tracked: Some(histories.indexes.clone()),
    }
}
