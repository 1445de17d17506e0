//! `approved.json`: the user's approvals per project, and the memories they never want to see again.
//!
//! It lies in the user's own folder, never in a repository, so that no repository can approve itself. A project is
//! taken over as a whole by `mind init`, `mind add` or `mind approve`: from then on its own files of memories count,
//! whoever edits them. Comments in code and messages of commits come with the repository and are approved one file, one
//! commit at a time, by a hash of what their memories say; those that were written on this machine need no asking (see
//! [`made_here`]).
//!
//! A project that was taken over is known by its path and by two commits of its repository, so that another repository
//! in the same folder is not taken for it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use m1nd_base::ContentHash;
use m1nd_history::{Begin, GitFolder, Head, Moves, has_commit, oldest_commit};
use m1nd_memory::{Record, RecordId, SourceKind};
use m1nd_store::SharedFolder;
use m1nd_vfs::PathKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::MemoryError;
use crate::files::noted::Noted;
use crate::files::project_file::{ProjectFile, Rows};

/// File name.
pub(crate) const FILE: &str = "approved.json";
const ROWS: ProjectFile = ProjectFile { name: FILE, version: 1, max_bytes: 64 << 20 };
/// Number of bytes of a hash that are kept: enough that no second text can be found for one.
const HASH_BYTES: usize = 16;
/// Most approved texts of one project; beyond that nothing is approved by itself.
const MAX_SOURCES: usize = 20_000;

/// How far a memory may be shown to a caller who did not ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Written in a memory file of a project that the user approved.
    Own,
    /// Came with the repository, and the user approved its text.
    Approved,
    /// Nobody on this machine approved it. A search returns it, as data.
    Unapproved,
}

impl Trust {
    /// Returns whether it was written on this machine.
    pub fn is_own(&self) -> bool {
        *self == Self::Own
    }
}

/// The approvals of one project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approved {
    /// Time of the approval; `None` if the user only hid memories of the project.
    #[serde(default)]
    pub(crate) since: Option<Timestamp>,
    /// The commit that was checked out at the last full look.
    #[serde(default)]
    pub(crate) head: String,
    /// The oldest commit found in its repository; with `head` it identifies the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) oldest: String,
    /// Hashes of the approved texts, with the file or commit of each.
    #[serde(default)]
    pub(crate) sources: BTreeMap<String, String>,
    /// Hashes of its own memory texts as they were while it was approved, the newest last. They identify a work tree
    /// of its repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) texts: Vec<String>,
    /// It is a work tree of a project that was taken over, and the user's own only while its texts are approved.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_linked: bool,
    /// The user withdrew the approval that this work tree had inherited.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_declined: bool,
    /// Hidden memories: id and place of each.
    #[serde(default)]
    pub(crate) forgotten: BTreeMap<String, String>,
    /// The user wants no block in its files.
    #[serde(default)]
    pub(crate) without_block: bool,
    /// Members of newer versions.
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A text of the repository that holds memories: a file with comments, or a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Its path in the project, or `git:` and the short name of a commit.
    pub file: String,
    /// Its memories: line and title of each.
    pub memories: Vec<(u32, String)>,
    /// Whether its present text is approved.
    pub approved: bool,
}

/// The approvals of all projects.
#[derive(Debug, Clone)]
pub(crate) struct Approvals<'h> {
    home: &'h SharedFolder,
}

impl<'h> Approvals<'h> {
    pub(crate) const fn new(home: &'h SharedFolder) -> Self {
        Self { home }
    }

    /// The approvals of a project; `None` if there never were any.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn get(&self, project: &Path) -> Result<Option<Approved>, MemoryError> {
        Ok(ROWS.read(self.home)?.remove(project))
    }

    /// The approvals of all projects.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn all(&self) -> Result<Rows<Approved>, MemoryError> {
        ROWS.read(self.home)
    }

    /// Changes the approvals of a project, under a lock. Removes an entry that is empty afterwards.
    ///
    /// # Errors
    /// The error of `change`; [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn change<T>(
        &self,
        project: &Path,
        wait: Duration,
        change: impl FnOnce(&mut Approved) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        ROWS.change(self.home, wait, |projects: &mut Rows<Approved>| {
            let known = projects.get(project).cloned().unwrap_or_default();
            let mut approved = known.clone();
            let answer = change(&mut approved)?;
            if approved == known {
                return Ok((answer, false));
            }
            match approved == Approved::default() {
                true => drop(projects.remove(project)),
                false => drop(projects.insert(project.to_owned(), approved)),
            }
            Ok((answer, true))
        })
    }
}

