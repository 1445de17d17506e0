//! What two perspectives have in common.

use m1nd_graph::{Graph, NodeIx};

use super::routes::RouteSet;
use super::state::Perspective;

/// Routes of a perspective that count, the best.
pub const COMPARED_ROUTES: usize = 10;

/// A node that a perspective has been at, or leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The node.
    pub node: NodeIx,
    /// It is the anchor or a stop, and not only the target of a route.
    pub is_stop: bool,
}

/// Nodes of two perspectives, and their evidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Nodes of both, in the order of the first.
    pub shared: Vec<Held>,
    /// Nodes of the first alone.
    pub only_a: Vec<Held>,
    /// Nodes of the second alone.
    pub only_b: Vec<Held>,
    /// Mean evidence of the routes of both, by dimension.
    pub dimensions: [[f64; 4]; 2],
}

/// Compares two perspectives with their current routes.
pub fn compare(graph: &Graph, a: (&Perspective, &RouteSet), b: (&Perspective, &RouteSet)) -> Comparison {
    let (of_a, of_b) = (nodes(graph, a), nodes(graph, b));
    let has = |all: &[Held], one: &Held| all.iter().any(|other| other.node == one.node);
    let is_stop_of = |all: &[Held], one: &Held| all.iter().any(|other| other.node == one.node && other.is_stop);
    // Where one has been and the other only could go is not shared: it is of the one that has been there.
    let is_shared = |one: &&Held| has(&of_b, one) && one.is_stop == is_stop_of(&of_b, one);
    let is_only = |one: &&Held, others: &[Held]| !has(others, one) || one.is_stop && !is_stop_of(others, one);
    Comparison {
        shared: of_a.iter().filter(is_shared).copied().collect(),
        only_a: of_a.iter().filter(|one| is_only(one, &of_b)).copied().collect(),
        only_b: of_b.iter().filter(|one| is_only(one, &of_a)).copied().collect(),
        dimensions: [a.1.dimensions(COMPARED_ROUTES), b.1.dimensions(COMPARED_ROUTES)],
    }
}

/// Stops first, then targets.
fn nodes(graph: &Graph, (perspective, set): (&Perspective, &RouteSet)) -> Vec<Held> {
    let stops = perspective.stops().into_iter().filter_map(|id| graph.find(id));
    let mut nodes: Vec<Held> = stops.map(|node| Held { node, is_stop: true }).collect();
    for route in set.routes.iter().take(COMPARED_ROUTES) {
        if !nodes.iter().any(|known| known.node == route.target) {
            nodes.push(Held { node: route.target, is_stop: false });
        }
    }
    nodes
}
