//! Where histories are kept, read on and stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use m1nd_base::{Cancel, ContentHash};
use m1nd_history::{GitFolder, History, NoHistory, ReadLimits, StoredError, decode, encode, read};
use m1nd_store::DerivedFiles;

use super::subjects::Subjects;
use crate::report::RootInfo;

/// Time after which a reading that a caller waits for ends with what it has.
const WAITED: Duration = Duration::from_secs(5);
/// The same in the background.
const IN_BACKGROUND: Duration = Duration::from_secs(300);
/// Largest stored history that is read, in bytes.
const MAX_STORED: u64 = 512 << 20;

/// A history with what is worked out of it when first asked for.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) history: History,
    subjects: OnceLock<Subjects>,
}

impl Loaded {
    fn new(history: History) -> Self {
        Self { history, subjects: OnceLock::new() }
    }

    /// The words of the subjects of its commits.
    pub(crate) fn subjects(&self) -> &Subjects {
        self.subjects.get_or_init(|| Subjects::of(&self.history))
    }
}

/// The histories of the roots.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    /// Where they are stored; `None` keeps them in memory only.
    files: Option<DerivedFiles>,
    writes: bool,
    roots: Mutex<BTreeMap<PathBuf, Arc<Mutex<Slot>>>>,
}

/// The history of one root.
#[derive(Debug, Default)]
struct Slot {
    history: Option<Arc<Loaded>>,
    /// Why there is none, since the last look.
    reason: Option<NoHistory>,
    /// The stored one was looked at.
    is_loaded: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Histories {
    pub(crate) fn new(files: DerivedFiles, writes: bool) -> Self {
        Self { files: Some(files), writes, roots: Mutex::default() }
    }

    fn slot(&self, root: &Path) -> Arc<Mutex<Slot>> {
        lock(&self.roots).entry(root.to_owned()).or_default().clone()
    }

    /// The history of what is checked out in a root now.
    pub(crate) fn of(&self, root: &Path, cancel: &Cancel) -> Result<Arc<Loaded>, NoHistory> {
        self.within(root, WAITED, cancel)
    }

    /// What was loaded last, else what is stored; `None` if there is neither, or while it is read.
    pub(crate) fn loaded(&self, root: &Path) -> Option<Result<Arc<Loaded>, NoHistory>> {
        let slot = self.slot(root);
        let mut slot = slot.try_lock().ok()?;
        self.load_stored(&mut slot, root);
        match (&slot.history, &slot.reason) {
            (_, Some(reason)) => Some(Err(reason.clone())),
            (history, None) => history.clone().map(Ok),
        }
    }

    /// Reads the histories of these roots in a thread of its own.
    pub(crate) fn read_in_background(self: &Arc<Self>, roots: &[RootInfo], stop: &Cancel) -> Option<JoinHandle<()>> {
        let (histories, stop) = (self.clone(), stop.clone());
        let roots: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
        let work = move || {
            for root in roots {
                if let Err(reason) = histories.within(&root, IN_BACKGROUND, &stop) {
                    tracing::debug!(%reason, root = %root.display(), "no history");
                }
            }
        };
        let thread = std::thread::Builder::new().name("m1nd-history".into()).spawn(work);
        thread.inspect_err(|error| tracing::warn!(%error, "the history is not read ahead")).ok()
    }

    fn within(&self, root: &Path, time: Duration, cancel: &Cancel) -> Result<Arc<Loaded>, NoHistory> {
        let slot = self.slot(root);
        let mut slot = lock(&slot);
        let outcome = self.current(&mut slot, root, time, cancel);
        slot.reason = outcome.as_ref().err().filter(|reason| **reason != NoHistory::Cancelled).cloned();
        outcome
    }

    fn current(&self, slot: &mut Slot, root: &Path, time: Duration, cancel: &Cancel) -> Result<Arc<Loaded>, NoHistory> {
        let limits = ReadLimits { time, ..ReadLimits::default() };
        let git = GitFolder::find(root)?;
        let head = git.head()?;
        self.load_stored(slot, root);
        if let Some(history) = slot.history.as_ref().filter(|loaded| loaded.history.is_of(&head, limits.commits)) {
            return Ok(history.clone());
        }
        let before = slot.history.as_deref().map(|loaded| &loaded.history);
        let history = Arc::new(Loaded::new(read(&git, &head, before, &limits, cancel)?));
        slot.history = Some(history.clone());
        self.store(root, &history.history);
        Ok(history)
    }

    /// Takes what is stored, once.
    fn load_stored(&self, slot: &mut Slot, root: &Path) {
        if !slot.is_loaded {
            slot.is_loaded = true;
            slot.history = self.stored(root).map(Loaded::new).map(Arc::new);
        }
    }

    fn stored(&self, root: &Path) -> Option<History> {
        let files = self.files.as_ref()?;
        let name = name_of(root);
        let bytes = files.read(&name, MAX_STORED).ok()??;
        match decode(&bytes) {
            Ok(history) => Some(history),
            Err(StoredError::OtherFormat) => None,
            Err(error) => {
                tracing::warn!(%error, "it is read anew");
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
            tracing::warn!(error, "the history could not be stored; it is read anew next time");
        }
    }
}

/// The name of the file of a root's history.
fn name_of(root: &Path) -> String {
    format!("history-{:016x}.m1nd", ContentHash::of(root.as_os_str().as_encoded_bytes()).short())
}
