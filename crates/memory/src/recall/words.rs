//! Vocabulary of memories: words, postings, and similarity of words.

use m1nd_search::embedding::{Embedding, Vector, Vectors, is_embedded};
use m1nd_search::{synonyms, words};
use rustc_hash::FxHashMap;

use crate::Record;
use crate::acronyms::singular_acronyms;

/// Saturation of repeated words (BM25 `k1`).
const SATURATION: f32 = 0.6;
/// Length normalisation (BM25 `b`).
const LENGTH_DISCOUNT: f32 = 0.65;
/// Exponent of the score of a question word: below 1, two half matches are better than one full match.
const FLATTENING: f32 = 0.85;
/// Additional weight of a word in the title, which is repeated in the content.
const TITLE_WEIGHT: f32 = 1.0;
/// Cosines of two words below this say nothing; from here likeness grows to [`MEANING`].
const MEANING_FROM: f32 = 0.3;
/// Likeness of two words whose vectors are the same.
const MEANING: f32 = 0.8;
/// Minimum share of common trigrams for the spelling of two words to count.
const SPELLING_FROM: f32 = 0.5;
/// Likeness of two words with the same pieces.
const SPELLING: f32 = 0.8;
/// Likeness of a word to a compound that begins or ends with it, times the root of the share it makes up.
const PART: f32 = 0.5;
/// Fewest bytes of a word that may be part of a compound.
const MIN_PART: usize = 3;
/// Likeness of short forms of the same word (`db`, `database`).
const SHORT_FORM: f32 = 0.8;
/// Largest likeness of two different words.
const MOST: f32 = 0.95;

/// Fewest digits of a number that names one thing.
const LONG_NUMBER: usize = 3;
/// Weight of such a number.
const REFERENCE: f32 = 4.0;
/// Influence of a word's rarity on its weight.
const RARITY: f32 = 0.9;
/// Influence of the length of a word's vector on its weight: 0 for none, 1 for proportional.
const TELLING: f32 = 0.75;
/// Bounds of vector lengths, and the default for a word without a row in the table.
const LEAST_TELLING: f32 = 0.25;
const MOST_TELLING: f32 = 1.3;
const UNSEEN: f32 = 1.1;
/// Records that are taken to have a word, where only words are counted.
const RECORDS_A_WORD: f32 = 4.0;

/// Calls `each` with every informative index term of a text.
pub(super) fn terms_of(text: &str, mut each: impl FnMut(&str)) {
    words::terms(&singular_acronyms(text), |term| {
        if !words::is_stop_word(term) {
            each(term);
        }
    });
}

/// A record that has a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) record: u32,
    /// Number of occurrences.
    count: f32,
    /// Score for a question with this very word; about 1 if a record of average length contains it once.
    pub(super) worth: f32,
}

/// All words of a collection of records.
pub(super) struct Vocabulary {
    numbers: FxHashMap<Box<str>, u32>,
    words: Vec<Box<str>>,
    postings: Vec<Vec<Posting>>,
    /// Weighted number of words of each record.
    lengths: Vec<f32>,
    mean_length: f32,
    vectors: Vectors,
    /// Words by the pieces of three bytes that they hold, with marks of beginning and end.
    pieces: FxHashMap<[u8; 3], Vec<u32>>,
    /// Number of distinct trigrams of each word.
    piece_counts: Vec<u32>,
    /// The words of titles and contents of all records, one after the other, and where those of each end.
    sequences: Vec<u32>,
    sequence_ends: Vec<usize>,
}

impl Vocabulary {
    pub(super) fn of(records: &[Record], embedding: &Embedding) -> Self {
        let mut vocabulary = Self {
            numbers: FxHashMap::default(),
            words: Vec::new(),
            postings: Vec::new(),
            lengths: Vec::with_capacity(records.len()),
            mean_length: 1.0,
            vectors: Vectors::of(embedding.id(), []),
            pieces: FxHashMap::default(),
            piece_counts: Vec::new(),
            sequences: Vec::new(),
            sequence_ends: Vec::with_capacity(records.len()),
        };
        let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
        for (record, text) in records.iter().enumerate() {
            counts.clear();
            fields(text, |field, text, weight| {
                terms_of(text, |term| {
                    let word = vocabulary.add(term);
                    *counts.entry(word).or_default() += weight;
                    if field == Field::Text {
                        vocabulary.sequences.push(word);
                    }
                });
            });
            vocabulary.sequence_ends.push(vocabulary.sequences.len());
            for (word, count) in &counts {
                vocabulary.postings[*word as usize].push(Posting { record: record as u32, count: *count, worth: 0.0 });
            }
            vocabulary.lengths.push(counts.values().sum());
        }
        if !records.is_empty() {
            vocabulary.mean_length = (vocabulary.lengths.iter().sum::<f32>() / records.len() as f32).max(1.0);
        }
        vocabulary.weigh();
        vocabulary.index(embedding);
        vocabulary
    }

