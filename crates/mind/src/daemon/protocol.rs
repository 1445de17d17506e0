//! The messages on the socket: one line of JSON in each direction.

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

/// A request to the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Checks that it answers.
    Ping,
    /// Asks for a report.
    Status,
    /// Looks at a project again; at all projects without one.
    Reindex {
        /// Folder of the project.
        #[serde(default)]
        project: Option<PathBuf>,
    },
    /// Ends the daemon.
    Stop,
}

/// State of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DaemonReport {
    /// Its process number, for display only: a number may be in use again.
    pub pid: u32,
    /// Time of its start.
    pub started_at: Timestamp,
    /// Its version.
    pub version: String,
    /// Time of its last look at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Reason why it notices changes late; `None` if it does not.
    pub degraded: Option<String>,
    /// The projects it watches.
    pub projects: Vec<ProjectReport>,
}

/// State of one project of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectReport {
    /// Folder of the project.
    pub path: PathBuf,
    /// `active`, `idle` or `missing`.
    pub state: String,
    /// Time of the last change of its memory that the daemon saw.
    pub last_activity: Option<Timestamp>,
    /// Number of watched files that its memories name.
    #[serde(default)]
    pub named_files: usize,
    /// Number of its memories at the last look.
    #[serde(default)]
    pub memories: usize,
    /// Number of looks at it.
    #[serde(default)]
    pub looks: u64,
    /// Reason why the last look failed; `None` if it did not.
    pub problem: Option<String>,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<DaemonReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}
