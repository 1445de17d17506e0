//! What becomes of a batch that a crash interrupted. Every file is examined before any is touched:
//!
//! - no file has its new content: there is nothing to undo;
//! - all have it: the batch is done;
//! - each has its old or its new content: all get the old one;
//! - somebody else changed a file since: nothing is touched, and copies of both contents are kept for people;
//! - a file cannot be read now: nothing is touched, and the next start or write tries again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use m1nd_base::{RepoPath, count};
use m1nd_store::{StoreError, durable_write};
use serde::Serialize;

use crate::EditError;
use crate::commit::Workspace;
use crate::disk;
use crate::journal::{Journal, Removal};
use crate::plan::MAX_FILE_BYTES;
use crate::rollback::{Examination, Examined, Standing};
use crate::undo::Origin;

/// Maximum number of files that a message names.
const MAX_NAMED: usize = 20;
/// Name of the file that says what the copies beside it are.
const README: &str = "README.txt";
/// Folders of the copies.
const OLD: &str = "old";
const NEW: &str = "new";

/// What became of an interrupted batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchOutcome {
    /// All its files have their old content.
    Undone,
    /// All its files had their new content, so it counts as done.
    Finished,
    /// Somebody else changed a file since: nothing was touched.
    LeftAlone,
    /// Its record is damaged: nothing was touched.
    Unreadable,
    /// A root is gone: the next start or write tries again.
    Waiting,
}

/// An interrupted batch, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecoveredBatch {
    /// What became of it.
    pub outcome: BatchOutcome,
    /// All its files.
    pub files: Vec<RepoPath>,
    /// Files with content that somebody else saved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<RepoPath>,
    /// Where copies are kept: a folder with old and new content, or a damaged record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<PathBuf>,
    /// Why it could be neither undone nor finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What [`Workspace::recover`] found and did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Recovered {
    /// The interrupted batches.
    pub batches: Vec<RecoveredBatch>,
}

