//! The routes of a perspective: all evidence around its focus, one route a target, ranked.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, ContentHash, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::candidates::{Evidence, Gathered, Viewpoint, of_query};
use super::family::Family;
use super::lens::Lens;
use super::links::Scale;
use super::matches::Matches;
use super::score::{Breakdown, Judge};
use super::state::Perspective;
use crate::kept::Kept;
use crate::retrieval::Dimension;

/// Maximum routes of a set.
pub const MAX_ROUTES: usize = 60;
/// Maximum routes of a set into one file.
const OF_FILE: usize = 4;
/// Sets of routes of a snapshot that are kept, some 30 kB each.
const KEPT: usize = 64;

/// A direction in which to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// `R_` and a hash of where it leads from and to: the same in every set, process and generation.
    pub id: String,
    /// Where it leads to.
    pub target: NodeIx,
    /// Kind of its strongest evidence.
    pub family: Family,
    /// Kinds of its other evidence, strongest first.
    pub also: Vec<Family>,
    /// 0 to 1.
    pub score: f64,
    /// What the score is made of.
    pub breakdown: Breakdown,
    /// Evidence by [`Dimension::ALL`], each 0 to 1, before the weights of the lens.
    pub dimensions: [f64; 4],
    /// Nodes from the focus to the target, each connected with the next; only the target if nothing connects them.
    pub path: Vec<NodeIx>,
    /// Its strongest evidence in words, with a place.
    pub reason: String,
}

/// Routes of a perspective on a snapshot, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RouteSet {
    /// The node at the centre; `None` at the start of a query alone, or if it is gone.
    pub focus: Option<NodeIx>,
    /// Id of a focus that is no longer in the graph: the routes are those of the query alone.
    pub gone: Option<String>,
    /// The routes.
    pub routes: Vec<Route>,
    /// Targets that were found, before the limits.
    pub found: usize,
    /// Edges or targets were left out by a limit.
    pub is_cut: bool,
}

impl RouteSet {
    /// The place of the route with this id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.routes.iter().position(|route| route.id == id)
    }

    /// Mean evidence of its first `count` routes, by [`Dimension::ALL`].
    pub fn dimensions(&self, count: usize) -> [f64; 4] {
        let shown = &self.routes[..self.routes.len().min(count)];
        let mean = |at: usize| shown.iter().map(|route| route.dimensions[at]).sum::<f64>() / shown.len().max(1) as f64;
        [mean(0), mean(1), mean(2), mean(3)]
    }
}

