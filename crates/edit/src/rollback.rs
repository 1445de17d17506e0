//! Putting the old content of a batch back, at once after a failure or later after a crash.

use std::collections::BTreeSet;
use std::io;

use m1nd_base::{ContentHash, RepoPath};
use m1nd_vfs::{Folder, Root};

use crate::EditError;
use crate::commit::Workspace;
use crate::disk::{self, Found, Gate};
use crate::journal::{Entry, Journal};
use crate::plan::MAX_FILE_BYTES;

/// What [`Workspace::recover`] found and did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Interrupted batches that were undone.
    pub batches: usize,
    /// Files that got their old content back.
    pub restored: Vec<RepoPath>,
    /// Files that somebody else changed since: they are as they are now.
    pub left: Vec<RepoPath>,
    /// Journals with the old content of such files, or that cannot be read.
    pub kept: Vec<std::path::PathBuf>,
}

/// What became of one file.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// It had its old content.
    Unchanged,
    /// It got it back.
    Restored,
    /// Its content is neither the old nor the new one.
    Left,
}

impl Workspace {
    /// Undoes every batch of the folder that was begun and not finished. Only under the lock.
    pub(crate) fn undo_interrupted(&self) -> Result<Recovered, EditError> {
        self.state().sweep()?;
        let mut sum = Recovered::default();
        for path in Journal::list(self.state()) {
            let Ok(journal) = Journal::read(self.state(), &path) else {
                sum.kept.push(Journal::keep(self.state(), &path)?);
                continue;
            };
            let (restored, left) = self.undo(&journal)?;
            if left.is_empty() {
                // If its removal does not last, the next look finds nothing to undo.
                _ = Journal::remove(self.state(), &path);
            } else {
                sum.kept.push(Journal::keep(self.state(), &path)?);
            }
            sum.batches += 1;
            sum.restored.extend(restored);
            sum.left.extend(left);
        }
        Ok(sum)
    }

    /// Gives the files of a batch their old content. Returns those that had the new one, and those that somebody else
    /// changed meanwhile.
    pub(crate) fn undo(&self, journal: &Journal) -> Result<(Vec<RepoPath>, Vec<RepoPath>), EditError> {
        let roots: Vec<Option<Root>> = journal.roots.iter().map(|path| Root::open(path).ok()).collect();
        let (mut restored, mut left) = (Vec::new(), Vec::new());
        // Backwards, so that a later file of a batch never depends on an earlier one.
        for entry in journal.entries.iter().rev() {
            match roots.get(entry.root).and_then(Option::as_ref).map(|root| self.undo_file(root, entry)).transpose()? {
                Some(Outcome::Restored) => restored.push(entry.path.clone()),
                Some(Outcome::Unchanged) => {}
                Some(Outcome::Left) | None => left.push(entry.path.clone()),
            }
        }
        for entry in &journal.entries {
            if let Some(root) = roots.get(entry.root).and_then(Option::as_ref) {
                self.remove_folders(root, entry)?;
            }
        }
        Ok((restored, left))
    }

    fn undo_file(&self, root: &Root, entry: &Entry) -> Result<Outcome, EditError> {
        let shown = entry.path.as_str();
        let place = match crate::place::find(root, &entry.inner, self.closed(), shown) {
            Ok(place) => place,
            // Somebody put something else in the place of a folder: there is nothing of ours in it.
            Err(EditError::Refused { .. } | EditError::Files(_)) => return Ok(Outcome::Left),
            Err(error) => return Err(error),
        };
        if !place.missing.is_empty() {
            return Ok(if entry.before.is_none() { Outcome::Unchanged } else { Outcome::Left });
        }
        let gate = self.gate();
        let failed = |action| EditError::step(shown, action);
        let outcome = put_back(gate, &place.folder, &place.name, entry).map_err(failed("putting it back"))?;
        for name in [&entry.temporary, &restored_name(entry)] {
            disk::remove(gate, &place.folder, name).map_err(failed("removing a temporary file"))?;
        }
        disk::sync_folder(gate, &place.folder).map_err(failed("synchronising the folder"))?;
        Ok(outcome)
    }

