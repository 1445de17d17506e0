//! Progress of looks at a project's comments and commits, for concurrent queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The looks that go on in this process, by project. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Looking(Arc<Mutex<BTreeMap<PathBuf, Progress>>>);

/// Progress of a look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of processed files.
    pub done: usize,
    /// Files there are; 0 while that is not known.
    pub total: usize,
}

/// A look that goes on until this is dropped.
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

    /// Registers a look at a project.
    pub fn begin(&self, project: &Path) -> Look {
        self.lock().insert(project.to_owned(), Progress::default());
        Look { looking: self.clone(), project: project.to_owned() }
    }

    /// Progress of the look at a project; `None` if there is none.
    #[must_use]
    pub fn at(&self, project: &Path) -> Option<Progress> {
        self.lock().get(project).copied()
    }
}

impl Look {
    /// Reports progress.
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