/// The routes of a perspective, kept with the snapshot. They depend on nothing but the arguments.
///
/// # Errors
/// [`Cancelled`].
pub fn routes(
    snapshot: &Snapshot,
    perspective: &Perspective,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<Arc<RouteSet>, Cancelled> {
    let kept = snapshot.derived_values().get_or_init(Kept::<RouteSet, KEPT>::default);
    // Everything that routes depend on; the page shown and the number of moves do not count.
    let Perspective { query, anchor, lens, steps, .. } = perspective;
    let key = format!("{:x} {anchor:?} {lens:?} {steps:?} {query}", history.map_or(0, ProjectHistory::state));
    kept.get_or(key, || find(snapshot, perspective, history, cancel))
}

/// The best match of a perspective's query inside of a file: where to look first.
///
/// # Errors
/// [`Cancelled`].
pub fn best_match_in(
    snapshot: &Snapshot,
    perspective: &Perspective,
    file: NodeIx,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<Option<NodeIx>, Cancelled> {
    let history = history.filter(|history| history.is_known());
    let matches = Matches::of(snapshot, &perspective.query, history, cancel)?;
    Ok(matches.best_in(snapshot.graph(), file))
}

/// Hash of what routes depend on besides the perspective, for [`Perspective::route_set_version`].
pub fn basis(snapshot: &Snapshot, history: Option<&ProjectHistory>) -> u64 {
    let history = history.map_or(0, ProjectHistory::state);
    ContentHash::of(format!("{} {history:x}", snapshot.generation()).as_bytes()).short()
}

fn find(
    snapshot: &Snapshot,
    perspective: &Perspective,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<RouteSet, Cancelled> {
    let graph = snapshot.graph();
    let history = history.filter(|history| history.is_known());
    let matches = Matches::of(snapshot, &perspective.query, history, cancel)?;
    let focus = perspective.focus().and_then(|id| graph.find(id));
    let Gathered { evidence, is_cut } = match focus {
        None => Gathered { evidence: of_query(graph, &matches), is_cut: false },
        Some(focus) => {
            let (lens, matches, scale) = (&perspective.lens, &*matches, Scale::of(graph, focus));
            Viewpoint { snapshot, history, lens, matches, focus, scale }.gather(cancel)?
        }
    };
    let judge = Judge::new(graph, perspective, focus, &matches);
    let mut routes = one_per_target(graph, focus, &perspective.lens, evidence, &judge);
    let found = routes.len();
    routes.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| graph.id(a.target).cmp(graph.id(b.target))));
    let mut of_file: FxHashMap<Option<NodeIx>, usize> = FxHashMap::default();
    routes.retain(|route| {
        let count = of_file.entry(graph.file(route.target)).or_default();
        *count += 1;
        *count <= OF_FILE
    });
    routes.truncate(MAX_ROUTES);
    let gone = perspective.focus().filter(|_| focus.is_none()).map(str::to_owned);
    let is_cut = is_cut || routes.len() < found;
    Ok(RouteSet { focus, gone, routes, found, is_cut })
}

/// The routes that the lens shows, in any order.
fn one_per_target(
    graph: &Graph,
    focus: Option<NodeIx>,
    lens: &Lens,
    evidence: Vec<Evidence>,
    judge: &Judge<'_>,
) -> Vec<Route> {
    let paths = lens.paths();
    let is_shown = |one: &Evidence| {
        Some(one.target) != focus
            && graph.kind(one.target) != NodeKind::Config
            && (lens.node_types.is_empty() || lens.node_types.contains(&graph.kind(one.target)))
            && (lens.families.is_empty() || lens.families.contains(&one.family))
            && paths.as_ref().is_none_or(|paths| paths.show(graph.path(one.target)))
            && one.strength * lens.weight(one.family.dimension()) > 0.0
    };
    let mut by_target: FxHashMap<NodeIx, Vec<Evidence>> = FxHashMap::default();
    for one in evidence.into_iter().filter(is_shown) {
        by_target.entry(one.target).or_default().push(one);
    }
    let worth = |one: &Evidence| one.strength * lens.weight(one.family.dimension());
    let route = |(target, mut all): (NodeIx, Vec<Evidence>)| {
        // An edge says more than a match: what connects them comes first, unless it is much weaker.
        let rank = |one: &Evidence| worth(one) + if one.path.len() > 1 { CONNECTED } else { 0.0 };
        all.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.family.cmp(&b.family)));
        let mut dimensions = [0.0f64; 4];
        for one in &all {
            let at = one.family.dimension() as usize;
            dimensions[at] = dimensions[at].max(one.strength.clamp(0.0, 1.0));
        }
        let coherence = all.iter().map(|one| one.coherence).fold(0.0, f64::max);
        let breakdown = judge.breakdown(target, &dimensions, coherence, all[0].family);
        let path = all.iter().filter(|one| one.path.len() > 1).max_by(|a, b| a.coherence.total_cmp(&b.coherence));
        let path = path.unwrap_or(&all[0]).path.clone();
        let mut also: Vec<Family> = Vec::new();
        for one in all.iter().filter(|one| one.family != all[0].family) {
            if !also.contains(&one.family) {
                also.push(one.family);
            }
        }
        let (family, reason) = (all[0].family, all.swap_remove(0).reason);
        let score = judge.score(&breakdown);
        Route { id: route_id(graph, focus, target), target, family, also, score, breakdown, dimensions, path, reason }
    };
    by_target.into_iter().map(route).collect()
}

/// Lead of evidence with a path over evidence without one, where the family of a route is chosen.
const CONNECTED: f64 = 0.3;

fn route_id(graph: &Graph, focus: Option<NodeIx>, target: NodeIx) -> String {
    let from = focus.map_or("", |focus| graph.id(focus));
    let hash = ContentHash::of(format!("{from}\n{}", graph.id(target)).as_bytes()).short();
    format!("R_{:08x}", hash as u32)
}

/// Hops of a route's target from the anchor, for the next [`Step`](super::Step): those of the way so far and of the
/// path, unless the target was passed before or is a neighbour of the anchor. A jump without a path counts as
/// [`JUMP_HOPS`].
pub fn hops_of(graph: &Graph, perspective: &Perspective, route: &Route) -> u32 {
    let Some(anchor) = perspective.anchor.as_deref() else { return 0 };
    let id = graph.id(route.target);
    if id == anchor {
        return 0;
    }
    let path = match route.path.len() {
        0 | 1 => JUMP_HOPS,
        nodes => u32::try_from(nodes - 1).unwrap_or(JUMP_HOPS),
    };
    let along = perspective.hops() + path;
    let before = perspective.steps.iter().filter(|step| step.node == id).map(|step| step.hops).min();
    let beside = graph.find(anchor).filter(|anchor| is_beside(graph, *anchor, route.target)).map(|_| 1);
    [Some(along), before, beside].into_iter().flatten().min().unwrap_or(along)
}

/// Hops that a jump to something that no path leads to counts as.
pub const JUMP_HOPS: u32 = 3;

/// Whether an edge connects two nodes, or one contains the other.
fn is_beside(graph: &Graph, a: NodeIx, b: NodeIx) -> bool {
    let has_edge = |from: NodeIx, to: NodeIx| graph.out_edges(from).any(|edge| edge.to == to);
    has_edge(a, b) || has_edge(b, a)
}

/// All dimensions with their words and a value each.
pub fn by_dimension(values: [f64; 4]) -> impl Iterator<Item = (Dimension, f64)> {
    Dimension::ALL.into_iter().zip(values)
}
