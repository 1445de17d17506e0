use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled};

use crate::base::Base;
pub use crate::base::SharedBytes;
use crate::query::Query;
use crate::terms::{Counts, EntryHead, FIELD_COUNT, FIELDS, FileTerms, PostingsReader};

/// How fast further occurrences of a term stop counting (BM25 k1).
const SATURATION: f64 = 4.0;
/// Documents scored between two looks at the cancel flag.
const POLL: usize = 4096;

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

/// The terms of one file with the ids of its entries.
#[derive(Debug)]
pub struct IndexedFile {
    terms: Arc<FileTerms>,
    heads: Vec<EntryHead>,
    ids: Vec<Box<str>>,
}

impl IndexedFile {
    /// Joins terms with ids: `id_of` gives the id of the entry with a key. An entry without an id keeps its place and is
    /// never found.
    pub fn new<'a>(terms: Arc<FileTerms>, mut id_of: impl FnMut(u32) -> Option<&'a str>) -> Self {
        let heads = terms.heads();
        let ids = heads.iter().map(|head| id_of(head.key).unwrap_or("").into()).collect();
        Self { terms, heads, ids }
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

    /// Postings of a term in this file. Terms are few and sorted; the scan ends at the place of the term.
    fn postings(&self, term: &str) -> PostingsReader<'_> {
        let found = self.terms.terms().take_while(|(other, _)| *other <= term).find(|(other, _)| *other == term);
        PostingsReader::new(found.map_or(&[], |(_, postings)| postings))
    }
}

/// What may be found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Only in this folder or file, by whole components.
    pub scope: Option<&'a str>,
    /// Only entries of these kinds: bit *n* for kind *n*.
    pub kinds: Option<u64>,
}

/// One entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Path of its file.
    pub path: String,
    /// Its id.
    pub id: String,
    /// The key it was added with.
    pub key: u32,
    /// Its kind.
    pub kind: u8,
    /// BM25F score.
    pub score: f64,
    /// The score over the sum of what all words of the query could bring: comparable between queries, mostly below 1; whole
    /// names can lead beyond.
    pub relative: f64,
    /// Share of the score that each field brought, in the order of [`FIELDS`].
    pub fields: [f64; FIELD_COUNT],
    /// Bit *n*: term *n* of the query was met.
    pub matched: u64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The best, best first; of equal ones the earlier path, then the earlier entry.
    pub hits: Vec<Hit>,
    /// Entries that met any term and the filter.
    pub candidates: usize,
    /// Entries in the index that the filter lets through by scope.
    pub scanned: usize,
}

/// A search index: a base that never changes and an overlay of changed files. Cheap to clone and to change; what is found
/// and how it is scored does not depend on which of both a file is in.
#[derive(Clone, Default)]
pub struct Index {
    base: Option<Arc<Base>>,
    /// Files of the base that are replaced or removed.
    dead: Arc<Vec<bool>>,
    overlay: BTreeMap<Box<str>, Arc<IndexedFile>>,
    totals: Totals,
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

/// Sums over all living entries, in whole numbers so that they do not depend on the order of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Totals {
    entries: u64,
    lengths: [u64; FIELD_COUNT],
}

impl Totals {
    fn add(&mut self, head: &EntryHead) {
        self.entries += 1;
        self.lengths.iter_mut().zip(head.lengths).for_each(|(sum, length)| *sum += u64::from(length));
    }

    fn remove(&mut self, head: &EntryHead) {
        self.entries = self.entries.saturating_sub(1);
        self.lengths
            .iter_mut()
            .zip(head.lengths)
            .for_each(|(sum, length)| *sum = sum.saturating_sub(u64::from(length)));
    }
}

/// Entries of one file, wherever they are.
struct Segment<'a> {
    path: &'a str,
    /// Number of its first entry among all that are scored.
    first: u32,
    count: u32,
    source: Source<'a>,
}

