//! Meaning of words in one collection of memories, learnt from their contexts there.
//!
//! The vector table knows words from other projects. The meaning of `gireactor`, or that `fold` and `group` are
//! synonyms here, follows only from the memories themselves: the context of a word is the mean direction of the
//! records that contain it, minus the mean of all records, and a text is the sum of the contexts of its words,
//! weighted by how informative they are (second-order context vectors: Schütze, "Automatic Word Sense
//! Discrimination", 1998). Two texts without a common word are similar if their words occur in similar contexts.

use m1nd_search::embedding::{DIMENSIONS, Vector, Vectors};

use super::words::Vocabulary;

/// Fixed-point representation of 1: integer sums do not depend on the order of the records.
const ONE: f32 = 4096.0;

/// A sum of contexts, of any length.
type Direction = [f32; DIMENSIONS];

/// Context vector of a question in a collection.
pub(super) struct Question {
    direction: Direction,
    /// The share of its words, as far as they tell, that records have; of the others nothing is known.
    known: f32,
}

/// The contexts of all words of a collection.
pub(super) struct Company {
    contexts: Vectors,
}

impl Company {
    /// The contexts of the words in records with these directions, which were made with `table`.
    pub(super) fn of(vocabulary: &Vocabulary, records: &[Vector], table: u64) -> Self {
        let units: Vec<[i16; DIMENSIONS]> = records.iter().map(unit).collect();
        let mut whole = [0i64; DIMENSIONS];
        for row in &units {
            whole.iter_mut().zip(row).for_each(|(sum, value)| *sum += i64::from(*value));
        }
        let mean = whole.map(|sum| sum as f32 / records.len().max(1) as f32);
        let contexts: Vec<Vector> = (0..vocabulary.len() as u32)
            .map(|word| {
                let postings = vocabulary.postings(word);
                let mut sum = [0i32; DIMENSIONS];
                for posting in postings {
                    let row = &units[posting.record as usize];
                    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum = sum.saturating_add(i32::from(*value)));
                }
                let mut context = sum.map(|value| value as f32);
                context.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= postings.len() as f32 * mean);
                Vector::from_sum(&context)
            })
            .collect();
        Self { contexts: Vectors::of(table, &contexts) }
    }

    /// The direction of a question's words with their weights.
    pub(super) fn of_question(&self, vocabulary: &Vocabulary, terms: &[(String, f32)]) -> Question {
        let mut direction = [0.0; DIMENSIONS];
        let (mut known, mut whole) = (0.0, 0.0);
        for (term, weight) in terms {
            whole += weight;
            if let Some(word) = vocabulary.number(term) {
                known += weight;
                self.add(&mut direction, word, *weight);
            }
        }
        Question { direction, known: if whole > 0.0 { known / whole } else { 0.0 } }
    }

    /// Similarity of a record and a question by the contexts of their words, 0 to 1; lower if records contain only
    /// some of the question's words.
    pub(super) fn likeness(&self, vocabulary: &Vocabulary, question: &Question, record: usize) -> f32 {
        let mut words = vocabulary.sequence(record).to_vec();
        words.sort_unstable();
        words.dedup();
        let mut sum = [0.0; DIMENSIONS];
        for word in words {
            self.add(&mut sum, word, vocabulary.rarity_of(vocabulary.postings(word).len()));
        }
        cosine(&question.direction, &sum).max(0.0) * question.known
    }

    fn add(&self, sum: &mut Direction, word: u32, weight: f32) {
        let Some(context) = self.contexts.get(word as usize) else { return };
        let weight = weight * context.inverse_length();
        sum.iter_mut().zip(context.values()).for_each(|(sum, value)| *sum += f32::from(*value) * weight);
    }
}

/// The direction in whole numbers, with [`ONE`] as its length.
fn unit(vector: &Vector) -> [i16; DIMENSIONS] {
    let scale = vector.inverse_length() * ONE;
    vector.values().map(|value| (f32::from(value) * scale).round() as i16)
}

/// The cosine of two sums; 0 if one of them is nothing.
fn cosine(one: &Direction, other: &Direction) -> f32 {
    let product = |a: &Direction, b: &Direction| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let lengths = (product(one, one) * product(other, other)).sqrt();
    if lengths > 0.0 { (product(one, other) / lengths).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::tests::recall;
    use crate::Kind;

    #[test]
    fn words_are_alike_by_their_company() {
        let texts = [
            "blorf reads the parser of headers",
            "quux reads the parser of headers",
            "quux splits headers for the parser",
            "vexil draws the window of fonts",
            "fonts of the window",
            "quux",
        ];
        let recall = recall(&texts.map(|text| (Kind::Learning, text)));
        let likeness = |question: &str, record: usize| {
            let question = recall.company.of_question(&recall.vocabulary, &recall.terms(question));
            recall.company.likeness(&recall.vocabulary, &question, record)
        };
        assert!(likeness("blorf", 5) > likeness("vexil", 5) + 0.1, "blorf and quux stand with the parser of headers");
        assert!(likeness("blorf", 0) > 0.8 && likeness("blorf", 3) < 0.1);
        assert!(likeness("blorf zzz", 0) < 0.8, "of zzz nothing is known");
        for nothing in ["", "zzz"] {
            assert!(likeness(nothing, 0).abs() < f32::EPSILON, "{nothing}");
        }
    }
}
