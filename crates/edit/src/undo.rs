//! Writes that can be taken back. The journal of a batch that is done becomes its record: it has the old content, and
//! hashes of the new one. To take a batch back is a batch of its own, so it can be taken back, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use m1nd_base::RepoPath;
use m1nd_store::{SharedFolder, StoreError};
use serde::{Deserialize, Serialize};

use crate::EditError;
use crate::commit::Workspace;
use crate::encoding::Encoding;
use crate::journal::{Entry, Journal, Removal};
use crate::plan::{MAX_EDITS, Plan, PlannedEdit, Seen, Target, read_before};

/// Folder of the records, in that of the journals.
const FOLDER: &str = "undo";
/// Ending of records.
const RECORD: &str = ".undo";
/// How long a batch can be taken back, in milliseconds.
pub const KEPT_MS: u64 = 24 * 60 * 60 * 1_000;
/// Maximum bytes of all records of a project; the oldest go first.
pub const MAX_KEPT_BYTES: u64 = 64 << 20;
/// Maximum number of records of a project.
const MAX_RECORDS: usize = 1_000;

/// Who writes a batch, and when. A batch with an origin is kept, so that it can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The agent.
    pub agent: String,
    /// The tool or command.
    pub tool: String,
    /// Milliseconds since 1970.
    pub time_ms: u64,
    /// Id of the batch that this one takes back.
    pub undoes: Option<String>,
}

/// What a batch did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// There was none.
    Created,
    /// It had other content.
    Replaced,
    /// It is gone.
    Removed,
}

/// A file of a kept batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// Its path in the index.
    pub path: RepoPath,
    /// What the batch did to it.
    pub change: FileChange,
}

/// A batch that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptWrite {
    /// Names it.
    pub id: String,
    /// Who wrote it.
    pub origin: Origin,
    /// Its files.
    pub files: Vec<KeptFile>,
    /// It was taken back, and that was not taken back.
    pub is_undone: bool,
}

impl Workspace {
    fn records(&self) -> SharedFolder {
        self.state().beside(self.state().path().join(FOLDER))
    }

    /// Ends a batch whose files are all in place: its journal becomes its record, or is removed if it has no origin.
    /// Returns the id of the record.
    pub(crate) fn end_journal(&self, path: &Path, origin: Option<&Origin>) -> Result<Option<String>, Removal> {
        let records = self.records();
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let (Some(origin), Some(id)) = (origin, id) else {
            return Journal::remove(self.state(), path).map(|()| None);
        };
        let system = self.state().system();
        // Behind the last one in any case: the order of the names is that of the writes, also where clocks step back.
        let last = self.record_names().last().and_then(|name| time_in(name));
        let time = last.map_or(origin.time_ms, |last| origin.time_ms.max(last + 1));
        let record = records.path().join(format!("{time:015}-{id}{RECORD}"));
        let is_kept = system.create_folder(records.path()).is_ok() && system.rename(path, &record).is_ok();
        if !is_kept {
            return Journal::remove(self.state(), path).map(|()| None);
        }
        let not_synced = |error: std::io::Error| Removal::NotSynced(error.to_string());
        system.sync_folder(records.path()).map_err(not_synced)?;
        system.sync_folder(self.state().path()).map_err(not_synced)?;
        self.prune_records(time);
        Ok(Some(id))
    }

    /// Names of the records, oldest first.
    fn record_names(&self) -> Vec<String> {
        let names = self.records().list().unwrap_or_default();
        names.into_iter().filter(|name| name.ends_with(RECORD)).collect()
    }

    /// Removes records that are too old or too many. One that cannot be removed now goes the next time.
    fn prune_records(&self, now_ms: u64) {
        let records = self.records();
        let (mut bytes, mut count) = (0u64, 0usize);
        for name in self.record_names().iter().rev() {
            let size = std::fs::metadata(records.path().join(name)).map_or(0, |meta| meta.len());
            (bytes, count) = (bytes.saturating_add(size), count + 1);
            let is_old = time_in(name).is_none_or(|time| time.saturating_add(KEPT_MS) < now_ms);
            if is_old || bytes > MAX_KEPT_BYTES || count > MAX_RECORDS {
                _ = records.remove(name);
            }
        }
    }