enum Source<'a> {
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
        let dead = Arc::new(vec![false; base.file_count() as usize]);
        Ok(Self { base: Some(Arc::new(base)), dead, overlay: BTreeMap::new(), totals })
    }

    /// The index with files replaced (`Some`) or removed (`None`). The old one stays as it is.
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

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.totals.entries == 0
    }

    /// Files in the overlay and files of the base that are replaced or removed: when they are many, rebuild.
    pub fn overlay_files(&self) -> usize {
        self.overlay.len() + self.dead.iter().filter(|dead| **dead).count()
    }

    /// Number of distinct terms of the base.
    pub fn term_count(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.term_count() as usize)
    }

    /// The best `k` entries for a query. Depends on the content alone: the same index gives the same answer.
    pub fn search(&self, query: &Query, k: usize, filter: &Filter<'_>, cancel: &Cancel) -> Result<Found, Cancelled> {
        let segments = self.segments();
        let total = segments.last().map_or(0, |segment| segment.first + segment.count) as usize;
        let in_scope: Vec<bool> = segments.iter().map(|segment| within(segment.path, filter.scope)).collect();
        let scanned =
            segments.iter().zip(&in_scope).filter(|(_, inside)| **inside).map(|(s, _)| s.count as usize).sum();
        let mut scores = vec![(0f64, 0u64); total];
        let mut ideal = 0.0;
        for (number, term) in query.terms.iter().enumerate() {
            cancel.check()?;
            let forms = self.postings_of(&segments, term, cancel)?;
            ideal += if term.counts { forms.best } else { 0.0 };
            for (document, gain, _) in forms.rows {
                let (score, matched) = &mut scores[document as usize];
                *score += gain;
                *matched |= 1 << number.min(63);
            }
        }
        let mut best: Vec<(f64, u32)> = Vec::new();
        for (segment, inside) in segments.iter().zip(&in_scope) {
            if !*inside {
                continue;
            }
            let range = segment.first..segment.first + segment.count;
            let found = range.filter(|document| scores[*document as usize].1 != 0);
            best.extend(
                found.filter(|d| self.kind_fits(segment, d - segment.first, filter)).map(|d| (scores[d as usize].0, d)),
            );
        }
        let candidates = best.len();
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if best.len() > k && k > 0 {
            best.select_nth_unstable_by(k - 1, order);
        }
        best.truncate(k);
        best.sort_unstable_by(order);
        let mut hits = Vec::with_capacity(best.len());
        for (score, document) in best {
            let relative = if ideal > 0.0 { score / ideal } else { 0.0 };
            hits.extend(self.hit(&segments, document, score, relative, scores[document as usize].1));
        }
        self.explain(query, &segments, &mut hits, cancel)?;
        Ok(Found { hits: hits.into_iter().map(|(hit, _)| hit).collect(), candidates, scanned })
    }

    /// All living files in the order of their paths: the order of a clean build.
    fn segments(&self) -> Vec<Segment<'_>> {
        let mut segments = Vec::new();
        let mut overlay = self.overlay.iter().peekable();
        let mut first = 0u32;
        let mut push = |path, count, source| {
            segments.push(Segment { path, first, count, source });
            first += count;
        };
        if let Some(base) = &self.base {
            for file in (0..base.file_count()).filter(|file| !self.dead[*file as usize]) {
                let (path, documents) = (base.path(file), base.documents_of(file));
                while let Some((other, indexed)) = overlay.next_if(|(other, _)| ***other < *path) {
                    push(&**other, indexed.heads.len() as u32, Source::Overlay(indexed));
                }
                push(path, documents.len() as u32, Source::Base(documents.start));
            }
        }
        for (path, indexed) in overlay {
            push(&**path, indexed.heads.len() as u32, Source::Overlay(indexed));
        }
        segments
    }

    fn head(&self, segment: &Segment<'_>, entry: u32) -> Option<EntryHead> {
        match segment.source {
            Source::Base(first) => self.base.as_ref()?.head(first.checked_add(entry)?),
            Source::Overlay(file) => file.heads.get(entry as usize).copied(),
        }
    }

    fn kind_fits(&self, segment: &Segment<'_>, entry: u32, filter: &Filter<'_>) -> bool {
        filter.kinds.is_none_or(|kinds| self.head(segment, entry).is_some_and(|head| kinds >> head.kind & 1 == 1))
    }

    fn hit(
        &self,
        segments: &[Segment<'_>],
        document: u32,
        score: f64,
        relative: f64,
        matched: u64,
    ) -> Option<(Hit, u32)> {
        let at = segments.partition_point(|segment| segment.first + segment.count <= document);
        let segment = segments.get(at)?;
        let entry = document.checked_sub(segment.first)?;
        let head = self.head(segment, entry)?;
        let id = match segment.source {
            Source::Base(first) => self.base.as_ref()?.id(first + entry, segment.path),
            Source::Overlay(file) => file.ids.get(entry as usize)?.to_string(),
        };
        let fields = [0.0; FIELD_COUNT];
        let hit =
            Hit { path: segment.path.into(), id, key: head.key, kind: head.kind, score, relative, fields, matched };
        (!hit.id.is_empty()).then_some((hit, document))
    }

    /// Fills in what each field brought to the hits.
    fn explain(
        &self,
        query: &Query,
        segments: &[Segment<'_>],
        hits: &mut [(Hit, u32)],
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let mut order: Vec<(u32, usize)> = hits.iter().enumerate().map(|(at, (_, document))| (*document, at)).collect();
        order.sort_unstable();
        for term in &query.terms {
            for (document, gain, shares) in self.postings_of(segments, term, cancel)?.rows {
                if let Ok(found) = order.binary_search_by_key(&document, |(document, _)| *document) {
                    let (hit, _) = &mut hits[order[found].1];
                    hit.fields.iter_mut().zip(shares).for_each(|(sum, share)| *sum += gain * share);
                }
            }
        }
        for (hit, _) in hits {
            let score = hit.score;
            hit.fields.iter_mut().filter(|_| score > 0.0).for_each(|share| *share /= score);
        }
        Ok(())
    }

    /// Every entry that a term of the query meets, with what it gains: the best of the term's forms.
    fn postings_of(
        &self,
        segments: &[Segment<'_>],
        term: &crate::QueryTerm,
        cancel: &Cancel,
    ) -> Result<TermRows, Cancelled> {
        let mut all = TermRows::default();
        for (form, weight) in &term.forms {
            let rows = self.living_postings(segments, form, cancel)?;
            let entries = self.totals.entries as f64;
            let frequency = rows.len() as f64;
            let rarity = (1.0 + (entries - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln();
            let top = weight * rarity * (SATURATION + 1.0);
            // A form that stands nowhere says nothing of how rare the word is, unless no form stands anywhere.
            if !rows.is_empty() || all.best == 0.0 {
                all.best = if all.rows.is_empty() { top } else { all.best.max(top) };
            }
            let gains = rows.into_iter().map(|(document, counts, head)| {
                let (strength, shares) = self.strength(&counts, &head);
                (document, top * strength / (SATURATION + strength), shares)
            });
            all.rows = if all.rows.is_empty() { gains.collect() } else { merge_best(all.rows, gains.collect()) };
        }
        Ok(all)
    }

    /// Weighted count of a term in an entry, discounted by the lengths of the fields; and the share of each field.
    fn strength(&self, counts: &Counts, head: &EntryHead) -> (f64, [f64; FIELD_COUNT]) {
        let mut shares = [0.0; FIELD_COUNT];
        let mut sum = 0.0;
        for (field, settings) in FIELDS.iter().enumerate() {
            let count = f64::from(counts.0[field]);
            if count > 0.0 {
                let mean = self.totals.lengths[field] as f64 / self.totals.entries.max(1) as f64;
                let length = f64::from(head.lengths[field]) / mean.max(1.0);
                // A word that stands ten times in a body says little more than one that stands four times.
                let damped = (1.0 + count).log2();
                shares[field] = settings.weight * damped / (1.0 - settings.b + settings.b * length);
                sum += shares[field];
            }
        }
        shares.iter_mut().for_each(|share| *share /= if sum > 0.0 { sum } else { 1.0 });
        (sum, shares)
    }

    /// Postings of one term over base and overlay, in the order of a clean build.
    fn living_postings(
        &self,
        segments: &[Segment<'_>],
        term: &str,
        cancel: &Cancel,
    ) -> Result<Vec<(u32, Counts, EntryHead)>, Cancelled> {
        let mut rows = Vec::new();
        let mut base = self.base.as_ref().map(|base| base.postings(term).peekable());
        for segment in segments {
            if rows.len() % POLL == POLL - 1 {
                cancel.check()?;
            }
            match segment.source {
                Source::Base(first) => {
                    let Some(postings) = base.as_mut() else { continue };
                    while postings.next_if(|(document, _)| *document < first).is_some() {}
                    let end = first.saturating_add(segment.count);
                    while let Some((document, counts)) = postings.next_if(|(document, _)| *document < end) {
                        let entry = document - first;
                        rows.extend(self.head(segment, entry).map(|head| (segment.first + entry, counts, head)));
                    }
                }
                Source::Overlay(file) => {
                    for (entry, counts) in file.postings(term) {
                        rows.extend(self.head(segment, entry).map(|head| (segment.first + entry, counts, head)));
                    }
                }
            }
        }
        Ok(rows)
    }
}

#[derive(Default)]
struct TermRows {
    /// Entry, gain, share of each field; in order of the entries.
    rows: Vec<(u32, f64, [f64; FIELD_COUNT])>,
    /// Most that an entry can gain.
    best: f64,
}

fn merge_best(
    a: Vec<(u32, f64, [f64; FIELD_COUNT])>,
    b: Vec<(u32, f64, [f64; FIELD_COUNT])>,
) -> Vec<(u32, f64, [f64; FIELD_COUNT])> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(left), Some(right)) if left.0 == right.0 => {
                let better = if right.1 > left.1 { *right } else { *left };
                merged.push(better);
                a.next();
                b.next();
            }
            (Some(left), right) if right.is_none_or(|right| left.0 < right.0) => merged.extend(a.next()),
            (_, Some(_)) => merged.extend(b.next()),
            _ => return merged,
        }
    }
}

fn within(path: &str, scope: Option<&str>) -> bool {
    let Some(scope) = scope.map(|scope| scope.trim_end_matches('/')) else { return true };
    scope.is_empty() || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
