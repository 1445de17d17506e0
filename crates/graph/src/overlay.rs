//! Changed files on top of a packed graph. Everything is recomputed for each change, at a cost proportional to the
//! changed files.

use std::ops::Range;
use std::sync::Arc;

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation, node_id};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Base;
use crate::types::SitesInner;
use crate::{EdgeRef, NodeFlags, NodeInput, NodeIx, Part, Sites, UnresolvedRef};

/// One changed file: its new content, or `None` if it was removed.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    /// Path of the file.
    pub path: &'a str,
    /// New content of the file.
    pub part: Option<Part<'a>>,
}

/// Owned content of a changed file. Ids are texts, so that it outlives any numbering.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    nodes: Vec<PieceNode>,
    edges: Vec<PieceEdge>,
    unresolved: Vec<PieceUnresolved>,
}

#[derive(Debug)]
pub(crate) struct PieceNode {
    pub(crate) id: Box<str>,
    pub(crate) label: Box<str>,
    pub(crate) signature: Box<str>,
    pub(crate) doc: Box<str>,
    pub(crate) lines: (u32, u32),
    pub(crate) name_below: u8,
    pub(crate) kind: NodeKind,
    pub(crate) flags: NodeFlags,
    parent: Option<Box<str>>,
}

#[derive(Debug)]
struct PieceEdge {
    from: Box<str>,
    to: Box<str>,
    relation: Relation,
    tier: EdgeTier,
    of: u16,
    dispatches: bool,
    compiler: bool,
    reads: bool,
    sites: Box<[Pos]>,
}

#[derive(Debug)]
struct PieceUnresolved {
    from: Box<str>,
    name: Box<str>,
    role: Box<str>,
    reason: Box<str>,
    pos: Pos,
}

impl Piece {
    fn new(part: &Part<'_>, text: &dyn Fn(u32) -> String) -> Self {
        let id = |symbol: u32| text(symbol).into_boxed_str();
        let node = |node: &NodeInput<'_>| PieceNode {
            id: id(node.symbol),
            label: node.label.into(),
            signature: node.signature.into(),
            doc: node.doc.into(),
            lines: node.lines,
            name_below: node.name_below(),
            kind: node.kind,
            flags: node.flags,
            parent: node.parent.map(id),
        };
        let mut nodes: Vec<PieceNode> = part.nodes.iter().map(node).collect();
        if part.nodes.first().is_some_and(|node| node.kind == NodeKind::File) {
            nodes[1..].sort_by(|a, b| a.id.cmp(&b.id));
        }
        nodes.dedup_by(|a, b| a.id == b.id);
        let edges = part.edges.iter().map(|edge| PieceEdge {
            from: id(edge.from),
            to: id(edge.to),
            relation: edge.relation,
            tier: edge.tier,
            of: edge.of,
            dispatches: edge.dispatches,
            compiler: edge.compiler,
            reads: edge.reads,
            sites: edge.sites.into(),
        });
        let unresolved = part.unresolved.iter().map(|reference| PieceUnresolved {
            from: id(reference.from),
            name: reference.name.into(),
            role: reference.role.into(),
            reason: reference.reason.into(),
            pos: reference.pos,
        });
        Self { edges: edges.collect(), unresolved: unresolved.collect(), nodes }
    }
}

/// A node of the overlay.
#[derive(Debug)]
pub(crate) struct Slot {
    piece: usize,
    index: usize,
    pub(crate) file: Option<NodeIx>,
    pub(crate) parent: Option<NodeIx>,
}

#[derive(Debug)]
struct OverlayEdge {
    from: NodeIx,
    to: NodeIx,
    piece: usize,
    index: usize,
}

#[derive(Debug)]
struct OverlayUnresolved {
    from: NodeIx,
    piece: usize,
    index: usize,
}

