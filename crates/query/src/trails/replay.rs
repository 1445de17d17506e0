//! Claims of an investigation, tested again.

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;

use super::merge::ClaimKey;
use crate::analysis::{WhyQuery, why};
use crate::closure::ClosureState;
use crate::resolve::{ResolveError, resolve_node};
use crate::what_if::hypothesize::{Bounds, Claim, ClaimKind, Part, ResolvedClaim, Verdict, hypothesize, parse};

/// Most edges of a path.
const MAX_HOPS: u32 = 5;
/// Most edges that one search visits.
const BUDGET: usize = 100_000;
/// What separates the names of a connection.
const ARROW: &str = "->";

/// What a test says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    For,
    /// There is evidence for it, which is not certain.
    Plausible,
    /// It does not hold.
    Against,
    /// It cannot be told.
    Undecided,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::For, Self::Plausible, Self::Against, Self::Undecided];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::Plausible => "plausible",
            Self::Against => "against",
            Self::Undecided => "undecided",
        }
    }

    /// The outcome with this word; undecided for one that a newer version wrote.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word).unwrap_or(Self::Undecided)
    }
}

/// State of a hypothesis compared with the time it was saved. Ordered by how much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Held {
    /// What it rests on is as it was, or is shown now.
    StillHolds,
    /// Cannot be told.
    Unknown,
    /// Less speaks for it than when it was saved.
    Weakened,
    /// A test speaks against it.
    Refuted,
}

impl Held {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::StillHolds => "still_holds",
            Self::Unknown => "unknown",
            Self::Weakened => "weakened",
            Self::Refuted => "refuted",
        }
    }

    /// What is left of the confidence: an order of hypotheses, not a probability.
    pub const fn factor(self) -> f64 {
        match self {
            Self::StillHolds => 1.0,
            Self::Unknown => 0.75,
            Self::Weakened => 0.5,
            Self::Refuted => 0.1,
        }
    }
}

/// Ids of subject and object of a claim.
pub type Names<'a> = (Option<&'a str>, Option<&'a str>);

/// A claim whose names are resolved.
#[derive(Debug, Clone)]
pub struct Replay {
    test: Test,
    subject: Option<NodeIx>,
    object: Option<NodeIx>,
}

#[derive(Debug, Clone)]
enum Test {
    /// Whether a path leads from one to the other.
    Why,
    /// Whether a claim about the structure holds.
    Claim(ResolvedClaim),
}

impl Test {
    fn of_claim(claim: &Claim, (subject, object): (Option<NodeIx>, Option<NodeIx>)) -> Self {
        let (subject, object) = (subject.map(Part::Node), object.map(Part::Node));
        Self::Claim(ResolvedClaim { kind: claim.kind, verb: claim.verb, subject, object })
    }
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// What it says about the claim.
    pub outcome: Outcome,
    /// One sentence.
    pub why: String,
}

/// The reason why a claim cannot be tested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The sentence fits no type of claim.
    #[error("`{0}` is no claim that can be tested")]
    NoClaim(String),
    /// A name is not that of one node.
    #[error(transparent)]
    Name(#[from] ResolveError),
    /// A node of the claim is not in the graph any more.
    #[error("`{0}` is not in the graph any more")]
    Gone(String),
}

impl ReplayError {
    /// Ids of the nodes that an ambiguous name may mean.
    pub fn candidates(&self) -> &[String] {
        match self {
            Self::Name(ResolveError::Ambiguous { candidates, .. }) => candidates,
            _ => &[],
        }
    }
}

/// Whether a sentence can be tested.
pub fn is_claim(text: &str) -> bool {
    text.contains(ARROW) || parse(text).is_ok_and(|claim| claim.kind != ClaimKind::Unknown)
}

