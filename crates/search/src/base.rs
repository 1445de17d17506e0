//! The index as a single run of bytes: written once, read in place. Every access is checked; damaged bytes give fewer
//! results.

use std::cmp::Ordering;
use std::sync::Arc;

use m1nd_base::node_id;

use crate::terms::{Cut, EntryHead, FIELD_COUNT, PostingsReader};

/// First bytes of the format.
pub(crate) const MAGIC: &[u8; 8] = b"m1ndsrch";
/// Version of the layout and of the tokenisation: an index of another version is rebuilt.
pub const VERSION: u32 = 2;

/// Sections of the bytes, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Section {
    /// u32 × (files + 1): offset of each path in `Paths`.
    PathStarts,
    /// Concatenated paths, sorted.
    Paths,
    /// u32 × (files + 1): first document of each file.
    FileDocuments,
    /// u32 key, u16 × fields lengths, u8 kind, u8 truncation flags: 20 bytes for each document.
    Documents,
    /// u64 × (documents + 1): offset of each id in `Ids`.
    IdStarts,
    /// Ids; a leading `+` abbreviates the usual `file::<path>`, a leading `=` abbreviates nothing.
    Ids,
    /// u32 × (terms + 1): offset of each term in `Terms`.
    TermStarts,
    /// Concatenated terms, sorted.
    Terms,
    /// u64 × (terms + 1): offset of each term's postings in `Postings`.
    PostingStarts,
    /// Postings: ascending document numbers with counts.
    Postings,
}

pub(crate) const SECTIONS: usize = 10;
/// Size of one document record, in bytes.
pub(crate) const DOCUMENT_BYTES: usize = 20;
/// Magic, version, three counts, the ends of all sections.
pub(crate) const HEADER_BYTES: usize = 8 + 4 + 3 * 4 + SECTIONS * 8;

/// Why bytes are not a usable index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// Something else.
    #[error("the bytes are not a search index; rebuild it")]
    Foreign,
    /// Written by another version.
    #[error("the search index has version {found}, expected {supported}; rebuild it")]
    Version {
        /// Its version.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// Cut or overwritten.
    #[error("the search index is damaged: {0}; rebuild it")]
    Damaged(&'static str),
}

/// Bytes that somebody else keeps alive: a mapped file or a vector.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Base {
    bytes: SharedBytes,
    files: u32,
    documents: u32,
    terms: u32,
    /// Start and end of each section, inside the bytes.
    sections: [(usize, usize); SECTIONS],
}

impl Base {
    pub(crate) fn open(bytes: SharedBytes) -> Result<Self, IndexError> {
        let all: &[u8] = (*bytes).as_ref();
        if all.get(..8) != Some(MAGIC.as_slice()) {
            return Err(IndexError::Foreign);
        }
        let number = |at: usize| all.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        let version = number(8).ok_or(IndexError::Damaged("the header is cut"))?;
        if version != VERSION {
            return Err(IndexError::Version { found: version, supported: VERSION });
        }
        let header = || Some((number(12)?, number(16)?, number(20)?));
        let (files, documents, terms) = header().ok_or(IndexError::Damaged("the header is cut"))?;
        let mut sections = [(0, 0); SECTIONS];
        let mut start = HEADER_BYTES;
        for (index, section) in sections.iter_mut().enumerate() {
            let at = 24 + index * 8;
            let end = all.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
            let end = end.and_then(|end| usize::try_from(end).ok()).filter(|end| *end >= start && *end <= all.len());
            let end = end.ok_or(IndexError::Damaged("a section lies outside the bytes"))?;
            *section = (start, end);
            start = end;
        }
        let base = Self { bytes, files, documents, terms, sections };
        base.check_sizes()?;
        Ok(base)
    }

