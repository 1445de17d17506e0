//! Scores of entries and of whole files for a query: BM25 over weighted fields.

use std::sync::LazyLock;

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::base::{Base, lengths_of};
use crate::embedding::{Embedding, Vector};
use crate::index::{Index, Segment, Source};
use crate::messages;
use crate::near::{self, NOWHERE};
use crate::query::{Query, QueryTerm};
use crate::terms::{Counts, EntryHead, FIELD_COUNT, FIELDS, Field, FieldSettings};

/// How fast further occurrences of a term in an entry stop counting (BM25 k1).
const SATURATION: f64 = 4.0;
/// The same in a file.
const FILE_SATURATION: f64 = 4.0;
/// Segments looked at between two looks at the cancel flag.
const POLL: usize = 256;
/// Hits that are told together: fewer are not worth another core.
const HITS_TOGETHER: usize = 128;
/// Terms whose best gains make up what a text could bring: the rest of a long one repeats and circumscribes.
const IDEAL_TERMS: usize = 12;
/// Entries found by their meaning alone.
const NEAREST: usize = 60;

/// How a field of a whole file counts: weight, discount for length.
const FILE_FIELDS: [(f64, f64); FIELD_COUNT] =
    [(4.0, 0.4), (0.0, 0.0), (1.0, 0.5), (1.5, 0.5), (4.0, 0.3), (1.0, 0.6), (1.0, 0.6)];

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
    /// The part of the score that words of the title brought.
    pub title: f64,
    /// The part of the score that whole names brought.
    pub exact: f64,
    /// How far its string literals say a message that the query quotes, 0 to 1.
    pub message: f64,
    /// The score over what the words of the query could bring: comparable between queries, mostly below 1; whole names can
    /// lead beyond.
    pub relative: f64,
    /// Share of the score that each field brought, in the order of [`FIELDS`].
    pub fields: [f64; FIELD_COUNT],
    /// Bit *n*: term *n* of the query was met (the first 64 are told apart).
    pub matched: u64,
    /// How near its meaning is to that of the query; `None` without vectors.
    pub near: Option<Near>,
}

/// A file with the scores of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct FileHit {
    /// Its path.
    pub path: String,
    /// BM25F score of the whole file.
    pub score: f64,
    /// The part that words of the title brought.
    pub title: f64,
    /// What names that the query writes out and the file defines brought.
    pub exact: f64,
    /// The score of its best entry.
    pub best: f64,
    /// The best score of an entry by words of the title.
    pub best_title: f64,
    /// The best score of an entry by whole names.
    pub best_exact: f64,
    /// How far the string literals of an entry say a message that the query quotes, 0 to 1.
    pub message: f64,
    /// The nearest that an entry of it is in meaning; `None` without vectors.
    pub near: Option<Near>,
}

impl FileHit {
    /// A file that meets no word.
    pub fn without_words(path: &str) -> Self {
        let (score, title, exact) = (0.0, 0.0, 0.0);
        let (best, best_title, best_exact) = (0.0, 0.0, 0.0);
        let (path, message, near) = (path.into(), 0.0, None);
        Self { path, score, title, exact, best, best_title, best_exact, message, near }
    }
}

/// Cosines of the vector of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// With that of the whole query.
    pub text: f64,
    /// With that of its title.
    pub title: f64,
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

/// What a search found, with whole files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// The best entries.
    pub found: Found,
    /// Every file that meets a term and lies in the scope, in the order of paths.
    pub files: Vec<FileHit>,
    /// Entries nearest in meaning that are not among `found`, nearest first; they may meet no term.
    pub nearest: Vec<Hit>,
    /// Mean cosines of all entries: what is near by chance. `None` without vectors.
    pub mean_near: Option<Near>,
}

/// Lengths of a field for which its discount is worked out once a search; longer ones are rare.
const TABLED: u16 = 256;

/// What one occurrence in each field of an entry counts, by the number of terms there.
struct Discounts {
    /// Mean terms in each field of an entry.
    means: [f64; FIELD_COUNT],
    tables: [Vec<f64>; FIELD_COUNT],
}

impl Discounts {
    fn new(means: [f64; FIELD_COUNT]) -> Self {
        let mut discounts = Self { means, tables: Default::default() };
        discounts.tables =
            std::array::from_fn(|field| (0..TABLED).map(|length| discounts.worked_out(field, length)).collect());
        discounts
    }

