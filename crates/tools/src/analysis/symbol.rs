//! The other nodes that an answer about a symbol is of.

use std::collections::HashSet;

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{Graph, NodeFlags, NodeIx};
use serde::Serialize;

use crate::sites::{LineReader, name_of};
use crate::word::{Word, answer_kinds};

/// Maximum number of nodes listed.
const MAX_LISTED: usize = 20;
/// Maximum number of overriding methods looked for.
const MAX_OVERRIDING: usize = 5_000;
/// Maximum number of implementations listed.
const MAX_IMPLEMENTATIONS: usize = 100;

/// A node whose uses are among the rows of another one.
#[derive(Debug, Serialize)]
pub(super) struct IncludedRow {
    node_id: String,
    /// What it is of the node asked for.
    part: Word<SymbolPart>,
}

answer_kinds! {
    /// What a node is of the symbol asked for.
    pub(super) SymbolPart {
        Constructor = "constructor",
        Definition = "definition",
        Declaration = "declaration",
        Overload = "overload",
    }
}

/// The nodes whose uses are listed with those of `node`.
pub(super) fn list_included(snapshot: &Snapshot, others: &[NodeIx], overloads: &[NodeIx]) -> Vec<IncludedRow> {
    let graph = snapshot.graph();
    let part = |node| if overloads.contains(&node) { SymbolPart::Overload } else { part(graph, node) };
    let row = |&node: &NodeIx| IncludedRow { node_id: graph.id(node).to_owned(), part: Word(part(node)) };
    others.iter().take(MAX_LISTED).map(row).collect()
}

fn part(graph: &Graph, node: NodeIx) -> SymbolPart {
    let flags = graph.flags(node);
    if flags.has(NodeFlags::CONSTRUCTOR) {
        SymbolPart::Constructor
    } else if flags.has(NodeFlags::DECLARATION) || flags.has(NodeFlags::ABSTRACT) {
        SymbolPart::Declaration
    } else {
        SymbolPart::Definition
    }
}

/// A method that implements or overrides another one.
#[derive(Debug, Serialize)]
pub(super) struct ImplementationRow {
    node_id: String,
    file_path: String,
    line_number: u32,
    line_content: String,
}

/// The methods that implement or override a method, directly or through others, in some of the nodes: the first, and
/// the number of all. Those of code come before those of tests.
pub(super) fn list_implementations(
    snapshot: &Snapshot,
    node: NodeIx,
    is_asked: impl Fn(NodeIx) -> bool,
) -> (Vec<ImplementationRow>, usize) {
    let graph = snapshot.graph();
    let mut found = graph.list_overriding(node, MAX_OVERRIDING);
    found.retain(|&node| is_asked(node));
    let is_test = |node| graph.flags(node).has(NodeFlags::TEST);
    found.sort_unstable_by_key(|&node| (is_test(node), graph.path(node), graph.lines(node).0, node));
    let mut lines = LineReader::new(snapshot);
    let row = |&node: &NodeIx| ImplementationRow {
        node_id: graph.id(node).to_owned(),
        file_path: graph.path(node).to_owned(),
        line_number: graph.name_line(node),
        line_content: lines.read(graph.path(node), graph.name_line(node)).0.trim().to_owned(),
    };
    (found.iter().take(MAX_IMPLEMENTATIONS).map(row).collect(), found.len())
}

/// A place that a new signature concerns: where a function is defined, what it overrides, where a document names it.
#[derive(Debug, Serialize)]
pub(super) struct PlaceRow {
    /// Of what it is, where that is not the node asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    file_path: String,
    line_number: u32,
}

impl PlaceRow {
    fn of(snapshot: &Snapshot, node: NodeIx, is_named: bool) -> Self {
        let graph = snapshot.graph();
        let name = if is_named { name_of(snapshot, node) } else { String::new() };
        Self { name, file_path: graph.path(node).to_owned(), line_number: graph.name_line(node) }
    }
}

/// Where a node is defined and declared.
pub(super) fn list_definitions(snapshot: &Snapshot, node: NodeIx) -> Vec<PlaceRow> {
    let graph = snapshot.graph();
    let mut places = graph.same_symbol(node);
    places.retain(|&place| graph.name_line(place) > 0);
    places.sort_unstable_by_key(|&place| (graph.path(place), graph.name_line(place)));
    places.into_iter().take(MAX_LISTED).map(|place| PlaceRow::of(snapshot, place, false)).collect()
}

/// The methods that a method overrides, directly or through others.
pub(super) fn list_overridden(snapshot: &Snapshot, node: NodeIx) -> Vec<PlaceRow> {
    let graph = snapshot.graph();
    let mut methods = graph.list_overridden(node, MAX_LISTED);
    // Several nodes may stand for one place.
    let mut places = HashSet::new();
    methods.retain(|&method| {
        !graph.kind(method).is_outside() && places.insert((graph.path(method), graph.name_line(method)))
    });
    methods.into_iter().map(|method| PlaceRow::of(snapshot, method, true)).collect()
}

/// The places of documents that surely name a node: the first, and the number of all.
pub(super) fn list_documents(snapshot: &Snapshot, node: NodeIx) -> (Vec<PlaceRow>, usize) {
    let graph = snapshot.graph();
    let edges = graph.in_edges(node).filter(|edge| {
        edge.relation == Relation::Documents && edge.tier == EdgeTier::Certain && !graph.kind(edge.from).is_outside()
    });
    let mut places: Vec<(&str, u32)> = edges
        .flat_map(|edge| {
            let lines = (0..edge.sites.len()).filter_map(|at| edge.sites.get(at)).map(|place| place.line);
            lines.map(|line| (graph.path(edge.from), line)).collect::<Vec<_>>()
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    let row =
        |&(path, line): &(&str, u32)| PlaceRow { name: String::new(), file_path: path.to_owned(), line_number: line };
    (places.iter().take(MAX_LISTED).map(row).collect(), places.len())
}

/// What follows the name of a node in a sentence about its callers: `, by 2 constructors`.
pub(super) fn by_constructors(snapshot: &Snapshot, others: &[NodeIx]) -> String {
    let graph = snapshot.graph();
    let is_own =
        |node: &&NodeIx| graph.flags(**node).has(NodeFlags::CONSTRUCTOR) && graph.definitions(**node).is_empty();
    match others.iter().filter(is_own).count() {
        0 => String::new(),
        1 => " by its constructor".to_owned(),
        count => format!(" by its {count} constructors"),
    }
}
