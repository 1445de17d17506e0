use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use m1nd_base::System;

use crate::settings::Settings;
use crate::shared::{HeldLock, SharedFolder};
use crate::totals::{self, CallTotals};
use crate::{DerivedFiles, StoreError, database, durable, snapshots};

/// Maximum size of stored compiler indexes, in bytes.
const MAX_COMPILER_INDEX: u64 = 2 << 30;

/// The database of precious data.
pub(crate) const DATABASE: &str = "project.db";
/// The file that the writer locks. Those who wait for its snapshots set its time.
const LOCK: &str = "lock";
/// What the name of the file of adopted facts begins with. Their version follows.
const ADOPTED: &str = "adopted-facts-";
/// Folder of the snapshots.
pub(crate) const SNAPSHOTS: &str = "snapshots";

/// The stored state of one project. Any number of processes may have it open; only the holder of the [`WriterLock`]
/// may write snapshots.
#[derive(Debug)]
pub struct ProjectDir {
    path: PathBuf,
    system: Arc<dyn System>,
    settings: Settings,
    /// What became of a database that could not be used.
    notice: Option<String>,
    /// Set when it is unknown which writes reached the disk.
    closed: AtomicBool,
}

/// The exclusive right to write. Released when dropped or when the process ends, however it ends.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct WriterLock {
    _lock: HeldLock,
}

impl ProjectDir {
    pub(crate) fn open(path: PathBuf, system: Arc<dyn System>) -> Result<Self, StoreError> {
        system.create_folder(&path).map_err(StoreError::io("create the folder", &path))?;
        let database = path.join(DATABASE);
        let (settings, notice) = match Settings::open(database.clone()) {
            Ok(settings) => (settings, None),
            Err(error) if error.is_damage() => Self::replace_damaged(&*system, &path, error)?,
            Err(error) => return Err(error),
        };
        Ok(Self { path, system, settings, notice, closed: AtomicBool::new(false) })
    }

    /// Puts a damaged database aside and starts a new one, unless another process writes the project.
    fn replace_damaged(
        system: &dyn System,
        path: &Path,
        found: StoreError,
    ) -> Result<(Settings, Option<String>), StoreError> {
        let database = path.join(DATABASE);
        let Some(lock) = HeldLock::try_take(path.join(LOCK))? else {
            let notice = describe_unused(&found);
            return Ok((Settings::unusable(database, found), Some(notice)));
        };
        // Another process may have done it before this one got the lock.
        let damage = match Settings::open(database.clone()) {
            Err(error) if error.is_damage() => error,
            opened => return opened.map(|settings| (settings, None)),
        };
        let kept = database::put_aside(system, &database)?;
        let settings = Settings::open(database.clone())?;
        drop(lock);
        let Some(kept) = kept else { return Ok((settings, None)) };
        let detail = match &damage {
            StoreError::Damaged { detail, .. } => detail.clone(),
            other => other.to_string(),
        };
        let notice = format!(
            "`{}` was damaged ({detail}) and is kept as `{}`; feedback, settings and what agents held are empty now: \
             to have them back, end all m1nd processes and copy a backup to `{}`",
            database.display(),
            kept.display(),
            database.display(),
        );
        note_beside(system, &kept, &notice);
        Ok((settings, Some(notice)))
    }

    /// Like [`ProjectDir::open`], but creates and changes nothing: without a database there are no settings and no
    /// feedback. With one that cannot be used, everything else goes on, and only what needs it fails.
    pub(crate) fn open_to_read(path: PathBuf, system: Arc<dyn System>) -> Result<Self, StoreError> {
        let database = path.join(DATABASE);
        // Not only a file: anything else at this place is a reason to be named.
        let is_there = std::fs::symlink_metadata(&database).is_ok();
        let settings = if is_there { Settings::open_to_read(database) } else { Settings::empty(database)? };
        let notice = settings.error().map(|error| describe_unused(&error));
        Ok(Self { path, system, settings, notice, closed: AtomicBool::new(false) })
    }

