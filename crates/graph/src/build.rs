//! Packs nodes and edges into the sections of a snapshot. The result does not depend on the order in which parts
//! arrive.

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Pos, Relation, node_id};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{Immutable, IntoBytes};

use crate::base::{self, Base};
use crate::layout::{EdgeRow, NONE, NodeRow, SiteRow, TextRow, UnresolvedRow};
use crate::rank::{self, Arc as RankArc};
use crate::snapshot_file::{Container, Tag};
use crate::{EdgeInput, EdgeRef, Graph, NodeFlags, NodeInput, NodeIx, Part, UnresolvedInput, weights};

/// Collects parts and packs them into a [`Graph`]. Keeps nothing of a part but a copy of its texts, so parts can be
/// dropped one by one.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: Vec<RawNode>,
    /// Labels, signatures and doc comments of the nodes.
    texts: TextPool,
    edges: Vec<RawEdge>,
    sites: Vec<Pos>,
    unresolved: Vec<RawUnresolved>,
    names: FxHashMap<Box<str>, u32>,
    words: FxHashMap<Box<str>, u32>,
}

/// Items that [`GraphBuilder::finish`] left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BuildReport {
    /// Edges with an end that is not among the nodes.
    pub dangling_edges: usize,
    /// Nodes whose id was already taken.
    pub duplicate_nodes: usize,
}

#[derive(Debug, Clone, Copy)]
struct RawNode {
    symbol: u32,
    /// Symbols, or [`NONE`].
    parent: u32,
    file: u32,
    lines: (u32, u32),
    label: TextRow,
    signature: TextRow,
    doc: TextRow,
    flags: NodeFlags,
    kind: NodeKind,
    name_below: u8,
}

#[derive(Debug, Clone, Copy)]
struct RawEdge {
    from: u32,
    to: u32,
    sites: (u32, u32),
    of: u16,
    relation: Relation,
    tier: EdgeTier,
    dispatches: bool,
    compiler: bool,
    reads: bool,
}

#[derive(Debug, Clone, Copy)]
struct RawUnresolved {
    from: u32,
    name: u32,
    pos: Pos,
    role: u32,
    reason: u32,
}

/// Maximum number of distinct words for roles and reasons in a file; further ones become the first.
const MAX_WORDS: usize = 256;
/// Edges merged between two checks of the cancel flag.
const CANCEL_EVERY: usize = 1 << 16;

impl GraphBuilder {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part.
    pub fn push(&mut self, part: &Part<'_>) {
        self.push_nodes(&part.nodes);
        part.edges.iter().for_each(|edge| self.push_edge(edge));
        part.unresolved.iter().for_each(|reference| self.push_unresolved(reference));
    }

