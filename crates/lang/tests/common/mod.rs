//! What the tests of extractors share: facts as text, and the invariants that all facts keep.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod dump;
pub mod invariants;
pub mod samples;