    /// Computes the score of each posting: flattened BM25 without inverse document frequency.
    fn weigh(&mut self) {
        for posting in self.postings.iter_mut().flatten() {
            let length = self.lengths[posting.record as usize] / self.mean_length;
            let norm = SATURATION * (1.0 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * length);
            posting.worth = flatten_score(posting.count * (SATURATION + 1.0) / (posting.count + norm));
        }
    }

    fn add(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(term.into(), number);
        self.words.push(term.into());
        self.postings.push(Vec::new());
        number
    }

    fn index(&mut self, embedding: &Embedding) {
        let vectors: Vec<Vector> = self.words.iter().map(|word| embedding.of_terms([(&**word, 1.0)])).collect();
        self.vectors = Vectors::of(embedding.id(), &vectors);
        for (number, word) in self.words.iter().enumerate() {
            let pieces = if is_number(word) { Vec::new() } else { pieces_of(word) };
            self.piece_counts.push(pieces.len() as u32);
            for piece in pieces {
                self.pieces.entry(piece).or_default().push(number as u32);
            }
        }
    }

    /// The number of a word, if a record has it.
    pub(super) fn number(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    pub(super) fn postings(&self, word: u32) -> &[Posting] {
        self.postings.get(word as usize).map_or(&[], |postings| postings)
    }

    /// The words of a record's title and content, in their order.
    pub(super) fn sequence(&self, record: usize) -> &[u32] {
        let start = record.checked_sub(1).map_or(0, |before| self.sequence_ends[before]);
        self.sequence_ends.get(record).map_or(&[], |end| &self.sequences[start..*end])
    }

    /// Weight of a word: the inverse document frequency of BM25, always positive. Highest for words that no record
    /// contains.
    pub(super) fn rarity(&self, term: &str) -> f32 {
        self.rarity_of(self.number(term).map_or(0, |number| self.postings(number).len()))
    }

    /// Inverse document frequency of a word in the given number of records.
    pub(super) fn rarity_of(&self, records: usize) -> f32 {
        let (with, all) = (records as f32, self.lengths.len() as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Weight of a question word: its rarity here, reduced for words that are uninformative anywhere, and increased
    /// for a long number in a memory, because it identifies something (an issue, a port).
    pub(super) fn telling(&self, term: &str, embedding: &Embedding) -> f32 {
        let rarity = self.rarity(term).powf(RARITY);
        if is_number(term) {
            return if term.len() >= LONG_NUMBER && self.number(term).is_some() { rarity * REFERENCE } else { rarity };
        }
        // Words missing in training are only known to be rare.
        let magnitude = if embedding.knows(term) { embedding.magnitude(term) } else { UNSEEN };
        rarity * magnitude.clamp(LEAST_TELLING, MOST_TELLING).powf(TELLING)
    }

    /// Inverse document frequency of a trigram.
    pub(super) fn rarity_of_piece(&self, piece: [u8; 3]) -> f32 {
        let words = self.pieces.get(&piece).map_or(0, Vec::len) as f32;
        let all = self.lengths.len() as f32;
        let with = (words * RECORDS_A_WORD).min(all);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Words of the collection similar to `term`, with their similarity, 0 to 1; 1 is the word itself. Without
    /// `by_meaning` only spelling and abbreviations count.
    pub(super) fn alike(&self, term: &str, embedding: &Embedding, by_meaning: bool) -> Vec<(u32, f32)> {
        // The evidence against likeness, which is multiplied.
        let mut unlike: FxHashMap<u32, f32> = FxHashMap::default();
        let mut add = |word: u32, likeness: f32| *unlike.entry(word).or_insert(1.0) *= 1.0 - likeness.min(MOST);
        if by_meaning && is_embedded(term) {
            let vector = embedding.of_terms([(term, 1.0)]);
            for (word, cosine) in self.vectors.cosines(&vector, 0..self.words.len()).enumerate() {
                let above = (cosine - MEANING_FROM) / (1.0 - MEANING_FROM);
                if above > 0.0 {
                    add(word as u32, above * MEANING);
                }
            }
        }
        self.spelt_like(term, &mut add);
        for other in synonyms(term) {
            if let Some(word) = self.number(other) {
                add(word, SHORT_FORM);
            }
        }
        let own = self.number(term);
        let others = unlike.into_iter().filter(|(word, _)| Some(*word) != own);
        let mut found: Vec<(u32, f32)> = others.map(|(word, unlike)| (word, (1.0 - unlike) * MOST)).collect();
        found.extend(own.map(|word| (word, 1.0)));
        found.sort_unstable_by_key(|(word, _)| *word);
        found
    }

    /// Words of similar spelling and compounds. Numbers are like none but themselves: 13292 has nothing to do with
    /// 13293.
    fn spelt_like(&self, term: &str, add: &mut impl FnMut(u32, f32)) {
        if is_number(term) {
            return;
        }
        let mut shared: FxHashMap<u32, u32> = FxHashMap::default();
        let own = pieces_of(term);
        for piece in &own {
            for word in self.pieces.get(piece).map_or(&[][..], |words| words) {
                *shared.entry(*word).or_default() += 1;
            }
        }
        for (number, count) in shared {
            let word = &self.words[number as usize];
            let share = 2.0 * count as f32 / (own.len() as u32 + self.piece_counts[number as usize]) as f32;
            let spelling = ((share - SPELLING_FROM) / (1.0 - SPELLING_FROM)).max(0.0) * SPELLING;
            add(number, spelling.max(part_of(term, word)));
        }
    }
}

/// Flattens a score or a similarity of a word, before both are multiplied.
pub(super) fn flatten_score(worth: f32) -> f32 {
    worth.powf(FLATTENING)
}

/// Similarity of a compound and its part: `fixture` and `fixturedef`.
fn part_of(one: &str, other: &str) -> f32 {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() < MIN_PART || !(long.starts_with(short) || long.ends_with(short)) {
        return 0.0;
    }
    PART * (short.len() as f32 / long.len() as f32).sqrt()
}

/// The distinct pieces of three bytes of a word between marks, in order.
fn pieces_of(word: &str) -> Vec<[u8; 3]> {
    let mut pieces = Vec::with_capacity(word.len());
    add_pieces(word, &mut pieces);
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// Adds the pieces of three bytes of a word between marks.
pub(super) fn add_pieces(word: &str, pieces: &mut Vec<[u8; 3]>) {
    match word.as_bytes() {
        [] => {}
        [only] => pieces.push([b'<', *only, b'>']),
        bytes @ [first, second, ..] => {
            pieces.push([b'<', *first, *second]);
            pieces.extend(bytes.array_windows::<3>());
            pieces.push([bytes[bytes.len() - 2], bytes[bytes.len() - 1], b'>']);
        }
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text of a record is its content, or repeats or accompanies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Text,
    Other,
}

/// Calls `each` with the texts of a record and how much one word of each counts.
fn fields(record: &Record, mut each: impl FnMut(Field, &str, f32)) {
    let title = if record.content.contains(&*record.title) { Field::Other } else { Field::Text };
    each(title, &record.title, TITLE_WEIGHT);
    each(Field::Text, &record.content, 1.0);
    if let Some(reasoning) = record.reasoning.as_deref().filter(|reasoning| !record.content.contains(*reasoning)) {
        each(Field::Other, reasoning, 1.0);
    }
    each(Field::Other, &record.source.file, 1.0);
}

/// Sums of the words of each record, weighed by how much they tell, for a vector of its meaning.
pub(super) fn weighted_terms(vocabulary: &Vocabulary, records: usize) -> Vec<Vec<(&str, f32)>> {
    let mut terms = vec![Vec::new(); records];
    let mut numbers: Vec<u32> = (0..vocabulary.words.len() as u32).collect();
    // In order of the words, so that sums of floats come out the same everywhere.
    numbers.sort_unstable_by(|a, b| vocabulary.words[*a as usize].cmp(&vocabulary.words[*b as usize]));
    for number in numbers {
        let word = &*vocabulary.words[number as usize];
        for posting in vocabulary.postings(number) {
            let weight = m1nd_search::embedding::strength(posting.count);
            terms[posting.record as usize].push((word, weight));
        }
    }
    terms
}
