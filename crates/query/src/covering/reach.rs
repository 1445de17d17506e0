//! Uses that lead from test code to changed code.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::TestEvidence;

/// Maximum uses from a test to the changed code, those inside of test code included.
const MAX_HOPS: u32 = 4;
/// Maximum nodes that are visited.
const MAX_VISITED: usize = 20_000;
/// Strength of uses of what contains a changed symbol: a test of the class may be one of the method.
const CONTAINER: f64 = 0.3;

/// How a test file reaches the changed code.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// Fewest uses.
    pub hops: u32,
    /// The highest strength of a way, 0 to 1: weak relations, possible edges and code that everything uses weaken it.
    pub strength: f64,
    /// The kind of the nearest use.
    pub evidence: TestEvidence,
    /// A way of certain edges leads there.
    pub is_certain: bool,
    /// Nodes of the file that reach it: nearest first, then strongest.
    pub nodes: Vec<NodeIx>,
    /// Sum over the changed nodes that the file uses directly of one over the number of test files that do.
    pub rarity: f64,
}

/// A node that is reached.
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: NodeIx,
    hops: u32,
    strength: f64,
    is_certain: bool,
    evidence: TestEvidence,
    /// The way leads through other test code.
    by_helper: bool,
}

/// Some nodes with their members, each once.
fn parts_of(graph: &Graph, changed: &[NodeIx]) -> Vec<NodeIx> {
    let mut seen = FxHashSet::default();
    let parts = |&node: &NodeIx| match graph.kind(node) {
        NodeKind::File => graph.of_file(node),
        _ => graph.with_parts(node, MAX_VISITED),
    };
    changed.iter().flat_map(parts).filter(|part| seen.insert(*part)).collect()
}

/// What contains some symbols: types, modules and files.
fn containers_of(graph: &Graph, changed: &[NodeIx], parts: &[NodeIx]) -> Vec<NodeIx> {
    let symbols = changed.iter().filter(|node| graph.kind(**node) != NodeKind::File);
    let is_container =
        |node: &NodeIx| !matches!(graph.kind(*node), NodeKind::Directory | NodeKind::Package) && !parts.contains(node);
    let mut containers: Vec<NodeIx> = symbols.flat_map(|node| graph.ancestors(*node)).filter(is_container).collect();
    containers.sort_unstable();
    containers.dedup();
    containers
}

/// Test files that reach some nodes, by their file.
pub(super) fn reached_files(graph: &Graph, changed: &[NodeIx]) -> FxHashMap<NodeIx, Reached> {
    let parts = parts_of(graph, changed);
    let mut files = files_of(graph, &visit(graph, &parts, MAX_HOPS));
    let containers = containers_of(graph, changed, &parts);
    for (file, reached) in files_of(graph, &visit(graph, &containers, 1)) {
        files.entry(file).or_insert_with(|| Reached {
            hops: reached.hops + 1,
            strength: CONTAINER * reached.strength,
            evidence: TestEvidence::Container,
            is_certain: false,
            rarity: 0.0,
            nodes: Vec::new(),
        });
    }
    files
}

fn files_of(graph: &Graph, (visits, users): &(Vec<Visit>, UsersOfStarts)) -> FxHashMap<NodeIx, Reached> {
    let mut files: FxHashMap<NodeIx, Reached> = FxHashMap::default();
    for visit in visits {
        let Some(file) = graph.file(visit.node) else { continue };
        let reached = files.entry(file).or_insert_with(|| Reached {
            hops: visit.hops,
            strength: 0.0,
            evidence: visit.evidence,
            is_certain: false,
            nodes: Vec::new(),
            rarity: 0.0,
        });
        if visit.strength > reached.strength && visit.hops == reached.hops {
            reached.evidence = visit.evidence;
        }
        reached.strength = reached.strength.max(visit.strength);
        reached.is_certain |= visit.is_certain;
        reached.nodes.push(visit.node);
    }
    for of_start in users.values() {
        let share = 1.0 / of_start.len().max(1) as f64;
        for file in of_start {
            if let Some(reached) = files.get_mut(file) {
                reached.rarity += share;
            }
        }
    }
    files
}

