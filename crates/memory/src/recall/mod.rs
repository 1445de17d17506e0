//! Recall: ranks memories for a question.
//!
//! A single score determines both the order and the displayed number: BM25 in which every word of the question counts
//! as far as the memory contains it or a similar word (by meaning, by spelling, as part of a compound, as an
//! abbreviation). It is normalised to the score of a perfect match, which makes it readable. Adjacency, spelling,
//! direction and context add to it for the best matches.

mod advice;
mod company;
mod groups;
mod look;
mod words;

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use m1nd_search::embedding::{Embedding, Vector, Vectors};

pub use advice::{Novelty, Rejected, Severity as RejectedSeverity};
use company::Company;
use groups::Claim;
use look::{Look, MAX_LOOKED_AT, Meaning};
use words::{Vocabulary, flatten_score, terms_of, weighted_terms};

use crate::{Kind, Record, Status};

/// Weight of the question with the same words in the same order.
const PHRASE: f32 = 0.3;
/// Maximum weight of nearness in the graph.
const NEAR: f32 = 0.2;
/// Relevance below which a memory is no answer.
pub const MIN_RELEVANCE: f32 = 0.15;
/// Distinct words of a question that are looked up; of longer ones those that tell most.
const MAX_TERMS: usize = 32;
/// Characters of a question that are read.
const MAX_QUESTION: usize = 4096;

/// Minimum share of relevance that an old memory keeps.
const RECENCY_FLOOR: f32 = 0.6;
const SUPERSEDED: f32 = 0.3;
const RESOLVED: f32 = 0.8;
/// Share of relevance that a memory without confidence keeps.
const CONFIDENCE_FLOOR: f32 = 0.8;

/// Half-life of recency, in days.
pub(crate) const fn half_life(kind: Kind) -> f32 {
    match kind {
        Kind::Decision => 60.0,
        Kind::Issue => 30.0,
        Kind::Gotcha => 120.0,
        Kind::Learning => 90.0,
    }
}

/// A question.
#[derive(Clone, Copy)]
pub struct RecallQuery<'a> {
    /// In words.
    pub text: &'a str,
    /// Kinds that are asked for; empty for all.
    pub kinds: &'a [Kind],
    /// Most answers.
    pub limit: usize,
    /// The day by which memories are old; without it none is.
    pub today: Option<Date>,
    /// Nearness of a memory's code to the code in focus, 0 to 1.
    pub near: Option<&'a dyn Fn(&Record) -> f32>,
}

impl<'a> RecallQuery<'a> {
    /// A question about everything, with ten answers.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { text, kinds: &[], limit: 10, today: None, near: None }
    }
}

impl fmt::Debug for RecallQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecallQuery").field("text", &self.text).field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RecallHit {
    /// Number of the record in [`Recall::records`].
    pub record: usize,
    /// Relevance, 0 to 1; answers are sorted by it.
    pub relevance: f32,
    /// Records that say the same and answer no better.
    pub also: Vec<usize>,
}

/// The answers to a question, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// Number of matches, before the limit.
    pub total: usize,
    /// The best of them.
    pub hits: Vec<RecallHit>,
}

/// A record that holds words of a question.
#[derive(Clone, Copy)]
struct Scored {
    record: usize,
    /// Score of its words.
    words: f32,
    /// Factor of age, state, confidence and nearness.
    prior: f32,
    relevance: f32,
}

/// An index over memories, in memory. A function of the records; rebuilt when they change.
pub struct Recall {
    records: Arc<[Record]>,
    vocabulary: Vocabulary,
    /// Directions of the whole records.
    meanings: Vectors,
    /// Contexts of the words in these records.
    company: Company,
    /// Whether words of like meaning count, not only those of the question and of like spelling.
    by_meaning: bool,
    /// Claims of the records, computed on demand.
    claims: Vec<OnceLock<Claim>>,
}

impl fmt::Debug for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recall").field("records", &self.records.len()).finish_non_exhaustive()
    }
}

