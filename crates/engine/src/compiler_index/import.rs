//! Converts a SCIP index to the linker's input: symbols become nodes or packages, occurrences become references.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Pos, RepoPath, node_id};
use m1nd_lang::facts::DefKind;
use m1nd_link::{CompilerNode, CompilerRelation, CompilerRow, CompilerSymbol, Linker, NodePlace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::scip::{self, Columns, Document, Index, Occurrence, ScipError, Suffix, Symbol};
use super::{IndexSet, IndexedFile};
use crate::report::CompilerReport;
use crate::state::snapshot::Snapshot;

/// Examples of files that are left out.
const EXAMPLES: usize = 10;

/// Symbols above one for which it is found out which are directly above: the work grows with the square of their
/// number. Of more, which no code has, all count as direct.
const MAX_ABOVE: usize = 512;

/// Project data that an index is matched with.
pub(crate) struct Ground<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) linker: &'a Linker,
    /// The index file: its path in the words of the caller, and where it is.
    pub(crate) source: &'a str,
    pub(crate) file: &'a Path,
}

/// Reads an index and finds out which nodes its symbols are.
///
/// # Errors
/// See [`ScipError`].
pub(crate) fn import(
    ground: &Ground<'_>,
    bytes: &[u8],
    cancel: &Cancel,
) -> Result<(IndexSet, CompilerReport), ScipError> {
    let index = scip::read(bytes, cancel)?;
    let mut report =
        CompilerReport { tool: index.tool.clone(), documents: index.documents.len(), ..Default::default() };
    let names: Vec<Option<Symbol>> = index.symbols.iter().map(|text| scip::parse_symbol(text)).collect();
    let mut files = fitting(ground, &index, &names, &mut report, cancel)?;
    let symbols = symbols(ground, &names, &files, &mut report);
    let rows_of = |file: &FittingFile| -> Vec<CompilerRow> {
        let uses = file.occurrences.iter().filter(|(_, row)| !row.definition);
        let uses = uses.filter(|(_, row)| symbols.known[row.symbol as usize]);
        let mut rows: Vec<CompilerRow> =
            uses.map(|(pos, row)| CompilerRow { pos: *pos, symbol: row.symbol, import: row.import }).collect();
        rows.sort_unstable();
        rows.dedup();
        // A use of a local variable also names the type of the same name: it is unknown which of them is meant.
        let locals: FxHashSet<Pos> = file
            .occurrences
            .iter()
            .filter(|(_, row)| symbols.without_node[row.symbol as usize])
            .map(|(pos, _)| *pos)
            .collect();
        rows.retain(|row| !(symbols.only_type(row.symbol) && locals.contains(&row.pos)));
        rows
    };
    let direct = Direct::new(index.documents.iter().flat_map(|document| document.relations.iter().copied()));
    let mut indexed = Vec::with_capacity(files.len());
    for (path, file) in std::mem::take(&mut files) {
        let (rows, relations) = (rows_of(&file), relations(&file, &symbols, &direct));
        report.references += rows.len();
        report.implementations += relations.len();
        indexed.push(IndexedFile { path, hash: file.hash, rows: Arc::new(rows), relations: Arc::new(relations) });
    }
    report.files = indexed.len();
    let set = IndexSet {
        source: ground.source.to_owned(),
        tool: index.tool,
        symbols: Arc::new(symbols.rows),
        files: indexed,
    };
    Ok((set, report))
}

/// Direct implementations and overrides. Indexers also list transitive ones; only the next definition above is
/// reported here.
struct Direct {
    above: FxHashMap<u32, Vec<u32>>,
}

impl Direct {
    /// Takes the relations of an index: symbols, and what each implements or overrides.
    fn new(relations: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut all: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        for (symbol, above) in relations {
            all.entry(symbol).or_default().insert(above);
        }
        let is_over = |low: &u32, high: u32| all.get(low).is_some_and(|above| above.contains(&high));
        let direct = all.iter().map(|(&symbol, above)| {
            let between = |high: u32| above.iter().any(|low| *low != high && *low != symbol && is_over(low, high));
            let mut next: Vec<u32> = match above.len() {
                0..=MAX_ABOVE => above.iter().copied().filter(|&high| !between(high)).collect(),
                _ => Vec::new(),
            };
            // In a cycle each is above the other, so all are reported; as are those that are too many.
            if next.is_empty() {
                next.extend(above);
            }
            next.sort_unstable();
            (symbol, next)
        });
        Self { above: direct.collect() }
    }
}

