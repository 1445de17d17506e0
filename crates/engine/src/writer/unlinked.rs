//! The definitions of files that are parsed while their references are not linked yet, for questions that need no more.

use m1nd_base::{Cancel, Cancelled, RepoPath};
use m1nd_graph::{Graph, GraphBuilder};
use m1nd_link::{Linker, SymbolId};

use super::Writer;
use crate::ingest::part;
use crate::state::snapshot::{Content, Snapshot};

/// Maximum number of definitions that are offered before they are linked: they take some 150 bytes each beside what is
/// linked.
const MAX_NODES: usize = 1_000_000;

/// The nodes of the files read so far.
#[derive(Debug, Default)]
pub(super) struct UnlinkedNodes {
    builder: GraphBuilder,
    count: usize,
}

impl UnlinkedNodes {
    /// Adds a file whose facts are in memory. What only linking finds is not among its nodes: definitions that macros
    /// make, and routes. Returns whether there is room for more.
    pub(super) fn add(&mut self, linker: &Linker, path: &RepoPath, is_test: bool) -> bool {
        let Some(file) = linker.file(path) else { return true };
        let found = linker.nodes_if(path, &|_| false);
        self.count += found.len();
        let mut nodes = part::nodes(linker, &found, file, is_test);
        // Comments are most of the text, and come with the links.
        nodes.iter_mut().for_each(|node| node.doc = "");
        self.builder.push_nodes(&nodes);
        self.count <= MAX_NODES
    }

    /// Packs them into a graph without edges.
    fn finish(self, linker: &Linker, cancel: &Cancel) -> Result<Graph, Cancelled> {
        Ok(self.builder.finish(&|symbol| linker.text(SymbolId(symbol)), cancel)?.0)
    }
}

impl Writer {
    /// Returns where to gather nodes that are offered before they are linked; `None` where nobody needs them.
    pub(super) fn gather_unlinked(&self) -> Option<UnlinkedNodes> {
        (self.shared.config.answers_unlinked && self.shared.current().is_empty()).then(UnlinkedNodes::default)
    }

    /// Offers these nodes to readers that need no links, until the linked index is published. Readers that do not say
    /// so get the published index, which is empty.
    pub(super) fn offer_unlinked(
        &self,
        nodes: UnlinkedNodes,
        linker: &Linker,
        content: Content,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let graph = nodes.finish(linker, cancel)?;
        let current = self.shared.current();
        let next = current.next(current.generation, current.indexed_at_ms, Content { graph, ..content });
        self.shared.offer_unlinked(Snapshot { is_unlinked: true, ..next });
        Ok(())
    }
}
