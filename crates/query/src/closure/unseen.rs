//! Files that are not in the index whole, and whose text has the name.
//!
//! Where the index holds a part of a file, places that it knows are left out: references with a target, definitions.

use m1nd_engine::{Language, Snapshot, UnseenFile, UnseenReason, UnseenTexts, is_code};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Hiding, MAX_HIDING, names_of, reasons};

/// The files that may hide something.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    pub(super) rows: Vec<Hiding>,
}

impl Unseen {
    /// The files whose text has a name of `starts`, or only one of `followed`, and which could mean it: they are of the
    /// same family of languages, or not code.
    pub(super) fn of(snapshot: &Snapshot, starts: &[NodeIx], followed: &[NodeIx], language: Option<Language>) -> Self {
        let texts = snapshot.read_unseen();
        if texts.files().is_empty() || starts.is_empty() {
            return Self::default();
        }
        let graph = snapshot.graph();
        let mut search = Search { graph, texts: &texts, language, explained: FxHashMap::default() };
        let mut rows = search.list_unknown(starts);
        let mut seen: FxHashSet<String> = rows.iter().map(|row: &Hiding| row.file.clone()).collect();
        for (nodes, far) in [(starts, false), (followed, true)] {
            let mut names: Vec<&str> = all_names(graph, nodes).into_iter().collect();
            names.sort_unstable();
            for name in names {
                // A farther name only tells that there may be more, which a few rows do.
                if far && rows.len() >= MAX_HIDING {
                    break;
                }
                let found = search.list_files_with_name(name, starts[0], far, &seen);
                seen.extend(found.iter().map(|row| row.file.clone()));
                rows.extend(found);
            }
        }
        Self { rows }
    }
}

struct Search<'a> {
    graph: &'a Graph,
    texts: &'a UnseenTexts,
    language: Option<Language>,
    /// Lines of a file at which the index knows what a name means.
    explained: FxHashMap<NodeIx, FxHashSet<(&'a str, u32)>>,
}

impl<'a> Search<'a> {
    fn fits(&self, file: &UnseenFile) -> bool {
        !is_code(file.language) || self.language.is_none_or(|language| file.language.family() == language)
    }

    /// Files whose text cannot be had: each may have any name.
    fn list_unknown(&self, starts: &[NodeIx]) -> Vec<Hiding> {
        let files = self.texts.list_unknown().filter(|file| self.fits(file));
        files.map(|file| self.row(file, 0, self.graph.label(starts[0]), starts[0], false)).collect()
    }

    /// The files that have a name at a place that the index does not explain.
    fn list_files_with_name(
        &mut self,
        name: &'a str,
        other: NodeIx,
        far: bool,
        seen: &FxHashSet<String>,
    ) -> Vec<Hiding> {
        let mut found: Vec<Hiding> = Vec::new();
        for place in self.texts.places(name) {
            let is_known = seen.contains(&place.file.path) || found.iter().any(|row| row.file == place.file.path);
            if is_known || !self.fits(place.file) || self.is_explained(place.file, place.line, name) {
                continue;
            }
            found.push(self.row(place.file, place.line, name, other, far));
        }
        found
    }

    fn row(&self, file: &UnseenFile, line: u32, name: &str, other: NodeIx, far: bool) -> Hiding {
        Hiding {
            place: None,
            node: self.graph.find_file(&file.path).unwrap_or(other),
            name: name.to_owned(),
            role: super::TEXT.to_owned(),
            reason: reasons::UNSEEN_FILE.to_owned(),
            file: file.path.clone(),
            line,
            far,
        }
    }

    /// Returns whether the index knows what the name means at a line of a file that it holds in part.
    fn is_explained(&mut self, file: &UnseenFile, line: u32, name: &'a str) -> bool {
        if line == 0 || file.reason == UnseenReason::LeftOut {
            return false;
        }
        let graph = self.graph;
        let Some(node) = graph.find_file(&file.path) else { return false };
        self.explained.entry(node).or_insert_with(|| list_explained(graph, node)).contains(&(name, line))
    }
}

/// Names and lines of a file with a definition of the name, or a reference that leads to one.
fn list_explained(graph: &Graph, file: NodeIx) -> FxHashSet<(&str, u32)> {
    let mut lines = FxHashSet::default();
    for node in graph.of_file(file) {
        lines.insert((graph.label(node), graph.lines(node).0));
        for edge in graph.out_edges(node) {
            for name in names_of(graph, edge.to) {
                lines.extend(edge.sites.iter().map(|pos| (name, pos.line)));
            }
        }
        // Open references are rows of their own.
        lines.extend(graph.unresolved_of(node).map(|open| (open.name, open.pos.line)));
    }
    lines
}

/// Names by which text can refer to the nodes. A constructor is called by the name of its class.
fn all_names<'g>(graph: &'g Graph, nodes: &[NodeIx]) -> FxHashSet<&'g str> {
    let constructors = nodes.iter().filter(|&&node| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let classes = constructors.filter_map(|&node| graph.parent(node));
    nodes.iter().copied().chain(classes).flat_map(|node| names_of(graph, node)).collect()
}
