//! Test files that may cover a change, and the evidence for each as numbers. The same function serves a question about
//! now, the evaluation on earlier commits, and the fit of the weights.

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_search::{Filter, Query};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Name, TestFiles};
use super::reach::{Reached, reached_files};
use super::{Past, TestEvidence, TestsQuery};
use crate::Model;
use crate::changes::predict::{Around, Changed, FileLinks, candidates as history_candidates, predict_model};

/// Number of signals.
const COUNT: usize = 11;
/// Names of the signals, in order: uses in the code; names and folders; commits; words of the task; the file itself.
pub const COVERING_SIGNALS: [&str; COUNT] = [
    "direct", "strength", "rarity", "same_stem", "name_words", "path_words", "folder_stem", "value", "words", "worded",
    "has_tests",
];
/// Value of `predict` below which commits say nothing: a logarithm of odds.
const LEAST_PREDICTED: f64 = -8.0;
/// Entries of the search index that are ranked for the words of a task.
const WORD_HITS: usize = 300;
/// Test files that are candidates by the words of the task, and by the history.
const WORDED: usize = 20;
const BY_HISTORY: usize = 60;
/// Least similarity of names, 0 to 1, that counts as evidence.
const ALIKE: f64 = 0.5;
/// Least share of the words of the task, relative to the best test, that counts as evidence.
const ENOUGH_WORDS: f64 = 0.5;

/// The linear model; only differences of its values are meaningful.
pub type CoveringModel = Model<COUNT>;

/// Weights as data, with the way they were made.
const WEIGHTS: &str = include_str!("weights.txt");

/// The fitted model.
pub fn covering_model() -> CoveringModel {
    CoveringModel::parse(WEIGHTS, &COVERING_SIGNALS)
}

/// Place of a signal by its name.
pub(super) fn signal(name: &str) -> usize {
    COVERING_SIGNALS.iter().position(|known| *known == name).expect("the signals are named in this file")
}

/// A file that may hold tests of the change.
#[derive(Debug, Clone)]
pub struct TestCandidate {
    /// The file.
    pub file: NodeIx,
    /// How its code reaches the change.
    pub reached: Option<Reached>,
    /// Common commits, and the commits of the changed file.
    pub together: Option<(u32, u32)>,
    /// Evidence beside uses and commits, the strongest first.
    pub beside: Vec<TestEvidence>,
    /// The evidence as numbers, in the order of [`COVERING_SIGNALS`].
    pub signals: [f64; COUNT],
}

/// What commits say about a test file.
#[derive(Debug, Clone, Copy, Default)]
struct Common {
    support: u32,
    own: u32,
    value: f64,
}

/// What the words of the task say about a test file.
#[derive(Debug, Clone, Copy, Default)]
struct Worded {
    /// Its score over that of the best test file.
    share: f64,
    is_first: bool,
}

