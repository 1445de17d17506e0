use std::path::{Path, PathBuf};

/// Where memories are looked for.
#[derive(Debug, Clone)]
pub struct MindConfig {
    /// Folder of what all projects with memories share (`MIND_HOME`).
    pub home: PathBuf,
    /// Where the current project is looked for: the first of these that lies in one.
    pub places: Vec<PathBuf>,
    /// How many of the places the person who started this named: they go before what a client says of itself.
    pub named: usize,
}

impl MindConfig {
    /// The usual setup beside a store: the shared folder inside of it, the roots as places that were named.
    pub fn beside(store: &Path, roots: Vec<PathBuf>) -> Self {
        Self { home: store.join("mind"), named: roots.len(), places: roots }
    }
}
