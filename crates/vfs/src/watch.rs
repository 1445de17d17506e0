//! Reports changes below a root.
//!
//! Watches each folder that a walk would enter individually, so that ignored folders cost nothing. Events of the
//! system are only hints: after a pause, each named path is examined, and if events may have been lost (a full queue,
//! too many folders to watch) the answer is [`Changes::Rescan`].

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError};
use m1nd_base::{Cancel, ContentHash, Limits, NoProgress, RepoPath};
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::ignores::{GIT_RULES, Ignores, OWN_RULES};
use crate::walk::{Tree, Walker};
use crate::{Root, VfsError, WalkOptions};

/// Capacity of the event queue; an overflow causes a rescan.
const QUEUE: usize = 1 << 16;
/// Maximum number of changed paths in a batch; more become [`Changes::Rescan`].
const MAX_PATHS: usize = 1_000;
/// Pause after the end of a single save: its events come within it. It grows with the number of paths up to the pause
/// that the watcher was started with, so that a checkout is one batch.
const SAVE_PAUSE: Duration = Duration::from_millis(10);
/// A batch is delivered after this many pauses even if changes continue.
const MAX_PAUSES: u32 = 10;
/// Longest wait for the event of a mark.
const MARK_WAIT: Duration = Duration::from_millis(200);
/// Events of marks that are kept; more are dropped, and a flush that waits for one fails.
const MARK_QUEUE: usize = 16;
/// Listings of a tree until no folder is new.
const MAX_LISTINGS: usize = 8;
/// Interval of rescans while some folders cannot be watched.
const DEGRADED_PERIOD: Duration = Duration::from_secs(60);

/// Changes since the last batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// These files were changed, created or removed, or replaced by something that is not a regular file. Sorted.
    Paths(Vec<RepoPath>),
    /// Anything may have changed: walk the root again.
    Rescan,
}

/// State of a watcher.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatcherHealth {
    /// Whether the folders are being watched; `false` until the first walk is done.
    pub started: bool,
    /// Number of watched folders.
    pub folders: usize,
    /// Reason why changes may go unnoticed for up to a minute, if so.
    pub degraded: Option<String>,
}

/// Watches a root until it is dropped. Does not follow links.
#[derive(Debug)]
pub struct Watcher {
    health: Arc<Mutex<WatcherHealth>>,
    cancel: Cancel,
    flushes: Sender<Sender<bool>>,
    /// Dropping it stops the thread.
    _stop: Sender<()>,
}

