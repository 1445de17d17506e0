//! Verdicts with three values, and how they combine.

use m1nd_graph::NodeIx;

use super::{Connected, MAX_EVIDENCE, MAX_PARTIAL, Tested, nodes_of};
use crate::analysis::Hop;

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Shown: confidence above 0.8.
    LikelyTrue,
    /// Something speaks for it, but not enough.
    Plausible,
    /// Excluded: confidence below 0.2.
    LikelyFalse,
    /// Undecided: something could hide the answer.
    Inconclusive,
}

impl Verdict {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LikelyTrue => "likely_true",
            Self::Plausible => "plausible",
            Self::LikelyFalse => "likely_false",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Confidence from which a claim is likely true; one minus it is the greatest confidence of a likely false one.
const SHOWN: f64 = 0.8;
/// Confidence that a connection exists which was excluded.
const EXCLUDED: f64 = 0.01;
/// Confidence that a connection exists which the search proves, over certain edges.
const PROVEN: f64 = 0.99;
/// Confidence that a connection exists when it was not found but something could hide it.
const OPEN: f64 = 0.3;

/// What a piece of evidence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceKind {
    /// A path of edges.
    PathFound,
    /// There is no path.
    NoPath,
    /// Files change together.
    GhostEdge,
    /// What the removal of nodes does.
    CounterfactualImpact,
    /// The order of calls in a function.
    CausalChain,
}

impl EvidenceKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PathFound => "path_found",
            Self::NoPath => "no_path",
            Self::GhostEdge => "ghost_edge",
            Self::CounterfactualImpact => "counterfactual_impact",
            Self::CausalChain => "causal_chain",
        }
    }
}

/// Something that speaks for or against a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// One sentence.
    pub text: String,
    /// The nodes it is about; of a path, in order.
    pub nodes: Vec<NodeIx>,
    /// The edges of a path, with their places.
    pub path: Vec<Hop>,
    /// Product of the probabilities of its edges; 1 without a path.
    pub strength: f64,
}

impl Evidence {
    pub(super) fn about(kind: EvidenceKind, text: String, nodes: Vec<NodeIx>) -> Self {
        Self { kind, text, nodes, path: Vec::new(), strength: 1.0 }
    }

    pub(super) fn path(path: Vec<Hop>, strength: f64) -> Self {
        let text = match path.len() {
            1 => "a direct edge".to_owned(),
            hops => format!("a path of {hops} edges"),
        };
        Self { kind: EvidenceKind::PathFound, text, nodes: nodes_of(&path), path, strength }
    }
}

/// A reference, or a file, that could hide a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Node that holds it.
    pub node: NodeIx,
    /// Name that is referred to; empty for a file that could not be parsed whole.
    pub name: String,
    /// Why it has no target.
    pub reason: String,
    /// Path of its file.
    pub file: String,
    /// Line, 0 for a file.
    pub line: u32,
}

impl Tested {
    fn new(confidence: f64, why: String) -> Self {
        Self {
            verdict: Verdict::Inconclusive,
            confidence,
            supporting: Vec::new(),
            contradicting: Vec::new(),
            hidden: Vec::new(),
            total_hidden: 0,
            partial: Vec::new(),
            visited: 0,
            why,
        }
        .with_verdict()
    }

    /// The verdict that follows from confidence and evidence.
    pub(super) fn with_verdict(mut self) -> Self {
        self.verdict = match self.confidence {
            confidence if confidence > SHOWN => Verdict::LikelyTrue,
            confidence if confidence < 1.0 - SHOWN => Verdict::LikelyFalse,
            _ if self.is_supported() && self.contradicting.is_empty() => Verdict::Plausible,
            _ => Verdict::Inconclusive,
        };
        self
    }

    /// Whether something was found that speaks for it; that nothing was found does not.
    fn is_supported(&self) -> bool {
        self.supporting.iter().any(|evidence| evidence.kind != EvidenceKind::NoPath)
    }

    /// The opposite claim.
    pub(super) fn negate(mut self) -> Self {
        std::mem::swap(&mut self.supporting, &mut self.contradicting);
        self.confidence = 1.0 - self.confidence;
        self.with_verdict()
    }

    /// Both claims.
    pub(super) fn and(self, other: Self) -> Self {
        let confidence = self.confidence.min(other.confidence);
        // The weaker claim decides, so its reason is the one to give.
        let why = if self.confidence <= other.confidence { self.why.clone() } else { other.why.clone() };
        self.join(other, confidence, why)
    }

    /// At least one of the claims.
    pub(super) fn or(self, other: Self) -> Self {
        let confidence = self.confidence.max(other.confidence);
        let why = if self.confidence >= other.confidence { self.why.clone() } else { other.why.clone() };
        self.join(other, confidence, why)
    }

