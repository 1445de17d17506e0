//! State shared by handles and the writer thread: the published snapshot, and reports of the writer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use m1nd_base::Cancel;
use m1nd_edit::Workspace;
use m1nd_graph::SnapshotError;
use m1nd_store::ProjectDir;
use m1nd_vfs::Root;

use crate::auto_ingest::AutoIngestStatus;
use crate::config::EngineConfig;
use crate::history::Histories;
use crate::kept::text_model::LocalModel;
use crate::report::{Activity, IngestReport, ProcessRole, RootInfo, WatchState};
use crate::state::persist::{self, Stored};
use crate::state::snapshot::{Snapshot, open_root};

/// Time between two looks for a newer snapshot of another process.
const FOLLOW_PERIOD: Duration = Duration::from_millis(40);
/// Folder of the journals of writes, in the state of a project.
const JOURNALS: &str = "edits";
/// How often a snapshot that cannot be read is tried again, and the pause before each try.
const RETRIES: usize = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// Notices kept, the newest.
const MAX_NOTICES: usize = 20;

/// State shared by handles and the writer thread.
pub(crate) struct Shared {
    pub(crate) config: EngineConfig,
    /// Allowed roots, canonical.
    pub(crate) allowed: Vec<PathBuf>,
    pub(crate) project: Arc<ProjectDir>,
    /// The writer of project files.
    pub(crate) files: Arc<Workspace>,
    /// Set when the engine ends: background work stops.
    pub(crate) stop: Cancel,
    current: RwLock<Arc<Snapshot>>,
    /// The definitions of the first index while it is linked.
    unlinked: RwLock<Option<Arc<Snapshot>>>,
    state: Mutex<State>,
    followed: Mutex<Followed>,
    /// Snapshot files that cannot be used and keep their name, since this process does not write.
    unusable: Mutex<BTreeSet<PathBuf>>,
    opened: Instant,
    /// The snapshot file that was last compared with its checksums as a whole.
    verified: Mutex<PathBuf>,
    /// Generation of the newest state that is on disk.
    saved: AtomicU64,
    pub(crate) high_water: AtomicU64,
    pub(crate) histories: Arc<Histories>,
    pub(crate) model: Option<Arc<LocalModel>>,
    /// Whole ingests that callers wait for: readers do not wait behind them.
    pub(crate) whole_ingests: AtomicUsize,
}

/// Reports of the writer.
pub(crate) struct State {
    pub(crate) role: ProcessRole,
    pub(crate) watch: WatchState,
    pub(crate) activity: Option<Activity>,
    /// Documents that this process keeps current.
    pub(crate) auto_ingest: Option<AutoIngestStatus>,
    pub(crate) last_ingest: Option<IngestReport>,
    pub(crate) notices: Vec<String>,
    /// Damage found in stored files, and what became of them.
    pub(crate) damage: Vec<String>,
    /// There are snapshot files, and none of them can be used.
    pub(crate) lost: bool,
}

/// A stored snapshot.
pub(crate) struct Opened {
    pub(crate) stored: Stored,
    pub(crate) path: PathBuf,
    /// All of it was compared with its checksums.
    pub(crate) is_verified: bool,
}

