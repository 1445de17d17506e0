//! Finds code by topic. Words give entries and whole files a lexical score; one model combines it with the other
//! signals of each file ([`SIGNALS`]), and a second one ranks the entries of each file ([`ENTRY_SIGNALS`]): the best
//! entry gets the rank of its file, the others follow by their difference, few of a file on the first page.

use crate::retrieval::importance;
use crate::retrieval::indexed_files::IndexedFiles;
use std::cmp::Ordering;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_graph::{Graph, NodeIx};
use m1nd_search::embedding::Embedding;
use m1nd_search::{FIELDS, Filter, Hit, Query, QueryTerm, Ranked};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_engine::{LocalModel, ModelUse};

mod beside;
mod connections;
mod delegates;
mod entries;
mod mentions;
mod model;
mod named;
mod past;
mod rerank;
mod said;
mod signals;
mod spread;
mod subjects;

pub use connections::Connection;
pub use connections::connections;
pub use entries::{ENTRY_SIGNALS, EntryCandidate, EntrySignals};
pub use model::{Calibration, EntryModel, FileModel};
use signals::Measures;
pub use signals::{FileCandidate, SIGNALS, Signals};

/// Lexical candidates that are ranked with the graph; more than any page holds.
const CANDIDATES: usize = 1_000;
/// Rows that are made together: fewer are not worth another core.
const ROWS_TOGETHER: usize = 128;
/// Penalty for each further node of the same file.
const NEXT_OF_FILE: f64 = 0.4;
/// Rows of a page, which show more files than the values of their rows alone would.
const FIRST_ROWS: usize = 20;
/// Of the first rows, at most so many are of the first file, half as many of the second, and so on; one of each
/// further file. On texts of `eval localize`, twenty rows are then of ten files instead of seven, and hold as many of
/// the changed functions. One row of each file, then the second of each, loses a third of those among the first ten.
const MOST_OF_FIRST: usize = 8;
/// Difference of model values of rows that are arranged against their values.
const STEP: f64 = 1e-6;
/// Words of a question that ask for documents.
const TEXT_WORDS: &[&str] =
    &["changelog", "doc", "docs", "documentation", "documented", "guide", "manual", "readme", "section", "tutorial"];
/// Difference of model values by which a score falls to a third.
const SCALE: f64 = 5.0;
/// Candidates that have a row of their own, for the file, if none of their entries has one.
const BEST_FILES: usize = 100;
/// Weight of similarity in meaning relative to words, if no word matches.
const MEANING_SHARE: f64 = 0.6;
/// Longest summary, in bytes.
const SUMMARY_BYTES: usize = 240;

/// A query for code by topic.
#[derive(Debug, Clone, Default)]
pub struct SeekQuery {
    /// Words, names, paths.
    pub text: String,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Kinds to find; all if empty.
    pub kinds: Vec<NodeKind>,
    /// Rows with a lower score are left out, 0 to 1.
    pub min_score: f64,
    /// Whether more than words counts: meaning, the graph, the history.
    pub graph_rerank: bool,
    /// Leaves the meaning out: no vectors.
    pub without_vectors: bool,
    /// Re-ranks the first rows; only with `graph_rerank`.
    pub model: Option<Arc<LocalModel>>,
}

impl SeekQuery {
    fn filter(&self) -> Filter<'_> {
        let kinds = self.kinds.iter().fold(0u64, |mask, kind| mask | 1 << (*kind as u8));
        Filter {
            scope: Some(self.scope.as_str()).filter(|scope| !scope.is_empty()),
            kinds: Some(kinds).filter(|kinds| *kinds != 0),
        }
    }
}

/// A node that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SeekRow {
    /// The node.
    pub node: NodeIx,
    /// Its rank value, 0 to 1.
    pub score: f64,
    /// The same before rows of one file were set apart; not below `score`.
    pub alone: f64,
    /// Words alone, 0 to 1.
    pub lexical: f64,
    /// Cosine of its vector with that of the query; `None` where there is none.
    pub meaning: Option<f64>,
    /// Recency of its file's last change, 0 to 1; `None` without history.
    pub recency: Option<f64>,
    /// Importance in the graph, 0 to 1.
    pub prior: f64,
    /// Field with the largest share of the lexical score: `name`, `owner`, `signature`, `doc`, `path`, `body`,
    /// `literal`. Without matching words `meaning`, or `context` for neighbouring files and history.
    pub best_field: &'static str,
    /// Words of the question that it meets.
    pub matched: Vec<Arc<str>>,
}

