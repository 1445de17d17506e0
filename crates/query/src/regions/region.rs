//! The nodes of a region.

use std::collections::VecDeque;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use rustc_hash::FxHashSet;

use crate::analysis::{WhyQuery, why};

/// Most nodes of a region.
pub const MAX_NODES: usize = 2_000;
/// Most edges between two nodes of a path that are neighbours in the call.
const MAX_PATH_HOPS: u32 = 6;

/// How a region is made from nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The nodes with their members.
    Node,
    /// These, and what edges lead to or from within so many steps.
    Around(u32),
    /// The nodes, and those on the shortest path from each to the next.
    Path,
}

/// A region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its nodes, sorted by id.
    pub nodes: Vec<NodeIx>,
}

/// The region has more than [`MAX_NODES`] nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// The region around nodes. Steps follow edges both ways, but not containment: members belong to the roots only, so
/// that a file is not part of a region because one of its functions is.
///
/// # Errors
/// [`Cancelled`].
pub fn region(
    snapshot: &Snapshot,
    roots: &[NodeIx],
    scope: Scope,
    cancel: &Cancel,
) -> Result<Result<Region, TooLarge>, Cancelled> {
    let graph = snapshot.graph();
    let mut found: FxHashSet<NodeIx> = FxHashSet::default();
    for &root in roots {
        found.extend(graph.with_members(root, MAX_NODES + 1));
    }
    if scope == Scope::Path {
        for pair in roots.windows(2) {
            let [source, target] = pair else { continue };
            let query = WhyQuery { source: *source, target: *target, max_hops: MAX_PATH_HOPS, max_paths: 1 };
            let answer = why(snapshot, &query, cancel)?;
            let steps = answer.paths.iter().flat_map(|path| &path.steps);
            found.extend(steps.flat_map(|step| [step.hop.from, step.hop.to]));
        }
    }
    if let Scope::Around(radius) = scope {
        let mut queue: VecDeque<(NodeIx, u32)> = found.iter().map(|&node| (node, 0)).collect();
        while let Some((node, hops)) = queue.pop_front() {
            cancel.check()?;
            if hops >= radius || found.len() > MAX_NODES {
                continue;
            }
            let out = graph.out_edges(node).map(|edge| (edge.to, edge.relation));
            let both = out.chain(graph.in_edges(node).map(|edge| (edge.from, edge.relation)));
            for (next, _) in both.filter(|(_, relation)| relation.is_structure()) {
                // Packages and configuration keys are shared by all, and no edit of code changes them.
                if !graph.path(next).is_empty() && found.insert(next) {
                    queue.push_back((next, hops + 1));
                }
            }
        }
    }
    if found.len() > MAX_NODES {
        return Ok(Err(TooLarge));
    }
    let mut nodes: Vec<NodeIx> = found.into_iter().collect();
    nodes.sort_by(|&a, &b| graph.id(a).cmp(graph.id(b)));
    Ok(Ok(Region { nodes }))
}
