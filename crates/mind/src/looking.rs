//! How far the look at a project's comments and commits is, for those who ask meanwhile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The looks that go on in this process, by project. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Looking(Arc<Mutex<BTreeMap<PathBuf, Progress>>>);

/// How far a look is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that were looked at.
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

    /// Says that a project is being looked at.
    pub fn begin(&self, project: &Path) -> Look {
        self.lock().insert(project.to_owned(), Progress::default());
        Look { looking: self.clone(), project: project.to_owned() }
    }

    /// How far the look at a project is; `None` if there is none.
    #[must_use]
    pub fn at(&self, project: &Path) -> Option<Progress> {
        self.lock().get(project).copied()
    }
}

impl Look {
    /// Says how far it is.
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
