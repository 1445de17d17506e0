//! Boxes in rows, so that edges lead down (Sugiyama's method): rows by the longest way from the top, an order within
//! the rows with few crossings, and places near what a box is joined with.
//!
//! Boxes are given in an order in which most edges lead forward. An edge that leads back is drawn upwards.

mod order;
mod place;

/// Rounds of ordering; the best order of all is kept.
const SWEEPS: usize = 16;
/// Free space between boxes of a row, between a box and an edge, and beside the picture.
const GAP: f64 = 28.0;
const EDGE_GAP: f64 = 12.0;
/// Free space between two rows, and what is added for each edge between them.
const ROW_GAP: f64 = 46.0;
const ROW_GAP_EDGE: f64 = 1.2;
const MAX_ROW_GAP: f64 = 120.0;
/// Free space around the content of a band, and above it for its name.
const BAND_GAP: f64 = 16.0;
/// Maximum number of bends over all edges; longer edges are straight beyond it.
const MAX_BENDS: usize = 20_000;

/// What is to be placed.
#[derive(Debug, Clone, Default)]
pub struct Boxes {
    /// Width and height of each box.
    pub sizes: Vec<(f64, f64)>,
    /// The band of each box, from the top; the same for all if there are no bands. Boxes of upper bands come first.
    pub bands: Vec<usize>,
    /// Source and target of each edge.
    pub edges: Vec<(usize, usize)>,
    /// Width that a row has at most, unless one box is wider.
    pub max_width: f64,
    /// Height of the name of a band, 0 without bands.
    pub band_header: f64,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rectangle {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rectangle {
    /// Its bottom.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Its middle from left to right.
    pub fn middle(&self) -> f64 {
        self.x + self.width / 2.0
    }
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placed {
    /// The boxes.
    pub boxes: Vec<Rectangle>,
    /// The way of each edge from its source: curves between the points of each pair, lines between the pairs. Empty for
    /// edges of a box to itself.
    pub routes: Vec<Vec<(f64, f64)>>,
    /// The bands that have boxes, with their numbers.
    pub bands: Vec<(usize, Rectangle)>,
    /// Width of the whole.
    pub width: f64,
    /// Height of the whole.
    pub height: f64,
}

/// A vertex of a row: a box, or a bend of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Vertex {
    width: f64,
    row: usize,
}

/// The boxes and bends in rows.
#[derive(Debug, Default)]
struct Rows {
    /// The boxes, then the bends.
    vertices: Vec<Vertex>,
    /// Vertices of each row, from left to right.
    rows: Vec<Vec<usize>>,
    /// For each vertex, those above and below that it is joined with.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// For each edge its vertices from the upper end to the lower.
    chains: Vec<Vec<usize>>,
}

/// Places boxes and edges.
pub fn rank(boxes: &Boxes) -> Placed {
    let edges: Vec<(usize, usize)> = boxes.edges.iter().map(|&(from, to)| (from.min(to), from.max(to))).collect();
    let row_of = split_wide(boxes, &assign_rows(boxes, &edges));
    let mut rows = build_rows(boxes, &edges, &row_of);
    order::reduce_crossings(&mut rows, SWEEPS);
    place::place(boxes, &rows)
}

fn count_boxes(boxes: &Boxes) -> usize {
    boxes.sizes.len()
}

fn band(boxes: &Boxes, at: usize) -> usize {
    boxes.bands.get(at).copied().unwrap_or_default()
}

/// The row of each box: below all that lead to it, and in its band.
fn assign_rows(boxes: &Boxes, edges: &[(usize, usize)]) -> Vec<usize> {
    let count = count_boxes(boxes);
    let (mut into, mut out) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for &(from, to) in edges.iter().filter(|(from, to)| from != to && *to < count) {
        into[to].push(from);
        out[from].push(to);
    }
    let mut by_band: Vec<usize> = (0..count).collect();
    // What is joined with nothing stands below the rest of its band.
    let is_alone = |at: usize| into[at].is_empty() && out[at].is_empty();
    by_band.sort_by_key(|at| (band(boxes, *at), is_alone(*at), *at));
    let mut rows = vec![0usize; count];
    let (mut base, mut last, mut current, mut alone, mut is_first) = (0, 0, None, None, true);
    let mut bases = vec![0; count];
    for &at in &by_band {
        let own = band(boxes, at);
        if current != Some(own) {
            base = if current.is_some() { last + 1 } else { 0 };
            is_first = true;
            (current, alone) = (Some(own), None);
        }
        if is_alone(at) {
            let row = *alone.get_or_insert(if last > base || !is_first { last + 1 } else { base });
            (rows[at], last) = (row, last.max(row));
            continue;
        }
        is_first = false;
        // Only what stands before it in this order has a row yet.
        let above = into[at].iter().filter(|from| band(boxes, **from) <= own).map(|from| rows[*from] + 1);
        rows[at] = above.max().unwrap_or(0).max(base);
        bases[at] = base;
        last = last.max(rows[at]);
    }
    // What nothing leads to stands right above what it leads to.
    for &at in by_band.iter().rev().filter(|at| into[**at].is_empty() && !is_alone(**at)) {
        if let Some(next) = out[at].iter().map(|to| rows[*to]).filter(|row| *row > rows[at]).min() {
            let end =
                by_band.iter().filter(|other| band(boxes, **other) == band(boxes, at)).map(|other| rows[*other]).max();
            rows[at] = (next - 1).min(end.unwrap_or(next)).max(bases[at]);
        }
    }
    rows
}

/// Splits rows that are too wide, and numbers the rows without gaps.
fn split_wide(boxes: &Boxes, row_of: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..row_of.len()).collect();
    let mut joined = vec![false; row_of.len()];
    for &(from, to) in boxes.edges.iter().filter(|(from, to)| from != to) {
        for end in [from, to] {
            if let Some(flag) = joined.get_mut(end) {
                *flag = true
            }
        }
    }
    // What is joined with nothing stands in the last rows of its row.
    order.sort_by_key(|at| (row_of[*at], !joined[*at], *at));
    let mut totals: std::collections::BTreeMap<usize, f64> = std::collections::BTreeMap::new();
    for at in &order {
        *totals.entry(row_of[*at]).or_default() += boxes.sizes[*at].0 + GAP;
    }
    let mut found = vec![0; row_of.len()];
    let (mut row, mut width, mut current) = (0usize, 0.0, None);
    for at in order {
        let own = boxes.sizes[at].0 + GAP;
        // Rows of the same length look better than a long one and a rest.
        let total = totals.get(&row_of[at]).copied().unwrap_or_default();
        let share = total / (total / boxes.max_width.max(1.0)).ceil().max(1.0);
        let is_new = current.is_some_and(|current| current != row_of[at]);
        let is_full = width > 0.0 && (width + own > boxes.max_width + GAP || width >= share);
        if is_new || is_full {
            row += 1;
            width = 0.0;
        }
        (current, width) = (Some(row_of[at]), width + own);
        found[at] = row;
    }
    found
}

fn build_rows(boxes: &Boxes, edges: &[(usize, usize)], row_of: &[usize]) -> Rows {
    let count = count_boxes(boxes);
    let mut rows = Rows::default();
    rows.vertices = (0..count).map(|at| Vertex { width: boxes.sizes[at].0, row: row_of[at] }).collect();
    let mut bends = 0;
    for &(a, b) in edges {
        let mut chain = Vec::new();
        if a != b && b < count && row_of[a] != row_of[b] {
            let (upper, lower) = if row_of[a] < row_of[b] { (a, b) } else { (b, a) };
            chain.push(upper);
            let between = row_of[lower] - row_of[upper] - 1;
            if bends + between <= MAX_BENDS {
                bends += between;
                for row in row_of[upper] + 1..row_of[lower] {
                    chain.push(rows.vertices.len());
                    rows.vertices.push(Vertex { width: 0.0, row });
                }
            }
            chain.push(lower);
        } else if a != b && b < count {
            // Boxes of one row, which a wide row or a circle leaves: joined below it.
            chain.extend([a, b]);
        }
        rows.chains.push(chain);
    }
    rows.above = vec![Vec::new(); rows.vertices.len()];
    rows.below = vec![Vec::new(); rows.vertices.len()];
    for chain in &rows.chains {
        for pair in chain.windows(2).filter(|pair| rows.vertices[pair[0]].row < rows.vertices[pair[1]].row) {
            rows.below[pair[0]].push(pair[1]);
            rows.above[pair[1]].push(pair[0]);
        }
    }
    let last = rows.vertices.iter().map(|vertex| vertex.row + 1).max().unwrap_or(0);
    rows.rows = vec![Vec::new(); last];
    for (at, vertex) in rows.vertices.iter().enumerate() {
        rows.rows[vertex.row].push(at);
    }
    rows
}