/// Changed files and derived look-up tables.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    files: FxHashMap<Box<str>, Arc<Piece>>,
    pieces: Vec<Arc<Piece>>,
    slots: Vec<Slot>,
    /// Base nodes that have a slot.
    redefined: FxHashMap<u32, usize>,
    /// Slots of nodes that are not in the base, in the order of their numbers.
    added: Vec<usize>,
    dead: FxHashSet<u32>,
    by_id: FxHashMap<Box<str>, NodeIx>,
    by_label: FxHashMap<Box<str>, Vec<NodeIx>>,
    by_file: FxHashMap<u32, Vec<NodeIx>>,
    edges: Vec<OverlayEdge>,
    out: FxHashMap<u32, Range<usize>>,
    incoming: FxHashMap<u32, Vec<usize>>,
    unresolved: Vec<OverlayUnresolved>,
    unresolved_of: FxHashMap<u32, Range<usize>>,
    unresolved_named: FxHashMap<Box<str>, Vec<usize>>,
    base_nodes: u32,
    pub(crate) removed_edges: usize,
}

impl Overlay {
    /// Returns the overlay with more changes applied.
    pub(crate) fn apply(
        base: &Base,
        before: Option<&Self>,
        changes: &[Change<'_>],
        text: &dyn Fn(u32) -> String,
    ) -> Self {
        let mut files = before.map(|overlay| overlay.files.clone()).unwrap_or_default();
        for change in changes {
            let piece = change.part.as_ref().map_or_else(Piece::default, |part| Piece::new(part, text));
            files.insert(change.path.into(), Arc::new(piece));
        }
        let mut paths: Vec<&Box<str>> = files.keys().collect();
        paths.sort_unstable();
        let mut pieces: Vec<Arc<Piece>> = paths.iter().map(|path| files[*path].clone()).collect();
        let replaced: Vec<NodeIx> = paths.iter().filter_map(|path| base.find(&node_id::file(path))).collect();
        let mut overlay = Self { base_nodes: base.node_count() as u32, ..Self::default() };
        let packages = overlay.replace(base, &replaced);
        if let Some(piece) = new_packages(base, &pieces) {
            pieces.push(Arc::new(piece));
        }
        overlay.files = files;
        overlay.pieces = pieces;
        overlay.add_nodes(base);
        overlay.add_edges(base);
        overlay.add_unresolved(base);
        overlay.drop_unused_packages(base, packages);
        overlay
    }

    /// Number of changed files.
    pub(crate) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Removes everything that the base has for these files; returns the packages they use.
    fn replace(&mut self, base: &Base, files: &[NodeIx]) -> FxHashSet<u32> {
        let mut packages = FxHashSet::default();
        for &file in files {
            for node in base.of_file(file) {
                self.dead.insert(node.0);
                self.removed_edges += base.out_range(node).len();
                let targets = base.out_edges(node).map(|edge| edge.to);
                packages.extend(
                    targets
                        .filter(|&to| base.kind(to).is_outside() || base.kind(to) == NodeKind::Config)
                        .map(|to| to.0),
                );
            }
        }
        packages
    }

    fn add_nodes(&mut self, base: &Base) {
        let mut fresh: Vec<(&str, usize)> = Vec::new();
        let pieces = self.pieces.clone();
        for (piece_number, piece) in pieces.iter().enumerate() {
            for (index, node) in piece.nodes.iter().enumerate() {
                let slot = self.slots.len();
                self.slots.push(Slot { piece: piece_number, index, file: None, parent: None });
                match base.find(&node.id) {
                    Some(known) => {
                        self.dead.remove(&known.0);
                        self.redefined.insert(known.0, slot);
                        self.by_id.insert(node.id.clone(), known);
                    }
                    None => fresh.push((&node.id, slot)),
                }
            }
        }
        fresh.sort_unstable();
        fresh.dedup_by(|a, b| a.0 == b.0);
        for (id, slot) in fresh {
            let number = NodeIx(self.base_nodes + self.added.len() as u32);
            self.added.push(slot);
            self.by_id.insert(id.into(), number);
        }
        self.place_nodes(&pieces, base);
    }

    /// Computes file and parent of each slot, and the look-up tables.
    fn place_nodes(&mut self, pieces: &[Arc<Piece>], base: &Base) {
        for slot in 0..self.slots.len() {
            let piece = &pieces[self.slots[slot].piece];
            let node = &piece.nodes[self.slots[slot].index];
            let file = piece.nodes.first().filter(|first| first.kind == NodeKind::File);
            let file = file.and_then(|file| self.by_id.get(&file.id).copied());
            let parent = node.parent.as_ref().and_then(|id| self.find(base, id));
            (self.slots[slot].file, self.slots[slot].parent) = (file, parent);
            let Some(&number) = self.by_id.get(&node.id) else { continue };
            self.by_label.entry(node.label.clone()).or_default().push(number);
            if let Some(file) = file {
                self.by_file.entry(file.0).or_default().push(number);
            }
        }
        for nodes in self.by_label.values_mut() {
            nodes.sort_unstable();
            nodes.dedup();
        }
        let lines: FxHashMap<u32, (u32, std::cmp::Reverse<u32>)> = self
            .by_id
            .values()
            .filter_map(|&node| {
                let lines = self.node(node)?.1.lines;
                Some((node.0, (lines.0, std::cmp::Reverse(lines.1))))
            })
            .collect();
        for nodes in self.by_file.values_mut() {
            nodes.sort_unstable_by_key(|node| (lines.get(&node.0).copied(), *node));
            nodes.dedup();
        }
    }

    fn add_edges(&mut self, base: &Base) {
        let mut edges = Vec::new();
        for (piece_number, piece) in self.pieces.iter().enumerate() {
            for (index, edge) in piece.edges.iter().enumerate() {
                if let (Some(&from), Some(to)) = (self.by_id.get(&edge.from), self.find(base, &edge.to)) {
                    edges.push(OverlayEdge { from, to, piece: piece_number, index });
                }
            }
        }
        let pieces = &self.pieces;
        edges.sort_by_key(|edge| {
            let row = &pieces[edge.piece].edges[edge.index];
            (edge.from, edge.to, row.relation, row.tier)
        });
        for (number, edge) in edges.iter().enumerate() {
            let run = self.out.entry(edge.from.0).or_insert(number..number);
            run.end = number + 1;
            self.incoming.entry(edge.to.0).or_default().push(number);
        }
        self.edges = edges;
    }

    fn add_unresolved(&mut self, base: &Base) {
        let mut rows = Vec::new();
        for (piece_number, piece) in self.pieces.iter().enumerate() {
            for (index, reference) in piece.unresolved.iter().enumerate() {
                if let Some(from) = self.find(base, &reference.from) {
                    rows.push(OverlayUnresolved { from, piece: piece_number, index });
                }
            }
        }
        let key = |row: &OverlayUnresolved| {
            let reference = &self.pieces[row.piece].unresolved[row.index];
            (row.from, reference.pos, &reference.name, &reference.role, &reference.reason)
        };
        rows.sort_by(|one, other| key(one).cmp(&key(other)));
        // One place counts once, as in the base.
        rows.dedup_by(|one, other| key(one) == key(other));
        for (number, row) in rows.iter().enumerate() {
            let run = self.unresolved_of.entry(row.from.0).or_insert(number..number);
            run.end = number + 1;
            let name = &self.pieces[row.piece].unresolved[row.index].name;
            self.unresolved_named.entry(name.clone()).or_default().push(number);
        }
        self.unresolved = rows;
    }

    /// Packages exist while something uses them.
    fn drop_unused_packages(&mut self, base: &Base, packages: FxHashSet<u32>) {
        for package in packages {
            let used = self.incoming.contains_key(&package)
                || base.in_edges(NodeIx(package)).any(|edge| !self.owns(edge.from));
            if !used {
                self.dead.insert(package);
            }
        }
    }

    fn find(&self, base: &Base, id: &str) -> Option<NodeIx> {
        self.by_id.get(id).copied().or_else(|| base.find(id).filter(|node| !self.dead.contains(&node.0)))
    }

    /// Returns whether the overlay overrides the base for this node.
    pub(crate) fn owns(&self, node: NodeIx) -> bool {
        node.0 >= self.base_nodes || self.redefined.contains_key(&node.0) || self.dead.contains(&node.0)
    }

    pub(crate) fn is_dead(&self, node: NodeIx) -> bool {
        self.dead.contains(&node.0)
    }

    pub(crate) fn dead_count(&self) -> usize {
        self.dead.len()
    }

    pub(crate) fn list_added(&self) -> impl Iterator<Item = NodeIx> + use<> {
        let start = self.base_nodes;
        (0..self.added.len() as u32).map(move |index| NodeIx(start + index))
    }

    pub(crate) fn lookup(&self, id: &str) -> Option<NodeIx> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn node(&self, node: NodeIx) -> Option<(&Slot, &PieceNode)> {
        let slot = match node.0.checked_sub(self.base_nodes) {
            Some(index) => *self.added.get(index as usize)?,
            None => *self.redefined.get(&node.0)?,
        };
        let slot = &self.slots[slot];
        Some((slot, &self.pieces[slot.piece].nodes[slot.index]))
    }

    pub(crate) fn find_labelled(&self, label: &str) -> &[NodeIx] {
        self.by_label.get(label).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_file(&self, file: NodeIx) -> &[NodeIx] {
        self.by_file.get(&file.0).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn edge(&self, number: usize) -> EdgeRef<'_> {
        let edge = &self.edges[number];
        let row = &self.pieces[edge.piece].edges[edge.index];
        EdgeRef {
            from: edge.from,
            to: edge.to,
            relation: row.relation,
            tier: row.tier,
            of: row.of,
            dispatches: row.dispatches,
            compiler: row.compiler,
            reads: row.reads,
            sites: Sites(SitesInner::Overlay(&row.sites)),
        }
    }

    pub(crate) fn out_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        self.out.get(&node.0).cloned().unwrap_or(0..0).map(|number| self.edge(number))
    }

    pub(crate) fn in_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        self.incoming.get(&node.0).map_or(&[][..], Vec::as_slice).iter().map(|&number| self.edge(number))
    }