impl SeekRow {
    /// Returns whether it meets this word of the question.
    pub fn meets(&self, word: &str) -> bool {
        self.matched.iter().any(|met| **met == *word)
    }
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeekAnswer {
    /// Rows, best first; at most [`SeekAnswer::MAX_ROWS`].
    pub rows: Vec<SeekRow>,
    /// Nodes that meet any word.
    pub candidates: usize,
    /// More nodes meet a word than were ranked, or some of a file that the model did not weigh: the number of rows is a
    /// lower bound.
    pub is_cut: bool,
    /// Number of leading rows that the query names; 0 if it is more than a name.
    pub named: usize,
    /// Rows left out for their score.
    pub below_min_score: usize,
    /// Best score of another row than the first before rows of one file were set apart, whether or not it was left out
    /// for it.
    pub second_score: Option<f64>,
    /// Best score of a row of another file than the first, whether or not it was left out for it.
    pub other_file_score: Option<f64>,
    /// Words of [`SeekAnswer::words`] that rows of the first row's file meet together.
    pub met_in_file: usize,
    /// The question is longer than a question: an issue, a message, a report.
    pub is_long: bool,
    /// Number of nodes examined.
    pub scanned: usize,
    /// Words that were looked for.
    pub words: Vec<String>,
    /// Words of the question that no found row meets.
    pub unmatched: Vec<String>,
    /// Vectors took part.
    pub used_vectors: bool,
    /// The unused part of the history, and the reason; `None` if all of it was used.
    pub no_history: Option<String>,
    /// The file with the best model score; `None` if only words were used. It need not be that of the first row:
    /// scope, kinds, priming and feedback are applied after the model.
    pub best_file: Option<NodeIx>,
    /// The model's confidence in that file, 0 to 1.
    pub confidence: Option<f64>,
    /// Effect of the query's model.
    pub model: Option<ModelUse>,
    /// Parts of the query and of the index left out because of limits.
    pub left_out: LeftOut,
}

/// Parts of a query or of the index left out because of limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Bytes of a very long question that are not read.
    pub bytes: usize,
    /// Words, whole names and paths of a long question that are read and not looked up.
    pub words: usize,
    /// See [`LeftOut::words`].
    pub names: usize,
    /// See [`LeftOut::words`].
    pub paths: usize,
    /// Number of words that are looked up, but without a report whether a row matches them.
    pub untold: usize,
    /// Entries that hold more words than [`LeftOut::KEPT_WORDS`] each, the first ones, or very long texts.
    pub entries: usize,
    /// Files that use more names of several words than [`LeftOut::KEPT_NAMES`], the first ones.
    pub files: usize,
    /// Names of several words of the question that no file is known to use, in small letters and without `_`.
    pub unknown_names: Vec<String>,
}

impl LeftOut {
    /// Distinct words of its code that an entry is found by.
    pub const KEPT_WORDS: usize = m1nd_search::MAX_BODY_TERMS;
    /// Distinct names of several words of which is known that a file uses them.
    pub const KEPT_NAMES: usize = m1nd_search::MAX_USED_NAMES;

    fn of(snapshot: &Snapshot, query: &Query, told: usize, ranked: &Ranked<'_>) -> Self {
        let counted = query.terms.iter().filter(|term| term.counts).count();
        let index = &snapshot.index();
        Self {
            bytes: query.beyond.bytes,
            words: query.beyond.words.len(),
            names: query.beyond.names.len(),
            paths: query.beyond.mentions.len(),
            untold: counted - told,
            entries: index.entries_in_part(),
            files: index.files_in_part(),
            unknown_names: ranked.unknown_names.clone(),
        }
    }
}

impl SeekAnswer {
    /// Most rows that one question gives.
    pub const MAX_ROWS: usize = CANDIDATES;
    /// Maximum words with a report whether a row matches them: the highest-weighted ones.
    pub const TOLD_WORDS: usize = 64;
}

/// Returns nodes by topic: words in names, headers, comments, paths and bodies, then importance in the graph.
///
/// # Errors
/// [`Cancelled`].
pub fn seek(snapshot: &Snapshot, query: &SeekQuery, cancel: &Cancel) -> Result<SeekAnswer, Cancelled> {
    let history = if query.graph_rerank { snapshot.loaded_history() } else { None };
    seek_given(snapshot, query, history.as_ref(), cancel)
}

