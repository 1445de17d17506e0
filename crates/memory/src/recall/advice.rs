//! Compares a new text with existing memories: is it new, and was it rejected before?

use m1nd_base::Cancel;
use m1nd_search::embedding::Embedding;
use rustc_hash::FxHashSet;

use super::words::terms_of;
use super::{Recall, groups};
use crate::Kind;

/// Below this likeness a text is new.
const RELATED: f32 = 0.5;
/// Minimum similarity at which it may replace a memory.
const REPLACES: f32 = 0.7;
/// Similarity above which it is a duplicate.
const SAME: f32 = 0.9;

/// Likenesses from which a rejected approach is tried again.
const MODERATE: f32 = 0.6;
const HIGH: f32 = 0.75;
const CRITICAL: f32 = 0.9;
/// Score if all words of a rejected approach occur in a longer text.
const ALL_WORDS: f32 = 0.92;

/// Relation of a text to the most similar memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// Nothing known.
    New,
    /// About the same thing.
    Related,
    /// Nearly the same: the newer one may take its place.
    MayReplace,
    /// The same.
    Same,
}

impl Novelty {
    /// Classifies a cosine similarity.
    #[must_use]
    pub fn of(likeness: f32) -> Self {
        match likeness {
            likeness if likeness > SAME => Self::Same,
            likeness if likeness >= REPLACES => Self::MayReplace,
            likeness if likeness >= RELATED => Self::Related,
            _ => Self::New,
        }
    }
}

/// Certainty that an approach is a rejected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// From .6.
    Moderate,
    /// Above .75.
    High,
    /// Above .9.
    Critical,
}

/// A decision that rejected the planned approach.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    /// Number of the decision.
    pub record: usize,
    /// Number of the alternative that it rejected.
    pub alternative: usize,
    /// Similarity, 0 to 1.
    pub likeness: f32,
    /// Classification of the similarity.
    pub severity: Severity,
}

impl Recall {
    /// The records most like a text by meaning, best first, with their cosines.
    #[must_use]
    pub fn similar(&self, text: &str, limit: usize) -> Vec<(usize, f32)> {
        let vector = Embedding::built_in().of_text(text, |_| 1.0);
        self.meanings.nearest(&vector, limit, &Cancel::new(), |_| true).unwrap_or_default()
    }

    /// Compares `text` with existing memories and returns the relevant record. Different numbers or a negation make
    /// it another statement, however similar the words are.
    #[must_use]
    pub fn novelty(&self, text: &str) -> (Novelty, Option<usize>) {
        let Some((record, likeness)) = self.similar(text, 1).first().copied() else { return (Novelty::New, None) };
        let is_same_claim = groups::Claim::of(text) == *self.claim(record);
        let novelty = match Novelty::of(likeness) {
            Novelty::Same if !is_same_claim => Novelty::MayReplace,
            novelty => novelty,
        };
        (novelty, (novelty != Novelty::New).then_some(record))
    }

    /// Decisions that rejected the approach in `text`, most certain first. Superseded decisions do not count.
    #[must_use]
    pub fn rejected_again(&self, text: &str) -> Vec<Rejected> {
        let embedding = Embedding::built_in();
        let vector = embedding.of_text(text, |_| 1.0);
        let mut words = FxHashSet::default();
        terms_of(text, |term| words.extend([term.to_owned()]));
        let mut found = Vec::new();
        let decisions = self.records.iter().enumerate().filter(|(_, record)| record.kind == Kind::Decision);
        for (number, record) in decisions.filter(|(_, record)| record.superseded_by.is_none()) {
            for (alternative, rejected) in record.alternatives.iter().enumerate() {
                let (mut known, mut all) = (0.0, 0.0);
                terms_of(rejected, |term| {
                    let rarity = self.vocabulary.rarity(term);
                    all += rarity;
                    known += if words.contains(term) { rarity } else { 0.0 };
                });
                let share = if all > 0.0 { known / all * ALL_WORDS } else { 0.0 };
                let likeness = share.max(embedding.of_text(rejected, |_| 1.0).cosine(&vector)).clamp(0.0, 1.0);
                let severity = match likeness {
                    likeness if likeness > CRITICAL => Severity::Critical,
                    likeness if likeness > HIGH => Severity::High,
                    likeness if likeness >= MODERATE => Severity::Moderate,
                    _ => continue,
                };
                found.push(Rejected { record: number, alternative, likeness, severity });
            }
        }
        found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.record.cmp(&b.record)));
        found
    }
}
