//! `timeline`: how a file, a symbol or a folder changed.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use super::node_changes::{CannotTell, NodeChange, NodeChanges, folder_changes, node_changes};
use crate::chance::at_least;

/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Days of the unit of rates.
const MONTH: f64 = 30.0;
/// Maximum changes that are listed.
const MAX_CHANGES: usize = 50;
/// Files of a change that are named.
const NAMED_FILES: usize = 10;
/// Commits that are named for a pair.
const NAMED_COMMITS: usize = 3;
/// Largest chance, if the rate were constant, of an imbalance between the halves that counts as a trend.
const TREND: f64 = 0.1;
/// Share of all changed lines by which one direction must prevail for growth or shrinking.
const NET_SHARE: f64 = 0.5;
/// Share of the lines that must have been gained or lost.
const NET_LINES: f64 = 0.1;
/// Share of the lines that must have been added or removed for churning.
const CHURN_LINES: f64 = 0.5;
/// Most commits, and share of the lines, of something dormant.
const DORMANT_COMMITS: usize = 1;
const DORMANT_LINES: f64 = 0.05;

/// How far back a timeline goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// So many days before now.
    Days(u32),
    /// To the first known commit.
    All,
}

impl Depth {
    /// Longest depth in days.
    pub const MAX_DAYS: u32 = 36_500;

    /// Parses `30d` or `all`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "all" {
            return Some(Self::All);
        }
        let days = text.strip_suffix('d')?.parse().ok()?;
        (1..=Self::MAX_DAYS).contains(&days).then_some(Self::Days(days))
    }
}

/// What a timeline is of.
#[derive(Debug, Clone, Copy)]
pub enum TimelineOf<'q> {
    /// A file or a symbol.
    Node(NodeIx),
    /// A folder.
    Folder {
        /// Its path, with `/` at the end; empty for the whole project.
        path: &'q str,
        /// The indexed files in it and below.
        files: &'q [NodeIx],
    },
}

/// A question about the past of a node or folder.
#[derive(Debug, Clone, Copy)]
pub struct TimelineQuery<'q> {
    /// What it is about.
    pub of: TimelineOf<'q>,
    /// How far back.
    pub depth: Depth,
    /// Whether lines are compared; without, churn, stability and pattern are unknown.
    pub with_churn: bool,
    /// Maximum rows of files that changed with it.
    pub max_partners: usize,
}

/// Direction of a rate of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Velocity {
    /// More commits in the newer half than chance explains.
    Accelerating,
    /// More in the older half.
    Decelerating,
    /// Neither.
    Stable,
}

impl Velocity {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accelerating => "accelerating",
            Self::Decelerating => "decelerating",
            Self::Stable => "stable",
        }
    }
}

/// Shape of the changes in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Growing.
    Expanding,
    /// Losing lines.
    Shrinking,
    /// Much is added and removed, with little growth.
    Churning,
    /// Few changes or none.
    Dormant,
    /// Small changes.
    Stable,
}

impl Pattern {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Expanding => "expanding",
            Self::Shrinking => "shrinking",
            Self::Churning => "churning",
            Self::Dormant => "dormant",
            Self::Stable => "stable",
        }
    }
}

/// A change that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineChange {
    /// Time in seconds since 1970.
    pub time: i64,
    /// Full name of the commit.
    pub commit: String,
    /// First line of its message. Text of the repository.
    pub subject: String,
    /// Name of the author, if the commit could be read again. Text of the repository.
    pub author: Option<String>,
    /// Lines added and removed in the node, if compared.
    pub delta: Option<(u64, u64)>,
    /// Only the formatting changed.
    pub is_format: bool,
    /// A program made the commit.
    pub is_bot: bool,
    /// Present paths of other files of the commit, at most ten.
    pub co_changed: Vec<String>,
    /// Number of other existing files of the commit.
    pub co_changed_total: usize,
}

/// A file that changed together with the node.
#[derive(Debug, Clone, PartialEq)]
pub struct CoChanged {
    /// Its path in the index.
    pub path: String,
    /// Commits of the window that changed both and count for co-change.
    pub times: usize,
    /// `times` over all such commits of the node, 0 to 1.
    pub coupling: f64,
    /// The newest of these commits, at most three.
    pub commits: Vec<String>,
}

/// The past of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineAnswer {
    /// The newest changes of the window, newest first.
    pub changes: Vec<TimelineChange>,
    /// Number of commits of the window that changed it.
    pub commits: usize,
    /// Distinct authors of these.
    pub authors: usize,
    /// Files that changed with it, most often first.
    pub co_changed: Vec<CoChanged>,
    /// Number of files that changed with it.
    pub co_changed_total: usize,
    /// Trend of the rate; formatting does not count.
    pub velocity: Velocity,
    /// Commits per 30 days in the older and in the newer half of the window.
    pub rates: (f64, f64),
    /// Share of its lines expected to be unchanged since the start of the window, 0 to 1; `None` if lines were not
    /// compared.
    pub stability: Option<f64>,
    /// Shape of the changes; `None` if lines were not compared.
    pub pattern: Option<Pattern>,
    /// Lines added and removed in the window, without formatting; `None` if not compared.
    pub churn: Option<(u64, u64)>,
    /// Number of lines now.
    pub lines: u32,
    /// Time of the oldest known change.
    pub first_change: i64,
    /// Time of the newest change.
    pub last_change: i64,
    /// Files that the symbol was moved from.
    pub moved_from: Vec<String>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// The past of a file, a symbol or a folder.
