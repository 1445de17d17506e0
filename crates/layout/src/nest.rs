//! Circles inside circles: the layout of a whole tree.

use crate::circles::{Circle, pack};

/// Steps up a tree that are taken to lift one link; longer ways are dropped.
const MAX_LIFT: usize = 4_096;

/// A tree. A parent stands before its children, so there are no circles and nothing is recursed over.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The parent of each node. A node at the top has none; neither has one whose parent is not before it.
    pub parents: Vec<Option<usize>>,
    /// The area of each node among its siblings.
    pub weights: Vec<f64>,
}

impl Tree {
    /// The parent of a node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents.get(node).copied().flatten().filter(|parent| *parent < node)
    }

    /// The children of each node, and those at the top, in their order.
    pub fn children(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut children = vec![Vec::new(); self.parents.len()];
        let mut top = Vec::new();
        for node in 0..self.parents.len() {
            match self.parent(node) {
                Some(parent) => children[parent].push(node),
                None => top.push(node),
            }
        }
        (children, top)
    }
}

/// A link between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// Its weight.
    pub weight: f64,
}

/// The ancestors of two nodes, or they themselves, that are siblings; `None` if one contains the other.
pub fn lift(tree: &Tree, a: usize, b: usize) -> Option<(usize, usize)> {
    let (mut a, mut b) = (a, b);
    for _ in 0..MAX_LIFT {
        let (above_a, above_b) = (tree.parent(a), tree.parent(b));
        if a == b {
            return None;
        }
        if above_a == above_b {
            return Some((a, b));
        }
        // A parent has the smaller number, so the larger one is not above the other.
        if a > b { a = above_a? } else { b = above_b? }
    }
    None
}

/// Lays a tree out inside the circle `whole`. Links count between the siblings that contain their ends.
pub fn nest(tree: &Tree, links: &[Link], whole: Circle) -> Vec<Circle> {
    let count = tree.parents.len();
    let (children, top) = tree.children();
    // The place of each node among its siblings.
    let mut places = vec![0; count];
    for siblings in children.iter().chain([&top]) {
        for (place, node) in siblings.iter().enumerate() {
            places[*node] = place;
        }
    }
    // The links of each container; the last is the whole.
    let mut inner: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); count + 1];
    for link in links.iter().filter(|link| link.from < count && link.to < count) {
        if let Some((a, b)) = lift(tree, link.from, link.to) {
            let container = tree.parent(a).unwrap_or(count);
            inner[container].push((places[a], places[b], link.weight));
        }
    }
    inner.iter_mut().for_each(merge_links);
    // Containers come before their content.
    let mut circles = vec![Circle::default(); count];
    let fill = |siblings: &[usize], links: &[(usize, usize, f64)], container: Circle, circles: &mut [Circle]| {
        let weights: Vec<f64> =
            siblings.iter().map(|node| tree.weights.get(*node).copied().unwrap_or_default()).collect();
        for (node, circle) in siblings.iter().zip(pack(&weights, links)) {
            circles[*node] = container.place(circle);
        }
    };
    fill(&top, &inner[count], whole, &mut circles);
    for container in 0..count {
        if !children[container].is_empty() {
            let outer = circles[container];
            fill(&children[container], &inner[container], outer, &mut circles);
        }
    }
    circles
}

/// Makes all links of two siblings one, so that a packing has at most one for each pair.
fn merge_links(links: &mut Vec<(usize, usize, f64)>) {
    links.iter_mut().for_each(|(a, b, _)| (*a, *b) = (*a.min(b), *a.max(b)));
    links.sort_unstable_by_key(|(a, b, _)| (*a, *b));
    links.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 += next.2;
        }
        is_same
    });
}