    /// What became of a database that could not be used, for the user.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Damaged databases that were put aside and are still there, by name.
    pub fn kept_databases(&self) -> Vec<PathBuf> {
        let mut names = self.system.list(&self.path).unwrap_or_default();
        names.retain(|name| durable::is_set_aside(name, DATABASE));
        names.sort();
        names.into_iter().map(|name| self.path.join(name)).collect()
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the writer lock without waiting; `None` if another process, or another handle of this one, holds it.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn try_lock(&self) -> Result<Option<WriterLock>, StoreError> {
        let Some(lock) = HeldLock::try_take(self.path.join(LOCK))? else { return Ok(None) };
        for folder in [self.path.clone(), self.snapshots()] {
            self.system.create_folder(&folder).map_err(StoreError::io("create the folder", &folder))?;
            durable::sweep(&*self.system, &folder)?;
        }
        Ok(Some(WriterLock { _lock: lock }))
    }

    /// Notes that this process waits for what the writer publishes. Nothing depends on it but how soon that is.
    pub fn mark_followed(&self) {
        let mark = OpenOptions::new().write(true).open(self.path.join(LOCK));
        #[allow(clippy::disallowed_methods, reason = "compared with the clock of the disk")]
        let _ = mark.and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// Returns whether another process marked within this time that it follows the writer.
    pub fn is_followed(&self, within: Duration) -> bool {
        #[allow(clippy::disallowed_methods, reason = "the store touches the disk")]
        let marked = std::fs::metadata(self.path.join(LOCK)).and_then(|found| found.modified());
        marked.is_ok_and(|marked| marked.elapsed().is_ok_and(|age| age < within))
    }

    /// Path of the current snapshot file, which does not exist if none was published. If it is gone when it is
    /// opened, two newer ones were published in between: call this again.
    pub fn snapshot_path(&self) -> PathBuf {
        snapshots::current(&*self.system, &self.snapshots())
    }

    /// Paths of the snapshot files: the current one, then the others from the newest to the oldest.
    pub fn snapshot_paths(&self) -> Vec<PathBuf> {
        snapshots::all(&*self.system, &self.snapshots())
    }

    /// Writes a new snapshot file and makes it current, durably. Open or mapped files stay intact. Returns the new
    /// path.
    ///
    /// # Errors
    /// [`StoreError::Io`], with the previous snapshot still current, and [`StoreError::Closed`].
    pub fn publish_snapshot(
        &self,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, StoreError> {
        self.guard_write(|| snapshots::publish(&*self.system, &self.snapshots(), write))
    }

    /// Renames a damaged file of this project to `*.corrupt-<seconds>` and writes the reason next to it. Only the
    /// last few quarantined snapshots are kept.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn quarantine(&self, path: &Path, why: &str) -> Result<PathBuf, StoreError> {
        let kept = durable::quarantine(&*self.system, path)?;
        note_beside(&*self.system, &kept, why);
        if path.parent() == Some(&self.snapshots()) {
            durable::prune(&*self.system, &self.snapshots(), |_| true);
        }
        Ok(kept)
    }

    /// Reads the imported compiler indexes as they were stored; `None` if there are none.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn compiler_index(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.compiler_index_path();
        match self.system.read(&path, MAX_COMPILER_INDEX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// Replaces the imported compiler indexes, durably. Only for the holder of the [`WriterLock`].
    ///
    /// # Errors
    /// [`StoreError::Io`], with the previous ones still stored, and [`StoreError::Closed`].
    pub fn set_compiler_index(&self, bytes: &[u8]) -> Result<(), StoreError> {
        self.guard_write(|| durable::durable_write(&*self.system, &self.compiler_index_path(), bytes))
    }

    /// Path of the imported compiler indexes.
    pub fn compiler_index_path(&self) -> PathBuf {
        self.path.join("compiler-index.m1nd")
    }

    /// Path of the facts of a version that came with an index from another machine.
    pub fn adopted_facts_path(&self, version: u32) -> PathBuf {
        self.path.join(format!("{ADOPTED}{version}"))
    }

    /// Replaces the facts that came with an index from another machine. They are derived, so a crash may leave them cut
    /// off. Only for the holder of the [`WriterLock`].
    ///
    /// # Errors
    /// [`StoreError::Io`], and [`StoreError::Closed`].
    pub fn set_adopted_facts(
        &self,
        version: u32,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        self.guard_write(|| {
            self.remove_adopted_facts();
            let path = self.adopted_facts_path(version);
            let written = self.system.create_new(&path).and_then(|file| {
                let mut out = BufWriter::new(file);
                write(&mut out)?;
                out.flush()
            });
            written.map_err(|error| {
                let _ = self.system.remove(&path);
                StoreError::io("write", &path)(error)
            })
        })
    }

    /// Removes the facts that came with an index from another machine, of every version.
    pub fn remove_adopted_facts(&self) {
        let names = self.system.list(&self.path).unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with(ADOPTED)) {
            // One that stays costs space only.
            let _ = self.system.remove(&self.path.join(name));
        }
    }

    /// Folder in which the watcher makes marks, created if missing.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn marks(&self) -> Result<PathBuf, StoreError> {
        let folder = self.path.join("marks");
        self.system.create_folder(&folder).map_err(StoreError::io("create the folder", &folder))?;
        Ok(folder)
    }

    /// Small derived files of the project.
    pub fn derived_files(&self) -> DerivedFiles {
        DerivedFiles::new(self.path.join("derived"), self.system.clone())
    }

    /// Adds figures to those of all sessions of this user, and returns the sums; `None` where the project is not in a
    /// home folder.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn add_totals(&self, more: &CallTotals) -> Result<Option<CallTotals>, StoreError> {
        let Some(home) = self.path.parent().and_then(Path::parent) else { return Ok(None) };
        let folder = SharedFolder::with_system(home.join(totals::FOLDER), self.system.clone());
        totals::add(&folder, more).map(Some)
    }

    /// The roots of the project, in order.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn roots(&self) -> Result<Vec<PathBuf>, StoreError> {
        self.settings.roots()
    }

    /// Replaces the roots atomically.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn set_roots(&self, roots: &[PathBuf]) -> Result<(), StoreError> {
        self.guard_write(|| self.settings.set_roots(roots))
    }

    /// Returns a setting by name.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.settings.get(key)
    }

    /// Sets a setting, or removes it with `None`.
    ///
    /// # Errors
    /// [`StoreError::Database`] or [`StoreError::Closed`].
    pub fn set_setting(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        self.guard_write(|| self.settings.set(key, value))
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    fn snapshots(&self) -> PathBuf {
        self.path.join(SNAPSHOTS)
    }

    /// Runs a write, unless an earlier one had an unknown effect on the disk: the system may have dropped the data of
    /// a failed sync and report success for the next.
    pub(crate) fn guard_write<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::Closed { path: self.path.clone() });
        }
        work().inspect_err(|error| {
            if error.is_failed_sync() {
                self.closed.store(true, Ordering::Release);
            }
        })
    }
}

/// Message for a database that stays as it is and is not used.
fn describe_unused(error: &StoreError) -> String {
    format!("feedback, settings and what agents held are not used: {error}")
}

/// Writes why a file was put aside next to it.
fn note_beside(system: &dyn System, kept: &Path, why: &str) {
    let mut note = kept.to_owned().into_os_string();
    note.push(".txt");
    // The note is optional: the file is safe without it.
    let _ = durable::durable_write(system, Path::new(&note), why.as_bytes());
}
