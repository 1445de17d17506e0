//! Rows of a file that say much of the question in one line: an error, a comment, a literal.

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use m1nd_search::Query;
use rustc_hash::FxHashMap;

use super::SeekRow;
use crate::retrieval::lines::line_shares;

/// First rows whose lines are read.
const ROWS: usize = 60;
/// Logarithm of the factor for a line that has all of the question. Of 2, 3 and 4, the one with which most changed
/// functions are first on the rows of `fix_fit` from seven repositories: 31 of 77, against 26 without lines.
const WEIGHT: f64 = 3.0;
/// How much a line counts for what is not a function, constant or section: the lines of a type are those of its
/// members.
const OF_TYPE: f64 = 0.3;

/// Orders the rows of each file again. The best row of a file keeps the score of its best row, so that the order of
/// files does not change: between files, the words of whole files say more than a line.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn raise(snapshot: &Snapshot, text: &str, rows: &mut [SeekRow], cancel: &Cancel) -> Result<(), Cancelled> {
    let graph = snapshot.graph();
    let nodes: Vec<NodeIx> = rows.iter().take(ROWS).map(|row| row.node).collect();
    let shares = line_shares(snapshot, &Query::parse(text), &nodes, cancel)?;
    let raised = |row: &SeekRow| {
        let share = shares.get(&row.node).copied().unwrap_or_default();
        let weight = match graph.kind(row.node) {
            NodeKind::Function | NodeKind::Constant | NodeKind::Section => WEIGHT,
            _ => WEIGHT * OF_TYPE,
        };
        row.score * (weight * share).exp()
    };
    // Best score of each file, before and after.
    let mut files: FxHashMap<Option<NodeIx>, (f64, f64)> = FxHashMap::default();
    for row in rows.iter() {
        let (before, after) = files.entry(graph.file(row.node)).or_default();
        (*before, *after) = (before.max(row.score), after.max(raised(row)));
    }
    for row in rows.iter_mut().filter(|row| row.score > 0.0) {
        let (before, after) = files[&graph.file(row.node)];
        let score = raised(row) * before / after;
        (row.alone, row.score) = (row.alone * score / row.score, score);
    }
    let id = |row: &SeekRow| graph.id(row.node);
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b))));
    Ok(())
}
