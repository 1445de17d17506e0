//! `predict`: what else will have to change.

mod beside;
mod calibrate;
mod evidence;
mod joint;
mod signals;
mod symbols;

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{LoadedHistory, PlacedHistory, ProjectHistory};
use m1nd_graph::NodeIx;
use m1nd_history::Moment;
use rustc_hash::{FxHashMap, FxHashSet};

pub use beside::Beside;
pub(crate) use beside::{folder_of, stem_of, words_of};
pub use calibrate::{ACT_SHARE, Calibration, REVERIFY_SHARE, Source, Stratum, Threshold, Verdict, questions_of};
pub use joint::{JOINT_SIGNALS, JointModel, Part, joint_model, joint_signals};
pub use signals::{
    Around, Candidate, Changed, FileLinks, GRAPH_SIGNALS, PREDICT_SIGNALS, PredictModel, candidates, predict_model,
};

pub use symbols::{SymbolAnswer, SymbolRow};

use super::node_changes::{CannotTell, node_changes};
use super::timeline::{Velocity, velocity_of};
use joint::join_parts;
use signals::{of_code, signal};

/// Maximum rows.
const MAX_ROWS: usize = 1_000;
/// Commits cited for a row.
const CITED: usize = 3;
/// Share of additions to a folder from which a file counts as changed with them.
const OFTEN: f64 = 0.2;
/// Days over which the trend of the changed node is computed.
const TREND_DAYS: f64 = 90.0;

/// A question: which files change with some nodes.
#[derive(Debug, Clone)]
pub struct PredictQuery {
    /// The changed files and symbols.
    pub changed: Vec<NodeIx>,
    /// Changed files without a node, by path: they are not predicted either.
    pub also_changed: Vec<String>,
    /// Fewest common commits that count. A row with fewer has none, and must rest on the code, names or folders.
    pub min_support: u32,
    /// Also answer for the symbols that change with the first changed node, if that is one.
    pub with_symbols: bool,
    /// Wait until the repository is calibrated. Otherwise an answer that comes before has no probabilities, see
    /// [`PredictAnswer::is_being_measured`].
    pub waits: bool,
}

/// A file that may have to change.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictRow {
    /// Its path in the index.
    pub path: String,
    /// Its node, if it is indexed.
    pub node: Option<NodeIx>,
    /// The changed node that it belongs to most.
    pub because_of: NodeIx,
    /// What it rests on.
    pub source: Source,
    /// Common commits.
    pub support: u32,
    /// Commits of the changed node that count for co-change.
    pub of: u32,
    /// Value of the model, which orders rows of the same verdict: that of all changed nodes together. Connections in
    /// the code are part of it.
    pub value: f64,
    /// Probability that it changes with the node by the history alone, 0 to 1: calibrated if
    /// [`PredictAnswer::calibration`] is known.
    pub probability: f64,
    /// Whether to act on it.
    pub verdict: Verdict,
    /// Strength of the connection in the code, 0 to 1.
    pub linked: f64,
    /// It tests the changed file, or the reverse.
    pub tests: bool,
    /// The names of the files are alike.
    pub is_alike: bool,
    /// Share of the newest commits that added a file like the changed one, in its folder, that changed this one, too, 0
    /// to 1; smaller commits and newer ones count more.
    pub with_additions: f64,
    /// The newest common commits: full name and subject (text of the repository).
    pub commits: Vec<(String, String)>,
}

impl PredictRow {
    /// Whether it rests on more than common commits: on the code, names, additions to the folder, or what was measured.
    fn rests_on_more(&self) -> bool {
        let measured = self.source == Source::Structure && self.verdict != Verdict::Abstain;
        self.linked > 0.0 || self.is_alike || self.with_additions >= OFTEN || measured
    }
}

/// Files that may have to change.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictAnswer {
    /// The files, most probable first.
    pub rows: Vec<PredictRow>,
    /// The symbols that change with the first changed node, if that is a symbol with a history, and they were asked
    /// for.
    pub symbols: Option<SymbolAnswer>,
    /// The calibration on the repository of the first changed node.
    pub calibration: Arc<Calibration>,
    /// Trend of the first changed node, and its commits per 30 days in the older and newer half of the last 90 days.
    pub velocity: Option<(Velocity, (f64, f64))>,
    /// Changed nodes without a history, with the reason.
    pub untold: Vec<(NodeIx, CannotTell)>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
    /// The calibration is still being measured, in the background.
    pub is_being_measured: bool,
}