impl Replay {
    /// Reads a claim: a sentence as `hypothesize` takes it, or `A -> B` for a path as `why` finds it.
    ///
    /// # Errors
    /// [`ReplayError::NoClaim`], [`ReplayError::Name`].
    pub fn parse(snapshot: &Snapshot, text: &str) -> Result<Self, ReplayError> {
        let named = |name: &str| resolve_node(snapshot, name).map_err(ReplayError::from);
        if let Some((source, target)) = text.split_once(ARROW) {
            let (subject, object) = (Some(named(source)?), Some(named(target)?));
            return Ok(Self { test: Test::Why, subject, object });
        }
        let claim = parse(text).ok().filter(|claim| claim.kind != ClaimKind::Unknown);
        let Some(claim) = claim else { return Err(ReplayError::NoClaim(text.to_owned())) };
        let subject = claim.subject.as_deref().map(named).transpose()?;
        let object = claim.object.as_deref().map(named).transpose()?;
        let test = Test::of_claim(&claim, (subject, object));
        Ok(Self { test, subject, object })
    }

    /// Reads a claim that was resolved before, by the ids of its nodes.
    ///
    /// # Errors
    /// [`ReplayError::NoClaim`], [`ReplayError::Gone`].
    pub fn of_ids(snapshot: &Snapshot, text: &str, (subject, object): Names<'_>) -> Result<Self, ReplayError> {
        let find = |id: &str| snapshot.graph().find(id).ok_or_else(|| ReplayError::Gone(id.to_owned()));
        let (subject, object) = (subject.map(find).transpose()?, object.map(find).transpose()?);
        if text.contains(ARROW) {
            return Ok(Self { test: Test::Why, subject, object });
        }
        let claim = parse(text).ok().filter(|claim| claim.kind != ClaimKind::Unknown);
        let Some(claim) = claim else { return Err(ReplayError::NoClaim(text.to_owned())) };
        let test = Test::of_claim(&claim, (subject, object));
        Ok(Self { test, subject, object })
    }

    /// Its subject and object.
    pub fn nodes(&self) -> (Option<NodeIx>, Option<NodeIx>) {
        (self.subject, self.object)
    }

    /// What it says, for comparison with other claims.
    pub fn key(&self, snapshot: &Snapshot) -> Option<ClaimKey> {
        let id = |node: Option<NodeIx>| node.map(|node| snapshot.graph().id(node).to_owned());
        let (kind, holds) = match &self.test {
            Test::Why => (ClaimKind::DependsOn, true),
            Test::Claim(claim) => match claim.kind {
                ClaimKind::NeverCalls | ClaimKind::NoDependency => (ClaimKind::DependsOn, false),
                kind => (kind, true),
            },
        };
        Some(ClaimKey { kind: kind.word(), holds, subject: id(self.subject)?, object: id(self.object) })
    }

    /// Tests the claim now. `unseen` says what changed on disk and is not in the snapshot: nothing is said to be absent
    /// then.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn run(&self, snapshot: &Snapshot, unseen: Option<&str>, cancel: &Cancel) -> Result<Replayed, Cancelled> {
        match &self.test {
            Test::Why => self.run_why(snapshot, unseen, cancel),
            Test::Claim(claim) => {
                let history = (claim.kind == ClaimKind::Coupling).then(|| snapshot.history(cancel));
                let bounds = Bounds { max_hops: MAX_HOPS, budget: BUDGET };
                let mut tested = hypothesize(snapshot, claim, bounds, history.as_ref(), cancel)?;
                if let Some(unseen) = unseen {
                    tested = tested.over_unseen(unseen);
                }
                let outcome = match tested.verdict {
                    Verdict::LikelyTrue => Outcome::For,
                    Verdict::Plausible => Outcome::Plausible,
                    Verdict::LikelyFalse => Outcome::Against,
                    Verdict::Inconclusive => Outcome::Undecided,
                };
                Ok(Replayed { outcome, why: tested.why })
            }
        }
    }

    fn run_why(&self, snapshot: &Snapshot, unseen: Option<&str>, cancel: &Cancel) -> Result<Replayed, Cancelled> {
        let (Some(source), Some(target)) = (self.subject, self.object) else {
            return Ok(Replayed { outcome: Outcome::Undecided, why: "two nodes are needed".to_owned() });
        };
        let query = WhyQuery { source, target, max_hops: MAX_HOPS, max_paths: 1 };
        let answer = why(snapshot, &query, cancel)?;
        let leads = answer.paths.iter().any(|path| path.steps.iter().all(|step| step.hop.forward));
        if let (false, Some(unseen)) = (leads, unseen) {
            return Ok(Replayed { outcome: Outcome::Undecided, why: unseen.to_owned() });
        }
        let outcome = match (leads, answer.closure.state) {
            (true, ClosureState::Closed) => Outcome::For,
            (true, _) => Outcome::Plausible,
            (false, ClosureState::Closed) => Outcome::Against,
            (false, _) => Outcome::Undecided,
        };
        Ok(Replayed { outcome, why: answer.closure.why })
    }
}

