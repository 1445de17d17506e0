//! Linked worktrees (`git worktree add`) of a repository with an approved project.
//!
//! Such a folder is trusted while every memory text in it is approved: it existed in an approved project, or was
//! written in this worktree while only commits of this machine moved its `HEAD`. So the texts decide. The repository
//! only determines the project for the comparison: it must name the worktree as its own, which no file of a
//! repository can cause.

use std::path::Path;

use m1nd_base::ContentHash;
use m1nd_history::GitFolder;
use m1nd_store::SharedFolder;

use crate::approval::{Approvals, Approved, Checkout, is_known};
use crate::load::archives;
use crate::noted::Noted;
use crate::project::{MEMORY_FILE, SESSION_FILE};

/// Most texts that are remembered of a project; the oldest is forgotten.
const MAX_TEXTS: usize = 500;
/// Largest text that can be approved, in bytes.
const MAX_TEXT: u64 = 4 << 20;

/// Approvals inherited from the main project of a worktree, if all its texts are covered.
pub(crate) fn inherited(project: &Path, home: &SharedFolder) -> Option<Approved> {
    let (git, inner) = place(project)?;
    if !git.is_linked() {
        return None;
    }
    let texts = texts_of(project)?;
    let projects = Approvals::new(home).all().ok()?;
    let is_same = |path: &Path| place(path).is_some_and(|(other, at)| at == inner && other.is_of_same(&git));
    let mut own = projects.into_iter().filter(|(path, approved)| path != project && approved.since.is_some());
    own.find(|(path, approved)| holds(approved, &texts) && is_same(path) && is_known(path, approved))
        .map(|(_, approved)| approved)
}

/// Returns whether all texts of a folder are approved.
pub(crate) fn is_approved(project: &Path, approved: &Approved) -> bool {
    texts_of(project).is_some_and(|texts| holds(approved, &texts))
}

fn holds(approved: &Approved, texts: &[String]) -> bool {
    texts.iter().all(|text| approved.texts.contains(text))
}

/// Records the current texts of a project. Partially read ones are left out.
pub(crate) fn note(project: &Path, approved: &mut Approved) {
    for text in texts_of(project).unwrap_or_default() {
        if !approved.texts.contains(&text) {
            approved.texts.push(text);
        }
    }
    let more = approved.texts.len().saturating_sub(MAX_TEXTS);
    approved.texts.drain(..more);
}

/// Records the texts written in a worktree since the last look: its memory was approved then, and only commits of
/// this machine moved its `HEAD`. Also those that are `inherited`.
pub(crate) fn note_written(
    project: &Path,
    approved: &mut Approved,
    before: &Noted,
    checkout: &Checkout,
    is_inherited: bool,
) {
    let was_approved = before.memory.is_some_and(|memory| approved.texts.contains(&name_of(&memory)));
    if is_inherited || was_approved && checkout.is_only_made_here(approved) {
        note(project, approved);
    }
}

/// The git folder around a project, and the project's path in the worktree.
fn place(project: &Path) -> Option<(GitFolder, &Path)> {
    let around = project.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    Some((GitFolder::find(around).ok()?, project.strip_prefix(around).ok()?))
}

/// Hashes of the texts of memories in a project; `None` if one cannot be read, or there is no memory.
fn texts_of(project: &Path) -> Option<Vec<String>> {
    let mut problems = Vec::new();
    let mut texts = vec![hash_of(project, MEMORY_FILE)??];
    texts.extend(hash_of(project, SESSION_FILE)?);
    texts.extend(archives(project, &mut problems).iter().map(|(_, bytes)| name_of(&ContentHash::of(bytes))));
    problems.is_empty().then_some(texts)
}

/// The hash of a file; inside, `None` if there is none; outside, if it cannot be read.
fn hash_of(project: &Path, file: &str) -> Option<Option<String>> {
    let path = project.join(file);
    match std::fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(None),
        Ok(found) if found.is_file() && found.len() <= MAX_TEXT => {
            let bytes = std::fs::read(&path).ok()?;
            Some(Some(name_of(&ContentHash::of(&bytes))))
        }
        _ => None,
    }
}

fn name_of(hash: &ContentHash) -> String {
    const BYTES: usize = 16;
    hash.as_bytes()[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}