/// The files that may have to change with some nodes.
///
/// # Errors
/// [`Cancelled`].
pub fn predict(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    query: &PredictQuery,
    cancel: &Cancel,
) -> Result<PredictAnswer, Cancelled> {
    let links = snapshot.derived_values().get_or_init(|| FileLinks::of(snapshot.graph()));
    let mut answer = PredictAnswer {
        rows: Vec::new(),
        symbols: None,
        calibration: Arc::default(),
        velocity: None,
        untold: Vec::new(),
        gaps: Vec::new(),
        is_being_measured: false,
    };
    let mut best: FxHashMap<String, (PredictRow, Vec<Part>)> = FxHashMap::default();
    for (place, &node) in query.changed.iter().enumerate() {
        cancel.check()?;
        let rows = match node_changes(snapshot, history, node, false, cancel) {
            Ok(found) => {
                let own: Vec<usize> = found.changes.iter().filter(|row| !row.is_format).map(|row| row.commit).collect();
                let beside = found.place.loaded.derived_values().get_or_init(|| Beside::of(found.place.history));
                let prefix = found.place.outer("");
                let around = Around { links: &links, beside: &beside, prefix: &prefix };
                // The precision is measured on the history itself; the measurement may still be running.
                let calibration = calibration(&found.place, query.waits, cancel)?;
                answer.is_being_measured |= calibration.is_none();
                let calibration = calibration.unwrap_or_default();
                if place == 0 {
                    answer.velocity = Some(velocity_of(found.place.history, &own, TREND_DAYS));
                    answer.calibration = calibration.clone();
                }
                answer
                    .gaps
                    .extend(found.gaps.iter().filter(|gap| !answer.gaps.contains(gap)).cloned().collect::<Vec<_>>());
                let own: Vec<usize> =
                    own.into_iter().filter(|&commit| found.place.history.commits()[commit].counts_together()).collect();
                let asked = Changed { path: &found.place.inner, commits: &own };
                let rows = rows_of(snapshot, (node, asked, query.min_support), &found.place, around, &calibration);
                if place == 0 && query.with_symbols && snapshot.graph().kind(node) != NodeKind::File {
                    let asked = (node, own.as_slice());
                    let files = often_with(&rows, query.min_support);
                    let state = (snapshot, history);
                    answer.symbols = Some(symbols::symbols_with(state, asked, &files, query.min_support, cancel)?);
                }
                rows
            }
            Err(CannotTell::Cancelled) => return Err(Cancelled),
            // Without commits of its own, what lies beside the file or is connected with it in the code has to do.
            Err(reason) => {
                let found = match &reason {
                    CannotTell::NoCommits { .. } => {
                        beside_it((snapshot, history), (node, query.min_support), (&links, query.waits), cancel)?
                    }
                    _ => None,
                };
                answer.untold.push((node, reason));
                match found {
                    Some((rows, calibration)) => {
                        if place == 0 {
                            answer.calibration = calibration;
                        }
                        rows
                    }
                    None => list_connected(snapshot, node, &links),
                }
            }
        };
        // A file may follow from several changed nodes: the surest reason is shown, all of them count.
        for (row, part) in rows {
            let (known, parts) = best.entry(row.path.clone()).or_insert_with(|| (row.clone(), Vec::new()));
            parts.push(part);
            if (row.verdict, known.value) < (known.verdict, row.value) {
                *known = row;
            }
        }
    }
    let graph = snapshot.graph();
    // What changes anyway needs no prediction.
    let mut changed: FxHashSet<&str> = query.changed.iter().map(|&node| graph.path(node)).collect();
    changed.extend(query.also_changed.iter().map(String::as_str));
    let (model, count) = (joint_model(), query.changed.len());
    let of_all = |(row, parts): (PredictRow, Vec<Part>)| PredictRow { value: join_parts(&model, &parts, count), ..row };
    answer.rows = best.into_values().map(of_all).filter(|row| !changed.contains(row.path.as_str())).collect();
    answer.rows.retain(|row| row.support >= query.min_support || row.rests_on_more());
    answer.rows.sort_by(|a, b| {
        let by_verdict = a.verdict.cmp(&b.verdict);
        by_verdict.then_with(|| b.value.total_cmp(&a.value)).then_with(|| a.path.cmp(&b.path))
    });
    answer.rows.truncate(MAX_ROWS);
    Ok(answer)
}

/// The calibration of a repository: measured once per history. Connections in the code are not part of it, because
/// those of today are partly a result of the replayed commits. `None` if it is not there in a moment and nobody
/// `waits`.
fn calibration(place: &PlacedHistory<'_>, waits: bool, cancel: &Cancel) -> Result<Option<Arc<Calibration>>, Cancelled> {
    let measure = |loaded: &LoadedHistory, cancel: &Cancel| {
        let beside = loaded.derived_values().get_or_init(|| Beside::of(loaded.history()));
        Calibration::of(loaded.history(), &beside, &predict_model(), cancel)
    };
    match waits {
        true => place.loaded.derived_values().get_or_try_init(|| measure(place.loaded, cancel)).map(Some),
        // Nobody cancels it: whoever asks next needs it, too.
        false => Ok(place.loaded.derived_at_hand(move |loaded| measure(loaded, &Cancel::new()).unwrap_or_default())),
    }
}

