use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::base::{Base, IndexError, SharedBytes};
use crate::embedding::{Embedding, Vector, Vectors};
use crate::terms::{EntryHead, FIELD_COUNT, FileTerms, PostingsReader};

/// Vectors of a base.
#[derive(Debug, Clone)]
pub(crate) struct BaseVectors {
    pub(crate) vectors: Vectors,
    /// The table they were made with.
    pub(crate) table: u64,
    /// Number of each document's vector.
    pub(crate) numbers: Arc<Vec<u32>>,
}

/// The terms of one file with the ids of its entries.
#[derive(Debug)]
pub struct IndexedFile {
    terms: Arc<FileTerms>,
    heads: Vec<EntryHead>,
    ids: Vec<Box<str>>,
    lengths: [u32; FIELD_COUNT],
    vectors: OnceLock<(u64, Vec<Vector>)>,
}

impl IndexedFile {
    /// Joins terms with ids: `id_of` returns the id of the entry with a key. An entry without an id keeps its
    /// position and is never found.
    pub fn new<'a>(terms: Arc<FileTerms>, mut id_of: impl FnMut(u32) -> Option<&'a str>) -> Self {
        let heads = terms.heads();
        let ids = heads.iter().map(|head| id_of(head.key).unwrap_or("").into()).collect();
        let lengths = lengths_of(heads.iter());
        Self { terms, heads, ids, lengths, vectors: OnceLock::new() }
    }

    pub(crate) fn terms(&self) -> &FileTerms {
        &self.terms
    }

    pub(crate) fn heads(&self) -> &[EntryHead] {
        &self.heads
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|id| &**id)
    }

    /// The vectors of its entries, computed on first use. All callers must pass the same table.
    pub(crate) fn vectors(&self, table: &Embedding) -> &[Vector] {
        let made = || (table.id(), table.of_entries(&self.terms));
        let (id, vectors) = self.vectors.get_or_init(made);
        if *id == table.id() { vectors } else { &[] }
    }

    /// Postings of a term in this file. Terms are few and sorted; the scan stops at the term's position.
    pub(crate) fn postings(&self, term: &str) -> PostingsReader<'_> {
        let found = self.terms.terms().take_while(|(other, _)| *other <= term).find(|(other, _)| *other == term);
        PostingsReader::new(found.map_or(&[], |(_, postings)| postings))
    }
}

/// A search index: an immutable base and an overlay of changed files. Cheap to clone and to change; results and
/// scores do not depend on whether a file is in the base or in the overlay.
#[derive(Clone, Default)]
pub struct Index {
    pub(crate) base: Option<Arc<Base>>,
    pub(crate) vectors: Option<BaseVectors>,
    /// Number of terms in each field of each base file.
    base_lengths: Arc<Vec<[u32; FIELD_COUNT]>>,
    /// Base files that are replaced or removed.
    dead: Arc<Vec<bool>>,
    overlay: BTreeMap<Box<str>, Arc<IndexedFile>>,
    pub(crate) totals: Totals,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let base = self.base.as_ref().map_or(0, |base| base.document_count());
        f.debug_struct("Index")
            .field("entries", &self.len())
            .field("base", &base)
            .field("overlay", &self.overlay.len())
            .finish()
    }
}

/// Sums over all live entries, as integers so that they do not depend on the order of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(crate) entries: u64,
    pub(crate) lengths: [u64; FIELD_COUNT],
    /// Number of entries with dropped words.
    pub(crate) cut_words: u64,
    /// Number of files with dropped names.
    pub(crate) cut_names: u64,
}

impl Totals {
    fn add(&mut self, head: &EntryHead) {
        self.entries += 1;
        self.cut_words += u64::from(head.cut.words);
        self.cut_names += u64::from(head.cut.names);
        self.lengths.iter_mut().zip(head.lengths).for_each(|(sum, length)| *sum += u64::from(length));
    }

    fn remove(&mut self, head: &EntryHead) {
        self.entries = self.entries.saturating_sub(1);
        self.cut_words = self.cut_words.saturating_sub(u64::from(head.cut.words));
        self.cut_names = self.cut_names.saturating_sub(u64::from(head.cut.names));
        self.lengths
            .iter_mut()
            .zip(head.lengths)
            .for_each(|(sum, length)| *sum = sum.saturating_sub(u64::from(length)));
    }
}

/// Entries of one file, in base or overlay.
pub(crate) struct Segment<'a> {
    name: Name<'a>,
    /// Global number of its first entry.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Number of terms in each field over all its entries.
    pub(crate) lengths: [u32; FIELD_COUNT],
    pub(crate) source: Source<'a>,
}

/// Source of a segment's path.
enum Name<'a> {
    /// Number of the file in the base.
    Base(u32),
    Overlay(&'a str),
}

pub(crate) enum Source<'a> {
    /// First document in the base.
    Base(u32),
    Overlay(&'a IndexedFile),
}

