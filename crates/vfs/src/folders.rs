//! Watches a set of single folders, non-recursively: one watcher for many projects, without walking them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::VfsError;
use crate::watch::is_change;

/// A watcher of single folders. Changes in subfolders are not reported.
#[derive(Debug)]
pub struct FolderWatch {
    backend: Mutex<RecommendedWatcher>,
}

impl FolderWatch {
    /// Starts a watcher without folders. `sink` receives each path that may have changed, or `None` if events were
    /// lost and anything may have changed. It runs on the watcher's thread and must not block.
    ///
    /// # Errors
    /// [`VfsError::NotWatchable`].
    pub fn start(sink: impl Fn(Option<&Path>) + Send + 'static) -> Result<Self, VfsError> {
        let handler = move |event: notify::Result<Event>| match event {
            Ok(event) if event.need_rescan() => sink(None),
            Ok(event) if !is_change(event.kind) => {}
            Ok(event) => event.paths.iter().for_each(|path| sink(Some(path))),
            Err(_) => sink(None),
        };
        let config = notify::Config::default().with_follow_symlinks(false);
        let backend = RecommendedWatcher::new(handler, config)
            .map_err(|error| VfsError::NotWatchable { path: String::new(), reason: error.to_string() })?;
        Ok(Self { backend: Mutex::new(backend) })
    }

    /// Adds a folder.
    ///
    /// # Errors
    /// [`VfsError::NotWatchable`] if it does not exist or the system's limit is reached.
    pub fn add(&self, folder: &Path) -> Result<(), VfsError> {
        let mut backend = self.backend.lock().unwrap_or_else(PoisonError::into_inner);
        backend
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(|error| VfsError::NotWatchable { path: folder.display().to_string(), reason: error.to_string() })
    }

    /// Removes a folder. Not needed for a folder that was deleted.
    pub fn remove(&self, folder: &Path) {
        let _ = self.backend.lock().unwrap_or_else(PoisonError::into_inner).unwatch(folder);
    }
}
