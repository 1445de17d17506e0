//! A log of the user: lines are appended, and a large file is rotated.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{RealSystem, durable, rotate};

/// A file that only its owner can read and that grows line by line. At `max_bytes` it is renamed to `<name>.1` and a
/// new one is started. Errors are not reported: a log is not worth stopping for, and the next line tries again.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    kept: usize,
    /// The open file and its size in bytes; `None` before the first line and after an error.
    open: Mutex<Option<(File, u64)>>,
}

impl LogFile {
    /// The log at `path`. Rotates at `max_bytes` bytes and keeps `kept` files, the current one included. Creates
    /// nothing.
    pub fn new(path: PathBuf, max_bytes: u64, kept: usize) -> Self {
        Self { path, max_bytes, kept, open: Mutex::default() }
    }

    /// Creates the file and its folder, so that a reader finds it before the first line.
    pub fn create(&self) {
        drop(open(&self.path));
    }

    /// Appends text, which should end with a line break.
    pub fn append(&self, text: &str) {
        let mut held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_some_and(|(_, size)| *size >= self.max_bytes) {
            *held = None;
            rotate(&RealSystem, &self.path, self.kept);
        }
        if held.is_none() {
            *held = open(&self.path);
        }
        if let Some((file, size)) = held.as_mut() {
            match file.write_all(text.as_bytes()) {
                Ok(()) => *size += text.len() as u64,
                Err(_) => *held = None,
            }
        }
    }
}

fn open(path: &Path) -> Option<(File, u64)> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(durable::folder_of(path)).ok()?;
    let file = options.open(path).ok()?;
    let size = file.metadata().ok()?.len();
    Some((file, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_is_rotated_and_few_are_kept() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("logs");
        let log = LogFile::new(folder.join("a.log"), 50, 3);
        log.create();
        for number in 0..100 {
            log.append(&format!("line {number}\n"));
        }
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .expect("is there")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["a.log", "a.log.1", "a.log.2"]);
        assert!(std::fs::read_to_string(folder.join("a.log")).expect("is there").ends_with("line 99\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&folder.join("a.log"))), (0o700, 0o600));
        }
    }
}
