//! The result of bringing a project up to date.

use std::path::PathBuf;

use crate::read::stats::ProjectStats;

/// The result of one look at a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// `MEMORY.md` has changed since the last look.
    pub memory_changed: bool,
    /// Files whose block was written.
    pub written: Vec<PathBuf>,
    /// Problems that were met, as sentences.
    pub problems: Vec<String>,
    /// Problems with the memory's own texts, as sentences.
    pub unread: Vec<String>,
    /// Number of memories in the file, in the archive, in comments and in commits.
    pub sources: [usize; 4],
    /// Counts of the memories.
    pub stats: ProjectStats,
    /// The code that the memory depends on.
    pub code: Code,
}

/// The code that a memory depends on, by paths in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// Folders with code or manifests, upper ones first; empty for the project itself.
    pub folders: Vec<String>,
    /// Files with comments that carry memories.
    pub commented: Vec<String>,
}
