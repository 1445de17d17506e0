//! Shared helpers of extractor tests: facts as text, and the invariants of all facts.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub(crate) mod dump;
pub(crate) mod invariants;
pub(crate) mod samples;
