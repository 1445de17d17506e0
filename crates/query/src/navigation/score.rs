//! The score of a route: five parts, each 0 to 1, summed by weights.

use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::candidates::graph_has;
use super::family::Family;
use super::lens::Lens;
use super::links::{Scale, links};
use super::matches::Matches;
use super::state::{Mode, Perspective};
use crate::retrieval::Dimension;

/// Earlier stops whose connections count as continuing the way, the last ones before the focus.
const EARLIER: usize = 3;
/// Edges of an earlier stop, or of the anchor, that are examined.
const EDGES: usize = 600;
/// Novelty of something in the file of a stop.
const SAME_FILE: f64 = 0.2;
/// Novelty of something in the folder of a stop.
const SAME_FOLDER: f64 = 0.9;
/// Nearness to the anchor of something in its folder.
const ANCHOR_FOLDER: f64 = 0.3;
/// Parts of continuity.
const FROM_EARLIER: f64 = 0.6;
const SAME_FAMILY: f64 = 0.2;
const FOCUS_FOLDER: f64 = 0.2;

/// Parts of the score of a route.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Breakdown {
    /// Strength of all that connects it with the focus and the query, by the weights of the lens.
    pub local_activation: f64,
    /// How sure the path to it is; 0 without a path.
    pub path_coherence: f64,
    /// How much of it the way has not seen.
    pub novelty: f64,
    /// How much it has to do with the query and, in anchored mode, with the anchor.
    pub anchor_relevance: f64,
    /// How much it goes on from earlier stops.
    pub continuity: f64,
}

/// Weights of the parts.
const WEIGHTS: Breakdown =
    Breakdown { local_activation: 0.35, path_coherence: 0.1, novelty: 0.2, anchor_relevance: 0.3, continuity: 0.05 };

impl Breakdown {
    /// Its parts with their names, in the order of answers.
    pub const fn parts(&self) -> [(&'static str, f64); 5] {
        [
            ("local_activation", self.local_activation),
            ("path_coherence", self.path_coherence),
            ("novelty", self.novelty),
            ("anchor_relevance", self.anchor_relevance),
            ("continuity", self.continuity),
        ]
    }
}

/// Judges targets for a perspective at its focus.
pub(super) struct Judge<'p> {
    graph: &'p Graph,
    lens: &'p Lens,
    matches: &'p Matches,
    focus: Option<NodeIx>,
    /// Anchor and stops that are in the graph.
    stops: Vec<NodeIx>,
    last_family: Option<Family>,
    /// What earlier stops connect with.
    earlier: FxHashMap<NodeIx, f64>,
    /// Nearness to the anchor; `None` unless the perspective is anchored.
    anchor: Option<(NodeIx, FxHashMap<NodeIx, f64>)>,
}

impl<'p> Judge<'p> {
    pub(super) fn new(
        graph: &'p Graph,
        perspective: &'p Perspective,
        focus: Option<NodeIx>,
        matches: &'p Matches,
    ) -> Self {
        let lens = &perspective.lens;
        let stops: Vec<NodeIx> = perspective.stops().into_iter().filter_map(|id| graph.find(id)).collect();
        let around = |node: NodeIx| {
            let scale = focus.map_or(Scale::Symbols, |focus| Scale::of(graph, focus));
            links(graph, node, scale, &Lens::default(), EDGES).links
        };
        let mut earlier: FxHashMap<NodeIx, f64> = FxHashMap::default();
        for stop in stops.iter().rev().filter(|stop| Some(**stop) != focus).take(EARLIER) {
            for link in around(*stop) {
                let known = earlier.entry(link.to).or_default();
                *known = known.max(link.strength);
            }
        }
        let anchor = perspective.anchor.as_deref().filter(|_| perspective.mode_effective() == Mode::Anchored);
        let anchor = anchor.and_then(|id| graph.find(id)).map(|anchor| {
            let mut near: FxHashMap<NodeIx, f64> = FxHashMap::default();
            for link in around(anchor) {
                let known = near.entry(link.to).or_default();
                *known = known.max(link.strength);
            }
            (anchor, near)
        });
        let last_family = perspective.steps.last().map(|step| step.family);
        Self { graph, lens, matches, focus, stops, last_family, earlier, anchor }
    }

    pub(super) fn breakdown(
        &self,
        target: NodeIx,
        dimensions: &[f64; 4],
        path_coherence: f64,
        family: Family,
    ) -> Breakdown {
        let none = Dimension::ALL
            .into_iter()
            .map(|dimension| 1.0 - dimensions[dimension as usize] * self.lens.weight(dimension))
            .product::<f64>();
        Breakdown {
            local_activation: 1.0 - none,
            path_coherence,
            novelty: self.novelty(target),
            anchor_relevance: self.anchor_relevance(target),
            continuity: self.continuity(target, family),
        }
    }

    /// The sum of the parts. Without a focus there is no path and no way: the other parts share their weights.
    pub(super) fn score(&self, parts: &Breakdown) -> f64 {
        let applies = |name: &str| self.focus.is_some() || !matches!(name, "path_coherence" | "continuity");
        let (mut sum, mut all) = (0.0, 0.0);
        for ((name, value), (_, weight)) in parts.parts().into_iter().zip(WEIGHTS.parts()) {
            if applies(name) {
                sum += value * weight;
                all += weight;
            }
        }
        sum / all
    }

    fn novelty(&self, target: NodeIx) -> f64 {
        let graph = self.graph;
        let of = |stop: &NodeIx| match () {
            () if *stop == target => 0.0,
            () if graph_has(graph, *stop, target) || graph_has(graph, target, *stop) => SAME_FILE,
            () if graph.file(*stop).is_some() && graph.file(*stop) == graph.file(target) => SAME_FILE,
            () if folder(graph.path(*stop)) == folder(graph.path(target)) => SAME_FOLDER,
            () => 1.0,
        };
        self.stops.iter().map(of).fold(1.0, f64::min)
    }

    fn anchor_relevance(&self, target: NodeIx) -> f64 {
        let query = self.matches.relevance(self.graph, target);
        let Some((anchor, near)) = &self.anchor else { return query };
        let beside = match () {
            () if *anchor == target => 1.0,
            () if folder(self.graph.path(*anchor)) == folder(self.graph.path(target)) => ANCHOR_FOLDER,
            () => 0.0,
        };
        let near = near.get(&target).copied().unwrap_or(0.0).max(beside);
        // Half of each, so that neither alone is everything.
        (query + near) / 2.0
    }

    fn continuity(&self, target: NodeIx, family: Family) -> f64 {
        let Some(focus) = self.focus else { return 0.0 };
        let earlier = self.earlier.get(&target).copied().unwrap_or(0.0);
        let same_family = f64::from(u8::from(self.last_family == Some(family)));
        let same_folder = f64::from(u8::from(folder(self.graph.path(focus)) == folder(self.graph.path(target))));
        FROM_EARLIER * earlier + SAME_FAMILY * same_family + FOCUS_FOLDER * same_folder
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