/// All candidates for a changed node. Fewer common commits than `min_support` do not count: such a row rests on the
/// code, names or folders, and nothing was measured about it.
fn rows_of(
    snapshot: &Snapshot,
    (node, asked, min_support): (NodeIx, Changed<'_>, u32),
    place: &PlacedHistory<'_>,
    around: Around<'_>,
    calibration: &Calibration,
) -> Vec<(PredictRow, Part)> {
    let graph = snapshot.graph();
    let model = predict_model();
    let (linked, tests) = (signal("linked"), signal("test_link"));
    let (alike, additions) = (signal("same_stem"), signal("additions"));
    let own = asked.commits;
    let found = candidates(place.history, asked, around, Moment::NOW);
    let row = |candidate: Candidate<'_>| {
        let inner = candidate.file.path();
        // Common commits below the minimum are neither shown nor counted as evidence.
        let is_counted = candidate.support > 0 && candidate.support >= min_support;
        let source = if is_counted { Source::CoChange } else { Source::Structure };
        let path = place.outer(inner);
        let probability = calibration.probability(model.value(&candidate.without_graph()), source);
        let part = Part::of(&candidate, &model);
        let row = PredictRow {
            value: part.value,
            node: graph.find_file(&path),
            because_of: node,
            source,
            support: if is_counted { candidate.support } else { 0 },
            of: candidate.own,
            probability,
            verdict: match candidate.support > 0 && !is_counted {
                true => Verdict::Abstain,
                false => calibration.verdict(probability, source, inner),
            },
            linked: candidate.signals[linked],
            tests: candidate.signals[tests] > 0.0,
            is_alike: candidate.signals[alike] > 0.0,
            with_additions: candidate.signals[additions],
            commits: if is_counted { cite_commits(place, own, &candidate) } else { Vec::new() },
            path,
        };
        (row, part)
    };
    found.into_iter().map(row).collect()
}

/// Paths of the indexed files with the most common commits.
fn often_with(rows: &[(PredictRow, Part)], least: u32) -> Vec<&str> {
    let mut often: Vec<&PredictRow> =
        rows.iter().map(|(row, _)| row).filter(|row| row.node.is_some() && row.support >= least.max(1)).collect();
    often.sort_by(|a, b| b.support.cmp(&a.support).then_with(|| a.path.cmp(&b.path)));
    often.into_iter().map(|row| row.path.as_str()).collect()
}

/// The newest common commits.
fn cite_commits(place: &PlacedHistory<'_>, own: &[usize], candidate: &Candidate<'_>) -> Vec<(String, String)> {
    if candidate.support == 0 {
        return Vec::new();
    }
    let key = candidate.file.key();
    let common = own.iter().filter(|&&commit| place.history.all_touched_by(commit).any(|file| file.key() == key));
    let named = common.take(CITED).map(|&commit| &place.history.commits()[commit]);
    named.map(|commit| (commit.name(), commit.subject.to_string())).collect()
}

/// Rows with the calibration that their probabilities come from.
type Estimated = (Vec<(PredictRow, Part)>, Arc<Calibration>);

/// For a file that no commit touched yet: what the commits of files like it say. `None` if its root has no history.
fn beside_it(
    (snapshot, history): (&Snapshot, &ProjectHistory),
    (node, min_support): (NodeIx, u32),
    (links, waits): (&FileLinks, bool),
    cancel: &Cancel,
) -> Result<Option<Estimated>, Cancelled> {
    let Ok(place) = history.place(snapshot.graph().path(node)) else { return Ok(None) };
    let beside = place.loaded.derived_values().get_or_init(|| Beside::of(place.history));
    let calibration = calibration(&place, waits, cancel)?.unwrap_or_default();
    let prefix = place.outer("");
    let around = Around { links, beside: &beside, prefix: &prefix };
    let asked = Changed { path: &place.inner, commits: &[] };
    Ok(Some((rows_of(snapshot, (node, asked, min_support), &place, around, &calibration), calibration)))
}

/// Without a history: the files connected in the code, which nothing measures.
fn list_connected(snapshot: &Snapshot, node: NodeIx, links: &FileLinks) -> Vec<(PredictRow, Part)> {
    let graph = snapshot.graph();
    let model = predict_model();
    let is_test = |node: Option<NodeIx>| node.is_some_and(|node| graph.flags(node).has(m1nd_graph::NodeFlags::TEST));
    let own = graph.file(node);
    let row = |(path, strength): &(String, f64)| {
        let other = graph.find_file(path);
        let tests = is_test(own) != is_test(other);
        let value = model.value(&of_code(*strength, tests));
        let row = PredictRow {
            path: path.clone(),
            node: other,
            because_of: node,
            source: Source::Structure,
            support: 0,
            of: 0,
            value,
            probability: 0.0,
            verdict: Verdict::Abstain,
            linked: *strength,
            tests,
            is_alike: false,
            with_additions: 0.0,
            commits: Vec::new(),
        };
        (row, Part { value, linked: *strength, ..Part::default() })
    };
    let mut rows: Vec<(PredictRow, Part)> = links.around(graph.path(node)).iter().map(row).collect();
    // Only files: nothing outside of the project can be changed.
    rows.retain(|(row, _)| row.node.is_some_and(|node| graph.kind(node) == NodeKind::File));
    rows.sort_by(|(a, _), (b, _)| b.linked.total_cmp(&a.linked).then_with(|| a.path.cmp(&b.path)));
    rows
}