    fn worked_out(&self, field: usize, length: u16) -> f64 {
        let FieldSettings { weight, b, .. } = FIELDS[field];
        weight / (1.0 - b + b * (f64::from(length) / self.means[field]))
    }

    fn of(&self, field: usize, length: u16) -> f64 {
        let known = self.tables[field].get(usize::from(length)).copied();
        known.unwrap_or_else(|| self.worked_out(field, length))
    }
}

/// Documents of the base that belong to one file.
struct BaseRun {
    start: u32,
    end: u32,
    /// Number of its segment.
    segment: u32,
}

/// Sums of one entry.
#[derive(Clone, Copy, Default)]
struct EntrySum {
    all: f32,
    title: f32,
    exact: f32,
    matched: u64,
}

/// Sums of one file.
#[derive(Clone, Copy, Default)]
struct FileSum {
    all: f32,
    title: f32,
    exact: f32,
}

/// What one form of a term meets.
#[derive(Default)]
struct Rows {
    /// Entry, strength (later: gain), counts. What each field brought is worked out for the few that are shown.
    entries: Vec<(u32, f32, Counts)>,
    /// Segment, strength.
    files: Vec<(u32, f32)>,
}

/// How near all entries are to a query, and to its title if that is not the whole of it, and whether the query has a meaning.
type Compared = (Vec<Vec<f32>>, bool);

/// Everything that a query is scored with.
struct Scoring<'a> {
    index: &'a Index,
    segments: Vec<Segment<'a>>,
    /// The segments that lie in the base, in its order.
    runs: Vec<BaseRun>,
    discounts: Discounts,
    /// Mean terms in each field of a file.
    file_means: [f64; FIELD_COUNT],
    entries: Vec<EntrySum>,
    files: Vec<FileSum>,
    /// What each term met, by the number of the term.
    met: Vec<Vec<(u32, f32, Counts)>>,
    /// How rare each term of the query is.
    rarities: Vec<f64>,
    /// How far entries say a message of the query: see [`messages::said`].
    messages: FxHashMap<u32, f32>,
    /// For each entry how near it is to the query, and how near to its title if that is not the whole of it; empty without
    /// vectors.
    near: Vec<Vec<f32>>,
    /// The table knows a word of the query: pieces of words alone are too weak to find something by.
    has_meaning: bool,
}

impl Index {
    /// The best `k` entries for a query. Depends on the content alone: the same index gives the same answer.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn search(&self, query: &Query, k: usize, filter: &Filter<'_>, cancel: &Cancel) -> Result<Found, Cancelled> {
        Ok(self.rank(query, k, filter, None, cancel)?.found)
    }

    /// The best `k` entries for a query, and all files that meet a word of it. With a table of vectors, of which the index
    /// has some, also how near they are in meaning.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn rank(
        &self,
        query: &Query,
        k: usize,
        filter: &Filter<'_>,
        table: Option<&Embedding>,
        cancel: &Cancel,
    ) -> Result<Ranked, Cancelled> {
        let mut scoring = Scoring::new(self);
        let mut ideals = Vec::new();
        for (number, (term, rows)) in query.terms.iter().zip(scoring.rows_of_all(query, cancel)?).enumerate() {
            let best = scoring.add(number, term, rows);
            if term.counts {
                ideals.push(best);
            }
        }
        scoring.messages = messages::said(query, &scoring.met, &scoring.rarities);
        ideals.sort_by(|a, b| b.total_cmp(a));
        let ideal = ideals.iter().take(IDEAL_TERMS).sum();
        let in_scope: Vec<bool> =
            scoring.segments.iter().map(|segment| is_within(segment.path, filter.scope)).collect();
        let table = table.filter(|table| self.has_vectors(table));
        let compare = || table.map_or_else(|| Ok(Compared::default()), |table| scoring.compare(query, table, cancel));
        let (compared, mut found) = rayon::join(compare, || scoring.found(k, filter, &in_scope, ideal));
        (scoring.near, scoring.has_meaning) = compared?;
        for (hit, document) in &mut found.1 {
            hit.near = scoring.near_of(*document);
        }
        let found = Found { hits: found.1.into_iter().map(|(hit, _)| hit).collect(), ..found.0 };
        let nearest = scoring.nearest(&found.hits, filter, &in_scope, ideal);
        let files = scoring.files_found(&in_scope, &nearest);
        Ok(Ranked { found, files, nearest, mean_near: scoring.mean_near() })
    }
}

