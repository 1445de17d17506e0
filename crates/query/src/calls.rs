//! Bounded walks along calls, and classification of test code.

use m1nd_base::{EdgeTier, Relation};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashSet;

/// Most nodes of one walk.
const MAX_NODES: usize = 2_000;

/// Nodes reached by a walk.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// Steps from the node to the first node that was looked for, and the node itself and the one it was reached
    /// through.
    pub(crate) hit: Option<(usize, NodeIx, NodeIx)>,
    /// Possible edges were met on the way.
    pub(crate) possible: bool,
    /// The walk ended at its limit of nodes or steps with more to see.
    pub(crate) is_cut: bool,
    /// The node limit was reached: nodes within the steps may be missing.
    pub(crate) is_full: bool,
    /// Nodes that were passed without a hit, in the order of the walk, without the first ones.
    pub(crate) passed: Vec<NodeIx>,
}

/// Direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Callers,
    Called,
}

/// Calls to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Along {
    Certain,
    /// Including possible ones.
    Possible,
}

/// Walks breadth-first along calls from some nodes until `wanted`. When walking to callees, the start nodes are
/// tested as well.
pub(crate) fn walk(
    graph: &Graph,
    starts: &[NodeIx],
    (direction, along): (Direction, Along),
    steps: usize,
    wanted: &dyn Fn(NodeIx) -> bool,
) -> Reached {
    let mut reached = Reached::default();
    let mut seen: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let mut level: Vec<NodeIx> = starts.to_vec();
    // A start can be what is wanted, but nothing calls itself by being asked for.
    if direction == Direction::Called
        && let Some(&hit) = starts.iter().find(|node| wanted(**node))
    {
        reached.hit = Some((0, hit, hit));
        return reached;
    }
    // Level by level, so that the first hit is a nearest one.
    for step in 1..=steps {
        let mut next = Vec::new();
        for &node in &level {
            let edges: Vec<_> = match direction {
                Direction::Callers => graph.in_edges(node).map(|edge| (edge.from, edge.relation, edge.tier)).collect(),
                Direction::Called => graph.out_edges(node).map(|edge| (edge.to, edge.relation, edge.tier)).collect(),
            };
            for (other, relation, tier) in edges {
                if !leads_on(relation, direction) {
                    continue;
                }
                // What is only possible is remembered, also where it is not followed.
                match tier {
                    EdgeTier::Certain => {}
                    EdgeTier::Possible => {
                        reached.possible = true;
                        if along == Along::Certain {
                            continue;
                        }
                    }
                    EdgeTier::External => continue,
                }
                if seen.insert(other) {
                    if wanted(other) {
                        reached.hit = Some((step, other, node));
                        return reached;
                    }
                    next.push(other);
                }
            }
            // Too much to finish: the answer is then only what was seen.
            if seen.len() > MAX_NODES {
                (reached.is_cut, reached.is_full) = (true, true);
                return reached;
            }
        }
        reached.passed.extend_from_slice(&next);
        level = next;
    }
    reached.is_cut |= !level.is_empty();
    reached
}

/// Returns whether an edge may lead to execution: passing a function on, or overriding it, counts like calling it.
fn leads_on(relation: Relation, direction: Direction) -> bool {
    match direction {
        Direction::Callers => matches!(relation, Relation::Calls | Relation::Tests | Relation::References),
        Direction::Called => matches!(relation, Relation::Calls | Relation::References),
    }
}

/// Returns whether a node is test code.
pub(crate) fn is_test(graph: &Graph, node: NodeIx) -> bool {
    graph.flags(node).has(NodeFlags::TEST)
        || graph.file(node).is_some_and(|file| graph.flags(file).has(NodeFlags::TEST))
}
