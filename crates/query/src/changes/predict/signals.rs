//! Files that may change with some commits, and the evidence for each as numbers.
//!
//! The same function serves a question about now, the calibration on earlier commits, and the fit of the weights.

use m1nd_base::{NodeKind, RepoPath};
use m1nd_graph::{Graph, weights};
use m1nd_history::{FileHistory, History, Moment, Related};
use m1nd_lang::is_test_path;
use rustc_hash::FxHashMap;

use crate::Model;

/// Number of signals.
const COUNT: usize = 18;
/// Names of the signals, in order.
pub const PREDICT_SIGNALS: [&str; COUNT] = [
    "constant",
    "confidence",
    "fading",
    "focused",
    "support",
    "reverse",
    "lift",
    "latest",
    "recent",
    "since",
    "same_folder",
    "near_path",
    "same_stem",
    "same_extension",
    "linked",
    "test_link",
    "authors",
    "thin",
];
/// Places of the signals that need the graph.
pub const GRAPH_SIGNALS: [&str; 2] = ["linked", "test_link"];
/// Files changed most often that are candidates for every question.
const POPULAR: usize = 20;
/// Files of the same folder, or with the same name, that are candidates.
const NEAR: usize = 40;
/// Commits after which the last change of a file counts a third.
const SINCE: f64 = 30.0;

/// The linear model; its values are logarithms of odds.
pub type PredictModel = Model<COUNT>;

/// Weights as data, with the way they were made.
const WEIGHTS: &str = include_str!("weights.txt");

/// The fitted model.
pub fn predict_model() -> PredictModel {
    PredictModel::parse(WEIGHTS, &PREDICT_SIGNALS)
}

/// Strengths of the connections between files in the code: of each pair, that of the strongest edge, 0 to 1.
#[derive(Debug, Default)]
pub struct FileLinks {
    by_path: FxHashMap<String, Vec<(String, f64)>>,
}

impl FileLinks {
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

    fn between(&self, one: &str, other: &str) -> f64 {
        let rows = self.around(one);
        rows.binary_search_by(|(path, _)| path.as_str().cmp(other)).map_or(0.0, |at| rows[at].1)
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
    /// Evidence of the history.
    pub related: Related<'h>,
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

/// The files that may change with something: those that did, those connected with its file, those beside it or of the
/// same name, and those that change most.
pub fn candidates<'h>(
    history: &'h History,
    changed: Changed<'_>,
    around: Around<'_>,
    moment: Moment,
) -> Vec<Candidate<'h>> {
    let Around { links, beside, prefix } = around;
    let outer = |path: &str| format!("{prefix}{path}");
    let own = outer(changed.path);
    let mut also: Vec<FileHistory<'h>> = history.most_changed(moment, POPULAR);
    let connected = links.around(&own).iter().filter_map(|(path, _)| path.strip_prefix(prefix));
    also.extend(connected.filter_map(|path| history.file(path)));
    also.extend(beside.around(history, changed.path));
    let related = history.related(changed.commits, &also, moment);
    let others = related.into_iter().filter(|row| row.file.path() != changed.path);
    others
        .map(|related| {
            let linked = links.between(&own, &outer(related.file.path()));
            Candidate { signals: signals(changed.path, &related, linked), related }
        })
        .collect()
}

/// The existing files of a history by folder and by name, most recently changed first.
#[derive(Debug, Default)]
pub struct Beside {
    by_folder: FxHashMap<String, Vec<String>>,
    by_stem: FxHashMap<String, Vec<String>>,
}

impl Beside {
    /// The files of a history.
    pub fn of(history: &History) -> Self {
        let mut files: Vec<FileHistory<'_>> = history.existing().collect();
        files.sort_by(|a, b| (a.newest(), a.path()).cmp(&(b.newest(), b.path())));
        let mut beside = Self::default();
        for path in files.iter().map(FileHistory::path) {
            let add = |rows: &mut FxHashMap<String, Vec<String>>, key: &str| {
                let rows = rows.entry(key.to_owned()).or_default();
                // One more than is used, since the file itself may be among them.
                if rows.len() <= NEAR {
                    rows.push(path.to_owned());
                }
            };
            add(&mut beside.by_folder, folder_of(path));
            add(&mut beside.by_stem, stem_of(path));
        }
        beside
    }

    /// Files whose names are alike, then files of the same folder.
    fn around<'h>(&self, history: &'h History, path: &str) -> Vec<FileHistory<'h>> {
        let rows = [self.by_stem.get(stem_of(path)), self.by_folder.get(folder_of(path))];
        let paths = rows.into_iter().flatten().flatten();
        paths.take(NEAR).filter_map(|path| history.file(path)).collect()
    }
}

fn signals(path: &str, related: &Related<'_>, linked: f64) -> [f64; COUNT] {
    let other = related.file.path();
    let count = |number: u32| f64::from(number);
    let flag = |is: bool| f64::from(u8::from(is));
    let is_test = |path: &str| RepoPath::new(path).is_ok_and(|path| is_test_path(&path));
    let stem = stem_of(path);
    [
        1.0,
        count(related.support) / (count(related.own) + 1.0),
        related.fading,
        related.focused,
        count(related.support).ln_1p(),
        count(related.support) / (count(related.theirs) + 2.0),
        related.lift.min(1e3).ln_1p(),
        flag(related.is_latest),
        count(related.recent).ln_1p(),
        (-count(related.since) / SINCE).exp(),
        flag(folder_of(path) == folder_of(other)),
        shared_folders(path, other),
        flag(!stem.is_empty() && stem == stem_of(other)),
        flag(extension_of(path) == extension_of(other)),
        linked,
        flag(linked > 0.0 && is_test(path) != is_test(other)),
        related.authors,
        1.0 / (1.0 + count(related.own)),
    ]
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn extension_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The name of a file without its extension and what marks a test: `test_pool.py`, `pool.spec.ts` and `pool.rs` are
/// alike.
pub(super) fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "_spec", "-test", "Tests", "Test"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem)
}

/// Share of the folders of the deeper path that both have in common.
fn shared_folders(one: &str, other: &str) -> f64 {
    let (one, other) = (folder_of(one), folder_of(other));
    let parts = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    let most = parts(one).max(parts(other));
    let shared = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
    if most == 0 { 1.0 } else { shared as f64 / most as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike() {
        for path in ["a/test_pool.py", "pool.spec.ts", "src/pool.rs", "pool_test.go", "pool-test.js", "docs/pool.md"] {
            assert_eq!(stem_of(path), "pool", "{path}");
        }
        assert_eq!((stem_of("PoolTest.java"), stem_of("Pool.java")), ("Pool", "Pool"));
        assert_eq!(shared_folders("a/b/c.py", "a/b/d.py"), 1.0);
        assert_eq!(shared_folders("a/b/c.py", "a/x/d.py"), 0.5);
        assert_eq!((shared_folders("c.py", "d.py"), shared_folders("a/c.py", "d.py")), (1.0, 0.0));
    }

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
