//! Search over entries it is given: identifier-aware words, a BM25F index that lives in mapped bytes with an
//! overlay of changed files, vectors of word meaning, and line search over bytes. Pure: no disk, no clock, no global state.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod abbreviations;
mod base;
mod build;
pub mod embedding;
pub mod grep;
mod index;
mod query;
mod terms;
mod varint;
pub mod words;

pub use build::IndexBuilder;
pub use index::{Filter, Found, Hit, Index, IndexError, IndexedFile, SharedBytes};
pub use query::{Query, QueryTerm};
pub use terms::{Entry, FIELDS, Field, FieldSettings, FileTerms, FileTermsBuilder, TermsError, innermost_ranges};
