//! The edges of a file, beyond its references.

pub(crate) mod assemble;
pub(crate) mod compiler;
pub(crate) mod config_reads;
pub(crate) mod decorations;
pub(crate) mod derived;
pub(crate) mod entry_points;
pub(crate) mod handed_over;
pub(crate) mod texts;
