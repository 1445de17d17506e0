use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use crate::base::{DOCUMENT_BYTES, HEADER_BYTES, MAGIC, SECTIONS, Section, VERSION, pack_id};
use crate::embedding::Embedding;
use crate::index::IndexedFile;
use crate::near;
use crate::terms::{EntryHead, PostingsReader, PostingsWriter};

/// Builds an index of all files of a project. The bytes depend only on the files, not on the order in which they are
/// added.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    files: Vec<(Box<str>, Arc<IndexedFile>)>,
}

/// Position of a term's postings during the build.
struct TermState<'a> {
    term: &'a str,
    writer: PostingsWriter,
    bytes: usize,
    start: usize,
}

impl IndexBuilder {
    /// An index without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// An index of these files.
    pub(crate) fn of(files: Vec<(Box<str>, Arc<IndexedFile>)>) -> Self {
        Self { files }
    }

    /// Adds a file. Of several with the same path, the last wins.
    pub fn add(&mut self, path: &str, file: Arc<IndexedFile>) {
        self.files.push((path.into(), file));
    }

    /// Encoded vectors of all entries, for [`Index::with_vectors`](crate::Index::with_vectors).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn vectors(&mut self, table: &Embedding, cancel: &Cancel) -> Result<Vec<u8>, Cancelled> {
        self.order();
        near::encode(self.files.iter().map(|(_, file)| &**file), table, cancel)
    }

    /// Files by path, each path once.
    fn order(&mut self) {
        // Stable, so that of several files with one path the later one stays behind.
        self.files.sort_by(|a, b| a.0.cmp(&b.0));
        let mut files: Vec<(Box<str>, Arc<IndexedFile>)> = Vec::with_capacity(self.files.len());
        for file in self.files.drain(..) {
            match files.last_mut().filter(|last| last.0 == file.0) {
                Some(last) => *last = file,
                None => files.push(file),
            }
        }
        self.files = files;
    }

    /// The index as bytes, for [`Index::from_bytes`](crate::Index::from_bytes).
    pub fn finish(self) -> Vec<u8> {
        self.finish_unless(&Cancel::new()).expect("nobody cancels")
    }

    /// Like [`IndexBuilder::finish`], cancellable; polls the flag for each file.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn finish_unless(mut self, cancel: &Cancel) -> Result<Vec<u8>, Cancelled> {
        self.order();
        let files = self.files;
        let (order, postings) = gather(&files, cancel)?;
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let documents = write_files(&files, &mut sections);
        let terms = order.len() as u32;
        for (start, end, term) in order {
            push_u32(&mut sections, Section::TermStarts, Section::Terms);
            sections[Section::Terms as usize].extend_from_slice(term.as_bytes());
            push_u64(&mut sections, Section::PostingStarts, Section::Postings);
            sections[Section::Postings as usize].extend_from_slice(&postings[start..end]);
        }
        push_u32(&mut sections, Section::TermStarts, Section::Terms);
        push_u64(&mut sections, Section::PostingStarts, Section::Postings);
        drop(postings);
        cancel.check()?;
        let count = files.len() as u32;
        drop(files);
        Ok(write_sections(sections, [count, documents, terms]))
    }
}

/// The bytes of an index. Takes the sections, so that each is dropped as soon as it is written.
pub(crate) fn write_sections(sections: [Vec<u8>; SECTIONS], counts: [u32; 3]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES + sections.iter().map(Vec::len).sum::<usize>());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    counts.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    let mut end = HEADER_BYTES as u64;
    for section in &sections {
        end += section.len() as u64;
        out.extend_from_slice(&end.to_le_bytes());
    }
    sections.into_iter().for_each(|section| out.extend_from_slice(&section));
    out
}

pub(crate) fn push_u32(sections: &mut [Vec<u8>; SECTIONS], table: Section, of: Section) {
    let at = sections[of as usize].len() as u32;
    sections[table as usize].extend_from_slice(&at.to_le_bytes());
}

