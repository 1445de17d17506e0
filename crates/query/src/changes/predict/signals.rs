//! Files that may change with some commits, and the evidence for each as numbers.
//!
//! The same function serves a question about now, the calibration on earlier commits, and the fit of the weights.

use m1nd_base::NodeKind;
use m1nd_graph::{Graph, weights};
use m1nd_history::{FileHistory, History, Moment};
use rustc_hash::{FxHashMap, FxHashSet};

use super::beside::{Beside, PathTraits, extension_of, shared_folders, stem_of};
use super::evidence::{Asked, Evidence};
use crate::Model;

/// Number of signals.
const COUNT: usize = 51;
/// Names of the signals, in order: shares of the commits of the changed file, by ten weights of a commit; further
/// figures of the common commits; recency and rates of the other file; paths; commits around and of files like it; the
/// same where the file itself has few commits; the code.
pub const PREDICT_SIGNALS: [&str; COUNT] = [
    "constant", "confidence", "small_commits", "fading_fast", "fading", "fading_slow", "month", "quarter", "year",
    "focused", "by_size", "support", "small_support", "reverse", "cosine", "lift", "fading_reverse", "latest",
    "latest_two", "together", "since", "just_now", "last_one", "days", "recent_30", "recent_100", "recent_300",
    "popular", "same_folder", "near_path", "same_stem", "same_extension", "name_words", "path_words", "test_words",
    "authors", "newest_author", "born_together", "session", "two_steps", "group", "additions", "kinds", "their_folder",
    "last_commits", "thin", "thin_words", "thin_folder", "thin_recent", "linked", "test_link",
];
/// Places of the signals that need the graph.
pub const GRAPH_SIGNALS: [&str; 2] = ["linked", "test_link"];
/// Candidates of each source: files changed most often, those of the newest commits, those near by path, and those that
/// each kind of evidence names first.
const POPULAR: usize = 40;
const NEWEST: usize = 30;
const NEAR: usize = 40;
const NAMED: usize = 30;
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The linear model; its values are logarithms of odds.
pub type PredictModel = Model<COUNT>;

/// Weights as data, with the way they were made.
const WEIGHTS: &str = include_str!("weights.txt");

/// The fitted model.
pub fn predict_model() -> PredictModel {
    PredictModel::parse(WEIGHTS, &PREDICT_SIGNALS)
}

/// The signals of a file of which nothing but the connection in the code is known.
pub(super) fn of_code(linked: f64, tests: bool) -> [f64; COUNT] {
    let mut signals = [0.0; COUNT];
    signals[0] = 1.0;
    signals[signal("linked")] = linked;
    signals[signal("test_link")] = f64::from(u8::from(tests));
    signals
}

/// Place of a signal by its name.
pub(super) fn signal(name: &str) -> usize {
    PREDICT_SIGNALS.iter().position(|known| *known == name).expect("the signals are named in this file")
}

/// Strengths of the connections between files in the code: of each pair, that of the strongest edge, 0 to 1.
#[derive(Debug, Default)]
pub struct FileLinks {
    by_path: FxHashMap<String, Vec<(String, f64)>>,
}

impl FileLinks {
    /// Those of one file alone.
    pub(crate) fn of_file(path: String, mut rows: Vec<(String, f64)>) -> Self {
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        Self { by_path: FxHashMap::from_iter([(path, rows)]) }
    }

    /// The connections of all files of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut strongest: FxHashMap<(u32, u32), f64> = FxHashMap::default();
        for node in graph.nodes() {
            let Some(from) = graph.file(node) else { continue };
            for edge in graph.out_edges(node).filter(|edge| edge.relation.is_structure()) {
                let Some(to) = graph.file(edge.to).filter(|to| *to != from) else { continue };
                let strength = weights::change(&edge);
                for pair in [(from.0, to.0), (to.0, from.0)] {
                    let row = strongest.entry(pair).or_default();
                    *row = row.max(strength);
                }
            }
        }
        let mut by_path: FxHashMap<String, Vec<(String, f64)>> = FxHashMap::default();
        for node in graph.nodes().filter(|&node| graph.kind(node) == NodeKind::File) {
            by_path.insert(graph.path(node).to_owned(), Vec::new());
        }
        for ((from, to), strength) in strongest {
            let path = |node| graph.path(m1nd_graph::NodeIx(node)).to_owned();
            by_path.entry(path(from)).or_default().push((path(to), strength));
        }
        by_path.values_mut().for_each(|rows| rows.sort_by(|a, b| a.0.cmp(&b.0)));
        Self { by_path }
    }

    /// The files connected with one, and how strongly.
    pub fn around(&self, path: &str) -> &[(String, f64)] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }
}

