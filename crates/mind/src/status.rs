//! Status of memories.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use m1nd_memory::{Health, Kind, Status};
use serde::{Deserialize, Serialize};

use crate::daemon;
use crate::edges::GlobalEdges;
use crate::load::{ProjectMemory, user_settings};
use crate::model::embedder_in_words;
use crate::project::{MEMORY_FILE, name_of};
use crate::registry::{Project, Registry};
use crate::sessions::gap_seconds;
use crate::{Memories, MemoryError, health};

/// All of it.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryStatusReport {
    /// The daemon.
    pub daemon: DaemonStatus,
    /// The current project; `None` outside of one.
    pub current_project: Option<ProjectStatus>,
    /// Over all registered projects.
    pub global_stats: GlobalStats,
    /// This program.
    pub version: &'static str,
    /// Source of the vectors.
    pub embedder: String,
    /// Unreadable parts, and what to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// The daemon.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DaemonStatus {
    /// Whether it runs.
    pub running: bool,
    /// Its process.
    pub pid: Option<u32>,
    /// Since when.
    pub uptime_seconds: Option<u64>,
    /// Number of watched projects.
    pub projects_watching: usize,
    /// Time of the last look at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Reason why changes are noticed late, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

/// A project.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectStatus {
    /// Its folder.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its stack.
    pub stack: Vec<Box<str>>,
    /// `good`, `stale` or `empty`.
    pub memory_health: Health,
    /// By which rule.
    pub memory_health_reason: String,
    /// When its memory last changed.
    pub last_activity: Timestamp,
    /// Statistics.
    pub stats: ProjectStats,
    /// Whether it is registered.
    pub registered: bool,
    /// Comments and commits with memories that nobody here has approved.
    #[serde(skip_serializing_if = "is_zero")]
    pub unapproved: usize,
    /// Problems of its files, and omitted memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Statistics of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectStats {
    /// Decisions.
    pub decisions: usize,
    /// Issues that are open or blocked.
    pub issues_open: usize,
    /// Issues that are solved.
    pub issues_resolved: usize,
    /// Learnings.
    pub learnings: usize,
    /// Its own gotchas.
    pub edges: usize,
    /// Days or stretches of work.
    pub sessions_inferred: usize,
}

/// Over all registered projects.
#[derive(Debug, Clone, Default, Serialize)]
pub struct GlobalStats {
    /// Registered projects.
    pub projects_registered: usize,
    /// Gotchas that were stored for all projects.
    pub global_edges: usize,
    /// Memories of all of them.
    pub total_memories: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ProjectStats {
    /// Computes the statistics of a memory.
    #[must_use]
    pub fn of(memory: &ProjectMemory) -> Self {
        let (now, gap) = (Timestamp::now().as_second(), gap_seconds(&memory.settings));
        let closed = memory.sessions.iter().filter(|worked| worked.is_closed(now, gap));
        let mut stats = Self { sessions_inferred: closed.count(), ..Self::default() };
        for record in memory.records.iter() {
            match (record.kind, record.status) {
                (Kind::Decision, _) => stats.decisions += 1,
                (Kind::Issue, Some(Status::Resolved)) => stats.issues_resolved += 1,
                (Kind::Issue, _) => stats.issues_open += 1,
                (Kind::Learning, _) => stats.learnings += 1,
                (Kind::Gotcha, _) => stats.edges += 1,
            }
        }
        stats
    }

    /// All of them.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.decisions + self.issues_open + self.issues_resolved + self.learnings + self.edges
    }
}

impl ProjectStatus {
    /// Status of a project, except whether it is registered.
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

    /// Status of a project whose memory cannot be read.
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

/// Message that a memory cannot be read, and why. Some errors contain both.
fn unread(error: &MemoryError) -> String {
    let why = error.to_string();
    if why.contains("cannot be read") { why } else { format!("`{MEMORY_FILE}` cannot be read: {why}") }
}

impl Memories {
    /// Returns the status of memories.
    ///
    /// # Errors
    /// The reason why the project could not be searched; being outside of one is no error, and unreadable parts are
    /// named.
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
            version: env!("CARGO_PKG_VERSION"),
            embedder: embedder_in_words(&settings),
            problems,
        })
    }

    /// Statistics over all registered projects; unreadable ones are named.
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
    /// Status of the daemon of a shared folder, if it runs.
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
