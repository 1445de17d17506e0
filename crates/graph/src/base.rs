//! Reads the packed sections. Every access is bounds-checked: damaged bytes give missing or wrong data, never a
//! panic.

use std::cmp::Ordering;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, KnownLayout};

use crate::layout::{EdgeRow, NONE, NodeRow, SiteRow, TextRow, UnresolvedRow};
use crate::snapshot_file::{Container, Tag};
use crate::types::SitesInner;
use crate::{EdgeRef, NodeIx, Sites, SnapshotError, UnresolvedRef};

pub(crate) const NODES: Tag = *b"g.nodes\0";
pub(crate) const TEXT: Tag = *b"g.text\0\0";
pub(crate) const OUT: Tag = *b"g.out\0\0\0";
pub(crate) const EDGES: Tag = *b"g.edges\0";
pub(crate) const SITES: Tag = *b"g.sites\0";
pub(crate) const IN: Tag = *b"g.in\0\0\0\0";
pub(crate) const IN_EDGES: Tag = *b"g.inedge";
pub(crate) const BY_LABEL: Tag = *b"g.label\0";
pub(crate) const BY_FILE: Tag = *b"g.byfile";
pub(crate) const UNRESOLVED_OF: Tag = *b"g.unof\0\0";
pub(crate) const UNRESOLVED: Tag = *b"g.unres\0";
pub(crate) const NAMES: Tag = *b"g.names\0";
pub(crate) const NAMED_AT: Tag = *b"g.nmdat\0";
pub(crate) const NAMED: Tag = *b"g.named\0";
pub(crate) const WORDS: Tag = *b"g.words\0";

/// Sections that make a graph.
pub(crate) const ALL: [Tag; 15] = [
    NODES, TEXT, OUT, EDGES, SITES, IN, IN_EDGES, BY_LABEL, BY_FILE, UNRESOLVED_OF, UNRESOLVED, NAMES, NAMED_AT, NAMED,
    WORDS,
];

/// The packed part of a graph.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) container: Container,
    /// Index in the container of each section of [`ALL`].
    places: [usize; ALL.len()],
}

/// Index of a tag in [`ALL`], computed at compile time.
const fn number(tag: Tag) -> usize {
    let mut at = 0;
    while u64::from_le_bytes(ALL[at]) != u64::from_le_bytes(tag) {
        at += 1;
    }
    at
}

/// The sections that edges are read from, looked up once for many reads.
#[derive(Clone, Copy)]
struct EdgeReader<'b> {
    rows: &'b [EdgeRow],
    sites: &'b [SiteRow],
    nodes: usize,
}

impl<'b> EdgeReader<'b> {
    fn edge(&self, number: usize) -> Option<EdgeRef<'b>> {
        let row = self.rows.get(number)?;
        let start = row.sites.get() as usize;
        let end = self.rows.get(number + 1).map_or(self.sites.len(), |next| next.sites.get() as usize);
        let (from, to) = (NodeIx(row.from.get()), NodeIx(row.to.get()));
        if from.index() >= self.nodes || to.index() >= self.nodes {
            return None;
        }
        Some(EdgeRef {
            from,
            to,
            relation: Relation::from_number(row.relation)?,
            tier: EdgeTier::from_number(row.tier & !EdgeRow::FLAGS)?,
            of: row.of.get(),
            dispatches: row.tier & EdgeRow::DISPATCHES != 0,
            compiler: row.tier & EdgeRow::COMPILER != 0,
            reads: row.tier & EdgeRow::READS != 0,
            sites: Sites(SitesInner::Base(self.sites.get(start..end).unwrap_or_default())),
        })
    }
}

impl Base {
    /// Checks that the sizes of the sections are consistent.
    pub(crate) fn new(container: Container) -> Result<Self, SnapshotError> {
        let places = ALL.map(|tag| container.place(&tag));
        let base = Self { container, places };
        let nodes = base.node_count();
        let odd = |what: &str| Err(SnapshotError::Damaged(format!("size of section `{what}`")));
        let whole = |tag: &Tag, size: usize| base.container.section(tag).len().is_multiple_of(size);
        if !whole(&NODES, size_of::<NodeRow>()) || nodes >= NONE as usize {
            return odd("nodes");
        }
        if !whole(&EDGES, size_of::<EdgeRow>()) || base.in_edge_numbers().len() != base.edge_rows().len() {
            return odd("edges");
        }
        for tag in [&OUT, &IN, &UNRESOLVED_OF] {
            let len = base.container.section(tag).len();
            if len != (nodes + 1) * 4 && !(nodes == 0 && len == 0) {
                return odd("offsets");
            }
        }
        if !whole(&SITES, size_of::<SiteRow>()) || !whole(&UNRESOLVED, size_of::<UnresolvedRow>()) {
            return odd("sites");
        }
        if base.numbers(number(BY_LABEL)).len() != nodes || base.numbers(number(BY_FILE)).len() != nodes {
            return odd("order");
        }
        Ok(base)
    }

