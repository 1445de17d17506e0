//! Small files that several processes change: projects, global gotchas, stored state of one project's memories.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use m1nd_base::System;

use crate::{RealSystem, StoreError, durable};

/// Lock file held during a change.
const CHANGE_LOCK: &str = ".lock";
/// Interval between two attempts to take a lock.
const RETRY: Duration = Duration::from_millis(2);

/// A folder of small files that any process may change. Each change reads, writes and renames under one lock, so no
/// update is lost. Nothing is created before the first change.
#[derive(Debug, Clone)]
pub struct SharedFolder {
    folder: PathBuf,
    system: Arc<dyn System>,
}

/// A lock held as long as this value or its process lives, however that ends.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct HeldLock {
    file: File,
    path: PathBuf,
}

impl HeldLock {
    /// Locks the file at `path`, which is created if it is missing, without waiting; `None` if it is held.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn try_take(path: PathBuf) -> Result<Option<Self>, StoreError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(StoreError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file, path })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path)(error)),
        }
    }

    /// Returns whether the locked file is still the one at its path. If it was removed, the next process locks a new
    /// file, so this lock no longer excludes anyone.
    pub fn is_in_place(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let (Ok(own), Ok(there)) = (self.file.metadata(), std::fs::metadata(&self.path)) else { return false };
            (own.dev(), own.ino()) == (there.dev(), there.ino())
        }
        #[cfg(not(unix))]
        {
            // On this platform an open file cannot be removed.
            let _ = &self.file;
            self.path.exists()
        }
    }
}

impl Drop for HeldLock {
    /// Closing the file would not do: a command that another thread starts at this moment has a copy of it until it
    /// runs its program, and the lock lives as long as the last copy.
    fn drop(&mut self) {
        // Where it fails, closing the file gives the lock back.
        let _ = self.file.unlock();
    }
}

impl SharedFolder {
    /// The files in `folder`, which need not exist.
    pub fn new(folder: PathBuf) -> Self {
        Self::with_system(folder, Arc::new(RealSystem))
    }

    /// Like [`SharedFolder::new`], with the given file operations.
    pub fn with_system(folder: PathBuf, system: Arc<dyn System>) -> Self {
        Self { folder, system }
    }

    /// Another folder, with the same file operations.
    #[must_use]
    pub fn beside(&self, folder: PathBuf) -> Self {
        Self { folder, system: self.system.clone() }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The file operations in use.
    pub fn system(&self) -> &dyn System {
        &*self.system
    }

    /// Reads a file of at most `max_bytes` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn read(&self, name: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.folder.join(name);
        match self.system.read(&path, max_bytes) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// Names of the files in the folder, in order; none if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn list(&self) -> Result<Vec<String>, StoreError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("read the folder", &self.folder)(error)),
        };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Removes a file; does nothing if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        match self.system.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Updates a file under the lock: `change` maps its content to the new content, or to `None` to leave it. Waits
    /// up to `wait` for other processes that change files of this folder.
    ///
    /// # Errors
    /// The error of `change`, or [`StoreError`]; the file is then unchanged. [`StoreError::Taken`] on timeout.
    pub fn change<T, E: From<StoreError>>(
        &self,
        name: &str,
        max_bytes: u64,
        wait: Duration,
        change: impl FnOnce(Option<Vec<u8>>) -> Result<(T, Option<Vec<u8>>), E>,
    ) -> Result<T, E> {
        let _lock = self.hold(CHANGE_LOCK, wait)?;
        durable::sweep(&*self.system, &self.folder)?;
        let (answer, content) = change(self.read(name, max_bytes)?)?;
        if let Some(content) = content {
            durable::durable_write(&*self.system, &self.folder.join(name), &content)?;
        }
        Ok(answer)
    }

    /// Renames a damaged derived file for inspection; only the last few such files are kept.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn set_aside(&self, name: &str) -> Result<PathBuf, StoreError> {
        let kept = durable::quarantine(&*self.system, &self.folder.join(name))?;
        durable::prune(&*self.system, &self.folder, |other| other.starts_with(name));
        Ok(kept)
    }

    /// Removes partial files that a crash left in the folder. Only under a lock that all its writers take.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn sweep(&self) -> Result<(), StoreError> {
        durable::sweep(&*self.system, &self.folder)
    }

    /// Takes the lock `name`, waiting up to `wait` for its holder.
    ///
    /// # Errors
    /// [`StoreError::Taken`] on timeout, or [`StoreError::Io`].
    pub fn hold(&self, name: &str, wait: Duration) -> Result<HeldLock, StoreError> {
        let started = Instant::now();
        loop {
            if let Some(lock) = self.try_hold(name)? {
                return Ok(lock);
            }
            if started.elapsed() >= wait {
                return Err(StoreError::Taken { path: self.folder.join(name) });
            }
            std::thread::sleep(RETRY);
        }
    }

    /// Takes the lock `name` without waiting; `None` if it is held.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn try_hold(&self, name: &str) -> Result<Option<HeldLock>, StoreError> {
        self.system.create_folder(&self.folder).map_err(StoreError::io("create the folder", &self.folder))?;
        HeldLock::try_take(self.folder.join(name))
    }

    /// Returns whether any process holds the lock `name`. Creates nothing.
    pub fn is_held(&self, name: &str) -> bool {
        let path = self.folder.join(name);
        // One that this process may only read can be held all the same.
        let opened = OpenOptions::new().write(true).open(&path).or_else(|_| File::open(&path));
        let Ok(file) = opened else { return false };
        match file.try_lock() {
            // Given back at once, for the reason at `HeldLock`.
            Ok(()) => file.unlock().is_err(),
            Err(error) => matches!(error, TryLockError::WouldBlock),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_given_back_though_a_copy_of_its_file_is_open() {
        let folder = m1nd_testkit::TempTree::new("");
        let shared = SharedFolder::new(folder.path().to_owned());
        let lock = shared.try_hold("l").expect("opens").expect("is free");
        // As a process that is being started has it.
        let _copy = lock.file.try_clone().expect("is copied");
        assert!(shared.is_held("l") && shared.try_hold("l").expect("opens").is_none());
        drop(lock);
        assert!(!shared.is_held("l") && shared.try_hold("l").expect("opens").is_some());
    }
}