///
/// # Errors
/// [`CannotTell`].
pub fn timeline(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    query: &TimelineQuery<'_>,
    cancel: &Cancel,
) -> Result<TimelineAnswer, CannotTell> {
    let mut found = match query.of {
        TimelineOf::Node(node) => node_changes(snapshot, history, node, query.with_churn, cancel)?,
        TimelineOf::Folder { path, files } => {
            folder_changes(snapshot, history, (path, files), query.with_churn, cancel)?
        }
    };
    let now = found.place.history.now();
    let times: Vec<i64> = found.changes.iter().map(|change| found.commit(change).time).collect();
    let first_change = times.iter().copied().min().unwrap_or(now);
    let last_change = times.iter().copied().max().unwrap_or(now);
    // The window comes after the first and last change are known: those are of the whole past.
    let start = match query.depth {
        Depth::Days(days) => now.saturating_sub((f64::from(days) * DAY) as i64),
        Depth::All => i64::MIN,
    };
    let mut kept = times.iter().map(|time| *time >= start);
    found.changes.retain(|_| kept.next().unwrap_or(false));
    let window = Window { start: start.max(first_change), now };
    // Commits that only format are listed, but do not count for pace and churn.
    let real: Vec<&NodeChange> = found.changes.iter().filter(|change| !change.is_format).collect();
    let times: Vec<i64> = real.iter().map(|change| found.commit(change).time).collect();
    let (velocity, rates) = window.velocity(&times);
    let churn = churn(&real, query.with_churn);
    let (co_changed, co_changed_total) = co_changed(&found, query.max_partners);
    let mut authors: Vec<u64> = found.changes.iter().map(|change| found.commit(change).author).collect();
    authors.sort_unstable();
    authors.dedup();
    Ok(TimelineAnswer {
        changes: list_changes(&found),
        commits: found.changes.len(),
        authors: authors.len(),
        co_changed,
        co_changed_total,
        velocity,
        rates,
        stability: churn.map(|churn| stability(churn, found.lines)),
        pattern: churn.map(|churn| pattern(real.len(), churn, found.lines)),
        churn,
        lines: found.lines,
        first_change,
        last_change,
        moved_from: found.moved_from,
        gaps: found.gaps,
    })
}

/// The time that a timeline covers: from the start of the window, or the first change if that is later.
struct Window {
    start: i64,
    now: i64,
}

impl Window {
    /// The trend between the halves, and the commits per 30 days in both. An imbalance is a trend if, with each commit
    /// equally likely in either half, one as large has a chance of at most [`TREND`].
    fn velocity(&self, times: &[i64]) -> (Velocity, (f64, f64)) {
        let length = self.now.saturating_sub(self.start).max(1) as f64;
        let newer = times.iter().filter(|&&time| time.saturating_sub(self.start) as f64 > length / 2.0).count();
        let older = times.len() - newer;
        let months = (length / 2.0 / DAY / MONTH).max(f64::MIN_POSITIVE);
        let rates = if length < DAY { (0.0, 0.0) } else { (older as f64 / months, newer as f64 / months) };
        let is_trend = |most: usize| at_least(most, times.len(), 0.5) <= TREND;
        let velocity = match newer.cmp(&older) {
            std::cmp::Ordering::Greater if is_trend(newer) => Velocity::Accelerating,
            std::cmp::Ordering::Less if is_trend(older) => Velocity::Decelerating,
            _ => Velocity::Stable,
        };
        (velocity, rates)
    }
}

/// The trend of some commits over the last days.
pub(crate) fn velocity_of(history: &m1nd_history::History, commits: &[usize], days: f64) -> (Velocity, (f64, f64)) {
    let window = Window { start: history.now().saturating_sub((days * DAY) as i64), now: history.now() };
    let times = commits.iter().map(|&commit| history.commits()[commit].time);
    window.velocity(&times.filter(|time| *time >= window.start).collect::<Vec<_>>())
}

fn churn(changes: &[&NodeChange], is_compared: bool) -> Option<(u64, u64)> {
    let compared = || changes.iter().filter_map(|change| Some((change.added?, change.removed?)));
    (is_compared && (changes.is_empty() || compared().next().is_some()))
        .then(|| compared().fold((0, 0), |sum, (added, removed)| (sum.0 + added, sum.1 + removed)))
}

