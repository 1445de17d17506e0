//! Reading files below the indexed roots for tools: lookup by path or node id, access checks, line numbers.

use m1nd_base::node_id;
use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::graph::NodeIx;
use m1nd_engine::{Snapshot, SourceText};

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

    /// First line of the symbol (0-based) and its number of lines; `None` for a whole file.
    pub(crate) fn range(&self, snapshot: &Snapshot) -> Option<(usize, usize)> {
        let (start, end) = snapshot.graph().lines(self.symbol?);
        let offset = (start as usize).saturating_sub(1);
        Some((offset, (end as usize).saturating_sub(offset).max(1)))
    }
}

/// Reads the file or symbol that `text` names, as a path or a node id. Errors name `argument`.
///
/// # Errors
/// No such file or symbol, a path outside the roots, or a file that is withheld, unreadable or not text.
pub(crate) fn open(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Shown, ToolError> {
    let symbol = symbol_of(snapshot, argument, text)?;
    let wanted = symbol.map_or(text, |node| snapshot.graph().path(node));
    let path = snapshot.index_path(wanted).map_err(|error| rows::read_error(argument, &error))?;
    if let Some(why) = snapshot.withheld(&path) {
        let message = format!("argument `{argument}`: `{path}` is not shown: {}", why.text());
        return Err(ToolError::new(ErrorCode::FileUnreadable, message).hint(why.hint()));
    }
    let source = snapshot.read_file(&path).map_err(|error| rows::read_error(argument, &error))?;
    if source.binary {
        let message = format!("argument `{argument}`: `{path}` is not a text file");
        return Err(ToolError::new(ErrorCode::FileUnreadable, message));
    }
    Ok(Shown { path, symbol, source })
}

/// The symbol that a node id names, or a name that is no path of a file; `None` if the text is a path.
fn symbol_of(snapshot: &Snapshot, argument: &str, text: &str) -> Result<Option<NodeIx>, ToolError> {
    let text = text.trim();
    let is_file = || snapshot.index_path(text).is_ok_and(|path| snapshot.read_bytes(&path).is_ok());
    if !node_id::typed_symbol(text) && (snapshot.nodes_named(text).is_empty() || is_file()) {
        return Ok(None);
    }
    let node = rows::resolve(snapshot, argument, text)?;
    Ok(Some(node).filter(|node| snapshot.graph().kind(*node) != NodeKind::File))
}

/// A line as a row shows it: cut if it is very long.
pub(crate) fn clip(line: &str) -> String {
    match line.len() <= MAX_ROW_LINE {
        true => line.to_owned(),
        false => format!("{}…", &line[..line.floor_char_boundary(MAX_ROW_LINE)]),
    }
}

/// Size of a text inside a JSON string, in bytes.
pub(crate) fn escaped(text: &str) -> usize {
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
        used = used.saturating_add(escaped(shown) + width.max(1) + 4 + "…".len());
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
