//! What each commit changed in a file, line by line, and where ranges of lines came from.
//!
//! Lines are compared on request, for a bounded number of commits; comparisons are kept by the ids of both contents.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::contents::{BlobId, Contents};
use crate::history::{Blob, FileHistory, History, Touch};
use crate::lines::{Hunk, LineChange, compare_lines};

/// Maximum number of comparisons that are kept; when there are more, all are dropped.
const MAX_KEPT: usize = 20_000;
/// Maximum number of hunks of all kept comparisons, of 16 bytes each.
const MAX_KEPT_HUNKS: usize = 400_000;
/// Files of one commit in which the lines of a new range are looked for.
const MAX_SOURCES: usize = 20;
/// Times that a range is followed to another place, at most.
const MAX_MOVES: usize = 8;
/// Minimum share of the lines of a range that must occur elsewhere for the range to come from there.
const LEAST_MOVED: f64 = 0.5;
/// The same where the lines were replaced in place.
const LEAST_REPLACED: f64 = 0.3;
/// Minimum number of characters of a line that tells where it comes from; shorter ones occur everywhere.
const TELLING: usize = 4;

/// Contents before and after a change.
type Both = (Option<Blob>, Option<Blob>);

/// Comparisons of contents, by the ids of both. Shared by all questions about a repository.
#[derive(Debug, Default)]
pub struct LineCache(Mutex<KeptChanges>);

#[derive(Debug, Default)]
struct KeptChanges {
    rows: FxHashMap<Both, Arc<LineChange>>,
    /// Hunks of all of them.
    hunks: usize,
}

impl KeptChanges {
    fn insert(&mut self, key: Both, change: Arc<LineChange>) {
        // Two threads may have compared the same contents.
        if self.rows.contains_key(&key) {
            return;
        }
        let hunks = change.hunks.len();
        if self.rows.len() >= MAX_KEPT || self.hunks + hunks > MAX_KEPT_HUNKS {
            *self = Self::default();
        }
        self.rows.insert(key, change);
        self.hunks += hunks;
    }
}

impl LineCache {
    /// The difference of two contents. A content that is missing cannot be compared.
    pub fn compare(&self, contents: &Contents, before: Option<BlobId>, after: Option<BlobId>) -> Arc<LineChange> {
        let key = (before.map(|id| id.0), after.map(|id| id.0));
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().rows.get(&key) {
            return known.clone();
        }
        let text = |id: Option<BlobId>| id.map_or_else(|| Some(Arc::default()), |id| contents.blob(id));
        let change = match (text(before), text(after)) {
            (Some(before), Some(after)) => compare_lines(&before, &after),
            _ => LineChange { is_opaque: true, ..LineChange::default() },
        };
        let change = Arc::new(change);
        lock().insert(key, change.clone());
        change
    }
}

/// A change of a file in a commit.
#[derive(Debug, Clone)]
pub struct FileChange<'h> {
    /// Index of the commit in [`History::commits`].
    pub commit: usize,
    /// The path after the commit.
    pub path: &'h str,
    /// Its content before, if it existed.
    pub before: Option<BlobId>,
    /// Its content after, unless it was removed.
    pub after: Option<BlobId>,
}

/// A change of a range of lines in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeChange {
    /// Index of the commit in [`History::commits`].
    pub commit: usize,
    /// Lines added in the range.
    pub added: u64,
    /// Lines removed from the range.
    pub removed: u64,
    /// The file has the same words before and after.
    pub is_format: bool,
}

/// The history of a range of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RangeHistory {
    /// Commits that changed it, newest first.
    pub changes: Vec<RangeChange>,
    /// Paths of other files that it was moved from, newest first, with the index of the commit.
    pub moved_from: Vec<(String, usize)>,
}

/// The histories of ranges of a file.
#[derive(Debug, Clone, Default)]
pub struct RangeHistories {
    /// For each range, in order.
    pub ranges: Vec<RangeHistory>,
    /// Older commits were not examined because of the limit.
    pub is_cut: bool,
    /// Contents of some commits are missing or not text: lines could not be followed through them.
    pub is_broken: bool,
}

