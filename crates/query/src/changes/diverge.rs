//! `diverge`: how far the code is from an earlier commit.

use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{NoSnapshot, PlacedHistory};
use m1nd_graph::{Graph, NodeIx};
use m1nd_history::{History, compare_lines};
use rustc_hash::FxHashMap;

use super::baseline::{Baseline, Committed};
use super::differential::{GraphDifference, differences};
use crate::chance::at_least;
use crate::scope::Scope;
pub use crate::severity::Severity;

/// Commits on each side of the baseline whose files are compared for co-change.
const MAX_COMMITS: usize = 300;
/// Fewest common commits of a pair on the side where it is coupled more, and fewest commits since the baseline of the
/// file with more of them: a share of fewer is chance.
const LEAST_SUPPORT: u32 = 3;
/// Chance above which a changed coupling is none.
const DOUBT: f64 = 0.05;
/// Smallest change of a coupling that is listed, and the maximum number listed.
const LEAST_CHANGE: f64 = 0.15;
const MAX_COUPLINGS: usize = 20;
/// Maximum modified files whose lines are compared.
const MAX_MODIFIED: usize = 2_000;
/// Growth from which a file is a spike, from which a critical one, and the fewest lines of growth.
const SPIKE: f64 = 3.0;
const CRITICAL: f64 = 5.0;
const LEAST_GROWTH: u64 = 30;
/// Distance from the median churn of the modified files, in median absolute deviations, from which churn is a spike.
const FAR: f64 = 10.0;
/// Fewest modified files that have a median.
const LEAST_FILES: usize = 8;
/// New files of code without a new test that are accepted.
const UNTESTED: usize = 3;
/// Coupling from which a new one is an anomaly.
const STRONG: f64 = 0.5;

/// A file that was modified.
#[derive(Debug, Clone, PartialEq)]
pub struct ModifiedFile {
    /// Its path.
    pub path: String,
    /// Lines added and removed; `None` if its earlier text is not known.
    pub delta: Option<(u64, u64)>,
    /// Lines now over lines then.
    pub growth: f64,
    /// Lines that it has more than then.
    gained: u64,
}

impl ModifiedFile {
    /// Changed lines, as far as they are known.
    fn churn(&self) -> u64 {
        self.delta.map_or(0, |(added, removed)| added + removed)
    }
}

/// Two files whose co-change differs before and after the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct CouplingChange {
    /// Their paths.
    pub pair: [String; 2],
    /// Common commits over those of the file with more, 0 to 1, among 300 commits before the baseline.
    pub was: f64,
    /// The same since the baseline.
    pub now: f64,
}

impl CouplingChange {
    /// The direction of the change.
    pub fn direction(&self) -> CouplingDirection {
        match (self.was > 0.0, self.now > 0.0) {
            (false, _) => CouplingDirection::New,
            (true, false) => CouplingDirection::Decoupled,
            (true, true) if self.now > self.was => CouplingDirection::Strengthened,
            (true, true) => CouplingDirection::Weakened,
        }
    }
}

/// How a coupling changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CouplingDirection {
    /// There was none before.
    New,
    /// There is none now.
    Decoupled,
    /// It is stronger.
    Strengthened,
    /// It is weaker.
    Weakened,
}

impl CouplingDirection {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => AnomalyKind::NewCoupling.word(),
            Self::Decoupled => "decoupled",
            Self::Strengthened => "strengthened",
            Self::Weakened => "weakened",
        }
    }
}

/// What is unusual; in the order of their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// A file lost its last connection.
    Isolation,
    /// Files change together that never did.
    NewCoupling,
    /// New code without a new test.
    TestDeficit,
    /// A file grew or changed far more than the others.
    VelocitySpike,
}

impl AnomalyKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Isolation => "isolation",
            Self::NewCoupling => "new_coupling",
            Self::TestDeficit => "test_deficit",
            Self::VelocitySpike => "velocity_spike",
        }
    }
}

/// Something unusual since the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// What is unusual.
    pub kind: AnomalyKind,
    /// The file, or the first of several.
    pub path: String,
    /// In words.
    pub detail: String,
    /// How much it matters.
    pub severity: Severity,
}

