//! Places in a text that facts do not hold: comments, keys of literals, names.

pub(crate) mod code_words;
pub(crate) mod comments;
pub(crate) mod literal_keys;
pub(crate) mod name_places;
pub(crate) mod native_items;