/// Implementations and overrides by the definitions of a file, of definitions in the project.
fn relations(file: &FittingFile, symbols: &Known, direct: &Direct) -> Vec<CompilerRelation> {
    let is_node = |symbol: &u32| matches!(symbols.rows.get(*symbol as usize), Some(CompilerSymbol::Nodes(nodes)) if !nodes.is_empty());
    let mut found = Vec::new();
    for (symbol, id) in &file.nodes {
        let above = direct.above.get(symbol).into_iter().flatten().filter(|above| is_node(above));
        found.extend(above.map(|&above| CompilerRelation { from: id.clone(), symbol: above }));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A file of the project that the index still fits.
struct FittingFile {
    hash: ContentHash,
    occurrences: Vec<(Pos, Occurrence)>,
    /// Ids of the nodes that its definitions are, with the symbol.
    nodes: Vec<(u32, Box<str>)>,
    /// Symbols defined in it that are no node.
    without_node: FxHashSet<u32>,
}

/// The files of the index that are in the project, with the content that was indexed.
fn fitting(
    ground: &Ground<'_>,
    index: &Index,
    names: &[Option<Symbol>],
    report: &mut CompilerReport,
    cancel: &Cancel,
) -> Result<BTreeMap<RepoPath, FittingFile>, ScipError> {
    let paths = paths(ground, index);
    let mut files: BTreeMap<RepoPath, FittingFile> = BTreeMap::new();
    for (document, path) in index.documents.iter().zip(paths) {
        cancel.check()?;
        let Some(path) = path else {
            report.files_unknown += 1;
            continue;
        };
        match fit(ground, document, &path, names) {
            // Indexers write one document for each build target that has the file.
            Some(file) => match files.get_mut(&path) {
                Some(known) => {
                    known.occurrences.extend(file.occurrences);
                    known.nodes.extend(file.nodes);
                    known.without_node.extend(file.without_node);
                }
                None => {
                    files.insert(path, file);
                }
            },
            None => {
                report.files_stale += 1;
                if report.stale_examples.len() < EXAMPLES {
                    report.stale_examples.push(path.to_string());
                }
            }
        }
    }
    Ok(files)
}

/// Index paths of the documents, `None` for missing ones and for paths outside every root.
fn paths(ground: &Ground<'_>, index: &Index) -> Vec<Option<RepoPath>> {
    let relative: Vec<Option<RepoPath>> =
        index.documents.iter().map(|document| RepoPath::new(&document.path).ok()).collect();
    let bases = [file_path(&index.project_root), ground.file.parent().map(Path::to_owned)];
    let roots = ground.snapshot.roots();
    let bases = bases.into_iter().flatten().chain(roots.iter().map(|root| root.path.clone()));
    let mut best: Vec<Option<RepoPath>> = vec![None; relative.len()];
    let found = |paths: &[Option<RepoPath>]| paths.iter().flatten().count();
    for base in bases {
        let place = |path: &RepoPath| {
            let full = base.join(path.as_str());
            roots.iter().find_map(|root| {
                let inner = full.strip_prefix(&root.path).ok()?.to_str()?;
                let outer = root.outer(&RepoPath::new(inner).ok()?);
                ground.snapshot.files().get(&outer).map(|_| outer)
            })
        };
        let paths: Vec<Option<RepoPath>> = relative.iter().map(|path| place(path.as_ref()?)).collect();
        if found(&paths) > found(&best) {
            best = paths;
        }
    }
    best
}

/// The folder of a `file:` URI, on whatever machine the index was made.
fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    m1nd_base::uri::file_path(&format!("file://{}", &rest[rest.find('/')?..]))
}

/// Compares a document with the file; `None` if the file is not the one that was indexed.
fn fit(ground: &Ground<'_>, document: &Document, path: &RepoPath, names: &[Option<Symbol>]) -> Option<FittingFile> {
    let hash = ground.snapshot.files().get(path)?.hash;
    let bytes = ground.snapshot.read_bytes(path).ok()?;
    // The file on disk, the indexed one and the document must be the same, or positions would be wrong.
    if ContentHash::of(&bytes) != hash {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    if !document.text.is_empty() && document.text != text {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<&str> = text.split('\n').collect();
    let places = ground.linker.nodes(path);
    let nodes = Nodes::new(&places);
    let mut file = FittingFile { hash, occurrences: Vec::new(), nodes: Vec::new(), without_node: FxHashSet::default() };
    for row in &document.occurrences {
        let (pos, written) = place(&lines, row, document.columns)?;
        let symbol = names.get(row.symbol as usize).and_then(Option::as_ref);
        if row.definition {
            // Many documents hold no text. A definition at another word shows that the file has changed since.
            if symbol.is_some_and(|symbol| !fits(symbol, written)) {
                return None;
            }
            let name = symbol.map_or(written, |symbol| symbol.name.as_str());
            let is_file = symbol.is_some_and(|symbol| symbol.suffix == Suffix::Module) && row.start == (0, 0);
            match nodes.at(pos, name).or_else(|| is_file.then_some(nodes.file).flatten()) {
                Some(id) => file.nodes.push((row.symbol, id.into())),
                None => {
                    file.without_node.insert(row.symbol);
                }
            }
        }
        // Columns at the limit stand for all beyond it and identify nothing.
        if pos.col < u16::MAX {
            file.occurrences.push((pos, *row));
        }
    }
    Some(file)
}

/// Position and text of an occurrence; `None` if the file has no such position.
fn place<'t>(lines: &[&'t str], row: &Occurrence, columns: Columns) -> Option<(Pos, &'t str)> {
    let line = lines.get(row.start.0 as usize)?;
    let (start, before) = offset(line, row.start.1, columns)?;
    let end = match row.end_col {
        Some(end) => offset(line, end, columns)?.0,
        None => line.len(),
    };
    let col = u16::try_from(before + 1).unwrap_or(u16::MAX);
    Some((Pos { line: row.start.0 + 1, col }, line.get(start..end)?))
}

/// Byte offset of a column of a line and the number of characters before it.
fn offset(line: &str, col: u32, columns: Columns) -> Option<(usize, usize)> {
    let col = col as usize;
    if columns == Columns::Bytes {
        return Some((col, line.get(..col)?.chars().count()));
    }
    let mut units = 0;
    for (count, (offset, letter)) in line.char_indices().enumerate() {
        if units >= col {
            return (units == col).then_some((offset, count));
        }
        units += if columns == Columns::Utf16 { letter.len_utf16() } else { 1 };
    }
    (units == col).then(|| (line.len(), line.chars().count()))
}

/// Returns whether the text at a definition's position is its name, as far as that can be checked: languages and
/// indexers have symbols whose name is written nowhere (modules, constructors, default exports).
fn fits(symbol: &Symbol, written: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let tells = symbol.suffix == Suffix::Other && is_word(&symbol.name) && is_word(written);
    !tells || symbol.name == written || ["default", "constructor", "this", "self"].contains(&written)
}

/// The nodes of a file by place.
struct Nodes<'a> {
    file: Option<&'a str>,
    at: FxHashMap<Pos, &'a str>,
    /// `None` if several of the name are on the line.
    on_line: FxHashMap<(u32, &'a str), Option<&'a str>>,
}

impl<'a> Nodes<'a> {
    fn new(places: &[NodePlace<'a>]) -> Self {
        let mut nodes = Self { file: None, at: FxHashMap::default(), on_line: FxHashMap::default() };
        for place in places {
            if place.pos.line == 0 {
                nodes.file = Some(place.id);
                continue;
            }
            nodes.at.entry(place.pos).or_insert(place.id);
            let row = nodes.on_line.entry((place.pos.line, place.name)).or_insert(Some(place.id));
            if *row != Some(place.id) {
                *row = None;
            }
        }
        nodes
    }

    fn at(&self, pos: Pos, name: &str) -> Option<&'a str> {
        let exact = self.at.get(&pos).copied();
        exact.or_else(|| self.on_line.get(&(pos.line, name)).copied().flatten())
    }
}

/// Our equivalents of the symbols.
struct Known {
    rows: Vec<CompilerSymbol>,
    /// Whether it is anything; by number of the symbol.
    known: Vec<bool>,
    /// Whether it is defined in the project and no node.
    without_node: Vec<bool>,
}

impl Known {
    fn only_type(&self, symbol: u32) -> bool {
        matches!(&self.rows[symbol as usize], CompilerSymbol::Nodes(nodes) if nodes.iter().all(is_only_type))
    }
}

fn symbols(
    ground: &Ground<'_>,
    names: &[Option<Symbol>],
    files: &BTreeMap<RepoPath, FittingFile>,
    report: &mut CompilerReport,
) -> Known {
    let mut nodes: Vec<Vec<CompilerNode>> = vec![Vec::new(); names.len()];
    let mut defined = vec![false; names.len()];
    for (path, file) in files {
        for (symbol, id) in &file.nodes {
            defined[*symbol as usize] = true;
            let node = CompilerNode { path: path.clone(), id: id.clone() };
            if !nodes[*symbol as usize].contains(&node) {
                nodes[*symbol as usize].push(node);
            }
        }
        file.without_node.iter().for_each(|symbol| defined[*symbol as usize] = true);
    }
    report.definitions = nodes.iter().filter(|nodes| !nodes.is_empty()).count();
    report.definitions_without_node = defined.iter().filter(|defined| **defined).count() - report.definitions;
    // Names that a package defines here, and those it does not (in files that were left out), are all of the project.
    let own: FxHashSet<&str> = names
        .iter()
        .zip(&defined)
        .filter(|row| *row.1)
        .filter_map(|row| Some(row.0.as_ref()?.package.as_str()))
        .collect();
    let inside = Inside::new(ground.snapshot);
    let mut known = Known { rows: Vec::new(), known: Vec::new(), without_node: Vec::new() };
    for ((name, nodes), defined) in names.iter().zip(nodes).zip(defined) {
        let outside = name.as_ref().filter(|name| !defined && !own.contains(name.package.as_str()));
        let outside = outside.filter(|name| !name.package.is_empty() && !is_guess(name) && !inside.holds(name));
        known.without_node.push(defined && nodes.is_empty());
        known.known.push(!nodes.is_empty() || outside.is_some());
        known.rows.push(match outside {
            Some(name) => CompilerSymbol::External(package(name)),
            None => CompilerSymbol::Nodes(nodes),
        });
    }
    known
}

/// scip-python takes any name that resembles a builtin for that builtin, even if the file defines it itself. Members
/// of builtin types are not affected.
fn is_guess(symbol: &Symbol) -> bool {
    symbol.scheme == "scip-python" && symbol.modules == ["builtins"] && symbol.depth < 2
}

fn is_only_type(node: &CompilerNode) -> bool {
    let kind = node_id::kind_word(&node.id);
    [DefKind::TypeAlias, DefKind::Interface].iter().any(|only| Some(only.word()) == kind)
}

/// Import name of a symbol's package; `None` for the language itself.
fn package(symbol: &Symbol) -> Option<Box<str>> {
    match (symbol.scheme.as_str(), symbol.package.as_str()) {
        ("scip-typescript", "typescript") => None,
        ("scip-typescript", package) => Some(package.strip_prefix("@types/").unwrap_or(package).into()),
        // Distributions of Python have other names than the modules they bring.
        ("scip-python", _) => {
            let module = symbol.modules.first().unwrap_or(&symbol.name);
            let first = module.split('.').next().unwrap_or(module);
            (first != "builtins").then(|| first.into())
        }
        (_, package) => Some(package.into()),
    }
}

/// Files of the project by name: an index of one package of several calls the others foreign.
struct Inside<'a> {
    by_name: FxHashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Inside<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let mut by_name: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for entry in snapshot.files().iter() {
            by_name.entry(entry.path.file_name()).or_default().push(entry.path.as_str());
        }
        Self { by_name }
    }

    /// Returns whether a file of the project may be the one that the symbol's modules name.
    fn holds(&self, symbol: &Symbol) -> bool {
        let ends = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let paths = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
            paths
                .iter()
                .any(|known| known.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
        };
        let joined = symbol.modules.join("/");
        let dotted = joined.replace('.', "/");
        match symbol.scheme.as_str() {
            "scip-python" => ends(&format!("{dotted}.py")) || ends(&format!("{dotted}/__init__.py")),
            // Modules are paths of files; inside one there may be namespaces.
            _ => (1..=symbol.modules.len()).any(|count| ends(&symbol.modules[..count].join("/"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_their_units() {
        let line = "é𝒳 = f()";
        for (columns, col) in [(Columns::Bytes, 9), (Columns::Utf16, 6), (Columns::Chars, 5)] {
            assert_eq!(offset(line, col, columns), Some((9, 5)), "{columns:?}");
        }
        assert_eq!(offset(line, 2, Columns::Utf16), None, "inside a character");
        assert_eq!(offset(line, 3, Columns::Bytes), None, "inside a character");
        assert_eq!(offset("ab", 2, Columns::Utf16), Some((2, 2)));
        assert_eq!(offset("ab", 3, Columns::Utf16), None);
    }

    #[test]
    fn uris_of_folders_are_decoded() {
        assert_eq!(file_path("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(file_path("file://host/a"), Some(PathBuf::from("/a")));
        for uri in ["", "a", "http:///a", "file://", "file:///a/../b", "file:///%ff"] {
            assert_eq!(file_path(uri), None, "{uri}");
        }
    }

    /// A chain in which each symbol lists all above it, as indexers write it.
    fn chain(length: u32) -> Direct {
        Direct::new((0..length).flat_map(|symbol| (symbol + 1..length).map(move |above| (symbol, above))))
    }

    #[test]
    fn only_the_next_above_is_direct_unless_there_are_too_many() {
        let most = MAX_ABOVE as u32;
        let direct = chain(most + 2);
        assert_eq!(direct.above[&1], [2], "as many as are compared");
        assert_eq!(direct.above[&0].len(), MAX_ABOVE + 1, "one more: all are kept");
    }
}
