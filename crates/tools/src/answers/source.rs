//! Reading files below the indexed roots for tools: lookup by path or node id, access checks, line numbers.

use m1nd_base::node_id;
use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::graph::NodeIx;
use m1nd_engine::{PathLines, Snapshot, SourceText};

use crate::framework::{ErrorCode, ToolError};
use crate::rows;

/// Maximum length of a line shown, in bytes.
const MAX_LINE: usize = 2_000;

/// Maximum length of a line in a row, in bytes.
const MAX_ROW_LINE: usize = 500;

/// The current content of a file that may be shown.
pub(crate) struct Shown {
    pub(crate) path: RepoPath,
    /// The requested symbol, unless it is the whole file.
    pub(crate) symbol: Option<NodeIx>,
    /// The requested lines, first and last, 1-based.
    pub(crate) lines: Option<(u32, u32)>,
    pub(crate) source: SourceText,
}

impl Shown {
    /// The node of the symbol or the file, if it is in the graph.
    pub(crate) fn node(&self, snapshot: &Snapshot) -> Option<NodeIx> {
        self.symbol.or_else(|| snapshot.graph().find_file(self.path.as_str()))
    }

    /// The id of that node, or the id that the file would have.
    pub(crate) fn node_id(&self, snapshot: &Snapshot) -> String {
        let id = |node| snapshot.graph().id(node).to_owned();
        self.node(snapshot).map_or_else(|| node_id::file(&self.path), id)
    }

    /// First of the lines requested or of the symbol (0-based), and their number; `None` for a whole file.
    pub(crate) fn range(&self, snapshot: &Snapshot) -> Option<(usize, usize)> {
        let (start, end) = self.lines.or_else(|| Some(snapshot.graph().lines(self.symbol?)))?;
        let offset = (start as usize).saturating_sub(1);
        Some((offset, (end as usize).saturating_sub(offset).max(1)))
    }
}

/// Reads the file or symbol that `text` names, as a path, a node id, a name, or a path with lines (`src/a.py:120-140`).
/// Errors name `argument`.
///
/// # Errors
/// No such file or symbol, a path outside the roots, or a file that is withheld, unreadable or not text.
pub(crate) fn open(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Shown, ToolError> {
    let place = PathLines::parse(text).filter(|_| !is_file(snapshot, text));
    let text = place.map_or(text, |place| place.path);
    let symbol = symbol_of(snapshot, argument, text)?;
    let path = match symbol.map(|node| RepoPath::new(snapshot.graph().path(node))) {
        Some(Ok(path)) => path,
        _ => snapshot.index_path(text).map_err(|error| rows::read_error(argument, &error))?,
    };
    let symbol = symbol.filter(|node| snapshot.graph().kind(*node) != NodeKind::File);
    let lines = place.map(|place| (place.first, place.last));
    if let Some(why) = snapshot.check_withheld(&path) {
        let message = format!("argument `{argument}`: `{path}` is not shown: {}", why.text());
        return Err(ToolError::new(ErrorCode::FileUnreadable, message).hint(why.hint()));
    }
    let source = snapshot.read_file(&path).map_err(|error| rows::read_error(argument, &error))?;
    if source.binary {
        let why = source.problem.as_ref().map(|problem| problem.detail.as_str()).filter(|why| !why.is_empty());
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let message = format!("argument `{argument}`: `{path}` is not a text file{why}");
        return Err(ToolError::new(ErrorCode::FileUnreadable, message));
    }
    Ok(Shown { path, symbol, lines, source })
}

/// The node that a text names; `None` if it is a path. A text that is no path and names no node is taken for a path,
/// unless it has the form of a symbol.
fn symbol_of(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Option<NodeIx>, ToolError> {
    if node_id::typed_symbol(text.trim()) {
        return rows::resolve(snapshot, argument, text).map(Some);
    }
    if text.trim().is_empty() || is_file(snapshot, text) {
        return Ok(None);
    }
    match rows::resolve(snapshot, argument, text) {
        Err(error) if error.code == ErrorCode::NodeNotFound => Ok(None),
        // Packages outside have no text.
        found => found.map(|node| Some(node).filter(|node| snapshot.graph().file(*node).is_some())),
    }
}

/// Returns whether a text is the path of a file or folder, indexed or not.
fn is_file(snapshot: &Snapshot, text: &str) -> bool {
    let is_there = |path: &RepoPath| snapshot.read_bytes(path).map_or_else(|error| !error.is_not_found(), |_| true);
    match snapshot.index_path(text) {
        Ok(path) => snapshot.files().get(&path).is_some() || is_there(&path),
        // Its error says more than that nothing has the name.
        Err(_) => true,
    }
}

/// A line as a row shows it: cut if it is very long.
pub(crate) fn clip(line: &str) -> String {
    match line.len() <= MAX_ROW_LINE {
        true => line.to_owned(),
        false => format!("{}…", &line[..line.floor_char_boundary(MAX_ROW_LINE)]),
    }
}

/// Size of a text inside a JSON string, in bytes.
pub(crate) fn count_escaped(text: &str) -> usize {
    serde_json::to_string(text).map_or(text.len(), |json| json.len() - 2)
}

/// Formats as many lines as fit into `budget` bytes of escaped text, at least one, with right-aligned numbers. Also
/// returns the number of those lines. `offset` is the number of lines before them, `total` that of the file.
pub(crate) fn number_lines(lines: &[&str], offset: usize, total: usize, budget: usize) -> (String, usize) {
    let width = total.to_string().len();
    let mut content = String::new();
    let (mut returned, mut used) = (0, 0usize);
    for line in lines {
        let cut = line.len() > MAX_LINE;
        let shown = &line[..line.floor_char_boundary(MAX_LINE)];
        // Two spaces, an escaped line break, and the mark of a truncated line.
        used = used.saturating_add(count_escaped(shown) + width.max(1) + 4 + "…".len());
        if returned > 0 && used > budget {
            break;
        }
        let number = offset + returned + 1;
        content.push_str(&format!("{number:>width$}  {shown}{}\n", if cut { "…" } else { "" }));
        returned += 1;
    }
    (content, returned)
}

/// Symbols of a file that overlap lines `start..=end` (1-based), in order, owners before their members.
pub(crate) fn symbols_in(snapshot: &Snapshot, file: NodeIx, start: usize, end: usize) -> Vec<NodeIx> {
    let graph = snapshot.graph();
    let mut nodes: Vec<NodeIx> = graph.of_file(file).into_iter().filter(|node| *node != file).collect();
    nodes.retain(|node| {
        let (first, last) = graph.lines(*node);
        first as usize <= end && last as usize >= start
    });
    nodes.sort_by_key(|node| (graph.lines(*node).0, std::cmp::Reverse(graph.lines(*node).1), graph.id(*node)));
    nodes
}
