//! Texts before and after a change.

pub(crate) mod diff;
pub(crate) mod encoding;
pub(crate) mod header;
pub(crate) mod patch;
pub(crate) mod replace;
