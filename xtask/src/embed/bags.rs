//! Pairs as weighted rows of the table: known words have their own row, others share the n-gram rows.

use m1nd_search::embedding::{BUCKETS, DIMENSIONS, TableRow, buckets_of, encode_table, strength};

use super::extract::TrainPair;
use super::train::Rows;

/// Minimum number of pairs for a word to get a row.
const MIN_PAIRS: u32 = 4;
/// Maximum terms per code, equal to the limit of an index for a body.
const MAX_TERMS: usize = 400;

/// The words that have a row.
pub(super) struct Vocabulary {
    /// Sorted; the position is the row.
    words: Vec<String>,
    /// Row of each term, by term number.
    row_of_term: Vec<Option<u32>>,
}

impl Vocabulary {
    /// The `most` words that occur in the most pairs.
    pub(super) fn of(pairs: &[TrainPair], terms: &[String], most: usize) -> Self {
        let mut counts = vec![0u32; terms.len()];
        for pair in pairs {
            pair.query.iter().chain(&pair.code).for_each(|(term, _)| counts[*term as usize] += 1);
        }
        let mut order: Vec<usize> = (0..terms.len()).filter(|term| counts[*term] >= MIN_PAIRS).collect();
        order.sort_by(|a, b| counts[*b].cmp(&counts[*a]).then_with(|| terms[*a].cmp(&terms[*b])));
        order.truncate(most);
        order.sort_by(|a, b| terms[*a].cmp(&terms[*b]));
        let mut row_of_term = vec![None; terms.len()];
        order.iter().enumerate().for_each(|(row, term)| row_of_term[*term] = Some(row as u32));
        println!("{} terms, {} of them get a row", terms.len(), order.len());
        Self { words: order.into_iter().map(|term| terms[term].clone()).collect(), row_of_term }
    }

    /// Number of rows, including n-gram rows.
    pub(super) fn rows(&self) -> usize {
        self.words.len() + BUCKETS as usize
    }

    /// Encodes the table.
    pub(super) fn encode(&self, rows: &Rows) -> Vec<u8> {
        let row = |number: usize| TableRow::quantise(rows.row(number));
        let words: Vec<(&str, TableRow)> =
            self.words.iter().enumerate().map(|(number, word)| (word.as_str(), row(number))).collect();
        let buckets: Vec<TableRow> = (self.words.len()..self.rows()).map(row).collect();
        encode_table(&words, &buckets)
    }
}

/// Rows with weights that sum to 1.
type Bag = Vec<(u32, f32)>;

/// All pairs, ready to train on.
pub(super) struct Bags {
    pub(super) pairs: Vec<(Bag, Bag)>,
    /// Numbers of pairs, grouped by file.
    pub(super) files: Vec<Vec<u32>>,
}

impl Bags {
    pub(super) fn of(pairs: &[TrainPair], terms: &[String], vocabulary: &Vocabulary) -> Self {
        let mut bags = Self { pairs: Vec::new(), files: Vec::new() };
        let mut last = None;
        for pair in pairs {
            let query = bag(&pair.query, terms, vocabulary);
            let code = bag(&pair.code, terms, vocabulary);
            // Too short to learn from.
            if query.len() < 2 || code.len() < 4 {
                continue;
            }
            if last != Some(pair.file) {
                bags.files.push(Vec::new());
                last = Some(pair.file);
            }
            let file = bags.files.last_mut().expect("pushed above");
            file.push(bags.pairs.len() as u32);
            bags.pairs.push((query, code));
        }
        bags
    }
}

fn bag(counts: &[(u32, u32)], terms: &[String], vocabulary: &Vocabulary) -> Bag {
    let mut bag = Bag::new();
    for (term, count) in counts.iter().take(MAX_TERMS) {
        let weight = strength(*count as f32);
        if let Some(row) = vocabulary.row_of_term[*term as usize] {
            bag.push((row, weight));
            continue;
        }
        let start = bag.len();
        let first = vocabulary.words.len() as u32;
        buckets_of(&terms[*term as usize], BUCKETS, |bucket| bag.push((first + bucket, weight)));
        let pieces = (bag.len() - start) as f32;
        bag[start..].iter_mut().for_each(|(_, weight)| *weight /= pieces);
    }
    let sum: f32 = bag.iter().map(|(_, weight)| weight).sum();
    bag.iter_mut().for_each(|(_, weight)| *weight /= sum.max(f32::MIN_POSITIVE));
    bag
}

/// Adds the weighted rows of a bag to `sum`.
pub(super) fn add_rows(rows: &Rows, bag: &[(u32, f32)], sum: &mut [f32; DIMENSIONS]) {
    for (row, weight) in bag {
        sum.iter_mut().zip(rows.row(*row as usize)).for_each(|(sum, value)| *sum += value * weight);
    }
}