impl Approved {
    /// Approves the `wanted` texts; all if that is empty.
    fn approve(&mut self, noted: &Noted, wanted: &[String]) {
        for (file, records) in sources(noted) {
            if wanted.is_empty() || wanted.contains(&file) {
                self.sources.insert(hash_of(&file, records), file);
            }
        }
    }

    fn holds(&self, file: &str, records: &[Record]) -> bool {
        self.sources.contains_key(&hash_of(file, records))
    }

    /// The approved texts among those in `noted`.
    pub(crate) fn among(&self, noted: &Noted) -> BTreeSet<String> {
        let approved = sources(noted).filter(|(file, records)| self.holds(file, records));
        approved.map(|(file, _)| file).collect()
    }

    /// Whether the user hid a memory for good.
    pub(crate) fn is_forgotten(&self, id: RecordId) -> bool {
        !self.forgotten.is_empty() && self.forgotten.contains_key(&id.to_string())
    }
}

/// The texts of the repository that hold memories, each with its memories.
fn sources(noted: &Noted) -> impl Iterator<Item = (String, &[Record])> {
    let files = noted.files.iter().map(|(file, note)| (file.clone(), note.records.as_slice()));
    let commits = noted.commits.iter().filter_map(|commit| {
        let first = commit.records.first()?;
        Some((first.source.file.to_string(), commit.records.as_slice()))
    });
    files.chain(commits)
}