/// Like [`seek`], with the given history, so that a multi-step query uses a single state of it.
///
/// # Errors
/// [`Cancelled`].
pub fn seek_given(
    snapshot: &Snapshot,
    query: &SeekQuery,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<SeekAnswer, Cancelled> {
    // All of it among the threads that its parts are shared with: each part then starts without a switch of threads.
    let (mut answer, mut rows) = rayon::scope(|_| rank_rows(snapshot, query, history, cancel))?;
    if query.graph_rerank {
        said::raise(snapshot, &query.text, &mut rows, cancel)?;
        delegates::lift(snapshot, &mut rows);
    }
    if let Some(model) = query.model.as_ref().filter(|_| query.graph_rerank) {
        answer.model = Some(rerank::rerank(snapshot, &mut rows, &query.text, model, cancel)?);
    }
    answer.named = named::lift(snapshot, &query.text, &query.filter(), &mut rows);
    let before = rows.len();
    answer.second_score = second_score(&rows);
    about_first_file(snapshot, &rows, &mut answer);
    rows.retain(|row| row.score >= query.min_score);
    answer.below_min_score = before - rows.len();
    let unmet = |word: &&String| !rows.iter().any(|row| row.meets(word));
    answer.unmatched = answer.words.iter().filter(unmet).cloned().collect();
    answer.rows = rows;
    Ok(answer)
}

/// Returns candidate files for a text, with the signals that the ranking of [`seek`] uses.
///
/// # Errors
/// [`Cancelled`].
pub fn seek_files(snapshot: &Snapshot, text: &str, cancel: &Cancel) -> Result<Vec<FileCandidate>, Cancelled> {
    seek_files_given(snapshot, text, snapshot.loaded_history().as_ref(), cancel)
}

/// Like [`seek_files`], with the given history.
///
/// # Errors
/// [`Cancelled`].
pub fn seek_files_given(
    snapshot: &Snapshot,
    text: &str,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<Vec<FileCandidate>, Cancelled> {
    let parsed = Query::parse(text);
    let table = Some(Embedding::built_in());
    let ranked = snapshot.index().rank(&parsed, CANDIDATES, &Filter::default(), table, cancel)?;
    Ok(signals::candidates(snapshot, text, &parsed, &ranked, &Measures::of(&parsed, &ranked), history))
}

/// Returns candidate entries for a text, with the signals that the ranking within files uses.
///
/// # Errors
/// [`Cancelled`].
pub fn seek_entries(snapshot: &Snapshot, text: &str, cancel: &Cancel) -> Result<Vec<EntryCandidate>, Cancelled> {
    let parsed = Query::parse(text);
    let table = Some(Embedding::built_in());
    let ranked = snapshot.index().rank(&parsed, CANDIDATES, &Filter::default(), table, cancel)?;
    let measures = Measures::of(&parsed, &ranked);
    let files = IndexedFiles::of(snapshot);
    let candidate = |hit: &Hit<'_>| {
        let node = files.node_of(hit)?;
        Some(EntryCandidate { node, signals: entries::signals(snapshot.graph(), node, hit, &measures) })
    };
    Ok(ranked.found.hits.iter().chain(&ranked.nearest).filter_map(candidate).collect())
}

/// Summary of a node: the start of its doc comment, else its header; empty if it has neither.
pub fn summary(snapshot: &Snapshot, node: NodeIx) -> String {
    let doc = snapshot.graph().doc(node);
    let text = match snapshot.graph().kind(node) {
        _ if !doc.is_empty() => first_sentence(doc),
        // The package of a file says nothing of it.
        NodeKind::File => "",
        _ => snapshot.graph().signature(node),
    };
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    folded[..folded.floor_char_boundary(SUMMARY_BYTES)].to_owned()
}

fn first_sentence(text: &str) -> &str {
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    paragraph.find(". ").or_else(|| paragraph.find(".\n")).map_or(paragraph, |end| &paragraph[..=end])
}

/// Best score of another row than the first, see [`SeekAnswer::second_score`].
pub(super) fn second_score(rows: &[SeekRow]) -> Option<f64> {
    rows.iter().skip(1).map(|row| row.alone.max(row.score)).max_by(f64::total_cmp)
}

/// Evidence for the file of the first row against the other files.
fn about_first_file(snapshot: &Snapshot, rows: &[SeekRow], answer: &mut SeekAnswer) {
    let graph = snapshot.graph();
    let Some(file) = rows.first().map(|row| graph.file(row.node)) else { return };
    let is_own = |row: &&SeekRow| graph.file(row.node) == file;
    answer.other_file_score = rows.iter().find(|row| !is_own(row)).map(|row| row.score);
    let met: FxHashSet<&str> =
        rows.iter().filter(is_own).flat_map(|row| row.matched.iter().map(|word| &**word)).collect();
    answer.met_in_file = met.len();
}

/// The answer without its rows, and the rows in order, before a model of the user's own has its say.
fn rank_rows(
    snapshot: &Snapshot,
    query: &SeekQuery,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<(SeekAnswer, Vec<SeekRow>), Cancelled> {
    let parsed = Query::parse(&query.text);
    let filter = query.filter();
    let table = Some(Embedding::built_in()).filter(|_| query.graph_rerank && !query.without_vectors);
    let ranked = snapshot.index().rank(&parsed, CANDIDATES, &filter, table, cancel)?;
    // Nodes that only match in meaning count only together with the other signals.
    let nearest = ranked.nearest.iter().filter(|_| query.graph_rerank);
    let hits: Vec<&Hit<'_>> = ranked.found.hits.iter().chain(nearest).collect();
    let told: Vec<(usize, Arc<str>)> =
        list_reported_terms(&parsed).map(|(number, term)| (number, Arc::from(term.text.as_str()))).collect();
    let no_history = no_history(history);
    let history = history.filter(|history| history.is_known());
    let measures = Measures::of(&parsed, &ranked);
    let make = || build_rows(snapshot, &hits, &told, query.graph_rerank.then_some(&measures));
    let judge = || {
        let judge = || signals::candidates(snapshot, &query.text, &parsed, &ranked, &measures, history);
        query.graph_rerank.then(judge)
    };
    let (made, judged) = rayon::join(make, judge);
    let mut answer = SeekAnswer {
        candidates: ranked.found.candidates,
        is_cut: ranked.found.candidates > CANDIDATES,
        scanned: ranked.found.scanned,
        is_long: parsed.is_long,
        used_vectors: ranked.mean_near.is_some(),
        left_out: LeftOut::of(snapshot, &parsed, told.len(), &ranked),
        ..SeekAnswer::default()
    };
    let mut rows: Vec<SeekRow> = match judged {
        None => made.into_iter().map(|(_, row)| row).collect(),
        Some(files) => {
            answer.no_history = no_history;
            let strength = ranked.found.hits.first().map_or(0.0, |hit| bound_value(hit.relative));
            let judged = Judged { files: &files, parsed: &parsed, strength };
            let met = made.len();
            let (mut rows, kept) = order(snapshot, made, &filter, &judged);
            answer.is_cut |= kept < met;
            history.into_iter().for_each(|history| add_recency(snapshot, history, &mut rows));
            answer.best_file = best_file(&files);
            answer.confidence = Some(FileModel::load_fitted().confidence(files.iter().map(|file| &file.signals)));
            rows
        }
    };
    let id = |row: &SeekRow| snapshot.graph().id(row.node);
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b))));
    rows.truncate(SeekAnswer::MAX_ROWS);
    answer.words = told.iter().map(|(_, word)| word.to_string()).collect();
    Ok((answer, rows))
}