    /// Adds the nodes of a file, the file first, or nodes without a file.
    pub fn push_nodes(&mut self, nodes: &[NodeInput<'_>]) {
        let file = nodes.first().filter(|node| node.kind == NodeKind::File).map_or(NONE, |node| node.symbol);
        nodes.iter().for_each(|node| self.push_node(node, file));
    }

    fn push_node(&mut self, node: &NodeInput<'_>, file: u32) {
        self.nodes.push(RawNode {
            symbol: node.symbol,
            parent: node.parent.unwrap_or(NONE),
            file,
            lines: node.lines,
            label: self.texts.add(node.label),
            signature: self.texts.add(node.signature),
            doc: self.texts.add(node.doc),
            flags: node.flags,
            kind: node.kind,
            name_below: node.name_below(),
        });
    }

    /// Adds an edge; its ends may be added before or after it.
    pub fn push_edge(&mut self, edge: &EdgeInput<'_>) {
        let start = self.sites.len() as u32;
        self.sites.extend_from_slice(edge.sites);
        self.edges.push(RawEdge {
            from: edge.from,
            to: edge.to,
            sites: (start, edge.sites.len() as u32),
            of: edge.of,
            relation: edge.relation,
            tier: edge.tier,
            dispatches: edge.dispatches,
            compiler: edge.compiler,
            reads: edge.reads,
        });
    }

    /// Adds a reference without a target.
    pub fn push_unresolved(&mut self, reference: &UnresolvedInput<'_>) {
        let raw = RawUnresolved {
            from: reference.from,
            name: number(&mut self.names, reference.name),
            pos: reference.pos,
            role: number(&mut self.words, reference.role),
            reason: number(&mut self.words, reference.reason),
        };
        self.unresolved.push(raw);
    }

    /// Packs everything. `text` returns the id of a symbol. Missing targets whose ids belong to no file
    /// ([`node_id::outside`]) become nodes; other edges with a missing end are dropped and counted.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn finish<'t>(
        mut self,
        text: &(dyn Fn(u32) -> &'t str + Sync),
        cancel: &Cancel,
    ) -> Result<(Graph, BuildReport), Cancelled> {
        let mut report = BuildReport::default();
        self.add_outside(text);
        let mut nodes = std::mem::take(&mut self.nodes);
        let texts = std::mem::take(&mut self.texts);
        cancel.check()?;
        let number_of = order_nodes(&mut nodes, text, &mut report);
        cancel.check()?;
        let mut sections = Sections::default();
        let edges = self.edges(&number_of, nodes.len(), &mut report, &mut sections, cancel)?;
        let ranks = ranks(nodes.len(), &edges, cancel)?;
        drop(edges);
        let mut pool = TextPool::default();
        pack_nodes((&nodes, &texts), text, &number_of, &ranks, &mut pool, &mut sections);
        drop((nodes, texts));
        cancel.check()?;
        self.pack_unresolved(&number_of, ranks.len(), &mut pool, &mut sections);
        sections.push(base::TEXT, pool.bytes);
        let container = Container::in_memory(sections.in_order());
        let base = Base::new(container).expect("sections that were just packed fit each other");
        Ok((Graph::from_base(base), report))
    }

    fn add_outside<'t>(&mut self, text: &(dyn Fn(u32) -> &'t str + Sync)) {
        let mut known: rustc_hash::FxHashSet<u32> = self.nodes.iter().map(|node| node.symbol).collect();
        let mut missing = Vec::new();
        for edge in &self.edges {
            if !known.contains(&edge.to)
                && let Some((kind, label)) = node_id::outside(text(edge.to))
            {
                known.insert(edge.to);
                missing.push(outside_node(edge.to, kind, label));
            }
        }
        missing.iter().for_each(|node| self.push_node(node, NONE));
    }

    /// Remaps, sorts, merges and packs the edges with their sites.
    fn edges(
        &mut self,
        number_of: &FxHashMap<u32, u32>,
        nodes: usize,
        report: &mut BuildReport,
        sections: &mut Sections,
        cancel: &Cancel,
    ) -> Result<Vec<RawEdge>, Cancelled> {
        let mut edges = std::mem::take(&mut self.edges);
        let before = edges.len();
        edges.retain_mut(|edge| match (number_of.get(&edge.from), number_of.get(&edge.to)) {
            (Some(&from), Some(&to)) => {
                (edge.from, edge.to) = (from, to);
                true
            }
            _ => false,
        });
        report.dangling_edges = before - edges.len();
        let all_sites = std::mem::take(&mut self.sites);
        let sites_of = |edge: &RawEdge| &all_sites[edge.sites.0 as usize..(edge.sites.0 + edge.sites.1) as usize];
        let key = |edge: &RawEdge| (edge.from, edge.to, edge.relation, edge.tier);
        edges.par_sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| sites_of(a).cmp(sites_of(b))));
        // Edges with the same key are merged in place: there may be tens of millions.
        let mut sites: Vec<u8> = Vec::with_capacity(all_sites.len() * size_of::<SiteRow>());
        let mut site_count = 0u32;
        let mut merged = 0;
        let mut start = 0;
        while start < edges.len() {
            if merged % CANCEL_EVERY == 0 {
                cancel.check()?;
            }
            let same = edges[start..].iter().take_while(|edge| key(edge) == key(&edges[start])).count();
            let group = &edges[start..start + same];
            let mut places: Vec<Pos> = group.iter().flat_map(|edge| sites_of(edge).iter().copied()).collect();
            places.sort_unstable();
            places.dedup();
            let mut edge = group[0];
            edge.of = group.iter().map(|edge| edge.of).max().unwrap_or(1);
            edge.dispatches = group.iter().any(|edge| edge.dispatches);
            edge.compiler = group.iter().any(|edge| edge.compiler);
            edge.reads = group.iter().any(|edge| edge.reads);
            edge.sites = (site_count, places.len() as u32);
            site_count += places.len() as u32;
            places.iter().for_each(|&place| sites.extend_from_slice(SiteRow::new(place).as_bytes()));
            edges[merged] = edge;
            merged += 1;
            start += same;
        }
        edges.truncate(merged);
        pack_edges(&edges, nodes, sections);
        sections.push(base::SITES, sites);
        Ok(edges)
    }

    fn pack_unresolved(
        &mut self,
        number_of: &FxHashMap<u32, u32>,
        nodes: usize,
        pool: &mut TextPool,
        sections: &mut Sections,
    ) {
        let (names, name_rank) = order_texts(std::mem::take(&mut self.names), pool);
        let (mut words, word_rank) = order_texts(std::mem::take(&mut self.words), pool);
        words.truncate(MAX_WORDS);
        let word = |number: u32| u8::try_from(word_rank[number as usize]).unwrap_or(0);
        let mut rows: Vec<(u32, Pos, u32, u8, u8)> = std::mem::take(&mut self.unresolved)
            .into_iter()
            .filter_map(|raw| {
                let from = *number_of.get(&raw.from)?;
                Some((from, raw.pos, name_rank[raw.name as usize], word(raw.role), word(raw.reason)))
            })
            .collect();
        rows.par_sort_unstable();
        rows.dedup();
        sections.push(base::UNRESOLVED_OF, offsets(nodes, rows.iter().map(|row| row.0)));
        let mut by_name: Vec<(u32, u32)> = rows.iter().enumerate().map(|(index, row)| (row.2, index as u32)).collect();
        by_name.par_sort_unstable();
        sections.push(base::NAMED_AT, offsets(names.len(), by_name.iter().map(|row| row.0)));
        sections.push(base::NAMED, numbers(by_name.iter().map(|row| row.1)));
        let packed_rows = pack_rows(rows.into_iter().map(|(from, pos, name, role, reason)| UnresolvedRow {
            from: U32::new(from),
            name: U32::new(name),
            site: SiteRow::new(pos),
            role,
            reason,
        }));
        sections.push(base::UNRESOLVED, packed_rows);
        sections.push(base::NAMES, names.as_bytes().to_vec());
        sections.push(base::WORDS, words.as_bytes().to_vec());
    }
}

