//! The direct connections of a focus: of a file to files, of anything else to symbols.

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::spread::weight;
use m1nd_graph::{EdgeRef, Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::family::Family;
use super::lens::Lens;
use crate::calls::is_test;

/// Nodes inside of a focus whose edges are its own.
const MEMBERS: usize = 300;

/// What the nodes of routes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Files: edges between what is in them count as theirs.
    Files,
    /// Whatever the edges lead to.
    Symbols,
}

impl Scale {
    pub(super) fn of(graph: &Graph, focus: NodeIx) -> Self {
        if graph.kind(focus) == NodeKind::File { Self::Files } else { Self::Symbols }
    }

    /// The node of a route for a node; `None` for what is outside of the roots.
    pub(super) fn unit(self, graph: &Graph, node: NodeIx) -> Option<NodeIx> {
        match self {
            _ if graph.kind(node).is_outside() => None,
            Self::Files => graph.file(node),
            Self::Symbols => graph.file(node).map(|_| node),
        }
    }
}

/// An edge that a route rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Witness {
    pub(super) from: NodeIx,
    pub(super) to: NodeIx,
    pub(super) relation: Relation,
    pub(super) tier: EdgeTier,
    pub(super) of: u16,
    /// Its first place, in the file of `from`.
    pub(super) at: Option<Pos>,
}

impl Witness {
    pub(super) fn new(edge: &EdgeRef<'_>) -> Self {
        let EdgeRef { from, to, relation, tier, of, .. } = *edge;
        Self { from, to, relation, tier, of, at: edge.sites.first().filter(|pos| pos.line > 0) }
    }

    /// `a calls b (src/a.py:3)`.
    pub(super) fn text(&self, graph: &Graph) -> String {
        let verb = self.relation.word().replace('_', " ");
        let may = if self.tier == EdgeTier::Possible { "possibly " } else { "" };
        let place = match self.at {
            Some(at) => format!(" ({}:{})", graph.path(self.from), at.line),
            None => String::new(),
        };
        let of = if self.of > 1 { format!(", 1 of {} candidates", self.of) } else { String::new() };
        format!("`{}` {may}{verb} `{}`{place}{of}", graph.label(self.from), graph.label(self.to))
    }
}

/// A connection of a focus.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) to: NodeIx,
    pub(super) family: Family,
    /// 0 to 1: what all of its edges together are worth.
    pub(super) strength: f64,
    /// Number of its edges.
    pub(super) edges: usize,
    /// The strongest of them.
    pub(super) witness: Witness,
    pub(super) best: f64,
}

/// The connections of a focus, strongest first.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) links: Vec<Link>,
    /// It has more edges than were examined.
    pub(super) is_cut: bool,
}

/// Connections of a unit by edges that the lens shows, of which at most `most` are examined.
pub(super) fn links(graph: &Graph, unit: NodeIx, scale: Scale, lens: &Lens, most: usize) -> Links {
    let own = graph.with_members(unit, MEMBERS);
    let inside: FxHashSet<NodeIx> = own.iter().copied().collect();
    let mut found: FxHashMap<(NodeIx, Family), Link> = FxHashMap::default();
    let (mut seen, mut is_cut) = (0usize, own.len() >= MEMBERS);
    for &one in &own {
        let out = graph.out_edges(one).map(|edge| (edge, true));
        let into = graph.in_edges(one).map(|edge| (edge, false));
        for (edge, forward) in out.chain(into) {
            if seen == most {
                is_cut = true;
                break;
            }
            seen += 1;
            let other = if forward { edge.to } else { edge.from };
            let is_shown = shows(lens, &edge) && edge.relation != Relation::Contains;
            if !is_shown || inside.contains(&other) || graph.kind(other) == NodeKind::Config {
                continue;
            }
            if let Some(to) = scale.unit(graph, other).filter(|to| !inside.contains(to)) {
                add(graph, &mut found, to, (&edge, forward));
            }
        }
    }
    let mut links: Vec<Link> = found.into_values().collect();
    let id = |link: &Link| (graph.id(link.to), link.family);
    links.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| id(a).cmp(&id(b))));
    Links { links, is_cut }
}

/// Whether the lens shows an edge.
pub(super) fn shows(lens: &Lens, edge: &EdgeRef<'_>) -> bool {
    (lens.relations.is_empty() || lens.relations.contains(&edge.relation))
        && (lens.tiers.is_empty() || lens.tiers.contains(&edge.tier))
}

fn add(
    graph: &Graph,
    found: &mut FxHashMap<(NodeIx, Family), Link>,
    to: NodeIx,
    (edge, forward): (&EdgeRef<'_>, bool),
) {
    let worth = weight(edge);
    if worth <= 0.0 {
        return;
    }
    let family = family(graph, edge, forward);
    let witness = Witness::new(edge);
    let link = found.entry((to, family)).or_insert(Link { to, family, strength: 0.0, edges: 0, witness, best: 0.0 });
    // The order of edges does not depend on the run, so neither does the first of equals.
    if worth > link.best {
        (link.witness, link.best) = (witness, worth);
    }
    link.strength = 1.0 - (1.0 - link.strength) * (1.0 - worth);
    link.edges += 1;
}

/// The family of an edge, by its relation and by what is at its ends.
fn family(graph: &Graph, edge: &EdgeRef<'_>, forward: bool) -> Family {
    let is_section = |node| graph.kind(node) == NodeKind::Section;
    if is_section(edge.from) || is_section(edge.to) {
        Family::Documentation
    } else if is_test(graph, edge.from) != is_test(graph, edge.to) {
        Family::Test
    } else {
        Family::of_edge(edge.relation, forward)
    }
}
