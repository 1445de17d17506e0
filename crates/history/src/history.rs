//! What was read, and the history of each file that follows from it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::Head;

/// A commit that touches more files says nothing of what belongs together (a first import, a reformatting); it counts for
/// times and numbers of changes only.
pub(crate) const MAX_TOGETHER: usize = 50;
/// Most files of a commit that is about one thing.
const MAX_FOCUSED: usize = 10;
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Name of a commit.
pub(crate) type Id = [u8; 20];

/// Why the list of commits ends before the first commit of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// The limit of commits.
    Commits,
    /// The limit of time; the next reading goes on from there.
    Time,
    /// The repository was cloned without its older commits.
    Shallow,
    /// Objects are missing or damaged.
    Missing,
}

impl Cut {
    /// What it means, as a part of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Commits => "only the newest commits are read",
            Self::Time => "reading ended at its limit of time; older commits follow",
            Self::Shallow => "the clone is shallow: older commits are not there",
            Self::Missing => "objects of older commits are missing",
        }
    }
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TouchKind {
    /// Added it.
    Added,
    /// Changed its content.
    Modified,
    /// Removed it.
    Removed,
    /// Gave it another name, perhaps with changes.
    Renamed,
}

/// A file that a commit touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// Number of its path after the commit.
    pub(crate) path: u32,
    /// Number of its path before, if it was renamed.
    pub(crate) from: Option<u32>,
    /// What was done.
    pub kind: TouchKind,
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub(crate) id: Id,
    pub(crate) parents: Box<[Id]>,
    /// Seconds since 1970 at which it was made.
    pub time: i64,
    /// A hash that tells authors apart; no address is kept.
    pub author: u64,
    /// First line of its message, at most 200 characters. Text of the repository: data, never an instruction.
    pub subject: Arc<str>,
    pub(crate) touches: Box<[Touch]>,
    /// Its files are known. Not so for the oldest commits of a shallow clone, and where objects are missing.
    pub(crate) is_known: bool,
}

impl Commit {
    /// Its name, in hexadecimal.
    pub fn name(&self) -> String {
        name_of(&self.id)
    }

    /// How many files it touched; 0 for a merge and where it is not known.
    pub fn touched(&self) -> usize {
        self.touches.len()
    }

    /// Whether it brings two or more lines of work together.
    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }

    /// Whether it touches few enough files that two of them being among these says something of the two: the more files one
    /// commit touches, the more pairs it makes that have nothing to do with each other.
    pub fn is_focused(&self) -> bool {
        (1..=MAX_FOCUSED).contains(&self.touches.len())
    }

    /// Whether it says which files belong together.
    pub(crate) fn counts_together(&self) -> bool {
        (1..=MAX_TOGETHER).contains(&self.touches.len())
    }
}

fn name_of(id: &Id) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The newest commits of a repository and what they touched.
#[derive(Debug)]
pub struct History {
    pub(crate) record: Record,
    /// Number of each file under its present path.
    by_path: FxHashMap<Arc<str>, u32>,
    pub(crate) files: Vec<FileRow>,
    /// For each commit, the numbers of the files it touched.
    pub(crate) files_of: Vec<Box<[u32]>>,
    /// Commits that say which files belong together.
    pub(crate) together: u32,
    /// Logarithms of the factorials up to that number.
    pub(crate) ln_factorial: Vec<f64>,
}

/// What is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) head: Id,
    pub(crate) shallow: Vec<Id>,
    pub(crate) cut: Option<Cut>,
    /// The limit of commits that it was read with.
    pub(crate) limit: u32,
    pub(crate) paths: Vec<Arc<str>>,
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
}

/// A file over its renames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    /// Number of its newest path.
    pub(crate) path: u32,
    /// Numbers of the commits that touched it, newest first.
    pub(crate) commits: Vec<u32>,
    /// How many of these say which files belong together.
    pub(crate) together: u32,
    pub(crate) is_removed: bool,
}

/// Follows files over their names, from the newest commit back.
#[derive(Default)]
struct Follower {
    /// File that a path stands for at this point of the history.
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

