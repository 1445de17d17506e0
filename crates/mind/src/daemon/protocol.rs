//! Socket protocol: one line of JSON each way.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest line, in bytes.
pub(crate) const MAX_LINE: u64 = 1 << 20;

/// Request to the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Whether it answers.
    Ping,
    /// Report the status.
    Status,
    /// Look at a project again, or at all without a path.
    Reindex {
        /// Its folder.
        #[serde(default)]
        project: Option<PathBuf>,
    },
    /// End.
    Stop,
}

/// Status of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DaemonReport {
    /// Its process. For show: a number may be in use again.
    pub pid: u32,
    /// When it was started.
    pub started_at: Timestamp,
    /// Its version.
    pub version: String,
    /// Time of the last look at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Reason why changes are noticed late, if they are.
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
    /// Number of looks at it.
    #[serde(default)]
    pub looks: u64,
    /// Reason why the last update failed.
    pub problem: Option<String>,
}

/// Answer of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<DaemonReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}
