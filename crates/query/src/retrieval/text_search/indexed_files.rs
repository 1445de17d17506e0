//! Maps files of the search index to the graph and the table of files.

use m1nd_base::node_id;
use std::sync::Arc;

use m1nd_engine::graph::{Graph, NodeIx};
use m1nd_engine::{FileEntry, FileTable, Snapshot};
use m1nd_search::{Hit, Index};

/// Position of each file of the search index in the graph and in the table of files: computed once per snapshot.
#[derive(Debug)]
struct Places(Vec<FileSlot>);

#[derive(Debug)]
struct FileSlot {
    node: Option<NodeIx>,
    /// Place in the table of files.
    entry: Option<u32>,
}

impl Places {
    fn find(index: &Index, graph: &Graph, files: &FileTable) -> Self {
        // All three are in the order of paths: one walk along them.
        let mut entries = files.iter().enumerate().peekable();
        let mut last = NodeIx(0);
        let place = |path: &str| {
            let node = graph.find_behind(last, &node_id::file(path));
            last = node.unwrap_or(last);
            while entries.next_if(|(_, entry)| entry.path.as_str() < path).is_some() {}
            let entry = entries.peek().filter(|(_, entry)| entry.path.as_str() == path);
            FileSlot { node, entry: entry.map(|(at, _)| *at as u32) }
        };
        Self(index.paths().map(place).collect())
    }
}

/// From numbers of files in the search index to their nodes and entries. To be taken once for many look-ups.
#[derive(Debug, Clone)]
pub(in crate::retrieval) struct IndexedFiles<'s> {
    snapshot: &'s Snapshot,
    places: Arc<Places>,
}

impl<'s> IndexedFiles<'s> {
    pub(in crate::retrieval) fn of(snapshot: &'s Snapshot) -> Self {
        let find = || Places::find(snapshot.index(), snapshot.graph(), snapshot.files());
        Self { snapshot, places: snapshot.derived_values().get_or_init(find) }
    }

    fn at(&self, number: u32) -> Option<&FileSlot> {
        self.places.0.get(number as usize)
    }

    /// The node of the file with this number in the search index.
    pub(in crate::retrieval) fn node(&self, number: u32) -> Option<NodeIx> {
        self.at(number)?.node
    }

    /// The file with this number in the search index.
    pub(in crate::retrieval) fn entry(&self, number: u32) -> Option<&'s FileEntry> {
        self.snapshot.files().at(self.at(number)?.entry? as usize)
    }

    /// The node that was hit.
    pub(in crate::retrieval) fn node_of(&self, hit: &Hit<'_>) -> Option<NodeIx> {
        match self.node(hit.file) {
            Some(file) => self.snapshot.graph().find_behind(file, &hit.id),
            None => self.snapshot.graph().find(&hit.id),
        }
    }
}
