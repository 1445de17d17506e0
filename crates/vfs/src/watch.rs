//! Reports changes below a root.
//!
//! Watches each folder that a walk would enter individually, so that ignored folders cost nothing. Events of the
//! system are only hints: after a pause, each named path is examined, and if events may have been lost (a full queue,
//! too many folders to watch) the answer is [`Changes::Rescan`].

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError};
use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::ignores::{GIT_RULES, Ignores, OWN_RULES};
use crate::walk::{Tree, Walker};
use crate::{Root, VfsError, WalkOptions};

/// Capacity of the event queue; an overflow causes a rescan.
const QUEUE: usize = 1 << 16;
/// Maximum number of changed paths in a batch; more become [`Changes::Rescan`].
const MAX_PATHS: usize = 1_000;
/// A batch is delivered after this many pauses even if changes continue.
const MAX_PAUSES: u32 = 10;
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
    /// Dropping it stops the thread.
    _stop: Sender<()>,
}

impl Watcher {
    /// Starts watching. `sink` receives [`Changes::Rescan`] once all folders are watched, because changes before that
    /// may have been missed, and then a batch whenever nothing has changed for `debounce`. It runs on one thread of
    /// the watcher, possibly once more while the watcher is being dropped.
    ///
    /// # Errors
    /// [`VfsError::NotWatchable`].
    pub fn start(
        root: &Root,
        options: WalkOptions,
        limits: Limits,
        debounce: Duration,
        sink: Box<dyn Fn(Changes) + Send>,
    ) -> Result<Self, VfsError> {
        let not_watchable = |reason: String| VfsError::NotWatchable { path: root.path().display().to_string(), reason };
        let (hints, incoming) = crossbeam_channel::bounded(QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let config = notify::Config::default().with_follow_symlinks(false);
        let backend = RecommendedWatcher::new(hint_handler(hints, lost.clone()), config)
            .map_err(|error| not_watchable(error.to_string()))?;
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
            folders: HashMap::new(),
            health: health.clone(),
            cancel: cancel.clone(),
        };
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let _guard = Guard { health: worker.health.clone(), cancel: worker.cancel.clone() };
                worker.run(&incoming, &stopped);
            })
            .map_err(|error| not_watchable(error.to_string()))?;
        Ok(Self { health, cancel, _stop: stop })
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
fn hint_handler(hints: Sender<PathBuf>, lost: Arc<AtomicBool>) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    move |event| {
        let paths = match event {
            Ok(event) if event.need_rescan() => {
                lost.store(true, Ordering::Release);
                // Wakes the worker.
                vec![PathBuf::new()]
            }
            Ok(event) if is_change(event.kind) => event.paths,
            Ok(_) => return,
            Err(_) => {
                lost.store(true, Ordering::Release);
                vec![PathBuf::new()]
            }
        };
        for path in paths {
            if let Err(TrySendError::Full(_)) = hints.try_send(path) {
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
    /// The watched folders, with the rules in effect in each.
    folders: HashMap<String, Ignores>,
    health: Arc<Mutex<WatcherHealth>>,
    cancel: Cancel,
}

impl Worker {
    fn run(&mut self, incoming: &Receiver<PathBuf>, stopped: &Receiver<()>) {
        self.watch_all();
        (self.sink)(Changes::Rescan);
        while let Some(paths) = self.collect(incoming, stopped) {
            let lost = self.lost.swap(false, Ordering::AcqRel);
            let changes = match paths {
                Some(paths) if !lost && paths.len() <= MAX_PATHS => self.look_at(paths),
                _ => Some(Changes::Rescan),
            };
            if changes == Some(Changes::Rescan) {
                self.watch_all();
            }
            if self.cancel.is_cancelled() {
                return;
            }
            if let Some(changes) = changes {
                (self.sink)(changes);
            }
        }
    }

    /// Waits for events and then for a pause. `Some(None)`: too many events, or time for a periodic rescan. `None`:
    /// the watcher was dropped.
    fn collect(&self, incoming: &Receiver<PathBuf>, stopped: &Receiver<()>) -> Option<Option<BTreeSet<PathBuf>>> {
        let degraded = self.health.lock().unwrap_or_else(PoisonError::into_inner).degraded.is_some();
        let idle = if degraded { crossbeam_channel::after(DEGRADED_PERIOD) } else { crossbeam_channel::never() };
        let mut paths = BTreeSet::new();
        crossbeam_channel::select! {
            recv(incoming) -> path => paths.insert(path.ok()?),
            recv(stopped) -> _ => return None,
            recv(idle) -> _ => return Some(None),
        };
        let latest = Instant::now() + self.debounce * MAX_PAUSES;
        loop {
            let pause_ends = (Instant::now() + self.debounce).min(latest);
            match incoming.recv_deadline(pause_ends) {
                Ok(path) if paths.len() <= MAX_PATHS => drop(paths.insert(path)),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return None,
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            if Instant::now() >= latest {
                break;
            }
        }
        Some((paths.len() <= MAX_PATHS).then_some(paths))
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
                    self.watch(&tree);
                    // Listed again after the watch was added, so that no change falls in between.
                    let Some(tree) = self.walker(|walker| walker.below(&path)) else { continue };
                    self.watch(&tree);
                    changed.extend(tree.walk.files.into_iter().map(|(path, _)| path));
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
        self.watch(&tree);
    }

    fn watch(&mut self, tree: &Tree) {
        let mut refused = 0;
        let mut reason = String::new();
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
