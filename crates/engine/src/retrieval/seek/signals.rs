//! What speaks for a file: the signals that the ranking weighs.

use std::collections::{BTreeSet, HashMap, HashSet};

use m1nd_graph::NodeIx;
use m1nd_search::{FileHit, Query, Ranked, words};

use super::mentions::{self, Named};
use super::spread::{self, Received};
use crate::Language;
use crate::files::FileEntry;
use crate::snapshot::Snapshot;

/// Names of the signals, in order. The weights of the ranking stand beside them in `weights.txt`.
pub const SIGNALS: &[&str] = &[
    "words",
    "title",
    "best_entry",
    "best_title",
    "exact",
    "best_exact",
    "path",
    "name",
    "module",
    "frame",
    "stem_title",
    "stem_text",
    "is_test",
    "is_text",
    "is_aside",
    "is_front",
    "prior",
    "size",
    "used_by",
    "uses",
    "tested_by",
];

/// Place of the signal with this name.
pub(super) fn place(name: &str) -> usize {
    SIGNALS.iter().position(|signal| *signal == name).expect("a name of the table above")
}

/// Values of the signals.
pub type Signals = [f64; 21];

/// Files ranked by the model, of each kind of evidence.
const BY_WORDS: usize = 150;
const BY_ENTRY: usize = 60;
const BY_GRAPH: usize = 40;
/// Matches whose connections are looked at.
const SOURCES: usize = 60;
/// Folders with code that is not the product.
const ASIDE: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "ci",
    "contrib",
    "deps",
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "playground",
    "release",
    "scripts",
    "third_party",
    "tools",
    "vendor",
];
/// Files that hold what their folder shows to the outside, seldom what it does.
const FRONT: &[&str] = &["__init__", "index", "mod", "lib", "external", "prelude"];

/// A file with what speaks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCandidate {
    /// Its path.
    pub path: String,
    /// Its node.
    pub node: NodeIx,
    /// In the order of [`SIGNALS`].
    pub signals: Signals,
}

/// The most that any file has of each part of the lexical score: what the others are measured by.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Most {
    words: f64,
    title: f64,
    best: f64,
    best_title: f64,
    exact: f64,
    best_exact: f64,
}

impl Most {
    fn of(files: &[FileHit]) -> Self {
        files.iter().fold(Self::default(), |most, file| Self {
            words: most.words.max(file.score),
            title: most.title.max(file.title),
            best: most.best.max(file.best),
            best_title: most.best_title.max(file.best_title),
            exact: most.exact.max(file.exact),
            best_exact: most.best_exact.max(file.best_exact),
        })
    }

    /// The signals of an entry, 0 to 1: all words, those of the title, whole names.
    pub(super) fn of_entry(&self, score: f64, title: f64, exact: f64) -> [f64; 3] {
        [over(score, self.best), over(title, self.best_title), over(exact, self.best_exact)]
    }
}

/// Places of an entry's signals among those of its file.
pub(super) const ENTRY_SIGNALS: [usize; 3] = [2, 3, 5];

fn over(value: f64, most: f64) -> f64 {
    if most > 0.0 { value / most } else { 0.0 }
}

