//! A repository at first sight: ways in, central code, tests, and the files that change most.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::Graph;

/// Days after which a commit counts half.
const HALF_LIFE: f64 = 90.0;
/// Calls from tests that are looked for among the edges of a node.
const MOST_EDGES: usize = 2_000;

/// How code is entered from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A function of the name that the language starts with.
    Main,
    /// A framework runs it.
    Registered,
}

impl EntryKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Registered => "registered",
        }
    }
}

/// A folder at the top of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// Its files.
    pub files: usize,
    /// Those that are tests.
    pub test_files: usize,
    /// Its lines.
    pub lines: u64,
}

/// A file that changes often.
#[derive(Debug, Clone, PartialEq)]
pub struct Hot {
    /// Its path.
    pub path: String,
    /// Commits that touched it.
    pub commits: usize,
    /// The same, each weighted by age with a half-life of 90 days.
    pub recent: f64,
    /// Its lines.
    pub lines: u32,
    /// Whether test code refers to its code.
    pub is_tested: bool,
}

/// The overview.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// Ways in, the most important first, and the number of all.
    pub entries: (Vec<(NodeIx, EntryKind)>, usize),
    /// The most important functions and types outside of tests, with whether test code refers to them.
    pub central: Vec<(NodeIx, bool)>,
    /// Folders at the top by name; `.` for files beside them.
    pub folders: BTreeMap<String, Folder>,
    /// Test files and functions.
    pub tests: (usize, usize),
    /// Files of code that change most, with much of their lines at stake; empty without a history.
    pub hot: Vec<Hot>,
}

/// Looks at the files at or below `scope` (all for `""`), at most `most` rows of each kind.
///
/// # Errors
/// [`Cancelled`].
pub fn overview(
    snapshot: &Snapshot,
    history: Option<&ProjectHistory>,
    (scope, most): (&str, usize),
    cancel: &Cancel,
) -> Result<Overview, Cancelled> {
    let graph = snapshot.graph();
    let mut found = Overview::default();
    // Files by the folder at the top.
    for file in snapshot.files().within(scope) {
        let top = file.path.as_str().split_once('/').map_or(".", |(top, _)| top);
        let folder = found.folders.entry(top.to_owned()).or_default();
        folder.files += 1;
        folder.lines += u64::from(file.lines);
        folder.test_files += usize::from(file.is_test);
        found.tests.0 += usize::from(file.is_test);
    }
    let is_inside = |node: NodeIx| {
        let entry = snapshot.file_of(node);
        entry.is_some_and(|entry| entry.path.is_within(scope))
    };
    // Entry points and central symbols are those of the product; tests are counted.
    let (mut entries, mut central) = (Vec::new(), Vec::new());
    for (number, node) in graph.nodes().enumerate() {
        if number % 4_096 == 0 {
            cancel.check()?;
        }
        if graph.kind(node).is_outside() || !is_inside(node) {
            continue;
        }
        if graph.flags(node).has(NodeFlags::TEST) {
            found.tests.1 += usize::from(graph.kind(node) == NodeKind::Function);
            continue;
        }
        entries.extend(entry_kind(graph, node).map(|kind| (node, kind)));
        if matches!(graph.kind(node), NodeKind::Function | NodeKind::Class | NodeKind::Struct | NodeKind::Trait) {
            central.push(node);
        }
    }
    // The most used come first; of equals, the order does not depend on the index.
    let by_rank = |a: NodeIx, b: NodeIx| {
        graph.pagerank(b).total_cmp(&graph.pagerank(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
    };
    entries.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| by_rank(a.0, b.0)));
    found.entries.1 = entries.len();
    entries.truncate(most);
    found.entries.0 = entries;
    central.sort_by(|a, b| by_rank(*a, *b));
    central.truncate(most);
    found.central = central.into_iter().map(|node| (node, is_tested(graph, node))).collect();
    if let Some(history) = history {
        found.hot = hot(snapshot, history, scope, most, cancel)?;
    }
    Ok(found)
}

fn entry_kind(graph: &Graph, node: NodeIx) -> Option<EntryKind> {
    let is_function = graph.kind(node) == NodeKind::Function;
    let is_top = graph.parent(node).is_none_or(|parent| graph.kind(parent) != NodeKind::Function);
    if is_function && is_top && graph.label(node).rsplit('.').next() == Some("main") {
        return Some(EntryKind::Main);
    }
    let is_registered = graph.in_edges(node).take(MOST_EDGES).any(|edge| edge.relation == Relation::Registers);
    is_registered.then_some(EntryKind::Registered)
}

fn is_tested(graph: &Graph, node: NodeIx) -> bool {
    graph.in_edges(node).take(MOST_EDGES).any(|edge| graph.flags(edge.from).has(NodeFlags::TEST))
}

fn hot(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    scope: &str,
    most: usize,
    cancel: &Cancel,
) -> Result<Vec<Hot>, Cancelled> {
    let graph = snapshot.graph();
    let mut hot: Vec<Hot> = Vec::new();
    for file in snapshot.files().within(scope).filter(|file| !file.is_test) {
        cancel.check()?;
        let Some(node) = graph.find_file(file.path.as_str()) else { continue };
        // Documents, lock files and the like change with everything.
        if !graph.of_file(node).iter().any(|node| graph.kind(*node) == NodeKind::Function) {
            continue;
        }
        let Ok(place) = history.place(file.path.as_str()) else { continue };
        let Some(of_file) = place.file() else { continue };
        let (commits, recent) = (of_file.commit_count(), of_file.decayed_commits(HALF_LIFE));
        if commits > 1 {
            let path = file.path.to_string();
            hot.push(Hot { path, commits, recent, lines: file.lines, is_tested: false });
        }
    }
    let weight = |row: &Hot| row.recent * f64::from(row.lines.max(1)).ln();
    hot.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.path.cmp(&b.path)));
    hot.truncate(most);
    for row in &mut hot {
        let nodes = graph.find_file(&row.path).map(|file| graph.of_file(file)).unwrap_or_default();
        row.is_tested = nodes.into_iter().any(|node| is_tested(graph, node));
    }
    Ok(hot)
}
