//! Rarity of words in the index.

use crate::index::{Index, Source};
use crate::rank::rarity;

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
