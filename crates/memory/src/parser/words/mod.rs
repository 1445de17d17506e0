//! Words and phrases that the parser looks for, as tables: a file a concern, a table a question, a row a word.
//!
//! A row belongs here if it holds of the language: a word that only one labelled line needs is left out, and the line
//! counts as a miss. All are in lower case. An empty row stands for the end of a sentence.

pub(crate) mod decision;
pub(crate) mod issue;
pub(crate) mod label;
pub(crate) mod learning;
pub(crate) mod meaning;
pub(crate) mod reason;
pub(crate) mod rule;
pub(crate) mod sentence;
pub(crate) mod state;
pub(crate) mod value;

/// The rows of a table.
pub(crate) type Words = &'static [&'static str];
