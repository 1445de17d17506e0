//! Chooses the smallest set of nodes that covers a task within a size, and says whether it is likely to be enough.

use std::sync::{Arc, LazyLock};

use m1nd_base::{NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{EdgeRef, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::seek::{SeekAnswer, SeekRow};

const CALIBRATION: &str = include_str!("focus_calibration.txt");

/// Share of the room that one node takes at most: more places are worth more than the end of a long one.
const LARGEST: f64 = 0.125;
/// Bytes that a row of an outline takes.
const OUTLINE_ROW: usize = 60;
/// Most rows of an outline that are counted.
const OUTLINE_ROWS: usize = 40;
/// A row whose score is below this share of the first adds nothing but new words, once enough files are in the set.
const WEAK: f64 = 0.35;
/// Files in the set from which on weak rows are left out.
const ENOUGH_FILES: usize = 8;
/// Edges of a node that are followed in search of central ones.
const MOST_EDGES: usize = 100;
/// Bytes of a line where the size of its file is not known.
const LINE: usize = 40;

/// How much of a node is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its beginning, since it is long.
    Head,
    /// The list of its members, since its text is long.
    Outline,
}

/// A node of the set.
#[derive(Debug, Clone, PartialEq)]
pub struct FocusNode {
    /// The row of the search.
    pub row: SeekRow,
    /// Bytes of its text, or of the part that is meant; estimated from its lines and the size of its file.
    pub bytes: usize,
    /// How much of it is meant.
    pub extent: Extent,
}

/// Whether the set is likely to be enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FocusState {
    /// The place in question is in the set as often as [`FocusCalibration::precision`] says, or the task is a name.
    Sufficient,
    /// Matches were left out for lack of room: a larger size, or a narrower task, shows more.
    Gathering,
    /// Everything that matches is in the set, which is not known to be enough: other words are needed.
    Saturated,
}

impl FocusState {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sufficient => "sufficient",
            Self::Gathering => "gathering",
            Self::Saturated => "saturated",
        }
    }
}

/// The set.
#[derive(Debug, Clone, PartialEq)]
pub struct Focus {
    /// The nodes, the most likely first.
    pub nodes: Vec<FocusNode>,
    /// Bytes of all of them.
    pub bytes: usize,
    /// Matches that were left out because nothing more fits.
    pub dropped: usize,
    /// Words of the task that no node of the set meets.
    pub uncovered: Vec<Arc<str>>,
    /// Share of the task's words that the set meets, 0 to 1; 0 without words.
    pub covered: f64,
    /// How likely the place in question is in the set, 0 to 1, uncalibrated; `None` without a confidence of the search.
    pub likelihood: Option<f64>,
    /// Whether it is likely to be enough.
    pub state: FocusState,
}

/// How often the place in question was in the set, on texts whose places are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FocusCalibration {
    /// [`Focus::likelihood`] from which the set counts as sufficient; above 1 if none was good enough.
    pub sufficient_at: f64,
    /// Share of the texts at `sufficient_at` or above whose place was in the set.
    pub precision: f64,
    /// Ends of the 95 % interval (Wilson) of `precision`.
    pub interval: [f64; 2],
    /// Share of all texts at `sufficient_at` or above.
    pub coverage: f64,
    /// All texts.
    pub rows: u32,
}

impl FocusCalibration {
    /// The measured one.
    pub fn load_measured() -> Self {
        static MEASURED: LazyLock<FocusCalibration> = LazyLock::new(|| FocusCalibration::parse(CALIBRATION));
        *MEASURED
    }

    fn parse(text: &str) -> Self {
        let mut found = Self { sufficient_at: f64::INFINITY, ..Self::default() };
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let value = |text: Option<&str>| text.and_then(|word| word.parse::<f64>().ok());
            let (Some(name), Some(value)) = (words.next(), value(words.next())) else { continue };
            match name {
                "sufficient_at" => found.sufficient_at = value,
                "precision" => found.precision = value,
                "precision_low" => found.interval[0] = value,
                "precision_high" => found.interval[1] = value,
                "coverage" => found.coverage = value,
                "rows" => found.rows = value as u32,
                _ => {}
            }
        }
        found
    }
}

