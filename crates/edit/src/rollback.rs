//! Where the files of a batch stand, and putting their old content back: at once after a failure, or later after a
//! crash.

use std::io;
use std::path::{Path, PathBuf};

use m1nd_base::RepoPath;
use m1nd_vfs::{Folder, Root, VfsError};

use crate::EditError;
use crate::commit::Workspace;
use crate::destination::Destination;
use crate::disk::{self, Content, Gate};
use crate::journal::{Entry, Journal};
use crate::plan::MAX_FILE_BYTES;

/// Where a file of a batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has its old content.
    Old,
    /// It has the content that the batch gave it.
    New,
    /// It has the new content, and beside it lies what somebody saved just before the exchange.
    NewOverSaved,
    /// It has some other content, or something other than a file is in its place.
    Other,
}

/// A file of a batch, as it was found.
#[derive(Debug)]
pub(crate) struct Examined<'j> {
    pub(crate) entry: &'j Entry,
    /// Its place; `None` if no folder of this path can be opened.
    pub(crate) place: Option<Destination>,
    pub(crate) standing: Standing,
}

/// The files of a batch, or why they cannot be told.
#[derive(Debug)]
pub(crate) enum Examination<'j> {
    /// Every file is known.
    Files(Vec<Examined<'j>>),
    /// This root is not at its path.
    RootGone(PathBuf),
}

