//! What an edit did to the structure of the code: its symbols, the uses of them, import cycles, copies, tests.

use std::collections::BTreeMap;
use std::ops::Range;

use m1nd_base::{Cancel, Cancelled, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::verify::{EditedFile, GraphCheck, verify};
use crate::analysis::fingerprint::{CopyOf, find_copies};
use crate::covering::test_nodes_reaching;

/// Fewest lines of a definition that is known again by its lines when some of them changed.
const LEAST_LINES: usize = 3;
/// Fewest characters of a body by which a definition is known again under another name: shorter ones are alike by
/// chance.
const LEAST_BODY: usize = 40;
/// Least share of common lines of a definition that moved, with the name it had.
const SAME_NAME: f64 = 0.6;
/// The same with another name in the same place.
const OTHER_NAME: f64 = 0.8;
/// Maximum definitions that are compared by lines with each other.
const MAX_COMPARED: usize = 200;

/// A symbol and its line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolAt {
    /// Its id.
    pub id: String,
    /// The line of its name: before the edit, if it is gone.
    pub line: u32,
}

/// How a symbol is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveKind {
    /// It has another name.
    Renamed,
    /// It has the same name in another file or type.
    Moved,
}

/// A symbol under its old and its new id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedSymbol {
    /// Its id before.
    pub from: String,
    /// Its id now.
    pub to: String,
    /// The line of its name now.
    pub line: u32,
    /// What changed.
    pub kind: MoveKind,
}

/// What became of the symbols of the edited files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolChanges {
    /// New ones.
    pub added: Vec<SymbolAt>,
    /// Those that are gone.
    pub removed: Vec<SymbolAt>,
    /// Those with other text, without what is around a touched one.
    pub changed: Vec<SymbolAt>,
    /// Those that are known again under another id, without what moved along inside of them.
    pub moved: Vec<MovedSymbol>,
}

/// A test file that reaches what an edit touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachingTests {
    /// Its path.
    pub file: String,
    /// Number of tests in it that do.
    pub tests: usize,
}

/// What an edit did.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    /// Its symbols.
    pub symbols: SymbolChanges,
    /// Lost uses, calls that do not fit, cycles, layers.
    pub check: GraphCheck,
    /// New functions that are copies of others.
    pub copies: Vec<CopyOf>,
    /// Test files that reach what it touched, nearest first.
    pub tests: Vec<ReachingTests>,
}

impl SymbolChanges {
    /// Number of touched symbols.
    pub fn total(&self) -> usize {
        self.added.len() + self.removed.len() + self.changed.len() + self.moved.len()
    }

    /// Ids of the touched symbols, before and after.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let plain = self.added.iter().chain(&self.removed).chain(&self.changed).map(|symbol| symbol.id.as_str());
        plain.chain(self.moved.iter().flat_map(|moved| [moved.from.as_str(), moved.to.as_str()]))
    }

    /// Ids of the touched symbols that are there afterwards.
    pub fn ids_after(&self) -> impl Iterator<Item = &str> {
        let plain = self.added.iter().chain(&self.changed).map(|symbol| symbol.id.as_str());
        plain.chain(self.moved.iter().map(|moved| moved.to.as_str()))
    }
}

/// Compares two snapshots around an edit of some files.
///
/// # Errors
/// [`Cancelled`].
pub fn delta(
    before: &Snapshot,
    after: &Snapshot,
    edited: &[EditedFile<'_>],
    cancel: &Cancel,
) -> Result<Delta, Cancelled> {
    let check = verify(before, after, edited, cancel)?;
    let symbols = symbol_changes(before, after, edited);
    let graph = after.graph();
    let added: Vec<NodeIx> = symbols.added.iter().filter_map(|symbol| graph.find(&symbol.id)).collect();
    let copies = find_copies(after, &added, cancel)?;
    let tests = reaching_tests(before, after, &symbols);
    Ok(Delta { symbols, check, copies, tests })
}

/// The files that differ between two snapshots, those of one alone as well.
pub fn changed_files(before: &Snapshot, after: &Snapshot) -> Vec<RepoPath> {
    let of_old =
        before.files().iter().filter(|file| after.files().get(&file.path).is_none_or(|now| now.hash != file.hash));
    let new = after.files().iter().filter(|file| before.files().get(&file.path).is_none());
    let mut paths: Vec<RepoPath> = of_old.chain(new).map(|file| file.path.clone()).collect();
    paths.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    paths
}

/// A symbol with its text.
struct Symbol<'a> {
    id: &'a str,
    label: &'a str,
    kind: NodeKind,
    line: u32,
    parent: Option<&'a str>,
    lines: Vec<&'a str>,
}

