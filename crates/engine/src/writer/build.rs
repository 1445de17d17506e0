//! Builds the next snapshot from links: from scratch, or as changes on top of the previous one.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, Progress, ProgressEvent, RepoPath};
use m1nd_graph::{BuildReport, Change, Graph, GraphBuilder, NodeFlags, Part};
use m1nd_lang::FileFacts;
use m1nd_link::{FileLinks, LinkDelta, LinkNode, Linker, SymbolId};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ingest::report_gone;
use super::{Ids, Linked, Writer, is_test};
use crate::error::EngineError;
use crate::files::FileEntry;
use crate::ingest::json_graph::{self, Imported, ImportedSymbols};
use crate::ingest::part::{add_part, part};
use crate::ingest::terms::FILE_KEY;
use crate::kept::search_index::{self, SearchBuilder, SearchIndex};
use crate::report::Tiers;
use crate::state::persist;
use crate::state::snapshot::Snapshot;

/// Numbers from here on are those of imported data; below they are the linker's.
const FIRST_IMPORTED: u32 = 1 << 31;
/// Files whose terms are got together.
const INDEXED_AT_ONCE: usize = 256;

/// Remembers which node each definition of a file is, for the search index. Whether that has changed since the graph of
/// `before`: macros of other files decide which definitions are nodes.
pub(super) fn note_ids(linked: &mut Linked, links: &FileLinks, before: &Graph) -> bool {
    let ids = ids_of(&links.nodes);
    let file = linked.files.get_mut(&links.path);
    let is_changed = match file.as_ref().and_then(|file| file.ids.as_ref()) {
        Some(known) => *known != ids,
        None => ids_in(&linked.linker, &links.path, before) != ids,
    };
    // Of files that are not in memory, those in the published graph are looked up when they are needed.
    if let Some(file) = file {
        file.ids = Some(ids);
    }
    is_changed
}

fn ids_of(nodes: &[LinkNode]) -> Ids {
    // Routes have no entry of their own in the search index; without a definition they would pass for the file.
    let ids = nodes
        .iter()
        .filter(|node| node.route.is_none())
        .map(|node| (node.definition.map_or(FILE_KEY, |id| id.0), node.id.0));
    let mut ids: Ids = ids.collect();
    ids.sort_unstable();
    ids
}

fn ids_in(linker: &Linker, path: &RepoPath, graph: &Graph) -> Ids {
    ids_of(&linker.nodes_if(path, &|id| graph.find(id).is_some()))
}

/// Notes the outcome of linking in the row of a file: references by tier, and whether it was cut short.
pub(super) fn note_outcome(entry: &mut FileEntry, links: &FileLinks) {
    entry.problems.retain(|problem| !problem.kind.is_of_linking());
    entry.problems.extend_from_slice(&links.problems);
    let counts = links.counts;
    entry.tiers = Tiers {
        certain: u64::from(counts.certain),
        possible: u64::from(counts.possible),
        external: u64::from(counts.external),
        unresolved: u64::from(counts.unresolved),
    };
}

/// A graph of all files, made while they are linked: nothing of a file's links has to be kept.
pub(super) struct WholeGraph<'i> {
    builder: GraphBuilder,
    imported: &'i [Imported],
    /// Ids that imported edges name.
    wanted: FxHashSet<&'i str>,
    /// Symbols of those that are nodes of files.
    numbers: FxHashMap<&'i str, u32>,
}

impl<'i> WholeGraph<'i> {
    pub(super) fn new(imported: &'i [Imported]) -> Self {
        let edges = imported.iter().flat_map(|set| &set.edges);
        Self {
            builder: GraphBuilder::new(),
            imported,
            wanted: edges.flat_map(|edge| [&*edge.from, &*edge.to]).collect(),
            numbers: FxHashMap::default(),
        }
    }

    fn add(&mut self, linker: &Linker, links: &FileLinks, (path, facts): (&RepoPath, &FileFacts), is_test: bool) {
        if !self.wanted.is_empty() {
            for node in &links.nodes {
                if let Some(id) = self.wanted.get(linker.text(node.id)) {
                    self.numbers.insert(id, node.id.0);
                }
            }
        }
        add_part(&mut self.builder, linker, links, (path, facts), is_test);
    }