/// How far the code is from a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Divergence {
    /// Differences of nodes and edges.
    pub graph: Arc<GraphDifference>,
    /// Files whose content differs, most changed lines first.
    pub modified: Vec<ModifiedFile>,
    /// Changed couplings, the largest change first.
    pub couplings: Vec<CouplingChange>,
    /// Anomalies, the most severe first.
    pub anomalies: Vec<Anomaly>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
}

/// The newest known commit that is not newer than a time, by its index.
pub fn commit_at(history: &History, time: i64) -> Option<usize> {
    history.commits().iter().position(|commit| commit.time <= time)
}

/// How far the index is from an earlier state, inside of a scope.
///
/// # Errors
/// [`NoSnapshot`].
pub fn diverge(
    snapshot: &Snapshot,
    place: Option<&PlacedHistory<'_>>,
    baseline: &Baseline,
    scope: &Scope,
    cancel: &Cancel,
) -> Result<Divergence, NoSnapshot> {
    let before = baseline.state(snapshot);
    let graph = differences(before, snapshot, scope, cancel).map_err(|_| m1nd_engine::history::NoHistory::Cancelled)?;
    let mut gaps = baseline.gaps.clone();
    let committed = Committed::of(place, baseline.commit, cancel)?;
    let modified = list_modified(snapshot, before, committed.as_ref(), &graph, scope, &mut gaps);
    let name = baseline.commit.map(|commit| commit.name());
    let at = place.and_then(|place| place.history.commits().iter().position(|commit| Some(commit.name()) == name));
    let couplings = match place.zip(at) {
        Some((place, at)) => couplings(place, at, scope),
        None => {
            gaps.push("couplings are not compared: the baseline is none of the commits that were read".to_owned());
            Vec::new()
        }
    };
    let anomalies = anomalies(before, snapshot, &graph, &modified, &couplings);
    Ok(Divergence { graph, modified, couplings, anomalies, gaps })
}

fn list_modified(
    snapshot: &Snapshot,
    before: &Snapshot,
    committed: Option<&Committed>,
    graph: &GraphDifference,
    scope: &Scope,
    gaps: &mut Vec<String>,
) -> Vec<ModifiedFile> {
    let path_of = |id: &str| id.strip_prefix("file::").map(str::to_owned);
    let from: FxHashMap<String, String> =
        graph.renamed.iter().filter_map(|row| Some((path_of(&row.to)?, path_of(&row.from)?))).collect();
    let mut rows = Vec::new();
    for file in snapshot.files().iter().filter(|file| scope.has(file.path.as_str())) {
        let path = file.path.as_str();
        let earlier = from.get(path).map_or(path, String::as_str);
        let Some(known) = before.files().by_text(earlier).filter(|known| known.hash != file.hash) else { continue };
        if rows.len() == MAX_MODIFIED {
            gaps.push(format!("only the first {MAX_MODIFIED} modified files were compared"));
            break;
        }
        let text = committed.and_then(|committed| committed.text(earlier));
        // Lines are compared only with the text that was indexed; the commit may have another.
        let text = text.filter(|text| ContentHash::of(text) == known.hash);
        let now = RepoPath::new(path).ok().and_then(|path| snapshot.read_bytes(&path).ok());
        let delta = text.zip(now).map(|(text, now)| {
            let change = compare_lines(&text, &now);
            (change.count_added(), change.count_removed())
        });
        let growth = f64::from(file.lines.max(1)) / f64::from(known.lines.max(1));
        let gained = u64::from(file.lines.saturating_sub(known.lines));
        rows.push(ModifiedFile { path: path.to_owned(), delta, growth, gained });
    }
    let uncompared = rows.iter().filter(|row| row.delta.is_none()).count();
    if uncompared > 0 {
        gaps.push(format!("the lines of {uncompared} modified files are not compared: their text of then is not kept"));
    }
    rows.sort_by(|a, b| b.churn().cmp(&a.churn()).then_with(|| a.path.cmp(&b.path)));
    rows
}

/// Numbers of commits of pairs of files.
type Pairs<'h> = FxHashMap<(&'h str, &'h str), u32>;