/// Chooses from the best `most` rows of a search those that cover the task in at most `room` bytes.
///
/// `is_measured` says that the search was like those that [`FocusCalibration`] was measured on: over all files and
/// kinds, with vectors and the complete history. Otherwise only a name is ever sufficient.
pub fn focus(snapshot: &Snapshot, found: &SeekAnswer, most: usize, room: usize, is_measured: bool) -> Focus {
    let rows = &found.rows[..found.rows.len().min(most)];
    let sizes = Sizes { snapshot, largest: (room as f64 * LARGEST) as usize };
    let mut set =
        Set { snapshot, chosen: FxHashSet::default(), files: FxHashSet::default(), words: FxHashSet::default() };
    let mut focus = Focus {
        nodes: Vec::new(),
        bytes: 0,
        dropped: 0,
        uncovered: Vec::new(),
        covered: 0.0,
        likelihood: None,
        state: FocusState::Saturated,
    };
    let top = rows.first().map_or(0.0, |row| row.score);
    for row in rows {
        if set.holds(row.node) || !set.is_worth(row, top) {
            continue;
        }
        let (bytes, extent) = sizes.of(row.node);
        if focus.bytes + bytes > room {
            focus.dropped += 1;
            continue;
        }
        set.add(row);
        focus.bytes += bytes;
        focus.nodes.push(FocusNode { row: row.clone(), bytes, extent });
    }
    let words = &found.words[..found.words.len().min(SeekAnswer::TOLD_WORDS)];
    focus.uncovered =
        words.iter().filter(|word| !set.words.contains(word.as_str())).map(|word| word.as_str().into()).collect();
    focus.covered = 1.0 - focus.uncovered.len() as f64 / words.len().max(1) as f64;
    focus.covered *= f64::from(u8::from(!words.is_empty()));
    focus.likelihood = likelihood(snapshot, found, &focus);
    focus.state = state(found, &focus, is_measured);
    focus
}

fn state(found: &SeekAnswer, focus: &Focus, is_measured: bool) -> FocusState {
    let is_name = found.named == 1 && !focus.nodes.is_empty();
    let at = FocusCalibration::load_measured().sufficient_at;
    let is_likely = is_measured && focus.likelihood.is_some_and(|likelihood| likelihood >= at);
    match (is_name || is_likely, focus.dropped > 0) {
        (true, _) => FocusState::Sufficient,
        (false, true) => FocusState::Gathering,
        (false, false) => FocusState::Saturated,
    }
}

/// The confidence in the best file times the share of the matches in that file that is in the set.
fn likelihood(snapshot: &Snapshot, found: &SeekAnswer, focus: &Focus) -> Option<f64> {
    let (confidence, file) = (found.confidence?, found.best_file?);
    let graph = snapshot.graph();
    let is_code = |row: &&SeekRow| graph.file(row.node) == Some(file) && graph.kind(row.node) == NodeKind::Function;
    let weight = |row: &SeekRow| row.alone.max(row.score);
    let all: f64 = found.rows.iter().filter(is_code).map(weight).sum();
    let inside: f64 = focus.nodes.iter().map(|node| &node.row).filter(is_code).map(weight).sum();
    if all > 0.0 { Some(confidence * inside / all) } else { Some(0.0) }
}

/// What is in the set already.
struct Set<'s> {
    snapshot: &'s Snapshot,
    chosen: FxHashSet<NodeIx>,
    files: FxHashSet<Option<NodeIx>>,
    words: FxHashSet<Arc<str>>,
}

