//! Signals of files for the ranking.

use crate::retrieval::importance;
use crate::retrieval::indexed_files::IndexedFiles;
use std::collections::BTreeSet;

use m1nd_graph::NodeIx;
use m1nd_search::{FileHit, LEAST_NEAR, Near, Query, Ranked, words};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::beside::Beside;
use super::mentions::{self, Named};
use super::past::{self, FromCommits};
use super::spread::{self, Received};
use m1nd_engine::FileEntry;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Names of the signals, in order. Their weights are in `weights.txt`.
pub const SIGNALS: &[&str] = &[
    "words", "title", "best_entry", "best_title", "exact", "best_exact", "path", "used_names", "name", "module",
    "frame", "stem_title", "stem_text", "is_test", "is_text", "is_aside", "is_front", "prior", "size", "used_by",
    "uses", "tested_by", "near_text", "near_title", "like_commits", "prefix_commits", "prefix_path", "recent",
    "together", "siblings", "message",
];

/// Place of the signal with this name.
pub(super) fn place(name: &str) -> usize {
    SIGNALS.iter().position(|signal| *signal == name).expect("a name of the table above")
}

/// Values of the signals.
pub type Signals = [f64; 31];

/// Files ranked by the model, of each kind of evidence.
const BY_WORDS: usize = 150;
const BY_ENTRY: usize = 60;
const BY_GRAPH: usize = 40;
/// Maximum matches whose connections are examined.
const SOURCES: usize = 60;
/// Files whose signals are taken together: fewer are not worth another core.
const FILES_TOGETHER: usize = 32;
/// Maximum files whose co-change partners are examined.
const LEADERS: usize = 10;
/// Folders with code that is not the product.
const ASIDE: &[&str] = &[
    "bench", "benches", "benchmark", "benchmarks", "ci", "contrib", "deps", "dist", "doc", "docs", "documentation",
    "example", "examples", "playground", "release", "scripts", "third_party", "tools", "vendor",
];
/// Files that hold the public interface of their folder, seldom its implementation.
const FRONT: &[&str] = &["__init__", "index", "mod", "lib", "external", "prelude"];

/// A file with its signals.
#[derive(Debug, Clone, PartialEq)]
pub struct FileCandidate {
    /// Its path.
    pub path: String,
    /// Its node.
    pub node: NodeIx,
    /// In the order of [`SIGNALS`].
    pub signals: Signals,
}

/// Maximum over all files of each part of the lexical score, for normalisation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Most {
    words: f64,
    title: f64,
    best: f64,
    best_title: f64,
    exact: f64,
    best_exact: f64,
    used: f64,
    /// The highest similarity in meaning, and the baseline of chance; `None` without vectors.
    near: Option<(Near, Near)>,
}

impl Most {
    fn of(ranked: &Ranked<'_>) -> Self {
        let nearest = ranked.files.iter().filter_map(|file| file.near);
        let nearest = nearest.reduce(|a, b| Near { text: a.text.max(b.text), title: a.title.max(b.title) });
        let first = Self { near: nearest.zip(ranked.mean_near), ..Self::default() };
        ranked.files.iter().fold(first, |most, file| Self {
            near: most.near,
            words: most.words.max(file.score),
            title: most.title.max(file.title),
            best: most.best.max(file.best),
            best_title: most.best_title.max(file.best_title),
            exact: most.exact.max(file.exact),
            best_exact: most.best_exact.max(file.best_exact),
            used: most.used.max(file.used),
        })
    }

    /// The signals of an entry, 0 to 1: all words, those of the title, whole names, nearness in meaning of all and of
    /// the title.
    pub(super) fn of_entry(&self, score: f64, title: f64, exact: f64, near: Option<Near>) -> [f64; 5] {
        let [text, short] = match (self.near, near) {
            (Some((most, mean)), Some(near)) => {
                [lead(near.text, mean.text, most.text), lead(near.title, mean.title, most.title)]
            }
            _ => [0.0; 2],
        };
        [over(score, self.best), over(title, self.best_title), over(exact, self.best_exact), text, short]
    }
}

