//! A base and the files changed since as one base, without the terms of the files that did not change.

use std::cmp::Ordering;

use m1nd_base::{Cancel, Cancelled};

use crate::base::{Base, SECTIONS, Section};
use crate::build::{push_u32, push_u64, write_document, write_sections};
use crate::embedding::has_vector;
use crate::embedding::{Embedding, VectorsBuilder};
use crate::index::{Index, Segment, Source};
use crate::terms::{Counts, PostingsReader, PostingsWriter};

/// Terms between two looks at the cancel flag.
const POLL: u32 = 1 << 12;
/// Marks a document of the base that is in force no more.
const GONE: u32 = u32::MAX;

/// The bytes of an index and of its vectors.
pub type Compacted = (Vec<u8>, Vec<u8>);

/// A posting of a changed file.
type Row<'a> = (&'a str, u32, Counts);

impl Index {
    /// Returns whether [`Index::compact`] has what it needs: a base, with vectors of this table.
    pub fn can_compact(&self, table: &Embedding) -> bool {
        self.base.is_some() && self.vectors.as_ref().is_some_and(|vectors| vectors.table == table.id())
    }

    /// The index and its vectors without changes over the base: the same bytes as
    /// [`IndexBuilder`](crate::IndexBuilder) makes of all files. `None` without a base, or if it is damaged.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn compact(&self, table: &Embedding, cancel: &Cancel) -> Result<Option<Compacted>, Cancelled> {
        let Some(base) = self.base.as_deref().filter(|_| self.can_compact(table)) else { return Ok(None) };
        let segments = self.segments();
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let mut terms = 0;
        // Documents and vectors first: their new numbers are those of the postings.
        let (Some(documents), Some(vectors)) =
            (self.write_segments(base, &segments, &mut sections), self.copied_vectors(&segments, table))
        else {
            return Ok(None);
        };
        cancel.check()?;
        // Terms of the base and of the changes are both sorted, and merged in one pass.
        let numbers = new_numbers(base, &segments);
        let mut changed = changed_rows(&segments).into_iter().peekable();
        let mut postings = Postings { sections: &mut sections, terms: &mut terms };
        for index in 0..base.term_count() {
            if index % POLL == 0 {
                cancel.check()?;
            }
            let Ok(term) = std::str::from_utf8(base.term(index)) else { return Ok(None) };
            while let Some((other, ..)) = changed.peek().filter(|(other, ..)| *other < term) {
                let other = *other;
                postings.write(other, std::iter::empty(), &mut changed);
            }
            let mut reader = base.postings_at(index);
            let kept = reader.by_ref().filter_map(|(document, counts)| {
                let number = *numbers.get(document as usize)?;
                (number != GONE).then_some((number, counts))
            });
            postings.write(term, kept, &mut changed);
            // A damaged base is not copied.
            if !reader.ended_well() {
                return Ok(None);
            }
        }
        while let Some((other, ..)) = changed.peek() {
            let other = *other;
            postings.write(other, std::iter::empty(), &mut changed);
        }
        push_u32(&mut sections, Section::TermStarts, Section::Terms);
        push_u64(&mut sections, Section::PostingStarts, Section::Postings);
        let counts = [segments.len() as u32, documents, terms];
        Ok(Some((write_sections(sections, counts), vectors)))
    }

    /// Writes paths, documents and ids; the number of documents.
    fn write_segments(&self, base: &Base, segments: &[Segment<'_>], sections: &mut [Vec<u8>; SECTIONS]) -> Option<u32> {
        let mut documents = 0u32;
        for segment in segments {
            let path = self.path_of(segment);
            push_u32(sections, Section::PathStarts, Section::Paths);
            sections[Section::Paths as usize].extend_from_slice(path.as_bytes());
            sections[Section::FileDocuments as usize].extend_from_slice(&documents.to_le_bytes());
            documents += segment.count;
            match segment.source {
                Source::Overlay(file) => {
                    file.heads().iter().zip(file.ids()).for_each(|(head, id)| write_document(sections, head, id, path));
                }
                Source::Base(first) => {
                    for document in first..first + segment.count {
                        sections[Section::Documents as usize].extend_from_slice(base.records().get(document as usize)?);
                        push_u64(sections, Section::IdStarts, Section::Ids);
                        sections[Section::Ids as usize].extend_from_slice(base.packed_id(document)?);
                    }
                }
            }
        }
        push_u32(sections, Section::PathStarts, Section::Paths);
        sections[Section::FileDocuments as usize].extend_from_slice(&documents.to_le_bytes());
        push_u64(sections, Section::IdStarts, Section::Ids);
        Some(documents)
    }

    fn copied_vectors(&self, segments: &[Segment<'_>], table: &Embedding) -> Option<Vec<u8>> {
        let known = self.vectors.as_ref()?;
        let mut builder = VectorsBuilder::new(table.id());
        for segment in segments {
            match segment.source {
                Source::Overlay(file) => {
                    let all = file.heads().iter().zip(file.vectors(table));
                    all.filter(|(head, _)| has_vector(head.kind)).for_each(|(_, vector)| builder.push(vector));
                }
                Source::Base(first) => {
                    let numbers = known.numbers.get(first as usize..(first + segment.count) as usize)?;
                    for number in numbers.iter().filter(|number| **number != crate::near::NO_NUMBER) {
                        builder.copy(&known.vectors, *number as usize)?;
                    }
                }
            }
        }
        Some(builder.finish())
    }
}

/// The new number of each document of the base.
fn new_numbers(base: &Base, segments: &[Segment<'_>]) -> Vec<u32> {
    let mut numbers = vec![GONE; base.document_count() as usize];
    for segment in segments {
        if let Source::Base(first) = segment.source {
            let documents = numbers.iter_mut().skip(first as usize).take(segment.count as usize);
            documents.zip(segment.first..).for_each(|(number, new)| *number = new);
        }
    }
    numbers
}

/// The postings of changed files, by term and document.
fn changed_rows<'a>(segments: &[Segment<'a>]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for segment in segments {
        if let Source::Overlay(file) = segment.source {
            for (term, postings) in file.terms().terms() {
                rows.extend(PostingsReader::new(postings).map(|(entry, counts)| (term, segment.first + entry, counts)));
            }
        }
    }
    rows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    rows
}

