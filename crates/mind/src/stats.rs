//! Counts of a project's memories.

use jiff::Timestamp;
use m1nd_memory::{Kind, Status};
use serde::{Deserialize, Serialize};

use crate::load::ProjectMemory;
use crate::sessions::gap_seconds;

/// What is in a memory.
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

impl ProjectStats {
    /// Counts what is in a memory.
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
