//! Writing a planned batch: all of it, or nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use m1nd_base::{Cancel, ContentHash};
use m1nd_store::{SharedFolder, StoreError};
use m1nd_vfs::{Folder, FolderId};

use crate::EditError;
use crate::destination::Destination;
use crate::disk::{self, Gate, OpenGate};
use crate::guarded::{Allowances, NoAllowances};
use crate::journal::{Entry, Journal, Removal, TEMPORARY};
use crate::plan::{MAX_FILE_BYTES, Plan, PlannedEdit};
use crate::recovery::{Recovered, RecoveredBatch};
use crate::undo::Origin;

/// Held while files are written.
const LOCK: &str = "write.lock";
/// Longest wait for another write to this project.
const WAIT: Duration = Duration::from_secs(10);

/// Maximum number of recovered batches that wait to be named.
const MAX_RECOVERED: usize = 100;
/// How long recovery waits for the lock before it assumes that another process is writing.
const RECOVERY_WAIT: Duration = Duration::from_millis(500);

/// Most exchanges in a row with somebody who saves the same file.
const GIVE_BACK: usize = 16;

/// The right to write files of projects, with the folder for journals.
#[derive(Debug, Clone)]
pub struct Workspace {
    state: SharedFolder,
    home: PathBuf,
    closed: Vec<FolderId>,
    /// The folders whose files this process works with: writes of other projects to them count as well.
    roots: Vec<PathBuf>,
    gate: Arc<dyn Gate>,
    allowances: Arc<dyn Allowances>,
    /// Batches that were recovered and that no answer has named yet.
    recovered: Arc<Mutex<Vec<RecoveredBatch>>>,
}

/// What a commit wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Committed {
    /// Files created, replaced or removed.
    pub files: usize,
    /// Bytes of new content.
    pub bytes: u64,
    /// Id by which the batch can be taken back.
    pub kept: Option<String>,
}

/// A file of a running commit.
struct Running<'p> {
    edit: &'p PlannedEdit,
    entry: &'p Entry,
    folder: Folder,
    name: String,
}

impl Workspace {
    /// Writes for one project. `journals` is a folder of its own in the state of m1nd; `home`, the folder of all state,
    /// is never written to for a caller.
    pub fn new(journals: PathBuf, home: &Path) -> Self {
        Self::with(SharedFolder::new(journals), home, Arc::new(OpenGate))
    }

    /// Like [`Workspace::new`], with its own file operations, for tests.
    pub fn with(state: SharedFolder, home: &Path, gate: Arc<dyn Gate>) -> Self {
        let home = m1nd_vfs::canonical(home).unwrap_or_else(|_| home.to_owned());
        let closed = FolderId::at(&home).into_iter().collect();
        Self {
            state,
            home,
            closed,
            roots: Vec::new(),
            gate,
            allowances: Arc::new(NoAllowances),
            recovered: Arc::default(),
        }
    }

    /// Recovers also what other projects of the same home wrote to these folders: a repository may be indexed alone, as
    /// a part of a larger folder, and in a federation.
    #[must_use]
    pub fn with_roots(self, roots: Vec<PathBuf>) -> Self {
        Self { roots, ..self }
    }

    /// Also writes files that other programs run or trust, where a person allowed it.
    #[must_use]
    pub fn with_allowances(self, allowances: Arc<dyn Allowances>) -> Self {
        Self { allowances, ..self }
    }

    pub(crate) fn allowances(&self) -> &dyn Allowances {
        &*self.allowances
    }

    /// Folders of journals of other projects in which a write to one of the roots was interrupted.
    pub(crate) fn beside(&self) -> Vec<Self> {
        let (Some(project), Some(name)) = (self.state.path().parent(), self.state.path().file_name()) else {
            return Vec::new();
        };
        let all = project.parent().filter(|_| !self.roots.is_empty());
        // What cannot be listed here is reported by its own project.
        let names = all.and_then(|all| self.state.system().list(all).ok()).unwrap_or_default();
        let folders = names.iter().filter_map(|project| Some(all?.join(project).join(name)));
        let others = folders.filter(|folder| folder != self.state.path());
        let concerns = |folder: &SharedFolder| {
            let journals = Journal::list(folder).unwrap_or_default();
            journals
                .iter()
                .any(|path| matches!(Journal::read(folder, path), Ok(Some(found)) if self.shares_root(&found)))
        };
        let other = |folder: PathBuf| self.state.beside(folder);
        others.map(other).filter(concerns).map(|state| Self { state, ..self.clone() }).collect()
    }

