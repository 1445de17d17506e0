//! Nodes that hold parts of the graph together.

use m1nd_base::{Cancel, Cancelled, EdgeTier};
use rustc_hash::FxHashMap;

use crate::{Graph, NodeIx};

/// Number of nodes that each articulation point cuts off: without it, they have no path to the largest part of what it
/// was connected to. Edges count in both directions; edges that lead out of the project, and containment, do not
/// count.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1972.
#[derive(Debug, Clone, Default)]
pub struct Articulation {
    detached: FxHashMap<NodeIx, u32>,
}

/// A node on the path of the search.
struct Open {
    node: u32,
    parent: u32,
    /// Position of its next neighbour.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Articulation {
    /// Finds all articulation points. Takes time linear in nodes and edges.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(graph: &Graph, cancel: &Cancel) -> Result<Self, Cancelled> {
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        let index: FxHashMap<NodeIx, u32> = (0..).zip(&nodes).map(|(number, &node)| (node, number)).collect();
        let (starts, ends) = adjacency(graph, &nodes, &index, cancel)?;
        let of = |node: u32| &ends[starts[node as usize] as usize..starts[node as usize + 1] as usize];
        let mut search = Search::new(nodes.len());
        for root in 0..nodes.len() as u32 {
            if search.entered[root as usize] == NONE {
                cancel.check()?;
                search.component(root, &of);
            }
        }
        let detached = search.detached.into_iter().map(|(node, cut)| (nodes[node as usize], cut));
        Ok(Self { detached: detached.collect() })
    }

    /// Number of nodes cut off without `node`; 0 if it is no articulation point.
    pub fn count_detached(&self, node: NodeIx) -> usize {
        self.detached.get(&node).map_or(0, |&cut| cut as usize)
    }
}

/// Returns whether code depends on code by an edge: what documents say holds nothing together.
fn carries(edge: &crate::EdgeRef<'_>) -> bool {
    edge.relation.carries_change() && edge.relation.is_structure()
}

/// The neighbours of all nodes, in one list, and where those of each node start.
fn adjacency(
    graph: &Graph,
    nodes: &[NodeIx],
    index: &FxHashMap<NodeIx, u32>,
    cancel: &Cancel,
) -> Result<(Vec<u32>, Vec<u32>), Cancelled> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (number, &node) in nodes.iter().enumerate() {
        if number.is_multiple_of(1024) {
            cancel.check()?;
        }
        let counted = graph
            .out_edges(node)
            .filter(|edge| carries(edge) && edge.tier != EdgeTier::External && edge.to != edge.from);
        for to in counted.filter_map(|edge| index.get(&edge.to)) {
            pairs.extend([(number as u32, *to), (*to, number as u32)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0u32; nodes.len() + 1];
    for (from, _) in &pairs {
        starts[*from as usize + 1] += 1;
    }
    for number in 0..nodes.len() {
        starts[number + 1] += starts[number];
    }
    Ok((starts, pairs.into_iter().map(|(_, to)| to).collect()))
}

struct Search {
    /// Order in which each node was entered.
    entered: Vec<u32>,
    /// Earliest node that the node or one below it reaches by one edge.
    low: Vec<u32>,
    /// Nodes of the subtree.
    size: Vec<u32>,
    clock: u32,
    /// Sizes of the parts that lose their connection upwards, by node.
    parts: FxHashMap<u32, Vec<u32>>,
    detached: Vec<(u32, u32)>,
}

impl Search {
    fn new(nodes: usize) -> Self {
        let parts = FxHashMap::default();
        Self {
            entered: vec![NONE; nodes],
            low: vec![0; nodes],
            size: vec![1; nodes],
            clock: 0,
            parts,
            detached: vec![],
        }
    }

    fn enter(&mut self, node: u32) {
        (self.entered[node as usize], self.low[node as usize]) = (self.clock, self.clock);
        self.clock += 1;
    }

    fn component<'a>(&mut self, root: u32, of: &impl Fn(u32) -> &'a [u32]) {
        self.enter(root);
        let mut path = vec![Open { node: root, parent: NONE, next: 0 }];
        while let Some(open) = path.last_mut() {
            let (node, parent) = (open.node, open.parent);
            if let Some(&next) = of(node).get(open.next as usize) {
                open.next += 1;
                if self.entered[next as usize] == NONE {
                    self.enter(next);
                    path.push(Open { node: next, parent: node, next: 0 });
                } else if next != parent {
                    self.low[node as usize] = self.low[node as usize].min(self.entered[next as usize]);
                }
                continue;
            }
            path.pop();
            if parent != NONE {
                self.size[parent as usize] += self.size[node as usize];
                self.low[parent as usize] = self.low[parent as usize].min(self.low[node as usize]);
                if self.low[node as usize] >= self.entered[parent as usize] {
                    self.parts.entry(parent).or_default().push(self.size[node as usize]);
                }
            }
        }
        let all = self.size[root as usize];
        for (node, mut parts) in std::mem::take(&mut self.parts) {
            // What is above the node is a part, too; above the root is nothing.
            let above = all - 1 - parts.iter().sum::<u32>();
            parts.extend((above > 0).then_some(above));
            if parts.len() > 1 {
                let largest = parts.iter().max().copied().unwrap_or(0);
                self.detached.push((node, parts.iter().sum::<u32>() - largest));
            }
        }
    }
}