impl Workspace {
    /// Looks at all files of a batch.
    ///
    /// # Errors
    /// Those of the system: then it is not known where the files stand.
    pub(crate) fn examine<'j>(&self, journal: &'j Journal) -> Result<Examination<'j>, EditError> {
        let mut roots = Vec::with_capacity(journal.roots.len());
        for path in &journal.roots {
            self.gate().pass(disk::Step::Read).map_err(EditError::step(&path.to_string_lossy(), "opening the root"))?;
            match open_root(path)? {
                Some(root) => roots.push(root),
                None => return Ok(Examination::RootGone(path.clone())),
            }
        }
        let mut files = Vec::with_capacity(journal.entries.len());
        for entry in &journal.entries {
            files.push(match roots.get(entry.root) {
                Some(root) => self.examine_file(root, entry)?,
                None => Examined { entry, place: None, standing: Standing::Other },
            });
        }
        Ok(Examination::Files(files))
    }

    fn examine_file<'j>(&self, root: &Root, entry: &'j Entry) -> Result<Examined<'j>, EditError> {
        let shown = entry.path.as_str();
        let place = match crate::destination::find(self.gate(), root, &entry.inner, self.list_closed(), shown) {
            Ok(place) => place,
            Err(EditError::Files(error @ VfsError::Unreadable { .. })) => return Err(error.into()),
            // Somebody put something else in the place of a folder: there is nothing of ours in it.
            Err(EditError::Refused { .. } | EditError::Files(_)) => {
                return Ok(Examined { entry, place: None, standing: Standing::Other });
            }
            Err(error) => return Err(error),
        };
        let standing = match place.missing.is_empty() {
            true => standing_of(self.gate(), &place, entry).map_err(EditError::step(shown, "reading"))?,
            false if entry.before.is_none() => Standing::Old,
            false if entry.after.is_none() => Standing::New,
            false => Standing::Other,
        };
        Ok(Examined { entry, place: Some(place), standing })
    }

    /// Gives the files of a batch their old content. Files that somebody else changed stay as they are, and are
    /// returned.
    pub(crate) fn undo(&self, journal: &Journal) -> Result<Vec<RepoPath>, EditError> {
        match self.examine(journal)? {
            Examination::Files(files) => self.undo_files(journal, &files),
            Examination::RootGone(root) => Err(root_gone(&root)),
        }
    }

    /// Like [`Workspace::undo`], for files that were examined.
    pub(crate) fn undo_files(&self, journal: &Journal, files: &[Examined<'_>]) -> Result<Vec<RepoPath>, EditError> {
        let gate = self.gate();
        let mut changed = Vec::new();
        // Backwards, so that a later file of a batch never depends on an earlier one.
        for file in files.iter().rev() {
            let shown = file.entry.path.as_str();
            let is_others = match file.place.as_ref().filter(|place| place.missing.is_empty()) {
                Some(place) => put_back(gate, place, file.entry).map_err(EditError::step(shown, "putting it back"))?,
                None => file.standing == Standing::Other,
            };
            if is_others {
                changed.push(file.entry.path.clone());
            }
            self.clear(file)?;
        }
        for entry in &journal.entries {
            if let Some(root) = journal.roots.get(entry.root) {
                self.remove_folders(root, entry)?;
            }
        }
        Ok(changed)
    }

    /// Removes what a batch left beside a file, and waits until the names are on the disk.
    pub(crate) fn clear(&self, file: &Examined<'_>) -> Result<(), EditError> {
        let Some(place) = file.place.as_ref().filter(|place| place.missing.is_empty()) else { return Ok(()) };
        let shown = file.entry.path.as_str();
        for name in [&file.entry.temporary, &restored_name(file.entry)] {
            let failed = EditError::step(shown, "removing a temporary file");
            disk::remove(self.gate(), &place.folder, name).map_err(failed)?;
        }
        disk::sync_folder(self.gate(), &place.folder).map_err(EditError::step(shown, "synchronising the folder"))
    }

    /// Removes the folders that were created, if they are empty.
    pub(crate) fn remove_folders(&self, root: &Path, entry: &Entry) -> Result<(), EditError> {
        let shown = entry.path.as_str();
        for folder in entry.folders.iter().rev() {
            let (Ok(path), Some(root)) = (RepoPath::new(folder), open_root(root)?) else { continue };
            let Ok(place) = crate::destination::find(self.gate(), &root, &path, self.list_closed(), shown) else {
                continue;
            };
            if place.missing.is_empty() {
                let failed = EditError::step(shown, "removing a new folder");
                disk::remove_empty_folder(self.gate(), &place.folder, &place.name).map_err(failed)?;
                disk::sync_folder(self.gate(), &place.folder).map_err(EditError::step(shown, "synchronising"))?;
            }
        }
        Ok(())
    }

    /// Gives a file back what somebody saved just before the exchange.
    pub(crate) fn give_saved_back(&self, file: &Examined<'_>) -> Result<(), EditError> {
        if let Some(place) = file.place.as_ref().filter(|_| file.standing == Standing::NewOverSaved) {
            let failed = EditError::step(file.entry.path.as_str(), "giving it back");
            take_out(self.gate(), place, file.entry, &file.entry.temporary).map_err(failed)?;
        }
        Ok(())
    }
}

/// The error for a root that is not at its path.
pub(crate) fn root_gone(root: &Path) -> EditError {
    let source = io::Error::new(io::ErrorKind::NotFound, "it is gone, or a link took its place");
    EditError::step(&root.to_string_lossy(), "opening the root")(source)
}