/// Distance above the mean, relative to the maximum; 0 below the mean.
fn lead(value: f64, mean: f64, most: f64) -> f64 {
    if most > mean { ((value - mean) / (most - mean)).max(0.0) } else { 0.0 }
}

fn over(value: f64, most: f64) -> f64 {
    if most > 0.0 { value / most } else { 0.0 }
}

/// Everything that the signals of single files are taken from.
struct Evidence<'e> {
    snapshot: &'e Snapshot,
    most: Most,
    named: FxHashMap<String, Named>,
    received: FxHashMap<NodeIx, Received>,
    most_received: Received,
    words: &'e Words,
    prefix: Option<String>,
    history: Option<&'e ProjectHistory>,
    commits: FxHashMap<String, FromCommits>,
    most_commits: FromCommits,
    together: FxHashMap<String, f64>,
    most_together: f64,
    beside: Beside<'e>,
}

/// All candidates with their signals.
pub(super) fn candidates(
    snapshot: &Snapshot,
    text: &str,
    query: &Query,
    ranked: &Ranked<'_>,
    measures: &Measures,
    history: Option<&ProjectHistory>,
) -> Vec<FileCandidate> {
    let graph = snapshot.graph();
    // They are in path order.
    let by_path =
        |path: &str| ranked.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &ranked.files[at]);
    let evidence = Evidence::gather(snapshot, text, query, ranked, measures, history);
    let mut pool: BTreeSet<&str> = BTreeSet::new();
    let keys: [(Key, usize); 5] = [
        (|file| file.score, BY_WORDS),
        (|file| file.title, BY_ENTRY),
        (|file| file.best, BY_ENTRY),
        (|file| file.exact, BY_ENTRY),
        (|file| file.used, BY_ENTRY),
    ];
    for (key, count) in keys {
        pool.extend(best_files(&ranked.files, key, count));
    }
    let near: Key = |file| file.near.map_or(0.0, |near| if near.text >= LEAST_NEAR { near.text } else { 0.0 });
    pool.extend(best_files(&ranked.files, near, BY_GRAPH));
    pool.extend(evidence.named.keys().map(String::as_str));
    let reached =
        evidence.received.iter().map(|(node, sum)| (graph.path(*node), sum.used_by + sum.uses + sum.tested_by));
    pool.extend(strongest(reached, BY_GRAPH));
    pool.extend(strongest(evidence.commits.iter().map(|(path, from)| (path.as_str(), from.like)), BY_GRAPH));
    pool.extend(strongest(evidence.together.iter().map(|(path, value)| (path.as_str(), *value)), BY_GRAPH));
    let indexed = IndexedFiles::of(snapshot);
    let candidate = |path: &str| {
        let hit = by_path(path);
        let (node, entry) = match hit.and_then(|hit| hit.file) {
            Some(number) => (indexed.node(number)?, indexed.entry(number)?),
            None => (graph.find_file(path)?, snapshot.files().by_text(path)?),
        };
        let signals = match hit {
            Some(hit) => evidence.signals(hit, entry, node),
            None => evidence.signals(&FileHit::without_words(path), entry, node),
        };
        Some(FileCandidate { path: path.to_owned(), node, signals })
    };
    let pool: Vec<&str> = pool.into_iter().collect();
    pool.into_par_iter().with_min_len(FILES_TOGETHER).filter_map(candidate).collect()
}

/// The places with the largest values.
fn strongest<'p>(values: impl Iterator<Item = (&'p str, f64)>, count: usize) -> impl Iterator<Item = &'p str> {
    let mut all: Vec<(&str, f64)> = values.filter(|(_, value)| *value > 0.0).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    all.into_iter().take(count).map(|(path, _)| path)
}

/// A part of the lexical score of a file.
type Key = fn(&FileHit<'_>) -> f64;

fn best_files<'i>(files: &[FileHit<'i>], key: Key, count: usize) -> Vec<&'i str> {
    let mut order: Vec<&FileHit<'i>> = files.iter().filter(|file| key(file) > 0.0).collect();
    let by = |a: &&FileHit<'i>, b: &&FileHit<'i>| key(b).total_cmp(&key(a)).then_with(|| a.path.cmp(b.path));
    if order.len() > count {
        order.select_nth_unstable_by(count - 1, by);
        order.truncate(count);
    }
    order.into_iter().map(|file| file.path).collect()
}