/// What following ranges needs.
#[derive(Debug, Clone, Copy)]
pub struct Tracing<'t> {
    /// The repository.
    pub contents: &'t Contents,
    /// Known comparisons.
    pub cache: &'t LineCache,
    /// Maximum number of commits that are examined.
    pub limit: usize,
    /// Cancellation.
    pub cancel: &'t Cancel,
}

impl<'h> FileHistory<'h> {
    /// Its changes, newest first.
    pub fn changes(&self) -> impl Iterator<Item = FileChange<'h>> + use<'h> {
        let (history, number) = (self.history, self.number);
        self.row().commits.iter().filter_map(move |&commit| history.change(commit as usize, number))
    }

    /// Follows ranges of lines, numbered from 0, of a text back through the commits. The text need not be that of a
    /// commit: lines are first mapped to the newest one.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn trace(&self, text: &[u8], ranges: &[Range<u32>], tracing: Tracing<'_>) -> Result<RangeHistories, Cancelled> {
        let mut tracer = Tracer { history: self.history, tracing, found: RangeHistories::default(), examined: 0 };
        tracer.found.ranges = vec![RangeHistory::default(); ranges.len()];
        let live = ranges.iter().cloned().enumerate().map(|(index, lines)| Live { index, lines }).collect();
        let mut work = vec![Work { file: self.number, behind: None, text: Text::Bytes(text), live }];
        let mut moves = 0;
        while let Some(next) = work.pop() {
            for further in tracer.follow(next)? {
                moves += 1;
                if moves <= MAX_MOVES * ranges.len().max(1) {
                    work.push(further);
                }
            }
        }
        tracer.found.ranges.iter_mut().for_each(|range| range.changes.sort_by_key(|change| change.commit));
        Ok(tracer.found)
    }
}

impl History {
    /// The change of a file in a commit.
    fn change(&self, commit: usize, file: u32) -> Option<FileChange<'_>> {
        let at = self.files_of.get(commit)?.iter().position(|&other| other == file)?;
        let touch: &Touch = self.record.commits[commit].touches.get(at)?;
        let path = &self.record.paths[touch.path as usize];
        Some(FileChange { commit, path, before: touch.before.map(BlobId), after: touch.after.map(BlobId) })
    }
}

/// The text that ranges refer to.
#[derive(Clone, Copy)]
enum Text<'t> {
    Bytes(&'t [u8]),
    Blob(BlobId),
}

/// A range that is being followed.
#[derive(Debug, Clone)]
struct Live {
    index: usize,
    lines: Range<u32>,
}

/// Ranges of a file, to be followed through its commits.
struct Work<'t> {
    file: u32,
    /// Only commits older than this one.
    behind: Option<usize>,
    text: Text<'t>,
    live: Vec<Live>,
}

struct Tracer<'t, 'h> {
    history: &'h History,
    tracing: Tracing<'t>,
    found: RangeHistories,
    examined: usize,
}

