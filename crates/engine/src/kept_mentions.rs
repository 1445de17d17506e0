//! Keeps what documents and comments named from one state of the index to the next.

use std::sync::Arc;

use m1nd_base::{ContentHash, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::files::FileEntry;
use crate::mentions::{KeptFile, KeptMention, KeptMentions, Shape, linked_names};
use crate::snapshot::Snapshot;

/// Maximum mentions that are kept of one file, and of all.
const MAX_OF_FILE: usize = 2_000;
const MAX_KEPT: usize = 100_000;

impl Shape {
    /// The shape of a node, if its file is as it was indexed.
    pub fn of(snapshot: &Snapshot, node: NodeIx) -> Option<Self> {
        let graph = &snapshot.graph;
        let source = snapshot.read_file(&RepoPath::new(graph.path(node)).ok()?).ok();
        let source = source.filter(|source| source.indexed && !source.stale)?;
        if graph.kind(node) == NodeKind::File {
            return Some(Self::of_file(source.hash));
        }
        let (start, end) = graph.lines(node);
        let count = (end.checked_sub(start)? + 1) as usize;
        let text: Vec<&str> = source.text.lines().skip(start.saturating_sub(1) as usize).take(count).collect();
        Some(Self::of_text(graph.kind(node), graph.label(node), graph.signature(node), &text.join("\n")))
    }
}

/// A name that a file has now, and its node.
struct Named {
    line: u32,
    target: NodeIx,
}

/// The mentions of the next state: those known before whose lines are still there, and new ones.
///
/// 1. Files that did not change keep what they had; only names that are bound since are added.
/// 2. Of changed files, a mention stays while its line does.
pub(crate) fn carry_over(before: &Arc<KeptMentions>, next: &Snapshot) -> Arc<KeptMentions> {
    let known = |entry: &FileEntry| before.0.get(entry.path.as_str()).filter(|file| file.hash == entry.hash);
    let files: Vec<&FileEntry> = next.files.iter().filter(|entry| !entry.is_test && can_name(entry.language)).collect();
    let work = |entry: &&FileEntry| {
        let old = before.0.get(entry.path.as_str());
        let is_same = known(entry).is_some();
        // Links in comments cost a look at the file: what is not linked in an unchanged file stays so.
        if is_same && !entry.language.is_document() {
            return None;
        }
        let file = file_of(next, entry, old, is_same)?;
        Some((entry.path.as_str().to_owned(), file))
    };
    let changed: Vec<(String, KeptFile)> = files.par_iter().filter_map(work).collect();
    let present: FxHashSet<&str> = files.iter().map(|entry| entry.path.as_str()).collect();
    let has_gone = before.0.keys().any(|path| !present.contains(path.as_str()));
    if changed.is_empty() && !has_gone {
        return before.clone();
    }
    let mut kept = (**before).clone();
    kept.0.retain(|path, _| present.contains(path.as_str()));
    let mut room = MAX_KEPT.saturating_sub(kept.count());
    for (path, mut file) in changed {
        room += kept.of(&path).len();
        file.rows.truncate(room);
        room -= file.rows.len();
        kept.0.insert(path, file);
    }
    Arc::new(kept)
}

fn can_name(language: Language) -> bool {
    language.is_document() || language.has_code()
}

/// The mentions of a file; `None` if nothing changes.
fn file_of(next: &Snapshot, entry: &FileEntry, old: Option<&KeptFile>, is_same: bool) -> Option<KeptFile> {
    let of_old = old.map_or(&[][..], |file| &file.rows);
    let mut text = None;
    let read = || next.read_file(&entry.path).ok().filter(|source| !source.stale).map(|source| source.text);
    let named = if entry.language.is_document() {
        of_document(next, entry)
    } else {
        text = read();
        of_comments(next, entry, text.as_deref()?)
    };
    let has = |row: &Named| of_old.iter().any(|old| old.line == row.line && old.target == next.graph.id(row.target));
    // Usual case: the file is unchanged and all of its names are noted.
    if is_same && named.iter().all(has) {
        return None;
    }
    if named.is_empty() && of_old.is_empty() {
        return (old.is_some() && !is_same || entry.language.is_document() && old.is_none())
            .then(|| KeptFile { hash: entry.hash, rows: Vec::new() });
    }
    let text = text.or_else(read)?;
    // Lines are known by their content, since other lines may be added above them.
    let lines: Vec<u64> = text.lines().map(|line| ContentHash::of(line.trim().as_bytes()).short()).collect();
    // Earlier rows stay while their line is there, even if the name now means nothing: that is what drift is about.
    let mut rows = if is_same { of_old.to_vec() } else { still_there(of_old, &lines) };
    for row in named.iter().take(MAX_OF_FILE) {
        let target = next.graph.id(row.target);
        let is_known = rows.iter().any(|known| known.line == row.line && known.target == target);
        let line = row.line.checked_sub(1).and_then(|at| lines.get(at as usize)).copied();
        if let (false, Some(text), Some(shape)) = (is_known, line, Shape::of(next, row.target)) {
            rows.push(KeptMention { line: row.line, text, target: target.to_owned(), shape });
        }
    }
    rows.sort_by(|a, b| (a.line, &a.target).cmp(&(b.line, &b.target)));
    rows.truncate(MAX_OF_FILE);
    Some(KeptFile { hash: entry.hash, rows })
}

/// The mentions whose lines are still in a changed file, at their new places. Equal lines stay in their order.
fn still_there(rows: &[KeptMention], lines: &[u64]) -> Vec<KeptMention> {
    let mut places: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (text, number) in lines.iter().zip(1u32..) {
        places.entry(*text).or_default().push(number);
    }
    let nearest = |row: &KeptMention| {
        let found = places.get(&row.text)?;
        let line = found.iter().copied().min_by_key(|line| line.abs_diff(row.line))?;
        Some(KeptMention { line, ..row.clone() })
    };
    rows.iter().filter_map(nearest).collect()
}

/// The code that the sections of a document certainly name.
fn of_document(next: &Snapshot, entry: &FileEntry) -> Vec<Named> {
    let graph = &next.graph;
    let Some(file) = graph.find_file(entry.path.as_str()) else { return Vec::new() };
    let mut found = Vec::new();
    for node in graph.of_file(file).into_iter().chain([file]) {
        let names = |edge: &m1nd_graph::EdgeRef<'_>| {
            edge.relation == Relation::Documents && edge.tier == EdgeTier::Certain && is_code(next, edge.to)
        };
        for edge in graph.out_edges(node).filter(names) {
            found.extend(edge.sites.iter().map(|site| Named { line: site.line, target: edge.to }));
        }
    }
    found
}

/// The code that the comments of a file link to, if only one node can be meant: of several, that in the file itself.
fn of_comments(next: &Snapshot, entry: &FileEntry, text: &str) -> Vec<Named> {
    let path = entry.path.as_str();
    let Some(document) = linked_names(entry.language, text) else { return Vec::new() };
    let bound = next.bindings(&document, path);
    let rows = bound.iter().filter_map(|binding| {
        let own = |node: &&NodeIx| next.graph.path(**node) == path;
        let target = match binding.targets.as_slice() {
            [only] if binding.of == 1 => Some(only),
            several => {
                let mut inside = several.iter().filter(own);
                inside.next().filter(|_| inside.next().is_none())
            }
        };
        let line = document.mentions.get(binding.mention)?.line;
        target.filter(|node| is_code(next, **node)).map(|target| Named { line, target: *target })
    });
    rows.collect()
}

fn is_code(next: &Snapshot, node: NodeIx) -> bool {
    let graph = &next.graph;
    let kind = graph.kind(node);
    !kind.is_outside()
        && !matches!(kind, NodeKind::Section | NodeKind::Config | NodeKind::Concept)
        && !graph.flags(node).has(NodeFlags::IMPORTED)
        && RepoPath::new(graph.path(node)).is_ok()
}
