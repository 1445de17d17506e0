use super::strength;
use super::table::Embedding;
use super::vector::{DIMENSIONS, Vector};
use crate::terms::{FIELD_COUNT, FileTerms, PostingsReader, USED_NAME, WHOLE_NAME};

/// Weight of one occurrence in each field in the vector of an entry, in the order of [`FIELDS`](crate::FIELDS). The
/// body contains header and name again.
pub const FIELD_SHARES: [f32; FIELD_COUNT] = [2.0, 1.0, 1.0, 2.0, 0.5, 1.0, 1.0];

impl Embedding {
    /// The stored vectors of all entries of a file, in order. Depends only on the terms and the table.
    pub fn of_entries(&self, file: &FileTerms) -> Vec<Vector> {
        self.of_entries_by(file, &FIELD_SHARES)
    }

    /// Like [`Self::of_entries`], with other field weights.
    pub fn of_entries_by(&self, file: &FileTerms, shares: &[f32; FIELD_COUNT]) -> Vec<Vector> {
        let mut sums = vec![[0.0; DIMENSIONS]; file.entry_count()];
        let mut row = [0.0; DIMENSIONS];
        for (term, postings) in file.terms() {
            if term.starts_with([WHOLE_NAME, USED_NAME]) {
                continue;
            }
            row.fill(0.0);
            if !self.add(&mut row, term, 1.0) {
                continue;
            }
            for (entry, counts) in PostingsReader::new(postings) {
                let Some(sum) = sums.get_mut(entry as usize) else { continue };
                let count: f32 = counts.0.iter().zip(shares).map(|(count, share)| f32::from(*count) * share).sum();
                let weight = strength(count);
                sum.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value * weight);
            }
        }
        sums.iter().map(|sum| Vector::from_sum(sum).stored()).collect()
    }
}
