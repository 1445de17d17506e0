//! `drift`: what changed since an earlier state, with the commits that changed it.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_engine::history::PlacedHistory;
use rustc_hash::FxHashMap;

use super::baseline::Baseline;
use super::differential::{GraphDifference, differences};
use super::timeline::{Velocity, velocity_of};
use crate::scope::Scope;

/// Commits named for a file.
const NAMED_COMMITS: usize = 3;
/// Days over which the trend of a file is computed.
const TREND_DAYS: f64 = 90.0;

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// It has other content.
    Modified,
    /// It was not there.
    New,
    /// It went away.
    Removed,
    /// It has another path, and perhaps other content.
    Renamed,
}

impl FileChange {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
        }
    }
}

/// A commit that touched a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchingCommit {
    /// Full name.
    pub name: String,
    /// First line of its message. Text of the repository.
    pub subject: String,
    /// Name of the author. Text of the repository.
    pub author: Option<String>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftedFile {
    /// Its path; the earlier one if it went away.
    pub path: String,
    /// How it differs.
    pub change: FileChange,
    /// Its earlier path, if it was renamed.
    pub from: Option<String>,
    /// The newest commits since, at most three.
    pub commits: Vec<TouchingCommit>,
    /// Number of commits since; `None` if the history does not tell.
    pub commit_count: Option<usize>,
    /// Trend of its commits over 90 days, and its commits per 30 days in the older and the newer half.
    pub trend: Option<(Velocity, (f64, f64))>,
}

/// What changed since an earlier state.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Differences of nodes and edges.
    pub graph: Arc<GraphDifference>,
    /// Files that differ, by path.
    pub files: Vec<DriftedFile>,
    /// Commits since; `None` if the history does not tell.
    pub commits: Option<usize>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// What changed since a state, inside of a scope.
///
/// # Errors
/// [`Cancelled`].
pub fn drift(
    snapshot: &Snapshot,
    place: Option<&PlacedHistory<'_>>,
    baseline: &Baseline,
    scope: &Scope,
    cancel: &Cancel,
) -> Result<Drift, Cancelled> {
    let before = baseline.state(snapshot);
    let graph = differences(before, snapshot, scope, cancel)?;
    let mut gaps = baseline.gaps.clone();
    let since = place.and_then(|place| newer_commits(place, baseline));
    if place.is_some() && since.is_none() {
        gaps.push("the commits since are not told: the earlier commit is none of those that were read".to_owned());
    }
    let files = files(before, snapshot, &graph, scope);
    let files = files.into_iter().map(|file| with_commits(file, place, since)).collect();
    Ok(Drift { graph, files, commits: since, gaps })
}

/// Number of commits of the history that are newer than a state.
fn newer_commits(place: &PlacedHistory<'_>, baseline: &Baseline) -> Option<usize> {
    let name = baseline.commit?.name();
    place.history.commits().iter().position(|commit| commit.name() == name)
}

fn files(before: &Snapshot, after: &Snapshot, graph: &GraphDifference, scope: &Scope) -> Vec<DriftedFile> {
    let path_of = |id: &str| id.strip_prefix("file::").filter(|path| !path.contains("::")).map(str::to_owned);
    let renamed = graph.renamed.iter().filter_map(|row| Some((path_of(&row.to)?, path_of(&row.from)?)));
    let renamed: FxHashMap<String, String> = renamed.collect();
    let row = |path: &str, change, from| DriftedFile {
        path: path.to_owned(),
        change,
        from,
        commits: Vec::new(),
        commit_count: None,
        trend: None,
    };
    let mut rows: Vec<DriftedFile> = Vec::new();
    for file in after.files().iter().filter(|file| scope.has(file.path.as_str())) {
        let path = file.path.as_str();
        match before.files().by_text(path) {
            Some(known) if known.hash == file.hash => {}
            Some(_) => rows.push(row(path, FileChange::Modified, None)),
            None => match renamed.get(path) {
                Some(from) => rows.push(row(path, FileChange::Renamed, Some(from.clone()))),
                None => rows.push(row(path, FileChange::New, None)),
            },
        }
    }
    // A renamed file has a row under its new name already.
    let is_renamed = |path: &str| renamed.values().any(|from| from == path);
    let gone = before.files().iter().map(|file| file.path.as_str());
    let gone = gone.filter(|path| scope.has(path) && after.files().by_text(path).is_none() && !is_renamed(path));
    rows.extend(gone.map(|path| row(path, FileChange::Removed, None)));
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

fn with_commits(mut file: DriftedFile, place: Option<&PlacedHistory<'_>>, since: Option<usize>) -> DriftedFile {
    let Some((place, since)) = place.zip(since) else { return file };
    let prefix = place.outer("");
    let Some(inner) = file.path.strip_prefix(&prefix) else { return file };
    let Some(known) = place.history.file(inner) else {
        file.commit_count = Some(0);
        return file;
    };
    let all: Vec<usize> = known.commit_indices().collect();
    let newer: Vec<usize> = all.iter().copied().filter(|&commit| commit < since).collect();
    let contents = place.contents().ok();
    let named = |&commit: &usize| {
        let commit = &place.history.commits()[commit];
        let author = contents.as_ref().and_then(|contents| contents.author(commit));
        TouchingCommit { name: commit.name(), subject: commit.subject.to_string(), author }
    };
    file.commits = newer.iter().take(NAMED_COMMITS).map(named).collect();
    file.commit_count = Some(newer.len());
    file.trend = (!newer.is_empty()).then(|| velocity_of(place.history, &all, TREND_DAYS));
    file
}
