//! Texts of packed documents, which are costly to get, by the hash of their bytes: in memory, and in the cache of
//! facts.

use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::{ContentHash, Problem};
use m1nd_documents::{DOCUMENTS_VERSION, TEXT_VERSION};
use m1nd_lang::Language;
use m1nd_lang::text::Readable;
use m1nd_store::FactsCache;

/// Bytes of texts that are kept in memory.
const MAX_KEPT: usize = 32 << 20;
/// Version under which the cache of facts keeps texts; facts have lower ones.
const CACHED_VERSION: u32 = 1_000_000_000 + DOCUMENTS_VERSION * 1_000 + TEXT_VERSION;

/// The text of a packed document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentText {
    pub(crate) text: Vec<u8>,
    /// The reason why there is none.
    pub(crate) problem: Option<Problem>,
}

impl DocumentText {
    pub(crate) fn new(readable: Readable<'_>) -> Self {
        Self { text: readable.text.into_owned(), problem: readable.problem }
    }
}

/// What a text is kept under: files of the same bytes and another ending are read as another format.
pub(crate) fn make_key(hash: ContentHash, language: Language) -> ContentHash {
    ContentHash::of(&[hash.as_bytes(), language.name().as_bytes()].concat())
}

/// Texts by their [`make_key`], the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct DocumentTexts(Mutex<Vec<(ContentHash, Arc<DocumentText>)>>);

impl DocumentTexts {
    pub(crate) fn get(&self, key: ContentHash) -> Option<Arc<DocumentText>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| *known == key)?;
        let row = kept.remove(at);
        let text = row.1.clone();
        kept.push(row);
        Some(text)
    }

    pub(crate) fn keep(&self, key: ContentHash, text: Arc<DocumentText>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != key);
        kept.push((key, text));
        let mut bytes: usize = kept.iter().map(|(_, text)| text.text.len()).sum();
        let dropped = kept.iter().take_while(|(_, text)| {
            let is_over = bytes > MAX_KEPT;
            bytes -= text.text.len();
            is_over
        });
        let dropped = dropped.count();
        kept.drain(..dropped);
    }
}

/// A row for the cache of facts.
pub(crate) fn encode_row(key: ContentHash, readable: &Readable<'_>) -> Option<(ContentHash, Vec<u8>)> {
    let row = postcard::to_allocvec(&(&readable.problem, &*readable.text)).ok()?;
    Some((key, row))
}

/// Stores such rows. A cache that fails only costs time.
pub(crate) fn store(cache: &FactsCache, rows: &[(ContentHash, Vec<u8>)]) {
    if let Err(error) = cache.put_many(rows, CACHED_VERSION) {
        tracing::warn!(%error, "texts of documents could not be cached");
    }
}

/// The text that the cache of facts has.
pub(crate) fn read_stored(cache: &FactsCache, key: ContentHash) -> Option<DocumentText> {
    let row = cache.get(&key, CACHED_VERSION).ok()??;
    let (problem, text): (Option<Problem>, &[u8]) = postcard::from_bytes(&row).ok()?;
    Some(DocumentText { text: text.to_vec(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_used_longest_ago_are_dropped_first() {
        let texts = DocumentTexts::default();
        let hash = |number: u8| ContentHash::of(&[number]);
        let text = || Arc::new(DocumentText { text: vec![b'x'; MAX_KEPT / 3], problem: None });
        for number in 0..3 {
            texts.keep(hash(number), text());
        }
        assert!(texts.get(hash(0)).is_some());
        texts.keep(hash(3), text());
        let known: Vec<bool> = (0..4).map(|number| texts.get(hash(number)).is_some()).collect();
        assert_eq!(known, [true, false, true, true]);
    }
}
