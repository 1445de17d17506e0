//! Searching: scores of entries and of whole files for a query: BM25 over weighted fields.

use m1nd_base::{Cancel, Cancelled};

use crate::embedding::Embedding;
use crate::hits::{Filter, Found, Ranked};
use crate::index::Index;
use crate::query::Query;
use crate::scoring::Scoring;
use crate::sums::Asking;

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
        Asking::new(&Scoring::new(self), query, table, filter, cancel)?.rank_entries(k, cancel)
    }
}