    fn join(mut self, other: Self, confidence: f64, why: String) -> Self {
        self.supporting.extend(other.supporting);
        self.contradicting.extend(other.contradicting);
        self.hidden.extend(other.hidden);
        self.partial.extend(other.partial);
        self.supporting.truncate(MAX_EVIDENCE);
        self.contradicting.truncate(MAX_EVIDENCE);
        (self.total_hidden, self.visited) = (self.total_hidden + other.total_hidden, self.visited + other.visited);
        (self.confidence, self.why) = (confidence, why);
        self.with_verdict()
    }

    /// With files that changed since they were indexed: what is excluded may have come to be meanwhile, and what is
    /// shown may be gone.
    #[must_use]
    pub fn over_unseen(mut self, unseen: &str) -> Self {
        self.confidence = self.confidence.clamp(OPEN, SHOWN);
        self.why = format!("{unseen}; {}", self.why);
        self.with_verdict()
    }

    pub(super) fn because(mut self, why: &str) -> Self {
        self.why = format!("{why}: {}", self.why);
        self
    }

    pub(super) fn with_contradicting(mut self, evidence: Evidence) -> Self {
        self.contradicting.push(evidence);
        self
    }
}

pub(super) fn leave_undecided(why: &str) -> Tested {
    Tested::new(0.5, why.to_owned())
}

/// A claim that this evidence shows.
pub(super) fn support_claim(evidence: Evidence, confidence: f64) -> Tested {
    let tested = Tested::new(confidence, evidence.text.clone());
    Tested { supporting: vec![evidence], ..tested }.with_verdict()
}

/// A claim that this evidence excludes.
pub(super) fn exclude_claim(evidence: Evidence) -> Tested {
    let tested = Tested::new(EXCLUDED, evidence.text.clone());
    Tested { contradicting: vec![evidence], ..tested }
}

/// A claim that this evidence shows if nothing is hidden.
pub(super) fn shown_unless(evidence: Evidence, mut hidden: Vec<Hidden>) -> Tested {
    let total_hidden = hidden.len();
    hidden.truncate(super::MAX_HIDDEN);
    match total_hidden {
        0 => support_claim(evidence, PROVEN),
        _ => Tested {
            hidden,
            total_hidden,
            supporting: vec![evidence],
            ..Tested::new(1.0 - OPEN, format!("{total_hidden} open references could be a connection"))
        }
        .with_verdict(),
    }
}

/// The claim that there is this path.
pub(super) fn of_path(connected: Connected) -> Tested {
    let Connected { connection, hidden, total_hidden } = connected;
    let visited = connection.visited;
    if connection.is_found() {
        // A path over possible edges exists with the probability that all its edges do.
        let confidence = connection.strength.clamp(OPEN, PROVEN);
        let why = match connection.strength {
            strength if strength >= 1.0 => "every edge of the path is certain".to_owned(),
            _ => "the path has an edge with several possible targets".to_owned(),
        };
        let evidence = Evidence::path(connection.path, connection.strength);
        return Tested { supporting: vec![evidence], visited, ..Tested::new(confidence, why) }.with_verdict();
    }
    let farthest = connection.reached.iter().map(|(_, hops)| *hops).max().unwrap_or(0);
    let partial = connection.reached.iter().copied().filter(|(_, hops)| *hops == farthest && farthest > 0);
    let mut reasons = Vec::new();
    if connection.exhausted {
        reasons.push("the search ended at its budget of edges; raise `path_budget`".to_owned());
    }
    if connection.at_hop_limit {
        reasons.push("the search ended at its limit of hops; raise `max_hops`".to_owned());
    }
    if connection.not_made > 0 {
        reasons.push(format!(
            "{} overriding methods are not followed: nothing makes their class, or there are too many",
            connection.not_made
        ));
    }
    if total_hidden > 0 {
        reasons.push(format!("{total_hidden} open references could be the missing step"));
    }
    let is_excluded = connection.is_whole() && total_hidden == 0;
    let (confidence, why) = match is_excluded {
        true => (EXCLUDED, "no path, and nothing in the searched region could hide one".to_owned()),
        false => (OPEN, format!("no path was found, but {}", reasons.join("; "))),
    };
    let text = format!("no path among {} nodes reached", connection.reached.len());
    let evidence = Evidence::about(EvidenceKind::NoPath, text, Vec::new());
    Tested {
        contradicting: vec![evidence],
        partial: if is_excluded { Vec::new() } else { partial.take(MAX_PARTIAL).collect() },
        hidden,
        total_hidden,
        visited,
        ..Tested::new(confidence, why)
    }
}