impl Symbol<'_> {
    fn at(&self) -> SymbolAt {
        SymbolAt { id: self.id.to_owned(), line: self.line }
    }

    /// Its text without its own name and without indentation.
    fn body(&self) -> String {
        let mut body = String::new();
        for line in &self.lines {
            push_without(&mut body, line.trim(), self.label);
            body.push('\n');
        }
        body
    }

    /// The share of lines that two symbols have in common.
    fn likeness(&self, other: &Self) -> f64 {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        let lines = |symbol: &Self| -> Vec<&str> {
            symbol.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect()
        };
        let (own, others) = (lines(self), lines(other));
        own.iter().for_each(|line| *counts.entry(line).or_default() += 1);
        let is_common = |line: &&&str| match counts.get_mut(**line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let all = own.len() + others.len();
        let common = others.iter().filter(is_common).count();
        if all == 0 { 0.0 } else { 2.0 * common as f64 / all as f64 }
    }
}

/// Appends a text without the whole words that are a name.
fn push_without(to: &mut String, text: &str, name: &str) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut at = 0;
    while let Some(found) = text[at..].find(name).filter(|_| !name.is_empty()) {
        let (start, end) = (at + found, at + found + name.len());
        let is_whole = !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part);
        to.push_str(&text[at..start]);
        to.push_str(if is_whole { "\0" } else { name });
        at = end;
    }
    to.push_str(&text[at..]);
}

/// The symbols of a file at one side of the edit.
fn symbols<'a>(snapshot: &'a Snapshot, path: &RepoPath, text: Option<&'a str>) -> Vec<Symbol<'a>> {
    let graph = snapshot.graph();
    let (Some(file), Some(text)) = (graph.find_file(path.as_str()), text) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let symbol = |node: NodeIx| {
        let (first, last) = graph.lines(node);
        let range: Range<usize> = (first as usize).saturating_sub(1)..(last as usize).min(lines.len());
        Symbol {
            id: graph.id(node),
            label: graph.label(node),
            kind: graph.kind(node),
            line: graph.name_line(node),
            parent: graph.parent(node).map(|parent| graph.id(parent)),
            lines: lines.get(range).unwrap_or_default().to_vec(),
        }
    };
    let is_own = |node: &NodeIx| graph.kind(*node) != NodeKind::File;
    graph.of_file(file).into_iter().filter(is_own).map(symbol).collect()
}

/// What became of the symbols of the edited files.
fn symbol_changes(before: &Snapshot, after: &Snapshot, edited: &[EditedFile<'_>]) -> SymbolChanges {
    let read = |file: &EditedFile<'_>| -> Option<String> {
        match file.after {
            Some(text) => Some(text.to_owned()),
            None => {
                after.files().get(file.path).and_then(|_| after.read_file(file.path).ok()).map(|source| source.text)
            }
        }
    };
    let texts: Vec<Option<String>> = edited.iter().map(read).collect();
    let old: Vec<Symbol<'_>> = edited.iter().flat_map(|file| symbols(before, file.path, file.before)).collect();
    let new: Vec<Symbol<'_>> =
        edited.iter().zip(&texts).flat_map(|(file, text)| symbols(after, file.path, text.as_deref())).collect();
    let known: FxHashMap<&str, &Symbol<'_>> = old.iter().map(|symbol| (symbol.id, symbol)).collect();
    let there: FxHashSet<&str> = new.iter().map(|symbol| symbol.id).collect();
    // Ids of one side alone, those that are the same symbol, and the rest.
    let removed: Vec<&Symbol<'_>> = old.iter().filter(|symbol| !there.contains(symbol.id)).collect();
    let added: Vec<&Symbol<'_>> = new.iter().filter(|symbol| !known.contains_key(symbol.id)).collect();
    let pairs = find_moved(&removed, &added);
    let (gone, come): (FxHashSet<&str>, FxHashSet<&str>) = pairs.iter().map(|(old, new)| (old.id, new.id)).unzip();
    let differs = |symbol: &&Symbol<'_>| known.get(symbol.id).is_some_and(|old| old.lines != symbol.lines);
    let mut changes = SymbolChanges {
        added: added.iter().filter(|symbol| !come.contains(symbol.id)).map(|symbol| symbol.at()).collect(),
        removed: removed.iter().filter(|symbol| !gone.contains(symbol.id)).map(|symbol| symbol.at()).collect(),
        changed: new.iter().filter(differs).map(Symbol::at).collect(),
        moved: list_outermost(&pairs),
    };
    // What is around a touched symbol is touched through it.
    let mut touched: Vec<String> = changes.ids().map(str::to_owned).collect();
    touched.sort();
    changes.changed.retain(|symbol| {
        let prefix = format!("{}::", symbol.id);
        let at = touched.partition_point(|id| *id < prefix);
        touched.get(at).is_none_or(|next| !next.starts_with(&prefix))
    });
    changes.changed.sort();
    changes
}

