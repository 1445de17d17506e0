//! Coordinates: every vertex as near as possible to the mean of those that it is joined with, in the order of its row.

use super::{BAND_GAP, Boxes, EDGE_GAP, GAP, MAX_ROW_GAP, Placed, ROW_GAP, ROW_GAP_EDGE, Rectangle, Rows, band};

/// Rounds down and up.
const ROUNDS: usize = 12;
/// Free space between two edges at a box.
const PORT_GAP: f64 = 14.0;
/// Free space at the corners of a box.
const CORNER: f64 = 10.0;

pub(super) fn place(boxes: &Boxes, rows: &Rows) -> Placed {
    let middles = place_across(rows);
    let heights: Vec<f64> = rows
        .rows
        .iter()
        .map(|row| row.iter().filter_map(|at| boxes.sizes.get(*at)).map(|size| size.1).fold(0.0, f64::max))
        .collect();
    let (tops, bands, height) = place_down(boxes, rows, &heights);
    // 1. Boxes, moved so that the leftmost edge is at the gap.
    let left =
        rows.vertices.iter().zip(&middles).map(|(vertex, x)| x - vertex.width / 2.0).fold(f64::INFINITY, f64::min);
    let shift = if left.is_finite() { GAP - left } else { 0.0 };
    let right = rows.vertices.iter().zip(&middles).map(|(vertex, x)| x + vertex.width / 2.0).fold(0.0, f64::max);
    let width = right + shift + GAP;
    let place = |(at, (own_width, own_height)): (usize, &(f64, f64))| {
        let row = rows.vertices[at].row;
        let y = tops[row] + (heights[row] - own_height) / 2.0;
        Rectangle { x: middles[at] + shift - own_width / 2.0, y, width: *own_width, height: *own_height }
    };
    let placed: Vec<Rectangle> = boxes.sizes.iter().enumerate().map(place).collect();
    // 2. Edges, at ports in the order of their other ends.
    let xs: Vec<f64> = middles.iter().map(|x| x + shift).collect();
    let ports = find_ports(rows, &placed, &xs);
    let mut routes = Vec::new();
    for (edge, chain) in rows.chains.iter().enumerate() {
        routes.push(route(boxes, rows, (edge, chain), (&placed, &xs, &ports), (&tops, &heights)));
    }
    // 3. Bands over the whole width.
    let frame = |(number, top, bottom): (usize, f64, f64)| {
        let (x, y) = (GAP / 2.0 - 2.0, top);
        (number, Rectangle { x, y, width: width - 2.0 * x, height: bottom - top })
    };
    Placed { boxes: placed, routes, bands: bands.into_iter().map(frame).collect(), width, height }
}

/// The top of each row, the bands with their tops and bottoms, and the height of all.
fn place_down(boxes: &Boxes, rows: &Rows, heights: &[f64]) -> (Vec<f64>, Vec<(usize, f64, f64)>, f64) {
    let has_bands = boxes.band_header > 0.0;
    let band_of = |row: usize| {
        let first = rows.rows[row].iter().find(|at| **at < boxes.sizes.len());
        first.map(|at| band(boxes, *at))
    };
    let mut tops = Vec::new();
    let mut bands: Vec<(usize, f64, f64)> = Vec::new();
    let mut y = GAP;
    for (row, height) in heights.iter().enumerate() {
        if row > 0 {
            let edges: usize = rows.rows[row - 1].iter().map(|at| rows.below[*at].len()).sum();
            y += (ROW_GAP + edges as f64 * ROW_GAP_EDGE).min(MAX_ROW_GAP);
        }
        if has_bands && let Some(own) = band_of(row) {
            if bands.last().is_none_or(|(last, ..)| *last != own) {
                y += if bands.is_empty() { 0.0 } else { BAND_GAP };
                bands.push((own, y, y));
                y += boxes.band_header + BAND_GAP / 2.0;
            }
            if let Some(last) = bands.last_mut() {
                last.2 = y + height + BAND_GAP
            }
        }
        tops.push(y);
        y += height;
    }
    let end = bands.last().map_or(y, |last| y.max(last.2));
    (tops, bands, end + GAP)
}

/// The middle of each vertex from left to right.
fn place_across(rows: &Rows) -> Vec<f64> {
    let mut middles = vec![0.0; rows.vertices.len()];
    // At first side by side, around 0.
    for row in &rows.rows {
        let wanted = vec![0.0; row.len()];
        settle(rows, row, &wanted, &mut middles);
    }
    for round in 0..ROUNDS * 2 {
        let is_down = round % 2 == 0;
        let count = rows.rows.len();
        for step in 0..count {
            let row = &rows.rows[if is_down { step } else { count - 1 - step }];
            let wanted: Vec<f64> = row.iter().map(|at| mean_of_joined(rows, *at, is_down, &middles)).collect();
            settle(rows, row, &wanted, &mut middles);
        }
    }
    middles
}

