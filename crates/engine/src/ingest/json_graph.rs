//! Imported graphs: a JSON file with nodes and edges, kept as a separate node set beside the code.

use std::path::Path;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation};
use m1nd_graph::{EdgeInput, EdgeRef, Graph, NodeFlags, NodeInput, Part};
use rustc_hash::FxHashSet;
use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::EngineError;

/// The nodes and edges of one imported file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Imported {
    /// Its source, which is its name in the index.
    pub(crate) source: String,
    pub(crate) nodes: Vec<ImportedNode>,
    pub(crate) edges: Vec<ImportedEdge>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportedNode {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) kind: NodeKind,
    /// Its tags, joined by commas.
    pub(crate) tags: String,
}

/// An edge between imported nodes, or between one and a node of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportedEdge {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) relation: Relation,
    /// One of several targets that may be meant.
    pub(crate) possible: bool,
}

impl ImportedEdge {
    /// Certainty of the edge.
    pub(crate) fn tier(&self) -> EdgeTier {
        if self.possible { EdgeTier::Possible } else { EdgeTier::Certain }
    }

    /// The edge between two nodes of a graph.
    pub(crate) fn between<'s>(&self, from: u32, to: u32) -> EdgeInput<'s> {
        EdgeInput {
            from,
            to,
            relation: self.relation,
            tier: self.tier(),
            of: EdgeRef::IMPORTED,
            dispatches: false,
            compiler: false,
            reads: false,
            sites: &[],
        }
    }
}

/// For each set, whether its nodes are those that the graph takes: a node of several sets is taken once, from the set
/// that says most about it.
pub(crate) fn choose_nodes(imported: &[Imported]) -> Vec<Vec<bool>> {
    let mut best: rustc_hash::FxHashMap<&str, (usize, usize)> = rustc_hash::FxHashMap::default();
    let says = |(set, at): (usize, usize)| {
        let node: &ImportedNode = &imported[set].nodes[at];
        (!node.tags.starts_with("stub:"), node.tags.len())
    };
    for (number, set) in imported.iter().enumerate() {
        for (at, node) in set.nodes.iter().enumerate() {
            let place = best.entry(&node.id).or_insert((number, at));
            if says((number, at)) > says(*place) {
                *place = (number, at);
            }
        }
    }
    let is_best = |number: usize, at: usize, node: &ImportedNode| best.get(&*node.id) == Some(&(number, at));
    let sets = imported.iter().enumerate();
    sets.map(|(number, set)| set.nodes.iter().enumerate().map(|(at, node)| is_best(number, at, node)).collect())
        .collect()
}

/// Items dropped from a JSON graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) duplicate_nodes: usize,
    pub(crate) bad_edges: usize,
    pub(crate) bad_edge_examples: Vec<String>,
}

/// Most nodes and edges of one file.
const MAX_ROWS: usize = 5_000_000;
/// Largest node or edge, in bytes: one is a tree in memory while it is read, which takes some 30 times as much.
const MAX_ROW_BYTES: usize = 1 << 20;
/// Rows between two checks of the cancel flag.
const CHECK_PERIOD: usize = 4_096;

/// The two lists of a file, as they are written.
#[derive(Deserialize)]
#[serde(expecting = "an object with the lists `nodes` and `edges`")]
struct Lists<'t> {
    #[serde(borrow)]
    nodes: Option<&'t RawValue>,
    #[serde(borrow)]
    edges: Option<&'t RawValue>,
}

/// Takes the rows of a list one after the other, so that only one of them is in memory as a tree.
struct EachRow<'r> {
    name: &'r str,
    cancel: &'r Cancel,
    take: &'r mut dyn FnMut(usize, &Value) -> Result<(), String>,
}

impl<'de> Visitor<'de> for EachRow<'_> {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "`{}` to be an array", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(row) = rows.next_element::<&'de RawValue>()? {
            if index >= MAX_ROWS {
                return Err(A::Error::custom(format!("`{}` has more than {MAX_ROWS} rows", self.name)));
            }
            if row.get().len() > MAX_ROW_BYTES {
                let size = row.get().len();
                let why = format!("row {index} of `{}` has {size} bytes, limit {MAX_ROW_BYTES}", self.name);
                return Err(A::Error::custom(why));
            }
            if index.is_multiple_of(CHECK_PERIOD) {
                self.cancel.check().map_err(A::Error::custom)?;
            }
            let row: Value = serde_json::from_str(row.get()).map_err(A::Error::custom)?;
            (self.take)(index, &row).map_err(A::Error::custom)?;
            index += 1;
        }
        Ok(())
    }
}