    fn bytes(&self, section: usize) -> &[u8] {
        self.container.at(self.places[section])
    }

    fn rows<T: FromBytes + Immutable + KnownLayout>(&self, section: usize) -> &[T] {
        <[T]>::ref_from_bytes(self.bytes(section)).unwrap_or_default()
    }

    fn numbers(&self, section: usize) -> &[U32] {
        self.rows(section)
    }

    pub(crate) fn nodes(&self) -> &[NodeRow] {
        self.rows(const { number(NODES) })
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes().len()
    }

    pub(crate) fn node(&self, node: NodeIx) -> Option<&NodeRow> {
        self.nodes().get(node.index())
    }

    pub(crate) fn text(&self, row: TextRow) -> &str {
        let start = row.start.get() as usize;
        let end = start.saturating_add(row.len.get() as usize);
        let bytes = self.bytes(const { number(TEXT) }).get(start..end).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Compares a stored text with this one as bytes, without UTF-8 validation.
    fn comparing(&self, text: &str) -> impl Fn(TextRow) -> Ordering {
        let bytes = self.bytes(const { number(TEXT) });
        move |row: TextRow| {
            let start = row.start.get() as usize;
            let end = start.saturating_add(row.len.get() as usize);
            bytes.get(start..end).unwrap_or_default().cmp(text.as_bytes())
        }
    }

    pub(crate) fn id(&self, node: NodeIx) -> &str {
        self.node(node).map_or("", |row| self.text(row.id))
    }

    pub(crate) fn label(&self, node: NodeIx) -> &str {
        self.node(node).map_or("", |row| self.text(row.label))
    }

    pub(crate) fn find(&self, id: &str) -> Option<NodeIx> {
        let compare = self.comparing(id);
        let found = self.nodes().binary_search_by(|row| compare(row.id));
        found.ok().map(|index| NodeIx(index as u32))
    }

    /// Like [`Base::find`], faster if the id sorts shortly after that of `near`.
    pub(crate) fn find_behind(&self, near: NodeIx, id: &str) -> Option<NodeIx> {
        let (nodes, compare) = (self.nodes(), self.comparing(id));
        let is_before = |at: usize| nodes.get(at).is_some_and(|row| compare(row.id) == Ordering::Less);
        let (mut before, mut step) = (near.index(), 1);
        if !is_before(before) {
            return self.find(id);
        }
        while is_before(before + step) {
            before += step;
            step *= 2;
        }
        let rest = nodes.get(before + 1..nodes.len().min(before + step + 1))?;
        let found = rest.binary_search_by(|row| compare(row.id));
        found.ok().map(|index| NodeIx((before + 1 + index) as u32))
    }

    /// Nodes in the order `by` gives, from the first whose text is not less than `text`.
    pub(crate) fn find_labelled(&self, label: &str) -> impl Iterator<Item = NodeIx> {
        let order = self.numbers(const { number(BY_LABEL) });
        let start = order.partition_point(|node| self.label(NodeIx(node.get())) < label);
        let label = label.to_owned();
        order[start..].iter().map(|node| NodeIx(node.get())).take_while(move |&node| self.label(node) == label)
    }

    /// Nodes of a file, itself included, by line.
    pub(crate) fn of_file(&self, file: NodeIx) -> impl Iterator<Item = NodeIx> {
        let order = self.numbers(const { number(BY_FILE) });
        let key = |node: u32| self.node(NodeIx(node)).map_or(NONE, |row| row.file.get());
        let start = order.partition_point(|node| key(node.get()) < file.0);
        order[start..].iter().map(|node| NodeIx(node.get())).take_while(move |&node| key(node.0) == file.0)
    }

    pub(crate) fn edge_rows(&self) -> &[EdgeRow] {
        self.rows(const { number(EDGES) })
    }

    fn in_edge_numbers(&self) -> &[U32] {
        self.numbers(const { number(IN_EDGES) })
    }

    /// The range `offsets[node]..offsets[node + 1]`, empty if the offsets are inconsistent.
    fn run(&self, section: usize, index: usize, len: usize) -> std::ops::Range<usize> {
        let offsets = self.numbers(section);
        match (offsets.get(index), offsets.get(index + 1)) {
            (Some(start), Some(end)) if start.get() <= end.get() && end.get() as usize <= len => {
                start.get() as usize..end.get() as usize
            }
            _ => 0..0,
        }
    }

    fn edges(&self) -> EdgeReader<'_> {
        let sites = self.rows(const { number(SITES) });
        EdgeReader { rows: self.edge_rows(), sites, nodes: self.node_count() }
    }