impl Recall {
    /// The index over these records.
    #[must_use]
    pub fn new(records: Arc<[Record]>) -> Self {
        Self { by_meaning: true, ..Self::by_words(records) }
    }

    /// Like [`Recall::new`], for answers that only words give: those of the question, of like spelling, and short
    /// forms.
    #[must_use]
    pub fn by_words(records: Arc<[Record]>) -> Self {
        let embedding = Embedding::built_in();
        let vocabulary = Vocabulary::of(&records, embedding);
        let plain: Vec<Vector> =
            weighted_terms(&vocabulary, records.len()).into_iter().map(|terms| embedding.of_terms(terms)).collect();
        let meanings = Vectors::of(embedding.id(), &plain);
        let company = Company::of(&vocabulary, &plain, embedding.id());
        let claims = records.iter().map(|_| OnceLock::new()).collect();
        Self { records, vocabulary, meanings, company, claims, by_meaning: false }
    }

    /// The searched records.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Similarity of the texts of two records, -1 to 1.
    #[must_use]
    pub fn cosine(&self, one: usize, other: usize) -> f32 {
        self.meanings.get(one).map_or(0.0, |vector| self.meanings.cosine(&vector, other))
    }

    /// Returns whether two records say the same: nearly the same words, the same numbers, no negation more or less.
    #[must_use]
    pub fn is_same(&self, one: usize, other: usize) -> bool {
        one < self.records.len() && other < self.records.len() && groups::is_same(self, one, other)
    }

    /// Returns the memories that answer a question. Empty if none does, or if the question contains no informative
    /// word.
    #[must_use]
    pub fn search(&self, query: &RecallQuery<'_>) -> Recalled {
        let question = &query.text[..query.text.floor_char_boundary(MAX_QUESTION)];
        let terms = self.terms(question);
        let scores = self.scores(&terms);
        let mut found: Vec<Scored> = Vec::new();
        for (record, words) in scores {
            let text = &self.records[record];
            if query.kinds.is_empty() || query.kinds.contains(&text.kind) {
                let prior = prior(text, query);
                let relevance = relevance(words) * prior;
                if relevance >= MIN_RELEVANCE {
                    found.push(Scored { record, words, prior, relevance: relevance.min(1.0) });
                }
            }
        }
        self.look_closer(question, &terms, &mut found);
        let ranked: Vec<(usize, f32)> = found.iter().map(|scored| (scored.record, scored.relevance)).collect();
        let groups = groups::fold(self, &ranked);
        let total = groups.len();
        let hits = groups.into_iter().take(query.limit);
        let hits = hits.map(|(record, relevance, also)| RecallHit { record, relevance, also }).collect();
        Recalled { total, hits }
    }

    fn claim(&self, record: usize) -> &Claim {
        self.claims[record].get_or_init(|| Claim::of(&self.records[record].content))
    }

    /// Sorts answers, after re-ranking the best of them.
    fn look_closer(&self, question: &str, terms: &[(String, f32)], found: &mut [Scored]) {
        let best = found.len().min(MAX_LOOKED_AT);
        if best < found.len() {
            found.select_nth_unstable_by(best, |a, b| self.compare(a, b));
        }
        let meaning = Meaning { directions: &self.meanings, company: &self.company };
        let look = Look::new(question, terms, &self.vocabulary, self.by_meaning.then_some(meaning));
        let phrase = (terms.len() > 1).then(|| space_words(question));
        for scored in &mut found[..best] {
            let text = &self.records[scored.record];
            let is_phrase = phrase.as_ref().is_some_and(|phrase| {
                let is_in = |text: &str| space_words(text).contains(phrase);
                look.may_hold_question(scored.record) && (is_in(&text.content) || is_in(&text.title))
            });
            let more = look.worth(scored.record, &text.content) + if is_phrase { PHRASE } else { 0.0 };
            scored.relevance = (relevance(scored.words + more) * scored.prior).min(1.0);
        }
        found.sort_unstable_by(|a, b| self.compare(a, b));
    }

