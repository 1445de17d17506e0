//! Characters of texts: those that are hidden, and line ends.

pub(crate) mod hidden;
pub(crate) mod line_ends;
