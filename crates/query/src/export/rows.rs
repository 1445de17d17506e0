//! Nodes and edges as rows. A change of a member's name or meaning increments [`FORMAT_VERSION`].

use std::borrow::Cow;
use std::collections::BTreeSet;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::{Dispatch, EdgeRef, Graph, NodeFlags, NodeIx};
use serde::Serialize;

use m1nd_engine::Snapshot;

/// Version of the rows. Members may be added without raising it.
pub const FORMAT_VERSION: u32 = 2;

/// Provenance of edges supplied by a compiler index.
pub const COMPILER: &str = "scip";

/// A node as a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRow<'g> {
    /// The lasting name.
    pub id: Cow<'g, str>,
    /// Its kind.
    pub kind: NodeKind,
    /// Short name.
    pub name: &'g str,
    /// Path of its file, `/`-separated, from the root; `None` for packages outside the roots and imported data.
    pub file: Option<&'g str>,
    /// Line of its name, 1-based; 0 for files and nameless nodes.
    pub line: u32,
    /// First line, decorators and comments excluded, 1-based; 0 if it has none.
    pub start_line: u32,
    /// Last line, 1-based; 0 if it has none.
    pub end_line: u32,
    /// Id of the node that contains it.
    pub parent: Option<Cow<'g, str>>,
    /// Words for its properties, in a fixed order.
    pub flags: Vec<&'static str>,
    /// Header on one line; empty if none.
    pub signature: &'g str,
    /// Doc comment; empty if none.
    pub doc: &'g str,
}

/// An edge as a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EdgeRow<'g> {
    /// Id of the source.
    pub from: Cow<'g, str>,
    /// Id of the target.
    pub to: Cow<'g, str>,
    /// Its relation.
    pub relation: Relation,
    /// Its certainty.
    pub tier: EdgeTier,
    /// Number of candidates of the reference it comes from: 1 if certain, 0 if from imported data.
    pub of: u16,
    /// Path of the source's file; `None` for packages and imported data.
    pub from_file: Option<&'g str>,
    /// Line of the source's name, 1-based; 0 for top-level code, whose source is the file.
    pub from_line: u32,
    /// Short name of the source.
    pub from_name: &'g str,
    /// Kind of the source.
    pub from_kind: NodeKind,
    /// Path of the target's file; `None` for packages outside the roots and imported data.
    pub to_file: Option<&'g str>,
    /// Line of the target's name, 1-based; 0 for files and nameless nodes.
    pub to_line: u32,
    /// Short name of the target.
    pub to_name: &'g str,
    /// Kind of the target.
    pub to_kind: NodeKind,
    /// Sites in the source's file: 1-based line and column in characters, in order.
    pub sites: Vec<(u32, u16)>,
    /// It follows from dynamic dispatch: the call names a method that the target overrides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dispatch: bool,
    /// [`COMPILER`] if a compiler index supplies at least one of its sites, `None` if only our linker does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<&'static str>,
}

/// Selects edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EdgeFilter {
    /// These relations only; all if empty.
    pub relations: BTreeSet<Relation>,
    /// `certain`: those only. `possible`: these and the certain ones. All, also those out of the roots, if `None`.
    pub tier: Option<EdgeTier>,
}

impl EdgeFilter {
    fn admits(&self, edge: &EdgeRef<'_>) -> bool {
        let tier = match self.tier {
            None | Some(EdgeTier::External) => true,
            Some(EdgeTier::Possible) => edge.tier != EdgeTier::External,
            Some(EdgeTier::Certain) => edge.tier == EdgeTier::Certain,
        };
        tier && (self.relations.is_empty() || self.relations.contains(&edge.relation))
    }
}

/// All nodes by id. Keeps one number a node in memory, no rows.
pub fn nodes(snapshot: &Snapshot) -> impl Iterator<Item = NodeRow<'_>> {
    let graph = snapshot.graph();
    by_id(graph).into_iter().map(|node| node_row(snapshot, node))
}