    /// Checks the table sizes against the counts, so that the counts can bound loops and allocations.
    fn check_sizes(&self) -> Result<(), IndexError> {
        let sizes = [
            (Section::PathStarts, (self.files as usize + 1) * 4),
            (Section::FileDocuments, (self.files as usize + 1) * 4),
            (Section::Documents, self.documents as usize * DOCUMENT_BYTES),
            (Section::IdStarts, (self.documents as usize + 1) * 8),
            (Section::TermStarts, (self.terms as usize + 1) * 4),
            (Section::PostingStarts, (self.terms as usize + 1) * 8),
        ];
        if !sizes.iter().all(|(section, size)| self.section(*section).len() == *size) {
            return Err(IndexError::Damaged("a table does not have the size of its count"));
        }
        // Each document belongs to one file: overlapping runs would multiply the work of a query.
        let mut before = 0;
        let starts = self.section(Section::FileDocuments).chunks_exact(4);
        for start in starts.map(|bytes| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))) {
            if start < before {
                return Err(IndexError::Damaged("the documents of two files overlap"));
            }
            before = start;
        }
        if before == self.documents { Ok(()) } else { Err(IndexError::Damaged("documents belong to no file")) }
    }

    pub(crate) fn section(&self, section: Section) -> &[u8] {
        let (start, end) = self.sections[section as usize];
        (*self.bytes).as_ref().get(start..end).unwrap_or(&[])
    }

    fn u32_at(&self, section: Section, index: usize) -> Option<usize> {
        let bytes = self.section(section).get(index.checked_mul(4)?..)?.get(..4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    }

    fn u64_at(&self, section: Section, index: usize) -> Option<usize> {
        let bytes = self.section(section).get(index.checked_mul(8)?..)?.get(..8)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    }

    pub(crate) fn file_count(&self) -> u32 {
        self.files
    }

    pub(crate) fn document_count(&self) -> u32 {
        self.documents
    }

    pub(crate) fn term_count(&self) -> u32 {
        self.terms
    }

    /// Path of a file; empty if the bytes are damaged.
    pub(crate) fn path(&self, file: u32) -> &str {
        let index = file as usize;
        let read = || {
            let range = self.u32_at(Section::PathStarts, index)?..self.u32_at(Section::PathStarts, index + 1)?;
            std::str::from_utf8(self.section(Section::Paths).get(range)?).ok()
        };
        read().unwrap_or("")
    }

    /// Number of the file at `path`.
    pub(crate) fn file_of(&self, path: &str) -> Option<u32> {
        self.lower_bound(self.files, |file| self.path(file).cmp(path)).filter(|file| self.path(*file) == path)
    }

    /// First number below `count` whose comparison is not `Less`.
    fn lower_bound(&self, count: u32, compare: impl Fn(u32) -> Ordering) -> Option<u32> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if compare(middle) == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        (low < count).then_some(low)
    }

    /// Documents of a file; empty if the bytes are damaged.
    pub(crate) fn documents_of(&self, file: u32) -> std::ops::Range<u32> {
        let at = |index: usize| self.u32_at(Section::FileDocuments, index).map(|at| (at as u32).min(self.documents));
        match (at(file as usize), at(file as usize + 1)) {
            (Some(start), Some(end)) if start <= end => start..end,
            _ => 0..0,
        }
    }

    /// The records of all documents.
    pub(crate) fn records(&self) -> &[[u8; DOCUMENT_BYTES]] {
        self.section(Section::Documents).as_chunks().0
    }

    pub(crate) fn head(&self, document: u32) -> Option<EntryHead> {
        let record = self.records().get(document as usize)?;
        let key = u32::from_le_bytes(*record.first_chunk()?);
        let kind = record[4 + 2 * FIELD_COUNT].min(63);
        let cut = Cut::of_bits(record[5 + 2 * FIELD_COUNT]);
        Some(EntryHead { key, kind, cut, lengths: lengths_of(record) })
    }

    /// Id of a document; `path` is that of its file.
    pub(crate) fn id(&self, document: u32, path: &str) -> String {
        let stored = self.packed_id(document).and_then(|id| std::str::from_utf8(id).ok());
        unpack_id(stored.unwrap_or("="), path)
    }

    /// Id of a document as it is stored.
    pub(crate) fn packed_id(&self, document: u32) -> Option<&[u8]> {
        let index = document as usize;
        let range = self.u64_at(Section::IdStarts, index)?..self.u64_at(Section::IdStarts, index + 1)?;
        self.section(Section::Ids).get(range)
    }

    pub(crate) fn term(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let read = || {
            let range = self.u32_at(Section::TermStarts, index)?..self.u32_at(Section::TermStarts, index + 1)?;
            self.section(Section::Terms).get(range)
        };
        read().unwrap_or(&[])
    }

    /// Postings of a term; empty if the term does not occur.
    pub(crate) fn postings(&self, term: &str) -> PostingsReader<'_> {
        let found = self.lower_bound(self.terms, |index| self.term(index).cmp(term.as_bytes()));
        match found.filter(|index| self.term(*index) == term.as_bytes()) {
            Some(index) => self.postings_at(index),
            None => PostingsReader::new(&[]),
        }
    }

    /// Postings of the term with this number.
    pub(crate) fn postings_at(&self, term: u32) -> PostingsReader<'_> {
        let index = term as usize;
        let read = || {
            let range = self.u64_at(Section::PostingStarts, index)?..self.u64_at(Section::PostingStarts, index + 1)?;
            self.section(Section::Postings).get(range)
        };
        PostingsReader::new(read().unwrap_or(&[]))
    }
}

/// Number of terms in each field of a document, from its record.
pub(crate) fn lengths_of(record: &[u8; DOCUMENT_BYTES]) -> [u16; FIELD_COUNT] {
    std::array::from_fn(|field| length_of(record, field))
}

/// Number of terms in one field of a document, from its record.
pub(crate) fn length_of(record: &[u8; DOCUMENT_BYTES], field: usize) -> u16 {
    u16::from_le_bytes([record[4 + 2 * field], record[5 + 2 * field]])
}

/// Stored form of an id, without the part that all ids of the file share.
pub(crate) fn pack_id(id: &str, path: &str) -> String {
    match node_id::behind_path(id, path) {
        Some(rest) => format!("+{rest}"),
        None => format!("={id}"),
    }
}

fn unpack_id(stored: &str, path: &str) -> String {
    match stored.strip_prefix('+') {
        Some(rest) => node_id::in_file(path, rest),
        None => stored.strip_prefix('=').unwrap_or("").to_owned(),
    }
}
