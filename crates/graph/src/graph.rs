//! The graph that readers see: the packed base and the changed files as one.

use std::path::Path;
use std::sync::Arc;

use m1nd_base::{EdgeTier, NodeKind, node_id};

use crate::base::{self, Base};
use crate::dispatch_cache::DispatchCache;
use crate::layout::NONE;
use crate::overlay::{Change, Overlay};
use crate::snapshot_file::{Container, Tag};
use crate::{EdgeRef, NodeFlags, NodeInput, NodeIx, SnapshotError, UnresolvedRef};

/// Maximum nesting depth of nodes that is followed.
const MAX_DEPTH: usize = 1_000;

/// An immutable symbol graph. Clones are cheap and share everything.
///
/// It consists of a packed base (mapped from a file or in memory) and a small overlay of files that changed since;
/// readers see both as one graph. [`Graph::compact`] packs them again.
#[derive(Debug, Clone)]
pub struct Graph {
    base: Arc<Base>,
    overlay: Option<Arc<Overlay>>,
    dispatch: Arc<DispatchCache>,
}

impl Graph {
    pub(crate) fn from_base(base: Base) -> Self {
        Self { base: Arc::new(base), overlay: None, dispatch: Arc::default() }
    }

    /// What dispatch queries have computed on this graph.
    pub(crate) fn dispatch_cache(&self) -> &DispatchCache {
        &self.dispatch
    }