impl Watcher {
    /// Starts watching. `sink` receives [`Changes::Rescan`] once all folders are watched, because changes before that
    /// may have been missed, and then a batch whenever nothing has changed for `debounce`, or for less if a few files
    /// were changed and the system says that nobody is writing to them. It runs on one thread of the watcher, possibly
    /// once more while the watcher is being dropped.
    ///
    /// `marks` is a folder outside of the root in which nobody else writes. Files are made and removed there to find
    /// out whether all events have arrived; without it [`Watcher::flush`] never succeeds.
    ///
    /// # Errors
    /// [`VfsError::NotWatchable`].
    pub fn start(
        root: &Root,
        options: WalkOptions,
        limits: Limits,
        debounce: Duration,
        marks: Option<PathBuf>,
        sink: Box<dyn Fn(Changes) + Send>,
    ) -> Result<Self, VfsError> {
        let not_watchable = |reason: String| VfsError::NotWatchable { path: root.path().display().to_string(), reason };
        let (hints, incoming) = crossbeam_channel::bounded(QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let config = notify::Config::default().with_follow_symlinks(false);
        let (marked, seen) = crossbeam_channel::bounded(MARK_QUEUE);
        // Elsewhere the system does not promise that events of several folders arrive in order.
        let marks = marks.filter(|_| cfg!(target_os = "linux"));
        // In a folder of their own: the marks of each watcher would be events for all others.
        let prefix = ContentHash::of(root.path().as_os_str().as_encoded_bytes()).short();
        let marks = marks.map(|folder| folder.join(format!("{prefix:x}")));
        let marks = marks.filter(|folder| std::fs::create_dir_all(folder).is_ok());
        let handler = hint_handler(hints, lost.clone(), marks.clone(), marked);
        let mut backend = RecommendedWatcher::new(handler, config).map_err(|error| not_watchable(error.to_string()))?;
        let marks = marks.filter(|folder| backend.watch(folder, RecursiveMode::NonRecursive).is_ok());
        let marks = marks.map(|folder| Marks { folder, made: 0, seen });
        let (flushes, asked) = crossbeam_channel::unbounded();
        let (stop, stopped) = crossbeam_channel::bounded(0);
        let health = Arc::new(Mutex::new(WatcherHealth::default()));
        let cancel = Cancel::new();
        let mut worker = Worker {
            root: root.clone(),
            options,
            limits,
            debounce,
            sink,
            backend,
            lost,
            marks,
            folders: HashMap::new(),
            forced: HashSet::new(),
            health: health.clone(),
            cancel: cancel.clone(),
        };
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let _guard = Guard { health: worker.health.clone(), cancel: worker.cancel.clone() };
                worker.run(&incoming, &stopped, &asked);
            })
            .map_err(|error| not_watchable(error.to_string()))?;
        Ok(Self { health, cancel, flushes, _stop: stop })
    }

    /// Passes everything that happened before this call to the sink, without waiting for a pause. Returns whether that
    /// is certain; not if the watcher is starting or degraded, the system cannot tell, or it takes longer than `wait`.
    pub fn flush(&self, wait: Duration) -> bool {
        Self::flush_all([self], wait)
    }

    /// Like [`Watcher::flush`], of several watchers at the same time.
    pub fn flush_all<'w>(watchers: impl IntoIterator<Item = &'w Self>, wait: Duration) -> bool {
        let ends = Instant::now() + wait;
        let asked: Vec<Option<Receiver<bool>>> = watchers.into_iter().map(Self::ask).collect();
        asked.into_iter().all(|replies| replies.is_some_and(|replies| replies.recv_deadline(ends) == Ok(true)))
    }

    fn ask(&self) -> Option<Receiver<bool>> {
        let health = self.health();
        if !health.started || health.degraded.is_some() {
            return None;
        }
        let (reply, replies) = crossbeam_channel::bounded(1);
        self.flushes.send(reply).is_ok().then_some(replies)
    }

    /// Returns the state of the watcher.
    pub fn health(&self) -> WatcherHealth {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Returns the event handler, which runs on the backend's thread and must not block.
fn hint_handler(
    hints: Sender<Hint>,
    lost: Arc<AtomicBool>,
    marks: Option<PathBuf>,
    marked: Sender<PathBuf>,
) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    let is_mark = move |path: &Path| marks.is_some() && (path.parent() == marks.as_deref());
    move |event| {
        let (paths, write) = match event {
            Ok(event) if event.need_rescan() => {
                lost.store(true, Ordering::Release);
                // Wakes the worker.
                (vec![PathBuf::new()], Write::Neither)
            }
            Ok(event) if event.paths.first().is_some_and(|path| is_mark(path)) => {
                if event.kind.is_create() {
                    event.paths.into_iter().for_each(|path| _ = marked.try_send(path));
                }
                return;
            }
            Ok(event) if is_change(event.kind) => (event.paths, write_of(event.kind)),
            Ok(_) => return,
            Err(_) => {
                lost.store(true, Ordering::Release);
                (vec![PathBuf::new()], Write::Neither)
            }
        };
        for path in paths {
            if let Err(TrySendError::Full(_)) = hints.try_send(Hint { path, write }) {
                lost.store(true, Ordering::Release);
            }
        }
    }
}

/// Returns whether the event may have changed a file. Opening and reading, above all our own, do not.
pub(crate) fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Something that may have changed.
#[derive(Debug)]
struct Hint {
    path: PathBuf,
    write: Write,
}

