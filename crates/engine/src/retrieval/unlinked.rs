//! What belongs together without a connection in the code, and what is connected without having been found.

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_graph::spread::{Spread, weight};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::activate::ActivateRow;
use crate::history::ProjectHistory;
use crate::snapshot::Snapshot;

/// Rows whose files are looked at.
const ROWS: usize = 50;
/// Rows of the answer that are read, the first ones.
pub(super) const ROWS_READ: usize = 2 * ROWS;
/// Pairs or nodes that are shown.
const SHOWN: usize = 10;
/// Files that changed together with one file, at most.
const PARTNERS: usize = 20;
/// Fewer common commits are chance.
const LEAST_COMMITS: u32 = 2;
/// Chance of a pattern that is still believed.
const LEAST_LIKELY: f64 = 0.01;
/// Nodes and edges of a file that are looked at.
const MEMBERS: usize = 2_000;
const EDGES: usize = 400;
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
    /// How regular it is, 0 to 1.
    pub strength: f64,
    /// The newest commits that touched both: short name and subject (text of the repository).
    pub evidence: Vec<(String, String)>,
}

/// A node that more of the found ones are connected with than its number of connections explains.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralHole {
    /// Which.
    pub node: NodeIx,
    /// Found nodes that it is connected with, most important first.
    pub neighbours: Vec<NodeIx>,
    /// How many there are.
    pub connected: usize,
    /// Of how many connections.
    pub of: usize,
    /// Sum over these neighbours of one over the logarithm of their connections (Adamic and Adar, "Friends and neighbors on
    /// the Web", 2003).
    pub score: f64,
    /// Chance of as many by accident, given its number of connections.
    pub p_value: f64,
}

