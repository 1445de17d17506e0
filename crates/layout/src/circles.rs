//! Packs circles that touch without overlap, linked ones near each other, and encloses them.
//!
//! The packing grows along its outline (Wang and others, "Visualization of large hierarchical data by circle packing",
//! 2006): a new circle touches two neighbours of the outline, and the outline is cut where it would overlap a third.
//! Here the place on the outline is the one nearest to the circles that the new one is linked with.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A circle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Circle {
    /// Centre.
    pub x: f64,
    /// Centre.
    pub y: f64,
    /// Radius.
    pub r: f64,
}

impl Circle {
    /// The circle where a unit circle's content lies inside this one.
    #[must_use]
    pub fn place(&self, inner: Circle) -> Circle {
        Circle { x: self.x + inner.x * self.r, y: self.y + inner.y * self.r, r: inner.r * self.r }
    }

    fn distance(&self, other: &Circle) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// Smallest radius, as a share of the largest of its siblings: small files stay visible, and the arithmetic exact.
const LEAST_SHARE: f64 = 1.0 / 24.0;
/// Free space around each circle, as a share of its radius.
const GAP: f64 = 0.06;
/// Share of the container that its content fills.
const FILL: f64 = 0.94;
/// Overlap that counts as touching. Radii are at most 1 here.
const SLACK: f64 = 1e-6;
/// How much earlier than its size says a circle is placed if all it is linked with is in place.
const LINK_BONUS: f64 = 2.0;
/// How far towards the middle of the packing a linked circle is drawn: 1 is next to those it is linked with.
const PULL: f64 = 0.8;
/// Circles of the outline in each direction among which the best place is looked for. That is the whole outline of
/// some 30,000 circles; the packing of more is less round.
const MAX_WALK: usize = 300;
/// Steps towards the smallest enclosing circle; the error is below 1 % after these.
const ENCLOSE_STEPS: usize = 100;

/// Packs siblings into the unit circle around the origin. `weights` are areas; `links` join two siblings by place, with
/// a weight. Links that name no sibling are ignored, weights that are not finite count as 0.
///
/// Takes about n·√n steps.
pub fn pack(weights: &[f64], links: &[(usize, usize, f64)]) -> Vec<Circle> {
    let mut packing = Packing::new(weights, links);
    let outline = packing.grow();
    let whole = packing.enclose(&outline);
    let scale = FILL / whole.r;
    let fit = |circle: &Circle| Circle {
        x: (circle.x - whole.x) * scale,
        y: (circle.y - whole.y) * scale,
        r: circle.r / (1.0 + GAP) * scale,
    };
    packing.circles.iter().map(fit).collect()
}

/// Radii from areas, between [`LEAST_SHARE`] and 1.
fn radii(weights: &[f64]) -> Vec<f64> {
    let clean = |weight: f64| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
    let most = weights.iter().copied().map(clean).fold(0.0, f64::max);
    let radius = |weight: f64| if most > 0.0 { (clean(weight) / most).sqrt().clamp(LEAST_SHARE, 1.0) } else { 1.0 };
    weights.iter().map(|weight| radius(*weight)).collect()
}

/// A circle that waits, by its priority.
#[derive(PartialEq)]
struct Waiting {
    priority: f64,
    circle: usize,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority).then_with(|| other.circle.cmp(&self.circle))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Packing {
    /// With the free space around them.
    circles: Vec<Circle>,
    is_placed: Vec<bool>,
    /// For each circle, those it is linked with, and the weights.
    linked: Vec<Vec<(usize, f64)>>,
    /// Sum of the weights of each.
    strength: Vec<f64>,
    /// Neighbours on the outline.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Where each touches the next.
    gaps: Vec<(f64, f64)>,
    /// The last one placed, which is on the outline.
    mark: usize,
}

impl Packing {
    fn new(weights: &[f64], links: &[(usize, usize, f64)]) -> Self {
        let count = weights.len();
        let circles = radii(weights).into_iter().map(|r| Circle { x: 0.0, y: 0.0, r: r * (1.0 + GAP) }).collect();
        let mut linked = vec![Vec::new(); count];
        let mut strength = vec![0.0; count];
        for &(a, b, weight) in links {
            if a < count && b < count && a != b && weight.is_finite() && weight > 0.0 {
                for (from, to) in [(a, b), (b, a)] {
                    linked[from].push((to, weight));
                    strength[from] += weight;
                }
            }
        }
        let (next, previous, gaps) = (vec![0; count], vec![0; count], vec![(0.0, 0.0); count]);
        Self { circles, is_placed: vec![false; count], linked, strength, next, previous, gaps, mark: 0 }
    }

