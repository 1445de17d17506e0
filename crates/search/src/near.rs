//! Vectors of an index: those of the base are stored beside it, those of changed files are computed on first use.

use std::collections::BinaryHeap;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};

use crate::base::SharedBytes;
use crate::embedding::{Asked, Embedding, Vector, Vectors, VectorsBuilder, VectorsError, has_vector};
use crate::index::{BaseVectors, Index, IndexedFile, Segment, Source};
use crate::terms::EntryHead;

/// Marks a document without a vector.
pub(crate) const NO_NUMBER: u32 = u32::MAX;
/// Marks an entry without a vector; no cosine is as low.
pub(crate) const NOWHERE: f32 = -2.0;
/// Minimum cosine for an entry to be found by meaning alone; unrelated texts are around 0.
pub const LEAST_NEAR: f64 = 0.2;

/// The vectors of the entries of files in their order, as bytes for [`Index::with_vectors`].
pub(crate) fn encode<'f>(
    files: impl Iterator<Item = &'f IndexedFile>,
    table: &Embedding,
    cancel: &Cancel,
) -> Result<Vec<u8>, Cancelled> {
    let mut builder = VectorsBuilder::new(table.id());
    for file in files {
        cancel.check()?;
        let vectors = table.of_entries(file.terms());
        let with = file.heads().iter().zip(&vectors).filter(|(head, _)| has_vector(head.kind));
        with.for_each(|(_, vector)| builder.push(vector));
    }
    Ok(builder.finish())
}

impl Index {
    /// Attaches the vectors of the base, as built by [`IndexBuilder::vectors`](crate::IndexBuilder::vectors).
    ///
    /// # Errors
    /// Foreign or truncated bytes, another table, or vectors of another index.
    pub fn with_vectors(mut self, bytes: SharedBytes, table: &Embedding) -> Result<Self, VectorsError> {
        let vectors = Vectors::from_bytes(bytes, table.id())?;
        let documents = self.base.as_ref().map_or(0, |base| base.document_count());
        let mut next = 0;
        let mut number = |head: Option<EntryHead>| match head.is_some_and(|head| has_vector(head.kind)) {
            true => {
                next += 1;
                next - 1
            }
            false => NO_NUMBER,
        };
        let base = self.base.as_ref();
        let numbers: Vec<u32> = (0..documents).map(|at| number(base.and_then(|base| base.head(at)))).collect();
        if next as usize != vectors.len() {
            return Err(VectorsError::Damaged);
        }
        self.vectors = Some(BaseVectors { vectors, table: table.id(), numbers: Arc::new(numbers) });
        Ok(self)
    }

    /// Returns whether entries can be compared by vectors of this table.
    pub fn has_vectors(&self, table: &Embedding) -> bool {
        match &self.base {
            Some(base) if base.document_count() > 0 => {
                self.vectors.as_ref().is_some_and(|vectors| vectors.table == table.id())
            }
            _ => true,
        }
    }

    /// Similarity of each entry of `segments` to a query, in order; [`NOWHERE`] for entries without a vector.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn nearness(
        &self,
        segments: &[Segment<'_>],
        table: &Embedding,
        query: &Vector,
        asked: &Asked,
        cancel: &Cancel,
    ) -> Result<Vec<f32>, Cancelled> {
        cancel.check()?;
        let entries = segments.iter().map(|segment| segment.count as usize).sum();
        let mut found = Vec::with_capacity(entries);
        for segment in segments {
            let end = found.len() + segment.count as usize;
            match &segment.source {
                Source::Base(first) => self.base_nearness(*first, segment.count, asked, &mut found),
                Source::Overlay(file) => {
                    let entries = file.heads().iter().zip(file.vectors(table));
                    let near = |(head, vector): (&EntryHead, &Vector)| match has_vector(head.kind) {
                        // Same order of factors as in the scan of a base.
                        true => query.cosine(vector),
                        false => NOWHERE,
                    };
                    found.extend(entries.map(near));
                }
            }
            // Damaged bytes must not shift the following entries.
            found.resize(end, NOWHERE);
        }
        Ok(found)
    }

    fn base_nearness(&self, first: u32, count: u32, query: &Asked, found: &mut Vec<f32>) {
        let Some(base) = &self.vectors else { return };
        let (start, end) = (first as usize, first as usize + count as usize);
        let numbers = base.numbers.get(start..end).unwrap_or(&[]);
        let cosines = base.vectors.reader(query);
        found.extend(numbers.iter().map(|number| match number {
            &NO_NUMBER => NOWHERE,
            number => cosines.cosine(*number as usize).unwrap_or(NOWHERE),
        }));
    }
}

/// Numbers of the `k` largest values of at least [`LEAST_NEAR`] that pass `filter`, largest first; ties by number.
pub(crate) fn largest(values: &[f32], k: usize, mut filter: impl FnMut(u32) -> bool) -> Vec<u32> {
    #[derive(PartialEq)]
    struct Worst(f32, u32);
    impl Eq for Worst {}
    impl Ord for Worst {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            other.0.total_cmp(&self.0).then(self.1.cmp(&other.1))
        }
    }
    impl PartialOrd for Worst {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    let mut best: BinaryHeap<Worst> = BinaryHeap::with_capacity(k + 1);
    for (number, value) in values.iter().enumerate() {
        let one = Worst(*value, number as u32);
        let is_better = best.len() < k || best.peek().is_some_and(|worst| one < *worst);
        if is_better && k > 0 && f64::from(*value) >= LEAST_NEAR && filter(one.1) {
            best.push(one);
            if best.len() > k {
                best.pop();
            }
        }
    }
    best.into_sorted_vec().into_iter().map(|one| one.1).collect()
}