/// Adds how lately the files of rows changed.
fn add_recency(snapshot: &Snapshot, history: &ProjectHistory, rows: &mut [SeekRow]) {
    let mut known: FxHashMap<&str, Option<f64>> = FxHashMap::default();
    for row in rows {
        let path = snapshot.graph().path(row.node);
        row.recency = *known.entry(path).or_insert_with(|| past::recency(history, path));
    }
}

/// The terms with a report whether a row matches them, and their indexes.
fn list_reported_terms(parsed: &Query) -> impl Iterator<Item = (usize, &QueryTerm)> {
    parsed.terms.iter().enumerate().take(SeekAnswer::TOLD_WORDS).filter(|(_, term)| term.counts)
}

/// The part of the history that the ranking cannot use, and the reason.
fn no_history(history: Option<&ProjectHistory>) -> Option<String> {
    let Some(history) = history else { return Some("not loaded yet".to_owned()) };
    let gaps = history.gaps_within_limits();
    (!gaps.is_empty()).then(|| gaps.join("; "))
}

/// The file that the model values most.
fn best_file(files: &[FileCandidate]) -> Option<NodeIx> {
    let model = FileModel::load_fitted();
    let valued = files.iter().map(|file| (model.value(&file.signals), file));
    let best = valued.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.path.cmp(&a.1.path)));
    best.map(|(_, file)| file.node)
}

