//! The symbols that usually change with a symbol: the lines of each are followed back through the commits of its file.

use m1nd_base::{Cancel, Cancelled, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{PlacedHistory, ProjectHistory};
use m1nd_graph::{Graph, NodeIx};
use m1nd_history::Tracing;
use rustc_hash::FxHashMap;

use super::CITED;

/// Files whose symbols are compared: that of the symbol itself, and those that changed with it most often.
const MAX_FILES: usize = 4;
/// Newest commits of a file whose lines are compared; the file of the symbol itself has been compared further.
const MAX_COMPARED: usize = 60;
/// Symbols of a file that are followed.
const MAX_SYMBOLS: usize = 300;
/// Maximum rows.
const MAX_ROWS: usize = 50;

/// A symbol that changed with another one.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolRow {
    /// The symbol.
    pub node: NodeIx,
    /// Common commits.
    pub support: u32,
    /// Sum over the common commits of one over the number of other symbols that each changed: commits that changed few
    /// symbols say more.
    pub weight: f64,
    /// The newest common commits: full name and subject (text of the repository).
    pub commits: Vec<(String, String)>,
}

/// The symbols that changed with a symbol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SymbolAnswer {
    /// By weight.
    pub rows: Vec<SymbolRow>,
    /// Commits of the symbol that count for co-change.
    pub of: u32,
    /// Paths of the files whose symbols were compared.
    pub files: Vec<String>,
}

/// The symbols of these files that changed in at least `least` of the commits `own`, which changed `node`. Symbols that
/// contain the node or are part of it are left out, because they change with it by definition.
pub(super) fn symbols_with(
    (snapshot, history): (&Snapshot, &ProjectHistory),
    (node, own): (NodeIx, &[usize]),
    files: &[&str],
    least: u32,
    cancel: &Cancel,
) -> Result<SymbolAnswer, Cancelled> {
    let graph = snapshot.graph();
    let mut answer = SymbolAnswer { of: own.len() as u32, ..SymbolAnswer::default() };
    let Ok(place) = history.place(graph.path(node)) else { return Ok(answer) };
    let mut common: FxHashMap<NodeIx, Vec<usize>> = FxHashMap::default();
    for path in std::iter::once(graph.path(node)).chain(files.iter().copied()).take(MAX_FILES) {
        // Commits of another repository are no common ones.
        let Ok(other) = history.place(path) else { continue };
        if other.outer("") != place.outer("") {
            continue;
        }
        let symbols = symbols_of(graph, path, node);
        if let Some(changes) = changes_of(snapshot, (&other, path), &symbols, cancel)? {
            answer.files.push(path.to_owned());
            for (symbol, commits) in symbols.into_iter().zip(changes) {
                let shared: Vec<usize> = commits.into_iter().filter(|commit| own.contains(commit)).collect();
                common.insert(symbol, shared);
            }
        }
    }
    let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
    common.values().flatten().for_each(|commit| *sizes.entry(*commit).or_default() += 1);
    let row = |(node, shared): (NodeIx, Vec<usize>)| SymbolRow {
        node,
        support: shared.len() as u32,
        weight: shared.iter().map(|commit| 1.0 / sizes[commit] as f64).sum(),
        commits: shared.iter().take(CITED).map(|&commit| cite_commit(&place, commit)).collect(),
    };
    let often = common.into_iter().filter(|(_, shared)| shared.len() as u32 >= least.max(1));
    answer.rows = often.map(row).collect();
    answer.rows.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    answer.rows.truncate(MAX_ROWS);
    Ok(answer)
}

fn cite_commit(place: &PlacedHistory<'_>, commit: usize) -> (String, String) {
    let commit = &place.history.commits()[commit];
    (commit.name(), commit.subject.to_string())
}

/// The functions of a file, and the types and values that hold no functions, without what contains `node`, is part of
/// it, or is inside of a function.
fn symbols_of(graph: &Graph, path: &str, node: NodeIx) -> Vec<NodeIx> {
    let Some(file) = graph.find_file(path) else { return Vec::new() };
    let (start, end) = graph.lines(node);
    let is_own = graph.path(node) == path;
    let in_file = graph.of_file(file);
    let holders: Vec<NodeIx> = in_file
        .iter()
        .filter(|&&one| graph.kind(one) == NodeKind::Function)
        .filter_map(|&one| graph.parent(one))
        .collect();
    let is_inside = |one: NodeIx| graph.parent(one).is_some_and(|parent| graph.kind(parent) == NodeKind::Function);
    let counts = |&one: &NodeIx| {
        let (first, last) = graph.lines(one);
        let overlaps = is_own && first <= end && start <= last;
        let is_container = matches!(graph.kind(one), NodeKind::File | NodeKind::Module | NodeKind::Impl);
        !is_container && !overlaps && first > 0 && !holders.contains(&one) && !is_inside(one)
    };
    in_file.iter().copied().filter(counts).take(MAX_SYMBOLS).collect()
}

/// For each symbol of a file, the commits that changed its lines; `None` where nothing can be told.
fn changes_of(
    snapshot: &Snapshot,
    (place, path): (&PlacedHistory<'_>, &str),
    symbols: &[NodeIx],
    cancel: &Cancel,
) -> Result<Option<Vec<Vec<usize>>>, Cancelled> {
    let text = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
    let (Some(text), Some(file), Ok(contents)) = (text, place.file(), place.contents()) else { return Ok(None) };
    let range = |node: &NodeIx| {
        let (start, end) = snapshot.graph().lines(*node);
        start.saturating_sub(1)..end
    };
    let ranges: Vec<std::ops::Range<u32>> = symbols.iter().map(range).collect();
    let tracing = Tracing { contents: &contents, cache: place.lines(), limit: MAX_COMPARED, cancel };
    let found = file.trace(text.text.as_bytes(), &ranges, tracing)?;
    let commits = |changes: &[m1nd_history::RangeChange]| {
        changes.iter().filter(|change| !change.is_format).map(|change| change.commit).collect()
    };
    Ok(Some(found.ranges.iter().map(|range| commits(&range.changes)).collect()))
}
