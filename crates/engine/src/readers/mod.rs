//! What readers of a snapshot see of files: texts, changes, what is withheld.

pub(crate) mod bound;
pub(crate) mod kept_mentions;
pub(crate) mod texts;
pub(crate) mod withheld;
