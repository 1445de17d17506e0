use std::collections::BTreeMap;

use m1nd_memory::Record;
use m1nd_search::words;

/// Common constants of BM25.
const SATURATION: f64 = 1.2;
const LENGTH_DISCOUNT: f64 = 0.75;

/// BM25 over content and path, with the tokenisation of the index.
pub(super) struct Bm25 {
    counts: Vec<BTreeMap<String, f64>>,
    lengths: Vec<f64>,
    mean_length: f64,
    with: BTreeMap<String, f64>,
}

impl Bm25 {
    pub(super) fn of(records: &[Record]) -> Self {
        let counts: Vec<BTreeMap<String, f64>> =
            records.iter().map(|record| counts_of(&format!("{}\n{}", record.content, record.source.file))).collect();
        let lengths: Vec<f64> = counts.iter().map(|counts| counts.values().sum()).collect();
        let mut with: BTreeMap<String, f64> = BTreeMap::new();
        counts.iter().flat_map(BTreeMap::keys).for_each(|term| *with.entry(term.clone()).or_default() += 1.0);
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { counts, lengths, mean_length, with }
    }

    /// Numbers of the records that contain any word of the question, best first.
    pub(super) fn rank_records(&self, question: &str) -> Vec<usize> {
        let terms = counts_of(question);
        let all = self.counts.len() as f64;
        let score = |number: usize| -> f64 {
            let norm = SATURATION * (1.0 - LENGTH_DISCOUNT + LENGTH_DISCOUNT * self.lengths[number] / self.mean_length);
            let worth = terms.keys().filter_map(|term| {
                let (count, with) = (*self.counts[number].get(term)?, self.with[term]);
                Some((1.0 + (all - with + 0.5) / (with + 0.5)).ln() * count * (SATURATION + 1.0) / (count + norm))
            });
            worth.sum()
        };
        let mut scored: Vec<(usize, f64)> = (0..self.counts.len()).map(|number| (number, score(number))).collect();
        scored.retain(|(_, score)| *score > 0.0);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.into_iter().map(|(number, _)| number).collect()
    }
}

fn counts_of(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    words::terms(text, |term| {
        if !words::is_stop_word(term) {
            *counts.entry(term.to_owned()).or_default() += 1.0;
        }
    });
    counts
}