impl<'a> Scoring<'a> {
    fn new(index: &'a Index) -> Self {
        let segments = index.segments();
        let total = segments.last().map_or(0, |segment| segment.first + segment.count) as usize;
        let mean = |sum: f64, count: usize| (sum / count.max(1) as f64).max(1.0);
        let entry_means = index.totals.lengths.map(|sum| mean(sum as f64, index.totals.entries as usize));
        let mut sums = [0f64; FIELD_COUNT];
        for segment in &segments {
            sums.iter_mut().zip(segment.lengths).for_each(|(sum, length)| *sum += f64::from(length));
        }
        let file_means = sums.map(|sum| mean(sum, segments.len()));
        let run = |(segment, one): (usize, &Segment<'_>)| match one.source {
            Source::Base(start) => Some(BaseRun { start, end: start + one.count, segment: segment as u32 }),
            Source::Overlay(_) => None,
        };
        Self {
            index,
            runs: segments.iter().enumerate().filter_map(run).collect(),
            discounts: Discounts::new(entry_means),
            file_means,
            entries: vec![EntrySum::default(); total],
            files: vec![FileSum::default(); segments.len()],
            segments,
            met: Vec::new(),
            rarities: Vec::new(),
            messages: FxHashMap::default(),
            near: Vec::new(),
            has_meaning: false,
        }
    }