/// State of a hypothesis by one of its claims, from the results then and now.
pub const fn recheck(then: Outcome, now: Outcome) -> Held {
    match (then, now) {
        (_, Outcome::Against) => Held::Refuted,
        (Outcome::For, Outcome::Plausible | Outcome::Undecided) | (Outcome::Plausible, Outcome::Undecided) => {
            Held::Weakened
        }
        (_, Outcome::For | Outcome::Plausible) => Held::StillHolds,
        (Outcome::Against | Outcome::Undecided, Outcome::Undecided) => Held::Unknown,
    }
}

/// State of a hypothesis: the worst of its claims, where those that cannot be told count only if no other can. Without
/// claims it rests on its supporting nodes, of which `intact` of `all` have the same text.
pub fn hypothesis_state(claims: &[Held], intact: usize, all: usize) -> Held {
    let told = claims.iter().copied().filter(|held| *held != Held::Unknown).max();
    match (told, claims.is_empty()) {
        (Some(held), _) => held,
        (None, false) => Held::Unknown,
        (None, true) if all == 0 => Held::Unknown,
        (None, true) if intact == all => Held::StillHolds,
        // More than half of what spoke for it is another text or gone.
        (None, true) if intact * 2 < all => Held::Weakened,
        (None, true) => Held::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_then_and_now() {
        use Outcome::{Against, For, Plausible, Undecided};
        let rows = [
            (For, For, Held::StillHolds),
            (For, Plausible, Held::Weakened),
            (For, Undecided, Held::Weakened),
            (For, Against, Held::Refuted),
            (Plausible, For, Held::StillHolds),
            (Plausible, Plausible, Held::StillHolds),
            (Plausible, Undecided, Held::Weakened),
            (Plausible, Against, Held::Refuted),
            (Undecided, For, Held::StillHolds),
            (Undecided, Undecided, Held::Unknown),
            (Undecided, Against, Held::Refuted),
            (Against, For, Held::StillHolds),
            (Against, Undecided, Held::Unknown),
            (Against, Against, Held::Refuted),
        ];
        for (then, now, expected) in rows {
            assert_eq!(recheck(then, now), expected, "{then:?} {now:?}");
        }
    }

    #[test]
    fn claims_decide_before_nodes() {
        use Held::{Refuted, StillHolds, Unknown, Weakened};
        let rows: [(&[Held], usize, usize, Held); 9] = [
            (&[StillHolds, Unknown], 0, 2, StillHolds),
            (&[StillHolds, Weakened], 2, 2, Weakened),
            (&[Weakened, Refuted], 2, 2, Refuted),
            (&[Unknown], 2, 2, Unknown),
            (&[], 0, 0, Unknown),
            (&[], 2, 2, StillHolds),
            (&[], 1, 2, Unknown),
            (&[], 1, 3, Weakened),
            (&[], 0, 1, Weakened),
        ];
        for (claims, intact, all, expected) in rows {
            assert_eq!(hypothesis_state(claims, intact, all), expected, "{claims:?} {intact}/{all}");
        }
    }

    #[test]
    fn words_of_outcomes_are_read_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.word()), outcome);
        }
        assert_eq!(Outcome::parse("of tomorrow"), Outcome::Undecided);
    }
}