    /// Removes the folders that were created, if they are empty.
    fn remove_folders(&self, root: &Root, entry: &Entry) -> Result<(), EditError> {
        let shown = entry.path.as_str();
        for folder in entry.folders.iter().rev() {
            let Ok(path) = RepoPath::new(folder) else { continue };
            let Ok(place) = crate::place::find(root, &path, self.closed(), shown) else { continue };
            if place.missing.is_empty() {
                let failed = EditError::step(shown, "removing a new folder");
                disk::remove_empty_folder(self.gate(), &place.folder, &place.name).map_err(failed)?;
                disk::sync_folder(self.gate(), &place.folder).map_err(EditError::step(shown, "synchronising"))?;
            }
        }
        Ok(())
    }
}

/// Gives one file its old content, if it has the new one.
fn put_back(gate: &dyn Gate, folder: &Folder, name: &str, entry: &Entry) -> io::Result<Outcome> {
    let Ok(current) = disk::hash_of(folder, name, MAX_FILE_BYTES) else { return Ok(Outcome::Left) };
    let before = entry.before_hash();
    if current == before {
        return Ok(Outcome::Unchanged);
    }
    if current != entry.after {
        return Ok(Outcome::Left);
    }
    let Some((bytes, mode)) = &entry.before else {
        disk::remove(gate, folder, name)?;
        return Ok(Outcome::Restored);
    };
    // With the new content in its place, the temporary file is what came out of it: the old content, or what somebody
    // saved just before.
    let (from, outcome) = match taken_out(folder, &entry.temporary, before) {
        Taken::Old => (entry.temporary.clone(), Outcome::Restored),
        Taken::Theirs => (entry.temporary.clone(), Outcome::Left),
        Taken::Nothing => {
            // Under a name of its own: half written, it must not be taken for what somebody saved.
            let restored = restored_name(entry);
            disk::remove(gate, folder, &restored)?;
            disk::write_new(gate, folder, &restored, bytes, *mode)?;
            (restored, Outcome::Restored)
        }
    };
    match current {
        None => disk::place_new(gate, folder, &from, name)?,
        Some(_) => disk::place_over(gate, folder, &from, name)?,
    }
    Ok(outcome)
}

/// What came out of the place of a file.
enum Taken {
    Nothing,
    Old,
    Theirs,
}

fn taken_out(folder: &Folder, temporary: &str, before: Option<ContentHash>) -> Taken {
    match (disk::look(folder, temporary), disk::hash_of(folder, temporary, MAX_FILE_BYTES)) {
        (Ok(Found::Nothing), _) => Taken::Nothing,
        (_, Ok(found)) if found == before => Taken::Old,
        _ => Taken::Theirs,
    }
}

/// Name beside a file under which its old content is written.
fn restored_name(entry: &Entry) -> String {
    format!("{}-old", entry.temporary)
}

impl Recovered {
    /// Returns whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What happened, for people; `None` if there was nothing to do.
    pub fn notice(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut text = format!("{} interrupted write(s) of several files were undone", self.batches);
        let list = |paths: &[RepoPath]| {
            let names: BTreeSet<&str> = paths.iter().map(RepoPath::as_str).collect();
            Vec::from_iter(names).join(", ")
        };
        if !self.restored.is_empty() {
            text.push_str(&format!("; restored: {}", list(&self.restored)));
        }
        if !self.left.is_empty() {
            let left = list(&self.left);
            text.push_str(&format!("; changed by others since and left alone: {left}"));
        }
        for kept in &self.kept {
            text.push_str(&format!("; their old content is kept in `{}`", kept.display()));
        }
        Some(text)
    }
}
