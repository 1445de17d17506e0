//! The status report: the daemon, the current project, and counts over all projects.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use m1nd_memory::Health;
use serde::{Deserialize, Serialize};

use crate::daemon;
use crate::files::edges::GlobalEdges;
use crate::files::project::{MEMORY_FILE, name_of};
use crate::files::registry::{Project, Registry};
use crate::memories::Memories;
use crate::read::load::{ProjectMemory, user_settings};
use crate::read::model::embedder_in_words;
use crate::read::stats::ProjectStats;
use crate::{MemoryError, health};

/// The status of the memories of one user.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MemoryStatusReport {
    /// State of the daemon.
    pub daemon: DaemonStatus,
    /// The current project; `None` outside of one.
    pub current_project: Option<ProjectStatus>,
    /// Counts over all registered projects.
    pub global_stats: GlobalStats,
    /// Version of this program.
    pub version: String,
    /// The source of the word vectors, as a phrase for people.
    pub embedder: String,
    /// Problems that were met, each with a remedy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// State of the daemon.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct DaemonStatus {
    /// Whether a daemon runs.
    pub running: bool,
    /// Its process number.
    pub pid: Option<u32>,
    /// Time since its start, in seconds.
    pub uptime_seconds: Option<u64>,
    /// Number of projects it watches.
    pub projects_watching: usize,
    /// Time of its last look at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Reason why it notices changes late; `None` if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// Status of one project.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProjectStatus {
    /// Folder of the project, canonical.
    pub path: PathBuf,
    /// Name of the project.
    pub name: String,
    /// Tags of its stack.
    pub stack: Vec<Box<str>>,
    /// Health of its memory: `good`, `stale` or `empty`.
    pub memory_health: Health,
    /// The rule that decided the health, as a sentence.
    pub memory_health_reason: String,
    /// Time of the last change of `MEMORY.md`.
    pub last_activity: Timestamp,
    /// Counts of its memories.
    pub stats: ProjectStats,
    /// Whether the project is registered.
    pub registered: bool,
    /// Comments and commits with memories that nobody here has approved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unapproved: usize,
    /// Problems of its files, and memories that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Counts over all registered projects.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GlobalStats {
    /// Number of registered projects.
    pub projects_registered: usize,
    /// Number of gotchas stored for all projects.
    pub global_edges: usize,
    /// Number of memories of all projects.
    pub total_memories: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ProjectStatus {
    /// The status of a project. The caller fills in `registered`.
    fn of(memory: &ProjectMemory, now: Timestamp) -> Self {
        let (health, memory_health_reason) = health::of(memory, now);
        Self {
            path: memory.path.clone(),
            name: memory.name.clone(),
            stack: memory.stack.clone(),
            memory_health: health,
            memory_health_reason,
            last_activity: memory.modified,
            stats: ProjectStats::of(memory),
            registered: false,
            unapproved: memory.sources().iter().filter(|source| !source.approved).count(),
            problems: memory.left_out().collect(),
        }
    }

    /// The status of a project whose memory cannot be read.
    fn unreadable(path: PathBuf, error: &MemoryError, now: Timestamp) -> Self {
        Self {
            name: name_of(&path),
            stack: Vec::new(),
            memory_health: Health::Stale,
            memory_health_reason: unread(error),
            last_activity: now,
            stats: ProjectStats::default(),
            registered: false,
            unapproved: 0,
            problems: vec![format!("the numbers are not known while `{MEMORY_FILE}` cannot be read")],
            path,
        }
    }
}

/// States that a memory cannot be read, and why. Some errors say both already.
fn unread(error: &MemoryError) -> String {
    let why = error.to_string();
    if why.contains("cannot be read") { why } else { format!("`{MEMORY_FILE}` cannot be read: {why}") }
}

impl Memories {
    /// Returns the status report.
    ///
    /// # Errors
    /// Any error of finding the current project except [`MemoryError::NoProject`] and [`MemoryError::NoFile`]. Files
    /// that cannot be read are listed in [`MemoryStatusReport::problems`].
    pub fn status(&self) -> Result<MemoryStatusReport, MemoryError> {
        let home = self.home();
        let now = Timestamp::now();
        let mut problems = Vec::new();
        let registered = Registry::new(home.clone()).list().unwrap_or_else(|error| {
            problems.push(error.to_string());
            Vec::new()
        });
        let memory = self.project().map(|project| (self.of(&project), project));
        let settings = match &memory {
            Ok((Ok(memory), _)) => memory.settings.clone(),
            _ => user_settings(home).0,
        };
        let current_project = match memory {
            Ok((memory, project)) => {
                let status = match memory {
                    Ok(memory) => ProjectStatus::of(&memory, now),
                    Err(error) => ProjectStatus::unreadable(project, &error, now),
                };
                let registered = registered.iter().any(|known| known.path == status.path);
                Some(ProjectStatus { registered, ..status })
            }
            Err(MemoryError::NoProject { .. }) => None,
            Err(error @ MemoryError::NoFile { .. }) => {
                problems.push(error.to_string());
                None
            }
            Err(error) => return Err(error),
        };
        let global_stats = self.global_stats(&registered, &mut problems);
        Ok(MemoryStatusReport {
            daemon: DaemonStatus::of(home.path(), now),
            current_project,
            global_stats,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            embedder: embedder_in_words(&settings),
            problems,
        })
    }

    /// Counts over all registered projects. Adds to `problems` what cannot be counted.
    fn global_stats(&self, registered: &[Project], problems: &mut Vec<String>) -> GlobalStats {
        let mut total_memories = 0;
        for project in registered {
            match self.of(&project.path) {
                Ok(memory) => total_memories += ProjectStats::of(&memory).total(),
                Err(error) => problems.push(format!("`{}` is not counted: {error}", project.path.display())),
            }
        }
        let global = GlobalEdges::read(self.home()).unwrap_or_else(|error| {
            problems.push(error.to_string());
            GlobalEdges::default()
        });
        GlobalStats { projects_registered: registered.len(), global_edges: global.edges().len(), total_memories }
    }
}

impl DaemonStatus {
    /// Asks the daemon of the folder `home`, if one runs.
    fn of(home: &Path, now: Timestamp) -> Self {
        match daemon::status(home) {
            Ok(report) => Self {
                running: true,
                pid: Some(report.pid),
                uptime_seconds: u64::try_from(now.duration_since(report.started_at).as_secs()).ok(),
                projects_watching: report.projects.len(),
                last_index: report.last_index,
                degraded: report.degraded,
            },
            Err(MemoryError::DaemonNotRunning) => Self::default(),
            Err(error) => Self { running: true, degraded: Some(error.to_string()), ..Self::default() },
        }
    }
}
