//! The result of bringing a project up to date.

use std::path::PathBuf;

use crate::stats::ProjectStats;

/// What a look at a project found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// `MEMORY.md` is another than the last time.
    pub memory_changed: bool,
    /// Files whose block was written.
    pub written: Vec<PathBuf>,
    /// What stood against it, in words.
    pub problems: Vec<String>,
    /// What cannot be read of the memory.
    pub unread: Vec<String>,
    /// Memories in the file, in the archive, in comments, in commits.
    pub sources: [usize; 4],
    /// What is in the memory.
    pub stats: ProjectStats,
    /// Where code is that says something for the memory.
    pub code: Code,
}

/// Where code is that says something for the memory, by paths in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// Folders that hold code or manifests, the upper ones first; empty for the project itself.
    pub folders: Vec<String>,
    /// Files with comments that carry memories.
    pub commented: Vec<String>,
}