/// Common commits of pairs, and commits of files, among some commits.
fn counts(history: &History, commits: std::ops::Range<usize>) -> (Pairs<'_>, FxHashMap<&str, u32>) {
    let (mut pairs, mut files) = (FxHashMap::default(), FxHashMap::default());
    let counting = commits.filter(|&number| history.commits()[number].counts_together()).take(MAX_COMMITS);
    for number in counting {
        let touched: Vec<&str> = history.touched_by(number).map(|file| file.path()).collect();
        for (place, one) in touched.iter().enumerate() {
            *files.entry(*one).or_default() += 1;
            for other in &touched[place + 1..] {
                *pairs.entry((*one.min(other), *one.max(other))).or_default() += 1;
            }
        }
    }
    (pairs, files)
}

/// Whether commits of the file with more of them, since, could by chance have touched both as often as they did if the
/// coupling were still what it was (exact binomial, one side).
fn is_chance((was, now): (f64, f64), commits: usize, common: usize) -> bool {
    let chance = match now > was {
        true => at_least(common, commits, was),
        false => 1.0 - at_least(common + 1, commits, was),
    };
    chance > DOUBT
}

fn couplings(place: &PlacedHistory<'_>, baseline: usize, scope: &Scope) -> Vec<CouplingChange> {
    let history = place.history;
    let (now, now_files) = counts(history, 0..baseline);
    let (was, was_files) = counts(history, baseline..history.commits().len());
    let mut pairs: Vec<&(&str, &str)> =
        now.iter().chain(&was).filter(|(_, count)| **count >= LEAST_SUPPORT).map(|(pair, _)| pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let coupling = |pairs: &FxHashMap<(&str, &str), u32>, files: &FxHashMap<&str, u32>, pair: &(&str, &str)| {
        let count = |path: &str| files.get(path).copied().unwrap_or(0);
        let most = count(pair.0).max(count(pair.1));
        if most == 0 { None } else { Some(f64::from(pairs.get(pair).copied().unwrap_or(0)) / f64::from(most)) }
    };
    let now_common = |pair: &(&str, &str)| now.get(pair).copied().unwrap_or(0) as usize;
    let was_common = |pair: &(&str, &str)| was.get(pair).copied().unwrap_or(0) as usize;
    let now_files_of = |pair: &(&str, &str)| {
        let count = |path: &str| now_files.get(path).copied().unwrap_or(0) as usize;
        count(pair.0).max(count(pair.1))
    };
    let mut rows: Vec<CouplingChange> = Vec::new();
    for pair in pairs {
        let paths = [place.outer(pair.0), place.outer(pair.1)];
        // A pair of which neither file changed since says nothing about today.
        let (Some(before), Some(since)) = (coupling(&was, &was_files, pair), coupling(&now, &now_files, pair)) else {
            continue;
        };
        let common = if since > before { now_common(pair) } else { was_common(pair) };
        let is_supported = common.min(now_files_of(pair)) >= LEAST_SUPPORT as usize;
        let is_listed = is_supported && !is_chance((before, since), now_files_of(pair), now_common(pair));
        if (before - since).abs() > LEAST_CHANGE && is_listed && paths.iter().any(|path| scope.has(path)) {
            rows.push(CouplingChange { pair: paths, was: before, now: since });
        }
    }
    rows.sort_by(|a, b| {
        let change = |row: &CouplingChange| (row.was - row.now).abs();
        change(b).total_cmp(&change(a)).then_with(|| a.pair.cmp(&b.pair))
    });
    rows.truncate(MAX_COUPLINGS);
    rows
}

fn anomalies(
    before: &Snapshot,
    after: &Snapshot,
    graph: &GraphDifference,
    modified: &[ModifiedFile],
    couplings: &[CouplingChange],
) -> Vec<Anomaly> {
    let mut found = spikes(modified);
    let new = graph.new_nodes.iter().filter_map(|id| after.graph().find(id));
    let files: Vec<NodeIx> = new.filter(|&node| after.graph().kind(node) == NodeKind::File).collect();
    let is_code = |node: &NodeIx| after.graph().of_file(*node).len() > 1;
    let is_test = |node: &NodeIx| after.file_of(*node).is_some_and(|file| file.is_test);
    let code: Vec<&NodeIx> = files.iter().filter(|node| is_code(node) && !is_test(node)).collect();
    // New code without a new test.
    if code.len() > UNTESTED && !files.iter().any(is_test) {
        found.push(Anomaly {
            kind: AnomalyKind::TestDeficit,
            path: after.graph().path(*code[0]).to_owned(),
            detail: format!("{} new files of code and no new test", code.len()),
            severity: Severity::Warning,
        });
    }
    // Files that change together only since then.
    for row in couplings.iter().filter(|row| row.direction() == CouplingDirection::New && row.now >= STRONG) {
        let [one, other] = &row.pair;
        let detail = format!("changes with {other} in {:.0} % of the commits, and never did before", row.now * 100.0);
        found.push(Anomaly { kind: AnomalyKind::NewCoupling, path: one.clone(), detail, severity: Severity::Info });
    }
    // Files that lost their last connection.
    for file in after.graph().nodes().filter(|&node| after.graph().kind(node) == NodeKind::File) {
        let path = after.graph().path(file);
        let Some(earlier) = before.graph().find_file(path) else { continue };
        let (was, now) = (connections(before.graph(), earlier), connections(after.graph(), file));
        if was > 0 && now == 0 {
            let detail = format!("connected with {was} other files before, and with none now");
            found.push(Anomaly {
                kind: AnomalyKind::Isolation,
                path: path.to_owned(),
                detail,
                severity: Severity::Info,
            });
        }
    }
    found.sort_by(|a, b| (a.severity, a.kind, &a.path).cmp(&(b.severity, b.kind, &b.path)));
    found
}

/// Files that grew several times, or whose churn is far above that of the other modified files (median and median
/// absolute deviation, which single files cannot move).
fn spikes(modified: &[ModifiedFile]) -> Vec<Anomaly> {
    let churn = |row: &ModifiedFile| row.churn() as f64;
    let mut all: Vec<f64> = modified.iter().filter(|row| row.delta.is_some()).map(churn).collect();
    let middle = median(&mut all);
    let mut deviations: Vec<f64> = all.iter().map(|value| (value - middle).abs()).collect();
    let deviation = median(&mut deviations).max(1.0);
    let mut found = Vec::new();
    for row in modified {
        let grown = row.growth > SPIKE && row.gained >= LEAST_GROWTH;
        let distance = (churn(row) - middle) / deviation;
        let detail = match (grown, all.len() >= LEAST_FILES && distance > FAR) {
            (true, _) => format!("{:.1} times as long as before", row.growth),
            (false, true) => format!("{} changed lines, {middle:.0} in the median file", churn(row)),
            (false, false) => continue,
        };
        let severity = if grown && row.growth > CRITICAL { Severity::Critical } else { Severity::Warning };
        found.push(Anomaly { kind: AnomalyKind::VelocitySpike, path: row.path.clone(), detail, severity });
    }
    found
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Number of other files connected with a file.
fn connections(graph: &Graph, file: NodeIx) -> usize {
    let mut others: Vec<NodeIx> = Vec::new();
    for node in graph.of_file(file) {
        let out = graph.out_edges(node).filter(|edge| edge.relation.is_structure()).map(|edge| edge.to);
        let into = graph.in_edges(node).filter(|edge| edge.relation.is_structure()).map(|edge| edge.from);
        others.extend(out.chain(into).filter_map(|end| graph.file(end)).filter(|other| *other != file));
    }
    others.sort_unstable();
    others.dedup();
    others.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coupling_has_changed_if_chance_does_not_explain_it() {
        let cases = [
            // Before, now, commits and common commits since.
            ((1.0, 0.0), 1, 0, false),
            ((0.4, 0.0), 1, 0, true),
            ((0.4, 0.0), 5, 0, true),
            ((0.4, 0.0), 6, 0, false),
            ((0.5, 1.0), 4, 4, true),
            ((0.5, 1.0), 5, 5, false),
            ((0.0, 1.0), 1, 1, false),
        ];
        for (shares, commits, common, chance) in cases {
            assert_eq!(is_chance(shares, commits, common), chance, "{shares:?} {common} of {commits}");
        }
    }
}