/// Expected share of lines that are unchanged if each changed line fell anywhere with equal chance. A changed line is
/// one added and one removed.
fn stability((added, removed): (u64, u64), lines: u32) -> f64 {
    (-((added + removed) as f64) / (2.0 * f64::from(lines.max(1)))).exp()
}

fn pattern(commits: usize, (added, removed): (u64, u64), lines: u32) -> Pattern {
    let (all, net) = ((added + removed) as f64, added as f64 - removed as f64);
    let lines = f64::from(lines.max(1));
    let is_net = net.abs() >= NET_SHARE * all && net.abs() >= NET_LINES * lines && net != 0.0;
    match () {
        () if commits == 0 || (commits <= DORMANT_COMMITS && all <= DORMANT_LINES * lines) => Pattern::Dormant,
        () if is_net && net > 0.0 => Pattern::Expanding,
        () if is_net => Pattern::Shrinking,
        () if all >= CHURN_LINES * lines => Pattern::Churning,
        () => Pattern::Stable,
    }
}

/// The newest changes, with authors and other files.
fn list_changes(found: &NodeChanges<'_>) -> Vec<TimelineChange> {
    let contents = found.place.contents().ok();
    let row = |change: &NodeChange| {
        let commit = found.commit(change);
        let others: Vec<String> = others(found, change).collect();
        TimelineChange {
            time: commit.time,
            commit: commit.name(),
            subject: commit.subject.to_string(),
            author: contents.as_ref().and_then(|contents| contents.author(commit)),
            delta: change.added.zip(change.removed),
            is_format: change.is_format,
            is_bot: commit.is_bot,
            co_changed_total: others.len(),
            co_changed: others.into_iter().take(NAMED_FILES).collect(),
        }
    };
    found.changes.iter().take(MAX_CHANGES).map(row).collect()
}

/// Present paths of the other files of a commit.
fn others<'a>(found: &'a NodeChanges<'_>, change: &NodeChange) -> impl Iterator<Item = String> + 'a {
    let files = found.place.history.touched_by(change.commit);
    files.filter(|file| !found.own.has(file.path())).map(|file| found.place.outer(file.path()))
}

fn co_changed(found: &NodeChanges<'_>, limit: usize) -> (Vec<CoChanged>, usize) {
    let mut rows: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    let mut counted = 0usize;
    let counts = |change: &&NodeChange| !change.is_format && found.commit(change).counts_together();
    for change in found.changes.iter().filter(counts) {
        counted += 1;
        others(found, change).for_each(|path| rows.entry(path).or_default().push(change.commit));
    }
    let total = rows.len();
    let name = |commit: &usize| found.place.history.commits()[*commit].name();
    let row = |(path, commits): (String, Vec<usize>)| CoChanged {
        path,
        times: commits.len(),
        coupling: commits.len() as f64 / counted.max(1) as f64,
        commits: commits.iter().take(NAMED_COMMITS).map(name).collect(),
    };
    let mut rows: Vec<CoChanged> = rows.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.path.cmp(&b.path)));
    rows.truncate(limit);
    (rows, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        let cases = [("7d", Some(Depth::Days(7))), ("all", Some(Depth::All)), ("90d", Some(Depth::Days(90)))];
        assert!(cases.iter().all(|(text, expected)| Depth::parse(text) == *expected));
        assert!(["", "d", "0d", "-1d", "7", "999999d", "1.5d"].iter().all(|text| Depth::parse(text).is_none()));
    }

    #[test]
    fn a_trend_is_more_than_chance() {
        let window = Window { start: 0, now: 100 * DAY as i64 };
        let at = |days: &[i64]| days.iter().map(|day| day * DAY as i64).collect::<Vec<_>>();
        let cases: &[(&[i64], Velocity)] = &[
            (&[], Velocity::Stable),
            (&[90], Velocity::Stable),
            (&[90, 91, 92], Velocity::Stable),
            (&[90, 91, 92, 93], Velocity::Accelerating),
            (&[1, 2, 3, 4], Velocity::Decelerating),
            (&[1, 2, 60, 70, 80], Velocity::Stable),
        ];
        for (days, expected) in cases {
            assert_eq!(window.velocity(&at(days)).0, *expected, "{days:?}");
        }
        let (_, (older, newer)) = window.velocity(&at(&[90, 91, 92, 93, 10]));
        assert!((older - 0.6).abs() < 1e-9 && (newer - 2.4).abs() < 1e-9, "{older} {newer}");
    }

    #[test]
    fn shapes_of_changes() {
        let cases = [
            (0, (0, 0), Pattern::Dormant),
            (1, (2, 2), Pattern::Dormant),
            (1, (40, 0), Pattern::Expanding),
            (5, (60, 10), Pattern::Expanding),
            (5, (10, 60), Pattern::Shrinking),
            (5, (40, 40), Pattern::Churning),
            (5, (8, 8), Pattern::Stable),
            (2, (3, 0), Pattern::Stable),
        ];
        for (commits, churn, expected) in cases {
            assert_eq!(pattern(commits, churn, 100), expected, "{commits} {churn:?}");
        }
    }
}