fn outside_node(symbol: u32, kind: NodeKind, label: &str) -> NodeInput<'_> {
    NodeInput {
        symbol,
        parent: None,
        kind,
        label,
        lines: (0, 0),
        name_line: 0,
        flags: NodeFlags::default(),
        signature: "",
        doc: "",
    }
}

fn number(table: &mut FxHashMap<Box<str>, u32>, text: &str) -> u32 {
    if let Some(number) = table.get(text) {
        return *number;
    }
    let next = table.len() as u32;
    table.insert(text.into(), next);
    next
}

/// Sorts and packs the texts of a table. Returns them with the new position of each old number.
fn order_texts(table: FxHashMap<Box<str>, u32>, pool: &mut TextPool) -> (Vec<TextRow>, Vec<u32>) {
    let mut texts: Vec<(Box<str>, u32)> = table.into_iter().collect();
    texts.par_sort_unstable();
    let mut rank = vec![0; texts.len()];
    for (place, (_, number)) in texts.iter().enumerate() {
        rank[*number as usize] = place as u32;
    }
    (texts.into_iter().map(|(text, _)| pool.add(&text)).collect(), rank)
}

/// Start offset of each key's run, for keys `0..count` in ascending order, plus the end.
fn offsets(count: usize, keys: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut starts = vec![0u32; count + 1];
    for key in keys {
        starts[key as usize + 1] += 1;
    }
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    numbers(starts.into_iter())
}

fn numbers(values: impl Iterator<Item = u32>) -> Vec<u8> {
    pack_rows(values.map(U32::new))
}

fn pack_rows<T: IntoBytes + Immutable>(rows: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.size_hint().0 * size_of::<T>());
    rows.for_each(|row| bytes.extend_from_slice(row.as_bytes()));
    bytes
}

/// Sorts the nodes by id, drops duplicates, and returns the number of each symbol.
fn order_nodes<'t>(
    nodes: &mut Vec<RawNode>,
    text: &(dyn Fn(u32) -> &'t str + Sync),
    report: &mut BuildReport,
) -> FxHashMap<u32, u32> {
    nodes.par_sort_unstable_by(|left, right| {
        let key = |node: &RawNode| (node.flags.has(NodeFlags::IMPORTED), node.lines, node.symbol);
        text(left.symbol).cmp(text(right.symbol)).then_with(|| key(left).cmp(&key(right)))
    });
    let mut number_of: FxHashMap<u32, u32> = FxHashMap::default();
    number_of.reserve(nodes.len());
    let mut kept = 0;
    for index in 0..nodes.len() {
        let symbol = nodes[index].symbol;
        if kept > 0 && text(nodes[kept - 1].symbol) == text(symbol) {
            report.duplicate_nodes += 1;
        } else {
            nodes.swap(kept, index);
            kept += 1;
        }
        number_of.insert(symbol, kept as u32 - 1);
    }
    nodes.truncate(kept);
    number_of
}

