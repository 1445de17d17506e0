//! The daemon's log: when what was done to which project. Never what a memory says.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use m1nd_store::{RealSystem, rotate};

/// Folder of the logs, below the one that all projects share.
pub const LOG_FOLDER: &str = "logs";
/// The newest log.
pub const LOG_FILE: &str = "daemon.log";
/// Size from which a new one is begun, in bytes.
const MAX_BYTES: u64 = 5 << 20;
/// Logs kept.
const KEPT: usize = 5;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "debug" => Self::Debug,
            "warn" => Self::Warn,
            "error" => Self::Error,
            _ => Self::Info,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}

/// A file that is written line by line and begun anew when it is large.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    least: Level,
    max_bytes: u64,
    open: Mutex<Option<(File, u64)>>,
}

impl Log {
    /// A log in the folder that all projects share. Nothing is logged if that cannot be written.
    pub(crate) fn new(home: &Path, least: Level) -> Self {
        Self { path: home.join(LOG_FOLDER).join(LOG_FILE), least, max_bytes: MAX_BYTES, open: Mutex::default() }
    }

    /// Writes a line.
    pub(crate) fn write(&self, level: Level, text: impl fmt::Display) {
        if level < self.least {
            return;
        }
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let line = format!("{now} [{}] daemon: {text}\n", level.word());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|(_, size)| *size >= self.max_bytes) {
            *open = None;
            rotate(&RealSystem, &self.path, KEPT);
        }
        if open.is_none() {
            *open = self.start();
        }
        if let Some((file, size)) = open.as_mut() {
            match file.write_all(line.as_bytes()) {
                Ok(()) => *size += line.len() as u64,
                // A full disk: tried again with the next line.
                Err(_) => *open = None,
            }
        }
    }

    fn start(&self) -> Option<(File, u64)> {
        let folder = self.path.parent()?;
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        builder.create(folder).ok()?;
        let file = options.open(&self.path).ok()?;
        let size = file.metadata().ok()?.len();
        Some((file, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_is_begun_anew_and_few_are_kept() {
        let home = tempfile::tempdir().expect("a folder");
        let log = Log { max_bytes: 200, ..Log::new(home.path(), Level::Info) };
        for number in 0..200 {
            log.write(Level::Info, format_args!("line {number}"));
            log.write(Level::Debug, "not this");
        }
        let folder = home.path().join(LOG_FOLDER);
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .expect("is there")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3", "daemon.log.4"]);
        let newest = std::fs::read_to_string(folder.join(LOG_FILE)).expect("is there");
        assert!(newest.contains("[INFO] daemon: line 199") && !newest.contains("not this"), "{newest}");
    }
}