/// Stage of a write to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    /// More of it may follow.
    Begins,
    /// It is complete.
    Ends,
    /// The content is as before, or unknown.
    Neither,
}

fn write_of(kind: EventKind) -> Write {
    match kind {
        EventKind::Access(AccessKind::Close(_)) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
            Write::Ends
        }
        EventKind::Modify(ModifyKind::Metadata(_)) => Write::Neither,
        _ => Write::Begins,
    }
}

/// Reports a thread that ends while the watcher is still alive, for example after a panic of the sink.
struct Guard {
    health: Arc<Mutex<WatcherHealth>>,
    cancel: Cancel,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.cancel.is_cancelled() {
            let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
            (health.started, health.folders) = (false, 0);
            health.degraded = Some("watching has ended; start again".to_owned());
        }
    }
}

/// Files made to find out whether events have arrived: the system queues events in order, so those of all earlier
/// changes precede the event of a mark.
struct Marks {
    folder: PathBuf,
    /// Marks made so far.
    made: u64,
    /// Marks whose event has arrived.
    seen: Receiver<PathBuf>,
}

impl Marks {
    /// Returns whether all events of changes before this call have arrived.
    fn make(&mut self) -> bool {
        self.seen.try_iter().for_each(drop);
        self.made += 1;
        let mark = self.folder.join(self.made.to_string());
        // An earlier process may have left it.
        let _ = std::fs::remove_file(&mark);
        if std::fs::File::create_new(&mark).is_err() {
            return false;
        }
        let ends = Instant::now() + MARK_WAIT;
        let arrived = std::iter::from_fn(|| self.seen.recv_deadline(ends).ok()).any(|seen| seen == mark);
        let _ = std::fs::remove_file(&mark);
        arrived
    }
}

/// Events since the last batch.
#[derive(Default)]
struct Batch {
    paths: BTreeSet<PathBuf>,
    /// Those that may still be written to.
    open: BTreeSet<PathBuf>,
    /// Too many events, or time for a periodic rescan.
    rescan: bool,
    /// Those who wait until the batch is delivered.
    asked: Vec<Sender<bool>>,
    /// All events before the batch was asked for are in it.
    is_whole: bool,
}

impl Batch {
    fn add(&mut self, Hint { path, write }: Hint) {
        match write {
            Write::Begins if self.open.len() <= MAX_PATHS => _ = self.open.insert(path.clone()),
            Write::Ends => _ = self.open.remove(&path),
            Write::Begins | Write::Neither => {}
        }
        if self.paths.len() <= MAX_PATHS {
            self.paths.insert(path);
        }
        self.rescan |= self.paths.len() > MAX_PATHS;
    }

    /// Time without changes after which the batch is complete.
    fn pause(&self, longest: Duration) -> Duration {
        match u32::try_from(self.paths.len()) {
            Ok(paths) if self.open.is_empty() => SAVE_PAUSE.saturating_mul(paths).min(longest),
            _ => longest,
        }
    }
}

struct Worker {
    root: Root,
    options: WalkOptions,
    /// Limits of the walks that build the index: what they skip is not watched.
    limits: Limits,
    debounce: Duration,
    sink: Box<dyn Fn(Changes) + Send>,
    backend: RecommendedWatcher,
    /// Set when events were lost.
    lost: Arc<AtomicBool>,
    marks: Option<Marks>,
    /// The watched folders, with the rules in effect in each.
    folders: HashMap<String, Ignores>,
    /// Files that are listed although a rule ignores them.
    forced: HashSet<RepoPath>,
    health: Arc<Mutex<WatcherHealth>>,
    cancel: Cancel,
}

