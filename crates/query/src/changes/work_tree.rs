//! The files that differ from the checked-out commit.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, Cancelled, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{NoHistory, ProjectHistory};
use m1nd_history::{BlobId, Contents};

use super::node_changes::CannotTell;

/// Maximum files that are compared.
const MAX_COMPARED: usize = 100_000;

/// The files that differ from the checked-out commits of their roots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkTreeChanges {
    /// Paths in the index, sorted: edited, removed, and new ones that no ignore rule leaves out.
    pub changed: Vec<String>,
    /// Roots that could not be compared, with the reason, and other gaps.
    pub gaps: Vec<String>,
}

/// Compares the files on disk with the checked-out commit by content. Symbolic links are left out.
///
/// # Errors
/// [`CannotTell`] if no root can be compared.
pub fn work_tree_changes(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<WorkTreeChanges, CannotTell> {
    let mut found = WorkTreeChanges::default();
    let mut changed: BTreeSet<String> = BTreeSet::new();
    let mut reason = None;
    let mut is_compared = false;
    for root in snapshot.roots() {
        match compare(snapshot, history, &root.prefix, &mut changed, &mut found.gaps, cancel) {
            Ok(()) => is_compared = true,
            Err(CannotTell::NoHistory(why)) => {
                found.gaps.push(format!("{}{why}", root.prefix));
                reason = Some(why);
            }
            Err(error) => return Err(error),
        }
    }
    if !is_compared {
        return Err(CannotTell::NoHistory(reason.unwrap_or(NoHistory::NotARepository)));
    }
    found.changed = changed.into_iter().collect();
    Ok(found)
}

fn compare(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    prefix: &str,
    changed: &mut BTreeSet<String>,
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<(), CannotTell> {
    let cancelled = |_: Cancelled| CannotTell::Cancelled;
    // Any path of the root leads to its repository. Its commits need not have been read.
    let git = history.git(&format!("{prefix}x"))?;
    git.head()?;
    let contents = Contents::open(&git)?;
    let head = contents.resolve(&git, "HEAD").map_err(|error| NoHistory::Unreadable(error.to_string()))?;
    let files = contents.files(head, cancel)?;
    if files.len() > MAX_COMPARED {
        gaps.push(format!("{prefix}: only the first {MAX_COMPARED} of {} files were compared", files.len()));
    }
    let mut committed: BTreeSet<String> = BTreeSet::new();
    let not_checked_out = snapshot.not_checked_out();
    for file in files.iter().take(MAX_COMPARED) {
        cancel.check().map_err(cancelled)?;
        let path = format!("{prefix}{}", file.path);
        let Ok(inside) = RepoPath::new(&path) else { continue };
        let is_same = match snapshot.read_bytes(&inside) {
            Ok(bytes) => BlobId::of_content(&bytes) == Some(file.blob),
            Err(error) if error.is_not_found() => not_checked_out.covers(&path),
            // Not shown to anybody, so nothing is said about it.
            Err(_) => true,
        };
        committed.insert(path.clone());
        if !is_same {
            changed.insert(path);
        }
    }
    let own = snapshot.files().iter().map(|entry| entry.path.as_str());
    let inside = own.filter(|path| history.prefix(path) == Some(prefix));
    // A submodule has commits of its own.
    let submodules = snapshot.submodules();
    let is_own = |path: &&str| {
        let of = |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        !submodules.iter().any(of)
    };
    changed.extend(inside.filter(|path| !committed.contains(*path)).filter(is_own).map(str::to_owned));
    Ok(())
}