    /// Total order of answers: the more relevant, then the newer, then the identity.
    fn compare(&self, a: &Scored, b: &Scored) -> Ordering {
        let by_relevance = b.relevance.total_cmp(&a.relevance);
        by_relevance.then_with(|| {
            let (one, other) = (&self.records[a.record], &self.records[b.record]);
            other.date.cmp(&one.date).then(one.id.cmp(&other.id)).then(a.record.cmp(&b.record))
        })
    }

    /// The distinct words of a question that say something, with how much they tell.
    fn terms(&self, question: &str) -> Vec<(String, f32)> {
        let mut terms: Vec<(String, f32)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        terms_of(question, |term| {
            if seen.insert(term.to_owned()) {
                terms.push((term.to_owned(), self.vocabulary.telling(term, Embedding::built_in())));
            }
        });
        // Stable: of equally telling words the earlier ones stay.
        terms.sort_by(|a, b| b.1.total_cmp(&a.1));
        terms.truncate(MAX_TERMS);
        terms
    }

    /// Word score of each record, relative to 1 for each word of the question; in record order.
    fn scores(&self, terms: &[(String, f32)]) -> Vec<(usize, f32)> {
        let embedding = Embedding::built_in();
        let whole: f32 = terms.iter().map(|(_, rarity)| rarity).sum();
        let mut sums = vec![0.0f32; self.records.len()];
        let mut best = vec![0.0f32; self.records.len()];
        let mut touched: Vec<u32> = Vec::new();
        for (term, rarity) in terms {
            for (word, likeness) in self.vocabulary.alike(term, embedding, self.by_meaning) {
                let likeness = flatten_score(likeness);
                for posting in self.vocabulary.postings(word) {
                    let worth = likeness * posting.worth;
                    let kept = &mut best[posting.record as usize];
                    if *kept == 0.0 {
                        touched.push(posting.record);
                    }
                    *kept = kept.max(worth);
                }
            }
            for record in touched.drain(..) {
                sums[record as usize] += best[record as usize] * rarity / whole;
                best[record as usize] = 0.0;
            }
        }
        sums.into_iter().enumerate().filter(|(_, sum)| *sum > 0.0).collect()
    }
}

/// A score as a number that people read: about the share of the question that is answered, never quite 1.
fn relevance(score: f32) -> f32 {
    score.max(0.0).tanh()
}

/// Factor of age, state and confidence on a memory's relevance, plus nearness.
fn prior(record: &Record, query: &RecallQuery<'_>) -> f32 {
    let recency = if record.is_key { 1.0 } else { recency(record, query.today) };
    let superseded = if record.superseded_by.is_some() { SUPERSEDED } else { 1.0 };
    let resolved = if record.status == Some(Status::Resolved) { RESOLVED } else { 1.0 };
    let confidence = CONFIDENCE_FLOOR + (1.0 - CONFIDENCE_FLOOR) * record.confidence.clamp(0.0, 1.0);
    let near = query.near.map_or(0.0, |near| near(record).clamp(0.0, 1.0));
    recency * superseded * resolved * confidence * (1.0 + NEAR * near)
}

/// 1 for today, decreasing to a floor; 1 without a date.
fn recency(record: &Record, today: Option<Date>) -> f32 {
    let (Some(today), Some(date)) = (today, record.date) else { return 1.0 };
    let days = (today - date).get_days().max(0) as f32;
    RECENCY_FLOOR + (1.0 - RECENCY_FLOOR) * (-days / half_life(record.kind)).exp2()
}

/// The words of a text between single blanks, in lower case.
fn space_words(text: &str) -> String {
    let mut out = String::from(" ");
    m1nd_search::words::identifiers(text, |word| {
        out.extend(word.chars().flat_map(char::to_lowercase));
        out.push(' ');
    });
    out
}

#[cfg(test)]
mod tests;