impl<'t> Tracer<'t, '_> {
    /// Follows ranges through one file, and returns those that came from others.
    fn follow(&mut self, work: Work<'t>) -> Result<Vec<Work<'t>>, Cancelled> {
        let history = self.history;
        let file = FileHistory { history, number: work.file };
        let (mut text, mut live, mut moved) = (work.text, work.live, Vec::new());
        for change in file.changes().filter(|change| work.behind.is_none_or(|behind| change.commit > behind)) {
            self.tracing.cancel.check()?;
            if live.is_empty() {
                break;
            }
            if self.examined >= self.tracing.limit {
                self.found.is_cut = true;
                break;
            }
            let Some(after) = change.after else { break };
            self.examined += 1;
            // With branches, the next older commit need not have left the text that the newer one found.
            let Some(between) = self.between(after, text) else { break };
            live.iter_mut().for_each(|range| range.lines = map_range(&between, &range.lines));
            live.retain(|range| !range.lines.is_empty());
            let lines = self.tracing.cache.compare(self.tracing.contents, change.before, Some(after));
            if lines.is_opaque {
                self.found.is_broken = true;
                break;
            }
            let mut next = Vec::with_capacity(live.len());
            for range in live {
                match self.step(&change, &lines, &range) {
                    Step::Same(range) => next.push(range),
                    Step::Begins => {}
                    Step::Moved(work) => moved.push(work),
                }
            }
            live = next;
            let Some(before) = change.before else { break };
            text = Text::Blob(before);
        }
        Ok(moved)
    }

    /// The difference from a content to the text that ranges refer to; `None` if they cannot be compared.
    fn between(&mut self, blob: BlobId, text: Text<'t>) -> Option<Arc<LineChange>> {
        let change = match text {
            Text::Blob(id) if id == blob => Arc::default(),
            Text::Blob(id) => self.tracing.cache.compare(self.tracing.contents, Some(blob), Some(id)),
            Text::Bytes(bytes) => Arc::new(compare_lines(&self.tracing.contents.blob(blob)?, bytes)),
        };
        self.found.is_broken |= change.is_opaque;
        (!change.is_opaque).then_some(change)
    }

    /// Follows a range through one commit.
    fn step(&mut self, change: &FileChange<'_>, lines: &LineChange, range: &Live) -> Step<'t> {
        let within = touching(lines, &range.lines);
        if within.is_empty() {
            return Step::Same(Live { index: range.index, lines: map_range(lines, &range.lines) });
        }
        let (mut added, mut removed) = (0, 0);
        for hunk in &within {
            let shared = overlap(&(hunk.after..hunk.after + hunk.added), &range.lines);
            added += u64::from(shared);
            removed += match hunk.added {
                0 => u64::from(hunk.removed),
                all => (u64::from(hunk.removed) * u64::from(shared)).div_ceil(u64::from(all)),
            };
        }
        let row = RangeChange { commit: change.commit, added, removed, is_format: lines.is_format };
        let covering =
            within.iter().find(|hunk| hunk.after <= range.lines.start && hunk.after + hunk.added >= range.lines.end);
        let next = match covering {
            None => Step::Same(Live { index: range.index, lines: map_range(lines, &range.lines) }),
            Some(hunk) => self.origin(change, hunk, range),
        };
        self.found.ranges[range.index].changes.push(row);
        next
    }

    /// Where a range that a commit wrote anew came from: the lines replaced by it, lines removed elsewhere in the same
    /// commit, or nowhere.
    fn origin(&mut self, change: &FileChange<'_>, hunk: &Hunk, range: &Live) -> Step<'t> {
        let (contents, cache) = (self.tracing.contents, self.tracing.cache);
        let Some(after) = change.after.and_then(|id| contents.blob(id)) else { return Step::Begins };
        let wanted = Wanted::of(&after, &range.lines);
        let in_place = change.before.and_then(|id| contents.blob(id));
        if let Some(before) = &in_place {
            let replaced = hunk.before..hunk.before + hunk.removed;
            if let Some((_, lines)) = wanted.found_in(before, &replaced, LEAST_REPLACED, 1) {
                return Step::Same(Live { index: range.index, lines });
            }
        }
        let touched = &self.history.files_of[change.commit];
        let mut best: Option<(usize, u32, BlobId, Range<u32>)> = None;
        for &file in touched.iter().take(MAX_SOURCES) {
            let Some(other) = self.history.change(change.commit, file) else { continue };
            let Some(before) = other.before else { continue };
            let Some(text) = contents.blob(before) else { continue };
            for hunk in &cache.compare(contents, Some(before), other.after).hunks {
                let removed = hunk.before..hunk.before + hunk.removed;
                if let Some((count, lines)) = wanted.found_in(&text, &removed, LEAST_MOVED, 2)
                    && best.as_ref().is_none_or(|(most, ..)| count > *most)
                {
                    best = Some((count, file, before, lines));
                }
            }
        }
        let Some((_, file, blob, lines)) = best else { return Step::Begins };
        let live = Live { index: range.index, lines };
        let own = self.history.change(change.commit, file).is_some_and(|other| other.path == change.path);
        if own {
            return Step::Same(live);
        }
        let path = self.history.path_of(file).to_owned();
        self.found.ranges[range.index].moved_from.push((path, change.commit));
        Step::Moved(Work { file, behind: Some(change.commit), text: Text::Blob(blob), live: vec![live] })
    }
}

/// What became of a range in the commit before.
enum Step<'t> {
    Same(Live),
    Begins,
    Moved(Work<'t>),
}

/// Lines that are looked for in older texts.
struct Wanted<'t> {
    lines: FxHashSet<&'t [u8]>,
}

impl<'t> Wanted<'t> {
    fn of(text: &'t [u8], range: &Range<u32>) -> Self {
        let own = text.split(|byte| *byte == b'\n').skip(range.start as usize).take(range.len());
        Self { lines: own.map(<[u8]>::trim_ascii).filter(|line| line.len() >= TELLING).collect() }
    }

    /// The part of a range of another text that holds enough of the lines, and the number of those found.
    fn found_in(&self, text: &[u8], range: &Range<u32>, share: f64, least: usize) -> Option<(usize, Range<u32>)> {
        let lines = text.split(|byte| *byte == b'\n').enumerate().skip(range.start as usize).take(range.len());
        let mut seen: FxHashSet<&[u8]> = FxHashSet::default();
        let (mut first, mut last) = (u32::MAX, 0);
        for (number, line) in lines {
            let line = line.trim_ascii();
            if self.lines.contains(line) {
                seen.insert(line);
                (first, last) = (first.min(number as u32), number as u32 + 1);
            }
        }
        let is_enough = seen.len() >= least && seen.len() as f64 >= share * self.lines.len() as f64;
        (is_enough && first < last).then_some((seen.len(), first..last))
    }
}

fn overlap(a: &Range<u32>, b: &Range<u32>) -> u32 {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// The hunks that change a range of the newer text: those that write lines of it, and those that remove lines between
/// two of it.
fn touching<'c>(change: &'c LineChange, range: &Range<u32>) -> Vec<&'c Hunk> {
    let is_within = |hunk: &&Hunk| match hunk.added {
        0 => range.start < hunk.after && hunk.after < range.end,
        added => overlap(&(hunk.after..hunk.after + added), range) > 0,
    };
    change.hunks.iter().filter(is_within).collect()
}