    /// Adds the imported data, and packs everything.
    pub(super) fn finish(self, linker: &Linker, cancel: &Cancel) -> Result<(Graph, BuildReport), Cancelled> {
        let Self { mut builder, imported, numbers, .. } = self;
        let mut symbols = ImportedSymbols::new(FIRST_IMPORTED);
        for (set, chosen) in imported.iter().zip(json_graph::choose_nodes(imported)) {
            builder.push(&json_graph::part(set, &chosen, &mut symbols, &|id| numbers.get(id).copied()));
        }
        builder.finish(&|symbol| text(linker, &symbols, symbol), cancel)
    }
}

/// Links all files, whose rows are sorted by path and get the outcome, and adds them to a graph. Returns their number.
pub(super) fn link_whole(
    pool: &rayon::ThreadPool,
    linked: &mut Linked,
    (entries, mut graph): (&mut [FileEntry], Option<&mut WholeGraph<'_>>),
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<usize, EngineError> {
    progress.report(ProgressEvent { stage: "linking", done: 0, total: None });
    let Linked { linker, files, .. } = linked;
    let mut count = 0;
    let mut take = |linker: &Linker, links: FileLinks| {
        count += 1;
        if let Ok(index) = entries.binary_search_by(|entry| entry.path.cmp(&links.path)) {
            note_outcome(&mut entries[index], &links);
            entries[index].is_test |= links.is_test;
        }
        if let Some(file) = files.get_mut(&links.path) {
            file.ids = Some(ids_of(&links.nodes));
        }
        if let (Some(graph), Some((path, facts))) = (&mut graph, linker.file(&links.path)) {
            graph.add(linker, &links, (path, facts), is_test(files, &links, facts));
        }
    };
    pool.install(|| linker.link_each(&mut take, cancel, progress))?;
    if linker.is_short() { Err(report_gone()) } else { Ok(count) }
}

/// The graph with other imported data.
pub(super) fn with_imported(before: &Graph, imported: &[Imported], cancel: &Cancel) -> Result<Graph, Cancelled> {
    let mut symbols = ImportedSymbols::new(FIRST_IMPORTED);
    let known =
        |id: &str| before.find(id).filter(|&node| !before.flags(node).has(NodeFlags::IMPORTED)).map(|node| node.0);
    let sets = imported.iter().zip(json_graph::choose_nodes(imported));
    let parts: Vec<Part<'_>> = sets.map(|(set, chosen)| json_graph::part(set, &chosen, &mut symbols, &known)).collect();
    before.with_imported(&parts, &|symbol| symbols.text(symbol), cancel)
}

fn text<'a>(linker: &'a Linker, symbols: &ImportedSymbols<'a>, symbol: u32) -> &'a str {
    symbols.text(symbol).unwrap_or_else(|| linker.text(SymbolId(symbol)))
}

/// The graph with the files of this run changed.
pub(super) fn changed_graph(before: &Graph, linked: &Linked, delta: &LinkDelta, imported: &[Imported]) -> Graph {
    let mut symbols = ImportedSymbols::new(FIRST_IMPORTED);
    let mut changes: Vec<Change<'_>> = Vec::new();
    for links in &delta.changed {
        let Some((_, facts)) = linked.linker.file(&links.path) else { continue };
        let mut part = part(&linked.linker, links, facts, linked.is_test(links, facts));
        add_imported_edges(&mut part, linked, links, imported, &mut symbols);
        changes.push(Change { path: links.path.as_str(), part: Some(part) });
    }
    changes.extend(delta.removed.iter().map(|path| Change { path: path.as_str(), part: None }));
    before.with_changes(&changes, &|symbol| text(&linked.linker, &symbols, symbol).to_owned())
}

/// Imported edges that start in the file: they live with their source.
fn add_imported_edges<'a>(
    part: &mut Part<'a>,
    linked: &'a Linked,
    links: &'a FileLinks,
    imported: &'a [Imported],
    symbols: &mut ImportedSymbols<'a>,
) {
    if imported.iter().all(|set| set.edges.is_empty()) {
        return;
    }
    let own: FxHashMap<&str, u32> = links.nodes.iter().map(|node| (linked.linker.text(node.id), node.id.0)).collect();
    for edge in imported.iter().flat_map(|set| &set.edges) {
        if let Some(&from) = own.get(&*edge.from) {
            let to = own.get(&*edge.to).copied().unwrap_or_else(|| symbols.number(&edge.to));
            part.edges.push(edge.between(from, to));
        }
    }
}

/// A search index of all files, whose nodes are in the graph. `None` if the terms of one cannot be had any more.
pub(super) fn search(
    linked: &Linked,
    graph: &Graph,
    pool: &rayon::ThreadPool,
    cancel: &Cancel,
) -> Result<Option<SearchIndex>, Cancelled> {
    let mut paths: Vec<&RepoPath> = linked.linker.paths().collect();
    paths.sort_unstable();
    let mut builder = SearchBuilder::new();
    for part in paths.chunks(INDEXED_AT_ONCE) {
        cancel.check()?;
        let made = |path: &&RepoPath| Some(((*path).clone(), index_file(linked, path, graph)?));
        let files: Option<Vec<_>> = pool.install(|| part.par_iter().map(made).collect());
        let Some(files) = files else { return Ok(None) };
        pool.install(|| files.into_iter().try_for_each(|(path, file)| builder.add(&path, file, cancel)))?;
    }
    pool.install(|| builder.finish(cancel)).map(Some)
}

/// All files as the search index takes them.
type AllIndexed = Vec<(RepoPath, Arc<m1nd_search::IndexedFile>)>;

fn all_indexed(linked: &Linked, graph: &Graph, cancel: &Cancel) -> Result<Option<AllIndexed>, Cancelled> {
    let mut paths: Vec<&RepoPath> = linked.linker.paths().collect();
    paths.sort_unstable();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        cancel.check()?;
        let Some(file) = index_file(linked, path, graph) else { return Ok(None) };
        files.push((path.clone(), file));
    }
    Ok(Some(files))
}

