//! Vectors of meaning without a model run: a table gives each index term a vector, an entry's vector is the weighted sum
//! over its terms, and near vectors are found by scanning all of them.
//!
//! The vector of an entry depends on the terms of its file alone, so it can be kept with them. What is rare in the
//! repository counts through the vector of the query: the caller weighs its terms.

mod bag;
mod dot;
mod grams;
mod table;
mod vector;
mod vectors;

pub use bag::FIELD_SHARES;
pub use grams::{BUCKETS, buckets_of};
pub use table::{Embedding, TableError, TableRow, encode_table};
pub(crate) use vector::Asked;
pub use vector::{DIMENSIONS, Vector};
pub use vectors::{Vectors, VectorsBuilder, VectorsError};

/// Whether a term has a part in vectors: single characters and the words of any sentence have none.
pub fn is_embedded(term: &str) -> bool {
    term.len() > 1 && !crate::words::is_stop_word(term) && !term.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a term that stands `count` times in a text counts: more the oftener, but ever less so.
pub fn strength(count: f32) -> f32 {
    if count >= 1.0 { 1.0 + count.ln() } else { count.max(0.0) }
}

#[cfg(test)]
mod tests;