/// Pairs of removed and added symbols that are the same: with the same body, and no other like it; else with the same
/// name and most lines; else in the same place with nearly all lines.
fn find_moved<'s, 'a>(removed: &[&'s Symbol<'a>], added: &[&'s Symbol<'a>]) -> Vec<(&'s Symbol<'a>, &'s Symbol<'a>)> {
    let mut pairs: Vec<(&Symbol<'_>, &Symbol<'_>)> = Vec::new();
    let mut bodies: BTreeMap<(NodeKind, String), [Vec<&'s Symbol<'a>>; 2]> = BTreeMap::new();
    for (side, symbols) in [removed, added].into_iter().enumerate() {
        for symbol in symbols {
            bodies.entry((symbol.kind, symbol.body())).or_default()[side].push(symbol);
        }
    }
    for ((_, body), [old, new]) in &bodies {
        // Of several with this body, those of the same name belong together.
        for was in old {
            let same: Vec<_> = new.iter().filter(|is| is.label == was.label).collect();
            let found = match (same.as_slice(), old.as_slice(), new.as_slice()) {
                ([is], ..) => Some(**is),
                ([], [_], [is]) if body.len() >= LEAST_BODY => Some(*is),
                _ => None,
            };
            pairs.extend(found.map(|is| (*was, is)));
        }
    }
    if removed.len() > MAX_COMPARED || added.len() > MAX_COMPARED {
        return pairs;
    }
    let is_free = |symbol: &Symbol<'_>, pairs: &[(&Symbol<'_>, &Symbol<'_>)]| {
        !pairs.iter().any(|(old, new)| std::ptr::eq(*old, symbol) || std::ptr::eq(*new, symbol))
    };
    for was in removed.iter().filter(|symbol| symbol.lines.len() >= LEAST_LINES) {
        let fits = |is: &&&Symbol<'_>| {
            let least = match is.label == was.label {
                true => SAME_NAME,
                false if is.parent == was.parent => OTHER_NAME,
                false => return false,
            };
            is.kind == was.kind && is_free(is, &pairs) && was.likeness(is) >= least
        };
        let mut found = added.iter().filter(fits);
        if let (Some(is), None, true) = (found.next(), found.next(), is_free(was, &pairs)) {
            pairs.push((was, is));
        }
    }
    pairs
}

/// The pairs without those that only moved along with what contains them.
fn list_outermost(pairs: &[(&Symbol<'_>, &Symbol<'_>)]) -> Vec<MovedSymbol> {
    let all: FxHashSet<(&str, &str)> = pairs.iter().map(|(old, new)| (old.id, new.id)).collect();
    let is_outermost = |(old, new): &&(&Symbol<'_>, &Symbol<'_>)| {
        let around = old.parent.zip(new.parent);
        old.label != new.label || !around.is_some_and(|around| all.contains(&around))
    };
    let row = |(old, new): &(&Symbol<'_>, &Symbol<'_>)| MovedSymbol {
        from: old.id.to_owned(),
        to: new.id.to_owned(),
        line: new.line,
        kind: if old.label == new.label { MoveKind::Moved } else { MoveKind::Renamed },
    };
    let mut rows: Vec<MovedSymbol> = pairs.iter().filter(is_outermost).map(row).collect();
    rows.sort();
    rows
}

/// Test files that reach what changed: in the graph afterwards, and for what is gone in the one before.
fn reaching_tests(before: &Snapshot, after: &Snapshot, symbols: &SymbolChanges) -> Vec<ReachingTests> {
    let mut files: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let now: Vec<&str> = symbols.ids_after().collect();
    let gone: Vec<&str> = symbols.removed.iter().map(|symbol| symbol.id.as_str()).collect();
    for (snapshot, ids) in [(after, now), (before, gone)] {
        let graph = snapshot.graph();
        let starts: Vec<NodeIx> = ids.into_iter().filter_map(|id| graph.find(id)).collect();
        for (rank, node) in test_nodes_reaching(graph, &starts).into_iter().enumerate() {
            let row = files.entry(graph.path(node).to_owned()).or_insert((rank, 0));
            row.0 = row.0.min(rank);
            row.1 += usize::from(is_test_function(graph, node));
        }
    }
    let mut rows: Vec<(usize, ReachingTests)> =
        files.into_iter().map(|(file, (rank, tests))| (rank, ReachingTests { file, tests })).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.file.cmp(&b.1.file)));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn is_test_function(graph: &Graph, node: NodeIx) -> bool {
    graph.kind(node) == NodeKind::Function && graph.flags(node).has(NodeFlags::TEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_without_its_own_name() {
        let rows = [("f(f_1, f)", "f", "\0(f_1, \0)"), ("ff f", "f", "ff \0"), ("a", "", "a"), ("é f", "é", "\0 f")];
        for (text, name, expected) in rows {
            let mut body = String::new();
            push_without(&mut body, text, name);
            assert_eq!(body, expected, "{text}");
        }
    }
}
