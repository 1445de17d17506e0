//! Where a name, or the reference at a place, leads to.

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Dispatch, EdgeRef, Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::roles::Role;

/// A place in a file, as compilers and search programs print it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedPosition<'a> {
    /// The path as written.
    pub path: &'a str,
    /// Line, 1-based.
    pub line: u32,
    /// Column in characters, 1-based; `None` for all of the line.
    pub col: Option<u16>,
}

impl<'a> PrintedPosition<'a> {
    /// Parses `path:line` or `path:line:col`. A trailing colon, as search programs print it, is accepted.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim().trim_end_matches(':');
        let (head, last) = text.rsplit_once(':')?;
        let last: u32 = last.parse().ok().filter(|number| *number > 0)?;
        let inner = head.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
        let (path, line, col) = match inner {
            Some((path, line)) if line > 0 => (path, line, Some(u16::try_from(last).unwrap_or(u16::MAX))),
            _ => (head, last, None),
        };
        (!path.is_empty()).then_some(Self { path, line, col })
    }
}

/// A definition that a name may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct DefinitionRow {
    /// The definition.
    pub node: NodeIx,
    /// Certainty.
    pub tier: EdgeTier,
    /// Number of candidates.
    pub of: usize,
    /// Relation of the reference at the place; `None` if the place or name is that of the definition itself.
    pub relation: Option<Relation>,
    /// It may run instead of the method that the code names, by dynamic dispatch.
    pub dispatch: bool,
    /// The reference.
    pub site: Option<Pos>,
}

/// A reference at the place without a known definition.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenName {
    /// The name.
    pub name: String,
    /// The reason why it has no target.
    pub reason: String,
    /// Its place.
    pub pos: Pos,
}

/// The definitions that a name or place leads to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DefinitionAnswer {
    /// Certain ones first, then possible ones by importance, then those outside of the roots.
    pub rows: Vec<DefinitionRow>,
    /// References at the place without a known definition.
    pub open: Vec<OpenName>,
}

/// Returns the nodes that a name may mean: one if it is clear.
pub fn find_named(snapshot: &Snapshot, text: &str) -> DefinitionAnswer {
    let nodes = snapshot.nodes_named(text.trim());
    let tier = if nodes.len() == 1 { EdgeTier::Certain } else { EdgeTier::Possible };
    let row =
        |&node: &NodeIx| DefinitionRow { node, tier, of: nodes.len(), relation: None, dispatch: false, site: None };
    DefinitionAnswer { rows: nodes.iter().map(row).collect(), open: Vec::new() }
}

/// Returns the definitions of the reference at a place of an indexed file: of all references of the line if the place
/// has no column. A place on the name of a definition leads to it.
pub fn at_place(snapshot: &Snapshot, path: &RepoPath, line: u32, col: Option<u16>) -> DefinitionAnswer {
    let graph = snapshot.graph();
    let Some(file) = graph.find_file(path.as_str()) else { return DefinitionAnswer::default() };
    let word = col.and_then(|col| word_at(snapshot, path, line, col));
    let is_here = |pos: Pos, label: &str| {
        let is_on = match (col, &word) {
            (None, _) => true,
            (Some(_), Some(word)) => (word.start..word.end).contains(&pos.col),
            // The file changed: the name in the index says how long it was.
            (Some(col), None) => pos.col <= col && usize::from(col - pos.col) < label.chars().count(),
        };
        pos.line == line && is_on
    };
    let mut answer = DefinitionAnswer::default();
    let mut rows: FxHashMap<NodeIx, DefinitionRow> = FxHashMap::default();
    let dispatch = Dispatch::new(graph);
    for node in graph.of_file(file) {
        for edge in graph.out_edges(node).chain(dispatch.list_shown(node)) {
            let places = (0..edge.sites.len()).filter_map(|index| edge.sites.get(index));
            let site = places.filter(|site| is_here(*site, graph.label(edge.to))).min();
            if let (Some(site), Some(_)) = (site, Role::of(edge.relation)) {
                add(&mut rows, row_of(&edge, site));
            }
        }
        let open = graph.unresolved_of(node).filter(|open| is_here(open.pos, open.name));
        answer.open.extend(open.map(|open| OpenName {
            name: open.name.to_owned(),
            reason: open.reason.to_owned(),
            pos: open.pos,
        }));
        let is_own = node != file
            && graph.name_line(node) == line
            && word.as_ref().map_or(col.is_none(), |word| word.text == graph.label(node));
        if is_own {
            let (tier, of) = (EdgeTier::Certain, 1);
            add(&mut rows, DefinitionRow { node, tier, of, relation: None, dispatch: false, site: None });
        }
    }
    // An import of a symbol also names its file.
    let symbols: FxHashSet<(Option<NodeIx>, Option<Pos>)> = rows
        .values()
        .filter(|row| graph.kind(row.node) != NodeKind::File)
        .map(|row| (graph.file(row.node), row.site))
        .collect();
    rows.retain(|node, row| graph.kind(*node) != NodeKind::File || !symbols.contains(&(Some(*node), row.site)));
    answer.rows = sort_rows(graph, rows.into_values().collect());
    answer.open.sort_by(|a, b| (a.pos, &a.name).cmp(&(b.pos, &b.name)));
    answer.open.dedup();
    answer
}

