//! What keeps a definition in use, and what falls out of use with some nodes.

use std::collections::VecDeque;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{EdgeRef, Graph, NodeFlags, NodeIx, weights};

/// Result of [`orphans`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Orphans {
    /// The nodes, by id.
    pub nodes: Vec<NodeIx>,
    /// The search stopped at its limit of nodes: there may be more.
    pub incomplete: bool,
}

/// Returns the nodes that keep `node` in use. Empty for a root, which is in use by itself: a file, a test, an entry
/// point, and anything else without a user.
///
/// - Users keep it in use: the sources of its in-edges, except imports (an import without a use needs nothing), text,
///   overriding methods, blocks of methods of the type itself, and tests.
/// - A member without users, and one that overrides another, is kept by its type, which may be used through a base.
/// - A type is kept by its members; a block of methods by the types that it names.
pub fn supporters(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let kind = graph.kind(node);
    if !is_definition(kind) || graph.flags(node).has(NodeFlags::TEST) {
        return Vec::new();
    }
    if kind == NodeKind::Impl {
        let mut types: Vec<NodeIx> = named_types(graph, node).collect();
        sort(&mut types);
        return types;
    }
    let users = graph.in_edges(node).filter(|edge| keeps(graph, edge.from, edge.relation) && edge.from != node);
    let mut all: Vec<NodeIx> = users.map(|edge| edge.from).collect();
    if is_type(kind) {
        all.extend(members(graph, node));
    }
    let parent = graph.parent(node).filter(|&parent| holds_members(graph.kind(parent)));
    all.extend(parent.filter(|_| all.is_empty() || overrides(graph, node)));
    sort(&mut all);
    all
}

/// For each node that something in use by itself keeps in use, one node that keeps it, one step nearer to there.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// [`NodeIx`] of that node; the node itself for a root, and [`NONE`] where no root leads.
    keepers: Vec<u32>,
}

/// No node.
const NONE: u32 = u32::MAX;

impl Roots {
    /// Looks at the whole graph.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(graph: &Graph, cancel: &Cancel) -> Result<Self, Cancelled> {
        let mut kept: Vec<(u32, u32)> = Vec::new();
        let nodes = graph.nodes().map(|node| node.0 as usize + 1).max().unwrap_or_default();
        let mut keepers = vec![NONE; nodes];
        let mut open: VecDeque<u32> = VecDeque::new();
        for (index, node) in graph.nodes().enumerate() {
            if index % 1_024 == 0 {
                cancel.check()?;
            }
            let by = supporters(graph, node);
            if by.is_empty()
                && let Some(keeper) = keepers.get_mut(node.0 as usize)
            {
                *keeper = node.0;
                open.push_back(node.0);
            }
            kept.extend(by.into_iter().map(|by| (by.0, node.0)));
        }
        kept.sort_unstable();
        while let Some(node) = open.pop_front() {
            let start = kept.partition_point(|(by, _)| *by < node);
            for (_, next) in kept[start..].iter().take_while(|(by, _)| *by == node) {
                if let Some(keeper) = keepers.get_mut(*next as usize).filter(|keeper| **keeper == NONE) {
                    *keeper = node;
                    open.push_back(*next);
                }
            }
        }
        Ok(Self { keepers })
    }

    /// Returns whether the known way from a root to the node is without `removed` nodes, so that the node stays in use.
    fn keep_without(&self, node: NodeIx, removed: &FxHashSet<NodeIx>) -> bool {
        let mut at = node.0;
        loop {
            match self.keepers.get(at as usize) {
                None | Some(&NONE) => return false,
                Some(_) if removed.contains(&NodeIx(at)) => return false,
                Some(&keeper) if keeper == at => return true,
                Some(&keeper) => at = keeper,
            }
        }
    }
}

/// Returns the nodes that nothing keeps in use once `removed` is gone, but something did before. A group of nodes that
/// only keep each other is out of use.
///
/// Searches what the removed nodes lead to, but not beyond nodes that `roots` shows to stay in use; stops incomplete
/// when that is more than `max_nodes`.
///
/// # Errors
/// [`Cancelled`].
pub fn orphans(
    graph: &Graph,
    roots: &Roots,
    removed: &FxHashSet<NodeIx>,
    max_nodes: usize,
    cancel: &Cancel,
) -> Result<Orphans, Cancelled> {
    // All that could die: each has a supporter among those before.
    let mut known = Known { graph, supporters: FxHashMap::default() };
    let mut region: FxHashSet<NodeIx> = FxHashSet::default();
    let mut open: Vec<NodeIx> = removed.iter().copied().collect();
    let mut incomplete = false;
    while let Some(node) = open.pop() {
        if region.len().is_multiple_of(256) {
            cancel.check()?;
        }
        for next in candidates(graph, node) {
            if removed.contains(&next)
                || region.contains(&next)
                || roots.keep_without(next, removed)
                || !known.keeps(node, next)
            {
                continue;
            }
            if region.len() >= max_nodes {
                incomplete = true;
                break;
            }
            region.insert(next);
            open.push(next);
        }
    }
    // Whoever has a supporter outside of the region lives, and keeps alive what it supports.
    let is_outside = |node: &NodeIx| !region.contains(node) && !removed.contains(node);
    let mut alive: Vec<NodeIx> = region.iter().copied().filter(|&node| known.of(node).iter().any(is_outside)).collect();
    for node in &alive {
        region.remove(node);
    }
    while let Some(node) = alive.pop() {
        for next in candidates(graph, node) {
            if region.contains(&next) && known.keeps(node, next) {
                region.remove(&next);
                alive.push(next);
            }
        }
        cancel.check()?;
    }
    let mut nodes: Vec<NodeIx> = region.into_iter().collect();
    sort(&mut nodes);
    Ok(Orphans { nodes, incomplete })
}

