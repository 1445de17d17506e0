//! What the tests of extractors share: facts as text, and the invariants that all facts keep.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub(crate) mod dump;
pub(crate) mod invariants;
pub(crate) mod samples;
