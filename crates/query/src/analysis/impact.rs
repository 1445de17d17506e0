//! Impact of a change of a node.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation, is_within};
use m1nd_graph::reach::{self, Reach, ReachQuery, Reached, Side};
use m1nd_graph::{Graph, NodeFlags, NodeIx, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::why::{Hop, hop};
use crate::closure::{self, Closure, Known, Rows};
use m1nd_engine::Snapshot;

/// Members of the changed node that count as changed with it.
const MAX_MEMBERS: usize = 20_000;
/// Nodes that are followed before the search ends.
const MAX_FOLLOWED: usize = 200_000;
/// Overriding methods of each of them that come first.
const MAX_OVERRIDING: usize = 1_000;
/// Files listed.
const MAX_FILES: usize = 20;

/// Direction of dependencies to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Nodes that a change here can affect.
    #[default]
    Forward,
    /// Nodes that can affect this one.
    Reverse,
    /// Both.
    Both,
}

/// A question for the reach of a change.
#[derive(Debug, Clone)]
pub struct ImpactQuery {
    /// The changed node, including its members.
    pub node: NodeIx,
    /// Further changed nodes, such as the other files of a folder.
    pub also: Vec<NodeIx>,
    /// Direction.
    pub direction: Direction,
    /// Most edges from the node.
    pub max_hops: u32,
    /// Weaker rows are left out.
    pub min_strength: f64,
    /// Rows at or below this path only; `""` is the whole project. The paths to them may lead through other files.
    pub scope: String,
    /// No rows in tests.
    pub without_tests: bool,
    /// Most rows.
    pub max_rows: usize,
}

impl ImpactQuery {
    /// Dependents of this node with the usual bounds.
    pub fn new(node: NodeIx) -> Self {
        Self {
            node,
            also: Vec::new(),
            direction: Direction::Forward,
            max_hops: 5,
            min_strength: 0.01,
            scope: String::new(),
            without_tests: false,
            max_rows: 150,
        }
    }

    /// Returns whether it asks for rows of this node.
    pub fn lists(&self, graph: &Graph, node: NodeIx) -> bool {
        is_within(graph.path(node), &self.scope) && !(self.without_tests && graph.flags(node).has(NodeFlags::TEST))
    }
}

/// How a dependent is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImpactClass {
    /// It names the changed node, so that a new signature or name breaks it.
    Breaks,
    /// It may behave differently.
    Behaviour,
    /// It is test code.
    Test,
    /// It is text about the code.
    Doc,
}

impl ImpactClass {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::Behaviour => "behaviour",
            Self::Test => "test",
            Self::Doc => "doc",
        }
    }
}

/// One affected (or affecting) node.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactRow {
    /// The node.
    pub node: NodeIx,
    /// A dependent of the changed node; otherwise something that it depends on.
    pub dependent: bool,
    /// Fewest edges between.
    pub hops: u32,
    /// Chance that a change gets through, by a fixed table of relations: for ranking, not a measured rate.
    pub strength: f64,
    /// How it is affected.
    pub class: ImpactClass,
    /// Edges from this row's node to the changed one (for dependencies: from the changed node to this one).
    pub witness: Vec<Hop>,
}

/// The rows of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactFile {
    /// Its path.
    pub path: String,
    /// Number of rows in it, cut ones included.
    pub rows: usize,
    /// The least distance.
    pub hops: u32,
    /// The greatest strength.
    pub strength: f64,
    /// Test code.
    pub is_test: bool,
}

/// Impact of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactAnswer {
    /// Rows: direct code and tests first, then farther ones, then the rest; nearer before farther; by file, the
    /// stronger files and rows first.
    pub rows: Vec<ImpactRow>,
    /// Rows before the cap.
    pub total_rows: usize,
    /// Number of them one edge away.
    pub total_direct: usize,
    /// Number of them in tests.
    pub total_in_tests: usize,
    /// Sum of the strengths of all rows.
    pub total_strength: f64,
    /// The greatest distance of a row.
    pub max_hops_reached: u32,
    /// Files of all rows, the first [`MAX_FILES`] by strength.
    pub files: Vec<ImpactFile>,
    /// Files before the cap.
    pub total_files: usize,
    /// Paths of the files of all rows.
    pub reached: BTreeSet<String>,
    /// Members that count as changed with the node.
    pub members: usize,
    /// Whether the rows are all that there are.
    pub closure: Closure,
}

