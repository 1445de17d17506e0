//! Marks by which a repository is known again at its path, for permissions that a person gave it.

use std::path::Path;

use m1nd_history::{GitFolder, has_commit, oldest_commit};

/// Begins the mark of a commit.
const COMMIT: &str = "commit ";
/// Begins the mark of the address that it was cloned from.
const ORIGIN: &str = "origin ";

/// The marks of the repository around a folder: its oldest commit, the address that it was cloned from. Empty
/// without git, or without both.
pub fn repository_marks(root: &Path) -> Vec<String> {
    let Some(git) = around(root) else { return Vec::new() };
    let commit = git.head().ok().and_then(|head| oldest_commit(&git, &head).ok());
    let commit = commit.map(|commit| format!("{COMMIT}{commit}"));
    commit.into_iter().chain(origin(&git)).collect()
}

/// Returns whether the repository around a folder has a mark.
pub fn has_repository_mark(root: &Path, mark: &str) -> bool {
    let Some(git) = around(root) else { return false };
    match mark.strip_prefix(COMMIT) {
        Some(commit) => has_commit(&git, [commit]),
        None => origin(&git).as_deref() == Some(mark),
    }
}

fn origin(git: &GitFolder) -> Option<String> {
    git.address().map(|address| format!("{ORIGIN}{address}"))
}

fn around(root: &Path) -> Option<GitFolder> {
    root.ancestors().find_map(|folder| GitFolder::find(folder).ok())
}
