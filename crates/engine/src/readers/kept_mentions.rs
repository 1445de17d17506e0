//! Keeps what documents and comments named from one state of the index to the next.

use std::sync::Arc;

use m1nd_base::{ContentHash, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::Language;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::files::FileEntry;
use crate::mentions::{KeptFile, KeptMention, KeptMentions, Shape, linked_names};
use crate::state::snapshot::Snapshot;

/// Maximum mentions that are kept of one file, and of all.
const MAX_OF_FILE: usize = 2_000;
const MAX_KEPT: usize = 100_000;

impl Shape {
    /// The shape of a node, if its file is as it was indexed.
    pub fn of(snapshot: &Snapshot, node: NodeIx) -> Option<Self> {
        Self::of_nodes(snapshot, snapshot.graph.path(node), &[node]).pop().map(|(_, shape)| shape)
    }

    /// The shapes of nodes of one file, which is read once; none if it is not as it was indexed.
    fn of_nodes(snapshot: &Snapshot, path: &str, nodes: &[NodeIx]) -> Vec<(NodeIx, Self)> {
        let graph = &snapshot.graph;
        let source = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
        let Some(source) = source.filter(|source| source.indexed && !source.stale) else { return Vec::new() };
        let lines: Vec<&str> = source.text.lines().collect();
        let shape = |node: NodeIx| {
            if graph.kind(node) == NodeKind::File {
                return Some(Self::of_file(source.hash));
            }
            let (start, end) = graph.lines(node);
            let count = (end.checked_sub(start)? + 1) as usize;
            let first = lines.len().min(start.saturating_sub(1) as usize);
            let text = &lines[first..lines.len().min(first + count)];
            Some(Self::of_text(graph.kind(node), graph.label(node), graph.signature(node), &text.join("\n")))
        };
        nodes.iter().filter_map(|&node| Some((node, shape(node)?))).collect()
    }

    /// The shapes of many nodes: each file is read once.
    fn of_all(snapshot: &Snapshot, nodes: impl Iterator<Item = NodeIx>) -> FxHashMap<NodeIx, Self> {
        let mut of_files: FxHashMap<&str, Vec<NodeIx>> = FxHashMap::default();
        for node in nodes.collect::<FxHashSet<NodeIx>>() {
            of_files.entry(snapshot.graph.path(node)).or_default().push(node);
        }
        of_files.par_iter().flat_map_iter(|(path, nodes)| Self::of_nodes(snapshot, path, nodes)).collect()
    }
}

/// The mentions of a file, of which new ones do not have the shapes of their targets yet.
struct Draft {
    kept: KeptFile,
    new: Vec<NewMention>,
}

struct NewMention {
    line: u32,
    text: u64,
    target: NodeIx,
}

impl Draft {
    fn finish(self, next: &Snapshot, shapes: &FxHashMap<NodeIx, Shape>) -> KeptFile {
        let Self { mut kept, new } = self;
        let new = new.into_iter().filter_map(|NewMention { line, text, target }| {
            let shape = shapes.get(&target)?.clone();
            Some(KeptMention { line, text, target: next.graph.id(target).to_owned(), shape })
        });
        kept.rows.extend(new);
        kept.rows.sort_by(|a, b| (a.line, &a.target).cmp(&(b.line, &b.target)));
        kept.rows.truncate(MAX_OF_FILE);
        kept
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
    let drafts: Vec<(String, Draft)> = files.par_iter().filter_map(work).collect();
    let targets = drafts.iter().flat_map(|(_, draft)| draft.new.iter().map(|row| row.target));
    let shapes = Shape::of_all(next, targets);
    let present: FxHashSet<&str> = files.iter().map(|entry| entry.path.as_str()).collect();
    let has_gone = before.0.keys().any(|path| !present.contains(path.as_str()));
    if drafts.is_empty() && !has_gone {
        return before.clone();
    }
    let mut kept = (**before).clone();
    kept.0.retain(|path, _| present.contains(path.as_str()));
    let mut room = MAX_KEPT.saturating_sub(kept.count());
    for (path, draft) in drafts {
        let mut file = draft.finish(next, &shapes);
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
fn file_of(next: &Snapshot, entry: &FileEntry, old: Option<&KeptFile>, is_same: bool) -> Option<Draft> {
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
            .then(|| Draft { kept: KeptFile { hash: entry.hash, rows: Vec::new() }, new: Vec::new() });
    }
    let text = text.or_else(read)?;
    // Lines are known by their content, since other lines may be added above them.
    let lines: Vec<u64> = text.lines().map(|line| ContentHash::of(line.trim().as_bytes()).short()).collect();
    // Earlier rows stay while their line is there, even if the name now means nothing: that is what drift is about.
    let rows = if is_same { of_old.to_vec() } else { still_there(of_old, &lines) };
    let known: FxHashSet<(u32, &str)> = rows.iter().map(|row| (row.line, row.target.as_str())).collect();
    let mut seen: FxHashSet<(u32, NodeIx)> = FxHashSet::default();
    let mut new = Vec::new();
    for &Named { line, target } in named.iter().take(MAX_OF_FILE) {
        let text = line.checked_sub(1).and_then(|at| lines.get(at as usize)).copied();
        if let Some(text) = text.filter(|_| !known.contains(&(line, next.graph.id(target))))
            && seen.insert((line, target))
        {
            new.push(NewMention { line, text, target });
        }
    }
    Some(Draft { kept: KeptFile { hash: entry.hash, rows }, new })
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