/// Returns the nodes that a change of a node can reach, or that can reach it.
///
/// # Errors
/// [`Cancelled`].
pub fn impact(snapshot: &Snapshot, query: &ImpactQuery, cancel: &Cancel) -> Result<ImpactAnswer, Cancelled> {
    let graph = snapshot.graph();
    let starts = all_parts(graph, query);
    let sides: &[Side] = match query.direction {
        Direction::Forward => &[Side::Dependents],
        Direction::Reverse => &[Side::Dependencies],
        Direction::Both => &[Side::Dependents, Side::Dependencies],
    };
    let mut all: Vec<Unranked<'_>> = Vec::new();
    let mut incomplete = starts.len() >= MAX_MEMBERS;
    let mut reaches = Vec::new();
    // Each side is followed on its own, since the two have no path in common.
    for &side in sides {
        let bounds =
            ReachQuery { side, max_hops: query.max_hops, min_strength: query.min_strength, max_nodes: MAX_FOLLOWED };
        let reach = reach::reach(graph, &starts, &bounds, cancel)?;
        incomplete |= reach.incomplete;
        reaches.push((side, reach));
    }
    for (index, (side, reach)) in reaches.iter().enumerate() {
        let listed = reach.rows.iter().filter(|row| query.lists(graph, row.node));
        all.extend(listed.map(|row| (index, *side, *row)));
    }
    // Sorted over both sides, so that the limit on rows drops the least important ones.
    sort_rows(graph, &starts, &mut all);
    let (files, reached) = files_of(graph, &all);
    // Only shown rows get a path as evidence; the tables make each step a look-up.
    let tables: Vec<FxHashMap<NodeIx, usize>> = reaches.iter().map(|(_, reach)| table_of(reach)).collect();
    let shown = all.iter().take(query.max_rows);
    let rows = shown.map(|(index, side, row)| {
        let steps = reaches[*index].1.witness_in(&tables[*index], row);
        describe(graph, *side, row, &steps)
    });
    let rows: Vec<ImpactRow> = rows.collect();
    let mut closure = closure::close(
        snapshot,
        &Known {
            node: query.node,
            starts: &starts,
            reaches: &reaches,
            max_hops: query.max_hops,
            rows: Rows::Callers,
            incomplete,
        },
    );
    let is_start: FxHashSet<NodeIx> = starts.iter().copied().collect();
    closure.leave_out_listed(|node, place| {
        let mut edges = graph.out_edges(node).filter(|edge| is_start.contains(&edge.to));
        edges.any(|edge| edge.tier == EdgeTier::Possible && edge.sites.iter().any(|site| site == place))
    });
    if !query.scope.is_empty() {
        closure.restrict(|file| is_within(file, &query.scope));
    }
    Ok(ImpactAnswer {
        rows,
        total_rows: all.len(),
        total_direct: all.iter().filter(|(_, _, row)| row.hops == 1).count(),
        total_in_tests: all.iter().filter(|(_, _, row)| graph.flags(row.node).has(NodeFlags::TEST)).count(),
        total_strength: all.iter().map(|(_, _, row)| row.strength).sum(),
        max_hops_reached: all.iter().map(|(_, _, row)| row.hops).max().unwrap_or(0),
        files,
        total_files: reached.len(),
        reached,
        members: starts.len().saturating_sub(1 + query.also.len()),
        closure,
    })
}

/// The changed nodes with their members.
fn all_parts(graph: &Graph, query: &ImpactQuery) -> Vec<NodeIx> {
    let mut starts = graph.with_parts(query.node, MAX_MEMBERS);
    for &node in &query.also {
        starts.extend(graph.with_parts(node, MAX_MEMBERS));
        if starts.len() >= MAX_MEMBERS {
            break;
        }
    }
    if !query.also.is_empty() {
        let mut seen = FxHashSet::default();
        starts.retain(|node| seen.insert(*node));
        starts.truncate(MAX_MEMBERS);
    }
    starts
}

type Unranked<'g> = (usize, Side, Reached<'g>);

fn table_of(reach: &Reach<'_>) -> FxHashMap<NodeIx, usize> {
    reach.rows.iter().enumerate().map(|(index, row)| (row.node, index)).collect()
}