    /// Maps the graph of a snapshot file. Checks the header and the sizes, not the content: reading a damaged file
    /// gives wrong or missing data but never fails; [`Container::verify`] detects the damage.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        Self::from_container(Container::open(path)?)
    }

    /// Opens the graph whose sections are in this container.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the sizes of the sections are inconsistent.
    pub fn from_container(container: Container) -> Result<Self, SnapshotError> {
        Ok(Self::from_base(Base::new(container)?))
    }

    /// The sections to write into a snapshot file. `None` while there is an overlay: compact first.
    pub fn sections(&self) -> Option<Vec<(Tag, &[u8])>> {
        let sections = || base::ALL.iter().map(|tag| (*tag, self.base.container.section(tag))).collect();
        self.overlay.is_none().then(sections)
    }

    /// Returns the graph with these files changed. The cost depends on these files and on earlier changes since the
    /// last compaction, not on the size of the graph. `text` returns the id of a symbol of the changes.
    ///
    /// Until compaction, existing nodes keep their PageRank, and new ones get the lowest rank.
    #[must_use]
    pub fn with_changes(&self, changes: &[Change<'_>], text: &dyn Fn(u32) -> String) -> Self {
        let overlay = Overlay::apply(&self.base, self.overlay.as_deref(), changes, text);
        Self { base: self.base.clone(), overlay: Some(Arc::new(overlay)), dispatch: Arc::default() }
    }

    /// Whether nothing lies over the base.
    pub(crate) fn is_packed(&self) -> bool {
        self.overlay.is_none()
    }

    /// Number of changed files over the base.
    pub fn overlay_files(&self) -> usize {
        self.overlay.as_ref().map_or(0, |overlay| overlay.file_count())
    }

    pub(crate) fn input(&self, node: NodeIx) -> NodeInput<'_> {
        NodeInput {
            symbol: node.0,
            parent: self.parent(node).map(|parent| parent.0),
            kind: self.kind(node),
            label: self.label(node),
            lines: self.lines(node),
            name_line: self.name_line(node),
            flags: self.flags(node),
            signature: self.signature(node),
            doc: self.doc(node),
        }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        let overlay = self.overlay.as_ref();
        let dead = overlay.map_or(0, |overlay| overlay.dead_count());
        self.base.node_count() - dead + overlay.map_or(0, |overlay| overlay.list_added().count())
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        let overlay = self.overlay.as_ref();
        let removed = overlay.map_or(0, |overlay| overlay.removed_edges);
        self.base.edge_rows().len().saturating_sub(removed) + overlay.map_or(0, |overlay| overlay.edge_count())
    }

    /// Number of references without a target. Goes through all of them.
    pub fn unresolved_count(&self) -> usize {
        self.nodes().map(|node| self.unresolved_of(node).count()).sum()
    }

    /// All nodes: by id, followed by the overlay nodes that are not in the base.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIx> + '_ {
        let base = (0..self.base.node_count() as u32).map(NodeIx).filter(|&node| !self.is_dead(node));
        base.chain(self.overlay.iter().flat_map(|overlay| overlay.list_added()))
    }

    fn is_dead(&self, node: NodeIx) -> bool {
        self.overlay.as_ref().is_some_and(|overlay| overlay.is_dead(node))
    }

    fn is_owned(&self, node: NodeIx) -> bool {
        self.overlay.as_ref().is_some_and(|overlay| overlay.owns(node))
    }

    fn find_changed(&self, node: NodeIx) -> Option<(&crate::overlay::Slot, &crate::overlay::PieceNode)> {
        self.overlay.as_ref().and_then(|overlay| overlay.node(node))
    }

    /// The node with exactly this id.
    pub fn find(&self, id: &str) -> Option<NodeIx> {
        let changed = self.overlay.as_ref().and_then(|overlay| overlay.lookup(id));
        changed.or_else(|| self.base.find(id).filter(|&node| !self.is_dead(node)))
    }

    /// Like [`Graph::find`], faster if the id sorts shortly after that of `near`, as the id of a symbol sorts after
    /// that of its file.
    pub fn find_behind(&self, near: NodeIx, id: &str) -> Option<NodeIx> {
        let changed = self.overlay.as_ref().and_then(|overlay| overlay.lookup(id));
        changed.or_else(|| self.base.find_behind(near, id).filter(|&node| !self.is_dead(node)))
    }

    /// The node of the file at `path`.
    pub fn find_file(&self, path: &str) -> Option<NodeIx> {
        self.find(&node_id::file(path))
    }

    /// Nodes with exactly this label, by number.
    pub fn find_labelled(&self, label: &str) -> Vec<NodeIx> {
        let mut nodes: Vec<NodeIx> = self.base.find_labelled(label).filter(|&node| !self.is_owned(node)).collect();
        nodes.extend(self.overlay.iter().flat_map(|overlay| overlay.find_labelled(label)));
        nodes
    }

    /// The file itself and all nodes in it, by first line; outer nodes come before inner ones.
    pub fn of_file(&self, file: NodeIx) -> Vec<NodeIx> {
        match self.overlay.as_ref().filter(|overlay| overlay.owns(file)) {
            Some(overlay) => overlay.of_file(file).to_vec(),
            None => self.base.of_file(file).collect(),
        }
    }

    /// The id, stable across graphs.
    pub fn id(&self, node: NodeIx) -> &str {
        self.find_changed(node).map_or_else(|| self.base.id(node), |(_, changed)| &changed.id)
    }

    /// Compares the ids of two nodes.
    pub fn compare_ids(&self, a: NodeIx, b: NodeIx) -> std::cmp::Ordering {
        let base = self.base.node_count();
        // The base is sorted by id, and a changed node keeps its number.
        if a.index() < base && b.index() < base { a.cmp(&b) } else { self.id(a).cmp(self.id(b)) }
    }

    /// Short name.
    pub fn label(&self, node: NodeIx) -> &str {
        self.find_changed(node).map_or_else(|| self.base.label(node), |(_, changed)| &changed.label)
    }

    /// Its kind.
    pub fn kind(&self, node: NodeIx) -> NodeKind {
        self.find_changed(node).map_or_else(|| self.base.kind(node), |(_, changed)| changed.kind)
    }

    /// Properties.
    pub fn flags(&self, node: NodeIx) -> NodeFlags {
        let base = || self.base.node(node).map_or(NodeFlags::default(), |row| NodeFlags(row.flags.get()));
        self.find_changed(node).map_or_else(base, |(_, changed)| changed.flags)
    }

    /// First and last line, 1-based; `(0, 0)` if it has none.
    pub fn lines(&self, node: NodeIx) -> (u32, u32) {
        let base = || self.base.node(node).map_or((0, 0), |row| (row.line_start.get(), row.line_end.get()));
        self.find_changed(node).map_or_else(base, |(_, changed)| changed.lines)
    }

    /// Line of its name, 1-based; 0 if it has none.
    pub fn name_line(&self, node: NodeIx) -> u32 {
        let base = || self.base.node(node).map_or(0, |row| row.name_below);
        let below = self.find_changed(node).map_or_else(base, |(_, changed)| changed.name_below);
        self.lines(node).0.saturating_add(u32::from(below))
    }

    /// Header on one line; for a file, the package that it declares. Empty if none.
    pub fn signature(&self, node: NodeIx) -> &str {
        let base = || self.base.node(node).map_or("", |row| self.base.text(row.signature));
        self.find_changed(node).map_or_else(base, |(_, changed)| &changed.signature)
    }

    /// Doc comment; empty if none.
    pub fn doc(&self, node: NodeIx) -> &str {
        let base = || self.base.node(node).map_or("", |row| self.base.text(row.doc));
        self.find_changed(node).map_or_else(base, |(_, changed)| &changed.doc)
    }

    /// The node that contains it.
    pub fn parent(&self, node: NodeIx) -> Option<NodeIx> {
        let base = || self.base.node(node).and_then(|row| self.check_node(row.parent.get()));
        self.find_changed(node).map_or_else(base, |(slot, _)| slot.parent)
    }

    /// The chain of containing nodes, innermost first, at most [`MAX_DEPTH`]: it ends even if a damaged snapshot
    /// contains a cycle.
    pub fn ancestors(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        std::iter::successors(self.parent(node), |&inner| self.parent(inner)).take(MAX_DEPTH)
    }

    /// The node of its file; a file is its own. `None` for packages and imported data.
    pub fn file(&self, node: NodeIx) -> Option<NodeIx> {
        let base = || self.base.node(node).and_then(|row| self.check_node(row.file.get()));
        self.find_changed(node).map_or_else(base, |(slot, _)| slot.file)
    }

    fn check_node(&self, node: u32) -> Option<NodeIx> {
        (node != NONE && (node as usize) < self.base.node_count()).then_some(NodeIx(node))
    }

    /// Path of its file, empty if it has none.
    pub fn path(&self, node: NodeIx) -> &str {
        self.file(node).map_or("", |file| node_id::path_of_file(self.id(file)).unwrap_or_default())
    }

    /// PageRank, 0 to 1. An estimate for nodes of changed files, see [`Graph::with_changes`].
    pub fn pagerank(&self, node: NodeIx) -> f32 {
        let least = || 0.15 / self.base.node_count().max(1) as f32;
        self.base.node(node).map_or_else(least, |row| row.pagerank.get()).clamp(0.0, 1.0)
    }

    /// Outgoing edges, by target, relation and tier.
    pub fn out_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let owned = self.is_owned(node);
        let base = (!owned).then(|| self.base.out_edges(node).filter(|edge| !self.is_dead(edge.to)));
        base.into_iter().flatten().chain(self.overlay.iter().flat_map(move |overlay| overlay.out_edges(node)))
    }

    /// Incoming edges.
    pub fn in_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let base = self.base.in_edges(node).filter(|edge| !self.is_owned(edge.from));
        base.chain(self.overlay.iter().flat_map(move |overlay| overlay.in_edges(node)))
    }

    /// References without a target that a node holds, without [words of texts](Graph::texts_named).
    pub fn unresolved_of(&self, node: NodeIx) -> impl Iterator<Item = UnresolvedRef<'_>> {
        self.open_rows_of(node).filter(|row| !row.is_text())
    }

    /// References without a target and words of texts that a node holds.
    pub(crate) fn open_rows_of(&self, node: NodeIx) -> impl Iterator<Item = UnresolvedRef<'_>> {
        let base = (!self.is_owned(node)).then(|| self.base.unresolved_of(node));
        base.into_iter().flatten().chain(self.overlay.iter().flat_map(move |overlay| overlay.unresolved_of(node)))
    }

    /// Unresolved references with this name, anywhere: each may refer to any node with this label.
    pub fn unresolved_named<'g>(&'g self, name: &str) -> impl Iterator<Item = UnresolvedRef<'g>> + use<'g> {
        self.open_rows_named(name).filter(|row| !row.is_text())
    }

    /// Words equal to this name in code, strings and other files that no fact explains, anywhere: a use that is no
    /// reference may stand there.
    pub fn texts_named<'g>(&'g self, name: &str) -> impl Iterator<Item = UnresolvedRef<'g>> + use<'g> {
        self.open_rows_named(name).filter(UnresolvedRef::is_text)
    }

    /// Names that code makes when it runs, as patterns: [`UnresolvedRef::PATTERN`], then what is known of the name,
    /// with `*` for the rest.
    pub fn name_patterns(&self) -> Vec<UnresolvedRef<'_>> {
        let base = self.base.unresolved_beginning(UnresolvedRef::PATTERN).filter(|row| !self.is_owned(row.from));
        let changed = self.overlay.iter().flat_map(|overlay| overlay.unresolved_beginning(UnresolvedRef::PATTERN));
        base.chain(changed).filter(UnresolvedRef::is_text).collect()
    }

    fn open_rows_named<'g>(&'g self, name: &str) -> impl Iterator<Item = UnresolvedRef<'g>> + use<'g> {
        let base: Vec<UnresolvedRef<'g>> =
            self.base.unresolved_named(name).filter(|reference| !self.is_owned(reference.from)).collect();
        let changed: Vec<UnresolvedRef<'g>> =
            self.overlay.iter().flat_map(|overlay| overlay.unresolved_named(name)).collect();
        base.into_iter().chain(changed)
    }

    /// The node and everything it contains, by containment edges, itself first, at most `limit` nodes.
    pub fn with_members(&self, node: NodeIx, limit: usize) -> Vec<NodeIx> {
        let mut found = vec![node];
        let mut seen: rustc_hash::FxHashSet<NodeIx> = found.iter().copied().collect();
        let mut next = 0;
        while next < found.len() && found.len() < limit {
            let contained = self.out_edges(found[next]).filter(|edge| edge.relation == m1nd_base::Relation::Contains);
            let contained: Vec<NodeIx> = contained.map(|edge| edge.to).filter(|node| seen.insert(*node)).collect();
            found.extend(contained);
            next += 1;
        }
        found.truncate(limit);
        found
    }

    /// Whether an edge leads out of the roots.
    pub fn is_external(edge: &EdgeRef<'_>) -> bool {
        edge.tier == EdgeTier::External
    }
}
