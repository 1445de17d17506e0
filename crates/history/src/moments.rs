//! The history as it was at a point: what predictions see, for now and for any earlier commit.

use rustc_hash::FxHashMap;

use crate::history::{FileHistory, History, TouchKind};

/// Newest commits of a file that count as evidence.
const MAX_OWN: usize = 300;
/// Commits over which the number of recent changes of a file is counted.
const RECENT: usize = 100;

/// A point of the history: the state before a commit, or now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment(usize);

impl Moment {
    /// After the newest commit.
    pub const NOW: Self = Self(0);

    /// Before the commit with this index.
    pub fn before(commit: usize) -> Self {
        Self(commit + 1)
    }

    /// Index of the newest commit before it.
    pub fn newest(self) -> usize {
        self.0
    }
}

impl History {
    /// Commits of a file before a moment that count for co-change, newest first, at most 300.
    pub fn counting_commits(&self, file: FileHistory<'_>, moment: Moment) -> Vec<usize> {
        let own = file.commit_numbers(moment);
        own.filter(|&commit| self.record.commits[commit].counts_together()).take(MAX_OWN).collect()
    }

    /// The files changed most often in the last 100 commits before a moment, at most `limit`.
    pub fn most_changed(&self, moment: Moment, limit: usize) -> Vec<FileHistory<'_>> {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let commits = self.record.commits.iter().zip(&self.files_of).skip(moment.0).take(RECENT);
        for (_, files) in commits.filter(|(commit, _)| commit.counts_together()) {
            files.iter().for_each(|&file| *counts.entry(file).or_default() += 1);
        }
        let mut rows: Vec<(u32, u32)> = counts.into_iter().map(|(file, count)| (count, file)).collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| self.path_of(a.1).cmp(self.path_of(b.1))));
        rows.into_iter().take(limit).map(|(_, number)| FileHistory { history: self, number }).collect()
    }

    /// All files that a listed commit touched, by [`FileHistory::key`], under the names that they have after all
    /// renames.
    pub fn all_files(&self) -> impl ExactSizeIterator<Item = FileHistory<'_>> {
        (0..self.files.len() as u32).map(|number| FileHistory { history: self, number })
    }

    /// The file with a key, see [`FileHistory::key`].
    pub fn file_of(&self, key: u32) -> Option<FileHistory<'_>> {
        ((key as usize) < self.files.len()).then_some(FileHistory { history: self, number: key })
    }

    /// The files touched by a commit, as they are named after all renames.
    pub fn all_touched_by(&self, commit: usize) -> impl Iterator<Item = FileHistory<'_>> {
        let numbers = self.files_of.get(commit).map_or(&[][..], |files| files);
        numbers.iter().map(|&number| FileHistory { history: self, number })
    }

    /// The files added by a commit, as they are named after all renames.
    pub fn added_by(&self, commit: usize) -> impl Iterator<Item = FileHistory<'_>> {
        let touches = self.record.commits.get(commit).map_or(&[][..], |commit| &commit.touches);
        let added = self.all_touched_by(commit).zip(touches).filter(|(_, touch)| touch.kind == TouchKind::Added);
        added.map(|(file, _)| file)
    }

    /// The files that existed at a moment, in no particular order, under the names that they have after all renames.
    pub fn existing_at(&self, moment: Moment) -> impl Iterator<Item = FileHistory<'_>> {
        self.all_files().filter(move |file| file.existed_at(moment))
    }

    /// Number of commits before a moment that count for co-change.
    pub fn counting_before(&self, moment: Moment) -> u32 {
        self.together_before.get(moment.0).copied().unwrap_or(0)
    }
}

impl<'h> FileHistory<'h> {
    /// Indexes in [`History::commits`] of the commits before a moment that touched it, newest first.
    pub fn commit_numbers(&self, moment: Moment) -> impl ExactSizeIterator<Item = usize> + use<'h> {
        let commits = &self.row().commits;
        let start = commits.partition_point(|&commit| (commit as usize) < moment.0);
        commits[start..].iter().map(|&commit| commit as usize)
    }

    /// Returns whether it existed at a moment: its last change before it did not remove it.
    pub fn existed_at(&self, moment: Moment) -> bool {
        let Some(newest) = self.commit_numbers(moment).next() else { return false };
        let at = self.history.files_of[newest].iter().position(|&other| other == self.number);
        at.is_some_and(|at| self.history.record.commits[newest].touches[at].kind != TouchKind::Removed)
    }

    /// A number that distinguishes files of this history, from 0 on.
    pub fn key(&self) -> u32 {
        self.number
    }
}
