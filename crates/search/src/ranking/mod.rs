//! From terms to ranked hits.

pub(crate) mod hits;
pub(crate) mod rank;
pub(crate) mod rarity;
pub(crate) mod said;
pub(crate) mod scoring;
pub(crate) mod sums;