impl Worker {
    fn run(&mut self, incoming: &Receiver<Hint>, stopped: &Receiver<()>, flushes: &Receiver<Sender<bool>>) {
        self.watch_all();
        (self.sink)(Changes::Rescan);
        while let Some(batch) = self.collect(incoming, stopped, flushes) {
            let lost = self.lost.swap(false, Ordering::AcqRel);
            let changes = if lost || batch.rescan { Some(Changes::Rescan) } else { self.look_at(batch.paths) };
            if changes == Some(Changes::Rescan) {
                self.watch_all();
            }
            if self.cancel.is_cancelled() {
                return;
            }
            if let Some(changes) = changes {
                (self.sink)(changes);
            }
            let is_whole = batch.is_whole && !self.is_degraded();
            batch.asked.into_iter().for_each(|asked| _ = asked.send(is_whole));
        }
    }

    fn is_degraded(&self) -> bool {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).degraded.is_some()
    }

    /// Waits for events and then for a pause, or until somebody asks for what there is. `None`: the watcher was
    /// dropped.
    fn collect(
        &mut self,
        incoming: &Receiver<Hint>,
        stopped: &Receiver<()>,
        flushes: &Receiver<Sender<bool>>,
    ) -> Option<Batch> {
        let degraded = self.is_degraded();
        let idle = if degraded { crossbeam_channel::after(DEGRADED_PERIOD) } else { crossbeam_channel::never() };
        let mut batch = Batch::default();
        crossbeam_channel::select! {
            recv(incoming) -> hint => batch.add(hint.ok()?),
            recv(flushes) -> asked => batch.asked.push(asked.ok()?),
            recv(stopped) -> _ => return None,
            recv(idle) -> _ => {
                batch.rescan = true;
                return Some(batch);
            }
        };
        let latest = Instant::now() + self.debounce * MAX_PAUSES;
        while batch.asked.is_empty() && Instant::now() < latest {
            let pause_ends = (Instant::now() + batch.pause(self.debounce)).min(latest);
            crossbeam_channel::select! {
                recv(incoming) -> hint => batch.add(hint.ok()?),
                recv(flushes) -> asked => batch.asked.push(asked.ok()?),
                recv(crossbeam_channel::at(pause_ends)) -> _ => break,
            };
            if self.cancel.is_cancelled() {
                return None;
            }
        }
        if !batch.asked.is_empty() {
            batch.asked.extend(flushes.try_iter());
            batch.is_whole = self.marks.as_mut().is_some_and(Marks::make);
            incoming.try_iter().for_each(|hint| batch.add(hint));
        }
        Some(batch)
    }

    /// Determines the current state of the paths, as far as the index is concerned.
    fn look_at(&mut self, paths: BTreeSet<PathBuf>) -> Option<Changes> {
        let mut changed = BTreeSet::new();
        for path in paths {
            let Some(path) = self.inside(&path) else { continue };
            if path.is_empty() {
                // For the root itself, only removal or replacement matters.
                if !self.root.is_at_path() {
                    return Some(Changes::Rescan);
                }
                continue;
            }
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
            if name == GIT_RULES || name == OWN_RULES {
                return Some(Changes::Rescan);
            }
            let known_folder = self.folders.contains_key(&path);
            match self.root.dir().symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() && known_folder => {}
                // It was a folder: everything in it is gone.
                _ if known_folder => return Some(Changes::Rescan),
                Ok(meta) if meta.is_dir() => {
                    let Some(tree) = self.walker(|walker| walker.below(&path)) else { continue };
                    let Some(tree) = self.watch_settled(tree, |walker| walker.below(&path)) else {
                        return Some(Changes::Rescan);
                    };
                    changed.extend(tree.walk.files.into_iter().map(|(path, _)| path));
                }
                _ if RepoPath::new(&path).is_ok_and(|path| self.forced.contains(&path)) => {
                    changed.extend(RepoPath::new(&path));
                }
                _ => {
                    let Some(ignores) = self.folders.get(parent) else { continue };
                    if self.walker(|walker| Some(walker.lists(&path, name, ignores))) == Some(true) {
                        changed.extend(RepoPath::new(&path));
                    }
                }
            }
            if changed.len() > MAX_PATHS {
                return Some(Changes::Rescan);
            }
        }
        (!changed.is_empty()).then(|| Changes::Paths(changed.into_iter().collect()))
    }

    /// Path relative to the root, `""` for the root itself.
    fn inside(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(self.root.path()).ok()?.to_str()?;
        Some(if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() })
    }

    /// Synchronises the watched folders with those that a walk enters.
    fn watch_all(&mut self) {
        let tree = self.walker(|walker| walker.tree().ok()).unwrap_or_default();
        let entered: BTreeSet<&str> = tree.folders.iter().map(|(path, _)| path.as_str()).collect();
        let gone: Vec<String> = self.folders.keys().filter(|path| !entered.contains(path.as_str())).cloned().collect();
        for path in gone {
            self.folders.remove(&path);
            // Fails if the folder is gone; then there is nothing to unwatch.
            let _ = self.backend.unwatch(&self.root.path().join(path));
        }
        {
            let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
            health.degraded = if self.root.path().is_dir() { None } else { Some("the root is gone".to_owned()) };
        }
        // What comes between the walk and the watch gives no event.
        if self.watch_settled(tree, |walker| walker.tree().ok()).is_none() {
            self.lost.store(true, Ordering::Release);
        }
    }

    /// Watches the folders of a tree and lists it again, until all that is listed was watched before. Returns the last
    /// tree, in which no change can have been missed; `None` if folders keep appearing.
    fn watch_settled(&mut self, mut tree: Tree, list: impl Fn(&Walker<'_>) -> Option<Tree>) -> Option<Tree> {
        let mut watched: HashSet<String> = HashSet::new();
        for _ in 0..MAX_LISTINGS {
            let before = watched.len();
            watched.extend(tree.folders.iter().map(|(path, _)| path.clone()));
            if watched.len() == before {
                return Some(tree);
            }
            self.watch(&tree);
            tree = self.walker(&list).unwrap_or_default();
        }
        None
    }

    fn watch(&mut self, tree: &Tree) {
        let mut refused = 0;
        let mut reason = String::new();
        self.watch_forced(tree);
        for (path, ignores) in &tree.folders {
            if self.cancel.is_cancelled() {
                return;
            }
            let absolute = self.root.path().join(path);
            // Also for a known folder: another one of the same name may have replaced it.
            match self.backend.watch(&absolute, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.folders.insert(path.clone(), ignores.clone())),
                Err(error) if is_gone(&error) => {}
                Err(error) => {
                    refused += 1;
                    reason = explain(&error);
                    self.folders.insert(path.clone(), ignores.clone());
                    if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) {
                        refused = tree.folders.len().saturating_sub(self.folders.len()).max(1);
                        break;
                    }
                }
            }
        }
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.started = true;
        health.folders = self.folders.len();
        if refused > 0 {
            health.degraded = Some(format!("{refused} folders or more are not watched: {reason}"));
        }
    }

    /// Watches the ignored folders of files that are listed nevertheless.
    fn watch_forced(&mut self, tree: &Tree) {
        let folders: BTreeSet<&str> = tree
            .forced
            .iter()
            .map(|path| path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder))
            .filter(|folder| !tree.folders.iter().any(|(path, _)| path == folder))
            .collect();
        for folder in folders {
            // If it fails, an ingest finds the change.
            let _ = self.backend.watch(&self.root.path().join(folder), RecursiveMode::NonRecursive);
        }
        self.forced.extend(tree.forced.iter().cloned());
    }

    fn walker<T>(&self, work: impl FnOnce(&Walker<'_>) -> Option<T>) -> Option<T> {
        work(&Walker::new(&self.root, &self.options, &self.limits, &self.cancel, &NoProgress))
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound | notify::ErrorKind::WatchNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

fn explain(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the system's limit of watched folders is reached; on Linux raise fs.inotify.max_user_watches".to_owned()
        }
        _ => error.to_string(),
    }
}
