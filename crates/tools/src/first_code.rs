//! The code of the first rows of a search, so that a reader need not ask for it again.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_query::retrieval::{Excerpt, LineFinder};

/// Bytes of code in one answer.
const ALL_BYTES: usize = 2_800;
/// Bytes of the code of one row.
const ROW_BYTES: usize = 2_400;
/// With less room than this, a row shows its matching lines only.
const LEAST_BYTES: usize = 500;
/// First rows whose code may be shown.
const ROWS: usize = 3;
/// Share of the score of the first row that a row needs.
const LEAST_SHARE: f64 = 0.7;
/// What stands between lines that are not neighbours.
const GAP: &str = "…";

/// The code of some of the first rows, given each row's node and score: by row, `None` where it is not shown.
pub(crate) fn first_code(
    snapshot: &Snapshot,
    finder: &mut LineFinder<'_>,
    rows: &[(NodeIx, f64)],
) -> Vec<Option<String>> {
    let graph = snapshot.graph();
    let best = rows.first().map_or(0.0, |(_, score)| *score);
    let mut left = ALL_BYTES;
    let mut shown: Vec<NodeIx> = Vec::new();
    let overlaps = |one: NodeIx, other: NodeIx| {
        let ((a, b), (c, d)) = (graph.lines(one), graph.lines(other));
        graph.path(one) == graph.path(other) && a <= d && c <= b
    };
    let code = rows.iter().take(ROWS).map(|(node, score)| {
        let has_code = !matches!(graph.kind(*node), NodeKind::File | NodeKind::Section);
        // A test shows how code is used; only if it is what was looked for is its code wanted.
        let is_beside = graph.flags(*node).has(NodeFlags::TEST) && *node != rows[0].0;
        if !has_code || is_beside || left < LEAST_BYTES || *score < best * LEAST_SHARE {
            return None;
        }
        // A class and its method would show the same lines.
        if shown.iter().any(|other| overlaps(*node, *other)) {
            return None;
        }
        let text = write_excerpt(&finder.excerpt(*node, left.min(ROW_BYTES)))?;
        left = left.saturating_sub(text.len());
        shown.push(*node);
        Some(text)
    });
    code.collect()
}

/// Numbered lines, with a mark where some are left out.
fn write_excerpt(excerpt: &Excerpt) -> Option<String> {
    let last = excerpt.lines.last()?.line;
    let width = last.to_string().len();
    let mut text = String::new();
    let mut before = None;
    for line in &excerpt.lines {
        if before.is_some_and(|before: u32| before + 1 < line.line) {
            text.push_str(GAP);
            text.push('\n');
        }
        text.push_str(&format!("{:>width$}  {}\n", line.line, line.text));
        before = Some(line.line);
    }
    if !excerpt.is_whole && before.is_some_and(|before| before < excerpt.last) {
        text.push_str(GAP);
        text.push('\n');
    }
    Some(text)
}