/// Result of ranking files.
struct Judged<'j> {
    files: &'j [FileCandidate],
    parsed: &'j Query,
    /// Share of the words matched by the best entry, 0 to 1.
    strength: f64,
}

/// Gives the rows, each with its value inside of its file, the scores of the model. With them how many of the rows
/// there are: those whose file is none that it weighed are left out, and files that have no row are added.
fn order(
    snapshot: &Snapshot,
    rows: Vec<(f64, SeekRow)>,
    filter: &Filter<'_>,
    judged: &Judged<'_>,
) -> (Vec<SeekRow>, usize) {
    let graph = snapshot.graph();
    let model = FileModel::load_fitted();
    let parsed = judged.parsed;
    // A question about tests or texts wants the files that every other question ranks low.
    let about = |says: fn(&str) -> bool| {
        !parsed.is_long && parsed.terms.iter().any(|term| term.in_title && term.counts && says(&term.text))
    };
    let about_tests = about(|word| word.starts_with("test"));
    let only_sections = filter.kinds == Some(1 << NodeKind::Section as u8);
    let about_text = only_sections || about(|word| TEXT_WORDS.contains(&word));
    let by_node: FxHashMap<NodeIx, &FileCandidate> = judged.files.iter().map(|file| (file.node, file)).collect();
    let of_file = |file: &FileCandidate| {
        let mut signals = file.signals;
        if about_tests {
            signals[signals::place("is_test")] = 0.0;
        }
        if about_text {
            signals[signals::place("is_text")] = 0.0;
            signals[signals::place("is_aside")] = 0.0;
        }
        model.value(&signals)
    };
    // The model weighs files; the rows of a file keep their distances to its best row.
    let mut by_file: FxHashMap<NodeIx, Vec<(f64, SeekRow)>> = FxHashMap::default();
    for (value, row) in rows {
        let Some(file) = graph.file(row.node).filter(|file| by_node.contains_key(file)) else { continue };
        let value = value - entries::less(graph.kind(row.node), about_text);
        by_file.entry(file).or_default().push((value, row));
    }
    let kept = by_file.values().map(Vec::len).sum();
    let mut valued = value_rows(graph, by_file, |file| of_file(by_node[&file]));
    add_files(snapshot, filter, judged, &mut valued);
    let valued = arrange_rows(graph, valued);
    // Scores fall off from the top row, whose own score is how well the words or the meaning match at all.
    let top = valued.first().map_or(f64::NEG_INFINITY, |(value, ..)| *value);
    let meaning = valued.iter().filter_map(|(.., row)| row.meaning).fold(0.0, f64::max);
    let strength = judged.strength.max(meaning * MEANING_SHARE);
    let score = |value: f64| strength * ((value - top) / SCALE).exp();
    let rows = valued.into_iter().map(|(value, alone, mut row)| {
        (row.score, row.alone) = (score(value), score(alone));
        row
    });
    (rows.collect(), kept)
}

/// Rows in the order of the page: by value, but the first rows hold only so many of one file, see [`MOST_OF_FIRST`];
/// the others follow behind them. Values are lowered where that order demands it; the original ones follow them.
fn arrange_rows(graph: &Graph, mut rows: Vec<(f64, SeekRow)>) -> Vec<(f64, f64, SeekRow)> {
    rows.sort_by(|a, b| by_value(graph, a, b));
    // Of each file: its rank, and how many of its rows there were.
    let mut files: FxHashMap<Option<NodeIx>, (usize, usize)> = FxHashMap::default();
    let (mut first, mut others) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let next = files.len();
        let (rank, rows) = files.entry(graph.file(row.1.node)).or_insert((next, 0));
        let most = (MOST_OF_FIRST >> (*rank).min(MOST_OF_FIRST)).max(1);
        let fits = first.len() < FIRST_ROWS && *rows < most;
        *rows += 1;
        if fits { &mut first } else { &mut others }.push(row);
    }
    let mut least = f64::INFINITY;
    let lowered = first.into_iter().chain(others).map(|(value, row)| {
        least = value.min(least - STEP);
        (least, value, row)
    });
    lowered.collect()
}