    /// Places all circles and returns the outline.
    fn grow(&mut self) -> Vec<usize> {
        let count = self.circles.len();
        let mut heap: BinaryHeap<Waiting> =
            (0..count).map(|circle| Waiting { priority: self.circles[circle].r, circle }).collect();
        let mut placed_strength = vec![0.0; count];
        let mut first: Vec<usize> = Vec::new();
        while let Some(Waiting { circle, .. }) = heap.pop() {
            // It waits once more for each circle placed that it is linked with.
            if self.is_placed[circle] {
                continue;
            }
            match first.len() {
                0..3 => {
                    first.push(circle);
                    self.begin(&first);
                }
                _ => self.insert(circle),
            }
            self.is_placed[circle] = true;
            for at in 0..self.linked[circle].len() {
                let (other, weight) = self.linked[circle][at];
                if !self.is_placed[other] {
                    placed_strength[other] += weight;
                    let share = placed_strength[other] / self.strength[other];
                    let priority = self.circles[other].r * (1.0 + LINK_BONUS * share);
                    heap.push(Waiting { priority, circle: other });
                }
            }
        }
        if first.len() < 3 { first } else { self.on_outline().collect() }
    }

    /// Places the first circles, at most three.
    fn begin(&mut self, first: &[usize]) {
        match *first {
            [a, b] => {
                self.circles[a].x = -self.circles[b].r;
                self.circles[b].x = self.circles[a].r;
            }
            [a, b, c] => {
                self.touch(b, a, c);
                for (left, right) in [(a, b), (b, c), (c, a)] {
                    self.join(left, right);
                }
                self.mark = c;
            }
            _ => {}
        }
    }

    fn join(&mut self, left: usize, right: usize) {
        self.next[left] = right;
        self.previous[right] = left;
        let (a, b) = (&self.circles[left], &self.circles[right]);
        let share = a.r / (a.r + b.r);
        self.gaps[left] = (a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share);
    }

    /// Moves `c` to where it touches `a` and `b`, outside of the outline.
    fn touch(&mut self, b: usize, a: usize, c: usize) {
        let (a, b, r) = (self.circles[a], self.circles[b], self.circles[c].r);
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let d2 = dx * dx + dy * dy;
        let (a2, b2) = ((a.r + r).powi(2), (b.r + r).powi(2));
        let circle = &mut self.circles[c];
        if d2 <= 0.0 {
            (circle.x, circle.y) = (a.x + a.r + r, a.y);
        } else if a2 > b2 {
            let x = (d2 + b2 - a2) / (2.0 * d2);
            let y = (b2 / d2 - x * x).max(0.0).sqrt();
            (circle.x, circle.y) = (b.x - x * dx - y * dy, b.y - x * dy + y * dx);
        } else {
            let x = (d2 + a2 - b2) / (2.0 * d2);
            let y = (a2 / d2 - x * x).max(0.0).sqrt();
            (circle.x, circle.y) = (a.x + x * dx - y * dy, a.y + x * dy + y * dx);
        }
    }

    fn overlaps(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.circles[a], &self.circles[b]);
        let (dx, dy, near) = (a.x - b.x, a.y - b.y, a.r + b.r - SLACK);
        near > 0.0 && near * near > dx * dx + dy * dy
    }