    /// The files that a commit touched. Older commits see the names from before it.
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
        let together = record.commits.iter().filter(|commit| commit.counts_together()).count() as u32;
        let mut ln_factorial = vec![0.0];
        for number in 1..=together {
            let before = ln_factorial[number as usize - 1];
            ln_factorial.push(before + f64::from(number).ln());
        }
        Self { record, by_path, files, files_of, together, ln_factorial }
    }

    /// The commits, newest first.
    pub fn commits(&self) -> &[Commit] {
        &self.record.commits
    }

    /// Name of the commit that was checked out when it was read, in hexadecimal.
    pub fn head(&self) -> String {
        name_of(&self.record.head)
    }

    /// Time of the commit that is checked out, in seconds since 1970: "now" for all ages.
    pub fn now(&self) -> i64 {
        self.record.commits.first().map_or(0, |commit| commit.time)
    }

    /// Why the list of commits ends early, if it does.
    pub fn cut(&self) -> Option<Cut> {
        self.record.cut
    }

    /// Whether it is the whole history of this head within a limit of commits.
    pub fn is_of(&self, head: &Head, limit: usize) -> bool {
        let shallow = head.shallow.iter().map(gix_hash::ObjectId::as_slice);
        self.record.head.as_slice() == head.id.as_slice()
            && self.record.limit as usize == limit
            && self.record.cut != Some(Cut::Time)
            && shallow.eq(self.record.shallow.iter().map(<[u8; 20]>::as_slice))
    }

    /// Number of files that are there now and were touched by one of the commits.
    pub fn file_count(&self) -> usize {
        self.by_path.len()
    }

    /// The history of a file by its present path; `None` if no commit of the list touched it.
    pub fn file(&self, path: &str) -> Option<FileHistory<'_>> {
        let number = *self.by_path.get(path)?;
        Some(FileHistory { history: self, number })
    }

    /// All files that are there now, by path.
    pub fn files(&self) -> Vec<FileHistory<'_>> {
        let mut numbers: Vec<u32> = self.by_path.values().copied().collect();
        numbers.sort_by(|&a, &b| self.path_of(a).cmp(self.path_of(b)));
        numbers.into_iter().map(|number| FileHistory { history: self, number }).collect()
    }

    /// The files that a commit of the list touched and that are there now, under their present paths.
    pub fn touched_by(&self, commit: usize) -> impl Iterator<Item = FileHistory<'_>> {
        let numbers = self.files_of.get(commit).map_or(&[][..], |files| files);
        let there = numbers.iter().copied().filter(|&number| !self.files[number as usize].is_removed);
        there.map(|number| FileHistory { history: self, number })
    }

    pub(crate) fn path_of(&self, file: u32) -> &str {
        &self.record.paths[self.files[file as usize].path as usize]
    }

    /// Days before now, 0 for what is newer.
    pub fn age_days(&self, time: i64) -> f64 {
        self.now().saturating_sub(time).max(0) as f64 / DAY
    }
}

/// The history of one file, over its renames.
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

    /// Number of commits that touched it.
    pub fn commit_count(&self) -> usize {
        self.row().commits.len()
    }

    /// Time of the newest commit that touched it, in seconds since 1970.
    pub fn last_change(&self) -> i64 {
        self.commits().map(|commit| commit.time).max().unwrap_or(0)
    }

    /// Days between that and now.
    pub fn age_days(&self) -> f64 {
        self.history.age_days(self.last_change())
    }

    /// Number of commits that touched it in the last `days` days.
    pub fn commits_within(&self, days: f64) -> usize {
        self.commits().filter(|commit| self.history.age_days(commit.time) <= days).count()
    }

    /// Number of commits, where one `half_life` days ago counts half.
    pub fn decayed_commits(&self, half_life: f64) -> f64 {
        self.commits().map(|commit| (-self.history.age_days(commit.time) / half_life).exp2()).sum()
    }

    /// Other files that are there now and whose last change lies within so many seconds of this one's, nearest in time
    /// first: their path and the time.
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

    /// Number of different authors.
    pub fn authors(&self) -> usize {
        let mut authors: Vec<u64> = self.commits().map(|commit| commit.author).collect();
        authors.sort_unstable();
        authors.dedup();
        authors.len()
    }

    /// Subjects of the commits that touched it, newest first, each once; bulk commits are left out. Text of the repository.
    pub fn subjects(&self) -> impl Iterator<Item = &'h str> + use<'h> {
        let mut seen = rustc_hash::FxHashSet::default();
        let own = self.commits().filter(|commit| commit.counts_together()).map(|commit| &*commit.subject);
        own.filter(move |subject| !subject.is_empty() && seen.insert(*subject))
    }
}
