//! The daemon's log in four files: what was done to which project, and when. Never the text of a memory.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use m1nd_store::{RealSystem, rotate};

/// Folder of the logs, below the one that all projects share.
pub const LOG_FOLDER: &str = "logs";
/// The logs by name; each is a file `<name>.log`. `errors` holds the warnings and errors of the others once more.
pub const LOGS: &[&str] = &["daemon", "parser", "index", "errors"];
/// Size from which a new file is begun, in bytes.
pub const MAX_LOG_BYTES: u64 = 5 << 20;
/// Files kept of each log.
pub const KEPT_LOGS: usize = 5;
/// Characters of one line.
const MAX_LINE: usize = 2_000;

/// Log level.
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

/// Source of a line: index of its log in [`LOGS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Starts, ends, blocks, sessions.
    Daemon,
    /// Parsing of memories.
    Parser,
    /// Looks at projects, and recorded state.
    Index,
}

/// The log of warnings and errors.
const ERRORS: usize = 3;

/// Files written line by line and rotated when they are large.
#[derive(Debug)]
pub(crate) struct Logs {
    folder: PathBuf,
    least: Level,
    max_bytes: u64,
    open: [Mutex<Option<(File, u64)>>; LOGS.len()],
}

impl Logs {
    /// The logs in the folder that all projects share. Nothing is logged if that cannot be written.
    pub(crate) fn new(home: &Path, least: Level) -> Self {
        Self { folder: home.join(LOG_FOLDER), least, max_bytes: MAX_LOG_BYTES, open: Default::default() }
    }

    /// Makes the files, so that whoever looks for one finds it.
    pub(crate) fn begin(&self) {
        LOGS.iter().for_each(|name| drop(start(&self.folder.join(format!("{name}.log")))));
    }

    /// Writes a line.
    pub(crate) fn write(&self, part: Part, level: Level, text: impl fmt::Display) {
        if level < self.least {
            return;
        }
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ");
        // A path may hold anything, also the end of a line.
        let text: String =
            text.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_LINE).collect();
        let line = format!("{now} [{}] {}: {text}\n", level.word(), LOGS[part as usize]);
        self.append(part as usize, &line);
        if level >= Level::Warn {
            self.append(ERRORS, &line);
        }
    }

    fn append(&self, log: usize, line: &str) {
        let path = self.folder.join(format!("{}.log", LOGS[log]));
        let mut open = self.open[log].lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|(_, size)| *size >= self.max_bytes) {
            *open = None;
            rotate(&RealSystem, &path, KEPT_LOGS);
        }
        if open.is_none() {
            *open = start(&path);
        }
        if let Some((file, size)) = open.as_mut() {
            match file.write_all(line.as_bytes()) {
                Ok(()) => *size += line.len() as u64,
                // A full disk: tried again with the next line.
                Err(_) => *open = None,
            }
        }
    }
}

fn start(path: &Path) -> Option<(File, u64)> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(path.parent()?).ok()?;
    let file = options.open(path).ok()?;
    let size = file.metadata().ok()?.len();
    Some((file, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(home: &Path, name: &str) -> String {
        std::fs::read_to_string(home.join(LOG_FOLDER).join(name)).unwrap_or_default()
    }

    #[test]
    fn a_large_log_is_begun_anew_and_few_are_kept() {
        let home = tempfile::tempdir().expect("a folder");
        let logs = Logs { max_bytes: 200, ..Logs::new(home.path(), Level::Info) };
        for number in 0..200 {
            logs.write(Part::Index, Level::Info, format_args!("line {number}"));
            logs.write(Part::Index, Level::Debug, "not this");
        }
        let folder = home.path().join(LOG_FOLDER);
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .expect("is there")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["index.log", "index.log.1", "index.log.2", "index.log.3", "index.log.4"]);
        let newest = text(home.path(), "index.log");
        assert!(newest.contains("[INFO] index: line 199") && !newest.contains("not this"), "{newest}");
    }

    #[test]
    fn each_part_has_its_log_and_what_is_wrong_stands_in_one_more() {
        let home = tempfile::tempdir().expect("a folder");
        let logs = Logs::new(home.path(), Level::Info);
        logs.begin();
        assert!(LOGS.iter().all(|name| home.path().join(LOG_FOLDER).join(format!("{name}.log")).is_file()));
        let rows = [(Part::Daemon, "daemon"), (Part::Parser, "parser"), (Part::Index, "index")];
        for (part, name) in rows {
            logs.write(part, Level::Info, "well");
            logs.write(part, Level::Warn, "a\nb");
            let lines = text(home.path(), &format!("{name}.log"));
            assert!(lines.contains(&format!(" [INFO] {name}: well\n")), "{lines}");
            assert_eq!(lines.lines().count(), 2, "one line each, whatever stands in it: {lines}");
            assert!(text(home.path(), "errors.log").contains(&format!(" [WARN] {name}: a b\n")));
        }
        assert_eq!(text(home.path(), "errors.log").lines().count(), rows.len());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o777;
            let folder = home.path().join(LOG_FOLDER);
            assert_eq!((mode(&folder), mode(&folder.join("errors.log"))), (0o700, 0o600));
        }
    }
}