    /// What the forms of all terms meet, by term and form.
    fn rows_of_all(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Vec<Rows>>, Cancelled> {
        let of_term = |term: &QueryTerm| term.forms.iter().map(|(form, _)| self.rows_of(form, cancel)).collect();
        query.terms.par_iter().with_max_len(1).map(of_term).collect()
    }

    /// Adds what a term brings by the rows that its forms meet; the most that it can bring to an entry.
    fn add(&mut self, number: usize, term: &QueryTerm, rows: Vec<Rows>) -> f64 {
        let mut best = 0.0f64;
        let mut merged = Rows::default();
        self.rarities.push(0.0);
        for ((form, weight), mut rows) in term.forms.iter().zip(rows) {
            let rarity = rarity(rows.entries.len(), self.entries.len());
            let top = weight * rarity * (SATURATION + 1.0);
            if form == &term.forms[0].0 {
                self.rarities[number] = rarity;
            }
            // A form that stands nowhere says nothing of how rare the word is, unless no form stands anywhere.
            if !rows.entries.is_empty() || best == 0.0 {
                best = if merged.entries.is_empty() { top } else { best.max(top) };
            }
            for (_, strength, _) in &mut rows.entries {
                *strength = (top * f64::from(*strength) / (SATURATION + f64::from(*strength))) as f32;
            }
            let file_top = weight * self::rarity(rows.files.len(), self.files.len()) * (FILE_SATURATION + 1.0);
            for (_, strength) in &mut rows.files {
                *strength = (file_top * f64::from(*strength) / (FILE_SATURATION + f64::from(*strength))) as f32;
            }
            merged = if merged.entries.is_empty() { rows } else { merged.best_of(rows) };
        }
        let title = if term.in_title { 1.0 } else { 0.0 };
        let exact = if term.counts { 0.0 } else { 1.0 };
        for &(document, gain, _) in &merged.entries {
            let sum = &mut self.entries[document as usize];
            sum.all += gain;
            sum.title += gain * title;
            sum.exact += gain * exact;
            sum.matched |= if number < 64 { 1 << number } else { 0 };
        }
        self.met.push(merged.entries);
        for (segment, gain) in merged.files {
            let sum = &mut self.files[segment as usize];
            if term.counts {
                sum.all += gain;
                sum.title += gain * title;
            } else {
                sum.exact += gain;
            }
        }
        best
    }

    /// Every entry and file that holds a term, in the order of a clean build, with the strength of it there.
    fn rows_of(&self, term: &str, cancel: &Cancel) -> Result<Rows, Cancelled> {
        cancel.check()?;
        let mut rows = Rows::default();
        if let Some(base) = &self.index.base {
            self.add_from_base(base, term, &mut rows);
        }
        if self.runs.len() < self.segments.len() {
            let known = rows.files.len();
            self.add_from_overlay(term, &mut rows, cancel)?;
            if rows.files.len() > known && known > 0 {
                // Two runs in order.
                rows.entries.sort_by_key(|row| row.0);
                rows.files.sort_by_key(|row| row.0);
            }
        }
        Ok(rows)
    }

    fn add_from_base(&self, base: &Base, term: &str, rows: &mut Rows) {
        let (records, mut at) = (base.records(), 0);
        let mut counts = FileCounts::default();
        let mut open: Option<u32> = None;
        for (document, found) in base.postings(term) {
            if self.runs.get(at).is_some_and(|run| run.end <= document) {
                if let Some(segment) = open.take() {
                    rows.files.push((segment, self.file_strength(&counts, segment)));
                    counts = FileCounts::default();
                }
                at += self.runs[at..].partition_point(|run| run.end <= document);
            }
            let Some(run) = self.runs.get(at) else { break };
            // Before its start lie files that were replaced or removed.
            let (Some(record), true) = (records.get(document as usize), run.start <= document) else { continue };
            let entry = self.segments[run.segment as usize].first + (document - run.start);
            rows.entries.push((entry, self.strength(&found, lengths_of(record)), found));
            counts.add(&found);
            open = Some(run.segment);
        }
        if let Some(segment) = open {
            rows.files.push((segment, self.file_strength(&counts, segment)));
        }
    }

    fn add_from_overlay(&self, term: &str, rows: &mut Rows, cancel: &Cancel) -> Result<(), Cancelled> {
        for (number, segment) in self.segments.iter().enumerate() {
            if number % POLL == 0 {
                cancel.check()?;
            }
            let Source::Overlay(file) = segment.source else { continue };
            let before = rows.entries.len();
            let mut counts = FileCounts::default();
            for (entry, found) in file.postings(term) {
                let Some(head) = file.heads().get(entry as usize) else { continue };
                rows.entries.push((segment.first + entry, self.strength(&found, head.lengths), found));
                counts.add(&found);
            }
            if rows.entries.len() > before {
                rows.files.push((number as u32, self.file_strength(&counts, number as u32)));
            }
        }
        Ok(())
    }

    /// Weighted count of a term in an entry, discounted by the lengths of the fields.
    fn strength(&self, counts: &Counts, lengths: [u16; FIELD_COUNT]) -> f32 {
        self.parts(counts, lengths).fold(0.0, |sum, (_, part)| sum + part) as f32
    }

    /// What each field adds to [`Self::strength`], without those that add nothing.
    fn parts(&self, counts: &Counts, lengths: [u16; FIELD_COUNT]) -> impl Iterator<Item = (usize, f64)> {
        let there = (0..FIELD_COUNT).filter(|field| counts.0[*field] > 0);
        there.map(move |field| {
            let one = self.discounts.of(field, lengths[field]);
            // Nearly all words stand there once.
            let times = if counts.0[field] == 1 { 1.0 } else { DAMPED[usize::from(counts.0[field])] };
            (field, times * one)
        })
    }

    /// What each field brought of the score of an entry.
    fn by_field(&self, document: u32, head: &EntryHead) -> [f32; FIELD_COUNT] {
        let mut fields = [0.0; FIELD_COUNT];
        let matched = self.entries[document as usize].matched;
        for (number, rows) in self.met.iter().enumerate() {
            if number < 64 && matched >> number & 1 == 0 {
                continue;
            }
            let Ok(at) = rows.binary_search_by_key(&document, |row| row.0) else { continue };
            let (_, gain, counts) = &rows[at];
            let sum = self.parts(counts, head.lengths).fold(0.0, |sum, (_, part)| sum + part);
            let scale = if sum > 0.0 { 1.0 / sum } else { 1.0 };
            self.parts(counts, head.lengths).for_each(|(field, part)| fields[field] += gain * (part * scale) as f32);
        }
        fields
    }

    fn file_strength(&self, counts: &FileCounts, segment: u32) -> f32 {
        let segment = &self.segments[segment as usize];
        let mut sum = 0.0;
        for (field, (weight, b)) in FILE_FIELDS.iter().enumerate().filter(|(field, _)| counts.0[*field] > 0) {
            let length = f64::from(segment.lengths[field]) / self.file_means[field];
            let length = if field == Field::Path as usize { 1.0 } else { length };
            sum += weight * damped(counts.0[field]) / (1.0 - b + b * length);
        }
        sum as f32
    }

    /// What was found without its hits, and the hits, each with its document; how near they are is not told yet.
    fn found(&self, k: usize, filter: &Filter<'_>, in_scope: &[bool], ideal: f64) -> (Found, Vec<(Hit, u32)>) {
        let inside = || self.segments.iter().zip(in_scope).filter(|(_, inside)| **inside).map(|(segment, _)| segment);
        let mut best: Vec<(f32, u32, &Segment<'_>)> = Vec::new();
        for segment in inside() {
            for document in segment.first..segment.first + segment.count {
                let sum = &self.entries[document as usize];
                if sum.all > 0.0 && self.kind_fits(segment, document - segment.first, filter) {
                    best.push((sum.all, document, segment));
                }
            }
        }
        let candidates = best.len();
        let order =
            |a: &(f32, u32, &Segment<'_>), b: &(f32, u32, &Segment<'_>)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if best.len() > k && k > 0 {
            best.select_nth_unstable_by(k - 1, order);
        }
        best.truncate(k);
        best.sort_unstable_by(order);
        let hit =
            |(_, document, segment): (f32, u32, &Segment<'_>)| Some((self.hit(segment, document, ideal)?, document));
        let hits = best.into_par_iter().with_min_len(HITS_TOGETHER).filter_map(hit).collect();
        let scanned = inside().map(|segment| segment.count as usize).sum();
        (Found { hits: Vec::new(), candidates, scanned }, hits)
    }

    fn kind_fits(&self, segment: &Segment<'_>, entry: u32, filter: &Filter<'_>) -> bool {
        filter.kinds.is_none_or(|kinds| self.index.head(segment, entry).is_some_and(|head| kinds >> head.kind & 1 == 1))
    }

    fn hit(&self, segment: &Segment<'_>, document: u32, ideal: f64) -> Option<Hit> {
        let sum = &self.entries[document as usize];
        let entry = document.checked_sub(segment.first)?;
        let head = self.index.head(segment, entry)?;
        let id = match segment.source {
            Source::Base(first) => self.index.base.as_ref()?.id(first + entry, segment.path),
            Source::Overlay(file) => file.ids().nth(entry as usize)?.to_owned(),
        };
        let score = f64::from(sum.all);
        let hit = Hit {
            path: segment.path.into(),
            id,
            key: head.key,
            kind: head.kind,
            score,
            title: f64::from(sum.title),
            exact: f64::from(sum.exact),
            message: self.messages.get(&document).copied().map_or(0.0, f64::from),
            relative: if ideal > 0.0 { score / ideal } else { 0.0 },
            fields: self
                .by_field(document, &head)
                .map(|field| f64::from(field) / if score > 0.0 { score } else { 1.0 }),
            matched: sum.matched,
            near: self.near_of(document),
        };
        (!hit.id.is_empty()).then_some(hit)
    }

    /// Compares the meaning of all entries with that of the query and of its title. With it, whether the table knows a word
    /// of the query.
    fn compare(&self, query: &Query, table: &Embedding, cancel: &Cancel) -> Result<Compared, Cancelled> {
        let vector = |title: bool| -> Vector { table.of_terms(query.weighed(&self.rarities, title)) };
        let (text, title) = (vector(false), vector(true));
        if text.is_nothing() {
            return Ok(Compared::default());
        }
        let has_meaning = query.weighed(&self.rarities, false).any(|(term, _)| table.knows(term));
        let both = [&text, &title];
        let queries = if query.is_long && !title.is_nothing() { &both[..] } else { &both[..1] };
        Ok((self.index.nearness(&self.segments, table, queries, cancel)?, has_meaning))
    }

    fn near_of(&self, document: u32) -> Option<Near> {
        let near = |of: &Vec<f32>| of.get(document as usize).copied();
        let text = self.near.first().and_then(near).filter(|near| *near > NOWHERE)?;
        let title = self.near.last().and_then(near).unwrap_or(0.0);
        Some(Near { text: f64::from(text), title: f64::from(title) })
    }

    fn mean_near(&self) -> Option<Near> {
        let mean = |values: &[f32]| {
            let there = values.iter().filter(|value| **value > NOWHERE);
            let (count, sum) = there.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + f64::from(*value)));
            (count > 0).then(|| sum / f64::from(count))
        };
        let text = mean(self.near.first()?)?;
        let title = if self.near.len() > 1 { mean(self.near.last()?)? } else { text };
        Some(Near { text, title })
    }

    /// Entries nearest to the query that pass the filter and are not among `hits`.
    fn nearest(&self, hits: &[Hit], filter: &Filter<'_>, in_scope: &[bool], ideal: f64) -> Vec<Hit> {
        let Some(near) = self.near.first().filter(|_| self.has_meaning) else { return Vec::new() };
        let place = |document: u32| self.segments.partition_point(|segment| segment.first <= document) - 1;
        let fits = |document: u32| {
            let place = place(document);
            in_scope[place] && self.kind_fits(&self.segments[place], document - self.segments[place].first, filter)
        };
        let nearest = near::largest(near, NEAREST, fits);
        let found = nearest.into_iter().filter_map(|at| self.hit(&self.segments[place(at)], at, ideal));
        let known: std::collections::HashSet<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        found.filter(|hit| !known.contains(hit.id.as_str())).collect()
    }

    fn files_found(&self, in_scope: &[bool], nearest: &[Hit]) -> Vec<FileHit> {
        let near_paths: std::collections::HashSet<&str> = nearest.iter().map(|hit| hit.path.as_str()).collect();
        let mut files = Vec::new();
        let mut said: Vec<u32> = self.messages.keys().copied().collect();
        said.sort_unstable();
        for ((segment, sum), _) in self.segments.iter().zip(&self.files).zip(in_scope).filter(|(_, inside)| **inside) {
            let range = segment.first as usize..(segment.first + segment.count) as usize;
            let most = |of: fn(&EntrySum) -> f32| {
                self.entries.get(range.clone()).map_or(0.0, |all| all.iter().map(of).fold(0.0, f32::max))
            };
            let best = most(|sum| sum.all);
            if best > 0.0 || near_paths.contains(segment.path) {
                let near = range.clone().filter_map(|document| self.near_of(document as u32));
                files.push(FileHit {
                    path: segment.path.into(),
                    score: f64::from(sum.all),
                    title: f64::from(sum.title),
                    exact: f64::from(sum.exact),
                    best: f64::from(best),
                    best_title: f64::from(most(|sum| sum.title)),
                    best_exact: f64::from(most(|sum| sum.exact)),
                    message: said[said.partition_point(|document| *document < segment.first)..]
                        .iter()
                        .take_while(|document| **document < segment.first + segment.count)
                        .map(|document| f64::from(self.messages[document]))
                        .fold(0.0, f64::max),
                    near: near.reduce(|a, b| Near { text: a.text.max(b.text), title: a.title.max(b.title) }),
                });
            }
        }
        files
    }
}

/// Counts of one term over a file. Words of the path stand in every entry and count once.
#[derive(Default)]
struct FileCounts([u32; FIELD_COUNT]);

impl FileCounts {
    fn add(&mut self, counts: &Counts) {
        for (field, count) in counts.0.iter().enumerate() {
            let count = u32::from(*count);
            let sum = &mut self.0[field];
            *sum = if field == Field::Path as usize { (*sum).max(count) } else { *sum + count };
        }
    }
}

impl Rows {
    /// What is met by any of two forms, at the better of both gains. Both are in order.
    fn best_of(self, other: Self) -> Self {
        Self {
            entries: merge(self.entries, other.entries, |row| row.0, |row| row.1),
            files: merge(self.files, other.files, |row| row.0, |row| row.1),
        }
    }
}

fn merge<T: Copy>(a: Vec<T>, b: Vec<T>, key: fn(&T) -> u32, gain: fn(&T) -> f32) -> Vec<T> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(left), Some(right)) if key(left) == key(right) => {
                merged.push(if gain(right) > gain(left) { *right } else { *left });
                a.next();
                b.next();
            }
            (Some(left), right) if right.is_none_or(|right| key(left) < key(right)) => merged.extend(a.next()),
            (_, Some(_)) => merged.extend(b.next()),
            _ => return merged,
        }
    }
}

pub(crate) fn rarity(frequency: usize, all: usize) -> f64 {
    let (frequency, all) = (frequency as f64, all as f64);
    (1.0 + (all - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// A word that stands ten times in a body says little more than one that stands four times.
fn damped(count: u32) -> f64 {
    let known = usize::try_from(count).ok().and_then(|count| DAMPED.get(count));
    known.copied().unwrap_or_else(|| (1.0 + f64::from(count)).log2())
}

/// The usual values of [`damped`].
static DAMPED: LazyLock<[f64; 256]> = LazyLock::new(|| std::array::from_fn(|count| (1.0 + count as f64).log2()));

/// Whether a path lies in a folder or is that file; all do if there is none.
pub fn is_within(path: &str, scope: Option<&str>) -> bool {
    let Some(scope) = scope.map(|scope| scope.trim_end_matches('/')) else { return true };
    scope.is_empty() || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
