use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};

use super::dot::{HALF, dot_of_packed, pack_values, unpack_values};
use super::vector::{Asked, Vector};
use crate::SharedBytes;

const MAGIC: &[u8; 8] = b"m1ndvec3";
const HEADER: usize = MAGIC.len() + 8;
/// Size of the stored length of a vector, in bytes.
const LENGTH: usize = 4;
/// Vectors compared between two checks of the cancel flag.
const POLL: usize = 1 << 14;

/// The reason why bytes are not valid vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorsError {
    /// Not vectors, or truncated.
    #[error("the bytes are not vectors; rebuild them from the terms")]
    Damaged,
    /// Built with another table, so not comparable.
    #[error("the vectors were built with table {found:016x}, expected {expected:016x}; rebuild them from the terms")]
    OtherTable {
        /// Id of their table.
        found: u64,
        /// Id of the table in use.
        expected: u64,
    },
}

/// Collects vectors of one table, in order.
#[derive(Debug, Default)]
pub struct VectorsBuilder {
    table: u64,
    lengths: Vec<u8>,
    rows: Vec<u8>,
}

impl VectorsBuilder {
    /// A builder for vectors of the table with this id.
    pub fn new(table: u64) -> Self {
        Self { table, ..Self::default() }
    }

    /// Adds the next vector, [quantised](Vector::stored); its number is the count of vectors before it.
    pub fn push(&mut self, vector: &Vector) {
        let stored = vector.quantise();
        self.lengths.extend(stored.inverse_length().to_le_bytes());
        self.rows.extend(pack_values(stored.values()));
    }

    /// Adds a vector of others, as it is stored there. `None` if there is none of that number.
    pub(crate) fn copy(&mut self, from: &Vectors, number: usize) -> Option<()> {
        let (length, row) = (from.lengths().get(number)?, from.rows().get(number)?);
        self.lengths.extend_from_slice(length);
        self.rows.extend_from_slice(row);
        Some(())
    }

    /// The encoded bytes, for [`Vectors::from_bytes`].
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + self.lengths.len() + self.rows.len());
        out.extend(MAGIC);
        out.extend(self.table.to_le_bytes());
        out.extend(self.lengths);
        out.extend(self.rows);
        out
    }
}

/// Encoded vectors, possibly in a mapped file: all lengths, followed by all values.
#[derive(Clone)]
pub struct Vectors {
    bytes: SharedBytes,
    count: usize,
}

impl std::fmt::Debug for Vectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vectors").field("count", &self.count).finish()
    }
}

impl Vectors {
    /// Opens encoded vectors that were built with `table`.
    ///
    /// # Errors
    /// Foreign or truncated bytes, or another table.
    pub fn from_bytes(bytes: SharedBytes, table: u64) -> Result<Self, VectorsError> {
        let data: &[u8] = (*bytes).as_ref();
        let body = data.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<8>());
        let (found, body) = body.ok_or(VectorsError::Damaged)?;
        let found = u64::from_le_bytes(*found);
        if found != table {
            return Err(VectorsError::OtherTable { found, expected: table });
        }
        if body.len() % (LENGTH + HALF) != 0 {
            return Err(VectorsError::Damaged);
        }
        let count = body.len() / (LENGTH + HALF);
        Ok(Self { bytes, count })
    }

    /// In-memory vectors of a list.
    pub fn of<'a>(table: u64, vectors: impl IntoIterator<Item = &'a Vector>) -> Self {
        let mut builder = VectorsBuilder::new(table);
        let mut count = 0;
        for vector in vectors {
            builder.push(vector);
            count += 1;
        }
        Self { bytes: Arc::new(builder.finish()), count }
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn lengths(&self) -> &[[u8; LENGTH]] {
        let data: &[u8] = (*self.bytes).as_ref();
        data.get(HEADER..).map_or(&[], |body| &body.as_chunks().0[..self.count.min(body.len() / LENGTH)])
    }

    fn rows(&self) -> &[[u8; HALF]] {
        let data: &[u8] = (*self.bytes).as_ref();
        data.get(HEADER + self.count * LENGTH..).map_or(&[], |body| body.as_chunks().0)
    }

    /// The vector with the given number.
    pub fn get(&self, number: usize) -> Option<Vector> {
        self.rows().get(number).map(|row| Vector::from_values(unpack_values(row)))
    }

    /// Cosine similarity of `query` and the vector `number`, -1 to 1; 0 for unknown numbers.
    pub fn cosine(&self, query: &Vector, number: usize) -> f32 {
        self.reader(&query.prepare_asked()).cosine(number).unwrap_or(0.0)
    }

    /// Cosine similarity of `query` and each of these vectors, in their order; 0 for unknown numbers.
    pub fn cosines<'a>(
        &'a self,
        query: &Vector,
        numbers: impl IntoIterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = f32> + 'a {
        let query = query.prepare_asked();
        numbers.into_iter().map(move |number| self.reader(&query).cosine(number).unwrap_or(0.0))
    }

    /// A reader for comparisons of single vectors with a query.
    pub(crate) fn reader<'a>(&'a self, query: &'a Asked) -> Reader<'a> {
        Reader { rows: self.rows(), lengths: self.lengths(), query }
    }

    /// Calls `each` with the number of every vector and its cosine similarity to `query`, in order.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn scan(&self, query: &Vector, cancel: &Cancel, mut each: impl FnMut(usize, f32)) -> Result<(), Cancelled> {
        let query = query.prepare_asked();
        let blocks = self.rows().chunks(POLL).zip(self.lengths().chunks(POLL));
        for (block, (rows, lengths)) in blocks.enumerate() {
            cancel.check()?;
            for (at, (row, length)) in rows.iter().zip(lengths).enumerate() {
                each(block * POLL + at, cosine(row, *length, &query));
            }
        }
        Ok(())
    }

    /// Returns the `k` vectors most similar to `query` that pass `filter`, best first; ties by number.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn nearest(
        &self,
        query: &Vector,
        k: usize,
        cancel: &Cancel,
        mut filter: impl FnMut(usize) -> bool,
    ) -> Result<Vec<(usize, f32)>, Cancelled> {
        let mut best: BinaryHeap<Near> = BinaryHeap::with_capacity(k.min(self.count) + 1);
        self.scan(query, cancel, |number, cosine| {
            let near = Near { cosine, number };
            // The top of the heap is the worst kept one.
            let is_better = best.len() < k || best.peek().is_some_and(|worst| near < *worst);
            if is_better && k > 0 && filter(number) {
                best.push(near);
                if best.len() > k {
                    best.pop();
                }
            }
        })?;
        Ok(best.into_sorted_vec().into_iter().map(|near| (near.number, near.cosine)).collect())
    }
}

/// Compares vectors with a query.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rows: &'a [[u8; HALF]],
    lengths: &'a [[u8; LENGTH]],
    query: &'a Asked,
}

impl Reader<'_> {
    /// Cosine similarity of the query and the vector `number`; `None` for unknown numbers.
    pub(crate) fn cosine(&self, number: usize) -> Option<f32> {
        Some(cosine(self.rows.get(number)?, *self.lengths.get(number)?, self.query))
    }
}

fn cosine(row: &[u8; HALF], length: [u8; LENGTH], query: &Asked) -> f32 {
    dot_of_packed(row, &query.wide) as f32 * query.inverse_length * f32::from_le_bytes(length)
}

/// Ordered by descending similarity.
#[derive(Debug, PartialEq)]
struct Near {
    cosine: f32,
    number: usize,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cosine.total_cmp(&self.cosine).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
