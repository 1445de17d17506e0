//! Rarity of words in the index.

use crate::index::{Index, Source};

impl Index {
    /// Inverse document frequency of an index term, as used by the ranking: positive, and large if no entry has the
    /// term.
    pub fn rarity(&self, term: &str) -> f64 {
        let (mut holding, mut all) = (0, 0);
        let mut base = self.base.as_ref().map(|base| base.postings(term).peekable());
        for segment in self.segments() {
            all += segment.count as usize;
            match segment.source {
                Source::Base(first) => {
                    let Some(postings) = base.as_mut() else { continue };
                    while postings.next_if(|(document, _)| *document < first).is_some() {}
                    let end = first.saturating_add(segment.count);
                    while postings.next_if(|(document, _)| *document < end).is_some() {
                        holding += 1;
                    }
                }
                Source::Overlay(file) => holding += file.postings(term).count(),
            }
        }
        rarity(holding, all)
    }
}

/// How rare something is that `frequency` of `all` have, as BM25 counts it.
pub(crate) fn rarity(frequency: usize, all: usize) -> f64 {
    let (frequency, all) = (frequency as f64, all as f64);
    (1.0 + (all - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}
