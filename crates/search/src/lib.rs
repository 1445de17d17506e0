//! Search over given entries: identifier-aware words, a BM25F index in mapped bytes with an overlay of changed files,
//! word vectors, and line search over bytes. Pure: no disk, no clock, no global state.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod base;
mod build;
mod compact;
pub mod embedding;
pub mod grep;
mod index;
mod near;
mod parts;
mod question;
mod ranking;
mod terms;
mod varint;
pub mod words;

use ranking::{hits, rarity, said, scoring, sums};

use question::{abbreviations, messages, query, zones};

pub use abbreviations::alternatives as synonyms;
pub use base::{IndexError, SharedBytes, VERSION as INDEX_VERSION};
pub use build::IndexBuilder;
pub use compact::Compacted;
pub use hits::{FileHit, Filter, Found, Hit, Near, Ranked, is_within};
pub use index::{Index, IndexedFile};
pub use near::LEAST_NEAR;
pub use parts::PartsBuilder;
pub use query::{Beyond, Mention, Query, QueryTerm};
pub use terms::{
    Entry, FIELDS, Field, FieldSettings, FileTerms, FileTermsBuilder, MAX_BODY_TERMS, MAX_USED_NAMES, TermsError,
    innermost_ranges, used_name,
};
pub use zones::Zone;