    fn reference(&self, number: usize) -> UnresolvedRef<'_> {
        let row = &self.unresolved[number];
        let reference = &self.pieces[row.piece].unresolved[row.index];
        UnresolvedRef {
            from: row.from,
            name: &reference.name,
            role: &reference.role,
            reason: &reference.reason,
            pos: reference.pos,
        }
    }

    pub(crate) fn unresolved_of(&self, node: NodeIx) -> impl Iterator<Item = UnresolvedRef<'_>> {
        self.unresolved_of.get(&node.0).cloned().unwrap_or(0..0).map(|number| self.reference(number))
    }

    pub(crate) fn unresolved_named(&self, name: &str) -> impl Iterator<Item = UnresolvedRef<'_>> {
        self.unresolved_named.get(name).map_or(&[][..], Vec::as_slice).iter().map(|&number| self.reference(number))
    }

    /// Unresolved rows whose name begins with this text.
    pub(crate) fn unresolved_beginning(&self, start: &str) -> impl Iterator<Item = UnresolvedRef<'_>> {
        (0..self.unresolved.len()).map(|number| self.reference(number)).filter(move |row| row.name.starts_with(start))
    }
}

/// Packages and configuration keys that these pieces use and the base lacks.
fn new_packages(base: &Base, pieces: &[Arc<Piece>]) -> Option<Piece> {
    let targets = pieces.iter().flat_map(|piece| &piece.edges).map(|edge| &*edge.to);
    let mut missing: Vec<&str> =
        targets.filter(|id| node_id::outside(id).is_some() && base.find(id).is_none()).collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return None;
    }
    let node = |(id, kind, label): (&str, NodeKind, &str)| PieceNode {
        id: id.into(),
        label: label.into(),
        signature: "".into(),
        doc: "".into(),
        lines: (0, 0),
        name_below: 0,
        kind,
        flags: NodeFlags::default(),
        parent: None,
    };
    let nodes = missing.iter().filter_map(|id| node_id::outside(id).map(|(kind, label)| node((id, kind, label))));
    Some(Piece { nodes: nodes.collect(), ..Piece::default() })
}