/// The mean of what a vertex is joined with above (below on the way up), else below, else its own place.
fn mean_of_joined(rows: &Rows, at: usize, is_down: bool, middles: &[f64]) -> f64 {
    let (first, second) = if is_down { (&rows.above, &rows.below) } else { (&rows.below, &rows.above) };
    let joined = if first[at].is_empty() { &second[at] } else { &first[at] };
    match joined.len() {
        0 => middles[at],
        count => joined.iter().map(|other| middles[*other]).sum::<f64>() / count as f64,
    }
}

/// Places a row so that the sum of the squared distances to what is wanted is the least that its order and widths
/// permit (pools of neighbours that touch).
fn settle(rows: &Rows, row: &[usize], wanted: &[f64], middles: &mut [f64]) {
    // Distances from the first vertex if all touch.
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (place, at) in row.iter().enumerate() {
        if place > 0 {
            let (before, own) = (&rows.vertices[row[place - 1]], &rows.vertices[*at]);
            let gap = if before.width == 0.0 && own.width == 0.0 { EDGE_GAP } else { GAP };
            offset += before.width / 2.0 + gap + own.width / 2.0;
        }
        offsets.push(offset);
    }
    // Mean and number of each pool.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (place, want) in wanted.iter().enumerate() {
        let mut pool = (want - offsets[place], 1usize);
        while let Some(&(mean, count)) = pools.last().filter(|(mean, _)| *mean > pool.0) {
            pools.pop();
            let total = count + pool.1;
            pool = ((mean * count as f64 + pool.0 * pool.1 as f64) / total as f64, total);
        }
        pools.push(pool);
    }
    let mut place = 0;
    for (mean, count) in pools {
        for _ in 0..count {
            middles[row[place]] = mean + offsets[place];
            place += 1;
        }
    }
}

/// Where each edge leaves its upper box and enters its lower one, from left to right.
fn find_ports(rows: &Rows, placed: &[Rectangle], xs: &[f64]) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); rows.chains.len()];
    let mut leaving: Vec<Vec<(f64, usize)>> = vec![Vec::new(); placed.len()];
    let mut entering = leaving.clone();
    for (edge, chain) in rows.chains.iter().enumerate() {
        if let [first, second, ..] = chain[..] {
            let (last, before) = (chain[chain.len() - 1], chain[chain.len() - 2]);
            leaving[first].push((xs[second], edge));
            // Edges in one row leave both boxes at the bottom.
            let is_flat = rows.vertices[first].row == rows.vertices[last].row;
            if is_flat { leaving[last].push((xs[before], edge)) } else { entering[last].push((xs[before], edge)) }
        }
    }
    for (lists, is_leaving) in [(&mut leaving, true), (&mut entering, false)] {
        for (at, list) in lists.iter_mut().enumerate() {
            list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let room = (placed[at].width - 2.0 * CORNER).max(0.0);
            let step = PORT_GAP.min(room / list.len().max(1) as f64);
            for (place, (_, edge)) in list.iter().enumerate() {
                let x = placed[at].middle() + (place as f64 - (list.len() as f64 - 1.0) / 2.0) * step;
                let is_upper = rows.chains[*edge].first() == Some(&at);
                if is_leaving && is_upper { ports[*edge].0 = x } else { ports[*edge].1 = x }
            }
        }
    }
    ports
}

type Places<'a> = (&'a [Rectangle], &'a [f64], &'a [(f64, f64)]);

/// The way of an edge from its source.
fn route(
    boxes: &Boxes,
    rows: &Rows,
    (edge, chain): (usize, &[usize]),
    (placed, xs, ports): Places<'_>,
    (tops, heights): (&[f64], &[f64]),
) -> Vec<(f64, f64)> {
    let (Some(&first), Some(&last)) = (chain.first(), chain.last()) else { return Vec::new() };
    let (start, end) = ports[edge];
    let mut points = vec![(start, placed[first].bottom())];
    for bend in chain.iter().filter(|at| **at >= placed.len()) {
        let row = rows.vertices[*bend].row;
        points.push((xs[*bend], tops[row]));
        points.push((xs[*bend], tops[row] + heights[row]));
    }
    if rows.vertices[first].row == rows.vertices[last].row {
        // Down to below the row, and up again.
        let below = placed[first].bottom().max(placed[last].bottom()) + ROW_GAP / 3.0;
        let middle = (start + end) / 2.0;
        points.extend([(middle, below), (middle, below)]);
        points.push((end, placed[last].bottom()));
    } else {
        points.push((end, placed[last].y));
    }
    if boxes.edges[edge].0 != first {
        points.reverse();
    }
    points
}