/// The snapshot file examined last.
struct Followed {
    path: PathBuf,
    looked: Instant,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(
        config: EngineConfig,
        allowed: Vec<PathBuf>,
        project: Arc<ProjectDir>,
        role: ProcessRole,
    ) -> Self {
        let (stop, store) = (Cancel::new(), (!config.read_only).then(|| config.home.clone()));
        let histories = Arc::new(Histories::new(project.derived_files(), store, config.history_wait, stop.clone()));
        let model = config.model.clone().map(|folder| Arc::new(LocalModel::new(folder)));
        let nothing = Snapshot { histories: histories.clone(), ..Snapshot::empty() };
        let state = State {
            role,
            watch: WatchState::Off,
            activity: None,
            auto_ingest: None,
            last_ingest: None,
            notices: Vec::new(),
            damage: project.notice().map(str::to_owned).into_iter().collect(),
            lost: false,
        };
        let now = Instant::now();
        let state_folder = project.path();
        // The folder of a project lies two levels below that of all state.
        let home = state_folder.ancestors().nth(2).unwrap_or(state_folder);
        let files = Workspace::new(state_folder.join(JOURNALS), home);
        let files = Arc::new(files.with_roots(allowed.clone()));
        Self {
            config,
            allowed,
            project,
            files,
            stop,
            current: RwLock::new(Arc::new(nothing)),
            unlinked: RwLock::default(),
            state: Mutex::new(state),
            followed: Mutex::new(Followed { path: PathBuf::new(), looked: now }),
            unusable: Mutex::default(),
            opened: now,
            verified: Mutex::default(),
            saved: AtomicU64::new(0),
            high_water: AtomicU64::new(0),
            histories,
            model,
            whole_ingests: AtomicUsize::new(0),
        }
    }

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
        self.withdraw_unlinked();
        newer
    }

    /// The definitions of the first index while it is linked; `None` once any index is published.
    pub(crate) fn find_unlinked(&self) -> Option<Arc<Snapshot>> {
        let offered = self.unlinked.read().unwrap_or_else(PoisonError::into_inner).clone();
        offered.filter(|_| self.current().is_empty())
    }

    /// Offers definitions that are not linked yet to readers that ask for them.
    pub(crate) fn offer_unlinked(&self, snapshot: Snapshot) {
        *self.unlinked.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(snapshot));
    }

    /// Ends the offer of definitions that are not linked.
    pub(crate) fn withdraw_unlinked(&self) {
        let offered = self.unlinked.write().unwrap_or_else(PoisonError::into_inner).take();
        // After the lock: freeing may take a while.
        drop(offered);
    }

    /// Notes that all of a snapshot file matches its checksums.
    pub(crate) fn note_verified(&self, path: PathBuf) {
        *lock(&self.verified) = path;
    }

    /// Returns whether this file was compared with its checksums by this process. Snapshot files never change.
    pub(crate) fn is_verified(&self, path: &Path) -> bool {
        *lock(&self.verified) == path
    }

    /// Notes that a state of this generation is on disk.
    pub(crate) fn note_saved(&self, generation: u64) {
        self.saved.store(generation, Ordering::Release);
    }

    /// Generation of the newest state that this process read from disk or wrote to it.
    pub(crate) fn saved_generation(&self) -> u64 {
        self.saved.load(Ordering::Acquire)
    }

    /// Seconds since the engine was opened.
    pub(crate) fn uptime_secs(&self) -> u64 {
        self.opened.elapsed().as_secs()
    }

    /// Returns whether another process may be the publisher. Never blocks: returns `false` while the state is locked.
    pub(crate) fn follows_others(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.role != ProcessRole::Writer)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(crate) fn notice(&self, text: String) {
        tracing::warn!("{text}");
        self.add_notice(text);
    }

    fn add_notice(&self, text: String) {
        let mut state = self.state();
        state.notices.retain(|known| *known != text);
        state.notices.push(text);
        let excess = state.notices.len().saturating_sub(MAX_NOTICES);
        state.notices.drain(..excess);
    }

    /// Undoes or finishes interrupted writes to these roots, before the files are read. Waits for another process that
    /// writes unless `at_once`.
    pub(crate) fn recover_files(&self, at_once: bool) {
        if !self.config.recovers {
            return;
        }
        let found = if at_once { self.files.recover_at_once() } else { self.files.recover() };
        match found {
            Ok(found) => found.notices().for_each(|notice| self.notice(notice)),
            Err(error) => self.notice(format!("an interrupted write is not undone yet: {error}")),
        }
    }

    /// Notices of interrupted writes that wait for a process that writes, and of copies that are kept of earlier ones.
    pub(crate) fn interrupted_writes(&self) -> Vec<String> {
        let unknown = |error| vec![format!("it is not known whether a write was interrupted: {error}")];
        let mut notices = match self.files.interrupted_anywhere() {
            Ok(found) => found.iter().map(m1nd_edit::InterruptedWrite::notice).collect(),
            Err(error) => unknown(error),
        };
        let copies = self.files.list_copies().unwrap_or_default();
        notices.extend(copies.iter().map(|path| {
            format!("`{}` has copies of an interrupted write; remove it when they are not needed", path.display())
        }));
        notices
    }

    /// Drops notices resolved by a successful ingest. A condition that lasts is noticed again.
    pub(crate) fn settle(&self, before: &[String]) {
        self.state().notices.retain(|notice| !before.contains(notice));
    }

    /// Returns whether a root of this path may be read.
    pub(crate) fn allows(&self, root: &Path) -> bool {
        self.allowed.iter().any(|allowed| root.starts_with(allowed))
    }

    /// Returns handles of roots, reusing those of `before` that are still at their path. `None` for a root that is
    /// missing or no longer allowed, which is also reported as a notice.
    pub(crate) fn open_roots(&self, roots: &[RootInfo], before: &[Option<Root>]) -> Arc<[Option<Root>]> {
        let open = |root: &RootInfo| {
            if !self.allows(&root.path) {
                self.notice(format!(
                    "the indexed root `{}` is not among the allowed roots; it is not read",
                    root.path.display()
                ));
                return None;
            }
            let known = before.iter().flatten().find(|known| known.path() == root.path && known.is_at_path());
            if let Some(known) = known {
                return Some(known.clone());
            }
            open_root(root).map_err(|why| self.notice(why)).ok()
        };
        roots.iter().map(open).collect()
    }

    /// The snapshot of a stored file.
    pub(crate) fn snapshot_of(&self, stored: Stored) -> Snapshot {
        let handles = self.open_roots(&stored.roots, &[]);
        stored.into_snapshot(handles, self.config.limits.clone(), self.histories.clone())
    }

    /// Opens the current snapshot file, or the newest older one if that cannot be used. Sets files that cannot be used
    /// aside if `writes`. `None` if there is none.
    pub(crate) fn open_stored(&self, writes: bool) -> Option<Opened> {
        lock(&self.followed).path = self.project.snapshot_path();
        let mut is_older = false;
        for path in self.project.snapshot_paths() {
            if lock(&self.unusable).contains(&path) {
                is_older = true;
                continue;
            }
            match self.open_patiently(&path) {
                Ok((stored, is_verified)) => {
                    if is_older {
                        self.notice_damage(format!(
                            "an older state of the index is used, generation {}; the next ingest brings it up to date",
                            stored.generation
                        ));
                    }
                    return Some(Opened { stored, path, is_verified });
                }
                Err(SnapshotError::NotThere(_)) => {}
                Err(error) => {
                    is_older = true;
                    match error.is_damage() {
                        true => self.set_aside(&path, &error.to_string(), writes),
                        // The file may be sound: it keeps its name, and the next start tries it again.
                        false => self.notice_damage(format!("`{}` is not used: {error}", path.display())),
                    }
                }
            }
        }
        self.state().lost = is_older;
        None
    }

    /// Like [`Shared::open_sound`]; tries again after an error of the system, which may be gone a moment later.
    fn open_patiently(&self, path: &Path) -> Result<(Stored, bool), SnapshotError> {
        let mut opened = self.open_sound(path);
        for _ in 0..RETRIES {
            if !matches!(opened, Err(SnapshotError::Unreadable(_))) {
                break;
            }
            std::thread::sleep(RETRY_PAUSE);
            opened = self.open_sound(path);
        }
        opened
    }

    /// Opens a snapshot file, and verifies it as a whole unless it is too large for that.
    fn open_sound(&self, path: &Path) -> Result<(Stored, bool), SnapshotError> {
        let stored = persist::open(path)?;
        let bytes: usize = stored.container.sections().iter().map(|(_, section)| section.len()).sum();
        let is_verified = bytes as u64 <= self.config.verify_at_open && stored.container.verify(&self.stop)?;
        Ok((stored, is_verified))
    }

    /// Gives an unusable snapshot file another name if `writes`; it is not used again in any case.
    pub(crate) fn set_aside(&self, path: &Path, why: &str, writes: bool) {
        let kept = if writes { self.project.quarantine(path, why).ok() } else { None };
        if kept.is_none() {
            lock(&self.unusable).insert(path.to_owned());
        }
        let place = kept.map_or_else(String::new, |kept| format!("; it is kept as `{}`", kept.display()));
        self.notice_damage(format!("{why}{place}; the next ingest rebuilds the index"));
    }

    /// A notice about damage. Whoever opened the engine tells its user: not logged as a warning, too.
    fn notice_damage(&self, text: String) {
        tracing::info!("{text}");
        self.state().damage.push(text.clone());
        self.add_notice(text);
    }

    /// Publishes a newer snapshot file of another process, if there is one. Checks at most every [`FOLLOW_PERIOD`].
    pub(crate) fn follow(&self) {
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
                self.publish(Arc::new(self.snapshot_of(stored)));
            }
            Err(error) => tracing::debug!(%error, "a newer snapshot cannot be opened yet"),
        }
    }
}

/// Raises a number that never goes back.
pub(crate) fn raise(number: &AtomicU64, to: u64) {
    number.fetch_max(to, Ordering::AcqRel);
}