/// The range of the older text that a range of the newer one was.
fn map_range(change: &LineChange, range: &Range<u32>) -> Range<u32> {
    let at = |line: u32, is_end: bool| {
        let mut shift = 0i64;
        for hunk in &change.hunks {
            let end = hunk.after + hunk.added;
            if end <= line && !(hunk.added == 0 && is_end && hunk.after == line) {
                shift = i64::from(hunk.before + hunk.removed) - i64::from(end);
            } else if hunk.after < line {
                // Inside of the lines that a hunk wrote.
                let inside = match is_end {
                    true => hunk.removed.saturating_sub(end - line),
                    false => (line - hunk.after).min(hunk.removed),
                };
                return hunk.before + inside;
            } else {
                break;
            }
        }
        (i64::from(line) + shift).max(0) as u32
    };
    let (start, end) = (at(range.start, false), at(range.end, true));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few large changes take as much memory as many small ones.
    #[test]
    fn kept_changes_are_bounded_by_number_and_size() {
        let key = |number: usize| {
            let mut blob = Blob::default();
            blob[..8].copy_from_slice(&number.to_le_bytes());
            (Some(blob), None)
        };
        for hunks in [0, 1, 10_000] {
            let hunk = Hunk { before: 0, removed: 1, after: 0, added: 1 };
            let change = Arc::new(LineChange { hunks: vec![hunk; hunks].into(), ..LineChange::default() });
            let mut kept = KeptChanges::default();
            for number in 0..2 * MAX_KEPT {
                kept.insert(key(number), change.clone());
                assert!(kept.rows.len() <= MAX_KEPT && kept.rows.len() * hunks <= MAX_KEPT_HUNKS, "{hunks} hunks");
            }
            let before = kept.hunks;
            kept.insert(key(2 * MAX_KEPT - 1), change);
            assert_eq!(kept.hunks, before, "the same again takes no more");
        }
    }
}
