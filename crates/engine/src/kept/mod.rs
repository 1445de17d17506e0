//! What is kept beside the graph, so that it is made once.

pub(crate) mod cover;
pub(crate) mod document_texts;
pub(crate) mod file_words;
pub(crate) mod search_index;
pub(crate) mod text_model;