    fn shares_root(&self, journal: &Journal) -> bool {
        let overlaps = |one: &PathBuf, other: &PathBuf| one.starts_with(other) || other.starts_with(one);
        journal.roots.iter().any(|root| self.roots.iter().any(|own| overlaps(root, own)))
    }

    pub(crate) fn state(&self) -> &SharedFolder {
        &self.state
    }

    pub(crate) fn gate(&self) -> &dyn Gate {
        &*self.gate
    }

    pub(crate) fn list_closed(&self) -> &[FolderId] {
        &self.closed
    }

    /// Returns whether a folder lies in the state of m1nd.
    pub(crate) fn holds(&self, folder: &Path) -> bool {
        folder.starts_with(&self.home)
    }

    /// Undoes or finishes batches that a crash interrupted. Does nothing while another process writes: its batch is not
    /// interrupted.
    ///
    /// # Errors
    /// [`EditError::Failed`], [`EditError::Files`] and [`EditError::Store`]; the next call tries again.
    pub fn recover(&self) -> Result<Recovered, EditError> {
        self.recover_within(RECOVERY_WAIT)
    }

    /// Like [`Workspace::recover`], for a caller that must not wait for another process.
    ///
    /// # Errors
    /// Those of [`Workspace::recover`].
    pub fn recover_at_once(&self) -> Result<Recovered, EditError> {
        self.recover_within(Duration::ZERO)
    }

    fn recover_within(&self, wait: Duration) -> Result<Recovered, EditError> {
        let mut sum = self.recover_own(wait)?;
        for other in self.beside() {
            sum.batches.extend(other.recover_own(wait)?.batches);
        }
        Ok(sum)
    }

