//! The tests that cover a symbol, a file or a change: one ranking, which every tool that names tests uses.
//!
//! Evidence is, in this order: uses that lead from a test to the changed code, files that changed together with it,
//! names and folders that mirror it, and the words of the task. A fitted linear model joins them.

mod names;
mod reach;
mod signals;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Graph, NodeIx};
use m1nd_history::Moment;

use crate::changes::predict::Beside;
pub use reach::test_nodes_reaching;
pub use signals::{COVERING_SIGNALS, CoveringModel, TestCandidate, covering_model};

/// Maximum test functions listed for a file.
const MAX_FUNCTIONS: usize = 8;
/// Maximum uses between a test and the change that say much by themselves.
const NEAR: u32 = 2;
/// Maximum rows that rest on many uses in a row, on the words of the task or on a common folder alone.
const MAX_WEAK: usize = 5;

/// Why a test file covers the changed code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestEvidence {
    /// It is in the changed file itself.
    SameFile,
    /// A test calls the changed code.
    Calls,
    /// A test refers to it: as a base, a type or a value.
    Uses,
    /// A test registers it or is registered with it.
    Registers,
    /// A test imports it.
    Imports,
    /// A helper or fixture of the tests uses it, and a test uses the helper.
    Fixture,
    /// A test leads to it through other code.
    Reaches,
    /// A test uses the class or file that contains it, but not the symbol itself.
    Container,
    /// They changed in the same commits.
    Together,
    /// Its name mirrors that of the changed file.
    Named,
    /// It is in the folder that belongs to the changed file.
    Folder,
    /// It has the words of the task.
    Words,
}

impl TestEvidence {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SameFile => "same_file",
            Self::Calls => "calls",
            Self::Uses => "uses",
            Self::Registers => "registers",
            Self::Imports => "imports",
            Self::Fixture => "fixture",
            Self::Reaches => "reaches",
            Self::Container => "container",
            Self::Together => "changed_together",
            Self::Named => "name",
            Self::Folder => "folder",
            Self::Words => "words",
        }
    }

    /// Whether uses in the code lead from the test to the changed code.
    pub const fn is_by_graph(self) -> bool {
        matches!(
            self,
            Self::SameFile | Self::Calls | Self::Uses | Self::Registers | Self::Imports | Self::Fixture | Self::Reaches
        )
    }

    /// Whether it says little by itself.
    const fn is_weak(self) -> bool {
        matches!(self, Self::Folder | Self::Words)
    }
}

/// A question for tests.
#[derive(Debug, Clone, Default)]
pub struct TestsQuery {
    /// The changed files and symbols.
    pub changed: Vec<NodeIx>,
    /// What the change is about, in words; empty if it is not known.
    pub task: String,
}

impl TestsQuery {
    /// The tests of these nodes.
    pub fn of(changed: impl IntoIterator<Item = NodeIx>) -> Self {
        Self { changed: changed.into_iter().collect(), task: String::new() }
    }
}

/// A file with tests.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRow {
    /// Its path in the index.
    pub path: String,
    /// Its node.
    pub file: NodeIx,
    /// Test functions in it that cover the changed code, nearest first; empty if none is known by name.
    pub functions: Vec<NodeIx>,
    /// The nearest node of the file that uses the changed code, else the file.
    pub nearest: NodeIx,
    /// Fewest uses from the file to the changed code; `None` if none lead there.
    pub hops: Option<u32>,
    /// Uses lead there, but only over edges that are possible.
    pub is_possible: bool,
    /// Why it is a row, the strongest first.
    pub evidence: Vec<TestEvidence>,
    /// Common commits with a changed file, and the number of that file's commits.
    pub together: Option<(u32, u32)>,
    /// Value of the model, by which rows are ordered.
    pub value: f64,
}

impl TestRow {
    /// Whether uses in the code lead from it to the changed code.
    pub fn is_by_graph(&self) -> bool {
        self.evidence.iter().any(|evidence| evidence.is_by_graph())
    }
}

/// Tests for a change, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestsAnswer {
    /// One row for each file.
    pub rows: Vec<TestRow>,
}

/// A changed file with the commits before a moment.
#[derive(Debug, Clone)]
pub struct Past<'h> {
    /// Path of the file in its root.
    pub inner: String,
    /// The history of its root.
    pub history: &'h m1nd_history::History,
    /// The files of the root by folder and name.
    pub beside: &'h Beside,
    /// What paths in the index have before those in the root.
    pub prefix: String,
    /// Only older commits count.
    pub moment: Moment,
}

