//! The order within rows: each vertex goes to the mean place of those that it is joined with, row by row, down and up.

use super::Rows;

/// Vertices of the largest picture whose crossings are counted; larger ones keep the order of the last sweep.
const MAX_COUNTED: usize = 20_000;

/// Orders the rows.
pub(super) fn reduce_crossings(rows: &mut Rows, sweeps: usize) {
    let mut best = (count_crossings(rows), rows.rows.clone());
    for sweep in 0..sweeps {
        let is_down = sweep % 2 == 0;
        let count = rows.rows.len();
        for step in 1..count {
            let row = if is_down { step } else { count - 1 - step };
            sort_row(rows, row, is_down);
        }
        let crossings = count_crossings(rows);
        if crossings < best.0 {
            best = (crossings, rows.rows.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    rows.rows = best.1;
}

/// For each vertex its place in its row.
pub(super) fn places(rows: &Rows) -> Vec<usize> {
    let mut places = vec![0; rows.vertices.len()];
    for row in &rows.rows {
        row.iter().enumerate().for_each(|(place, at)| places[*at] = place);
    }
    places
}

fn sort_row(rows: &mut Rows, row: usize, is_down: bool) {
    let places = places(rows);
    let joined = if is_down { &rows.above } else { &rows.below };
    // Vertices that are joined with nothing keep their place.
    let mean = |at: usize| match joined[at].len() {
        0 => places[at] as f64,
        count => joined[at].iter().map(|other| places[*other] as f64).sum::<f64>() / count as f64,
    };
    let mut keyed: Vec<(f64, usize)> = rows.rows[row].iter().map(|at| (mean(*at), *at)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(places[a.1].cmp(&places[b.1])));
    rows.rows[row] = keyed.into_iter().map(|(_, at)| at).collect();
}

/// Number of pairs of edges between neighbouring rows that cross.
fn count_crossings(rows: &Rows) -> usize {
    if rows.vertices.len() > MAX_COUNTED {
        return 1;
    }
    let places = places(rows);
    let mut crossings = 0;
    for row in &rows.rows {
        // The lower ends in the order of the upper ones; each inversion is a crossing. Counted by a binary tree of
        // partial sums.
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for at in row {
            ends.extend(rows.below[*at].iter().map(|below| (places[*at], places[*below])));
        }
        ends.sort_unstable();
        let size = ends.iter().map(|(_, below)| below + 1).max().unwrap_or(0);
        let mut sums = vec![0usize; size + 1];
        for (seen, (_, below)) in ends.iter().enumerate() {
            let (mut at, mut to_the_left) = (below + 1, 0);
            while at > 0 {
                to_the_left += sums[at];
                at &= at - 1;
            }
            crossings += seen - to_the_left;
            let mut at = below + 1;
            while at <= size {
                sums[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
    }
    crossings
}
