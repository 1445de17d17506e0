//! What is said over the socket: one line of JSON each way.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Lock file that a running daemon holds, in the folder that all projects share.
pub(crate) const LOCK: &str = "daemon.lock";
/// Socket on which the daemon listens.
pub(crate) const SOCKET: &str = "daemon.sock";
/// State of the daemon for people and older programs. Never used to find out whether it runs.
pub(crate) const STATE: &str = "daemon.json";
/// Process number of the daemon, for the same readers: a number may be in use again.
pub(crate) const PID: &str = "daemon.pid";
/// Maximum length of a line, in bytes.
pub(crate) const MAX_LINE: u64 = 1 << 20;

/// What the daemon is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Whether it answers.
    Ping,
    /// How it is doing.
    Status,
    /// Look at a project again; at all without one.
    Reindex {
        /// Its folder.
        #[serde(default)]
        project: Option<PathBuf>,
    },
    /// End.
    Stop,
}

/// How the daemon is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DaemonReport {
    /// Its process. For show: a number may be in use again.
    pub pid: u32,
    /// When it was started.
    pub started_at: Timestamp,
    /// Its version.
    pub version: String,
    /// When it last looked at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Why changes are noticed late, if they are.
    pub degraded: Option<String>,
    /// The projects it looks after.
    pub projects: Vec<ProjectReport>,
}

/// One of its projects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectReport {
    /// Its folder.
    pub path: PathBuf,
    /// `active`, `idle` or `missing`.
    pub state: String,
    /// When its memory last changed, as far as the daemon saw.
    pub last_activity: Option<Timestamp>,
    /// Files that its memories name and that are watched.
    #[serde(default)]
    pub named_files: usize,
    /// Memories in it, as the daemon last read them.
    #[serde(default)]
    pub memories: usize,
    /// How often the daemon looked at it.
    #[serde(default)]
    pub looks: u64,
    /// Why it could not be kept fresh the last time.
    pub problem: Option<String>,
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<DaemonReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}