/// The tests that cover some nodes, best first.
///
/// # Errors
/// [`Cancelled`].
pub fn tests_for(
    snapshot: &Snapshot,
    history: Option<&ProjectHistory>,
    query: &TestsQuery,
    cancel: &Cancel,
) -> Result<TestsAnswer, Cancelled> {
    let graph = snapshot.graph();
    let paths = changed_paths(graph, &query.changed);
    let places = history.iter().flat_map(|history| paths.iter().filter_map(|path| history.place(path).ok()));
    let places: Vec<_> = places.collect();
    let beside = places.iter().map(|place| place.loaded.derived_values().get_or_init(|| Beside::of(place.history)));
    let beside: Vec<_> = beside.collect();
    let mut pasts: Vec<Past<'_>> = Vec::with_capacity(places.len());
    for (place, beside) in places.iter().zip(&beside) {
        let (inner, prefix) = (place.inner.clone(), place.outer(""));
        pasts.push(Past { inner, history: place.history, beside, prefix, moment: Moment::NOW });
    }
    let candidates = candidate_tests(snapshot, query, &pasts, cancel)?;
    Ok(answer(snapshot, &covering_model(), query, candidates))
}

/// All candidates with their signals, in no order. `pasts` are the histories of the changed files.
///
/// # Errors
/// [`Cancelled`].
pub fn candidate_tests(
    snapshot: &Snapshot,
    query: &TestsQuery,
    pasts: &[Past<'_>],
    cancel: &Cancel,
) -> Result<Vec<TestCandidate>, Cancelled> {
    signals::candidates(snapshot, query, pasts, cancel)
}

/// Paths of the files of some nodes, each once.
fn changed_paths(graph: &Graph, changed: &[NodeIx]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in changed.iter().map(|&node| graph.path(node)).filter(|path| !path.is_empty()) {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

fn answer(
    snapshot: &Snapshot,
    model: &CoveringModel,
    query: &TestsQuery,
    candidates: Vec<TestCandidate>,
) -> TestsAnswer {
    let graph = snapshot.graph();
    let changed = changed_paths(graph, &query.changed);
    let mut rows: Vec<TestRow> =
        candidates.into_iter().map(|candidate| row(graph, model, &changed, candidate)).collect();
    rows.retain(|row| !row.evidence.is_empty());
    rows.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.path.cmp(&b.path)));
    let mut weak = 0;
    rows.retain(|row| {
        let is_far = row.hops.is_some_and(|hops| hops > NEAR);
        let is_weak = row.evidence.iter().all(|evidence| evidence.is_weak() || is_far && evidence.is_by_graph());
        weak += usize::from(is_weak);
        !is_weak || weak <= MAX_WEAK
    });
    rows.iter_mut().for_each(|row| row.functions.truncate(MAX_FUNCTIONS));
    TestsAnswer { rows }
}

fn row(graph: &Graph, model: &CoveringModel, changed: &[String], candidate: TestCandidate) -> TestRow {
    let path = graph.path(candidate.file).to_owned();
    let mut evidence: Vec<TestEvidence> = candidate.reached.iter().map(|reached| reached.evidence).collect();
    if changed.contains(&path) && !evidence.contains(&TestEvidence::SameFile) {
        evidence.insert(0, TestEvidence::SameFile);
    }
    evidence.extend(candidate.together.map(|_| TestEvidence::Together));
    evidence.extend(&candidate.beside);
    let is_function = |node: &NodeIx| graph.kind(*node) == NodeKind::Function;
    let reached = candidate.reached;
    let nodes = reached.as_ref().map_or(&[][..], |reached| reached.nodes.as_slice());
    let functions: Vec<NodeIx> = nodes.iter().copied().filter(is_function).collect();
    TestRow {
        path,
        file: candidate.file,
        nearest: functions.first().or(nodes.first()).copied().unwrap_or(candidate.file),
        functions,
        hops: reached.as_ref().map(|reached| reached.hops),
        is_possible: reached.as_ref().is_some_and(|reached| !reached.is_certain),
        evidence,
        together: candidate.together,
        value: model.value(&candidate.signals),
    }
}
