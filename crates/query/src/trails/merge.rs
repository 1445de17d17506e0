//! Several investigations as one: what they agree on, what they contradict each other in, how their nodes connect.

use std::collections::BTreeSet;

use m1nd_engine::Snapshot;
use m1nd_graph::{NodeIx, weights};
use rustc_hash::{FxHashMap, FxHashSet};

use super::replay::Held;

/// Least difference of confidences at which the higher one wins a conflict.
pub const MIN_GAP: f64 = 0.2;
/// Most edges between the nodes of two investigations that are listed, the strongest.
pub const MAX_BRIDGES: usize = 20;
/// Confidences are kept this far from 0 and 1 before they are pooled.
const MARGIN: f64 = 0.01;

/// What a claim says, without words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClaimKey {
    /// Its type.
    pub kind: &'static str,
    /// Whether it says so, or the contrary.
    pub holds: bool,
    /// Id of its subject.
    pub subject: String,
    /// Id of its object.
    pub object: Option<String>,
}

impl ClaimKey {
    fn is_opposite(&self, other: &Self) -> bool {
        self.holds != other.holds
            && (&self.kind, &self.subject, &self.object) == (&other.kind, &other.subject, &other.object)
    }
}

/// A hypothesis of one of several investigations.
#[derive(Debug, Clone)]
pub struct Belief {
    /// Number of the investigation.
    pub trail: usize,
    /// In words.
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Ids of nodes that speak for it.
    pub supporting: BTreeSet<String>,
    /// Ids of nodes that speak against it.
    pub contradicting: BTreeSet<String>,
    /// Its claims.
    pub claims: Vec<ClaimKey>,
    /// Its present state, if its evidence was tested again.
    pub state: Option<Held>,
}

/// Two hypotheses that cannot both hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// Number of one.
    pub a: usize,
    /// Number of the other.
    pub b: usize,
    /// In what they contradict each other.
    pub reason: String,
    /// The one that prevails, and by what.
    pub winner: Option<(usize, Decided)>,
    /// Difference of their confidences.
    pub gap: f64,
}

/// By what a conflict was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Evidence, tested again.
    Evidence,
    /// A clearly higher confidence.
    Confidence,
}

impl Decided {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::Confidence => "confidence",
        }
    }
}

/// Hypotheses combined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// Numbers of the hypotheses that say the same, in order of the first; most groups have one.
    pub groups: Vec<Vec<usize>>,
    /// Contradictions.
    pub conflicts: Vec<Conflict>,
}

/// An edge between a node of one investigation only and one of another only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bridge {
    /// Source.
    pub from: NodeIx,
    /// Target.
    pub to: NodeIx,
    /// Word of the relation.
    pub relation: &'static str,
    /// Probability that a change of the target reaches the source.
    pub weight: f64,
}

/// Combines hypotheses. Those of the same statement or the same claims are one; those of different investigations
/// conflict if a claim of one is the contrary of a claim of the other, or a node speaks for one and against the other
/// while no claim says that they agree.
pub fn merge_beliefs(beliefs: &[Belief]) -> Merged {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut conflicts = Vec::new();
    for (number, belief) in beliefs.iter().enumerate() {
        match groups.iter_mut().find(|group| says_same(&beliefs[group[0]], belief)) {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    for (a, first) in beliefs.iter().enumerate() {
        let others = beliefs.iter().enumerate().skip(a + 1).filter(|(_, other)| other.trail != first.trail);
        for (b, second) in others {
            if let Some(reason) = contradiction(first, second) {
                let gap = (first.confidence - second.confidence).abs();
                conflicts.push(Conflict { a, b, reason, winner: winner((a, first), (b, second)), gap });
            }
        }
    }
    Merged { groups, conflicts }
}

fn says_same(a: &Belief, b: &Belief) -> bool {
    let same_claims = !a.claims.is_empty()
        && a.claims.len() == b.claims.len()
        && a.claims.iter().all(|claim| b.claims.contains(claim));
    same_claims || plain(&a.statement) == plain(&b.statement)
}

/// A statement without case, punctuation and runs of spaces.
fn plain(statement: &str) -> String {
    let lower = statement.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '.' | '/'));
    words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn contradiction(a: &Belief, b: &Belief) -> Option<String> {
    let opposite = a.claims.iter().find(|claim| b.claims.iter().any(|other| claim.is_opposite(other)));
    if let Some(claim) = opposite {
        let object = claim.object.as_deref().map_or_else(String::new, |object| format!(" `{object}`"));
        return Some(format!("opposite claims: {} `{}`{object}", claim.kind, claim.subject));
    }
    if says_same(a, b) {
        return None;
    }
    let mut both = a.supporting.intersection(&b.contradicting).chain(a.contradicting.intersection(&b.supporting));
    both.next().map(|node| format!("`{node}` speaks for one and against the other"))
}

fn winner((a, first): (usize, &Belief), (b, second): (usize, &Belief)) -> Option<(usize, Decided)> {
    let is_decided = |held: Option<Held>| matches!(held, Some(Held::StillHolds | Held::Refuted));
    if is_decided(first.state) && is_decided(second.state) && first.state != second.state {
        let by_evidence = if first.state < second.state { a } else { b };
        return Some((by_evidence, Decided::Evidence));
    }
    let gap = first.confidence - second.confidence;
    (gap.abs() >= MIN_GAP).then_some((if gap > 0.0 { a } else { b }, Decided::Confidence))
}

/// Pooled confidence of hypotheses that say the same: the mean of their log odds. Investigations of the same code are
/// not independent, so that agreement does not raise confidence above the highest.
pub fn pool_confidence(confidences: &[f64]) -> f64 {
    let odds = |p: &f64| {
        let p = p.clamp(MARGIN, 1.0 - MARGIN);
        (p / (1.0 - p)).ln()
    };
    match confidences {
        [] => 0.0,
        [one] => *one,
        several => {
            let mean = several.iter().map(odds).sum::<f64>() / several.len() as f64;
            1.0 / (1.0 + (-mean).exp())
        }
    }
}

/// Share of the larger of two sets of nodes that both have.
pub fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let larger = a.len().max(b.len());
    if larger == 0 { 0.0 } else { a.intersection(b).count() as f64 / larger as f64 }
}