/// Words of the text, in the form of the index.
pub(super) struct Words {
    title: FxHashSet<String>,
    text: FxHashSet<String>,
}

/// Normalisation for the candidates of a query.
pub(super) struct Measures {
    pub(super) most: Most,
    pub(super) words: Words,
}

impl Measures {
    pub(super) fn of(query: &Query, ranked: &Ranked<'_>) -> Self {
        Self { most: Most::of(ranked), words: Words::of(query) }
    }
}

impl Words {
    fn of(query: &Query) -> Self {
        let words = |title: bool| {
            let terms = query.terms.iter().filter(|term| term.counts && (!title || term.in_title));
            terms.map(|term| term.forms[0].0.clone()).collect()
        };
        Self { title: words(true), text: words(false) }
    }

    /// Share of the words of a name that the title has, and that the text has.
    pub(super) fn cover(&self, name: &str) -> [f64; 2] {
        let (mut all, mut in_title, mut in_text) = (0, 0, 0);
        words::terms(name, |term| {
            all += 1;
            // The title is a part of the text.
            if self.text.contains(term) {
                in_text += 1;
                in_title += u32::from(self.title.contains(term));
            }
        });
        [in_title, in_text].map(|met| if all > 0 { f64::from(met) / f64::from(all) } else { 0.0 })
    }
}

impl<'e> Evidence<'e> {
    fn gather(
        snapshot: &'e Snapshot,
        text: &str,
        query: &Query,
        ranked: &'e Ranked<'e>,
        measures: &'e Measures,
        history: Option<&'e ProjectHistory>,
    ) -> Self {
        let Measures { most, words } = measures;
        let top = ranked.found.hits.first().map_or(1.0, |hit| hit.score);
        // Strength flows from the best hits, more from better ones.
        let (sources, files) = (ranked.found.hits.iter().take(SOURCES), IndexedFiles::of(snapshot));
        let sources: Vec<(NodeIx, f64)> =
            sources.filter_map(|hit| Some((files.node_of(hit)?, (hit.score / top).powi(2)))).collect();
        let strength = |file: &FileHit<'_>| (over(file.score, most.words) + over(file.best, most.best)) / 2.0;
        let prefix = past::prefix_of(text);
        // History and graph do not need each other.
        let of_history = || {
            let commits = |history| past::from_commits(history, query, prefix.as_deref());
            (history.map(commits).unwrap_or_default(), Beside::of(snapshot, &ranked.files, strength))
        };
        let of_graph = || (spread::spread(snapshot, &sources), mentions::find_named_files(snapshot, query));
        let ((commits, beside), (received, named)) = rayon::join(of_history, of_graph);
        // Each signal is relative to its largest value.
        let most_received = received.values().fold(Received::default(), |most, one| Received {
            used_by: most.used_by.max(one.used_by),
            uses: most.uses.max(one.uses),
            tested_by: most.tested_by.max(one.tested_by),
        });
        let has_past = |path: &str| snapshot.files().by_text(path).is_some_and(|file| !file.language.is_prose());
        let most_commits = commits.iter().filter(|(path, _)| has_past(path)).map(|(_, from)| from).fold(
            FromCommits::default(),
            |most, one| FromCommits { like: most.like.max(one.like), prefix: most.prefix.max(one.prefix) },
        );
        // Files that changed with the leaders gain; the leaders are chosen without sorting all.
        let mut leaders: Vec<(&str, f64)> = ranked.files.iter().map(|file| (file.path, strength(file))).collect();
        let by_strength = |a: &(&str, f64), b: &(&str, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(b.0));
        if leaders.len() > LEADERS {
            leaders.select_nth_unstable_by(LEADERS - 1, by_strength);
            leaders.truncate(LEADERS);
        }
        leaders.sort_by(by_strength);
        let together = history.map(|history| past::together(history, &leaders)).unwrap_or_default();
        Self {
            snapshot,
            most: *most,
            named,
            received,
            most_received,
            words,
            prefix,
            history,
            commits,
            most_commits,
            most_together: together
                .iter()
                .filter(|(path, _)| has_past(path))
                .map(|(_, value)| *value)
                .fold(0.0, f64::max),
            together,
            beside,
        }
    }

