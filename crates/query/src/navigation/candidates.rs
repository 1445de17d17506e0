//! Where one can go from a focus: one function per kind of evidence.

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::family::Family;
use super::lens::Lens;
use super::links::{Link, Links, Scale, Witness, links, shows};
use super::matches::Matches;
use crate::calls::is_test;
use crate::retrieval::groups_of;

/// Edges of a focus that are examined.
const FOCUS_EDGES: usize = 4_000;
/// Edges of a node between that are examined.
const NEXT_EDGES: usize = 600;
/// Neighbours that are passed through to what is behind them, the strongest.
const PASSED: usize = 12;
/// Nodes behind one neighbour.
const BEHIND: usize = 6;
/// Share of strength that a second step keeps.
const SECOND_STEP: f64 = 0.5;
/// Matches for which a way over two nodes between is looked for, the best.
const MET: usize = 8;
/// Files that change together with that of the focus.
const PARTNERS: usize = 15;
/// Nodes of the same role, those that match the query best.
const SIBLINGS: usize = 6;
/// Strength of having the same role.
const SIBLING: f64 = 0.3;
/// Parts of a focus, those that match the query best.
const PARTS: usize = 4;
/// Strength of being a part, or the owner.
const PART: f64 = 0.35;
/// Readers of one configuration key.
const READERS: usize = 50;
/// Strength of a configuration key that nothing else reads.
const SHARED_KEY: f64 = 0.6;

/// Something that speaks for a target.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    pub(super) target: NodeIx,
    pub(super) family: Family,
    /// 0 to 1.
    pub(super) strength: f64,
    /// From the focus to the target; only the target if nothing connects them.
    pub(super) path: Vec<NodeIx>,
    /// How sure the path is, 0 to 1; 0 without one.
    pub(super) coherence: f64,
    pub(super) reason: String,
}

/// Where to look from.
pub(super) struct Viewpoint<'s> {
    pub(super) snapshot: &'s Snapshot,
    pub(super) history: Option<&'s ProjectHistory>,
    pub(super) lens: &'s Lens,
    pub(super) matches: &'s Matches,
    pub(super) focus: NodeIx,
    pub(super) scale: Scale,
}

/// All evidence around a focus.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) evidence: Vec<Evidence>,
    /// Limits left edges out.
    pub(super) is_cut: bool,
}

