//! What the commits up to a point say about the files that belong to some commits: the evidence behind predictions of
//! co-change, the same for now and for any earlier time.

use rustc_hash::FxHashMap;

use crate::history::{FileHistory, History, TouchKind};

/// Newest commits of a file that count as evidence.
const MAX_OWN: usize = 300;
/// Factor by which a commit of a file counts less than the next newer one.
const FADING: f64 = 0.85;
/// Commits over which the number of recent changes of a file is counted.
const RECENT: usize = 100;
/// Newest commits of a file whose authors are compared.
const AUTHORED: usize = 20;

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

/// Evidence that a file changes with some commits: those of a file, or of a symbol.
#[derive(Debug, Clone, Copy)]
pub struct Related<'h> {
    /// The file.
    pub file: FileHistory<'h>,
    /// Number of the commits that touched it, too.
    pub support: u32,
    /// Number of the commits.
    pub own: u32,
    /// Number of commits that touched it, of those that count for co-change.
    pub theirs: u32,
    /// Share of the commits that touched it, each newer one counting more (by a factor of 1/.85), 0 to 1.
    pub fading: f64,
    /// Share of the weights ([`crate::Commit::weight`]) of the commits, 0 to 1.
    pub focused: f64,
    /// The newest of the commits touched it.
    pub is_latest: bool,
    /// Ratio of observed to expected common commits if both were independent.
    pub lift: f64,
    /// Number of changes in the last 100 commits.
    pub recent: u32,
    /// Number of commits since its last change.
    pub since: u32,
    /// Share of its newest commits whose author is among those of the commits, 0 to 1.
    pub authors: f64,
}

#[derive(Default)]
struct Sums {
    support: u32,
    fading: f64,
    focused: f64,
    is_latest: bool,
}

impl History {
    /// Commits of a file before a moment that count for co-change, newest first, at most 300.
    pub fn counting_commits(&self, file: FileHistory<'_>, moment: Moment) -> Vec<usize> {
        let commits = &file.row().commits;
        let start = commits.partition_point(|&commit| (commit as usize) < moment.0);
        let own = commits[start..].iter().map(|&commit| commit as usize);
        own.filter(|&commit| self.record.commits[commit].counts_together()).take(MAX_OWN).collect()
    }

    /// The files that existed at a moment and were touched by one of these commits, and those `also` asked for.
    pub fn related<'h>(&'h self, own: &[usize], also: &[FileHistory<'h>], moment: Moment) -> Vec<Related<'h>> {
        let mut sums: FxHashMap<u32, Sums> = also.iter().map(|file| (file.number, Sums::default())).collect();
        let (mut all_fading, mut all_focused, mut share) = (0.0, 0.0, 1.0);
        let mut authors: Vec<u64> = Vec::new();
        for (place, &commit) in own.iter().enumerate() {
            let weight = self.record.commits[commit].weight();
            (all_fading, all_focused) = (all_fading + share, all_focused + weight);
            for &file in &self.files_of[commit] {
                let row = sums.entry(file).or_default();
                row.support += 1;
                row.fading += share;
                row.focused += weight;
                row.is_latest |= place == 0;
            }
            share *= FADING;
            if place < AUTHORED {
                authors.push(self.record.commits[commit].author);
            }
        }
        let behind = self.together_behind(moment);
        let mut rows: Vec<Related<'h>> = Vec::with_capacity(sums.len());
        for (number, sums) in sums {
            let file = FileHistory { history: self, number };
            if !self.is_there(number, moment) {
                continue;
            }
            let commits = &file.row().commits;
            let start = commits.partition_point(|&commit| (commit as usize) < moment.0);
            let counts = |commit: &&u32| self.record.commits[**commit as usize].counts_together();
            let theirs = commits[start..].iter().filter(counts).count() as u32;
            let recent = commits.partition_point(|&commit| (commit as usize) < moment.0 + RECENT) - start;
            let by_chance = own.len() as f64 * f64::from(theirs) / f64::from(behind.max(1));
            let known = commits[start..].iter().take(AUTHORED);
            let shared =
                known.clone().filter(|&&commit| authors.contains(&self.record.commits[commit as usize].author));
            rows.push(Related {
                file,
                support: sums.support,
                own: own.len() as u32,
                theirs,
                fading: sums.fading / (all_fading + 0.5),
                focused: sums.focused / (all_focused + 0.5),
                is_latest: sums.is_latest,
                lift: if by_chance > 0.0 { f64::from(sums.support) / by_chance } else { 0.0 },
                recent: recent as u32,
                since: commits.get(start).map_or(u32::MAX, |&commit| commit - moment.0 as u32),
                authors: shared.count() as f64 / known.len().max(1) as f64,
            });
        }
        rows.sort_by(|a, b| a.file.path().cmp(b.file.path()));
        rows
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

    /// The files touched by a commit, as they are named after all renames.
    pub fn all_touched_by(&self, commit: usize) -> impl Iterator<Item = FileHistory<'_>> {
        let numbers = self.files_of.get(commit).map_or(&[][..], |files| files);
        numbers.iter().map(|&number| FileHistory { history: self, number })
    }

    /// The files that existed at a moment, in no particular order, under the names that they have after all renames.
    pub fn existing_at(&self, moment: Moment) -> impl Iterator<Item = FileHistory<'_>> {
        let numbers = (0..self.files.len() as u32).filter(move |&number| self.is_there(number, moment));
        numbers.map(|number| FileHistory { history: self, number })
    }

    /// Returns whether a file existed at a moment: its last change before it did not remove it.
    fn is_there(&self, file: u32, moment: Moment) -> bool {
        let commits = &self.files[file as usize].commits;
        let newest = commits.get(commits.partition_point(|&commit| (commit as usize) < moment.0));
        let Some(&newest) = newest else { return false };
        let at = self.files_of[newest as usize].iter().position(|&other| other == file);
        at.is_some_and(|at| self.record.commits[newest as usize].touches[at].kind != TouchKind::Removed)
    }

    /// Number of commits before a moment that count for co-change.
    fn together_behind(&self, moment: Moment) -> u32 {
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
}

impl FileHistory<'_> {
    /// A number that distinguishes files of this history.
    pub fn key(&self) -> u32 {
        self.number
    }
}