/// All candidates with their signals, and what entries are measured by.
pub(super) fn candidates(snapshot: &Snapshot, query: &Query, ranked: &Ranked) -> (Vec<FileCandidate>, Most) {
    let graph = snapshot.graph();
    let named = mentions::named(snapshot, query);
    let most = Most::of(&ranked.files);
    let top = ranked.found.hits.first().map_or(1.0, |hit| hit.score);
    let sources: Vec<(NodeIx, f64)> = ranked
        .found
        .hits
        .iter()
        .take(SOURCES)
        .filter_map(|hit| Some((graph.find(&hit.id)?, (hit.score / top).powi(2))))
        .collect();
    let received: HashMap<NodeIx, Received> = spread::spread(snapshot, &sources);
    let by_path: HashMap<&str, &FileHit> = ranked.files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut pool: BTreeSet<&str> = BTreeSet::new();
    let keys: [(Key, usize); 4] = [
        (|file| file.score, BY_WORDS),
        (|file| file.title, BY_ENTRY),
        (|file| file.best, BY_ENTRY),
        (|file| file.exact, BY_ENTRY),
    ];
    for (key, count) in keys {
        pool.extend(best_files(&ranked.files, key, count));
    }
    pool.extend(named.keys().map(String::as_str).filter(|path| by_path.contains_key(path)));
    let mut reached: Vec<(&NodeIx, f64)> =
        received.iter().map(|(node, sum)| (node, sum.used_by + sum.uses + sum.tested_by)).collect();
    reached.sort_by(|a, b| b.1.total_cmp(&a.1).then(graph.path(*a.0).cmp(graph.path(*b.0))));
    pool.extend(
        reached.iter().take(BY_GRAPH).map(|(node, _)| graph.path(**node)).filter(|path| by_path.contains_key(path)),
    );
    let words = Words::of(query);
    let most_received = received.values().fold(Received::default(), |most, one| Received {
        used_by: most.used_by.max(one.used_by),
        uses: most.uses.max(one.uses),
        tested_by: most.tested_by.max(one.tested_by),
    });
    let mut all = Vec::with_capacity(pool.len());
    for path in pool {
        let (Some(hit), Some(node), Some(entry)) =
            (by_path.get(path), graph.find_file(path), snapshot.files().by_text(path))
        else {
            continue;
        };
        let named = named.get(path).copied().unwrap_or_default();
        let got = received.get(&node).copied().unwrap_or_default();
        let graph_part = [
            over(got.used_by, most_received.used_by),
            over(got.uses, most_received.uses),
            over(got.tested_by, most_received.tested_by),
        ];
        let signals = signals(snapshot, hit, &most, entry, node, named, &words, graph_part);
        all.push(FileCandidate { path: path.to_owned(), node, signals });
    }
    (all, most)
}

/// A part of the lexical score of a file.
type Key = fn(&FileHit) -> f64;

fn best_files(files: &[FileHit], key: Key, count: usize) -> Vec<&str> {
    let mut order: Vec<&FileHit> = files.iter().filter(|file| key(file) > 0.0).collect();
    let by = |a: &&FileHit, b: &&FileHit| key(b).total_cmp(&key(a)).then_with(|| a.path.cmp(&b.path));
    if order.len() > count {
        order.select_nth_unstable_by(count - 1, by);
        order.truncate(count);
    }
    order.into_iter().map(|file| file.path.as_str()).collect()
}

/// Words of the text, in the form of the index.
struct Words {
    title: HashSet<String>,
    text: HashSet<String>,
}

impl Words {
    fn of(query: &Query) -> Self {
        let words = |title: bool| {
            let terms = query.terms.iter().filter(|term| term.counts && (!title || term.in_title));
            terms.map(|term| term.forms[0].0.clone()).collect()
        };
        Self { title: words(true), text: words(false) }
    }
}

#[expect(clippy::too_many_arguments, reason = "each is one source of signals")]
fn signals(
    snapshot: &Snapshot,
    hit: &FileHit,
    most: &Most,
    file: &FileEntry,
    node: NodeIx,
    named: Named,
    words: &Words,
    graph: [f64; 3],
) -> Signals {
    let path = file.path.as_str();
    let (stem, is_front) = stem_of(path);
    let flag = |value: bool| f64::from(u8::from(value));
    let [best, best_title, best_exact] = most.of_entry(hit.best, hit.best_title, hit.best_exact);
    let is_aside = path.split('/').rev().skip(1).any(|part| ASIDE.binary_search(&part).is_ok());
    [
        over(hit.score, most.words),
        over(hit.title, most.title),
        best,
        best_title,
        over(hit.exact, most.exact),
        best_exact,
        named.path,
        named.name,
        named.module,
        named.frame,
        covered(stem, &words.title),
        covered(stem, &words.text),
        flag(file.is_test),
        flag(file.language == Language::Text),
        flag(is_aside),
        flag(is_front),
        snapshot.prior(node),
        f64::from(1 + file.lines).ln() / 10.0,
        graph[0],
        graph[1],
        graph[2],
    ]
}

/// The part of a path that says what a file is about, and whether it stands for its folder.
fn stem_of(path: &str) -> (&str, bool) {
    let mut parts = path.rsplit('/');
    let stem = parts.next().unwrap_or(path).split('.').next().unwrap_or(path);
    match parts.next() {
        Some(folder) if FRONT.contains(&stem) => (folder, true),
        _ => (stem, FRONT.contains(&stem)),
    }
}

/// Share of the words of a file's name that the text has.
fn covered(stem: &str, words: &HashSet<String>) -> f64 {
    let (mut all, mut met) = (0, 0);
    words::terms(stem, |term| {
        all += 1;
        met += u32::from(words.contains(term));
    });
    if all > 0 { f64::from(met) / f64::from(all) } else { 0.0 }
}