/// How a node breaks without some others.
#[derive(Debug, Clone, Copy)]
pub struct Break<'g> {
    /// Fewest edges from it to a removed node.
    pub hops: u32,
    /// The first of these edges: to the removed or broken node that it names.
    pub via: EdgeRef<'g>,
}

/// Returns the nodes that break without `removed`: they name one of them, or what a broken node exposes, by references
/// that are certain.
///
/// # Errors
/// [`Cancelled`].
pub fn find_broken<'g>(
    graph: &'g Graph,
    removed: &FxHashSet<NodeIx>,
    cancel: &Cancel,
) -> Result<FxHashMap<NodeIx, Break<'g>>, Cancelled> {
    let mut broken: FxHashMap<NodeIx, Break<'g>> = FxHashMap::default();
    let mut starts: Vec<NodeIx> = removed.iter().copied().collect();
    starts.sort_unstable();
    let mut open: VecDeque<(NodeIx, u32)> = starts.into_iter().map(|node| (node, 0)).collect();
    let mut followed: FxHashSet<NodeIx> = removed.clone();
    while let Some((node, hops)) = open.pop_front() {
        cancel.check()?;
        for edge in graph.in_edges(node).filter(|edge| edge.tier == EdgeTier::Certain) {
            let weights = weights::of(edge.relation);
            if !weights.names_signature || removed.contains(&edge.from) {
                continue;
            }
            broken.entry(edge.from).or_insert(Break { hops: hops + 1, via: edge });
            if weights.passes_signature && followed.insert(edge.from) {
                open.push_back((edge.from, hops + 1));
            }
        }
    }
    Ok(broken)
}

/// The supporters of the nodes that a search has met.
struct Known<'g> {
    graph: &'g Graph,
    supporters: FxHashMap<NodeIx, Vec<NodeIx>>,
}

impl Known<'_> {
    fn of(&mut self, node: NodeIx) -> &[NodeIx] {
        self.supporters.entry(node).or_insert_with(|| supporters(self.graph, node))
    }

    fn keeps(&mut self, by: NodeIx, node: NodeIx) -> bool {
        self.of(node).binary_search(&by).is_ok()
    }
}

/// Nodes that `node` may keep in use: a superset of those that have it among their [`supporters`].
fn candidates(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let mut all: Vec<NodeIx> = graph.out_edges(node).map(|edge| edge.to).collect();
    if holds_members(graph.kind(node)) {
        all.extend(members(graph, node));
    }
    all.extend(graph.parent(node));
    all.extend(graph.in_edges(node).map(|edge| edge.from).filter(|&from| graph.kind(from) == NodeKind::Impl));
    sort(&mut all);
    all
}

fn sort(nodes: &mut Vec<NodeIx>) {
    nodes.sort_unstable();
    nodes.dedup();
}

fn keeps(graph: &Graph, from: NodeIx, relation: Relation) -> bool {
    let is_use = relation.carries_change()
        && !matches!(relation, Relation::Imports | Relation::Documents | Relation::Overrides | Relation::Tests);
    is_use && graph.kind(from) != NodeKind::Impl && !graph.flags(from).has(NodeFlags::TEST)
}

fn overrides(graph: &Graph, node: NodeIx) -> bool {
    graph.out_edges(node).any(|edge| edge.relation == Relation::Overrides)
}

fn members(graph: &Graph, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
    graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to)
}

fn named_types(graph: &Graph, block: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
    let named = graph.out_edges(block).filter(|edge| edge.relation == Relation::References);
    named.map(|edge| edge.to).filter(|&to| is_type(graph.kind(to)))
}

fn is_type(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Class | NodeKind::Struct | NodeKind::Enum | NodeKind::Trait | NodeKind::Interface | NodeKind::Type
    )
}

fn holds_members(kind: NodeKind) -> bool {
    is_type(kind) || kind == NodeKind::Impl
}

fn is_definition(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::File
            | NodeKind::Directory
            | NodeKind::Module
            | NodeKind::Package
            | NodeKind::PackageMember
            | NodeKind::Concept
            | NodeKind::Custom
            | NodeKind::Config
            | NodeKind::Section
            | NodeKind::Route
    )
}
