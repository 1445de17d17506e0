//! Files of the search index in the graph and in the table of files.

use m1nd_graph::{Graph, NodeIx};
use m1nd_search::{Hit, Index};

use crate::files::{FileEntry, FileTable};
use crate::snapshot::Snapshot;

/// Where the graph and the table of files have each file of the search index: found once, not for each hit.
#[derive(Debug, Default)]
pub(crate) struct IndexedFiles(Vec<Place>);

#[derive(Debug)]
struct Place {
    node: Option<NodeIx>,
    /// Place in the table of files.
    entry: Option<u32>,
}

impl IndexedFiles {
    fn of(index: &Index, graph: &Graph, files: &FileTable) -> Self {
        // All three are in the order of paths: one walk along them.
        let mut entries = files.iter().enumerate().peekable();
        let mut last = NodeIx(0);
        let place = |path: &str| {
            let node = graph.find_behind(last, &format!("file::{path}"));
            last = node.unwrap_or(last);
            while entries.next_if(|(_, entry)| entry.path.as_str() < path).is_some() {}
            let entry = entries.peek().filter(|(_, entry)| entry.path.as_str() == path);
            Place { node, entry: entry.map(|(at, _)| *at as u32) }
        };
        Self(index.paths().map(place).collect())
    }

    fn at(&self, number: u32) -> Option<&Place> {
        self.0.get(number as usize)
    }
}

impl Snapshot {
    fn indexed_files(&self) -> &IndexedFiles {
        self.indexed_files.get_or_init(|| IndexedFiles::of(&self.search.index, &self.graph, &self.files))
    }

    /// The node of the file with this number in the search index.
    pub(super) fn node_of_indexed(&self, number: u32) -> Option<NodeIx> {
        self.indexed_files().at(number)?.node
    }

    /// The file with this number in the search index.
    pub(super) fn entry_of_indexed(&self, number: u32) -> Option<&FileEntry> {
        self.files.at(self.indexed_files().at(number)?.entry? as usize)
    }

    /// The node that was hit.
    pub(super) fn node_of_hit(&self, hit: &Hit<'_>) -> Option<NodeIx> {
        match self.node_of_indexed(hit.file) {
            Some(file) => self.graph.find_behind(file, &hit.id),
            None => self.graph.find(&hit.id),
        }
    }
}