/// The changed thing: the commits that changed it, and the file it is in.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'a> {
    /// Path of the file in its root.
    pub path: &'a str,
    /// Commits that count for co-change, newest first.
    pub commits: &'a [usize],
}

/// What is near a file, apart from its history.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Connections in the code, by path in the index.
    pub links: &'a FileLinks,
    /// Files by folder and name, by path in the root.
    pub beside: &'a Beside,
    /// What paths in the index have before those in the root.
    pub prefix: &'a str,
}

/// A file that may change with it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'h> {
    /// The file.
    pub file: FileHistory<'h>,
    /// Number of the commits of the changed thing that touched it, too.
    pub support: u32,
    /// Number of these commits.
    pub own: u32,
    /// The evidence as numbers, in the order of [`PREDICT_SIGNALS`].
    pub signals: [f64; COUNT],
}

impl Candidate<'_> {
    /// Its signals as if nothing were known about the code.
    pub fn without_graph(&self) -> [f64; COUNT] {
        let mut signals = self.signals;
        for (signal, name) in signals.iter_mut().zip(PREDICT_SIGNALS) {
            if GRAPH_SIGNALS.contains(&name) {
                *signal = 0.0;
            }
        }
        signals
    }
}

/// The files that may change with something: those that did or that the commits around and of files like it name, those
/// connected with its file, those near by path, and those that change most.
pub fn candidates<'h>(
    history: &'h History,
    changed: Changed<'_>,
    around: Around<'_>,
    moment: Moment,
) -> Vec<Candidate<'h>> {
    let Around { links, beside, prefix } = around;
    let place = beside.place(changed.path);
    let key = history.file(changed.path).map(|file| file.key());
    let asked = Asked { history, beside, place: &place, key, own: changed.commits, moment };
    let evidence = Evidence::of(&asked);
    let own = format!("{prefix}{}", changed.path);
    let linked: FxHashMap<u32, f64> = links
        .around(&own)
        .iter()
        .filter_map(|(path, strength)| Some((history.file(path.strip_prefix(prefix)?)?.key(), *strength)))
        .collect();
    let mut keys: FxHashSet<u32> = evidence.partners().chain(linked.keys().copied()).collect();
    keys.extend(list_candidates(history, beside, &place, moment, &evidence));
    let mut keys: Vec<u32> = keys.into_iter().filter(|other| Some(*other) != key).collect();
    keys.sort_unstable();
    let files = keys.into_iter().filter_map(|key| history.file_of(key));
    let there = files.filter(|file| file.path() != changed.path && file.existed_at(moment));
    let measured = Measured { asked: &asked, evidence: &evidence, path: changed.path };
    there.map(|file| measured.candidate(file, linked.get(&file.key()).copied().unwrap_or(0.0))).collect()
}

/// Files that are candidates without a common commit.
fn list_candidates(
    history: &History,
    beside: &Beside,
    place: &PathTraits,
    moment: Moment,
    evidence: &Evidence,
) -> Vec<u32> {
    let mut keys: Vec<u32> = history.most_changed(moment, POPULAR).iter().map(FileHistory::key).collect();
    let newest = (moment.newest()..history.commits().len()).take(NEWEST);
    let counting = newest.filter(|&commit| history.commits()[commit].counts_together());
    keys.extend(counting.flat_map(|commit| history.all_touched_by(commit)).map(|file| file.key()));
    keys.extend(beside.near(history, place, moment, NEAR).iter().map(FileHistory::key));
    for by_file in [&evidence.two_steps, &evidence.session, &evidence.group, &evidence.additions] {
        let mut rows: Vec<(f64, u32)> = by_file.iter().map(|(key, share)| (*share, *key)).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        keys.extend(rows.into_iter().take(NAMED).map(|(_, key)| key));
    }
    keys
}

/// What is known about the changed file, from which the signals of others follow.
struct Measured<'a> {
    asked: &'a Asked<'a>,
    evidence: &'a Evidence,
    path: &'a str,
}