/// Nodes of test code that reach some nodes by uses, nearest first. A start that is test code is one of them.
pub fn test_nodes_reaching(graph: &Graph, starts: &[NodeIx]) -> Vec<NodeIx> {
    visit(graph, starts, MAX_HOPS).0.into_iter().map(|visit| visit.node).collect()
}

/// The test files that use each start directly.
type UsersOfStarts = FxHashMap<NodeIx, FxHashSet<NodeIx>>;

/// Visits of test code, level by level, the strongest of a level first.
fn visit(graph: &Graph, starts: &[NodeIx], max_hops: u32) -> (Vec<Visit>, UsersOfStarts) {
    let (mut found, mut users) = (Vec::new(), UsersOfStarts::default());
    let mut seen: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let start = |node: &NodeIx| Visit {
        node: *node,
        hops: 0,
        strength: 1.0,
        is_certain: true,
        evidence: TestEvidence::SameFile,
        by_helper: false,
    };
    let mut level: Vec<Visit> = starts.iter().map(start).collect();
    found.extend(level.iter().filter(|visit| is_test_code(graph, visit.node)).copied());
    for hops in 1..=max_hops {
        let mut next: FxHashMap<NodeIx, Visit> = FxHashMap::default();
        for at in &level {
            let edges: Vec<EdgeRef<'_>> =
                graph.in_edges(at.node).filter(is_use).chain(graph.dispatching(at.node)).collect();
            // Code that everything uses says little about any of its users.
            let spread = if hops == 1 { 1.0 } else { 1.0 / (edges.len().max(1) as f64).sqrt() };
            for edge in edges {
                if hops == 1
                    && let Some(file) = graph.file(edge.from).filter(|_| is_test_code(graph, edge.from))
                {
                    users.entry(at.node).or_default().insert(file);
                }
                if graph.kind(edge.from) == NodeKind::Package || seen.contains(&edge.from) {
                    continue;
                }
                let visit = step(graph, at, &edge, hops, spread);
                let known = next.entry(edge.from).or_insert(visit);
                known.is_certain |= visit.is_certain;
                if visit.strength > known.strength {
                    *known = Visit { is_certain: known.is_certain, ..visit };
                }
            }
        }
        seen.extend(next.keys().copied());
        level = next.into_values().collect();
        level.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| graph.compare_ids(a.node, b.node)));
        found.extend(level.iter().filter(|visit| is_test_code(graph, visit.node)).copied());
        if level.is_empty() || seen.len() >= MAX_VISITED {
            break;
        }
    }
    (found, users)
}

fn is_use(edge: &EdgeRef<'_>) -> bool {
    !matches!(edge.relation, Relation::Contains | Relation::Documents | Relation::RelatesTo)
}

/// Whether a node is part of test code in a file.
fn is_test_code(graph: &Graph, node: NodeIx) -> bool {
    graph.flags(node).has(NodeFlags::TEST) && !graph.path(node).is_empty()
}

/// The visit of the source of an edge.
fn step(graph: &Graph, at: &Visit, edge: &EdgeRef<'_>, hops: u32, spread: f64) -> Visit {
    let by_helper = at.by_helper || hops > 1 && is_test_code(graph, at.node);
    let evidence = match hops {
        1 => evidence_of(edge.relation),
        _ if by_helper => TestEvidence::Fixture,
        _ => TestEvidence::Reaches,
    };
    Visit {
        node: edge.from,
        hops,
        strength: at.strength * weights::change(edge) * spread,
        is_certain: at.is_certain && edge.tier == EdgeTier::Certain,
        evidence,
        by_helper,
    }
}

const fn evidence_of(relation: Relation) -> TestEvidence {
    match relation {
        Relation::Calls | Relation::Tests | Relation::Requests => TestEvidence::Calls,
        Relation::Imports | Relation::Reexports => TestEvidence::Imports,
        Relation::Registers | Relation::Decorates | Relation::Serves => TestEvidence::Registers,
        _ => TestEvidence::Uses,
    }
}