/// Value of every row: that of its file, minus its difference to the best one of the file.
fn value_rows(
    graph: &Graph,
    by_file: FxHashMap<NodeIx, Vec<(f64, SeekRow)>>,
    of_file: impl Fn(NodeIx) -> f64,
) -> Vec<(f64, SeekRow)> {
    let mut all = Vec::new();
    for (file, mut rows) in by_file {
        rows.sort_by(|a, b| by_value(graph, a, b));
        let (of_file, best) = (of_file(file), rows[0].0);
        let rows = rows.into_iter().enumerate();
        all.extend(rows.map(|(at, (value, row))| (of_file - (best - value) - NEXT_OF_FILE * at as f64, row)));
    }
    all
}

fn by_value(graph: &Graph, a: &(f64, SeekRow), b: &(f64, SeekRow)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| graph.id(a.1.node).cmp(graph.id(b.1.node)))
}

/// Adds the files that are among the best though none of their entries has a row.
fn add_files(snapshot: &Snapshot, filter: &Filter<'_>, judged: &Judged<'_>, valued: &mut Vec<(f64, SeekRow)>) {
    let graph = snapshot.graph();
    if filter.kinds.is_some_and(|kinds| kinds >> NodeKind::File as u8 & 1 == 0) {
        return;
    }
    let model = FileModel::load_fitted();
    let known: FxHashSet<Option<NodeIx>> = valued.iter().map(|(_, row)| graph.file(row.node)).collect();
    let mut best: Vec<(f64, &FileCandidate)> =
        judged.files.iter().map(|file| (model.value(&file.signals), file)).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    for (value, file) in best.into_iter().take(BEST_FILES) {
        if known.contains(&Some(file.node)) || !m1nd_search::is_within(&file.path, filter.scope) {
            continue;
        }
        let row = SeekRow {
            node: file.node,
            score: 0.0,
            alone: 0.0,
            lexical: 0.0,
            meaning: None,
            recency: None,
            prior: importance(snapshot, file.node),
            best_field: "context",
            matched: Vec::new(),
        };
        valued.push((value, row));
    }
}

/// Maps the open-ended scale of the index to 0 to 1, without ties at the top: half of the maximum for all words gives
/// 0.55.
fn bound_value(relative: f64) -> f64 {
    1.0 - (-1.6 * relative.max(0.0)).exp()
}

/// The rows of hits, each with its value inside of its file if there are measures for it.
fn build_rows(
    snapshot: &Snapshot,
    hits: &[&Hit<'_>],
    told: &[(usize, Arc<str>)],
    measures: Option<&Measures>,
) -> Vec<(f64, SeekRow)> {
    let (inside, files) = (EntryModel::load_fitted(), IndexedFiles::of(snapshot));
    let make = |hit: &&Hit<'_>| {
        let row = row(snapshot, files.node_of(hit)?, hit, told);
        let signals = measures.map(|measures| entries::signals(snapshot.graph(), row.node, hit, measures));
        Some((signals.map_or(0.0, |signals| inside.value(&signals)), row))
    };
    let made: Vec<Option<(f64, SeekRow)>> = hits.par_iter().with_min_len(ROWS_TOGETHER).map(make).collect();
    made.into_iter().flatten().collect()
}

/// The row of a hit; `told` are the words of the question with the numbers of their terms.
fn row(snapshot: &Snapshot, node: NodeIx, hit: &Hit<'_>, told: &[(usize, Arc<str>)]) -> SeekRow {
    let best = hit.fields.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(field, _)| field);
    let met = told.iter().filter(|(number, _)| hit.matched >> number & 1 == 1);
    SeekRow {
        node,
        score: bound_value(hit.relative),
        alone: bound_value(hit.relative),
        lexical: bound_value(hit.relative),
        meaning: hit.near.map(|near| near.text),
        recency: None,
        prior: importance(snapshot, node),
        best_field: match hit.score > 0.0 {
            true => FIELDS.get(best).map_or("name", |settings| settings.field.word()),
            false => "meaning",
        },
        matched: met.map(|(_, word)| word.clone()).collect(),
    }
}