pub(super) fn candidates(
    snapshot: &Snapshot,
    query: &TestsQuery,
    pasts: &[Past<'_>],
    cancel: &Cancel,
) -> Result<Vec<TestCandidate>, Cancelled> {
    let graph = snapshot.graph();
    let tests = snapshot.derived_values().get_or_init(|| TestFiles::of(snapshot));
    let reached = reached_files(graph, &query.changed);
    cancel.check()?;
    let changed: Vec<NodeIx> = distinct(query.changed.iter().filter_map(|&node| graph.file(node)));
    let names: Vec<Name> = changed.iter().map(|&file| Name::of(graph.path(file))).collect();
    let past = common_commits(graph, (&tests, &reached), pasts);
    cancel.check()?;
    let words = worded_tests(snapshot, &tests, &query.task, cancel)?;
    let near = names.iter().flat_map(|name| tests.near(name));
    let files = distinct(reached.keys().copied().chain(near).chain(past.keys().copied()).chain(words.keys().copied()));
    let candidate = |file: NodeIx| {
        let mut row = SignalVector::default();
        row.add_uses(reached.get(&file));
        row.add_names(&tests, &tests.name_of(graph, file), &names);
        row.add_commits(past.get(&file));
        row.add_words(words.get(&file));
        row.set_if("has_tests", graph.of_file(file).into_iter().any(|node| is_test_function(graph, node)));
        let together = past.get(&file).filter(|common| common.support > 0).map(|common| (common.support, common.own));
        let SignalVector { signals, beside } = row;
        TestCandidate { file, reached: reached.get(&file).cloned(), together, beside, signals }
    };
    let is_other = |file: &NodeIx| !changed.contains(file) || reached.contains_key(file);
    Ok(files.into_iter().filter(is_other).map(candidate).collect())
}

/// Each node once, in their order.
fn distinct(nodes: impl Iterator<Item = NodeIx>) -> Vec<NodeIx> {
    let mut seen = FxHashSet::default();
    nodes.filter(|node| seen.insert(*node)).collect()
}

/// Test files that changed with the changed ones, or are likely to.
fn common_commits(
    graph: &Graph,
    (tests, reached): (&TestFiles, &FxHashMap<NodeIx, Reached>),
    pasts: &[Past<'_>],
) -> FxHashMap<NodeIx, Common> {
    let model = predict_model();
    let mut found: FxHashMap<NodeIx, Common> = FxHashMap::default();
    for past in pasts {
        let file = past.history.file(&past.inner);
        let own = file.map(|file| past.history.counting_commits(file, past.moment)).unwrap_or_default();
        let changed = Changed { path: &past.inner, commits: &own };
        // Tests that use it are candidates, too.
        let using = reached.iter().filter(|(_, reached)| reached.hops <= 1);
        let using = using.map(|(file, reached)| (graph.path(*file).to_owned(), reached.strength)).collect();
        let links = FileLinks::of_file(format!("{}{}", past.prefix, past.inner), using);
        let around = Around { links: &links, beside: past.beside, prefix: &past.prefix };
        let rows = history_candidates(past.history, changed, around, past.moment);
        let mut rows: Vec<(NodeIx, Common)> = rows
            .iter()
            .filter_map(|candidate| {
                let path = format!("{}{}", past.prefix, candidate.file.path());
                let node = graph.find_file(&path).filter(|node| tests.is_test(*node))?;
                let common = Common {
                    support: candidate.support,
                    own: candidate.own,
                    value: (model.value(&candidate.without_graph()) - LEAST_PREDICTED).max(0.0),
                };
                Some((node, common))
            })
            .collect();
        rows.sort_by(|a, b| b.1.value.total_cmp(&a.1.value).then_with(|| graph.compare_ids(a.0, b.0)));
        let kept = rows.into_iter().enumerate().filter(|(place, row)| *place < BY_HISTORY || row.1.support > 0);
        for (node, common) in kept.map(|(_, row)| row) {
            let known = found.entry(node).or_insert(common);
            if common.value > known.value {
                *known = common;
            }
        }
    }
    found
}

/// Test files with the words of a task.
fn worded_tests(
    snapshot: &Snapshot,
    tests: &TestFiles,
    task: &str,
    cancel: &Cancel,
) -> Result<FxHashMap<NodeIx, Worded>, Cancelled> {
    if task.trim().is_empty() {
        return Ok(FxHashMap::default());
    }
    let ranked = snapshot.index().rank(&Query::parse(task), WORD_HITS, &Filter::default(), None, cancel)?;
    let graph = snapshot.graph();
    let hits = ranked.files.iter().filter_map(|hit| Some((graph.find_file(hit.path)?, hit.score)));
    let mut rows: Vec<(NodeIx, f64)> = hits.filter(|(node, _)| tests.is_test(*node)).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| graph.compare_ids(a.0, b.0)));
    let most = rows.first().map_or(0.0, |row| row.1);
    let row = |(place, (node, score)): (usize, (NodeIx, f64))| {
        let share = if most > 0.0 { score / most } else { 0.0 };
        (node, Worded { share, is_first: place == 0 })
    };
    Ok(rows.into_iter().enumerate().take(WORDED).map(row).collect())
}

/// Signals by their names, with the evidence that they stand for.
#[derive(Default)]
struct SignalVector {
    signals: [f64; COUNT],
    beside: Vec<TestEvidence>,
}

impl SignalVector {
    fn set(&mut self, name: &str, value: f64) {
        self.signals[signal(name)] = value;
    }

    fn set_if(&mut self, name: &str, is: bool) {
        self.set(name, f64::from(u8::from(is)));
    }

    fn add_uses(&mut self, reached: Option<&Reached>) {
        let Some(reached) = reached else { return };
        self.set_if("direct", reached.hops <= 1);
        self.set("strength", reached.strength);
        self.set("rarity", reached.rarity.ln_1p());
    }

    /// `own` is the name of the test file, `changed` are those of the changed files.
    fn add_names(&mut self, tests: &TestFiles, own: &Name, changed: &[Name]) {
        let most = |of: &dyn Fn(&Name) -> f64| changed.iter().map(of).fold(0.0, f64::max);
        let any = |of: &dyn Fn(&Name) -> bool| changed.iter().any(of);
        let (same_stem, folder_stem) =
            (any(&|name| name.is_same_stem(own)), any(&|name| name.is_named_after_folder(own)));
        self.set_if("same_stem", same_stem);
        self.set_if("folder_stem", folder_stem);
        self.set("name_words", most(&|name| tests.alike(name, own).0));
        self.set("path_words", most(&|name| tests.alike_paths(name, own)));
        if same_stem || folder_stem || most(&|name| tests.alike(name, own).1) >= ALIKE {
            self.beside.push(TestEvidence::Named);
        }
        if any(&|name| name.is_same_folder(own) || name.mirrors(own)) {
            self.beside.push(TestEvidence::Folder);
        }
    }

    fn add_commits(&mut self, common: Option<&Common>) {
        self.set("value", common.map_or(0.0, |common| common.value));
    }

    fn add_words(&mut self, words: Option<&Worded>) {
        let Some(words) = words else { return };
        self.set("words", words.share);
        self.set_if("worded", words.is_first);
        if words.share >= ENOUGH_WORDS {
            self.beside.push(TestEvidence::Words);
        }
    }
}

/// Whether a node is a function of test code that no code of the project calls.
fn is_test_function(graph: &Graph, node: NodeIx) -> bool {
    graph.kind(node) == NodeKind::Function
        && graph.flags(node).has(NodeFlags::TEST)
        && !graph.in_edges(node).any(|edge| edge.relation == Relation::Calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_name_their_signals() {
        for row in WEIGHTS.lines().filter(|line| !line.starts_with('#')) {
            assert!(COVERING_SIGNALS.contains(&row.split(' ').next().unwrap_or_default()), "{row}");
        }
        assert!(covering_model().weights().iter().any(|weight| *weight != 0.0));
    }
}