impl Index {
    /// An index on bytes that [`IndexBuilder`](crate::IndexBuilder) made.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, IndexError> {
        let base = Base::open(bytes)?;
        let mut totals = Totals::default();
        (0..base.document_count()).filter_map(|document| base.head(document)).for_each(|head| totals.add(&head));
        let lengths_of_file = |file| {
            let heads: Vec<EntryHead> = base.documents_of(file).filter_map(|document| base.head(document)).collect();
            lengths_of(heads.iter())
        };
        let base_lengths = Arc::new((0..base.file_count()).map(lengths_of_file).collect());
        let dead = Arc::new(vec![false; base.file_count() as usize]);
        let base = Some(Arc::new(base));
        Ok(Self { base, vectors: None, base_lengths, dead, overlay: BTreeMap::new(), totals })
    }

    /// Returns the index with files replaced (`Some`) or removed (`None`); `self` is unchanged.
    #[must_use]
    pub fn with_changes(&self, changes: impl IntoIterator<Item = (Box<str>, Option<Arc<IndexedFile>>)>) -> Self {
        let mut index = self.clone();
        for (path, file) in changes {
            index.drop_from_base(&path);
            if let Some(old) = index.overlay.remove(&path) {
                old.heads.iter().for_each(|head| index.totals.remove(head));
            }
            if let Some(file) = file {
                file.heads.iter().for_each(|head| index.totals.add(head));
                index.overlay.insert(path, file);
            }
        }
        index
    }

    fn drop_from_base(&mut self, path: &str) {
        let Some(base) = self.base.clone() else { return };
        let Some(file) = base.file_of(path).filter(|file| self.dead.get(*file as usize) == Some(&false)) else {
            return;
        };
        Arc::make_mut(&mut self.dead)[file as usize] = true;
        base.documents_of(file).filter_map(|document| base.head(document)).for_each(|head| self.totals.remove(&head));
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.totals.entries as usize
    }

    /// Number of entries with more distinct words than [`MAX_BODY_TERMS`](crate::MAX_BODY_TERMS), or more text than
    /// is read: words beyond the limit do not find them.
    pub fn entries_in_part(&self) -> usize {
        self.totals.cut_words as usize
    }

    /// Number of files that use more multi-word names than [`MAX_USED_NAMES`](crate::MAX_USED_NAMES).
    pub fn files_in_part(&self) -> usize {
        self.totals.cut_names as usize
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.totals.entries == 0
    }

    /// Number of files in the overlay and of base files that are replaced or removed: if large, rebuild.
    pub fn overlay_files(&self) -> usize {
        self.overlay.len() + self.dead.iter().filter(|dead| **dead).count()
    }

    /// Number of distinct terms in the base.
    pub fn term_count(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.term_count() as usize)
    }

    /// Paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.segments().into_iter().map(|segment| self.path_of(&segment))
    }

    pub(crate) fn path_of<'i>(&'i self, segment: &Segment<'i>) -> &'i str {
        match (&segment.name, &self.base) {
            (Name::Overlay(path), _) => path,
            (Name::Base(file), Some(base)) => base.path(*file),
            (Name::Base(_), None) => "",
        }
    }

    /// All live files in path order, which is the order of a clean build.
    pub(crate) fn segments(&self) -> Vec<Segment<'_>> {
        let mut segments = Vec::with_capacity(self.dead.len() + self.overlay.len());
        let mut overlay = self.overlay.iter().peekable();
        let mut first = 0u32;
        let mut push = |name, count, lengths, source| {
            segments.push(Segment { name, first, count, lengths, source });
            first += count;
        };
        if let Some(base) = &self.base {
            for file in (0..base.file_count()).filter(|file| !self.dead[*file as usize]) {
                let documents = base.documents_of(file);
                while let Some((other, indexed)) = overlay.next_if(|(other, _)| ***other < *base.path(file)) {
                    push(Name::Overlay(other), indexed.heads.len() as u32, indexed.lengths, Source::Overlay(indexed));
                }
                let lengths = self.base_lengths.get(file as usize).copied().unwrap_or_default();
                push(Name::Base(file), documents.len() as u32, lengths, Source::Base(documents.start));
            }
        }
        for (path, indexed) in overlay {
            push(Name::Overlay(path), indexed.heads.len() as u32, indexed.lengths, Source::Overlay(indexed));
        }
        segments
    }

    pub(crate) fn head(&self, segment: &Segment<'_>, entry: u32) -> Option<EntryHead> {
        match segment.source {
            Source::Base(first) => self.base.as_ref()?.head(first.checked_add(entry)?),
            Source::Overlay(file) => file.heads.get(entry as usize).copied(),
        }
    }
}

fn lengths_of<'h>(heads: impl Iterator<Item = &'h EntryHead>) -> [u32; FIELD_COUNT] {
    let mut lengths = [0u32; FIELD_COUNT];
    for head in heads {
        lengths.iter_mut().zip(head.lengths).for_each(|(sum, length)| *sum = sum.saturating_add(u32::from(length)));
    }
    lengths
}