/// Calls `take` with each row of a list.
fn read_rows(
    name: &str,
    list: Option<&RawValue>,
    cancel: &Cancel,
    take: &mut dyn FnMut(usize, &Value) -> Result<(), String>,
) -> Result<(), String> {
    let list = list.ok_or_else(|| format!("`{name}` is missing"))?;
    let mut text = serde_json::Deserializer::from_str(list.get());
    text.deserialize_seq(EachRow { name, cancel, take }).map_err(|error| error.to_string())
}

/// Reads a JSON graph. Edges need both ends among its nodes, `known` imported ones or the code.
///
/// # Errors
/// [`EngineError::BadJson`] if it is not an object with arrays `nodes` and `edges`, or a node has no id;
/// [`EngineError::Cancelled`].
pub(crate) fn parse(
    (path, source): (&Path, &str),
    bytes: &[u8],
    graph: &Graph,
    known: &[Imported],
    max_listed: usize,
    cancel: &Cancel,
) -> Result<(Imported, LeftOut), EngineError> {
    let bad = |why: String| match cancel.check() {
        Err(cancelled) => EngineError::from(cancelled),
        Ok(()) => EngineError::BadJson { path: path.to_owned(), why },
    };
    let lists: Lists<'_> = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let mut left_out = LeftOut::default();
    let mut ids: FxHashSet<String> = FxHashSet::default();
    let mut nodes = Vec::new();
    let mut take_node = |index: usize, row: &Value| {
        let node = node(row).ok_or_else(|| format!("node {index} has no text `id`"))?;
        // Code and earlier nodes win: an import cannot replace them.
        let code = graph.find(&node.id).is_some_and(|code| !graph.flags(code).has(NodeFlags::IMPORTED));
        if code || !ids.insert(node.id.clone()) {
            left_out.duplicate_nodes += 1;
        } else {
            nodes.push(node);
        }
        Ok(())
    };
    read_rows("nodes", lists.nodes, cancel, &mut take_node).map_err(bad)?;
    // Ends of edges may also be nodes of other imports or of the code. The set that this one replaces does not count.
    let others: FxHashSet<&str> =
        known.iter().filter(|set| set.source != source).flat_map(|set| &set.nodes).map(|node| &*node.id).collect();
    let exists = |id: &str| {
        ids.contains(id)
            || others.contains(id)
            || graph.find(id).is_some_and(|node| !graph.flags(node).has(NodeFlags::IMPORTED))
    };
    let mut edges = Vec::new();
    let mut take_edge = |_: usize, row: &Value| {
        edges.extend(edge(row, &exists, max_listed, &mut left_out));
        Ok(())
    };
    read_rows("edges", lists.edges, cancel, &mut take_edge).map_err(bad)?;
    Ok((Imported { source: source.to_owned(), nodes, edges }, left_out))
}

/// An edge; `None`, and counted, if one of its ends does not exist.
fn edge(row: &Value, exists: &dyn Fn(&str) -> bool, max_listed: usize, left_out: &mut LeftOut) -> Option<ImportedEdge> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let (from, to) = (text("source"), text("target"));
    if from.is_empty() || to.is_empty() || !exists(from) || !exists(to) {
        left_out.bad_edges += 1;
        if left_out.bad_edge_examples.len() < max_listed {
            let shown = |id: &str| if id.is_empty() { "?".to_owned() } else { id.chars().take(200).collect() };
            left_out.bad_edge_examples.push(format!("{} → {}", shown(from), shown(to)));
        }
        return None;
    }
    let relation = row.get("relation").and_then(Value::as_str).and_then(Relation::parse);
    let relation = relation.unwrap_or(Relation::RelatesTo);
    Some(ImportedEdge { from: from.to_owned(), to: to.to_owned(), relation, possible: false })
}

fn node(row: &Value) -> Option<ImportedNode> {
    let id = row.get("id")?.as_str().filter(|id| !id.is_empty())?;
    let label = row.get("label").and_then(Value::as_str).unwrap_or(id);
    let kind = row.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let kind = NodeKind::ALL.iter().copied().find(|known| known.word() == kind).unwrap_or(NodeKind::Custom);
    let tags = row.get("tags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let tags: Vec<&str> = tags.iter().filter_map(Value::as_str).collect();
    // A file node would take nodes of the code for its own.
    let kind = if kind == NodeKind::File { NodeKind::Custom } else { kind };
    Some(ImportedNode { id: id.to_owned(), label: label.to_owned(), kind, tags: tags.join(", ") })
}

/// Numbers for the ids of imported data, in addition to the linker's.
pub(crate) struct ImportedSymbols<'a> {
    first: u32,
    texts: Vec<&'a str>,
    numbers: rustc_hash::FxHashMap<&'a str, u32>,
}