/// Opens a root at its path; `None` if it is gone, or a link took its place.
fn open_root(path: &Path) -> Result<Option<Root>, EditError> {
    match Root::open(path) {
        Ok(root) if root.path() == path => Ok(Some(root)),
        Err(error @ VfsError::Unreadable { .. }) => Err(error.into()),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Where a file stands, by its content and by what lies beside it.
fn standing_of(gate: &dyn Gate, place: &Destination, entry: &Entry) -> io::Result<Standing> {
    let current = disk::content_of(gate, &place.folder, &place.name, MAX_FILE_BYTES)?;
    if matches!(current, Content::Other(_)) {
        return Ok(Standing::Other);
    }
    match current.hash() {
        hash if hash == entry.before_hash() => Ok(Standing::Old),
        hash if hash != entry.after => Ok(Standing::Other),
        _ if is_saved(gate, place, entry, &current)? => Ok(Standing::NewOverSaved),
        _ => Ok(Standing::New),
    }
}

/// Returns whether what lies beside a file that has its new content was saved by somebody, and came out of its place
/// by the exchange.
fn is_saved(gate: &dyn Gate, place: &Destination, entry: &Entry, current: &Content) -> io::Result<bool> {
    let Some(before) = entry.before_hash() else { return Ok(false) };
    let Content::Bytes(beside) = disk::content_of(gate, &place.folder, &entry.temporary, MAX_FILE_BYTES)? else {
        return Ok(false);
    };
    let hash = Some(m1nd_base::ContentHash::of(&beside));
    if hash == Some(before) || (hash == entry.after && entry.after.is_some()) {
        return Ok(false);
    }
    // New content that was only written in part, while somebody wrote the whole by hand.
    let Content::Bytes(whole) = current else { return Ok(true) };
    let end = beside.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Ok(!whole.starts_with(&beside[..end]))
}

/// Gives one file its old content, if it has the new one. Returns whether it has what somebody else saved.
fn put_back(gate: &dyn Gate, place: &Destination, entry: &Entry) -> io::Result<bool> {
    let folder = &place.folder;
    match standing_of(gate, place, entry)? {
        Standing::Old => return Ok(false),
        Standing::Other => return Ok(true),
        Standing::NewOverSaved => {
            take_out(gate, place, entry, &entry.temporary)?;
            return Ok(true);
        }
        Standing::New => {}
    }
    let Some((bytes, mode)) = &entry.before else {
        // A file that was created.
        return take_out(gate, place, entry, &restored_name(entry));
    };
    let beside = disk::content_of(gate, folder, &entry.temporary, MAX_FILE_BYTES)?;
    if beside.hash().is_some() && beside.hash() == entry.before_hash() {
        return take_out(gate, place, entry, &entry.temporary);
    }
    // Under a name of its own: half written, it must not be taken for what somebody saved.
    let restored = restored_name(entry);
    disk::remove(gate, folder, &restored)?;
    disk::write_new(gate, folder, &restored, bytes, (*mode, None), Some(&place.name))?;
    take_out(gate, place, entry, &restored)
}

/// Takes the new content out of its place, and puts what is at `other` there instead, or nothing if nothing is there.
/// What somebody saved at this moment goes back. Returns whether that happened.
fn take_out(gate: &dyn Gate, place: &Destination, entry: &Entry, other: &str) -> io::Result<bool> {
    let (folder, name) = (&place.folder, place.name.as_str());
    let is_other_there = matches!(disk::look(gate, folder, other)?, disk::Found::File(_));
    if entry.after.is_none() {
        // A file that was removed comes back, unless somebody made a new one.
        return match disk::place_new(gate, folder, other, name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(true),
            done => done.map(|()| false),
        };
    }
    if !is_other_there {
        disk::place_new(gate, folder, name, other)?;
        return give_back_if_saved(gate, folder, entry, other, || disk::place_new(gate, folder, other, name));
    }
    if disk::exchange(gate, folder, other, name)? {
        return give_back_if_saved(gate, folder, entry, other, || {
            disk::exchange(gate, folder, other, name).map(|_| ())
        });
    }
    disk::place_over(gate, folder, other, name)?;
    Ok(false)
}

/// Undoes a step if what came out of the place is not the new content. Returns whether it did.
fn give_back_if_saved(
    gate: &dyn Gate,
    folder: &Folder,
    entry: &Entry,
    taken: &str,
    back: impl FnOnce() -> io::Result<()>,
) -> io::Result<bool> {
    if disk::content_of(gate, folder, taken, MAX_FILE_BYTES)?.hash() == entry.after {
        return Ok(false);
    }
    back().map(|()| true)
}

/// Name beside a file under which its old content is written.
fn restored_name(entry: &Entry) -> String {
    format!("{}-old", entry.temporary)
}
