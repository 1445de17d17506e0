//! Code that belongs together without a connection, and connected code that was not found.

use std::collections::hash_map::Entry;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_graph::spread::Spread;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::activate::ActivateRow;
use super::neighbours::neighbours;
use crate::chance::at_least;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Maximum rows whose files are examined.
const ROWS: usize = 50;
/// Rows of the answer that are read, the first ones.
pub(super) const ROWS_READ: usize = 2 * ROWS;
/// Pairs or nodes that are shown.
const SHOWN: usize = 10;
/// Files that changed together with one file, at most.
const PARTNERS: usize = 20;
/// Fewer common commits are chance, and those that touch many files are none of them.
const LEAST_COMMITS: u32 = 2;
/// Chance of a pattern that is still believed.
const LEAST_LIKELY: f64 = 0.01;
/// Pairs of a project that are examined.
const MAX_PAIRS: usize = 1_000;
/// Commits, and neighbours, named as evidence.
const NAMED_COMMITS: usize = 3;
const NAMED_NEIGHBOURS: usize = 3;

/// Two files that change together and are not connected in the code within two steps from file to file.
#[derive(Debug, Clone, PartialEq)]
pub struct GhostEdge {
    /// The file that is among the rows.
    pub source: NodeIx,
    /// The other one.
    pub target: NodeIx,
    /// Commits that touched both.
    pub commits: u32,
    /// Times more often than by chance.
    pub lift: f64,
    /// Chance of as many by accident.
    pub p_value: f64,
    /// Regularity, 0 to 1.
    pub strength: f64,
    /// The newest commits that touched both and few others: short name and subject (text of the repository).
    pub evidence: Vec<(String, String)>,
}

/// A node that more of the found ones are connected with than its number of connections explains.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralHole {
    /// The node.
    pub node: NodeIx,
    /// Found nodes that it is connected with, most important first.
    pub neighbours: Vec<NodeIx>,
    /// Total number.
    pub connected: usize,
    /// Number of all connections.
    pub of: usize,
    /// Sum over these neighbours of one over the logarithm of their connections (Adamic and Adar, "Friends and
    /// neighbors on the Web", 2003).
    pub score: f64,
    /// Chance of as many by accident, given its number of connections.
    pub p_value: f64,
}

/// The strongest rows of a kind, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Strongest<T> {
    /// The first ten.
    pub rows: Vec<T>,
    /// All.
    pub total: usize,
}

impl<T> Default for Strongest<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0 }
    }
}

impl<T> Strongest<T> {
    fn of(mut rows: Vec<T>) -> Self {
        let total = rows.len();
        rows.truncate(SHOWN);
        Self { rows, total }
    }
}