    /// Inserts a circle at the outline, as near to its aim as it fits.
    fn insert(&mut self, circle: usize) {
        let (mut a, mut b) = self.nearest_gap(self.aim(circle));
        // Each turn cuts a part of the outline off, so it ends.
        loop {
            self.touch(a, b, circle);
            match self.find_overlap(a, b, circle) {
                None => break,
                Some(Side::After(found)) => b = found,
                Some(Side::Before(found)) => a = found,
            }
            self.join(a, b);
        }
        self.join(a, circle);
        self.join(circle, b);
        self.mark = circle;
    }

    /// The point that a circle is drawn to: the middle of those it is linked with, and of the packing.
    fn aim(&self, circle: usize) -> (f64, f64) {
        let (mut x, mut y, mut sum) = (0.0, 0.0, 0.0);
        for &(other, weight) in self.linked[circle].iter().filter(|(other, _)| self.is_placed[*other]) {
            x += self.circles[other].x * weight;
            y += self.circles[other].y * weight;
            sum += weight;
        }
        if sum > 0.0 { (x / sum * PULL, y / sum * PULL) } else { (0.0, 0.0) }
    }

    /// The outline in its direction, from the circle that was placed last.
    fn on_outline(&self) -> impl Iterator<Item = usize> + '_ {
        let mark = self.mark;
        let rest = std::iter::successors(Some(self.next[mark]), |&at| Some(self.next[at]));
        std::iter::once(mark).chain(rest.take_while(move |&at| at != mark))
    }

    /// The two neighbours of the outline that touch each other nearest to a point, among those around the circle that
    /// was placed last.
    fn nearest_gap(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let mut best = (self.mark, f64::INFINITY);
        let (mut after, mut before) = (self.mark, self.previous[self.mark]);
        for _ in 0..MAX_WALK {
            for at in [after, before] {
                let here = (self.gaps[at].0 - x).powi(2) + (self.gaps[at].1 - y).powi(2);
                if here < best.1 {
                    best = (at, here);
                }
            }
            if after == before || self.next[after] == before {
                break;
            }
            (after, before) = (self.next[after], self.previous[before]);
        }
        (best.0, self.next[best.0])
    }

    /// The circle of the outline that `circle`, placed between `a` and `b`, overlaps, searched in both directions at
    /// the same pace.
    fn find_overlap(&self, a: usize, b: usize, circle: usize) -> Option<Side> {
        let (mut after, mut before) = (self.next[b], self.previous[a]);
        let (mut walked_after, mut walked_before) = (self.circles[b].r, self.circles[a].r);
        loop {
            if walked_after <= walked_before {
                if self.overlaps(after, circle) {
                    return Some(Side::After(after));
                }
                walked_after += self.circles[after].r;
                after = self.next[after];
            } else {
                if self.overlaps(before, circle) {
                    return Some(Side::Before(before));
                }
                walked_before += self.circles[before].r;
                before = self.previous[before];
            }
            if after == self.next[before] {
                return None;
            }
        }
    }

    /// A circle around all, near the smallest one: its centre moves towards the farthest circle by smaller and smaller
    /// steps (Bădoiu and Clarkson). The outline decides, all are checked.
    fn enclose(&self, outline: &[usize]) -> Circle {
        let Some(&first) = outline.first() else { return Circle { x: 0.0, y: 0.0, r: 1.0 } };
        let mut whole = Circle { r: 0.0, ..self.circles[first] };
        for step in 1..=ENCLOSE_STEPS {
            let reach = |at: &usize| whole.distance(&self.circles[*at]) + self.circles[*at].r;
            let Some(farthest) = outline.iter().max_by(|a, b| reach(a).total_cmp(&reach(b))) else { break };
            let (to, length) = (&self.circles[*farthest], whole.distance(&self.circles[*farthest]));
            if length > 0.0 {
                let share = (length + to.r) / length / (step as f64 + 1.0);
                whole.x += (to.x - whole.x) * share;
                whole.y += (to.y - whole.y) * share;
            }
        }
        whole.r = self.circles.iter().map(|circle| whole.distance(circle) + circle.r).fold(0.0, f64::max);
        whole
    }
}

/// Where on the outline a circle overlaps another.
enum Side {
    After(usize),
    Before(usize),
}