/// Writes terms with their postings, in order.
struct Postings<'s> {
    sections: &'s mut [Vec<u8>; SECTIONS],
    terms: &'s mut u32,
}

impl Postings<'_> {
    /// Writes a term with the postings of the base and those of changed files, unless there are none.
    fn write<'a>(
        &mut self,
        term: &str,
        kept: impl Iterator<Item = (u32, Counts)>,
        changed: &mut std::iter::Peekable<impl Iterator<Item = Row<'a>>>,
    ) {
        let start = self.sections[Section::Postings as usize].len();
        let mut writer = PostingsWriter::default();
        let mut kept = kept.peekable();
        loop {
            let new = changed.peek().filter(|(other, ..)| *other == term).map(|(_, document, _)| *document);
            let order = match (kept.peek(), new) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((old, _)), Some(new)) => old.cmp(&new),
            };
            let row = match order {
                Ordering::Less => kept.next(),
                _ => changed.next().map(|(_, document, counts)| (document, counts)),
            };
            let out = &mut self.sections[Section::Postings as usize];
            row.iter().for_each(|(document, counts)| writer.write(out, *document, counts));
        }
        let end = self.sections[Section::Postings as usize].len();
        if start < end {
            *self.terms += 1;
            push_u32(self.sections, Section::TermStarts, Section::Terms);
            self.sections[Section::Terms as usize].extend_from_slice(term.as_bytes());
            self.sections[Section::PostingStarts as usize].extend_from_slice(&(start as u64).to_le_bytes());
        }
    }
}
