//! Counts of a project's memories.

use jiff::Timestamp;
use m1nd_memory::{Kind, Status};
use serde::{Deserialize, Serialize};

use crate::read::load::ProjectMemory;
use crate::read::sessions::gap_seconds;

/// Counts of a project's memories, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectStats {
    /// Number of decisions.
    pub decisions: usize,
    /// Number of issues that are open or blocked.
    pub issues_open: usize,
    /// Number of resolved issues.
    pub issues_resolved: usize,
    /// Number of learnings.
    pub learnings: usize,
    /// Number of the project's own gotchas.
    pub edges: usize,
    /// Number of closed sessions: days or stretches of work.
    pub sessions_inferred: usize,
}

impl ProjectStats {
    /// Counts the memories of a project.
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

    /// Number of all memories.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.decisions + self.issues_open + self.issues_resolved + self.learnings + self.edges
    }
}
