//! What may be found, and what was.

use crate::terms::FIELD_COUNT;

/// What may be found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Only in this folder or file, by whole components.
    pub scope: Option<&'a str>,
    /// Only entries of these kinds: bit *n* for kind *n*.
    pub kinds: Option<u64>,
}

/// One entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<'i> {
    /// Path of its file.
    pub path: &'i str,
    /// Number of its file among those of the index, in the order of [`Index::paths`].
    pub file: u32,
    /// Its id.
    pub id: String,
    /// The key it was added with.
    pub key: u32,
    /// Its kind.
    pub kind: u8,
    /// BM25F score.
    pub score: f64,
    /// The part of the score that words of the title brought.
    pub title: f64,
    /// The part of the score that whole names brought.
    pub exact: f64,
    /// How far its string literals say a message that the query quotes, 0 to 1.
    pub message: f64,
    /// The score over what the words of the query could bring: comparable between queries, mostly below 1; whole names
    /// can lead beyond.
    pub relative: f64,
    /// Share of the score that each field brought, in the order of [`FIELDS`].
    pub fields: [f64; FIELD_COUNT],
    /// Bit *n*: term *n* of the query was met (the first 64 are told apart).
    pub matched: u64,
    /// How near its meaning is to that of the query; `None` without vectors.
    pub near: Option<Near>,
}

/// A file with the scores of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHit<'i> {
    /// Its path.
    pub path: &'i str,
    /// Its number among the files of the index, in the order of [`Index::paths`]; `None` if it is not in the index.
    pub file: Option<u32>,
    /// BM25F score of the whole file.
    pub score: f64,
    /// The part that words of the title brought.
    pub title: f64,
    /// What names that the query writes out and the file defines brought.
    pub exact: f64,
    /// What names of several words that the query writes out and the file uses brought.
    pub used: f64,
    /// The score of its best entry.
    pub best: f64,
    /// The best score of an entry by words of the title.
    pub best_title: f64,
    /// The best score of an entry by whole names.
    pub best_exact: f64,
    /// How far the string literals of an entry say a message that the query quotes, 0 to 1.
    pub message: f64,
    /// The nearest that an entry of it is in meaning; `None` without vectors.
    pub near: Option<Near>,
}

impl<'i> FileHit<'i> {
    /// A file that meets no word.
    pub fn without_words(path: &'i str) -> Self {
        let (score, title, exact, used) = (0.0, 0.0, 0.0, 0.0);
        let (best, best_title, best_exact) = (0.0, 0.0, 0.0);
        let (file, message, near) = (None, 0.0, None);
        Self { path, file, score, title, exact, used, best, best_title, best_exact, message, near }
    }
}

/// Cosines of the vector of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// With that of the whole query.
    pub text: f64,
    /// With that of its title.
    pub title: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found<'i> {
    /// The best, best first; of equal ones the earlier path, then the earlier entry.
    pub hits: Vec<Hit<'i>>,
    /// Entries that met any term and the filter.
    pub candidates: usize,
    /// Entries in the index that the filter lets through by scope.
    pub scanned: usize,
}

/// What a search found, with whole files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked<'i> {
    /// The best entries.
    pub found: Found<'i>,
    /// Every file in the scope that meets a term, uses a name or holds one of the nearest entries, in the order of
    /// paths.
    pub files: Vec<FileHit<'i>>,
    /// Entries nearest in meaning that are not among `found`, nearest first; they may meet no term.
    pub nearest: Vec<Hit<'i>>,
    /// Mean cosines of all entries: what is near by chance. `None` without vectors.
    pub mean_near: Option<Near>,
    /// Names of several words that the query writes out and no file is known to use, in the form of the index.
    pub unknown_names: Vec<String>,
}

/// Whether a path lies in a folder or is that file; all do if there is none.
pub fn is_within(path: &str, scope: Option<&str>) -> bool {
    scope.is_none_or(|scope| m1nd_base::is_within(path, scope))
}
