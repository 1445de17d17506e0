//! The commits read from a repository, and the history of each file derived from them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::Head;
use crate::rules::{BOT_WEIGHT, suggests_fix};

/// Object id of a file's content.
pub(crate) type Blob = [u8; 20];

/// Commits that touch more files say nothing about which files belong together (a first import, a reformatting); they
/// only count for times and numbers of changes.
pub(crate) const MAX_TOGETHER: usize = 50;
/// Maximum number of files in a focused commit.
const MAX_FOCUSED: usize = 10;
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Object id of a commit.
pub(crate) type Id = [u8; 20];

/// The reason why the list of commits ends before the first commit of the project, or does not say all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// The commit limit was reached.
    Commits,
    /// The time limit was reached; the next reading continues from there.
    Time,
    /// The clone is shallow.
    Shallow,
    /// Objects are missing or damaged.
    Missing,
    /// The commits are all there, but not what some of them changed.
    Folders,
}

impl Cut {
    /// The reason as part of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Commits => "only the newest commits are read",
            Self::Time => "reading ended at its limit of time; older commits follow",
            Self::Shallow => "the clone is shallow: older commits are not there",
            Self::Missing => "objects of older commits are missing",
            Self::Folders => "what some commits changed is not known: their folders are missing",
        }
    }
}

/// Change of a file in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TouchKind {
    /// Added it.
    Added,
    /// Changed its content.
    Modified,
    /// Removed it.
    Removed,
    /// Renamed it, possibly with changes.
    Renamed,
}

/// A file changed by a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// Index of its path after the commit.
    pub(crate) path: u32,
    /// Index of its path before, if it was renamed.
    pub(crate) from: Option<u32>,
    /// Kind of change.
    pub kind: TouchKind,
    /// Its content before, if it existed.
    pub(crate) before: Option<Blob>,
    /// Its content after, unless it was removed.
    pub(crate) after: Option<Blob>,
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub(crate) id: Id,
    pub(crate) parents: Box<[Id]>,
    /// Author time in seconds since 1970.
    pub time: i64,
    /// A hash that distinguishes authors; no address is kept.
    pub author: u64,
    /// The author is a program, by its name or address.
    pub is_bot: bool,
    /// A formatter made it: `.git-blame-ignore-revs` of the checked-out commit lists it, or its subject speaks of
    /// formatting and each of its files has the same words as before (at most 50 files).
    pub is_format: bool,
    /// First line of its message, at most 200 characters. Repository text: data, never an instruction.
    pub subject: Arc<str>,
    pub(crate) touches: Box<[Touch]>,
    /// Its subject and files show that a formatter made it.
    pub(crate) reads_as_format: bool,
    /// Whether its files are known. They are not for the oldest commits of a shallow clone, and where objects are
    /// missing.
    pub(crate) is_known: bool,
}

impl Commit {
    /// Object id in hexadecimal.
    pub fn name(&self) -> String {
        name_of(&self.id)
    }

    /// Object id of its first parent in hexadecimal; `None` for the first commit of a project.
    pub fn first_parent(&self) -> Option<String> {
        self.parents.first().map(name_of)
    }

    /// Number of files that it touched; 0 for a merge or if unknown.
    pub fn count_touched(&self) -> usize {
        self.touches.len()
    }

    /// Returns whether it touches few enough files to be evidence that they belong together: the more files a commit
    /// touches, the more unrelated pairs it produces.
    pub fn is_focused(&self) -> bool {
        (1..=MAX_FOCUSED).contains(&self.touches.len())
    }

    /// Returns whether it counts for co-change: it is no merge, touches at most 50 files, and no formatter made it.
    pub fn counts_together(&self) -> bool {
        (1..=MAX_TOGETHER).contains(&self.touches.len()) && !self.is_format
    }

    /// Returns whether it is evidence of a defect in the files it touched: its subject says that it mends one, a person
    /// made it, and it counts for co-change. A commit that says nothing is no fix, so defects are a lower bound.
    pub fn is_fix(&self) -> bool {
        !self.is_bot && self.counts_together() && suggests_fix(&self.subject)
    }

    /// Weight of a common change in this commit, 0 to 1: 0 if it does not count, else one over the number of other
    /// files, so that each changed file hands out one unit; a quarter of that if the author is a program.
    pub fn weight(&self) -> f64 {
        if !self.counts_together() {
            return 0.0;
        }
        let others = self.touches.len().saturating_sub(1).max(1);
        (if self.is_bot { BOT_WEIGHT } else { 1.0 }) / others as f64
    }
}

fn name_of(id: &Id) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The newest commits of a repository and the files they touched.
#[derive(Debug)]
pub struct History {
    pub(crate) record: Record,
    /// Index of each file by its present path.
    by_path: FxHashMap<Arc<str>, u32>,
    pub(crate) files: Vec<FileRow>,
    /// For each commit, the indexes of the files it touched.
    pub(crate) files_of: Vec<Box<[u32]>>,
    /// Number of commits that count for co-change.
    pub(crate) together: u32,
    /// For each commit, the number of commits from it on that count for co-change.
    pub(crate) together_before: Vec<u32>,
    /// Logarithms of factorials, by number.
    pub(crate) ln_factorial: Vec<f64>,
}