impl<'s> Viewpoint<'s> {
    fn graph(&self) -> &'s Graph {
        self.snapshot.graph()
    }

    pub(super) fn gather(&self, cancel: &Cancel) -> Result<Gathered, Cancelled> {
        let Links { links, is_cut } = links(self.graph(), self.focus, self.scale, self.lens, FOCUS_EDGES);
        cancel.check()?;
        let mut gathered = Gathered { evidence: Vec::new(), is_cut };
        self.direct(&links, &mut gathered.evidence);
        self.behind(&links, &mut gathered.evidence);
        self.parts(&mut gathered.evidence);
        cancel.check()?;
        self.configuration(&mut gathered.evidence);
        if self.lens.relations.is_empty() {
            self.siblings(&mut gathered.evidence);
            self.history(&mut gathered.evidence);
            self.matching(&mut gathered.evidence);
        }
        Ok(gathered)
    }

    fn direct(&self, links: &[Link], found: &mut Vec<Evidence>) {
        let graph = self.graph();
        found.extend(links.iter().map(|link| Evidence {
            target: link.to,
            family: link.family,
            strength: link.strength,
            path: vec![self.focus, link.to],
            coherence: certainty(link),
            reason: reason(graph, link),
        }));
    }

    /// What is two steps away, through the strongest neighbours; and matches of the query that are three away.
    fn behind(&self, first: &[Link], found: &mut Vec<Evidence>) {
        let graph = self.graph();
        let near: FxHashMap<NodeIx, &Link> = first.iter().rev().map(|link| (link.to, link)).collect();
        let mut passed: Vec<NodeIx> = Vec::new();
        for link in first {
            if passed.len() == PASSED {
                break;
            }
            if !passed.contains(&link.to) {
                passed.push(link.to);
            }
        }
        let mut second: FxHashMap<NodeIx, Evidence> = FxHashMap::default();
        for between in passed {
            let one = near[&between];
            let next = links(graph, between, self.scale, self.lens, NEXT_EDGES).links;
            let next = next.iter().filter(|link| link.to != self.focus && !near.contains_key(&link.to));
            for two in next.take(BEHIND) {
                let evidence = self.over(&[one, two]);
                let known = second.get(&two.to).map_or(0.0, |known| known.strength);
                if evidence.strength > known {
                    second.insert(two.to, evidence);
                }
            }
        }
        let is_known = |node: &NodeIx| near.contains_key(node) || second.contains_key(node) || *node == self.focus;
        let units = self.units();
        let mut third = Vec::new();
        for (target, _) in units.iter().filter(|(node, _)| !is_known(node)).take(MET) {
            // From the other end: what the target is connected with.
            let last = links(graph, *target, self.scale, self.lens, NEXT_EDGES).links;
            let met = last.iter().find_map(|link| {
                let reversed = Link { to: *target, family: reverse_family(link.family), ..link.clone() };
                match (near.get(&link.to), second.get(&link.to)) {
                    (Some(one), _) => Some(self.over(&[one, &reversed])),
                    (None, Some(two)) => Some(extend_evidence(graph, two, &reversed)),
                    (None, None) => None,
                }
            });
            third.extend(met);
        }
        let mut all: Vec<Evidence> = second.into_values().chain(third).collect();
        all.sort_by(|a, b| graph.id(a.target).cmp(graph.id(b.target)));
        found.extend(all);
    }

    /// Evidence of a path of several steps.
    fn over(&self, steps: &[&Link]) -> Evidence {
        let graph = self.graph();
        let first = steps[0];
        let evidence = Evidence {
            target: first.to,
            family: first.family,
            strength: first.strength,
            path: vec![self.focus, first.to],
            coherence: certainty(first),
            reason: first.witness.text(graph),
        };
        steps[1..].iter().fold(evidence, |evidence, step| extend_evidence(graph, &evidence, step))
    }

    /// What the focus contains, as far as it matches the query or is important; and what contains the focus.
    fn parts(&self, found: &mut Vec<Evidence>) {
        let graph = self.graph();
        let contains = |from: NodeIx, to: NodeIx, target: NodeIx| {
            let (owner, part) = (graph.label(from), graph.label(to));
            Evidence {
                target,
                family: Family::StructuralNeighbor,
                strength: PART,
                path: vec![self.focus, target],
                coherence: 1.0,
                reason: format!("`{owner}` contains `{part}` ({}:{})", graph.path(to), graph.lines(to).0),
            }
        };
        let is_shown = |edge: &m1nd_graph::EdgeRef<'_>| edge.relation == Relation::Contains && shows(self.lens, edge);
        let parts = graph.out_edges(self.focus).filter(is_shown).take(FOCUS_EDGES).map(|edge| edge.to);
        let mut parts: Vec<(f64, NodeIx)> =
            parts.map(|part| (self.matches.relevance(graph, part) + f64::from(graph.pagerank(part)), part)).collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| graph.id(a.1).cmp(graph.id(b.1))));
        found.extend(parts.into_iter().take(PARTS).map(|(_, part)| contains(self.focus, part, part)));
        if graph.in_edges(self.focus).any(|edge| is_shown(&edge))
            && let Some(owner) = graph.parent(self.focus)
        {
            found.push(contains(owner, self.focus, owner));
        }
    }

    /// What reads the same configuration keys.
    fn configuration(&self, found: &mut Vec<Evidence>) {
        let graph = self.graph();
        let reads = |node: NodeIx| graph.out_edges(node).filter(|edge| edge.relation == Relation::ReadsConfig);
        for one in graph.with_members(self.focus, PASSED * BEHIND) {
            for read in reads(one).filter(|edge| shows(self.lens, edge)).take(PASSED) {
                let key = read.to;
                let readers = graph.in_edges(key).filter(|edge| edge.relation == Relation::ReadsConfig);
                let readers: Vec<_> = readers.filter(|edge| shows(self.lens, edge)).take(READERS).collect();
                let share = SHARED_KEY / (readers.len().max(2) as f64 - 1.0).sqrt();
                for other in readers {
                    let Some(target) = self.scale.unit(graph, other.from).filter(|unit| !self.is_own(*unit)) else {
                        continue;
                    };
                    found.push(Evidence {
                        target,
                        family: Family::Configuration,
                        strength: share,
                        path: vec![self.focus, key, target],
                        coherence: 0.5,
                        reason: format!("both read `{}`: {}", graph.label(key), Witness::new(&other).text(graph)),
                    });
                }
            }
        }
    }

    /// Whether a node is the focus or inside of it.
    fn is_own(&self, node: NodeIx) -> bool {
        node == self.focus || graph_has(self.graph(), self.focus, node)
    }

    /// Nodes of the same role.
    fn siblings(&self, found: &mut Vec<Evidence>) {
        let graph = self.graph();
        for group in groups_of(self.snapshot, self.focus) {
            let others = group.members.iter().filter(|node| **node != self.focus);
            let mut others: Vec<(f64, NodeIx)> =
                others.map(|node| (self.matches.relevance(graph, *node), *node)).collect();
            others.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| graph.id(a.1).cmp(graph.id(b.1))));
            let text = group.key.members_text(graph, self.focus);
            found.extend(others.into_iter().take(SIBLINGS).map(|(_, target)| Evidence {
                target,
                family: Family::Sibling,
                strength: SIBLING,
                path: vec![target],
                coherence: 0.0,
                reason: format!("one of {} {text}", group.members.len()),
            }));
        }
    }

    /// Files that change together with that of the focus.
    fn history(&self, found: &mut Vec<Evidence>) {
        let graph = self.graph();
        let Some(history) = self.history else { return };
        for partner in history.partners(graph.path(self.focus), PARTNERS) {
            let Some(target) = graph.find_file(&partner.path) else { continue };
            let of = &partner.partner;
            // A single common commit is no pattern.
            if of.support < 2 {
                continue;
            }
            let newest = partner.history.commits().get(of.newest);
            let newest = newest.map(|commit| format!(", newest {}", short(&commit.name()))).unwrap_or_default();
            found.push(Evidence {
                target,
                family: Family::History,
                strength: of.score,
                path: vec![target],
                coherence: 0.0,
                reason: format!(
                    "changed together in {} of the {} commits of `{}`{newest}",
                    of.support,
                    of.of,
                    graph.path(self.focus)
                ),
            });
        }
    }

    /// Matches of the query.
    fn matching(&self, found: &mut Vec<Evidence>) {
        found.extend(self.units().into_iter().filter(|(node, _)| !self.is_own(*node)).map(|(target, relevance)| {
            Evidence {
                target,
                family: Family::Semantic,
                strength: relevance,
                path: vec![target],
                coherence: 0.0,
                reason: matches_query(relevance),
            }
        }));
    }

    /// The matches at the scale of the focus, best first.
    fn units(&self) -> Vec<(NodeIx, f64)> {
        let mut units: Vec<(NodeIx, f64)> = Vec::new();
        for &(node, relevance) in &self.matches.rows {
            if let Some(unit) = self.scale.unit(self.graph(), node)
                && !units.iter().any(|(known, _)| *known == unit)
            {
                units.push((unit, relevance));
            }
        }
        units
    }
}

