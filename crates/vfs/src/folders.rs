//! Tells which of a few folders something happened directly in: one watch for many projects, without walking them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::VfsError;
use crate::watch::is_change;

/// A watch over single folders. What happens deeper down is not told.
#[derive(Debug)]
pub struct FolderWatch {
    backend: Mutex<RecommendedWatcher>,
}

impl FolderWatch {
    /// Starts a watch over no folder. `sink` gets the path of what may have been changed, `None` when hints were lost and
    /// anything may have been; it is called from a thread of the system's watch and must not wait.
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

    /// Watches a folder, too.
    ///
    /// # Errors
    /// [`VfsError::NotWatchable`] if it is not there or the system's limit is reached.
    pub fn add(&self, folder: &Path) -> Result<(), VfsError> {
        let mut backend = self.backend.lock().unwrap_or_else(PoisonError::into_inner);
        backend
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(|error| VfsError::NotWatchable { path: folder.display().to_string(), reason: error.to_string() })
    }

    /// No longer watches a folder. One that is gone needs no such call.
    pub fn remove(&self, folder: &Path) {
        let _ = self.backend.lock().unwrap_or_else(PoisonError::into_inner).unwatch(folder);
    }
}
