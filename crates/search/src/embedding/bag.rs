use super::table::{ComposedVectors, Embedding};
use super::vector::{DIMENSIONS, Vector};
use super::{has_vector, strength};
use crate::terms::{FIELD_COUNT, FileTerms, PostingsReader, USED_NAME, WHOLE_NAME};

/// Weight of one occurrence in each field in the vector of an entry, in the order of [`FIELDS`](crate::FIELDS). The
/// body contains header and name again.
pub const FIELD_SHARES: [f32; FIELD_COUNT] = [2.0, 1.0, 1.0, 2.0, 0.5, 1.0, 1.0];

impl Embedding {
    /// The stored vectors of the entries of a file, in order; nothing for those of kinds without a vector. Depends only
    /// on the terms and the table.
    pub fn of_entries(&self, file: &FileTerms) -> Vec<Vector> {
        self.of_next_entries(file, &mut ComposedVectors::default())
    }

    /// Like [`Self::of_entries`], of one of several files.
    pub fn of_next_entries(&self, file: &FileTerms, composed: &mut ComposedVectors) -> Vec<Vector> {
        let wanted: Vec<bool> = file.heads().iter().map(|head| has_vector(head.kind)).collect();
        self.of_some(file, &wanted, &FIELD_SHARES, composed)
    }

    /// Like [`Self::of_entries`], of all entries, with other field weights.
    pub fn of_entries_by(&self, file: &FileTerms, shares: &[f32; FIELD_COUNT]) -> Vec<Vector> {
        self.of_some(file, &vec![true; file.entry_count()], shares, &mut ComposedVectors::default())
    }

    fn of_some(
        &self,
        file: &FileTerms,
        wanted: &[bool],
        shares: &[f32; FIELD_COUNT],
        composed: &mut ComposedVectors,
    ) -> Vec<Vector> {
        // The wanted entries have sums, each at a place of its own.
        let mut count = 0;
        let mut take_place = || {
            count += 1;
            count - 1
        };
        let places: Vec<Option<usize>> = wanted.iter().map(|wanted| wanted.then(&mut take_place)).collect();
        let mut sums = vec![[0.0; DIMENSIONS]; count];
        let mut row = [0.0; DIMENSIONS];
        for (term, postings) in file.terms() {
            if term.starts_with([WHOLE_NAME, USED_NAME]) {
                continue;
            }
            let mut is_known = None;
            for (entry, counts) in PostingsReader::new(postings) {
                let Some(place) = places.get(entry as usize).copied().flatten() else { continue };
                // The vector of the term, once an entry needs it.
                let is_known = *is_known.get_or_insert_with(|| self.read_vector(&mut row, term, composed));
                if !is_known {
                    break;
                }
                let sum = &mut sums[place];
                let mut sum_of_counts = 0.0;
                counts.for_each(|field, count| sum_of_counts += f32::from(count) * shares[field]);
                let weight = strength(sum_of_counts);
                sum.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value * weight);
            }
        }
        let vector =
            |place: &Option<usize>| place.map_or_else(Vector::default, |at| Vector::from_sum(&sums[at]).quantise());
        places.iter().map(vector).collect()
    }
}
