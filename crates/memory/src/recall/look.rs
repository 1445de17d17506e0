//! Re-ranking of the best matches by words: adjacency of the question's words, spelling of the whole text, meaning by
//! the vector table, and similarity of contexts.
//!
//! The weights of the four were chosen on six projects' histories by cross-validation; see `eval/README.md`.

use m1nd_search::embedding::{Embedding, Vector, Vectors};
use m1nd_search::words;
use rustc_hash::FxHashMap;

use super::company::{self, Company};
use super::words::{Vocabulary, add_pieces, terms_of};

/// Maximum number of memories to re-rank.
pub(super) const MAX_LOOKED_AT: usize = 100;
/// Bytes of a memory that are read.
const MAX_READ: usize = 8192;
/// Weight of a long question whose words are all adjacent in the memory, in order; a shorter one gets less.
const PAIRS: f32 = 0.15;
/// Weight of equal spelling.
const SPELLING: f32 = 0.4;
/// Weight of equal contexts.
const COMPANY: f32 = 0.25;
/// Weight of equal direction.
const DIRECTION: f32 = 0.2;

/// Meaning of the records beyond their words.
#[derive(Clone, Copy)]
pub(super) struct Meaning<'v> {
    /// Directions of the whole records.
    pub(super) directions: &'v Vectors,
    /// Contexts of their words in these records.
    pub(super) company: &'v Company,
}

/// A question, ready to be compared with records.
pub(super) struct Look<'v> {
    vocabulary: &'v Vocabulary,
    /// Words that follow each other, with their share of the question.
    pairs: Vec<((u32, u32), f32)>,
    pieces: Pieces,
    /// Meaning of the question; `None` if only words count.
    meant: Option<Meant<'v>>,
}

/// Meaning of a question.
struct Meant<'v> {
    meaning: Meaning<'v>,
    direction: Vector,
    company: company::Question,
}

impl<'v> Look<'v> {
    /// `terms` are the question's distinct words with their weights.
    pub(super) fn new(
        question: &str,
        terms: &[(String, f32)],
        vocabulary: &'v Vocabulary,
        meaning: Option<Meaning<'v>>,
    ) -> Self {
        let weights: FxHashMap<u32, f32> =
            terms.iter().filter_map(|(term, weight)| Some((vocabulary.number(term)?, *weight))).collect();
        let whole: f32 = terms.iter().map(|(_, weight)| weight).sum();
        let mut pairs: Vec<((u32, u32), f32)> = Vec::new();
        let mut before: Option<u32> = None;
        terms_of(question, |term| {
            let number = vocabulary.number(term).filter(|number| weights.contains_key(number));
            if let (Some(one), Some(other)) = (before, number)
                && one != other
                && pairs.iter().all(|(pair, _)| *pair != (one, other))
            {
                pairs.push(((one, other), (weights[&one] + weights[&other]) / (2.0 * whole)));
            }
            before = number;
        });
        let meant = meaning.map(|meaning| Meant {
            meaning,
            // All words have the same weight, because the length of a word's vector reflects how informative it is.
            direction: Embedding::built_in().of_terms(terms.iter().map(|(term, _)| (term.as_str(), 1.0))),
            company: meaning.company.of_question(vocabulary, terms),
        });
        Self { vocabulary, pairs, pieces: Pieces::of(question, vocabulary), meant }
    }

    /// Score of a record beyond its single words.
    pub(super) fn worth(&self, record: usize, text: &str) -> f32 {
        let spelling = self.pieces.cosine(&Pieces::of(&text[..text.floor_char_boundary(MAX_READ)], self.vocabulary));
        let meaning = self.meant.as_ref().map_or(0.0, |meant| meant.worth(self.vocabulary, record));
        self.beside(record) * PAIRS + spelling * SPELLING + meaning
    }

    /// Returns whether a record may hold the question as it is: all words that follow each other in it do so there.
    pub(super) fn may_hold_question(&self, record: usize) -> bool {
        self.pairs.iter().all(|(pair, _)| self.is_beside(record, *pair))
    }

    fn beside(&self, record: usize) -> f32 {
        self.pairs.iter().filter(|(pair, _)| self.is_beside(record, *pair)).map(|(_, share)| share).sum()
    }

    fn is_beside(&self, record: usize, (one, other): (u32, u32)) -> bool {
        self.vocabulary.sequence(record).array_windows().any(|[a, b]| *a == one && *b == other)
    }
}

impl Meant<'_> {
    fn worth(&self, vocabulary: &Vocabulary, record: usize) -> f32 {
        let company = self.meaning.company.likeness(vocabulary, &self.company, record);
        let direction = self.meaning.directions.cosine(&self.direction, record).max(0.0);
        company * COMPANY + direction * DIRECTION
    }
}

/// Three-byte pieces of a text's words, in order, weighted by rarity and number of occurrences.
struct Pieces {
    weights: Vec<([u8; 3], f32)>,
    length: f32,
}

impl Pieces {
    fn of(text: &str, vocabulary: &Vocabulary) -> Self {
        let lower = text.to_lowercase();
        let mut all: Vec<[u8; 3]> = Vec::with_capacity(lower.len());
        for word in lower.split(|char: char| !char.is_alphanumeric()) {
            if !word.is_empty() && word.len() <= words::MAX_WORD && !words::is_stop_word(word) {
                add_pieces(word, &mut all);
            }
        }
        all.sort_unstable();
        let mut squares = 0.0;
        let weigh = |same: &[[u8; 3]]| {
            let weight = (1.0 + (same.len() as f32).ln()) * vocabulary.rarity_of_piece(same[0]);
            squares += weight * weight;
            (same[0], weight)
        };
        let weights = all.chunk_by(|a, b| a == b).map(weigh).collect();
        Self { weights, length: squares.sqrt() }
    }

    fn cosine(&self, other: &Self) -> f32 {
        let mut theirs = other.weights.iter().peekable();
        let mut product = 0.0;
        for (piece, own) in &self.weights {
            while theirs.next_if(|(other, _)| other < piece).is_some() {}
            if let Some((_, weight)) = theirs.next_if(|(other, _)| other == piece) {
                product += own * weight;
            }
        }
        if product > 0.0 { product / (self.length * other.length) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::recall;
    use super::*;
    use crate::Kind;

    fn worth(question: &str, text: &str) -> f32 {
        let texts = [text, "read the index of postings", "write the postings anew", "a cache of pages"];
        let recall = recall(&texts.map(|text| (Kind::Learning, text)));
        let meaning = Meaning { directions: &recall.meanings, company: &recall.company };
        Look::new(question, &recall.terms(question), &recall.vocabulary, Some(meaning)).worth(0, text)
    }

    #[test]
    fn order_counts_and_so_does_spelling() {
        let question = "cache pages";
        assert!(worth(question, "cache pages early") > worth(question, "pages cache early") + 0.4 * PAIRS);
        assert!(worth("deprecation", "deprecated") > worth("deprecation", "window"));
        let all = worth(question, question) - PAIRS / 2.0 - SPELLING;
        let most = COMPANY + DIRECTION;
        assert!((0.9 * most..most + 1e-3).contains(&all), "{all}");
        for nothing in ["", "?!", "zzz"] {
            let worth = worth(question, nothing);
            assert!(worth < 0.3 * DIRECTION, "{nothing} {worth}: only the words of the path have a direction");
        }
    }
}
