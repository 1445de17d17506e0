use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use m1nd_base::{System, SystemFile};

use crate::power::Disk;

/// Kind of failure of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The device reports an error.
    Device,
    /// The disk is full.
    Full,
    /// A write accepts only some of the bytes, and the next one finds the disk full. Like [`Fault::Full`] for other
    /// operations.
    ShortWrite,
    /// The process dies: this operation and all later ones do nothing.
    Dead,
}

/// File operations that are counted, fail on request, and record the possible states after a power loss.
///
/// Syncs are only recorded, so tests need not wait for the disk.
#[derive(Debug, Clone)]
pub struct FaultSystem {
    inner: Arc<dyn System>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of changing operations so far.
    count: usize,
    /// Index of the operation that fails, counted from 0, and how.
    fail: Option<(usize, Fault)>,
    /// Permanent failure.
    broken: Option<Fault>,
    disk: Disk,
}

/// Decision about the current operation.
enum Verdict {
    Go,
    Short,
    Fail(io::Error),
}

impl FaultSystem {
    /// Passes everything to `inner` until a fault is set.
    pub fn new(inner: Arc<dyn System>) -> Self {
        Self { inner, state: Arc::default() }
    }

    /// Makes the `nth` changing operation from now on, counted from 0, fail. All faults except [`Fault::Dead`] occur
    /// once.
    pub fn fail(&self, nth: usize, fault: Fault) {
        let mut state = self.state();
        state.fail = Some((state.count + nth, fault));
        state.broken = None;
    }

    /// Clears all faults.
    pub fn heal(&self) {
        let mut state = self.state();
        (state.fail, state.broken) = (None, None);
    }

    /// Number of changing operations (create, write, sync, rename, remove, create a folder) attempted so far.
    pub fn count(&self) -> usize {
        self.state().count
    }

    /// Writes into `target`, an empty folder, a possible state of `folder` after a power loss now: everything that
    /// was synced, some of the rest, the last write of each file torn. Knows only what went through this system.
    pub fn power_loss(&self, folder: &Path, seed: u64, target: &Path) {
        self.state().disk.image(folder, seed, target);
    }

    fn judge(&self) -> Verdict {
        let mut state = self.state();
        let number = state.count;
        state.count += 1;
        if let Some((nth, fault)) = state.fail
            && nth == number
        {
            state.fail = None;
            state.broken = matches!(fault, Fault::Dead | Fault::ShortWrite).then_some(fault);
            return if fault == Fault::ShortWrite { Verdict::Short } else { Verdict::Fail(error_of(fault)) };
        }
        match state.broken {
            Some(Fault::Dead) => Verdict::Fail(error_of(Fault::Dead)),
            Some(fault) => {
                state.broken = None;
                Verdict::Fail(error_of(fault))
            }
            None => Verdict::Go,
        }
    }

    /// Runs an atomic operation, and records it if it succeeds.
    fn change<T>(&self, work: impl FnOnce() -> io::Result<T>, note: impl FnOnce(&mut Disk, &T)) -> io::Result<T> {
        match self.judge() {
            Verdict::Go => {
                let done = work()?;
                note(&mut self.state().disk, &done);
                Ok(done)
            }
            Verdict::Short => Err(error_of(Fault::Full)),
            Verdict::Fail(error) => Err(error),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn error_of(fault: Fault) -> io::Error {
    match fault {
        Fault::Device => io::Error::other("injected: input/output error"),
        Fault::Full | Fault::ShortWrite => io::Error::new(io::ErrorKind::StorageFull, "injected: no space left"),
        Fault::Dead => io::Error::other("injected: the process is dead"),
    }
}

impl System for FaultSystem {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn SystemFile>> {
        let file = self.change(|| self.inner.create_new(path), |disk, _| disk.create(path))?;
        Ok(Box::new(FaultFile { system: self.clone(), path: path.to_owned(), file }))
    }

    fn read(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        self.inner.read(path, max_bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change(|| self.inner.rename(from, to), |disk, ()| disk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change(|| self.inner.remove(path), |disk, ()| disk.remove(path))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.change(|| self.inner.create_folder(path), |_, ()| {})
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.change(|| self.inner.set_mode(path, mode), |_, ()| {})
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.change(|| Ok(()), |disk, ()| disk.sync_folder(path))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.inner.list(path)
    }

    fn unix_seconds(&self) -> u64 {
        self.inner.unix_seconds()
    }
}

struct FaultFile {
    system: FaultSystem,
    path: PathBuf,
    file: Box<dyn SystemFile>,
}

impl Write for FaultFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = match self.system.judge() {
            Verdict::Go => bytes,
            Verdict::Short => &bytes[..bytes.len() / 2],
            Verdict::Fail(error) => return Err(error),
        };
        self.file.write_all(part)?;
        self.system.state().disk.write(&self.path, part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SystemFile for FaultFile {
    fn sync(&mut self) -> io::Result<()> {
        let (system, path) = (self.system.clone(), self.path.clone());
        system.change(|| Ok(()), |disk, ()| disk.sync(&path))
    }
}