impl<'a> ImportedSymbols<'a> {
    /// Numbers from `first` on.
    pub(crate) fn new(first: u32) -> Self {
        Self { first, texts: Vec::new(), numbers: rustc_hash::FxHashMap::default() }
    }

    /// The number of an id.
    pub(crate) fn number(&mut self, id: &'a str) -> u32 {
        let next = self.first + self.texts.len() as u32;
        *self.numbers.entry(id).or_insert_with(|| {
            self.texts.push(id);
            next
        })
    }

    /// The id of a number, if it is one of ours.
    pub(crate) fn text(&self, number: u32) -> Option<&'a str> {
        self.texts.get(number.checked_sub(self.first)? as usize).copied()
    }
}

/// Converts an imported file to its part of the graph, with the nodes that [`choose_nodes`] selects. `known` returns
/// the number of an id of the code.
pub(crate) fn part<'a>(
    set: &'a Imported,
    chosen: &[bool],
    symbols: &mut ImportedSymbols<'a>,
    known: &dyn Fn(&str) -> Option<u32>,
) -> Part<'a> {
    let nodes = set.nodes.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(node, _)| NodeInput {
        symbol: symbols.number(&node.id),
        parent: None,
        kind: node.kind,
        label: &node.label,
        lines: (0, 0),
        name_line: 0,
        flags: NodeFlags::IMPORTED,
        signature: "",
        doc: &node.tags,
    });
    let nodes: Vec<NodeInput<'a>> = nodes.collect();
    // An end may be a node of the code, which has its number already.
    let mut number = |id: &'a str| known(id).unwrap_or_else(|| symbols.number(id));
    let edges = set.edges.iter().map(|edge| edge.between(number(&edge.from), number(&edge.to)));
    Part { edges: edges.collect(), nodes, unresolved: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Imported, LeftOut), EngineError> {
        parse((Path::new("g.json"), "g.json"), text.as_bytes(), &Graph::default(), &[], 2, &Cancel::new())
    }

    #[test]
    fn rows_are_read_one_by_one_with_bounds_and_cancellation() {
        let row = format!(r#"{{"id":"a","more":"{}"}}"#, "x".repeat(MAX_ROW_BYTES));
        let text = format!(r#"{{"edges":[],"nodes":[{row}]}}"#);
        assert!(read(&text).is_err_and(|error| error.to_string().contains("row 0 of `nodes` has")), "too large");
        let many = vec![r#"{"id":"a"}"#; 3 * CHECK_PERIOD].join(",");
        let text = format!(r#"{{"nodes":[{many}],"edges":[]}}"#);
        let cancel = Cancel::at_poll(2);
        let stopped = parse((Path::new("g"), "g"), text.as_bytes(), &Graph::default(), &[], 2, &cancel);
        assert!(matches!(stopped, Err(EngineError::Cancelled)), "{stopped:?}");
        assert_eq!(read(&text).expect("a graph").1.duplicate_nodes, 3 * CHECK_PERIOD - 1);
    }

    #[test]
    fn bad_edges_are_counted_and_listed() {
        let text = r#"{"nodes":[{"id":"a"},{"id":"b","label":"B","type":"Concept"},{"id":"a"}],
            "edges":[{"source":"a","target":"b","relation":"calls"},{"source":"a","target":"x"},{"target":"b"},{"source":"y","target":"z"}]}"#;
        let (set, left_out) = read(text).expect("a graph");
        assert_eq!(set.nodes.len(), 2);
        assert_eq!(set.nodes[1].kind, NodeKind::Concept);
        assert_eq!(set.edges.len(), 1);
        assert_eq!((left_out.duplicate_nodes, left_out.bad_edges), (1, 3));
        assert_eq!(left_out.bad_edge_examples, ["a → x", "? → b"]);
    }

    #[test]
    fn what_is_no_graph_is_refused() {
        for text in ["", "[]", "{}", r#"{"nodes":{},"edges":[]}"#, r#"{"nodes":[{}],"edges":[]}"#, r#"{"nodes":[]}"#] {
            assert!(matches!(read(text), Err(EngineError::BadJson { .. })), "{text}");
        }
    }
}
