//! Identification of a repository by its commits, independent of its location and of newer commits.

use gix_hash::ObjectId;

use crate::objects::Objects;
use crate::walk::{Told, Walk};
use crate::{GitFolder, Head, NoHistory};

/// Maximum number of commits to walk back.
const MAX_STEPS: usize = 20_000;

/// Returns the oldest commit along first parents, in hexadecimal: the root commit, unless the history is longer than
/// 20,000 commits or incomplete. Every full clone of the repository has it.
///
/// # Errors
/// [`NoHistory`], if not even the checked-out commit can be read.
pub fn oldest_commit(git: &GitFolder, head: &Head) -> Result<String, NoHistory> {
    let objects = Objects::open(git.objects())?;
    let missing = || NoHistory::Unreadable(format!("commit {} is missing or damaged", head.commit()));
    let (mut oldest, mut next) = (head.id, Some(objects.commit(&head.id).ok_or_else(missing)?));
    for _ in 0..MAX_STEPS {
        let parent = next.take().and_then(|commit| commit.parents.first().copied());
        let Some(parent) = parent.filter(|_| head.shallow.binary_search(&oldest).is_err()) else { break };
        let Some(commit) = objects.commit(&parent) else { break };
        (oldest, next) = (parent, Some(commit));
    }
    Ok(oldest.to_hex().to_string())
}

/// The checked-out commit and its ancestors, the newest first, at most `limit`, in hexadecimal. Those that are missing,
/// as behind the end of a shallow clone, are left out.
///
/// # Errors
/// [`NoHistory`], if not even the checked-out commit can be read.
pub fn list_ancestors(git: &GitFolder, head: &Head, limit: usize) -> Result<Vec<String>, NoHistory> {
    let objects = Objects::open(git.objects())?;
    let load = |id: &ObjectId| {
        objects.commit(id).map(|commit| Told { time: commit.time, parents: commit.parents.clone(), what: () })
    };
    let mut walk = Walk::start(head, load)?;
    let ids = std::iter::from_fn(|| walk.next()).map(|reached| reached.id.to_hex().to_string());
    Ok(ids.take(limit).collect())
}

/// Returns whether one of these commits, given by full hexadecimal ids, is among the objects of a repository.
#[must_use]
pub fn has_commit<'n>(git: &GitFolder, names: impl IntoIterator<Item = &'n str>) -> bool {
    let mut ids = names.into_iter().filter_map(|name| ObjectId::from_hex(name.as_bytes()).ok()).peekable();
    if ids.peek().is_none() {
        return false;
    }
    Objects::open(git.objects()).is_ok_and(|objects| ids.any(|id| objects.commit(&id).is_some()))
}