/// A hash of the place and the memories of a text. Line numbers are left out, because they change.
fn hash_of(file: &str, records: &[Record]) -> String {
    let mut text = file.to_owned();
    for record in records {
        for part in
            [record.kind.name(), &record.title, &record.content, record.reasoning.as_deref().unwrap_or_default()]
        {
            text.push('\0');
            text.push_str(part);
        }
    }
    let hash = ContentHash::of(text.as_bytes());
    hash.as_bytes()[..HASH_BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The texts of a project's repository that hold memories, by file.
pub(crate) fn list_sources(noted: &Noted, approved: &Approved) -> Vec<Source> {
    let row = |(file, records): (String, &[Record])| Source {
        approved: approved.holds(&file, records),
        memories: records.iter().map(|record| (record.source.line, record.title.to_string())).collect(),
        file,
    };
    sources(noted).map(row).collect()
}

/// How far a memory may be shown.
pub(crate) fn trust(record: &Record, is_own: bool, approved: &BTreeSet<String>) -> Trust {
    match record.source.kind {
        SourceKind::MemoryFile | SourceKind::Archive if is_own => Trust::Own,
        SourceKind::Comment | SourceKind::Commit if is_own && approved.contains(&*record.source.file) => {
            Trust::Approved
        }
        _ => Trust::Unapproved,
    }
}

/// Whether the repository around a project is the approved one.
pub(crate) fn is_known(project: &Path, approved: &Approved) -> bool {
    Repository::around(project).is_that_of(approved)
}

/// The repository around a project.
struct Repository {
    /// `None` without git, or if its folder cannot be used.
    git: Option<GitFolder>,
    head: Option<Head>,
    /// There is a git folder, usable or not.
    is_there: bool,
}

impl Repository {
    fn around(project: &Path) -> Self {
        let around = project.ancestors().find(|folder| PathKind::at(&folder.join(".git")) != PathKind::Nothing);
        let git = around.and_then(|around| GitFolder::find(around).ok());
        let head = git.as_ref().and_then(|git| git.head().ok());
        Self { git, head, is_there: around.is_some() }
    }

    /// The checked-out commit; empty if there is none.
    fn head(&self) -> String {
        self.head.as_ref().map(Head::commit).unwrap_or_default()
    }

    /// The oldest commit that can be found; empty if there is none.
    fn oldest(&self) -> String {
        let (Some(git), Some(head)) = (&self.git, &self.head) else { return String::new() };
        oldest_commit(git, head).unwrap_or_default()
    }

    /// Whether it is the approved repository: it has one of its known commits, or was created on this machine. A
    /// folder that was approved without commits is only known by its path, but must not have been cloned.
    fn is_that_of(&self, approved: &Approved) -> bool {
        let begin = || self.git.as_ref().and_then(|git| Moves::of(git).begin());
        let known = [approved.head.as_str(), approved.oldest.as_str()];
        let mut known = known.into_iter().filter(|name| !name.is_empty()).peekable();
        if known.peek().is_none() {
            return begin() != Some(Begin::Cloned);
        }
        // The usual case costs two small files.
        self.head() == approved.head && !approved.head.is_empty()
            || self.git.as_ref().is_some_and(|git| has_commit(git, known))
            || begin() == Some(Begin::Made)
    }
}

/// The state of the git repository around a project.
pub(crate) struct Checkout {
    /// The checked-out commit; empty without git.
    head: String,
    /// The oldest commit of the repository, computed on first use.
    oldest: OnceCell<String>,
    repository: Repository,
    moves: Moves,
    /// Whether something other than a person may be changing files now, or that is unknown.
    is_unsure: bool,
}

impl Checkout {
    /// The state of the repository around `project`.
    pub(crate) fn of(project: &Path) -> Self {
        let repository = Repository::around(project);
        let moves = repository.git.as_ref().map(Moves::of).unwrap_or_default();
        let is_unsure = repository.git.as_ref().map_or(repository.is_there, GitFolder::is_busy);
        Self { head: repository.head(), oldest: OnceCell::new(), repository, moves, is_unsure }
    }

    /// Whether it is another repository than the approved one.
    pub(crate) fn is_replaced(&self, approved: &Approved) -> bool {
        approved.since.is_some() && !self.repository.is_that_of(approved)
    }

    /// Whether only commits made on this machine moved the checkout since that was last recorded.
    pub(crate) fn is_only_made_here(&self, approved: &Approved) -> bool {
        !self.is_unsure && self.moves.only_made_here(&approved.head, &self.head)
    }

    /// Records the commits that identify the repository.
    fn note(&self, approved: &mut Approved) {
        approved.head.clone_from(&self.head);
        if approved.oldest.is_empty() {
            approved.oldest.clone_from(self.oldest.get_or_init(|| self.repository.oldest()));
        }
    }
}

/// Approves what was written on this machine since the last look: commits that git's own log says were made here, and
/// comments that came up while nothing but such commits moved what is checked out. What a pull, a merge or another
/// branch brings waits for the user. `before` is what was noted until this look, `noted` what is now; comments count
/// only after a look at all files (`is_full`). Of a repository that took the place of the one that was taken over
/// nothing is.
pub(crate) fn made_here(approved: &mut Approved, before: &Noted, noted: &Noted, checkout: &Checkout, is_full: bool) {
    if checkout.is_replaced(approved) {
        return;
    }
    let made = checkout.moves.made_here();
    let mut new: Vec<(String, String)> = Vec::new();
    for commit in noted.commits.iter().filter(|commit| made.contains(commit.commit.as_str())) {
        if let Some(first) = commit.records.first() {
            let file = first.source.file.to_string();
            new.push((hash_of(&file, &commit.records), file));
        }
    }
    if is_full {
        if checkout.is_only_made_here(approved) {
            for (file, note) in &noted.files {
                // What waited before waits on, however it was changed since.
                let waited = before.files.get(file).is_some_and(|old| !approved.holds(file, &old.records));
                if !waited {
                    new.push((hash_of(file, &note.records), file.clone()));
                }
            }
        }
        checkout.note(approved);
    }
    for (hash, file) in new {
        if approved.sources.len() < MAX_SOURCES {
            approved.sources.entry(hash).or_insert(file);
        }
    }
}

/// Takes a project over: its own files and, of what is noted of its repository, `wanted` or all.
pub(crate) fn take_over(
    approved: &mut Approved,
    noted: &Noted,
    wanted: &[String],
    checkout: &Checkout,
    now: Timestamp,
) {
    if approved.since.is_none() || checkout.is_replaced(approved) {
        // What was said of another repository holds for that one.
        approved.since = Some(now);
        approved.oldest.clear();
        approved.sources.clear();
        checkout.note(approved);
    }
    (approved.is_linked, approved.is_declined) = (false, false);
    approved.approve(noted, wanted);
}

/// Makes a work tree a project of its own that is as approved as the one it is of: it is known by its texts.
pub(crate) fn take_over_linked(approved: &mut Approved, of: Approved, checkout: &Checkout, now: Timestamp) {
    let forgotten = std::mem::take(&mut approved.forgotten);
    *approved = of;
    approved.forgotten.extend(forgotten);
    (approved.since, approved.is_linked) = (Some(now), true);
    approved.oldest.clear();
    checkout.note(approved);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::noted::FileNote;
    use m1nd_memory::{Comment, comment_records};

    /// What is noted of files with one comment each.
    fn note_files(files: &[(&str, &str)]) -> Noted {
        let mut noted = Noted::default();
        for (file, text) in files {
            let comment = Comment { line: 3, text: (*text).into() };
            let records = comment_records(&comment, file, "/p", None);
            noted.files.insert((*file).to_owned(), FileNote { records, ..FileNote::default() });
        }
        noted
    }

    fn checkout(is_unsure: bool) -> Checkout {
        let repository = Repository { git: None, head: None, is_there: is_unsure };
        Checkout { head: String::new(), oldest: OnceCell::new(), repository, moves: Moves::default(), is_unsure }
    }

    #[test]
    fn an_approval_is_of_what_is_said_not_of_where_it_stands() {
        let now = Timestamp::UNIX_EPOCH;
        let mut approved = Approved::default();
        let mut first =
            note_files(&[("a.py", "MEMORY: decided jam over honey"), ("b.py", "MEMORY: learned that bees sting")]);
        take_over(&mut approved, &first, &["a.py".to_owned()], &checkout(false), now);
        assert_eq!(approved.among(&first).into_iter().collect::<Vec<_>>(), ["a.py"]);
        first.files.get_mut("a.py").expect("is there").records[0].source.line = 99;
        assert!(approved.among(&first).contains("a.py"), "its line moved");
        for other in [
            note_files(&[("a.py", "MEMORY: decided honey over jam")]),
            note_files(&[("c.py", "MEMORY: decided jam over honey")]),
        ] {
            assert!(approved.among(&other).is_empty(), "{other:?}");
        }
    }

    /// Files with one comment each.
    type Files<'r> = &'r [(&'r str, &'r str)];
    /// Whether the old ones were approved, what was noted before, what is now, whether files may come from elsewhere,
    /// and what is approved then.
    type Row<'r> = (bool, Files<'r>, Files<'r>, bool, &'r [&'r str]);

    #[test]
    fn what_comes_up_here_is_approved_and_what_waited_waits() {
        let old = [("a.py", "MEMORY: decided jam over honey")];
        let new = [old[0], ("b.py", "MEMORY: learned that bees sting")];
        let changed = [("a.py", "MEMORY: decided wax over honey")];
        let rows: [Row; 5] = [
            (true, &old, &new, false, &["a.py", "b.py"]),
            (true, &old, &new, true, &["a.py"]),
            (true, &old, &changed, false, &["a.py"]),
            (false, &old, &new, false, &["b.py"]),
            (false, &old, &changed, false, &[]),
        ];
        for (number, (was, before, now, is_unsure, expected)) in rows.into_iter().enumerate() {
            let (before, now) = (note_files(before), note_files(now));
            let mut approved = Approved::default();
            if was {
                take_over(&mut approved, &before, &[], &checkout(false), Timestamp::UNIX_EPOCH);
            }
            made_here(&mut approved, &before, &now, &checkout(is_unsure), true);
            assert_eq!(approved.among(&now).into_iter().collect::<Vec<_>>(), expected, "row {number}");
        }
    }
}
