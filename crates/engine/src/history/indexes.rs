//! What git tracks in the repositories of the roots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::Tracked;
use m1nd_history::GitFolder;
use m1nd_vfs::{FileMeta, TrackedSource, stamp};

/// Most repositories whose index is kept.
const MAX_KEPT: usize = 64;
/// Most entries of an index that is kept; a larger one is read again each time.
const MAX_KEPT_ENTRIES: usize = 200_000;

/// The state of the file of an index, and what it tracks.
type Kept = (FileMeta, Option<Arc<[Tracked]>>);

/// The indexes of repositories, each read again when its file has changed.
#[derive(Debug, Default)]
pub(crate) struct GitIndexes {
    kept: Mutex<BTreeMap<PathBuf, Kept>>,
}

impl GitIndexes {
    /// The state of the file that lists what a work tree tracks; `None` if there is none.
    pub(crate) fn stamp(work_tree: &Path) -> Option<FileMeta> {
        stamp(&GitFolder::find(work_tree).ok()?.index_path())
    }
}

impl TrackedSource for GitIndexes {
    fn list_tracked(&self, work_tree: &Path) -> Option<Arc<[Tracked]>> {
        let git = GitFolder::find(work_tree).ok()?;
        let now = stamp(&git.index_path())?;
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = lock().get(work_tree)
            && *of == now
        {
            return known.clone();
        }
        let tracked: Option<Arc<[Tracked]>> = git.list_tracked().map(Into::into);
        let mut kept = lock();
        kept.remove(work_tree);
        if kept.len() < MAX_KEPT && tracked.as_ref().is_none_or(|tracked| tracked.len() <= MAX_KEPT_ENTRIES) {
            kept.insert(work_tree.to_owned(), (now, tracked.clone()));
        }
        tracked
    }
}
