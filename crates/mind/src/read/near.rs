//! Memories about code near the places of a question: the code it names, and the code the caller works on.

use std::collections::VecDeque;

use m1nd_base::Relation;
use m1nd_engine::graph::{Graph, NodeIx};
use m1nd_memory::{Record, mentions};
use rustc_hash::FxHashMap;

use crate::files::anchor::names_of;
use crate::read::code::{CodeIndex, ProjectPrefix};
use crate::read::load::ProjectMemory;
use m1nd_engine::Snapshot;

/// Places that one question can name.
const MAX_PLACES: usize = 16;
/// Steps in the graph that are near.
const MAX_STEPS: u8 = 2;
/// Nearness after each number of steps.
const SHARES: [f32; MAX_STEPS as usize + 1] = [1.0, 0.6, 0.3];
/// Nodes that are looked at.
const MAX_VISITED: usize = 4_000;
/// From code with more neighbours no step is taken: what everything uses is near to nothing.
const MAX_NEIGHBOURS: usize = 64;

/// The reason why a memory is near.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NearCode {
    /// Id of the node that the memory names.
    pub node_id: String,
    /// Id of the node that the question names.
    pub to: String,
    /// Number of edges between both: 0 if they are one node.
    pub steps: u8,
}

/// The nodes near the places of a question.
pub(crate) struct Near<'s> {
    snapshot: &'s Snapshot,
    prefix: ProjectPrefix,
    /// Steps to each node, and from which place.
    reached: FxHashMap<NodeIx, (u8, NodeIx)>,
}

impl<'s> Near<'s> {
    /// `None` where the project is not in the index, or neither the question nor the caller names code of it.
    pub(crate) fn of(
        memory: &ProjectMemory,
        question: &str,
        places: &[String],
        snapshot: &'s Snapshot,
    ) -> Option<Self> {
        let prefix = ProjectPrefix::of(snapshot, &memory.path)?;
        let named = mentions(question);
        let texts = places.iter().map(String::as_str).chain(named.iter().map(|mention| &*mention.text));
        let index = prefix.index(snapshot);
        let mut starts: Vec<NodeIx> = Vec::new();
        for node in texts.take(MAX_PLACES).filter_map(|text| index.find(text)) {
            if !starts.contains(&node) {
                starts.push(node);
            }
        }
        let reached = find_reached(snapshot.graph(), &starts);
        (!reached.is_empty()).then_some(Self { snapshot, prefix, reached })
    }

    /// Nearness of a memory's code, 0 to 1.
    pub(crate) fn share(&self, memory: &ProjectMemory, record: &Record) -> f32 {
        self.nearest(memory, record).map_or(0.0, |(_, steps, _)| SHARES[usize::from(steps)])
    }

    /// The reason why a memory is near; `None` if it is not.
    pub(crate) fn reason(&self, memory: &ProjectMemory, record: &Record) -> Option<NearCode> {
        let (node, steps, to) = self.nearest(memory, record)?;
        let id = |node| self.snapshot.graph().id(node).to_owned();
        Some(NearCode { node_id: id(node), to: id(to), steps })
    }

    /// The code of a memory with the fewest steps, how many, and to which place.
    fn nearest(&self, memory: &ProjectMemory, record: &Record) -> Option<(NodeIx, u8, NodeIx)> {
        let near = |node: NodeIx| self.reached.get(&node).map(|&(steps, to)| (node, steps, to));
        let anchors = memory.noted.records.get(&record.id).map_or(&[][..], |seen| &seen.anchors);
        let noted = anchors.iter().filter_map(|anchor| self.snapshot.graph().find(&anchor.node));
        let nearest = noted.filter_map(near).min_by_key(|(_, steps, _)| *steps);
        if nearest.is_some() || !anchors.is_empty() {
            return nearest;
        }
        let index: CodeIndex<'_> = self.prefix.index(self.snapshot);
        let named = names_of(record).into_iter().filter_map(|name| index.find(&name));
        named.filter_map(near).min_by_key(|(_, steps, _)| *steps)
    }
}

/// Nodes within [`MAX_STEPS`] of one of `starts`, along edges in both directions, each with the place it is nearest to.
fn find_reached(graph: &Graph, starts: &[NodeIx]) -> FxHashMap<NodeIx, (u8, NodeIx)> {
    let mut reached: FxHashMap<NodeIx, (u8, NodeIx)> = starts.iter().map(|&node| (node, (0, node))).collect();
    let mut open: VecDeque<NodeIx> = starts.iter().copied().collect();
    while let Some(node) = open.pop_front() {
        let (steps, from) = reached[&node];
        if steps == MAX_STEPS {
            continue;
        }
        for other in neighbours(graph, node) {
            if reached.len() >= MAX_VISITED {
                return reached;
            }
            reached.entry(other).or_insert_with(|| {
                open.push_back(other);
                (steps + 1, from)
            });
        }
    }
    reached
}

/// What a node is tied to, in order of the ids; nothing if that is too much. A file counts as what holds its symbols.
fn neighbours(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let is_inside = |other: &NodeIx| !graph.kind(*other).is_outside();
    let ties = || {
        let out = graph.out_edges(node).filter(|edge| edge.relation != Relation::Contains).map(|edge| edge.to);
        out.chain(graph.in_edges(node).filter(|edge| edge.relation != Relation::Contains).map(|edge| edge.from))
    };
    let mut found: Vec<NodeIx> = ties().filter(is_inside).take(MAX_NEIGHBOURS + 1).collect();
    if found.len() > MAX_NEIGHBOURS {
        found.clear();
    }
    // What it holds and what holds it is near, however much that is.
    found.extend(graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to));
    found.extend(graph.in_edges(node).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.from));
    found.retain(is_inside);
    found.sort_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
    found.dedup();
    found
}
