//! Storage and updates of histories.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use m1nd_base::{Cancel, ContentHash, Derived};
use m1nd_history::{GitFolder, Head, History, LineCache, NoHistory, ReadLimits, StoredError, decode, encode, read};
use m1nd_store::DerivedFiles;

use super::{GitIndexes, Revisions};
use crate::kept::document_texts::DocumentTexts;
use crate::kept::file_words::WordCache;
use crate::report::RootInfo;

/// Time after which a caller continues with the commits read so far, by itself or by another.
const WAITED: Duration = Duration::from_secs(5);
/// The same in the background.
const IN_BACKGROUND: Duration = Duration::from_secs(300);
/// Interval of checks of the cancel flag while another caller reads.
const LOOK: Duration = Duration::from_millis(20);
/// Largest stored history that is read, in bytes.
const MAX_STORED: u64 = 512 << 20;

/// A history that was read, with the caches of its readers.
#[derive(Debug)]
pub struct LoadedHistory {
    pub(crate) history: History,
    /// Comparisons of contents, which outlive the history: contents do not change.
    pub(crate) lines: Arc<LineCache>,
    derived: Derived,
    /// How long an answer waits for a value that it can do without.
    wait: Duration,
}

/// Whether a thread works a value out.
struct Begun<T>(AtomicBool, PhantomData<fn() -> T>);

impl LoadedHistory {
    fn new(history: History, before: Option<&Self>, wait: Duration) -> Self {
        let lines = before.map(|before| before.lines.clone()).unwrap_or_default();
        Self { history, lines, derived: Derived::new(), wait }
    }

    /// The value of this type among [`LoadedHistory::derived_values`] if it is there in a moment. The first who asks
    /// has it worked out, in a thread of its own.
    pub fn derived_at_hand<T: Send + Sync + 'static>(
        self: &Arc<Self>,
        compute: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Option<Arc<T>> {
        let until = Instant::now() + self.wait;
        if let Some(known) = self.derived.get() {
            return Some(known);
        }
        let begun = self.derived.get_or_init(|| Begun::<T>(AtomicBool::new(false), PhantomData));
        if !begun.0.swap(true, Ordering::AcqRel) {
            let shared = self.clone();
            let work = move || drop(shared.derived.get_or_init(|| compute(&shared)));
            if let Err(error) = std::thread::Builder::new().name("m1nd-measure".into()).spawn(work) {
                tracing::warn!(%error, "nothing is measured in the background");
                begun.0.store(false, Ordering::Release);
            }
        }
        while Instant::now() < until {
            if let Some(known) = self.derived.get() {
                return Some(known);
            }
            std::thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        self.derived.get()
    }

    /// The history.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Values that readers work out of the history and keep as long as it lives, one of each type.
    pub fn derived_values(&self) -> &Derived {
        &self.derived
    }
}

/// A history that is at hand.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) loaded: Arc<LoadedHistory>,
    /// The commit of `HEAD`, if the history is of another one.
    pub(crate) checked_out: Option<String>,
}

impl Held {
    fn new(loaded: Arc<LoadedHistory>, head: &Head) -> Self {
        let checked_out = Some(head.commit()).filter(|commit| *commit != loaded.history.head());
        Self { loaded, checked_out }
    }

    /// The same, of the commits since a time.
    pub(super) fn since(&self, time: i64) -> Self {
        let history = self.loaded.history.since(time);
        Self {
            loaded: Arc::new(LoadedHistory::new(history, Some(&self.loaded), self.loaded.wait)),
            checked_out: self.checked_out.clone(),
        }
    }
}

/// The histories of the roots.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    /// Storage; `None` keeps them in memory only.
    files: Option<DerivedFiles>,
    writes: bool,
    /// How long an answer that can do without new commits waits for them.
    wait: Duration,
    /// Ends readings in the background.
    stop: Cancel,
    /// Readings that answers started.
    readings: Mutex<Vec<JoinHandle<()>>>,
    roots: Mutex<BTreeMap<PathBuf, Arc<Slot>>>,
    pub(crate) revisions: Revisions,
    /// What the repositories track.
    pub(crate) indexes: Arc<GitIndexes>,
    /// Words of files that the index does not hold whole.
    pub(crate) words: WordCache,
    /// Caches of readers, see [`Snapshot::lasting`](crate::Snapshot::lasting).
    pub(crate) lasting: Derived,
    /// Texts of packed documents.
    pub(crate) texts: DocumentTexts,
}

/// The history of one root. Nothing is read while `state` is locked.
#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    /// Signalled when a reading has ended.
    ended: Condvar,
    /// Held while loading the stored history.
    loading: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    newest: Option<Arc<LoadedHistory>>,
    /// The reason why the last reading failed.
    reason: Option<NoHistory>,
    /// Whether the stored history has been loaded.
    is_loaded: bool,
    /// Somebody reads.
    is_reading: bool,
}

