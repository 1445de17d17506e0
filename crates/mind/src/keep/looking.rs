//! Progress of looks at a project's comments and commits, for other threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The looks that are running in this process, by project. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Looking(Arc<Mutex<BTreeMap<PathBuf, Progress>>>);

/// Progress of a look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of files looked at so far.
    pub done: usize,
    /// Number of all files; 0 while that is unknown.
    pub total: usize,
}

/// A running look; dropping it ends the look.
#[derive(Debug)]
#[must_use = "the look ends when this is dropped"]
pub struct Look {
    looking: Looking,
    project: PathBuf,
}

impl Looking {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Progress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a look at a project has started.
    pub fn begin(&self, project: &Path) -> Look {
        self.lock().insert(project.to_owned(), Progress::default());
        Look { looking: self.clone(), project: project.to_owned() }
    }

    /// Progress of the look at a project; `None` if none is running.
    #[must_use]
    pub fn at(&self, project: &Path) -> Option<Progress> {
        self.lock().get(project).copied()
    }
}

impl Look {
    /// Records the progress.
    pub fn is_at(&self, done: usize, total: usize) {
        if let Some(progress) = self.looking.lock().get_mut(&self.project) {
            *progress = Progress { done, total };
        }
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        self.looking.lock().remove(&self.project);
    }
}
