use std::path::{Path, PathBuf};

/// Locations of memories.
#[derive(Debug, Clone)]
pub struct MindConfig {
    /// Folder shared by all projects with memories (`MIND_HOME`).
    pub home: PathBuf,
    /// Candidate locations of the current project: the first one that is inside a project counts.
    pub places: Vec<PathBuf>,
    /// Number of these given by the user, which take precedence over those announced by a client.
    pub named: usize,
}

impl MindConfig {
    /// The usual setup beside a store: the shared folder inside of it, and the roots as user-given locations.
    pub fn beside(store: &Path, roots: Vec<PathBuf>) -> Self {
        Self { home: store.join("mind"), named: roots.len(), places: roots }
    }
}