    fn signals(&self, hit: &FileHit<'_>, file: &FileEntry, node: NodeIx) -> Signals {
        let path = file.path.as_str();
        let (stem, is_front) = stem_of(path);
        let [in_title, in_text] = self.words.cover(stem);
        let flag = |value: bool| f64::from(u8::from(value));
        let most = &self.most;
        let [best, best_title, best_exact, near, near_title] =
            most.of_entry(hit.best, hit.best_title, hit.best_exact, hit.near);
        let in_aside = path.split('/').rev().skip(1).any(is_aside) || is_taken_over(path);
        let named = self.named.get(path).copied().unwrap_or_default();
        let got = self.received.get(&node).copied().unwrap_or_default();
        // A log of changes changes with everything.
        let has_past = !file.language.is_prose();
        let commits = self.commits.get(path).copied().filter(|_| has_past).unwrap_or_default();
        let history = self.history.filter(|_| has_past);
        let together = self.together.get(path).copied().filter(|_| has_past).unwrap_or(0.0);
        let recent = history.and_then(|history| past::recency(history, path)).unwrap_or_default();
        let words = over(hit.score, most.words);
        [
            words,
            over(hit.title, most.title),
            best,
            best_title,
            over(hit.exact, most.exact),
            best_exact,
            named.path,
            over(hit.used, most.used),
            named.name,
            named.module,
            named.frame,
            in_title,
            in_text,
            flag(file.is_test),
            flag(file.language.is_prose()),
            flag(in_aside),
            flag(is_front),
            importance(self.snapshot, node),
            f64::from(1 + file.lines).ln() / 10.0,
            over(got.used_by, self.most_received.used_by),
            over(got.uses, self.most_received.uses),
            over(got.tested_by, self.most_received.tested_by),
            near,
            near_title,
            over(commits.like, self.most_commits.like),
            over(commits.prefix, self.most_commits.prefix),
            self.prefix.as_deref().map_or(0.0, |prefix| past::prefix_in_path(prefix, path)),
            recent,
            over(together, self.most_together),
            self.beside.siblings(path, (words + over(hit.best, most.best)) / 2.0),
            hit.message,
        ]
    }
}

/// Returns whether a folder holds code that is not the product: by one of the words of its name (`_examples`,
/// `deno_dist`).
fn is_aside(folder: &str) -> bool {
    ASIDE.binary_search(&folder).is_ok() || folder.split(['_', '-', '.']).any(|word| ASIDE.binary_search(&word).is_ok())
}

/// Returns whether a file name indicates third-party code: it has a version (`underscore-1.3.1.js`), or is minified.
fn is_taken_over(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_version = name.split('-').skip(1).any(|part| {
        let mut numbers = part.split('.').map(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        part.starts_with(|first: char| first.is_ascii_digit())
            && numbers.next() == Some(true)
            && numbers.next() == Some(true)
    });
    has_version || name.contains(".min.")
}

/// The informative part of a path, and whether it represents its folder.
fn stem_of(path: &str) -> (&str, bool) {
    let mut parts = path.rsplit('/');
    let stem = parts.next().unwrap_or(path).split('.').next().unwrap_or(path);
    match parts.next() {
        Some(folder) if FRONT.contains(&stem) => (folder, true),
        _ => (stem, FRONT.contains(&stem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_that_were_taken_over() {
        for path in ["static/underscore-1.3.1.js", "js/jquery.min.js", "vendor.js/d3-7.0.js"] {
            assert!(is_taken_over(path), "{path}");
        }
        for path in ["src/http-2.rs", "sphinx/search-index.py", "a-1.3/main.js", "docs/adr-001.md", "mini.js"] {
            assert!(!is_taken_over(path), "{path}");
        }
    }
}