#[derive(Debug, Default)]
struct TextPool {
    bytes: Vec<u8>,
}

impl TextPool {
    /// Adds a text; past 4 GiB texts are dropped rather than cut.
    fn add(&mut self, text: &str) -> TextRow {
        let start = self.bytes.len();
        if text.is_empty() || start + text.len() > u32::MAX as usize {
            return TextRow::default();
        }
        self.bytes.extend_from_slice(text.as_bytes());
        TextRow { start: U32::new(start as u32), len: U32::new(text.len() as u32) }
    }

    fn bytes(&self, row: TextRow) -> &[u8] {
        let rest = self.bytes.get(row.start.get() as usize..).unwrap_or_default();
        rest.get(..row.len.get() as usize).unwrap_or_default()
    }

    fn get(&self, row: TextRow) -> &str {
        std::str::from_utf8(self.bytes(row)).unwrap_or_default()
    }
}

#[derive(Default)]
struct Sections(Vec<(Tag, Vec<u8>)>);

impl Sections {
    fn push(&mut self, tag: Tag, bytes: Vec<u8>) {
        self.0.push((tag, bytes));
    }

    fn in_order(mut self) -> Vec<(Tag, Vec<u8>)> {
        let place = |tag: &Tag| base::ALL.iter().position(|known| known == tag);
        self.0.sort_by_key(|(tag, _)| place(tag));
        self.0
    }
}

fn pack_nodes<'t>(
    (nodes, texts): (&[RawNode], &TextPool),
    text: &(dyn Fn(u32) -> &'t str + Sync),
    number_of: &FxHashMap<u32, u32>,
    ranks: &[f32],
    pool: &mut TextPool,
    sections: &mut Sections,
) {
    let find = |symbol: u32| match symbol {
        NONE => NONE,
        symbol => number_of.get(&symbol).copied().unwrap_or(NONE),
    };
    let mut rows: Vec<u8> = Vec::with_capacity(nodes.len() * size_of::<NodeRow>());
    for (index, node) in nodes.iter().enumerate() {
        let (id, label) = (text(node.symbol), texts.get(node.label));
        let id_row = pool.add(id);
        // Most labels are a suffix of the id, so the text is shared.
        let label = if id.ends_with(label) && !label.is_empty() && id_row.len.get() > 0 {
            let skip = (id.len() - label.len()) as u32;
            TextRow { start: U32::new(id_row.start.get() + skip), len: U32::new(label.len() as u32) }
        } else {
            pool.add(label)
        };
        let row = NodeRow {
            id: id_row,
            label,
            signature: pool.add(texts.get(node.signature)),
            doc: pool.add(texts.get(node.doc)),
            file: U32::new(find(node.file)),
            parent: U32::new(find(node.parent)),
            line_start: U32::new(node.lines.0),
            line_end: U32::new(node.lines.1),
            pagerank: F32::new(ranks[index]),
            flags: U16::new(node.flags.0),
            kind: node.kind as u8,
            name_below: node.name_below,
        };
        rows.extend_from_slice(row.as_bytes());
    }
    let mut by_label: Vec<u32> = (0..nodes.len() as u32).collect();
    by_label.par_sort_unstable_by_key(|&node| (texts.bytes(nodes[node as usize].label), node));
    sections.push(base::BY_LABEL, numbers(by_label.into_iter()));
    let mut by_file: Vec<u32> = (0..nodes.len() as u32).collect();
    by_file.par_sort_by_cached_key(|&node| {
        let RawNode { file, lines, .. } = nodes[node as usize];
        (find(file), lines.0, std::cmp::Reverse(lines.1), node)
    });
    sections.push(base::BY_FILE, numbers(by_file.into_iter()));
    sections.push(base::NODES, rows);
}

fn pack_edges(edges: &[RawEdge], nodes: usize, sections: &mut Sections) {
    sections.push(base::OUT, offsets(nodes, edges.iter().map(|edge| edge.from)));
    let mut incoming: Vec<(u32, u32)> = edges.iter().enumerate().map(|(index, edge)| (edge.to, index as u32)).collect();
    incoming.par_sort_unstable();
    sections.push(base::IN, offsets(nodes, incoming.iter().map(|row| row.0)));
    sections.push(base::IN_EDGES, numbers(incoming.iter().map(|row| row.1)));
    drop(incoming);
    let rows = edges.iter().map(|edge| EdgeRow {
        from: U32::new(edge.from),
        to: U32::new(edge.to),
        sites: U32::new(edge.sites.0),
        of: U16::new(edge.of),
        relation: edge.relation as u8,
        tier: edge.tier as u8
            | if edge.dispatches { EdgeRow::DISPATCHES } else { 0 }
            | if edge.compiler { EdgeRow::COMPILER } else { 0 }
            | if edge.reads { EdgeRow::READS } else { 0 },
    });
    sections.push(base::EDGES, pack_rows(rows));
}

