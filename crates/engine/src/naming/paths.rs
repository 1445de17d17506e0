//! Converts a caller's path to a path of the index.

use std::path::Path;

use m1nd_base::{PathError, RepoPath, node_id};

use crate::error::ReadError;
use crate::state::snapshot::Snapshot;

impl Snapshot {
    /// The path in the index that a caller means: relative, with `file::` before it, or absolute below an indexed root.
    ///
    /// # Errors
    /// [`ReadError::Path`] if it leads out of the roots.
    pub fn index_path(&self, text: &str) -> Result<RepoPath, ReadError> {
        let inner = self.without_repository(text);
        let text = inner.as_deref().unwrap_or(text);
        if let Some(path) = self.exact_path(text) {
            return Ok(path);
        }
        let text = node_id::typed_path(text.trim());
        match RepoPath::new(text) {
            Err(PathError::Absolute(shown)) => {
                self.below_root(Path::new(text))?.ok_or(ReadError::Path(PathError::Absolute(shown)))
            }
            other => Ok(other?),
        }
    }

    /// The indexed path that a text spells exactly, though it looks like an id or has blanks around it.
    fn exact_path(&self, text: &str) -> Option<RepoPath> {
        let known = |text: &str| self.files().by_text(text).map(|file| file.path.clone());
        known(node_id::typed_path(text.trim()))
            .or_else(|| known(text))
            .or_else(|| known(node_id::strip_prefix_of_file(text)))
    }

    /// The folder or file that limits a search; empty for no limit.
    ///
    /// # Errors
    /// [`ReadError::Path`] if it leads out of the roots.
    pub fn scope(&self, text: &str) -> Result<String, ReadError> {
        let inner = self.without_repository(text);
        let text = inner.as_deref().unwrap_or(text);
        if let Some(path) = self.exact_path(text) {
            return Ok(path.as_str().to_owned());
        }
        let trimmed = text.trim().trim_end_matches('/');
        if matches!(trimmed, "" | ".")
            || self.roots().iter().any(|root| root.prefix.is_empty() && root.path == Path::new(trimmed))
        {
            // A lone slash is the root of the disk, not of the project.
            let disk_root = text.trim().starts_with('/') && trimmed.is_empty();
            return if disk_root { Err(PathError::Absolute("/".into()).into()) } else { Ok(String::new()) };
        }
        let further = self.roots().iter().find(|root| root.path == Path::new(trimmed));
        match further {
            Some(root) => Ok(root.prefix.trim_end_matches('/').to_owned()),
            None => self.index_path(trimmed).map(|path| path.as_str().to_owned()),
        }
    }

    fn below_root(&self, path: &Path) -> Result<Option<RepoPath>, ReadError> {
        for root in self.roots() {
            if let Some(inner) = path.strip_prefix(&root.path).ok().and_then(Path::to_str) {
                return Ok(Some(root.outer(&RepoPath::new(inner)?)));
            }
        }
        Ok(None)
    }
}

impl ReadError {
    /// The path leads out of the indexed roots.
    pub fn is_outside(&self) -> bool {
        match self {
            Self::Path(error) => matches!(error, PathError::Absolute(_) | PathError::Escapes(_)),
            Self::Files(error) => matches!(error, m1nd_vfs::VfsError::OutsideRoot { .. }),
            Self::NoRoot => false,
        }
    }

    /// There is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Files(m1nd_vfs::VfsError::NotFound { .. }))
    }
}
