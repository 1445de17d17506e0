//! The main work tree of a repository, where the memories of all its work trees are kept.

use std::path::{Path, PathBuf};

use m1nd_history::GitFolder;
use m1nd_vfs::{PathKind, canonical};

/// The git folder around a folder, and where in the work tree the folder lies.
pub(crate) fn place(folder: &Path) -> Option<(GitFolder, &Path)> {
    let around = folder.ancestors().find(|folder| PathKind::at(&folder.join(".git")) != PathKind::Nothing)?;
    Some((GitFolder::find(around).ok()?, folder.strip_prefix(around).ok()?))
}

/// The folder of the main work tree that a folder of a linked one stands for, if `file` is in it.
pub(crate) fn find_main_folder(folder: &Path, file: &str) -> Option<PathBuf> {
    let (git, inner) = place(folder)?;
    let main = canonical(&git.main_work_tree()?).ok()?;
    // Joining nothing would add a slash, and paths are compared as texts.
    let main = if inner.as_os_str().is_empty() { main } else { main.join(inner) };
    (PathKind::at(&main.join(file)) == PathKind::File).then_some(main)
}