/// Dependents before dependencies; code and tests of the `family` and one edge away first; then code, tests, other,
/// containers by distance.
fn rank(graph: &Graph, family: &FxHashSet<NodeIx>, row: &Unranked<'_>) -> (bool, bool, u8, u32) {
    let (_, side, reached) = row;
    let test = graph.flags(reached.node).has(NodeFlags::TEST);
    let group = match graph.kind(reached.node) {
        NodeKind::File => 4,
        NodeKind::Directory | NodeKind::Package | NodeKind::PackageMember => 5,
        NodeKind::Module | NodeKind::Impl => 3,
        NodeKind::Concept | NodeKind::Custom | NodeKind::Config | NodeKind::Section => 2,
        _ if test => 1,
        _ => 0,
    };
    let is_near = reached.hops == 1 || family.contains(&reached.node);
    (*side == Side::Dependencies, !is_near || group > 1, group, reached.hops)
}

/// By rank, then by file, so that the rows of a file stand together: the file with the strongest row first.
///
/// What overrides an overriding method must change with it as well, however far it is.
fn sort_rows(graph: &Graph, starts: &[NodeIx], rows: &mut [Unranked<'_>]) {
    let functions = starts.iter().filter(|&&start| graph.kind(start) == NodeKind::Function);
    let family = functions.flat_map(|&start| graph.list_overriding(start, MAX_OVERRIDING)).collect();
    let rank = |graph: &Graph, row: &Unranked<'_>| rank(graph, &family, row);
    let mut strongest = FxHashMap::default();
    let key = |row: &Unranked<'_>| (rank(graph, row), graph.file(row.2.node));
    for row in rows.iter() {
        let best: &mut f64 = strongest.entry(key(row)).or_default();
        *best = best.max(row.2.strength);
    }
    rows.sort_by_cached_key(|row| {
        // Strengths are not negative, and the bits of such numbers sort as the numbers do.
        let descending = |strength: f64| std::cmp::Reverse(strength.to_bits());
        let best = descending(strongest.get(&key(row)).copied().unwrap_or_default());
        (rank(graph, row), best, graph.path(row.2.node), descending(row.2.strength), graph.id(row.2.node))
    });
}

fn files_of(graph: &Graph, rows: &[Unranked<'_>]) -> (Vec<ImpactFile>, BTreeSet<String>) {
    let mut files: FxHashMap<NodeIx, ImpactFile> = FxHashMap::default();
    for (_, _, row) in rows {
        let Some(node) = graph.file(row.node) else { continue };
        let file = files.entry(node).or_insert_with(|| ImpactFile {
            path: graph.path(node).to_owned(),
            rows: 0,
            hops: row.hops,
            strength: row.strength,
            is_test: graph.flags(node).has(NodeFlags::TEST),
        });
        file.rows += 1;
        file.hops = file.hops.min(row.hops);
        file.strength = file.strength.max(row.strength);
    }
    let reached = files.values().map(|file| file.path.clone()).collect();
    let mut files: Vec<ImpactFile> = files.into_values().collect();
    files.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| a.path.cmp(&b.path)));
    files.truncate(MAX_FILES);
    (files, reached)
}

fn describe(graph: &Graph, side: Side, row: &Reached<'_>, steps: &[Reached<'_>]) -> ImpactRow {
    let mut witness: Vec<Hop> = steps.iter().map(|step| hop(graph, &step.via, true)).collect();
    if side == Side::Dependencies {
        witness.reverse();
    }
    ImpactRow {
        node: row.node,
        dependent: side == Side::Dependents,
        hops: row.hops,
        strength: row.strength,
        class: class(graph, side, row.node, steps),
        witness,
    }
}

/// `steps` lead from the affected node to the changed one (for dependencies: from the changed node to the affected
/// one).
fn class(graph: &Graph, side: Side, node: NodeIx, steps: &[Reached<'_>]) -> ImpactClass {
    if graph.flags(node).has(NodeFlags::TEST) {
        return ImpactClass::Test;
    }
    if steps.iter().any(|step| step.via.relation == Relation::Documents) {
        return ImpactClass::Doc;
    }
    // The affected node must name its neighbour, and all between must hand the neighbour's signature on.
    let mut relations = steps.iter().map(|step| (weights::of(step.via.relation), step.via.tier));
    let (first, between): (_, Vec<_>) = match side {
        Side::Dependents => (relations.next(), relations.collect()),
        Side::Dependencies => (relations.next_back(), relations.collect()),
    };
    let names = first.is_some_and(|(weights, tier)| weights.names_signature && tier == EdgeTier::Certain);
    let passes = between.iter().all(|(weights, tier)| weights.passes_signature && *tier == EdgeTier::Certain);
    if names && passes { ImpactClass::Breaks } else { ImpactClass::Behaviour }
}
