//! The four log files of the daemon. They name projects and actions, never the text of a memory.

use std::fmt;
use std::path::Path;

use jiff::Timestamp;
use m1nd_store::LogFile;

/// Folder of the logs, below the one that all projects share.
pub const LOG_FOLDER: &str = "logs";
/// Names of the logs; each is a file `<name>.log`. `errors` repeats the warnings and errors of the others.
pub const LOGS: &[&str] = &["daemon", "parser", "index", "errors"];
/// Size at which a log is rotated, in bytes.
pub const MAX_LOG_BYTES: u64 = 5 << 20;
/// Number of files kept of each log.
pub const KEPT_LOGS: usize = 5;
/// Maximum number of characters of a line.
const MAX_LINE: usize = 2_000;

/// Severity of a line.
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

/// The part of the daemon that writes a line: the number of its log in [`LOGS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Starts, ends, blocks, sessions.
    Daemon,
    /// Parsing of memories.
    Parser,
    /// Looks at projects.
    Index,
}

/// The log of warnings and errors.
const ERRORS: usize = 3;

/// The logs of one daemon.
#[derive(Debug)]
pub(crate) struct Logs {
    least: Level,
    files: [LogFile; LOGS.len()],
}

impl Logs {
    /// The logs in the folder that all projects share. Lines below `least` are dropped, and so is what cannot be
    /// written.
    pub(crate) fn new(home: &Path, least: Level) -> Self {
        let folder = home.join(LOG_FOLDER);
        let file = |name: &str| LogFile::new(folder.join(format!("{name}.log")), MAX_LOG_BYTES, KEPT_LOGS);
        Self { least, files: std::array::from_fn(|log| file(LOGS[log])) }
    }

    /// Creates the files, so that a reader finds them before the first line.
    pub(crate) fn begin(&self) {
        self.files.iter().for_each(LogFile::create);
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
        self.files[part as usize].append(&line);
        if level >= Level::Warn {
            self.files[ERRORS].append(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(home: &Path, name: &str) -> String {
        std::fs::read_to_string(home.join(LOG_FOLDER).join(name)).unwrap_or_default()
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
            logs.write(part, Level::Debug, "not this");
            logs.write(part, Level::Warn, "a\nb");
            let lines = text(home.path(), &format!("{name}.log"));
            assert!(lines.contains(&format!(" [INFO] {name}: well\n")), "{lines}");
            assert_eq!(lines.lines().count(), 2, "one line each, whatever stands in it: {lines}");
            assert!(text(home.path(), "errors.log").contains(&format!(" [WARN] {name}: a b\n")));
        }
        assert_eq!(text(home.path(), "errors.log").lines().count(), rows.len());
    }
}