/// The stored part of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) head: Id,
    pub(crate) shallow: Vec<Id>,
    /// [`Head::packed`] when it was read.
    pub(crate) packed: i64,
    pub(crate) cut: Option<Cut>,
    /// The commit limit it was read with.
    pub(crate) limit: u32,
    pub(crate) paths: Vec<Arc<str>>,
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
}

/// A file, followed across renames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    /// Index of its newest path.
    pub(crate) path: u32,
    /// Indexes of the commits that touched it, newest first.
    pub(crate) commits: Vec<u32>,
    /// Number of these that count for co-change.
    pub(crate) together: u32,
    pub(crate) is_removed: bool,
}

/// Follows files across renames, from the newest commit backwards.
#[derive(Default)]
struct Follower {
    /// File index of each path at this point of the history.
    names: FxHashMap<u32, u32>,
    files: Vec<FileRow>,
}

impl Follower {
    fn file_of(&mut self, touch: &Touch) -> u32 {
        *self.names.entry(touch.path).or_insert_with(|| {
            let is_removed = touch.kind == TouchKind::Removed;
            self.files.push(FileRow { path: touch.path, commits: Vec::new(), together: 0, is_removed });
            (self.files.len() - 1) as u32
        })
    }

    /// Returns the files that a commit touched. Older commits see the names from before it.
    fn step(&mut self, number: usize, commit: &Commit) -> Box<[u32]> {
        let files: Box<[u32]> = commit.touches.iter().map(|touch| self.file_of(touch)).collect();
        for &file in &files {
            let row = &mut self.files[file as usize];
            row.commits.push(number as u32);
            row.together += u32::from(commit.counts_together());
        }
        for touch in commit.touches.iter().filter(|touch| matches!(touch.kind, TouchKind::Added | TouchKind::Renamed)) {
            self.names.remove(&touch.path);
        }
        for (touch, &file) in commit.touches.iter().zip(&files) {
            if let Some(from) = touch.from {
                self.names.insert(from, file);
            }
        }
        files
    }
}

impl History {
    pub(crate) fn new(record: Record) -> Self {
        let mut follower = Follower::default();
        let commits = record.commits.iter().enumerate();
        let files_of = commits.map(|(number, commit)| follower.step(number, commit)).collect();
        let files = follower.files;
        let mut by_path = FxHashMap::default();
        for (number, row) in files.iter().enumerate().filter(|(_, row)| !row.is_removed) {
            by_path.entry(record.paths[row.path as usize].clone()).or_insert(number as u32);
        }
        let mut together_before = vec![0u32; record.commits.len()];
        let mut together = 0;
        for (number, commit) in record.commits.iter().enumerate().rev() {
            together += u32::from(commit.counts_together());
            together_before[number] = together;
        }
        let mut ln_factorial = vec![0.0];
        for number in 1..=together {
            let before = ln_factorial[number as usize - 1];
            ln_factorial.push(before + f64::from(number).ln());
        }
        Self { record, by_path, files, files_of, together, together_before, ln_factorial }
    }

    /// The same history without the commits from the first one on that is older than `time`. Files and figures are
    /// those of the commits that are left.
    pub fn since(&self, time: i64) -> Self {
        let commits = &self.record.commits;
        let end = commits.iter().position(|commit| commit.time < time).unwrap_or(commits.len());
        Self::new(Record { commits: commits[..end].to_vec(), ..self.record.clone() })
    }

    /// The commits, newest first.
    pub fn commits(&self) -> &[Commit] {
        &self.record.commits
    }

    /// Id of the commit that was checked out when the history was read, in hexadecimal.
    pub fn head(&self) -> String {
        name_of(&self.record.head)
    }

    /// Time of that commit in seconds since 1970: "now" for all ages.
    pub fn now(&self) -> i64 {
        self.record.commits.first().map_or(0, |commit| commit.time)
    }

    /// The reason why the list of commits ends early, if it does.
    pub fn cut(&self) -> Option<Cut> {
        self.record.cut
    }

    /// Returns whether it is the complete history of this head within a commit limit.
    pub fn is_of(&self, head: &Head, limit: usize) -> bool {
        let shallow = head.shallow.iter().map(gix_hash::ObjectId::as_slice);
        self.record.head.as_slice() == head.id.as_slice()
            && self.record.limit as usize == limit
            && match self.record.cut {
                Some(Cut::Time) => false,
                // A fetch may have brought what was missing.
                Some(Cut::Missing | Cut::Folders) => self.record.packed == head.packed,
                _ => true,
            }
            && shallow.eq(self.record.shallow.iter().map(<[u8; 20]>::as_slice))
    }

