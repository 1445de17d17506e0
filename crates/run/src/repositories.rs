//! Which repository a permission is for: a path alone may hold another one tomorrow.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How repositories are known again.
pub trait Repositories: Debug + Send + Sync {
    /// Marks of the repository at a root, to be stored with a permission: its first commit, the address it was cloned
    /// from. Empty if it has neither.
    fn marks(&self, root: &Path) -> Vec<String>;

    /// Returns whether the repository at a root has this mark.
    fn has_mark(&self, root: &Path, mark: &str) -> bool;
}

/// Knows no repository: permissions are for the folder that is at a path.
#[derive(Debug, Clone, Copy, Default)]
struct NoRepositories;

impl Repositories for NoRepositories {
    fn marks(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn has_mark(&self, _: &Path, _: &str) -> bool {
        false
    }
}

/// Begins the mark of a folder that has no other.
const FOLDER: &str = "folder ";

/// The files of a project that a permission is about.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Folders of the roots, absolute.
    pub roots: Vec<PathBuf>,
    repositories: Arc<dyn Repositories>,
}

impl Scope {
    /// These folders, of no known repository.
    pub fn of(roots: Vec<PathBuf>) -> Self {
        Self::with(roots, Arc::new(NoRepositories))
    }

    /// These folders, whose repositories are known again.
    pub fn with(roots: Vec<PathBuf>, repositories: Arc<dyn Repositories>) -> Self {
        Self { roots, repositories }
    }

    /// The marks to store with a permission for a path inside of a root.
    pub(crate) fn marks(&self, path: &Path) -> Vec<String> {
        let Some(root) = self.root_of(path) else { return Vec::new() };
        let marks = self.repositories.marks(root);
        if marks.is_empty() { folder_mark(root).into_iter().collect() } else { marks }
    }

    /// Returns whether a permission with these marks is for the repository that is at the path now.
    pub(crate) fn has_one(&self, path: &Path, marks: &[String]) -> bool {
        let Some(root) = self.root_of(path) else { return false };
        marks.iter().any(|mark| match mark.starts_with(FOLDER) {
            true => folder_mark(root).as_ref() == Some(mark),
            false => self.repositories.has_mark(root, mark),
        })
    }

    /// Returns whether another repository is at the path now.
    pub(crate) fn is_of_other(&self, path: &Path, marks: &[String]) -> bool {
        self.root_of(path).is_some() && !self.has_one(path, marks)
    }

    /// The innermost root around a path, which need not exist.
    fn root_of(&self, path: &Path) -> Option<&Path> {
        let real = |path: &Path| m1nd_vfs::canonical(path).unwrap_or_else(|_| path.to_owned());
        let there = path
            .ancestors()
            .find_map(|folder| Some(m1nd_vfs::canonical(folder).ok()?.join(path.strip_prefix(folder).ok()?)));
        // By its name as well: a link in its place leads elsewhere, and whoever uses it finds that out.
        let is_around = |root: &&PathBuf| {
            let real = real(root);
            path.starts_with(root)
                || path.starts_with(&real)
                || there.as_ref().is_some_and(|path| path.starts_with(&real))
        };
        let around = self.roots.iter().filter(is_around);
        around.max_by_key(|root| root.components().count()).map(PathBuf::as_path)
    }
}

/// The mark of a folder by its number in the file system.
fn folder_mark(root: &Path) -> Option<String> {
    m1nd_vfs::FolderId::at(root).map(|id| format!("{FOLDER}{id}"))
}