/// Evidence at the start of a query, where there is no focus: its matches.
pub(super) fn of_query(graph: &Graph, matches: &Matches) -> Vec<Evidence> {
    let evidence = |&(target, strength): &(NodeIx, f64)| {
        let family = match graph.kind(target) {
            NodeKind::Section => Family::Documentation,
            _ if is_test(graph, target) => Family::Test,
            _ => Family::Semantic,
        };
        let path = vec![target];
        Evidence { target, family, strength, path, coherence: 0.0, reason: matches_query(strength) }
    };
    matches.rows.iter().map(evidence).collect()
}

fn matches_query(relevance: f64) -> String {
    format!("matches the query ({relevance:.2} of the best match)")
}

/// How sure the strongest edge of a link is.
fn certainty(link: &Link) -> f64 {
    m1nd_graph::weights::certainty(link.witness.tier, link.witness.of)
}

fn reason(graph: &Graph, link: &Link) -> String {
    match link.edges {
        1 => link.witness.text(graph),
        edges => format!("{}, and {} more", link.witness.text(graph), m1nd_base::count(edges - 1, "edge")),
    }
}

/// Evidence with one more step: less strong, and of a family of its own unless both steps are of one.
fn extend_evidence(graph: &Graph, before: &Evidence, step: &Link) -> Evidence {
    let mut path = before.path.clone();
    path.push(step.to);
    Evidence {
        target: step.to,
        family: if before.family == step.family { step.family } else { Family::StructuralNeighbor },
        strength: before.strength * step.strength * SECOND_STEP,
        path,
        coherence: before.coherence * certainty(step) * SECOND_STEP.sqrt(),
        reason: format!("{}; {}", before.reason, step.witness.text(graph)),
    }
}

/// The family of a link seen from its other end.
const fn reverse_family(family: Family) -> Family {
    match family {
        Family::CausalDownstream => Family::CausalUpstream,
        Family::CausalUpstream => Family::CausalDownstream,
        other => other,
    }
}

/// Whether `inner` is somewhere inside of `outer`.
pub(super) fn graph_has(graph: &Graph, outer: NodeIx, inner: NodeIx) -> bool {
    graph.ancestors(inner).any(|node| node == outer)
}

fn short(commit: &str) -> &str {
    &commit[..commit.floor_char_boundary(12)]
}