fn row_of(edge: &EdgeRef<'_>, site: Pos) -> DefinitionRow {
    DefinitionRow {
        node: edge.to,
        tier: edge.tier,
        of: usize::from(edge.of),
        relation: Some(edge.relation),
        dispatch: edge.is_by_dispatch(),
        site: Some(site),
    }
}

/// Keeps the surer of two rows of one node.
fn add(rows: &mut FxHashMap<NodeIx, DefinitionRow>, row: DefinitionRow) {
    let key = |row: &DefinitionRow| (row.tier, row.site, row.relation);
    match rows.get_mut(&row.node) {
        Some(known) if key(known) <= key(&row) => {}
        _ => _ = rows.insert(row.node, row),
    }
}

fn sort_rows(graph: &Graph, mut rows: Vec<DefinitionRow>) -> Vec<DefinitionRow> {
    rows.sort_by(|a, b| {
        let rank = |row: &DefinitionRow| (row.tier, row.dispatch, row.site);
        let importance = graph.pagerank(b.node).total_cmp(&graph.pagerank(a.node));
        rank(a).cmp(&rank(b)).then(importance).then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
    });
    rows
}

/// A word of a line, with its first column and the one behind it.
struct Word {
    text: String,
    start: u16,
    end: u16,
}

/// The word at a column of a file that is as it was when it was indexed.
fn word_at(snapshot: &Snapshot, path: &RepoPath, line: u32, col: u16) -> Option<Word> {
    let source = snapshot.read_file(path).ok().filter(|source| !source.stale && !source.binary)?;
    let line: Vec<char> = source.text.lines().nth((line as usize).checked_sub(1)?)?.chars().collect();
    let is_word = |at: usize| line.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_' || *c == '$');
    let at = usize::from(col).checked_sub(1).filter(|at| is_word(*at))?;
    let start = (0..=at).rev().take_while(|at| is_word(*at)).last()?;
    let end = (at..line.len()).take_while(|at| is_word(*at)).last()?;
    let column = |at: usize| u16::try_from(at + 1).unwrap_or(u16::MAX);
    Some(Word { text: line[start..=end].iter().collect(), start: column(start), end: column(end + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_programs_print_them() {
        let cases = [
            ("src/a.py:4", Some(("src/a.py", 4, None))),
            ("src/a.py:4:9", Some(("src/a.py", 4, Some(9)))),
            ("src/a.py:4:9:", Some(("src/a.py", 4, Some(9)))),
            ("C:/a.py:4", Some(("C:/a.py", 4, None))),
            ("Pool::acquire", None),
            ("a.py:0", None),
            (":3", None),
            ("acquire", None),
        ];
        for (text, expected) in cases {
            assert_eq!(
                PrintedPosition::parse(text).map(|place| (place.path, place.line, place.col)),
                expected,
                "{text}"
            );
        }
    }
}