    /// Number of existing files that were touched by one of the commits.
    pub fn file_count(&self) -> usize {
        self.by_path.len()
    }

    /// The history of a file by its present path; `None` if no listed commit touched it.
    pub fn file(&self, path: &str) -> Option<FileHistory<'_>> {
        let number = *self.by_path.get(path)?;
        Some(FileHistory { history: self, number })
    }

    /// The existing files, in no particular order.
    pub fn existing(&self) -> impl Iterator<Item = FileHistory<'_>> {
        self.by_path.values().map(|&number| FileHistory { history: self, number })
    }

    /// All existing files, by path.
    pub fn files(&self) -> Vec<FileHistory<'_>> {
        let mut numbers: Vec<u32> = self.by_path.values().copied().collect();
        numbers.sort_by(|&a, &b| self.path_of(a).cmp(self.path_of(b)));
        numbers.into_iter().map(|number| FileHistory { history: self, number }).collect()
    }

    /// The existing files that a listed commit touched, under their present paths.
    pub fn touched_by(&self, commit: usize) -> impl Iterator<Item = FileHistory<'_>> {
        let numbers = self.files_of.get(commit).map_or(&[][..], |files| files);
        let there = numbers.iter().copied().filter(|&number| !self.files[number as usize].is_removed);
        there.map(|number| FileHistory { history: self, number })
    }

    pub(crate) fn path_of(&self, file: u32) -> &str {
        &self.record.paths[self.files[file as usize].path as usize]
    }

    /// Age in days, 0 for times after "now".
    pub fn age_days(&self, time: i64) -> f64 {
        self.now().saturating_sub(time).max(0) as f64 / DAY
    }
}

/// The history of one file, across renames.
#[derive(Debug, Clone, Copy)]
pub struct FileHistory<'h> {
    pub(crate) history: &'h History,
    pub(crate) number: u32,
}

impl<'h> FileHistory<'h> {
    pub(crate) fn row(&self) -> &'h FileRow {
        &self.history.files[self.number as usize]
    }

    /// Its present path.
    pub fn path(&self) -> &'h str {
        self.history.path_of(self.number)
    }

    /// Commits that touched it, newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = &'h Commit> + use<'h> {
        let history = self.history;
        self.row().commits.iter().map(move |&number| &history.record.commits[number as usize])
    }

    /// Indices of these commits in [`History::commits`].
    pub fn commit_indices(&self) -> impl ExactSizeIterator<Item = usize> + use<'h> {
        self.row().commits.iter().map(|&number| number as usize)
    }

    /// Index of the newest commit that touched it, in [`History::commits`].
    pub fn newest(&self) -> Option<usize> {
        self.row().commits.first().map(|&commit| commit as usize)
    }

    /// Number of commits that touched it.
    pub fn commit_count(&self) -> usize {
        self.row().commits.len()
    }

    /// Time of the newest commit that touched it, in seconds since 1970.
    pub fn last_change(&self) -> i64 {
        self.commits().map(|commit| commit.time).max().unwrap_or(0)
    }

    /// Days since its last change.
    pub fn age_days(&self) -> f64 {
        self.history.age_days(self.last_change())
    }

    /// Number of commits that touched it in the last `days` days.
    pub fn commits_within(&self, days: f64) -> usize {
        self.commits().filter(|commit| self.history.age_days(commit.time) <= days).count()
    }

    /// Number of commits, each weighted by age with the given half-life in days.
    pub fn decayed_commits(&self, half_life: f64) -> f64 {
        self.commits().map(|commit| (-self.history.age_days(commit.time) / half_life).exp2()).sum()
    }

    /// Other existing files whose last change is within so many seconds of this file's, nearest in time first, with
    /// the time.
    pub fn neighbours_in_time(&self, seconds: f64) -> Vec<(&'h str, i64)> {
        let (history, time) = (self.history, self.last_change());
        let mut found = Vec::new();
        let others = history.by_path.values().filter(|&&number| number != self.number);
        for &number in others {
            let other = FileHistory { history, number };
            let at = other.last_change();
            if at.abs_diff(time) as f64 <= seconds {
                found.push((other.path(), at));
            }
        }
        found.sort_by_key(|&(path, at)| (at.abs_diff(time), path));
        found
    }

    /// Number of distinct authors.
    pub fn authors(&self) -> usize {
        let mut authors: Vec<u64> = self.commits().map(|commit| commit.author).collect();
        authors.sort_unstable();
        authors.dedup();
        authors.len()
    }

    /// Subjects of the commits that touched it, newest first, distinct, without bulk commits. Repository text.
    pub fn subjects(&self) -> impl Iterator<Item = &'h str> + use<'h> {
        let mut seen = rustc_hash::FxHashSet::default();
        let own = self.commits().filter(|commit| commit.counts_together()).map(|commit| &*commit.subject);
        own.filter(move |subject| !subject.is_empty() && seen.insert(*subject))
    }
}
