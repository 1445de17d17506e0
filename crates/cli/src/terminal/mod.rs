//! What is written to a terminal, and how.

pub(crate) mod highlight;
pub(crate) mod output;
pub(crate) mod pager;
pub(crate) mod progress;
pub(crate) mod tone;
