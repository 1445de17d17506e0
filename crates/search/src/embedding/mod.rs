//! Vectors of meaning without running a model: a table maps each index term to a vector, the vector of an entry is
//! the weighted sum over its terms, and a search scans all of them.
//!
//! The vector of an entry depends only on the terms of its file, so it can be stored with them. Rarity in the
//! repository is applied to the query vector, whose terms the caller weights.

mod bag;
mod dot;
mod grams;
mod table;
mod vector;
mod vectors;

use m1nd_base::NodeKind;

pub use bag::FIELD_SHARES;
pub use grams::{BUCKETS, buckets_of};
pub use table::{ComposedVectors, Embedding, TableError, TableRow, encode_table};
pub(crate) use vector::Asked;
pub use vector::{DIMENSIONS, Vector};
pub use vectors::{Vectors, VectorsBuilder, VectorsError};

/// Kinds without a vector: variants are many and have hardly any words of their own.
const WITHOUT: u64 = 1 << NodeKind::Variant as u8
    | 1 << NodeKind::Field as u8
    | 1 << NodeKind::Variable as u8
    | 1 << NodeKind::Constant as u8;
/// Returns whether entries of this kind have a vector.
pub(crate) fn has_vector(kind: u8) -> bool {
    WITHOUT >> kind.min(63) & 1 == 0
}

/// Returns whether a term contributes to vectors: single characters and stop words do not.
pub fn is_embedded(term: &str) -> bool {
    term.len() > 1 && !crate::words::is_stop_word(term) && !term.bytes().all(|byte| byte.is_ascii_digit())
}

/// Weight of a term that occurs `count` times in a text: increases with the count, at a decreasing rate.
pub fn strength(count: f32) -> f32 {
    if count >= 1.0 { 1.0 + count.ln() } else { count.max(0.0) }
}

#[cfg(test)]
mod tests;