/// Pairs of files that change together, without a connection in the code.
pub(super) fn ghost_edges(
    snapshot: &Snapshot,
    rows: &[ActivateRow],
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<Vec<GhostEdge>, Cancelled> {
    let graph = snapshot.graph();
    let mut files: Vec<NodeIx> = Vec::new();
    for row in rows.iter().take(ROWS) {
        files.extend(graph.file(row.node).filter(|file| !files.contains(file)));
    }
    let mut near: FxHashMap<NodeIx, FxHashSet<NodeIx>> = FxHashMap::default();
    let mut ghosts: Vec<GhostEdge> = Vec::new();
    for &file in &files {
        cancel.check()?;
        for partner in history.partners(graph.path(file), PARTNERS) {
            let row = &partner.partner;
            let Some(other) = graph.find_file(&partner.path) else { continue };
            let is_known = ghosts.iter().any(|ghost| ghost.source == other && ghost.target == file);
            if row.support < LEAST_COMMITS || row.p_value > LEAST_LIKELY || is_known {
                continue;
            }
            for end in [file, other] {
                near.entry(end).or_insert_with(|| connected_files(graph, end));
            }
            // Of a file with very many connections not all are looked at: the other one may tell.
            let is_connected = near[&file].contains(&other) || near[&other].contains(&file);
            if is_connected || !near[&file].is_disjoint(&near[&other]) {
                continue;
            }
            let other_history = row.file;
            let own: FxHashSet<String> = history
                .file(graph.path(file))
                .map(|file| file.commits().map(m1nd_history::Commit::name).collect())
                .unwrap_or_default();
            let common = other_history.commits().filter(|commit| own.contains(&commit.name()));
            let evidence = common.take(NAMED_COMMITS).map(|commit| {
                let name = commit.name();
                (name[..name.floor_char_boundary(12)].to_owned(), commit.subject.to_string())
            });
            ghosts.push(GhostEdge {
                source: file,
                target: other,
                commits: row.support,
                lift: row.lift,
                p_value: row.p_value,
                strength: row.score,
                evidence: evidence.collect(),
            });
        }
    }
    ghosts.sort_by(|a, b| {
        let ids = |ghost: &GhostEdge| (graph.id(ghost.source), graph.id(ghost.target));
        b.strength.total_cmp(&a.strength).then_with(|| ids(a).cmp(&ids(b)))
    });
    ghosts.truncate(SHOWN);
    Ok(ghosts)
}

/// Files that some edge of a file's code leads to or comes from.
fn connected_files(graph: &Graph, file: NodeIx) -> FxHashSet<NodeIx> {
    let mut found = FxHashSet::default();
    for node in graph.of_file(file).into_iter().take(MEMBERS) {
        let out = graph.out_edges(node).take(EDGES).filter(|edge| edge.relation != Relation::Contains);
        let into = graph.in_edges(node).take(EDGES).filter(|edge| edge.relation != Relation::Contains);
        let ends = out.map(|edge| edge.to).chain(into.map(|edge| edge.from));
        found.extend(ends.filter_map(|end| graph.file(end)).filter(|other| *other != file));
    }
    found
}

/// Nodes that are connected with the rows more than by chance and are no rows themselves.
pub(super) fn structural_holes(
    graph: &Graph,
    near: &Spread,
    rows: &[ActivateRow],
    total: f64,
    cancel: &Cancel,
) -> Result<Vec<StructuralHole>, Cancelled> {
    let active: FxHashSet<NodeIx> = rows.iter().take(ROWS).map(|row| row.node).collect();
    let shown: FxHashSet<NodeIx> = rows.iter().take(ROWS_READ).map(|row| row.node).collect();
    // Chance that one connection of a node ends at a row, if connections were drawn by weight (configuration model).
    let held: f64 =
        active.iter().map(|&node| neighbours(graph, node).iter().map(|(_, weight)| weight).sum::<f64>()).sum();
    let chance = (held / total.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let mut holes = Vec::new();
    for (index, node) in near.nodes.iter().map(|near| near.node).filter(|node| !shown.contains(node)).enumerate() {
        if index % 64 == 0 {
            cancel.check()?;
        }
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
        let score = with.iter().map(|&other| 1.0 / (neighbours(graph, other).len().max(2) as f64).ln()).sum();
        let connected = with.len();
        with.sort_by(|&a, &b| {
            graph.pagerank(b).total_cmp(&graph.pagerank(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
        });
        with.truncate(NAMED_NEIGHBOURS);
        holes.push(StructuralHole { node, neighbours: with, connected, of: connections.len(), score, p_value });
    }
    holes.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| graph.id(a.node).cmp(graph.id(b.node))));
    holes.truncate(SHOWN);
    Ok(holes)
}

fn neighbours(graph: &Graph, node: NodeIx) -> Vec<(NodeIx, f64)> {
    let out = graph.out_edges(node).take(EDGES).filter(|edge| edge.relation != Relation::Contains);
    let into = graph.in_edges(node).take(EDGES).filter(|edge| edge.relation != Relation::Contains);
    let ends = out.map(|edge| (edge.to, weight(&edge))).chain(into.map(|edge| (edge.from, weight(&edge))));
    let mut found: Vec<(NodeIx, f64)> = ends.filter(|(other, weight)| *other != node && *weight > 0.0).collect();
    found.sort_by_key(|(other, _)| *other);
    found.dedup_by_key(|(other, _)| *other);
    found
}

/// Chance of at least `hits` of `of` draws that each hit with `chance`.
pub(super) fn at_least(hits: usize, of: usize, chance: f64) -> f64 {
    if chance <= 0.0 || hits > of {
        return 0.0;
    }
    if chance >= 1.0 {
        return 1.0;
    }
    // The sum of the tail, term by term: each follows from the one before.
    let mut log_term = of as f64 * (1.0 - chance).ln();
    let mut below = 0.0;
    for hit in 0..hits {
        below += log_term.exp();
        log_term += ((of - hit) as f64 / (hit + 1) as f64).ln() + (chance / (1.0 - chance)).ln();
    }
    (1.0 - below).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn chances_of_draws() {
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((at_least(2, 2, 0.5) - 0.25).abs() < 1e-12);
        assert!((at_least(0, 5, 0.3) - 1.0).abs() < 1e-12);
        assert!((at_least(3, 3, 0.1) - 0.001).abs() < 1e-12);
        assert_eq!((at_least(1, 5, 0.0), at_least(3, 2, 0.5)), (0.0, 0.0));
    }
}