/// The right to read the history of a root; given back when dropped.
struct Turn<'s>(&'s Slot);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_reading = false;
        self.0.ended.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Histories {
    /// `home` is the store, if it may be written; `stop` ends what is read in the background.
    pub(crate) fn new(files: DerivedFiles, home: Option<PathBuf>, wait: Duration, stop: Cancel) -> Self {
        let writes = home.is_some();
        Self {
            files: Some(files),
            writes,
            wait,
            stop,
            readings: Mutex::default(),
            roots: Mutex::default(),
            revisions: Revisions::new(home),
            indexes: Arc::default(),
            words: WordCache::default(),
            lasting: Derived::new(),
            texts: DocumentTexts::default(),
        }
    }

    fn slot(&self, root: &Path) -> Arc<Slot> {
        lock(&self.roots).entry(root.to_owned()).or_default().clone()
    }

    /// The history of a root's `HEAD`. Of another commit only if another caller is reading and does not finish in
    /// time.
    pub(crate) fn of(&self, root: &Path, cancel: &Cancel) -> Result<Held, NoHistory> {
        self.within(root, WAITED, cancel)
    }

    /// The history read last, else the stored one; `None` if there is neither. Reads no commits.
    pub(crate) fn find_loaded(&self, root: &Path) -> Option<Result<Held, NoHistory>> {
        let head = match GitFolder::find(root).and_then(|git| git.head()) {
            Ok(head) => head,
            Err(reason) => return Some(Err(reason)),
        };
        let slot = self.slot(root);
        match self.newest(&slot, root) {
            Some(loaded) => Some(Ok(Held::new(loaded, &head))),
            None => lock(&slot.state).reason.clone().map(Err),
        }
    }

    /// The history of a root's `HEAD` if it can be read in a moment, else what was read before: as it is, while a
    /// thread of its own reads on.
    pub(crate) fn at_hand(self: &Arc<Self>, root: &Path, cancel: &Cancel) -> Result<Held, NoHistory> {
        let until = Instant::now() + self.wait;
        let head = GitFolder::find(root)?.head()?;
        let slot = self.slot(root);
        let commits = ReadLimits::default().commits;
        let is_whole = |loaded: &Arc<LoadedHistory>| loaded.history.is_of(&head, commits);
        let before = self.newest(&slot, root);
        if let Some(whole) = before.filter(is_whole) {
            return Ok(Held::new(whole, &head));
        }
        let is_reading = lock(&slot.state).is_reading;
        let mut reading = if is_reading { None } else { self.read_on(root) };
        let mut state = lock(&slot.state);
        while Instant::now() < until && !state.newest.as_ref().is_some_and(is_whole) {
            cancel.check().map_err(|_| NoHistory::Cancelled)?;
            let is_over = reading.as_ref().map_or(!state.is_reading, JoinHandle::is_finished);
            if is_over {
                break;
            }
            state = slot.ended.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (known, reason) = (state.newest.clone(), state.reason.clone());
        drop(state);
        let mut readings = lock(&self.readings);
        readings.retain(|reading| !reading.is_finished());
        readings.extend(reading.take());
        known.map(|known| Held::new(known, &head)).ok_or_else(|| reason.unwrap_or(NoHistory::BeingRead))
    }

    /// Like [`Histories::of`], for a program that ends with its answer: what can be read in a moment is added to what
    /// was read before.
    pub(crate) fn briefly(&self, root: &Path, cancel: &Cancel) -> Result<Held, NoHistory> {
        self.within(root, self.wait, cancel)
    }

    /// Waits until no reading that an answer started goes on. They end soon once they are stopped.
    pub(crate) fn wait_for_readings(&self) {
        let readings = std::mem::take(&mut *lock(&self.readings));
        readings.into_iter().for_each(|reading| drop(reading.join()));
    }

    /// Reads the history of one root in a thread of its own.
    fn read_on(self: &Arc<Self>, root: &Path) -> Option<JoinHandle<()>> {
        let (histories, root) = (self.clone(), root.to_owned());
        self.in_background(move |stop| {
            if let Err(reason) = histories.within(&root, IN_BACKGROUND, stop) {
                tracing::debug!(%reason, root = %root.display(), "no history");
            }
        })
    }

    fn in_background(&self, work: impl FnOnce(&Cancel) + Send + 'static) -> Option<JoinHandle<()>> {
        let stop = self.stop.clone();
        let thread = std::thread::Builder::new().name("m1nd-history".into()).spawn(move || work(&stop));
        thread.inspect_err(|error| tracing::warn!(%error, "the history is not read ahead")).ok()
    }

    /// Reads the histories of these roots in a thread of its own.
    pub(crate) fn read_in_background(self: &Arc<Self>, roots: &[RootInfo]) -> Option<JoinHandle<()>> {
        let histories = self.clone();
        let roots: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
        self.in_background(move |stop| {
            for root in roots {
                if let Err(reason) = histories.within(&root, IN_BACKGROUND, stop) {
                    tracing::debug!(%reason, root = %root.display(), "no history");
                }
            }
        })
    }

    fn within(&self, root: &Path, time: Duration, cancel: &Cancel) -> Result<Held, NoHistory> {
        let until = Instant::now() + time;
        let git = GitFolder::find(root)?;
        let head = git.head()?;
        let slot = self.slot(root);
        let before = self.newest(&slot, root);
        let commits = ReadLimits::default().commits;
        let is_whole = |loaded: &Arc<LoadedHistory>| loaded.history.is_of(&head, commits);
        if let Some(whole) = before.filter(is_whole) {
            return Ok(Held::new(whole, &head));
        }
        let Some(turn) = slot.turn(until, cancel)? else {
            let known = lock(&slot.state).newest.clone();
            return known.map(|known| Held::new(known, &head)).ok_or(NoHistory::BeingRead);
        };
        // The previous holder may have read exactly this.
        let before = lock(&slot.state).newest.clone();
        if let Some(whole) = before.as_ref().filter(|before| is_whole(before)) {
            return Ok(Held::new(whole.clone(), &head));
        }
        let limits = ReadLimits { time: until.saturating_duration_since(Instant::now()), commits };
        let outcome = read(&git, &head, before.as_deref().map(|before| &before.history), &limits, cancel);
        let outcome = outcome.map(|history| Arc::new(LoadedHistory::new(history, before.as_deref(), self.wait)));
        let mut state = lock(&slot.state);
        match &outcome {
            Ok(loaded) => (state.newest, state.reason) = (Some(loaded.clone()), None),
            Err(NoHistory::Cancelled) => {}
            Err(reason) => state.reason = Some(reason.clone()),
        }
        drop(state);
        let loaded = outcome?;
        self.store(root, &loaded.history);
        drop(turn);
        Ok(Held::new(loaded, &head))
    }

    /// The newest history at hand; looks for a stored one, once.
    fn newest(&self, slot: &Slot, root: &Path) -> Option<Arc<LoadedHistory>> {
        let known = || {
            let state = lock(&slot.state);
            state.is_loaded.then(|| state.newest.clone())
        };
        if let Some(known) = known() {
            return known;
        }
        let _one = lock(&slot.loading);
        if let Some(known) = known() {
            return known;
        }
        let stored = self.read_stored(root).map(|history| Arc::new(LoadedHistory::new(history, None, self.wait)));
        let mut state = lock(&slot.state);
        (state.is_loaded, state.newest) = (true, stored);
        state.newest.clone()
    }

    fn read_stored(&self, root: &Path) -> Option<History> {
        let files = self.files.as_ref()?;
        let name = name_of(root);
        let bytes = files.read(&name, MAX_STORED).ok()??;
        match decode(&bytes) {
            Ok(history) => Some(history),
            Err(StoredError::OtherFormat) => None,
            Err(error) => {
                tracing::warn!(%error, "the stored history is unusable; reading the git history again");
                if self.writes {
                    // It is overwritten in any case.
                    let _ = files.set_aside(&name);
                }
                None
            }
        }
    }

    fn store(&self, root: &Path, history: &History) {
        let Some(files) = self.files.as_ref().filter(|_| self.writes) else { return };
        let written = encode(history)
            .map_err(|error| error.to_string())
            .and_then(|bytes| files.write(&name_of(root), &bytes).map_err(|error| error.to_string()));
        if let Err(error) = written {
            tracing::warn!(error, "the history could not be stored; it will be read again next time");
        }
    }
}

impl Slot {
    /// Waits for the right to read; `None` if another still has it when the time is over.
    fn turn(&self, until: Instant, cancel: &Cancel) -> Result<Option<Turn<'_>>, NoHistory> {
        let mut state = lock(&self.state);
        while state.is_reading {
            cancel.check().map_err(|_| NoHistory::Cancelled)?;
            if Instant::now() >= until {
                return Ok(None);
            }
            state = self.ended.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_reading = true;
        Ok(Some(Turn(self)))
    }
}

/// The name of the file of a root's history.
fn name_of(root: &Path) -> String {
    format!("history-{:016x}.m1nd", ContentHash::of(root.as_os_str().as_encoded_bytes()).short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_held_up_by_the_reading_of_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join(".git/objects")).expect("made");
        std::fs::write(root.join(".git/HEAD"), "1234567890123456789012345678901234567890\n").expect("written");
        let histories = Histories::default();
        let slot = histories.slot(root);
        let turn = slot.turn(Instant::now(), &Cancel::new()).expect("not cancelled").expect("nobody reads");
        assert!(histories.find_loaded(root).is_none(), "what is at hand is asked for without waiting");
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(histories.of(root, &cancel).err(), Some(NoHistory::Cancelled));
        assert_eq!(histories.within(root, Duration::ZERO, &Cancel::new()).err(), Some(NoHistory::BeingRead));
        drop(turn);
        assert!(matches!(histories.of(root, &Cancel::new()), Err(NoHistory::Unreadable(_))));
        assert!(matches!(histories.find_loaded(root), Some(Err(NoHistory::Unreadable(_)))), "the reason stays known");
    }
}
