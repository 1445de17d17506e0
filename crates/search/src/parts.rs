//! An index of many files, built in parts that are merged at the end: the terms of all files are never in memory at
//! once.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;

use crate::base::{Base, SECTIONS, Section};
use crate::build::{IndexBuilder, push_u32, push_u64, write_sections};
use crate::compact::Compacted;
use crate::embedding::{ComposedVectors, Embedding, Vector, VectorsBuilder, has_vector};
use crate::index::IndexedFile;
use crate::terms::PostingsReader;
use crate::varint;

/// Bytes of terms from which on the files so far become a part.
const PART_BYTES: usize = 24 << 20;
/// Files whose vectors are made one after the other: enough to share words, and few enough for all threads.
const FILES_AT_ONCE: usize = 64;
/// Terms between two looks at the cancel flag.
const POLL: u32 = 1 << 12;

/// Builds an index and its vectors of files that come in the order of their paths.
pub struct PartsBuilder<'e> {
    table: &'e Embedding,
    part_bytes: usize,
    /// Files that are in no part yet.
    files: Vec<(Box<str>, Arc<IndexedFile>)>,
    /// Bytes of their terms.
    bytes: usize,
    parts: Vec<Base>,
    vectors: VectorsBuilder,
}

impl<'e> PartsBuilder<'e> {
    /// An index without files, with vectors of this table.
    pub fn new(table: &'e Embedding) -> Self {
        Self::with_parts_of(PART_BYTES, table)
    }

    /// The same with parts of about this many bytes of terms, for tests.
    pub fn with_parts_of(part_bytes: usize, table: &'e Embedding) -> Self {
        Self {
            table,
            part_bytes,
            files: Vec::new(),
            bytes: 0,
            parts: Vec::new(),
            vectors: VectorsBuilder::new(table.id()),
        }
    }

    /// Adds a file, whose path comes after those of all files before it.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn add(&mut self, path: &str, file: Arc<IndexedFile>, cancel: &Cancel) -> Result<(), Cancelled> {
        self.bytes += file.terms().as_bytes().len();
        self.files.push((path.into(), file));
        if self.bytes >= self.part_bytes { self.end_part(cancel) } else { Ok(()) }
    }

    /// The index and its vectors: the same bytes as [`IndexBuilder`] makes of all files at once.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn finish(mut self, cancel: &Cancel) -> Result<Compacted, Cancelled> {
        if self.parts.is_empty() {
            self.add_vectors(cancel)?;
            let builder = IndexBuilder::of(self.files);
            return Ok((builder.finish_unless(cancel)?, self.vectors.finish()));
        }
        if !self.files.is_empty() {
            self.end_part(cancel)?;
        }
        Ok((merge_parts(self.parts, cancel)?, self.vectors.finish()))
    }

    fn end_part(&mut self, cancel: &Cancel) -> Result<(), Cancelled> {
        self.add_vectors(cancel)?;
        let bytes = IndexBuilder::of(std::mem::take(&mut self.files)).finish_unless(cancel)?;
        self.bytes = 0;
        self.parts.push(Base::open(Arc::new(bytes)).expect("an index that was just built can be opened"));
        Ok(())
    }

    fn add_vectors(&mut self, cancel: &Cancel) -> Result<(), Cancelled> {
        let table = self.table;
        let vectors_of = |files: &[(Box<str>, Arc<IndexedFile>)]| {
            let mut composed = ComposedVectors::default();
            let mut made = Vec::with_capacity(files.len());
            for (_, file) in files {
                cancel.check()?;
                made.push(table.of_next_entries(file.terms(), &mut composed));
            }
            Ok(made)
        };
        let made = self.files.par_chunks(FILES_AT_ONCE).map(vectors_of);
        let made = made.collect::<Result<Vec<Vec<Vec<Vector>>>, Cancelled>>()?;
        for ((_, file), vectors) in self.files.iter().zip(made.iter().flatten()) {
            let with = file.heads().iter().zip(vectors).filter(|(head, _)| has_vector(head.kind));
            with.for_each(|(_, vector)| self.vectors.push(vector));
        }
        Ok(())
    }
}