fn ranks(nodes: usize, edges: &[RawEdge], cancel: &Cancel) -> Result<Vec<f32>, Cancelled> {
    let arcs = edges.iter().filter(|edge| edge.tier != EdgeTier::External).map(|edge| RankArc {
        from: edge.from,
        to: edge.to,
        weight: (weights::of(edge.relation).rank * weights::certainty(edge.tier, edge.of)) as f32,
    });
    rank::pagerank(nodes, arcs.filter(|arc| arc.weight > 0.0), cancel)
}

impl Default for Graph {
    fn default() -> Self {
        let built = GraphBuilder::new().finish(&|_| "", &Cancel::new());
        built.expect("nothing cancels a flag of its own").0
    }
}

impl Graph {
    /// The same graph packed anew, equal to one that is built from scratch.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn compact(&self, cancel: &Cancel) -> Result<Self, Cancelled> {
        if self.is_packed() {
            return Ok(self.clone());
        }
        let mut builder = GraphBuilder::new();
        self.push_all(&mut builder, &|_| true, &|_| true);
        Ok(builder.finish(&|node| self.id(NodeIx(node)), cancel)?.0)
    }

    /// The graph packed anew with these imported nodes and edges in place of all that it has. Symbols that `text` does
    /// not know are numbers of nodes of this graph.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn with_imported<'a>(
        &'a self,
        parts: &[Part<'a>],
        text: &(dyn Fn(u32) -> Option<&'a str> + Sync),
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut builder = GraphBuilder::new();
        let own = |node: NodeIx| !self.flags(node).has(NodeFlags::IMPORTED);
        self.push_all(&mut builder, &own, &|edge| edge.of != EdgeRef::IMPORTED);
        parts.iter().for_each(|part| builder.push(part));
        let text = |symbol| text(symbol).unwrap_or_else(|| self.id(NodeIx(symbol)));
        Ok(builder.finish(&text, cancel)?.0)
    }

    /// Gives the builder all nodes and edges that are to be kept; symbols are the numbers of the nodes.
    fn push_all(
        &self,
        builder: &mut GraphBuilder,
        keeps_node: &dyn Fn(NodeIx) -> bool,
        keeps_edge: &dyn Fn(&EdgeRef<'_>) -> bool,
    ) {
        let nodes = || self.nodes().filter(|&node| keeps_node(node));
        // Nodes of a file are pushed together: the builder gives them numbers in a row.
        for first in nodes().filter(|&node| self.kind(node) == NodeKind::File || self.file(node).is_none()) {
            let members = if self.kind(first) == NodeKind::File { self.of_file(first) } else { Vec::new() };
            let members = members.into_iter().filter(|&node| node != first && keeps_node(node));
            let nodes: Vec<NodeInput<'_>> =
                std::iter::once(first).chain(members).map(|node| self.input(node)).collect();
            builder.push_nodes(&nodes);
        }
        // Edges and open references follow when all their ends are known.
        let mut sites = Vec::new();
        for node in nodes() {
            for edge in self.out_edges(node).filter(|edge| keeps_edge(edge)) {
                sites.clear();
                sites.extend(edge.sites.iter());
                builder.push_edge(&EdgeInput {
                    from: edge.from.0,
                    to: edge.to.0,
                    relation: edge.relation,
                    tier: edge.tier,
                    of: edge.of,
                    dispatches: edge.dispatches,
                    compiler: edge.compiler,
                    reads: edge.reads,
                    sites: &sites,
                });
            }
            for reference in self.open_rows_of(node) {
                builder.push_unresolved(&UnresolvedInput {
                    from: reference.from.0,
                    name: reference.name,
                    role: reference.role,
                    reason: reference.reason,
                    pos: reference.pos,
                });
            }
        }
    }

    /// For tests of the builder's report in other modules.
    pub fn build<'a>(parts: &[Part<'a>], text: &(dyn Fn(u32) -> &'a str + Sync)) -> (Self, BuildReport) {
        let mut builder = GraphBuilder::new();
        parts.iter().for_each(|part| builder.push(part));
        builder.finish(text, &Cancel::new()).expect("nothing cancels a flag of its own")
    }
}
