use std::path::{Path, PathBuf};

/// Where memories are searched.
#[derive(Debug, Clone)]
pub struct MindConfig {
    /// Folder that all projects share (`MIND_HOME`).
    pub home: PathBuf,
    /// Places where the current project is searched; the first that is in a project wins.
    pub places: Vec<PathBuf>,
    /// Number of places, from the start, that the user named: they precede those of the client.
    pub named: usize,
}

impl MindConfig {
    /// The usual layout beside a store: the shared folder inside it, and the roots as named places.
    pub fn beside(store: &Path, roots: Vec<PathBuf>) -> Self {
        Self { home: store.join("mind"), named: roots.len(), places: roots }
    }
}
