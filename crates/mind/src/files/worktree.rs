//! Linked work trees (`git worktree add`) of a repository whose project the user has taken over.
//!
//! Such a folder is the user's own as long as every text of memories in it is one that was approved: it had stood in a
//! project that was taken over, or was written in this work tree while nothing but commits of this machine moved what
//! is checked out. So the texts decide. The repository only says with which project they are compared: it must name the
//! work tree as its own, which no file of a repository can make it do.

use std::path::Path;

use m1nd_base::{ContentHash, RepoPath};
use m1nd_store::SharedFolder;
use m1nd_vfs::{Root, VfsError};

use crate::files::approval::{Approvals, Approved, Checkout, is_known};
use crate::files::archives::archives;
use crate::files::main_tree::place;
use crate::files::noted::Noted;
use crate::files::project::{MEMORY_FILE, SESSION_FILE};

/// Most texts that are remembered of a project; the oldest is forgotten.
const MAX_TEXTS: usize = 500;
/// Largest text that can be approved, in bytes.
const MAX_TEXT: u64 = 4 << 20;

/// The approvals of the project that this folder is a work tree of, if they cover all its texts.
pub(crate) fn find_inherited(project: &Path, home: &SharedFolder) -> Option<Approved> {
    let (git, inner) = place(project)?;
    if !git.is_linked() {
        return None;
    }
    let texts = texts_of(project)?;
    let projects = Approvals::new(home).all().ok()?;
    let is_same = |path: &Path| place(path).is_some_and(|(other, at)| at == inner && other.is_of_same(&git));
    let mut own = projects.into_iter().filter(|(path, approved)| path != project && approved.since.is_some());
    // The texts of the project may be newer than the last look at it.
    let is_now = |path: &Path| texts_of(path).is_some_and(|now| texts.iter().all(|text| now.contains(text)));
    own.find(|(path, approved)| (holds(approved, &texts) || is_now(path)) && is_same(path) && is_known(path, approved))
        .map(|(_, approved)| approved)
}

/// Whether all texts of a folder are approved.
pub(crate) fn is_approved(project: &Path, approved: &Approved) -> bool {
    texts_of(project).is_some_and(|texts| holds(approved, &texts))
}

fn holds(approved: &Approved, texts: &[String]) -> bool {
    texts.iter().all(|text| approved.texts.contains(text))
}

/// Remembers the texts of a project as they are now. What is not read as a whole is left out.
pub(crate) fn note(project: &Path, approved: &mut Approved) {
    for text in texts_of(project).unwrap_or_default() {
        if !approved.texts.contains(&text) {
            approved.texts.push(text);
        }
    }
    let more = approved.texts.len().saturating_sub(MAX_TEXTS);
    approved.texts.drain(..more);
}

/// Remembers the texts of a work tree that were written in it since the last look: its memory was approved then, and
/// nothing but commits of this machine moved what is checked out. So are those that are `inherited`.
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

/// Hashes of the texts of memories in a project; `None` if one cannot be read, or there is no memory.
fn texts_of(project: &Path) -> Option<Vec<String>> {
    let root = Root::open(project).ok()?;
    let mut problems = Vec::new();
    let mut texts = vec![hash_of(&root, MEMORY_FILE)??];
    texts.extend(hash_of(&root, SESSION_FILE)?);
    texts.extend(archives(project, &mut problems).iter().map(|(_, bytes)| name_of(&ContentHash::of(bytes))));
    problems.is_empty().then_some(texts)
}

/// The hash of a file; inside, `None` if there is none; outside, if it is a link or cannot be read.
fn hash_of(root: &Root, file: &str) -> Option<Option<String>> {
    let path = RepoPath::new(file).ok()?;
    if root.is_link(&path) {
        return None;
    }
    match root.read(&path, MAX_TEXT) {
        Ok(bytes) => Some(Some(name_of(&ContentHash::of(&bytes)))),
        Err(VfsError::NotFound { .. }) => Some(None),
        Err(_) => None,
    }
}

fn name_of(hash: &ContentHash) -> String {
    const BYTES: usize = 16;
    hash.as_bytes()[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}