    pub(crate) fn out_range(&self, node: NodeIx) -> std::ops::Range<usize> {
        self.run(const { number(OUT) }, node.index(), self.edge_rows().len())
    }

    pub(crate) fn out_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let edges = self.edges();
        self.out_range(node).filter_map(move |number| edges.edge(number))
    }

    pub(crate) fn in_edges(&self, node: NodeIx) -> impl Iterator<Item = EdgeRef<'_>> {
        let (edges, numbers) = (self.edges(), self.in_edge_numbers());
        let range = self.run(const { number(IN) }, node.index(), numbers.len());
        numbers.get(range).unwrap_or_default().iter().filter_map(move |number| edges.edge(number.get() as usize))
    }

    fn unresolved_rows(&self) -> &[UnresolvedRow] {
        self.rows(const { number(UNRESOLVED) })
    }

    fn unresolved_at(&self, row: &UnresolvedRow) -> Option<UnresolvedRef<'_>> {
        let words: &[TextRow] = self.rows(const { number(WORDS) });
        let names: &[TextRow] = self.rows(const { number(NAMES) });
        let from = NodeIx(row.from.get());
        (from.index() < self.node_count()).then_some(())?;
        Some(UnresolvedRef {
            from,
            name: self.text(*names.get(row.name.get() as usize)?),
            role: self.text(*words.get(usize::from(row.role))?),
            reason: self.text(*words.get(usize::from(row.reason))?),
            pos: row.site.pos(),
        })
    }

    pub(crate) fn unresolved_of(&self, node: NodeIx) -> impl Iterator<Item = UnresolvedRef<'_>> {
        let rows = self.unresolved_rows();
        let range = self.run(const { number(UNRESOLVED_OF) }, node.index(), rows.len());
        rows.get(range).unwrap_or_default().iter().filter_map(|row| self.unresolved_at(row))
    }

    pub(crate) fn unresolved_named(&self, name: &str) -> impl Iterator<Item = UnresolvedRef<'_>> {
        let names: &[TextRow] = self.rows(const { number(NAMES) });
        let numbers = self.numbers(const { number(NAMED) });
        let compare = self.comparing(name);
        let found = names.binary_search_by(|row| compare(*row));
        let range = found.map_or(0..0, |index| self.run(const { number(NAMED_AT) }, index, numbers.len()));
        let rows = self.unresolved_rows();
        let rows = numbers.get(range).unwrap_or_default().iter().filter_map(|number| rows.get(number.get() as usize));
        rows.filter_map(|row| self.unresolved_at(row))
    }

    /// Unresolved rows whose name begins with this text.
    pub(crate) fn unresolved_beginning(&self, start: &str) -> impl Iterator<Item = UnresolvedRef<'_>> {
        let names: &[TextRow] = self.rows(const { number(NAMES) });
        let compare = self.comparing(start);
        let first = names.partition_point(|row| compare(*row).is_lt());
        let begins = move |row: &&TextRow| self.text(**row).starts_with(start);
        let count = names[first..].iter().take_while(begins).count();
        let numbers = self.numbers(const { number(NAMED) });
        let rows = self.unresolved_rows();
        let places = (first..first + count).flat_map(move |name| {
            let range = self.run(const { number(NAMED_AT) }, name, numbers.len());
            numbers.get(range).unwrap_or_default()
        });
        places.filter_map(|number| rows.get(number.get() as usize)).filter_map(|row| self.unresolved_at(row))
    }

    pub(crate) fn kind(&self, node: NodeIx) -> NodeKind {
        self.node(node).and_then(|row| NodeKind::from_number(row.kind)).unwrap_or(NodeKind::Custom)
    }
}