pub(crate) fn push_u64(sections: &mut [Vec<u8>; SECTIONS], table: Section, of: Section) {
    let at = sections[of as usize].len() as u64;
    sections[table as usize].extend_from_slice(&at.to_le_bytes());
}

/// Writes paths, documents and ids; returns the number of documents.
fn write_files(files: &[(Box<str>, Arc<IndexedFile>)], sections: &mut [Vec<u8>; SECTIONS]) -> u32 {
    let mut documents = 0u32;
    for (path, file) in files {
        push_u32(sections, Section::PathStarts, Section::Paths);
        sections[Section::Paths as usize].extend_from_slice(path.as_bytes());
        sections[Section::FileDocuments as usize].extend_from_slice(&documents.to_le_bytes());
        for (head, id) in file.heads().iter().zip(file.ids()) {
            documents += 1;
            write_document(sections, head, id, path);
        }
    }
    push_u32(sections, Section::PathStarts, Section::Paths);
    sections[Section::FileDocuments as usize].extend_from_slice(&documents.to_le_bytes());
    push_u64(sections, Section::IdStarts, Section::Ids);
    documents
}

/// Writes a document and its id.
pub(crate) fn write_document(sections: &mut [Vec<u8>; SECTIONS], head: &EntryHead, id: &str, path: &str) {
    let mut record = Vec::with_capacity(DOCUMENT_BYTES);
    record.extend_from_slice(&head.key.to_le_bytes());
    head.lengths.iter().for_each(|length| record.extend_from_slice(&length.to_le_bytes()));
    record.extend_from_slice(&[head.kind, head.cut.bits()]);
    sections[Section::Documents as usize].extend_from_slice(&record);
    push_u64(sections, Section::IdStarts, Section::Ids);
    sections[Section::Ids as usize].extend_from_slice(pack_id(id, path).as_bytes());
}

/// Start, end and text of each term, and the buffer of their postings.
type Gathered<'a> = (Vec<(usize, usize, &'a str)>, Vec<u8>);

/// Collects all postings in one buffer, grouped by term in order of first occurrence; returns the range of each term
/// in sorted order.
fn gather<'a>(files: &'a [(Box<str>, Arc<IndexedFile>)], cancel: &Cancel) -> Result<Gathered<'a>, Cancelled> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut states: Vec<TermState<'_>> = Vec::new();
    // Computes the exact size of each term's postings first, then writes them in place: no term needs its own
    // allocation.
    visit(files, cancel, |term, document, counts| {
        let number = *numbers.entry(term).or_insert_with(|| {
            states.push(TermState { term, writer: PostingsWriter::default(), bytes: 0, start: 0 });
            states.len() as u32 - 1
        });
        let state = &mut states[number as usize];
        state.bytes += state.writer.len(document, counts);
    })?;
    let mut start = 0;
    for state in &mut states {
        state.start = start;
        start += state.bytes;
        state.writer = PostingsWriter::default();
        state.bytes = 0;
    }
    let mut postings = vec![0; start];
    let mut piece = Vec::with_capacity(16);
    visit(files, cancel, |term, document, counts| {
        let Some(&number) = numbers.get(term) else { return };
        let state = &mut states[number as usize];
        piece.clear();
        state.writer.write(&mut piece, document, counts);
        let at = state.start + state.bytes;
        postings[at..at + piece.len()].copy_from_slice(&piece);
        state.bytes += piece.len();
    })?;
    let mut order: Vec<_> = states.iter().map(|state| (state.start, state.start + state.bytes, state.term)).collect();
    order.sort_unstable_by_key(|(.., term)| *term);
    Ok((order, postings))
}

fn visit<'a>(
    files: &'a [(Box<str>, Arc<IndexedFile>)],
    cancel: &Cancel,
    mut each: impl FnMut(&'a str, u32, &crate::terms::Counts),
) -> Result<(), Cancelled> {
    let mut first = 0u32;
    for (_, file) in files {
        cancel.check()?;
        for (term, postings) in file.terms().terms() {
            PostingsReader::new(postings).for_each(|(entry, counts)| each(term, first + entry, &counts));
        }
        first += file.heads().len() as u32;
    }
    Ok(())
}