impl Set<'_> {
    /// Returns whether the text of the node is in the set with that of a node around it.
    fn holds(&self, node: NodeIx) -> bool {
        self.snapshot.graph().ancestors(node).any(|around| self.chosen.contains(&around))
    }

    fn is_worth(&self, row: &SeekRow, top: f64) -> bool {
        let adds = || row.matched.iter().any(|word| !self.words.contains(word));
        self.files.len() < ENOUGH_FILES || row.score >= top * WEAK || adds()
    }

    fn add(&mut self, row: &SeekRow) {
        let graph = self.snapshot.graph();
        self.files.insert(graph.file(row.node));
        self.words.extend(row.matched.iter().cloned());
        // Parts of files and classes are rows of their own: those are chosen one by one.
        if graph.kind(row.node) == NodeKind::Function {
            self.chosen.insert(row.node);
        }
    }
}

/// Sizes of nodes as they are read.
struct Sizes<'s> {
    snapshot: &'s Snapshot,
    largest: usize,
}

impl Sizes<'_> {
    /// Bytes of the text of a node, or of the part of it that is meant.
    fn of(&self, node: NodeIx) -> (usize, Extent) {
        let graph = self.snapshot.graph();
        let (first, last) = graph.lines(node);
        let lines = (last.saturating_sub(first) + 1) as usize;
        let file = self.snapshot.file_of(node);
        let line = file.map_or(LINE, |file| (file.size / u64::from(file.lines.max(1))) as usize);
        let bytes = match (graph.kind(node), file) {
            (NodeKind::File, Some(file)) => file.size as usize,
            _ => lines.saturating_mul(line.max(1)),
        };
        if bytes <= self.largest {
            return (bytes, Extent::Whole);
        }
        let members = graph.with_members(node, OUTLINE_ROWS).len().min(OUTLINE_ROWS);
        match members > 1 {
            true => ((members * OUTLINE_ROW).min(self.largest), Extent::Outline),
            false => (self.largest, Extent::Head),
        }
    }
}

/// The most important functions and types among these nodes and those that they are connected to, tests left out.
pub fn anchors(snapshot: &Snapshot, nodes: &[NodeIx], most: usize) -> Vec<NodeIx> {
    let graph = snapshot.graph();
    let mut near: FxHashSet<NodeIx> = nodes.iter().copied().collect();
    let of_code = |edge: &EdgeRef<'_>| edge.relation != Relation::Documents;
    for node in nodes {
        near.extend(graph.out_edges(*node).filter(of_code).take(MOST_EDGES).map(|edge| edge.to));
        near.extend(graph.in_edges(*node).filter(of_code).take(MOST_EDGES).map(|edge| edge.from));
    }
    let is_anchor = |node: &NodeIx| {
        let kind = graph.kind(*node);
        let is_code = matches!(kind, NodeKind::Function | NodeKind::Class | NodeKind::Struct | NodeKind::Trait);
        is_code && !graph.flags(*node).has(NodeFlags::TEST)
    };
    let mut near: Vec<NodeIx> = near.into_iter().filter(is_anchor).collect();
    near.sort_by(|a, b| graph.pagerank(*b).total_cmp(&graph.pagerank(*a)).then_with(|| graph.id(*a).cmp(graph.id(*b))));
    near.truncate(most);
    near
}

/// The best row of each file of a search, in order, then the other rows: for a reader who takes only the first few.
pub fn spread_over_files<'r>(snapshot: &Snapshot, nodes: &'r [FocusNode], per_file: usize) -> Vec<&'r FocusNode> {
    let graph = snapshot.graph();
    let mut counts: FxHashMap<Option<NodeIx>, usize> = FxHashMap::default();
    let mut numbered: Vec<(usize, &FocusNode)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let count = counts.entry(graph.file(node.row.node)).or_insert(0);
        numbered.push((*count / per_file.max(1), node));
        *count += 1;
    }
    numbered.sort_by_key(|(round, _)| *round);
    numbered.into_iter().map(|(_, node)| node).collect()
}