/// A file as the search index takes it; `None` if its terms cannot be had any more.
pub(super) fn index_file(linked: &Linked, path: &RepoPath, graph: &Graph) -> Option<Arc<m1nd_search::IndexedFile>> {
    let linker = &linked.linker;
    let found;
    let ids = match linked.files.get(path).and_then(|file| file.ids.as_ref()) {
        Some(ids) => ids,
        None => {
            found = ids_in(linker, path, graph);
            &found
        }
    };
    Some(search_index::index_file(linked.terms(path)?, |key| {
        let found = ids.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(linker.text(SymbolId(ids[found].1)))
    }))
}

/// Everything that packing a snapshot needs, apart from the writer.
pub(super) struct Packer {
    snapshot: Arc<Snapshot>,
    /// All files, if the search index cannot be made from what it was and what changed.
    files: AllIndexed,
    /// What the linker remembers, encoded.
    linker: Option<Vec<u8>>,
}

/// A state without changes over its bases.
pub(super) struct Packed {
    pub(super) snapshot: Snapshot,
    pub(super) linker: Option<Vec<u8>>,
}

impl Packer {
    /// The same state without changes over its bases.
    pub(super) fn pack(self, cancel: &Cancel) -> Result<Packed, String> {
        let mut content = self.snapshot.content();
        content.graph = content.graph.compact(cancel).map_err(|error| error.to_string())?;
        if content.search.packed_sections().is_none() {
            let text = |cancelled: m1nd_base::Cancelled| cancelled.to_string();
            if content.search.can_compact() {
                let packed = content.search.compact(cancel).map_err(text)?;
                content.search = packed.ok_or("the search index is damaged; ingest the code again")?;
            }
        }
        if content.search.packed_sections().is_none() {
            let files = self.files.iter().map(|(path, file)| (path, file));
            content.search = SearchIndex::build(files, cancel).map_err(|cancelled| cancelled.to_string())?;
        }
        let snapshot = self.snapshot.next(self.snapshot.generation, self.snapshot.indexed_at_ms, content);
        Ok(Packed { snapshot, linker: self.linker })
    }
}

impl Writer {
    /// Collects the input for packing the current state; `None` if it cannot be packed now.
    pub(super) fn packer(&self) -> Option<Packer> {
        let snapshot = self.shared.current();
        let files = match (&self.linked, snapshot.search.packed_sections()) {
            (_, Some(_)) => Vec::new(),
            (Some(_), None) if snapshot.search.can_compact() => Vec::new(),
            (Some(linked), None) => all_indexed(linked, &snapshot.graph, &Cancel::new()).ok().flatten()?,
            // Changes without a linker do not happen: both come from the same run.
            (None, None) => return None,
        };
        let state = match (&self.linked, &self.saved.container) {
            (Some(linked), _) => Some(linked.linker.state()),
            // Nothing was linked since.
            (None, stored) => stored.as_ref().and_then(persist::linker_state).map(|state| (*state).as_ref().to_vec()),
        };
        // Without it the next process links all files again.
        Some(Packer { snapshot, files, linker: state })
    }
}