    /// Batches that can be taken back at this time, newest first. Damaged records are left out.
    ///
    /// # Errors
    /// Those of the store.
    pub fn list_kept(&self, now_ms: u64) -> Result<Vec<KeptWrite>, EditError> {
        let mut found = Vec::new();
        for name in self.record_names() {
            if time_in(&name).is_none_or(|time| time.saturating_add(KEPT_MS) < now_ms) {
                continue;
            }
            let Some((journal, origin)) = self.read_record(&name)? else { continue };
            let files = journal.entries.iter().map(|entry| KeptFile {
                path: entry.path.clone(),
                change: match (&entry.before, entry.after) {
                    (None, _) => FileChange::Created,
                    (Some(_), None) => FileChange::Removed,
                    (Some(_), Some(_)) => FileChange::Replaced,
                },
            });
            let id = id_in(&name).to_owned();
            found.push(KeptWrite { id, origin, files: files.collect(), is_undone: false });
        }
        mark_undone(&mut found);
        found.reverse();
        Ok(found)
    }

    /// Plans to take a batch back. `target` finds the file at a path of the index, if it may be written; `convert`
    /// makes an error of this crate one of the caller.
    ///
    /// # Errors
    /// [`EditError::NotKept`], [`EditError::SourceModified`] for a file that no longer has the written content, those
    /// of [`Workspace::plan`], and those of `target`.
    pub fn plan_undo<E>(
        &self,
        id: &str,
        target: &dyn Fn(&RepoPath) -> Result<Target, E>,
        convert: &dyn Fn(EditError) -> E,
    ) -> Result<Plan, E> {
        let names = self.record_names();
        let name = names.iter().find(|name| id_in(name) == id);
        let read = name.map(|name| self.read_record(name)).transpose().map_err(convert)?.flatten();
        let (journal, _) = read.ok_or_else(|| convert(EditError::NotKept { id: id.to_owned() }))?;
        let (mut seen, mut edits) = (Seen::default(), Vec::with_capacity(journal.entries.len().min(MAX_EDITS)));
        // Backwards, as a batch is put back after a failure.
        for entry in journal.entries.into_iter().rev() {
            let target = target(&entry.path)?;
            let is_it = journal.roots.get(entry.root).is_some_and(|root| root == target.root.path());
            if !is_it || target.inner != entry.inner {
                let why = "this path of the index led to another file when it was written";
                return Err(convert(EditError::Refused { path: entry.path.as_str().to_owned(), why }));
            }
            edits.push(self.plan_back(entry, target, &mut seen).map_err(convert)?);
        }
        Ok(Plan { edits })
    }

