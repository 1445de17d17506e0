//! Scores of entries and of whole files for a query: BM25 over weighted fields.

use m1nd_base::{Cancel, Cancelled};

use crate::embedding::Embedding;
use crate::index::Index;
use crate::query::Query;
use crate::scoring::Scoring;
use crate::sums::Asking;
use crate::terms::FIELD_COUNT;

/// Restricts the results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Only in this folder or file, by whole path components.
    pub scope: Option<&'a str>,
    /// Only entries of these kinds: bit *n* for kind *n*.
    pub kinds: Option<u64>,
}

/// An entry found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<'i> {
    /// Path of its file.
    pub path: &'i str,
    /// Number of its file, in the order of [`Index::paths`].
    pub file: u32,
    /// Its id.
    pub id: String,
    /// The key it was added with.
    pub key: u32,
    /// Its kind.
    pub kind: u8,
    /// BM25F score.
    pub score: f64,
    /// Part of the score from words of the title.
    pub title: f64,
    /// Part of the score from whole names.
    pub exact: f64,
    /// How much of a message quoted in the query its string literals contain, 0 to 1.
    pub message: f64,
    /// Score relative to the maximum for the words of the query: comparable between queries, mostly below 1; whole
    /// names can exceed it.
    pub relative: f64,
    /// Share of each field in the score, in the order of [`FIELDS`].
    pub fields: [f64; FIELD_COUNT],
    /// Bit *n*: term *n* of the query matched (only the first 64 terms).
    pub matched: u64,
    /// Similarity of its meaning to that of the query; `None` without vectors.
    pub near: Option<Near>,
}

/// A file with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHit<'i> {
    /// Its path.
    pub path: &'i str,
    /// Its number, in the order of [`Index::paths`]; `None` if it is not in the index.
    pub file: Option<u32>,
    /// BM25F score of the whole file.
    pub score: f64,
    /// Part of the score from words of the title.
    pub title: f64,
    /// Score of names that the query writes out and the file defines.
    pub exact: f64,
    /// Score of multi-word names that the query writes out and the file uses.
    pub used: f64,
    /// Score of its best entry.
    pub best: f64,
    /// Best score of an entry from words of the title.
    pub best_title: f64,
    /// Best score of an entry from whole names.
    pub best_exact: f64,
    /// How much of a message quoted in the query the string literals of an entry contain, 0 to 1.
    pub message: f64,
    /// Similarity of its nearest entry; `None` without vectors.
    pub near: Option<Near>,
}

impl<'i> FileHit<'i> {
    /// A file that matches no word.
    pub fn without_words(path: &'i str) -> Self {
        let (score, title, exact, used) = (0.0, 0.0, 0.0, 0.0);
        let (best, best_title, best_exact) = (0.0, 0.0, 0.0);
        let (file, message, near) = (None, 0.0, None);
        Self { path, file, score, title, exact, used, best, best_title, best_exact, message, near }
    }
}

/// Cosine similarities of an entry's vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// To the vector of the whole query.
    pub text: f64,
    /// To the vector of its title.
    pub title: f64,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found<'i> {
    /// The best entries, best first; ties by path, then by entry.
    pub hits: Vec<Hit<'i>>,
    /// Number of entries that match any term and the filter.
    pub candidates: usize,
    /// Number of indexed entries in the filter's scope.
    pub scanned: usize,
}

/// Result of a search, with whole files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked<'i> {
    /// The best entries.
    pub found: Found<'i>,
    /// Every file in the scope that matches a term, uses a name or contains one of the nearest entries, in path
    /// order.
    pub files: Vec<FileHit<'i>>,
    /// Entries nearest in meaning that are not among `found`, nearest first; they may match no term.
    pub nearest: Vec<Hit<'i>>,
    /// Mean similarity of all entries, the baseline of chance. `None` without vectors.
    pub mean_near: Option<Near>,
    /// Multi-word names that the query writes out and that no file uses, in the form of the index.
    pub unknown_names: Vec<String>,
}

impl Index {
    /// Returns the best `k` entries for a query. Depends only on the content of the index.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn search(
        &self,
        query: &Query,
        k: usize,
        filter: &Filter<'_>,
        cancel: &Cancel,
    ) -> Result<Found<'_>, Cancelled> {
        Ok(self.rank(query, k, filter, None, cancel)?.found)
    }

    /// Returns the best `k` entries for a query, and all files that match a word of it. With a table, and vectors in
    /// the index, also their similarity in meaning.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn rank(
        &self,
        query: &Query,
        k: usize,
        filter: &Filter<'_>,
        table: Option<&Embedding>,
        cancel: &Cancel,
    ) -> Result<Ranked<'_>, Cancelled> {
        let table = table.filter(|table| self.has_vectors(table));
        Asking::new(&Scoring::new(self), query, table, filter, cancel)?.ranked(k, cancel)
    }
}

/// Inverse document frequency of something that `frequency` of `all` entries have, as in BM25.
pub(crate) fn rarity(frequency: usize, all: usize) -> f64 {
    let (frequency, all) = (frequency as f64, all as f64);
    (1.0 + (all - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// Returns whether a path is in a folder or is that file; always true without a scope.
pub fn is_within(path: &str, scope: Option<&str>) -> bool {
    let Some(scope) = scope.map(|scope| scope.trim_end_matches('/')) else { return true };
    scope.is_empty() || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
