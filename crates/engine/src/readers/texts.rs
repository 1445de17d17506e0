//! The text of files as people read them, see [`m1nd_lang::text::read_as_text`]. A question reads no packed document
//! whose size and time are those of the index.

use std::ops::Deref;
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Problem, RepoPath};
use m1nd_lang::Language;
use m1nd_lang::text::read_as_text;

use crate::error::ReadError;
use crate::extract_attempts::HEAD;
use crate::files::FileEntry;
use crate::kept::document_texts::{self, DocumentText};
use crate::state::snapshot::Snapshot;

/// The text of a file on disk.
#[derive(Debug, Clone)]
pub struct FileText {
    text: Bytes,
    /// Hash of the bytes of the file, where they are not the text.
    hash: Option<ContentHash>,
    /// Why it is not, or not surely, the whole text.
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone)]
enum Bytes {
    Own(Vec<u8>),
    Kept(Arc<DocumentText>),
}

impl Deref for FileText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.text {
            Bytes::Own(text) => text,
            Bytes::Kept(kept) => &kept.text,
        }
    }
}

impl FileText {
    fn of_document(text: Arc<DocumentText>, hash: ContentHash) -> Self {
        let problem = text.problem.clone();
        Self { text: Bytes::Kept(text), hash: Some(hash), problem }
    }

    /// Hash of the bytes of the file.
    pub fn file_hash(&self) -> ContentHash {
        self.hash.unwrap_or_else(|| ContentHash::of(self))
    }

    /// The text as an owned value.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.text {
            Bytes::Own(text) => text,
            Bytes::Kept(kept) => kept.text.clone(),
        }
    }
}

impl Snapshot {
    /// Reads the current text of a file below an indexed root, as the index has it: that of a packed document is what
    /// it says.
    ///
    /// # Errors
    /// See [`Snapshot::read_bytes`].
    pub fn read_text(&self, path: &RepoPath, cancel: &Cancel) -> Result<FileText, ReadError> {
        let entry = self.files.get(path);
        if let Some(known) = entry.and_then(|entry| self.known_document(entry)) {
            return Ok(known);
        }
        let bytes = self.read_bytes(path)?;
        let by_name = || Language::detect(path, &bytes[..bytes.len().min(HEAD)]);
        let language = entry.map_or_else(by_name, |entry| entry.language);
        if language.is_packed() {
            return Ok(self.read_document(language, &bytes, cancel));
        }
        let read = read_as_text(language, &bytes, cancel);
        let problem = read.problem;
        let decoded = match read.text {
            std::borrow::Cow::Owned(text) => Some(text),
            std::borrow::Cow::Borrowed(_) => None,
        };
        Ok(match decoded {
            Some(text) => FileText { text: Bytes::Own(text), hash: Some(ContentHash::of(&bytes)), problem },
            None => FileText { text: Bytes::Own(bytes), hash: None, problem },
        })
    }

    /// The text of a packed document that has not changed since it was indexed, if it is kept.
    fn known_document(&self, entry: &FileEntry) -> Option<FileText> {
        if !entry.language.is_packed() {
            return None;
        }
        let (root, inner) = self.locate(&entry.path)?;
        let now = root.own_metadata(&inner).ok()?;
        let is_same = now.size == entry.size && now.mtime_ns == entry.mtime_ns;
        let text = self.kept_document(document_texts::make_key(entry.hash, entry.language)).filter(|_| is_same)?;
        Some(FileText::of_document(text, entry.hash))
    }

    fn kept_document(&self, key: ContentHash) -> Option<Arc<DocumentText>> {
        let texts = &self.histories.texts;
        if let Some(text) = texts.get(key) {
            return Some(text);
        }
        let text = Arc::new(document_texts::read_stored(&*self.histories.revisions.cache()?, key)?);
        texts.keep(key, text.clone());
        Some(text)
    }

    fn read_document(&self, language: Language, bytes: &[u8], cancel: &Cancel) -> FileText {
        let hash = ContentHash::of(bytes);
        let key = document_texts::make_key(hash, language);
        if let Some(text) = self.kept_document(key) {
            return FileText::of_document(text, hash);
        }
        let read = read_as_text(language, bytes, cancel);
        let row = document_texts::encode_row(key, &read);
        let text = Arc::new(DocumentText::new(read));
        // What was cut short by the caller is not kept.
        if !cancel.is_cancelled() {
            self.histories.texts.keep(key, text.clone());
            if let (Some(cache), Some(row)) = (self.histories.revisions.cache(), row) {
                document_texts::store(&cache, &[row]);
            }
        }
        FileText::of_document(text, hash)
    }
}