/// A batch that was interrupted, as a reader finds it: nobody has undone or finished it yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterruptedWrite {
    /// Its files; empty if its record cannot be read.
    pub files: Vec<RepoPath>,
    /// The record.
    pub journal: PathBuf,
    /// Why its record cannot be read, or why it is not undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Workspace {
    /// Undoes or finishes every batch that was begun and not ended. Only under the lock.
    pub(crate) fn recover_all(&self) -> Result<Recovered, EditError> {
        let mut sum = Recovered::default();
        for path in Journal::list(self.state())? {
            let batch = match Journal::read_with_origin(self.state(), &path) {
                Ok(None) => continue,
                Ok(Some((journal, origin))) => self.recover_batch(&journal, origin.as_ref(), &path)?,
                Err(EditError::Store(StoreError::Damaged { detail, .. })) => RecoveredBatch {
                    outcome: BatchOutcome::Unreadable,
                    files: Vec::new(),
                    changed: Vec::new(),
                    copies: Some(Journal::keep(self.state(), &path)?),
                    why: Some(detail),
                },
                Err(error) => return Err(error),
            };
            if batch.outcome != BatchOutcome::Waiting {
                self.note_recovered(batch.clone());
            }
            sum.batches.push(batch);
        }
        Ok(sum)
    }

    fn recover_batch(
        &self,
        journal: &Journal,
        origin: Option<&Origin>,
        path: &Path,
    ) -> Result<RecoveredBatch, EditError> {
        let all: Vec<RepoPath> = journal.entries.iter().map(|entry| entry.path.clone()).collect();
        let batch =
            |outcome, changed, copies| RecoveredBatch { outcome, files: all.clone(), changed, copies, why: None };
        let files = match self.examine(journal)? {
            Examination::Files(files) => files,
            Examination::RootGone(root) => {
                let why = Some(format!("its root `{}` is gone, or a link took its place", root.display()));
                return Ok(RecoveredBatch { why, ..batch(BatchOutcome::Waiting, Vec::new(), None) });
            }
        };
        let stands = |standing: Standing| files.iter().any(|file| file.standing == standing);
        let has_new = stands(Standing::New) || stands(Standing::NewOverSaved);
        let recovered = if has_new && files.iter().all(|file| file.standing == Standing::New) {
            self.finish_files(&files)?;
            batch(BatchOutcome::Finished, Vec::new(), None)
        } else if has_new && stands(Standing::Other) {
            let copies = self.leave_files(&files, path)?;
            batch(BatchOutcome::LeftAlone, changed_of(&files), Some(copies))
        } else {
            batch(BatchOutcome::Undone, self.undo_files(journal, &files)?, None)
        };
        // Only a batch that is done can be taken back.
        let origin = origin.filter(|_| recovered.outcome == BatchOutcome::Finished);
        match self.end_journal(path, origin) {
            // If its removal does not last, the next recovery finds the same.
            Ok(_) | Err(Removal::NotSynced(_)) => Ok(recovered),
            Err(Removal::NotRemoved(why)) => {
                Err(EditError::step("the journal", "removing")(std::io::Error::other(why)))
            }
        }
    }

    /// Ends a batch whose files are all in place.
    fn finish_files(&self, files: &[Examined<'_>]) -> Result<(), EditError> {
        files.iter().try_for_each(|file| self.clear(file))
    }

    /// Keeps copies of a batch, and removes what it left beside the files.
    fn leave_files(&self, files: &[Examined<'_>], journal: &Path) -> Result<PathBuf, EditError> {
        let copies = Journal::copies(journal);
        for file in files {
            if let Some((old, _)) = &file.entry.before {
                self.write_copy(&copies, OLD, file.entry.path.as_str(), old)?;
            }
            if let Some(new) = self.new_content(file)? {
                self.write_copy(&copies, NEW, file.entry.path.as_str(), &new)?;
            }
        }
        self.write_copy(&copies, "", README, describe_copies(files).as_bytes())?;
        // From here on, the copies hold what is removed.
        for file in files {
            self.give_saved_back(file)?;
            self.clear(file)?;
        }
        Ok(copies)
    }

    fn write_copy(&self, copies: &Path, folder: &str, path: &str, bytes: &[u8]) -> Result<(), EditError> {
        let (system, path) = (self.state().system(), copies.join(folder).join(path));
        let parent = path.parent().unwrap_or(copies).to_owned();
        let failed =
            |source| EditError::Store(StoreError::Io { action: "create the folder", path: parent.clone(), source });
        system.create_folder(&parent).map_err(failed)?;
        Ok(durable_write(system, &path, bytes)?)
    }

    /// The new content of a file, in its place or beside it; `None` if it was removed or is lost.
    fn new_content(&self, file: &Examined<'_>) -> Result<Option<Vec<u8>>, EditError> {
        let (Some(place), Some(after)) = (&file.place, file.entry.after) else { return Ok(None) };
        if !place.missing.is_empty() {
            return Ok(None);
        }
        for name in [&place.name, &file.entry.temporary] {
            let failed = EditError::step(file.entry.path.as_str(), "reading");
            let content = disk::content_of(self.gate(), &place.folder, name, MAX_FILE_BYTES).map_err(failed)?;
            if let disk::Content::Bytes(bytes) = content
                && m1nd_base::ContentHash::of(&bytes) == after
            {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// Like [`Workspace::list_interrupted`], with the writes of other projects to the same roots.
    ///
    /// # Errors
    /// Those of [`Workspace::list_interrupted`].
    pub fn interrupted_anywhere(&self) -> Result<Vec<InterruptedWrite>, EditError> {
        let mut found = self.list_interrupted()?;
        for other in self.beside() {
            found.extend(other.list_interrupted()?);
        }
        Ok(found)
    }

    /// Batches that were interrupted and wait for a process that writes; none while a process writes. Changes nothing.
    ///
    /// # Errors
    /// [`EditError::Store`] if the folder of the journals cannot be listed.
    pub fn list_interrupted(&self) -> Result<Vec<InterruptedWrite>, EditError> {
        let journals = Journal::list(self.state())?;
        if journals.is_empty() || self.is_writing() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for journal in journals {
            found.push(match Journal::read(self.state(), &journal) {
                Ok(None) => continue,
                Ok(Some(content)) => {
                    let files = content.entries.iter().map(|entry| entry.path.clone()).collect();
                    let why = match self.examine(&content) {
                        Ok(Examination::Files(_)) => None,
                        Ok(Examination::RootGone(root)) => Some(format!("its root `{}` is gone", root.display())),
                        Err(error) => Some(error.to_string()),
                    };
                    InterruptedWrite { files, journal, why }
                }
                Err(error) => InterruptedWrite { files: Vec::new(), journal, why: Some(error.to_string()) },
            });
        }
        Ok(found)
    }

    /// Folders and records that are kept of earlier batches, until a person removes them.
    ///
    /// # Errors
    /// [`EditError::Store`] if the folder cannot be listed.
    pub fn list_copies(&self) -> Result<Vec<PathBuf>, EditError> {
        Journal::list_kept(self.state())
    }
}

/// Files with content that somebody else saved.
fn changed_of(files: &[Examined<'_>]) -> Vec<RepoPath> {
    let is_others = |file: &&Examined<'_>| matches!(file.standing, Standing::Other | Standing::NewOverSaved);
    files.iter().filter(is_others).map(|file| file.entry.path.clone()).collect()
}

/// The text beside copies.
fn describe_copies(files: &[Examined<'_>]) -> String {
    let mut text = format!(
        "A write of several files was interrupted, and somebody changed a file before it could be undone or finished.\n\
         No file was touched. `{OLD}` has the contents before the write, `{NEW}` those that it was to give them.\n\
         Copy what you want to keep into the project, then remove this folder.\n\n"
    );
    for file in files {
        let standing = match file.standing {
            Standing::Old => "has its old content",
            Standing::New => "has its new content",
            Standing::NewOverSaved | Standing::Other => "has content of somebody else",
        };
        _ = writeln!(text, "{}: {standing}", file.entry.path);
    }
    text
}

/// Names of files for a message.
fn names(paths: &[RepoPath]) -> String {
    let named: Vec<&str> = paths.iter().take(MAX_NAMED).map(RepoPath::as_str).collect();
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

impl RecoveredBatch {
    /// What happened, for people.
    pub fn notice(&self) -> String {
        let (number, files) = (count(self.files.len(), "file"), names(&self.files));
        let copies = self.copies.as_deref().unwrap_or(Path::new("")).display();
        let why = self.why.as_deref().unwrap_or_default();
        match self.outcome {
            BatchOutcome::Undone if self.changed.is_empty() => {
                format!("an interrupted write of {number} was undone; all have their old content: {files}")
            }
            BatchOutcome::Undone => format!(
                "an interrupted write of {number} was undone: {files}; changed by others meanwhile and left as they are: {}",
                names(&self.changed)
            ),
            BatchOutcome::Finished => {
                format!("an interrupted write of {number} had put all of them in place and counts as done: {files}")
            }
            BatchOutcome::LeftAlone => format!(
                "an interrupted write of {number} was left as it is, since others changed {} after it: {files}; their old and new contents are in `{copies}`: copy what you want to keep, then remove that folder",
                names(&self.changed)
            ),
            BatchOutcome::Unreadable => format!(
                "the record of an interrupted write cannot be used: {why}; it is kept as `{copies}`; compare the project with its last commit"
            ),
            BatchOutcome::Waiting => {
                format!("an interrupted write of {number} is not undone yet, since {why}: {files}")
            }
        }
    }
}

impl InterruptedWrite {
    /// What was found, for people, with what to do.
    pub fn notice(&self) -> String {
        let next = match &self.why {
            None => "the next process that writes undoes or finishes it: run `m1nd ingest`".to_owned(),
            Some(why) => format!("it waits, since {why}"),
        };
        match self.files.as_slice() {
            [] => format!("a write was interrupted, and its record is `{}`; {next}", self.journal.display()),
            files => format!(
                "a write of {} was interrupted, so some may be new and some old: {}; {next}",
                count(files.len(), "file"),
                names(files)
            ),
        }
    }
}

impl Recovered {
    /// Returns whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// What happened, for people: a sentence for each batch.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        self.batches.iter().map(RecoveredBatch::notice)
    }
}