/// The edges that the filter admits, by ids of source and target, relation and tier. Keeps one number a node in memory
/// and the edges of one node, no more.
pub fn edges<'g>(snapshot: &'g Snapshot, filter: &EdgeFilter) -> impl Iterator<Item = EdgeRow<'g>> {
    let graph = snapshot.graph();
    let dispatch = Dispatch::new(graph);
    by_id(graph).into_iter().flat_map(move |node| {
        let mut edges: Vec<EdgeRef<'g>> =
            graph.out_edges(node).chain(dispatch.list_shown(node)).filter(|edge| filter.admits(edge)).collect();
        edges.sort_by_cached_key(|edge| (graph.id(edge.to), edge.relation, edge.tier, edge.dispatches));
        edges.into_iter().map(move |edge| edge_row(snapshot, &edge))
    })
}

/// Equal graphs give equal orders, whatever way they came to be.
fn by_id(graph: &Graph) -> Vec<NodeIx> {
    let mut nodes: Vec<NodeIx> = graph.nodes().collect();
    nodes.sort_unstable_by_key(|&node| graph.id(node));
    nodes
}

fn file(graph: &Graph, node: NodeIx) -> Option<&str> {
    graph.file(node).map(|_| graph.path(node))
}

fn line(graph: &Graph, node: NodeIx) -> u32 {
    if graph.kind(node) == NodeKind::File { 0 } else { graph.name_line(node) }
}

/// The id as answers show it.
fn show_id(snapshot: &Snapshot, node: NodeIx) -> Cow<'_, str> {
    let id = snapshot.graph().id(node);
    snapshot.with_repositories(id).map_or(Cow::Borrowed(id), Cow::Owned)
}

fn node_row(snapshot: &Snapshot, node: NodeIx) -> NodeRow<'_> {
    let graph = snapshot.graph();
    let (start_line, end_line) = graph.lines(node);
    NodeRow {
        id: show_id(snapshot, node),
        kind: graph.kind(node),
        name: graph.label(node),
        file: file(graph, node),
        line: line(graph, node),
        start_line,
        end_line,
        parent: graph.parent(node).map(|parent| show_id(snapshot, parent)),
        flags: flag_words(graph.flags(node)),
        signature: graph.signature(node),
        doc: graph.doc(node),
    }
}

fn edge_row<'g>(snapshot: &'g Snapshot, edge: &EdgeRef<'g>) -> EdgeRow<'g> {
    let graph = snapshot.graph();
    EdgeRow {
        from: show_id(snapshot, edge.from),
        to: show_id(snapshot, edge.to),
        relation: edge.relation,
        tier: edge.tier,
        of: edge.of,
        from_file: file(graph, edge.from),
        from_line: line(graph, edge.from),
        from_name: graph.label(edge.from),
        from_kind: graph.kind(edge.from),
        dispatch: edge.is_by_dispatch(),
        provenance: edge.compiler.then_some(COMPILER),
        to_file: file(graph, edge.to),
        to_line: line(graph, edge.to),
        to_name: graph.label(edge.to),
        to_kind: graph.kind(edge.to),
        sites: edge.sites.iter().map(|site| (site.line, site.col)).collect(),
    }
}

fn flag_words(flags: NodeFlags) -> Vec<&'static str> {
    const WORDS: &[(NodeFlags, &str)] = &[
        (NodeFlags::TEST, "test"),
        (NodeFlags::EXPORTED, "exported"),
        (NodeFlags::ABSTRACT, "abstract"),
        (NodeFlags::DECLARATION, "declaration"),
        (NodeFlags::ASYNC, "async"),
        (NodeFlags::CONSTRUCTOR, "constructor"),
        (NodeFlags::PROPERTY, "property"),
        (NodeFlags::STATIC, "static"),
        (NodeFlags::ENTRY, "entry"),
        (NodeFlags::IMPORTED, "imported"),
    ];
    WORDS.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, word)| *word).collect()
}
