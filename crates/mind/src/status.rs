//! How memories are doing.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use m1nd_memory::Health;
use serde::Serialize;

use crate::daemon;
use crate::edges::GlobalEdges;
use crate::load::{ProjectMemory, user_settings};
use crate::memories::Memories;
use crate::model::embedder_in_words;
use crate::project::{MEMORY_FILE, name_of};
use crate::registry::{Project, Registry};
use crate::stats::ProjectStats;
use crate::{MemoryError, health};

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
    /// What makes the vectors of meaning.
    pub embedder: String,
    /// What could not be read, and what to do.
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
    /// How many projects it looks after.
    pub projects_watching: usize,
    /// When it last looked at a changed memory.
    pub last_index: Option<Timestamp>,
    /// Why it notices changes late, if it does.
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
    /// What it is made with.
    pub stack: Vec<Box<str>>,
    /// `good`, `stale` or `empty`.
    pub memory_health: Health,
    /// By which rule.
    pub memory_health_reason: String,
    /// When its memory last changed.
    pub last_activity: Timestamp,
    /// What is in it.
    pub stats: ProjectStats,
    /// Whether it is registered.
    pub registered: bool,
    /// Comments and commits with memories that nobody here has approved.
    #[serde(skip_serializing_if = "is_zero")]
    pub unapproved: usize,
    /// What is wrong with its files, or left out of its memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
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

impl ProjectStatus {
    /// What is to say of a project, but for whether it is registered.
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

    /// What is left to say of a project whose memory cannot be read.
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

/// That a memory cannot be read, and why. Some errors say both.
fn unread(error: &MemoryError) -> String {
    let why = error.to_string();
    if why.contains("cannot be read") { why } else { format!("`{MEMORY_FILE}` cannot be read: {why}") }
}

impl Memories {
    /// How memories are doing.
    ///
    /// # Errors
    /// What stands against looking for the project; being outside of one does not, and what cannot be read is named.
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

    /// Counts over all registered projects; what cannot be counted is named.
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
    /// What the daemon of a folder that all projects share says, if it runs.
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
