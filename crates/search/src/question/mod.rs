//! From the text of a question to terms.

pub(crate) mod abbreviations;
pub(crate) mod messages;
pub(crate) mod query;
pub(crate) mod zones;
