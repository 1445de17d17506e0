//! Functions that only hand on: the function that does the work comes before them.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};

use super::SeekRow;

/// First rows that are looked at.
const ROWS: usize = 20;
/// Most lines of a function that only hands on.
const MAX_LINES: u32 = 6;
/// Lines of the function that does the work, relative to it.
const MIN_TIMES: u32 = 2;

/// Exchanges the places of a function that does nothing but call another one of its file, and of that one. A repair is
/// seldom made in the first.
pub(super) fn lift(snapshot: &Snapshot, rows: &mut [SeekRow]) {
    let graph = snapshot.graph();
    let mut is_changed = false;
    for at in 0..rows.len().min(ROWS) {
        let Some(worker) = find_worker(graph, rows[at].node) else { continue };
        let (score, alone) = (rows[at].score, rows[at].alone);
        let place = rows.iter().position(|row| row.node == worker);
        if let Some(place) = place.filter(|place| *place > at) {
            (rows[at].score, rows[at].alone) = (rows[place].score, rows[place].alone);
            (rows[place].score, rows[place].alone) = (score, alone);
            is_changed = true;
        }
    }
    if is_changed {
        let id = |row: &SeekRow| graph.id(row.node);
        rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b))));
    }
}

/// The only function of the project that a short function calls, if it is a longer one of the same file.
fn find_worker(graph: &Graph, node: NodeIx) -> Option<NodeIx> {
    let count_lines = |node: NodeIx| {
        let (first, last) = graph.lines(node);
        last.saturating_sub(first) + 1
    };
    let lines = count_lines(node);
    if graph.kind(node) != NodeKind::Function || lines > MAX_LINES {
        return None;
    }
    let calls = graph.out_edges(node).filter(|edge| edge.relation == Relation::Calls);
    let mut called = calls.filter(|edge| !graph.kind(edge.to).is_outside()).map(|edge| (edge.to, edge.tier));
    let (worker, tier) = called.next()?;
    let is_only = called.all(|(other, _)| other == worker);
    let is_worker = tier == EdgeTier::Certain
        && graph.kind(worker) == NodeKind::Function
        && graph.file(worker) == graph.file(node)
        && count_lines(worker) >= MIN_TIMES * lines;
    (is_only && is_worker).then_some(worker)
}