/// One index of parts whose files follow each other.
fn merge_parts(parts: Vec<Base>, cancel: &Cancel) -> Result<Vec<u8>, Cancelled> {
    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    for section in [Section::Paths, Section::Documents, Section::Ids, Section::Postings] {
        let bytes = parts.iter().map(|part| part.section(section).len()).sum();
        sections[section as usize] = Vec::with_capacity(bytes);
    }
    let mut documents = 0;
    let firsts: Vec<u32> = parts.iter().map(|part| append_files(part, &mut documents, &mut sections)).collect();
    push_u32(&mut sections, Section::PathStarts, Section::Paths);
    sections[Section::FileDocuments as usize].extend_from_slice(&documents.to_le_bytes());
    push_u64(&mut sections, Section::IdStarts, Section::Ids);
    let terms = append_terms(&parts, &firsts, &mut sections, cancel)?;
    push_u32(&mut sections, Section::TermStarts, Section::Terms);
    push_u64(&mut sections, Section::PostingStarts, Section::Postings);
    let files = parts.iter().map(Base::file_count).sum();
    drop(parts);
    Ok(write_sections(sections, [files, documents, terms]))
}

/// Appends paths, documents and ids of a part. Returns the number of its first document.
fn append_files(part: &Base, documents: &mut u32, sections: &mut [Vec<u8>; SECTIONS]) -> u32 {
    let first = *documents;
    for file in 0..part.file_count() {
        push_u32(sections, Section::PathStarts, Section::Paths);
        sections[Section::Paths as usize].extend_from_slice(part.path(file).as_bytes());
        let start = first + part.documents_of(file).start;
        sections[Section::FileDocuments as usize].extend_from_slice(&start.to_le_bytes());
    }
    sections[Section::Documents as usize].extend_from_slice(part.section(Section::Documents));
    for document in 0..part.document_count() {
        push_u64(sections, Section::IdStarts, Section::Ids);
        sections[Section::Ids as usize].extend_from_slice(part.packed_id(document).unwrap_or_default());
    }
    *documents += part.document_count();
    first
}

/// Appends the terms of all parts with their postings. Returns their number.
fn append_terms(
    parts: &[Base],
    firsts: &[u32],
    sections: &mut [Vec<u8>; SECTIONS],
    cancel: &Cancel,
) -> Result<u32, Cancelled> {
    // The next term of each part.
    let mut next = vec![0; parts.len()];
    let mut terms = 0_u32;
    loop {
        if terms.is_multiple_of(POLL) {
            cancel.check()?;
        }
        let rows = || parts.iter().zip(&next).filter(|(part, next)| **next < part.term_count());
        let Some(term) = rows().map(|(part, next)| part.term(*next)).min() else { return Ok(terms) };
        push_u32(sections, Section::TermStarts, Section::Terms);
        sections[Section::Terms as usize].extend_from_slice(term);
        push_u64(sections, Section::PostingStarts, Section::Postings);
        // One more than the last number written.
        let mut at = 0;
        for ((part, next), first) in parts.iter().zip(&mut next).zip(firsts) {
            if *next < part.term_count() && part.term(*next) == term {
                append_postings(part.postings_at(*next), *first, &mut at, &mut sections[Section::Postings as usize]);
                *next += 1;
            }
        }
        terms += 1;
    }
}

/// Appends postings of a part. Only the first one says how far it is from the one before it, which is another now.
fn append_postings(mut postings: PostingsReader<'_>, first: u32, at: &mut u32, out: &mut Vec<u8>) {
    let bytes = postings.bytes();
    let mut start = 0;
    let Some(word) = varint::read(bytes, &mut start) else { return };
    let gap = (word >> 2) + u64::from(first - *at);
    varint::write(out, gap << 2 | word & 3);
    out.extend_from_slice(&bytes[start..]);
    if let Some((last, _)) = postings.by_ref().last() {
        *at = first + last + 1;
    }
}