/// Edges, either way, between nodes that only one investigation has and nodes that only another one has.
pub fn bridges(snapshot: &Snapshot, trails: &[Vec<NodeIx>]) -> Vec<Bridge> {
    let graph = snapshot.graph();
    let mut only: FxHashMap<NodeIx, Option<usize>> = FxHashMap::default();
    for (trail, nodes) in trails.iter().enumerate() {
        let nodes: FxHashSet<NodeIx> = nodes.iter().copied().collect();
        for node in nodes {
            only.entry(node).and_modify(|of| *of = None).or_insert(Some(trail));
        }
    }
    let mut found = Vec::new();
    let sources = only.iter().filter_map(|(&node, of)| Some((node, (*of)?)));
    for (node, of) in sources {
        for edge in graph.out_edges(node).filter(|edge| edge.relation.carries_change() && edge.relation.is_structure())
        {
            if only.get(&edge.to).copied().flatten().is_some_and(|other| other != of) {
                let weight = weights::change(&edge);
                found.push(Bridge { from: node, to: edge.to, relation: edge.relation.word(), weight });
            }
        }
    }
    let key = |bridge: &Bridge| (graph.id(bridge.from), graph.id(bridge.to), bridge.relation);
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| key(a).cmp(&key(b))));
    found.truncate(MAX_BRIDGES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    fn belief(trail: usize, statement: &str, confidence: f64, supporting: &[&str], contradicting: &[&str]) -> Belief {
        Belief {
            trail,
            statement: statement.to_owned(),
            confidence,
            supporting: set(supporting),
            contradicting: set(contradicting),
            claims: Vec::new(),
            state: None,
        }
    }

    fn claims(belief: Belief, holds: bool, state: Held) -> Belief {
        let key = ClaimKey { kind: "depends_on", holds, subject: "a".into(), object: Some("b".into()) };
        Belief { claims: vec![key], state: Some(state), ..belief }
    }

    #[test]
    fn agreement_is_pooled_and_overlap_is_no_conflict() {
        let beliefs = [
            belief(0, "The pool leaks.", 0.6, &["x", "y"], &[]),
            belief(1, "the pool  leaks", 0.8, &["x", "y"], &[]),
            belief(1, "the cache is cold", 0.5, &["x", "y"], &[]),
        ];
        let merged = merge_beliefs(&beliefs);
        assert_eq!(merged.groups, [vec![0, 1], vec![2]]);
        assert_eq!(merged.conflicts, [], "support in common is no contradiction");
    }

    #[test]
    fn polarity_makes_a_conflict() {
        let rows = [
            (belief(0, "p", 0.9, &["x"], &[]), belief(1, "q", 0.4, &[], &["x"]), Some(Some((0, Decided::Confidence)))),
            (belief(0, "p", 0.5, &["x"], &[]), belief(1, "q", 0.6, &[], &["x"]), Some(None)),
            (belief(0, "p", 0.5, &[], &["x"]), belief(1, "q", 0.9, &["x"], &[]), Some(Some((1, Decided::Confidence)))),
            (belief(0, "p", 0.5, &["x"], &[]), belief(0, "q", 0.9, &[], &["x"]), None),
            (belief(0, "p", 0.5, &["x"], &[]), belief(1, "q", 0.9, &["x"], &[]), None),
            (
                claims(belief(0, "p", 0.9, &[], &[]), true, Held::Refuted),
                claims(belief(1, "q", 0.3, &[], &[]), false, Held::StillHolds),
                Some(Some((1, Decided::Evidence))),
            ),
            (
                claims(belief(0, "p", 0.9, &["x"], &[]), true, Held::StillHolds),
                claims(belief(1, "q", 0.3, &[], &["x"]), true, Held::StillHolds),
                None,
            ),
        ];
        for (number, (a, b, expected)) in rows.into_iter().enumerate() {
            let merged = merge_beliefs(&[a, b]);
            let found = merged.conflicts.first().map(|conflict| conflict.winner);
            assert_eq!(found, expected, "row {number}");
        }
    }

    #[test]
    fn pooling_stays_between() {
        let rows: [(&[f64], f64); 5] =
            [(&[], 0.0), (&[0.7], 0.7), (&[0.5, 0.5], 0.5), (&[0.6, 0.8], 0.7101), (&[0.0, 1.0], 0.5)];
        for (confidences, expected) in rows {
            assert!(
                (pool_confidence(confidences) - expected).abs() < 1e-3,
                "{confidences:?} {}",
                pool_confidence(confidences)
            );
        }
    }
}