    /// Removes the folders that a batch created, where they are empty.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove_created_folders(&self, id: &str) -> Result<(), EditError> {
        let names = self.record_names();
        let Some(name) = names.iter().find(|name| id_in(name) == id) else { return Ok(()) };
        let Some((journal, _)) = self.read_record(name)? else { return Ok(()) };
        for entry in journal.entries.iter().rev() {
            if let Some(root) = journal.roots.get(entry.root) {
                self.remove_folders(root, entry)?;
            }
        }
        Ok(())
    }

    /// Forgets a batch, which cannot be taken back from then on.
    ///
    /// # Errors
    /// Those of the store.
    pub fn forget(&self, id: &str) -> Result<(), EditError> {
        let records = self.records();
        let names = self.record_names();
        Ok(names.iter().filter(|name| id_in(name) == id).try_for_each(|name| records.remove(name))?)
    }

    fn plan_back(&self, entry: Entry, target: Target, seen: &mut Seen) -> Result<PlannedEdit, EditError> {
        crate::guarded::check(self.allowances(), target.root.path(), &target.inner, target.path.as_str())?;
        let place = self.place(&target)?;
        let before = read_before(self.gate(), &place, &target)?;
        seen.add(self.gate(), &place, &target)?;
        let found = before.as_ref().map(|before| before.hash);
        if found != entry.after {
            return Err(EditError::source_modified(target.path.as_str(), entry.after, found));
        }
        let (after, mode): (Option<Vec<u8>>, _) = entry.before.unzip();
        let decoded = after.as_deref().map(|bytes| {
            Encoding::decode(bytes).ok_or_else(|| EditError::Binary { path: target.path.as_str().to_owned() })
        });
        let (encoding, after_text) = match decoded.transpose()? {
            Some((encoding, text)) => (encoding, Some(text)),
            None => (Encoding::Utf8, None),
        };
        Ok(PlannedEdit { target, before, after, after_text, encoding, new_mode: mode.flatten(), executable: None })
    }

    /// Reads a record; `None` if it is gone or damaged.
    fn read_record(&self, name: &str) -> Result<Option<(Journal, Origin)>, EditError> {
        let records = self.records();
        match Journal::read_with_origin(&records, &records.path().join(name)) {
            Ok(Some((journal, Some(origin)))) => Ok(Some((journal, origin))),
            Ok(_) | Err(EditError::Store(StoreError::Damaged { .. } | StoreError::TooNew { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The time in the name of a record.
fn time_in(name: &str) -> Option<u64> {
    name.split_once('-')?.0.parse().ok()
}

/// The id in the name of a record.
fn id_in(name: &str) -> &str {
    name.trim_end_matches(RECORD).split_once('-').map_or("", |(_, id)| id)
}

/// Marks batches that were taken back, oldest first: one that takes back the taking back brings the first one back.
fn mark_undone(kept: &mut [KeptWrite]) {
    let undoes: BTreeMap<&str, &str> =
        kept.iter().filter_map(|write| Some((write.id.as_str(), write.origin.undoes.as_deref()?))).collect();
    let mut undone: BTreeSet<String> = BTreeSet::new();
    for write in kept.iter() {
        let (mut next, mut takes_back) = (write.origin.undoes.as_deref(), true);
        // Each step leads to an older batch.
        for _ in 0..=undoes.len() {
            let Some(id) = next else { break };
            if takes_back {
                undone.insert(id.to_owned())
            } else {
                undone.remove(id)
            };
            (next, takes_back) = (undoes.get(id).copied(), !takes_back);
        }
    }
    for write in kept {
        write.is_undone = undone.contains(&write.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undone() {
        let write = |id: &str, undoes: Option<&str>| KeptWrite {
            id: id.to_owned(),
            origin: Origin { agent: String::new(), tool: String::new(), time_ms: 0, undoes: undoes.map(str::to_owned) },
            files: Vec::new(),
            is_undone: false,
        };
        // Each batch with what it takes back, and what is undone in the end.
        type Batches<'a> = [(&'a str, Option<&'a str>)];
        let rows: [(&Batches<'_>, &str); 5] = [
            (&[("a", None), ("b", None)], ""),
            (&[("a", None), ("b", None), ("u", Some("b"))], "b"),
            (&[("a", None), ("u", Some("a")), ("r", Some("u"))], "u"),
            (&[("a", None), ("u", Some("a")), ("r", Some("u")), ("v", Some("r"))], "a r"),
            (&[("u", Some("gone"))], ""),
        ];
        for (batches, expected) in rows {
            let mut kept: Vec<KeptWrite> = batches.iter().map(|(id, undoes)| write(id, *undoes)).collect();
            mark_undone(&mut kept);
            let undone: Vec<&str> = kept.iter().filter(|one| one.is_undone).map(|one| one.id.as_str()).collect();
            assert_eq!(undone.join(" "), expected, "{batches:?}");
        }
    }

    #[test]
    fn names_of_records() {
        let name = format!("{:015}-{}{RECORD}", 17, "ab12");
        assert_eq!((time_in(&name), id_in(&name)), (Some(17), "ab12"));
        assert_eq!((time_in("x.undo"), id_in("x.undo")), (None, ""));
    }
}