    fn recover_own(&self, wait: Duration) -> Result<Recovered, EditError> {
        if Journal::list(&self.state)?.is_empty() {
            return Ok(Recovered::default());
        }
        match self.state.hold(LOCK, wait) {
            Ok(_lock) => {
                self.state.sweep()?;
                self.recover_all()
            }
            Err(StoreError::Taken { .. }) => Ok(Recovered::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns whether a process writes at this moment.
    pub(crate) fn is_writing(&self) -> bool {
        self.state.is_held(LOCK)
    }

    /// Batches that were recovered since the last call, by this or by a commit.
    pub fn take_recovered(&self) -> Recovered {
        let mut recovered = self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        Recovered { batches: std::mem::take(&mut *recovered) }
    }

    /// Hands over what another owner of the folder recovered, for the next answer.
    pub fn add_recovered(&self, recovered: Recovered) {
        recovered.batches.into_iter().for_each(|batch| self.note_recovered(batch));
    }

    pub(crate) fn note_recovered(&self, batch: RecoveredBatch) {
        let mut recovered = self.recovered.lock().unwrap_or_else(PoisonError::into_inner);
        if recovered.len() < MAX_RECOVERED {
            recovered.push(batch);
        }
    }

    /// Writes a batch. `told` hears after each file how many are in their place. Cancellation counts until the first
    /// file is replaced.
    ///
    /// # Errors
    /// See [`EditError`]; all files then have their old content, unless it says otherwise.
    pub fn commit(&self, plan: &Plan, cancel: &Cancel, told: &mut dyn FnMut(usize)) -> Result<Committed, EditError> {
        self.commit_from(plan, None, cancel, told)
    }

    /// Like [`Workspace::commit`], and keeps the batch, so that it can be taken back.
    ///
    /// # Errors
    /// Those of [`Workspace::commit`].
    pub fn commit_as(
        &self,
        plan: &Plan,
        origin: &Origin,
        cancel: &Cancel,
        told: &mut dyn FnMut(usize),
    ) -> Result<Committed, EditError> {
        self.commit_from(plan, Some(origin), cancel, told)
    }

    fn commit_from(
        &self,
        plan: &Plan,
        origin: Option<&Origin>,
        cancel: &Cancel,
        told: &mut dyn FnMut(usize),
    ) -> Result<Committed, EditError> {
        let edits: Vec<&PlannedEdit> = plan.changes().collect();
        if edits.is_empty() {
            return Ok(Committed::default());
        }
        for other in self.beside() {
            other.recover_own(RECOVERY_WAIT)?;
        }
        let _lock = self.state.hold(LOCK, WAIT)?;
        self.state.sweep()?;
        self.recover_all()?;
        let places = edits.iter().map(|edit| self.open_unchanged(edit)).collect::<Result<Vec<_>, _>>()?;
        let id = random_id()?;
        let journal = journal_of(&edits, &places, &id);
        cancel.check().map_err(|_| EditError::Cancelled)?;
        let path = journal.write(&self.state, &id, origin)?;
        let done = self.write_all(&edits, places, &journal, cancel, told);
        let cause = match done.map(|()| self.end_journal(&path, origin)) {
            Ok(Ok(kept)) => return Ok(Committed { files: edits.len(), bytes: bytes_of(&edits), kept }),
            Ok(Err(Removal::NotSynced(why))) => return Err(EditError::NotDurable { why }),
            Ok(Err(Removal::NotRemoved(why))) => EditError::step("the journal", "removing")(std::io::Error::other(why)),
            Err(cause) => cause,
        };
        match self.undo(&journal) {
            Ok(_) => match Journal::remove(&self.state, &path) {
                Ok(()) | Err(Removal::NotSynced(_)) => Err(cause),
                Err(Removal::NotRemoved(why)) => Err(EditError::NotRestored { cause: Box::new(cause), why }),
            },
            Err(why) => Err(EditError::NotRestored { cause: Box::new(cause), why: why.to_string() }),
        }
    }

    /// Opens the place of a file that still has the content it was planned with.
    fn open_unchanged(&self, edit: &PlannedEdit) -> Result<Destination, EditError> {
        let path = edit.path().as_str();
        let place = self.place(edit.target())?;
        let found = match place.missing.is_empty() {
            true => disk::hash_of(self.gate(), &place.folder, &place.name, MAX_FILE_BYTES)
                .map_err(EditError::step(path, "reading"))?,
            false => None,
        };
        if found == edit.before_hash() {
            Ok(place)
        } else {
            Err(EditError::source_modified(path, edit.before_hash(), found))
        }
    }

    fn write_all(
        &self,
        edits: &[&PlannedEdit],
        places: Vec<Destination>,
        journal: &Journal,
        cancel: &Cancel,
        told: &mut dyn FnMut(usize),
    ) -> Result<(), EditError> {
        let gate = self.gate();
        // First all new contents beside their files: a full disk fails here, before a file has changed.
        let mut running = Vec::with_capacity(edits.len());
        for ((edit, entry), place) in edits.iter().zip(&journal.entries).zip(places) {
            let shown = edit.path().as_str();
            let name = place.name.clone();
            let folder = place.make_folders(gate, shown)?;
            if let Some(bytes) = &edit.after {
                let mode = edit.new_mode.or_else(|| edit.before.as_ref().and_then(|before| before.mode));
                let like = edit.before.as_ref().map(|_| name.as_str());
                disk::write_new(gate, &folder, &entry.temporary, bytes, (mode, edit.executable), like)
                    .map_err(EditError::step(shown, "writing the new content"))?;
            }
            running.push(Running { edit, entry, folder, name });
        }
        cancel.check().map_err(|_| EditError::Cancelled)?;
        // Then every file is swapped with its new content; from here on only the journal leads back.
        for (index, file) in running.iter().enumerate() {
            self.put_in_place(file)?;
            told(index + 1);
        }
        for file in &running {
            let failed = EditError::step(file.edit.path().as_str(), "removing the old content");
            disk::remove(gate, &file.folder, &file.entry.temporary).map_err(failed)?;
        }
        // Each folder is synchronised once, or a power cut could undo the swap.
        let mut synced = Vec::new();
        for file in &running {
            let id = file.folder.id();
            if id.is_none() || !synced.contains(&id) {
                synced.push(id);
                let failed = EditError::step(file.edit.path().as_str(), "synchronising the folder");
                disk::sync_folder(gate, &file.folder).map_err(failed)?;
            }
        }
        self.sync_new_folders(edits, journal)
    }

    /// Waits until the names of created folders are on the disk.
    fn sync_new_folders(&self, edits: &[&PlannedEdit], journal: &Journal) -> Result<(), EditError> {
        for (edit, entry) in edits.iter().zip(&journal.entries) {
            for folder in &entry.folders {
                let Ok(inner) = m1nd_base::RepoPath::new(folder) else { continue };
                let shown = edit.path().as_str();
                let place =
                    crate::destination::find(self.gate(), &edit.target().root, &inner, self.list_closed(), shown)?;
                let failed = EditError::step(shown, "synchronising a new folder");
                disk::sync_folder(self.gate(), &place.folder).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Replaces, creates or removes one file, unless its content is not what was planned with.
    fn put_in_place(&self, file: &Running<'_>) -> Result<(), EditError> {
        let Running { edit, entry, folder, name } = file;
        let (gate, path, temporary) = (self.gate(), edit.path().as_str(), entry.temporary.as_str());
        let expected = edit.before_hash();
        let failed = |error| EditError::step(path, "putting the new content in place")(error);
        let hash = |name: &str| disk::hash_of(gate, folder, name, MAX_FILE_BYTES);
        match (&edit.before, &edit.after) {
            (None, _) => match disk::place_new(gate, folder, temporary, name) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    Err(EditError::source_modified(path, None, hash(name).ok().flatten()))
                }
                done => done.map_err(failed),
            },
            (Some(_), Some(_)) => {
                let exchanged = match disk::exchange(gate, folder, temporary, name) {
                    // Somebody removed the file after it was compared.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound && matches!(hash(name), Ok(None)) => {
                        return Err(EditError::source_modified(path, expected, None));
                    }
                    done => done.map_err(failed)?,
                };
                if exchanged {
                    let found = hash(temporary);
                    if matches!(&found, Ok(found) if *found == expected) {
                        return Ok(());
                    }
                    // Somebody saved the file after it was compared, or it is not known whether: it goes back.
                    give_back(gate, file, edit.after_hash(), || disk::exchange(gate, folder, temporary, name))
                        .map_err(failed)?;
                    return Err(EditError::source_modified(path, expected, found.map_err(failed)?));
                }
                let found = hash(name).map_err(failed)?;
                if found != expected {
                    return Err(EditError::source_modified(path, expected, found));
                }
                disk::place_over(gate, folder, temporary, name).map_err(failed)
            }
            (Some(_), None) => {
                disk::place_new(gate, folder, name, temporary).map_err(failed)?;
                let found = hash(temporary);
                if matches!(&found, Ok(found) if *found == expected) {
                    return Ok(());
                }
                disk::place_new(gate, folder, temporary, name).map_err(failed)?;
                Err(EditError::source_modified(path, expected, found.map_err(failed)?))
            }
        }
    }
}

/// Exchanges a file with what came out of its place, `put` being what this commit put there. If that is not what comes
/// out now, somebody saved the file once more, and what they saved last goes back.
fn give_back(
    gate: &dyn Gate,
    file: &Running<'_>,
    mut put: Option<ContentHash>,
    exchange: impl Fn() -> std::io::Result<bool>,
) -> std::io::Result<()> {
    let taken = || disk::hash_of(gate, &file.folder, &file.entry.temporary, MAX_FILE_BYTES);
    for _ in 0..GIVE_BACK {
        let theirs = taken();
        exchange()?;
        // What cannot be read now is examined again when the batch is undone.
        if taken()? == put {
            break;
        }
        put = theirs?;
    }
    Ok(())
}

fn journal_of(edits: &[&PlannedEdit], places: &[Destination], id: &str) -> Journal {
    let mut roots: Vec<PathBuf> = Vec::new();
    let mut entries = Vec::with_capacity(edits.len());
    for (number, (edit, place)) in edits.iter().zip(places).enumerate() {
        let path = edit.target().root.path();
        let root = roots.iter().position(|known| known == path).unwrap_or_else(|| {
            roots.push(path.to_owned());
            roots.len() - 1
        });
        entries.push(Entry {
            root,
            inner: edit.target().inner.clone(),
            path: edit.path().clone(),
            temporary: format!("{TEMPORARY}{id}-{number}"),
            before: edit.before.as_ref().map(|before| (before.bytes.clone(), before.mode)),
            after: edit.after_hash(),
            folders: place.missing_paths(),
        });
    }
    Journal { roots, entries }
}

fn bytes_of(edits: &[&PlannedEdit]) -> u64 {
    edits.iter().filter_map(|edit| edit.after.as_ref()).map(|bytes| bytes.len() as u64).sum()
}

/// Sixteen random hexadecimal digits.
fn random_id() -> Result<String, EditError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| {
        EditError::Store(StoreError::Io {
            action: "get random bytes for",
            path: PathBuf::from("a journal"),
            source: std::io::Error::other(error.to_string()),
        })
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