impl Measured<'_> {
    fn candidate<'h>(&self, file: FileHistory<'h>, linked: f64) -> Candidate<'h> {
        let support = self.evidence.common(file.key()).map_or(0, |common| common.sums[0] as u32);
        Candidate { file, support, own: self.evidence.own as u32, signals: self.signals(file, linked) }
    }

    fn signals(&self, file: FileHistory<'_>, linked: f64) -> [f64; COUNT] {
        let Self { asked, evidence, path } = self;
        let place = asked.beside.place_of(file);
        let flag = |is: bool| f64::from(u8::from(is));
        // With few commits of its own, other signals have to say more, so they are repeated with this weight.
        let thin = 1.0 / (1.0 + evidence.own as f64);
        let same_folder = flag(place.folder == asked.place.folder);
        let words = asked.beside.alike(&asked.place.words, &place.words);
        let is_test_pair = place.is_test != asked.place.is_test;
        let recent = evidence.rate(file.key()).counts.map(|count| f64::from(count).ln_1p());
        let of = |shares: &FxHashMap<u32, f64>| shares.get(&file.key()).copied().unwrap_or(0.0);
        // The order is that of the names of the signals and of the weights that were fitted.
        let mut row = SignalVector::default();
        row.push(&[1.0]);
        self.together(file, &mut row);
        self.recency(file, &mut row);
        row.push(&recent);
        row.push(&[
            evidence.popularity(file.key()),
            same_folder,
            shared_folders(path, file.path()),
            flag(!stem_of(path).is_empty() && place.stem == asked.place.stem),
            flag(extension_of(path) == extension_of(file.path())),
            words,
            asked.beside.alike(&asked.place.path_words, &place.path_words),
            flag(is_test_pair) * words,
            evidence.authors(asked.history, file, asked.moment),
            flag(self.is_by_newest_author(file)),
            flag(evidence.born_with(file.key())),
            of(&evidence.session),
            of(&evidence.two_steps),
            of(&evidence.group),
            of(&evidence.additions),
            evidence.kind(place),
            evidence.folder(place),
            of(&evidence.last),
            thin,
            thin * words,
            thin * same_folder,
            thin * recent[1],
            linked,
            flag(linked > 0.0 && is_test_pair),
        ]);
        row.signals
    }

    /// Signals of the common commits.
    fn together(&self, file: FileHistory<'_>, row: &mut SignalVector) {
        let Self { asked, evidence, .. } = self;
        let common = evidence.common(file.key());
        let shares = evidence.shares(common);
        let [support, small] = common.map_or([0.0; 2], |common| [common.sums[0], common.sums[1]]);
        let commits = asked.history.commits();
        let theirs =
            file.commit_numbers(asked.moment).filter(|&commit| commits[commit].counts_together()).count() as f64;
        let own = evidence.own as f64;
        let behind = f64::from(asked.history.counting_before(asked.moment).max(1));
        let reverse = support / (theirs + 2.0);
        let is_newest = |least: usize| f64::from(u8::from(common.is_some_and(|common| common.newest <= least)));
        row.push(&shares);
        row.push(&[
            support.ln_1p(),
            small.ln_1p(),
            reverse,
            support / ((own + 1.0) * (theirs + 1.0)).sqrt(),
            (support * behind / (own.max(1.0) * theirs.max(1.0))).min(1e3).ln_1p(),
            shares[3] * reverse,
            is_newest(0),
            is_newest(1),
            f64::from(u8::from(support > 0.0)),
        ]);
    }

    /// Signals of the last change of the other file.
    fn recency(&self, file: FileHistory<'_>, row: &mut SignalVector) {
        let commits = self.asked.history.commits();
        let at = self.asked.moment.newest();
        let newest = file.commit_numbers(self.asked.moment).next().unwrap_or(commits.len().saturating_sub(1));
        let since = newest.saturating_sub(at) as f64;
        let time = |commit: usize| commits.get(commit).map_or(0, |commit| commit.time);
        let days = time(at).saturating_sub(time(newest)).max(0) as f64 / DAY;
        row.push(&[(-since / 30.0).exp(), (-since / 5.0).exp(), 1.0 / (1.0 + since), (-days / 14.0).exp()]);
    }

    fn is_by_newest_author(&self, file: FileHistory<'_>) -> bool {
        let commits = self.asked.history.commits();
        let author = |commit: usize| commits.get(commit).map(|commit| commit.author);
        let theirs = file.commit_numbers(self.asked.moment).next().and_then(author);
        theirs.is_some() && theirs == author(self.asked.moment.newest())
    }
}

/// Signals in the order of [`PREDICT_SIGNALS`].
struct SignalVector {
    signals: [f64; COUNT],
    next: usize,
}

impl Default for SignalVector {
    fn default() -> Self {
        Self { signals: [0.0; COUNT], next: 0 }
    }
}

impl SignalVector {
    fn push(&mut self, values: &[f64]) {
        self.signals.iter_mut().skip(self.next).zip(values).for_each(|(signal, value)| *signal = *value);
        self.next += values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_name_their_signals() {
        let rows = WEIGHTS.lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let name = row.split(' ').next().unwrap_or_default();
            assert!(PREDICT_SIGNALS.contains(&name), "{row}");
        }
        assert!(predict_model().weights().iter().any(|weight| *weight != 0.0));
    }
}
