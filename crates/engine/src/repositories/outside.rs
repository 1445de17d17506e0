//! Looks at paths outside of the indexed roots, of which the project itself speaks: whether something is there, and
//! which repository it would belong to. Nothing is read or listed.

use std::path::{Path, PathBuf};

use m1nd_vfs::PathKind;

/// Folders above a path that are looked at for the root of its repository.
const MAX_ABOVE: usize = 32;
/// Files and folders that mark the root of a repository: the first kind outranks the others however near they are.
const MARKERS: &[&str] =
    &[".git", "Cargo.toml", "package.json", "pnpm-workspace.yaml", "pyproject.toml", "go.mod", "deno.json"];

/// What is at a path outside of the roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsidePath {
    /// Nothing.
    Missing,
    /// Something without the mark of a repository above it.
    NoRepository,
    /// Part of a repository.
    Repository {
        /// Its root.
        root: PathBuf,
        /// The file or folder that marks it.
        marker: &'static str,
    },
}

impl OutsidePath {
    /// Looks at an absolute path without `..`. Only the existence of it and of markers above it is checked.
    pub fn at(path: &Path) -> Self {
        let start = match PathKind::at(path) {
            PathKind::Folder => path,
            PathKind::File => path.parent().unwrap_or(path),
            PathKind::Nothing | PathKind::Other | PathKind::BrokenLink => return Self::Missing,
        };
        let has = |folder: &Path, marker: &str| PathKind::at(&folder.join(marker)) != PathKind::Nothing;
        let above = || start.ancestors().take(MAX_ABOVE).filter(|folder| folder.parent().is_some());
        let git = above().find(|folder| has(folder, MARKERS[0])).map(|folder| (folder, MARKERS[0]));
        let manifest =
            || above().find_map(|folder| Some((folder, *MARKERS[1..].iter().find(|marker| has(folder, marker))?)));
        match git.or_else(manifest) {
            Some((root, marker)) => Self::Repository { root: root.to_owned(), marker },
            None => Self::NoRepository,
        }
    }
}