/// Pairs of files that change together, without a connection in the code.
pub(super) fn ghost_edges(
    snapshot: &Snapshot,
    rows: &[ActivateRow],
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<Strongest<GhostEdge>, Cancelled> {
    let graph = snapshot.graph();
    let mut files: Vec<NodeIx> = Vec::new();
    for row in rows.iter().take(ROWS) {
        files.extend(graph.file(row.node).filter(|file| !files.contains(file)));
    }
    Ok(Strongest::of(ghosts_of(snapshot, &files, history, cancel)?))
}

/// All pairs of files that change together without a connection in the code: of one file, or of the project, there
/// among the 1,000 pairs least likely to be chance. Strongest first.
///
/// # Errors
/// [`Cancelled`].
pub fn ghost_pairs(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    of: Option<NodeIx>,
    cancel: &Cancel,
) -> Result<Vec<GhostEdge>, Cancelled> {
    let graph = snapshot.graph();
    let mut files: Vec<NodeIx> = Vec::new();
    match of {
        Some(node) => files.extend(graph.file(node)),
        None => {
            let mut seen: FxHashSet<NodeIx> = FxHashSet::default();
            for (root, loaded) in history.list_loaded() {
                for pair in loaded.history().together_pairs(LEAST_COMMITS, MAX_PAIRS) {
                    let file = graph.find_file(&format!("{root}{}", pair.a.path()));
                    files.extend(file.filter(|file| seen.insert(*file)));
                }
            }
        }
    }
    ghosts_of(snapshot, &files, history, cancel)
}

fn ghosts_of(
    snapshot: &Snapshot,
    files: &[NodeIx],
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<Vec<GhostEdge>, Cancelled> {
    let graph = snapshot.graph();
    let mut seen: FxHashSet<(NodeIx, NodeIx)> = FxHashSet::default();
    let mut near: FxHashMap<NodeIx, FxHashSet<NodeIx>> = FxHashMap::default();
    let mut ghosts: Vec<GhostEdge> = Vec::new();
    for &file in files {
        for partner in history.partners(graph.path(file), PARTNERS) {
            let row = &partner.partner;
            let Some(other) = graph.find_file(&partner.path) else { continue };
            // Each pair once, and only if chance does not explain it.
            let is_known = !seen.insert((file.min(other), file.max(other)));
            if row.focused < LEAST_COMMITS || row.p_value > LEAST_LIKELY || is_known {
                continue;
            }
            // Code that connects them, also over one file in between, explains it as well.
            for end in [file, other] {
                if let Entry::Vacant(place) = near.entry(end) {
                    place.insert(connected_files(graph, end, cancel)?);
                }
            }
            if near[&file].contains(&other) || !near[&file].is_disjoint(&near[&other]) {
                continue;
            }
            ghosts.push(GhostEdge {
                source: file,
                target: other,
                commits: row.support,
                lift: row.lift,
                p_value: row.p_value,
                strength: row.score,
                evidence: common_commits(history, graph.path(file), row.file),
            });
        }
    }
    ghosts.sort_by(|a, b| {
        let ids = |ghost: &GhostEdge| (graph.id(ghost.source), graph.id(ghost.target));
        b.strength.total_cmp(&a.strength).then_with(|| ids(a).cmp(&ids(b)))
    });
    Ok(ghosts)
}

/// The newest commits that touched the file of a path, another one and few more: short name and subject.
fn common_commits(history: &ProjectHistory, path: &str, other: m1nd_history::FileHistory<'_>) -> Vec<(String, String)> {
    let own = history.file(path);
    let own: FxHashSet<String> = own.iter().flat_map(|file| file.commits().map(m1nd_history::Commit::name)).collect();
    let common = other.commits().filter(|commit| commit.is_focused() && own.contains(&commit.name()));
    let named = common.take(NAMED_COMMITS).map(|commit| {
        let name = commit.name();
        (name[..name.floor_char_boundary(12)].to_owned(), commit.subject.to_string())
    });
    named.collect()
}

/// Files connected with a file's code by any edge: all of them, because others are reported as unconnected.
fn connected_files(graph: &Graph, file: NodeIx, cancel: &Cancel) -> Result<FxHashSet<NodeIx>, Cancelled> {
    let mut found = FxHashSet::default();
    for node in graph.of_file(file) {
        cancel.check()?;
        let out = graph.out_edges(node).filter(|edge| edge.relation.is_structure());
        let into = graph.in_edges(node).filter(|edge| edge.relation.is_structure());
        let ends = out.map(|edge| edge.to).chain(into.map(|edge| edge.from));
        found.extend(ends.filter_map(|end| graph.file(end)).filter(|other| *other != file));
    }
    Ok(found)
}

/// Nodes that are connected with the rows more than by chance and are no rows themselves.
pub(super) fn structural_holes(
    graph: &Graph,
    near: &Spread,
    rows: &[ActivateRow],
    total: f64,
    cancel: &Cancel,
) -> Result<Strongest<StructuralHole>, Cancelled> {
    let active: FxHashSet<NodeIx> = rows.iter().take(ROWS).map(|row| row.node).collect();
    let shown: FxHashSet<NodeIx> = rows.iter().take(ROWS_READ).map(|row| row.node).collect();
    // Connections of the rows: how many, and their weight.
    let (mut degrees, mut held) = (FxHashMap::default(), 0.0);
    for &row in rows.iter().take(ROWS).map(|row| &row.node) {
        let connections = neighbours(graph, row);
        held += connections.iter().map(|(_, weight)| weight).sum::<f64>();
        degrees.insert(row, connections.len());
    }
    // Chance that one connection of a node ends at a row, if connections were drawn by weight (configuration model).
    let chance = (held / total.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let mut holes = Vec::new();
    for node in near.nodes.iter().map(|near| near.node).filter(|node| !shown.contains(node)) {
        cancel.check()?;
        if matches!(graph.kind(node), NodeKind::File | NodeKind::Directory) || graph.kind(node).is_outside() {
            continue;
        }
        let connections = neighbours(graph, node);
        let mut with: Vec<NodeIx> =
            connections.iter().map(|(other, _)| *other).filter(|other| active.contains(other)).collect();
        if with.len() < 2 {
            continue;
        }
        let p_value = at_least(with.len(), connections.len(), chance);
        if p_value > LEAST_LIKELY {
            continue;
        }
        let score = with.iter().map(|other| 1.0 / (degrees[other].max(2) as f64).ln()).sum();
        let connected = with.len();
        with.sort_by(|&a, &b| {
            graph.pagerank(b).total_cmp(&graph.pagerank(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
        });
        with.truncate(NAMED_NEIGHBOURS);
        holes.push(StructuralHole { node, neighbours: with, connected, of: connections.len(), score, p_value });
    }
    holes.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    Ok(Strongest::of(holes))
}
