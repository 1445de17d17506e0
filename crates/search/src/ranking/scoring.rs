//! Matches of the query terms: entries and files with the gain of each term.

use std::sync::LazyLock;

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;

use crate::base::{Base, length_of};
use crate::index::{Index, Segment, Source};
use crate::query::{Query, QueryTerm};
use crate::rarity::rarity;
use crate::terms::{Counts, FIELD_COUNT, FIELDS, Field, FieldSettings, USED_NAME};

/// Saturation of repeated occurrences of a term in an entry (BM25 k1).
const SATURATION: f64 = 4.0;
/// Saturation of repeated occurrences of a term in a file.
const FILE_SATURATION: f64 = 4.0;
/// Maximum factor for repetitions of a name in the query.
const MOST_SAID: f64 = 2.0;
/// Segments processed between two checks of the cancel flag.
const POLL: usize = 256;

/// Approximate size of a posting, in bytes.
const BYTES_OF_POSTING: usize = 2;
/// Weight and length discount of each field of a whole file.
const FILE_FIELDS: [(f64, f64); FIELD_COUNT] =
    [(4.0, 0.4), (0.0, 0.0), (1.0, 0.5), (1.5, 0.5), (4.0, 0.3), (1.0, 0.6), (1.0, 0.6)];

/// Field lengths whose discount is precomputed per search; longer ones are rare.
const TABLED: usize = 256;

/// Weight of one occurrence in each field of an entry, by field length.
struct Discounts {
    /// Mean length of each field of an entry.
    means: [f64; FIELD_COUNT],
    tables: Box<[[f64; TABLED]; FIELD_COUNT]>,
}

impl Discounts {
    fn new(means: [f64; FIELD_COUNT]) -> Self {
        let mut discounts = Self { means, tables: Box::new([[0.0; TABLED]; FIELD_COUNT]) };
        for field in 0..FIELD_COUNT {
            for length in 0..TABLED {
                discounts.tables[field][length] = discounts.worked_out(field, length as u16);
            }
        }
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

/// Documents of one file in the base.
struct BaseRun {
    start: u32,
    end: u32,
    /// Number of its segment.
    segment: u32,
}

/// An entry that contains a term: its number, the strength of the term in it (later: the gain), and its occurrences
/// in each field. The share of each field is only computed for the displayed hits.
pub(crate) type Row = (u32, f32, Counts);

/// Matches of one form of a term.
#[derive(Default)]
struct Rows {
    /// By number.
    entries: Vec<Row>,
    /// Segment, strength (later: gain).
    files: Vec<(u32, f32)>,
}

/// Matches of a term, by the better of its forms.
pub(crate) struct Met {
    /// By number.
    pub(crate) entries: Vec<Row>,
    /// Segment, gain.
    pub(crate) files: Vec<(u32, f32)>,
    /// Inverse document frequency of its plain form.
    pub(crate) rarity: f64,
    /// Maximum gain for an entry.
    pub(crate) best: f64,
}

/// Parameters for weighting postings.
pub(crate) struct Scoring<'a> {
    pub(crate) index: &'a Index,
    pub(crate) segments: Vec<Segment<'a>>,
    /// Number of entries in all segments.
    pub(crate) total: usize,
    /// The segments in the base, in its order.
    runs: Vec<BaseRun>,
    discounts: Discounts,
    /// Mean length of each field of a file.
    file_means: [f64; FIELD_COUNT],
}

impl<'a> Scoring<'a> {
    pub(crate) fn new(index: &'a Index) -> Self {
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
        let runs = segments.iter().enumerate().filter_map(run).collect();
        Self { index, segments, total, runs, discounts: Discounts::new(entry_means), file_means }
    }

    /// Returns the matches of each query term.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn find_met(&self, query: &Query, cancel: &Cancel) -> Result<Vec<Met>, Cancelled> {
        query.terms.par_iter().with_max_len(1).map(|term| self.met_by(term, cancel)).collect()
    }

    /// Returns the gain of the names written out in a query for each segment whose file uses them, by segment number;
    /// and the names that no file uses.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn find_used(&self, query: &Query, cancel: &Cancel) -> Result<(Vec<f32>, Vec<String>), Cancelled> {
        let mut unknown = Vec::new();
        let mut gains = vec![0f32; if query.used.is_empty() { 0 } else { self.segments.len() }];
        for (name, said) in &query.used {
            let rows = self.rows_of(name, cancel)?;
            if rows.files.is_empty() {
                unknown.push(name.trim_start_matches(USED_NAME).to_owned());
            }
            let rarity = rarity(rows.files.len(), self.segments.len());
            let top = rarity * (1.0 + f64::from(*said).ln()).min(MOST_SAID);
            // Only the entry of the file itself holds such names, so there are as many rows as files.
            for ((segment, _), (_, _, counts)) in rows.files.iter().zip(&rows.entries) {
                let count = f64::from(counts.0[Field::Body as usize]);
                gains[*segment as usize] += (top * count / (1.0 + count)) as f32;
            }
        }
        Ok((gains, unknown))
    }

    fn met_by(&self, term: &QueryTerm, cancel: &Cancel) -> Result<Met, Cancelled> {
        let (mut best, mut plain) = (0.0f64, 0.0);
        let mut merged = Rows::default();
        for (number, (form, weight)) in term.forms.iter().enumerate() {
            let mut rows = self.rows_of(form, cancel)?;
            let rarity = rarity(rows.entries.len(), self.total);
            let top = weight * rarity * (SATURATION + 1.0);
            if number == 0 {
                plain = rarity;
            }
            // A form without occurrences says nothing about the rarity of the word, unless no form occurs.
            if !rows.entries.is_empty() || best == 0.0 {
                best = if merged.entries.is_empty() { top } else { best.max(top) };
            }
            for (_, strength, _) in &mut rows.entries {
                *strength = (top * f64::from(*strength) / (SATURATION + f64::from(*strength))) as f32;
            }
            let file_top = weight * self::rarity(rows.files.len(), self.segments.len()) * (FILE_SATURATION + 1.0);
            for (_, strength) in &mut rows.files {
                *strength = (file_top * f64::from(*strength) / (FILE_SATURATION + f64::from(*strength))) as f32;
            }
            merged = if merged.entries.is_empty() { rows } else { merged.best_of(rows) };
        }
        Ok(Met { entries: merged.entries, files: merged.files, rarity: plain, best })
    }

    /// Every entry and file that contains a term, in the order of a clean build, with its strength.
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
                // Two sorted runs.
                rows.entries.sort_by_key(|row| row.0);
                rows.files.sort_by_key(|row| row.0);
            }
        }
        Ok(rows)
    }

    fn add_from_base(&self, base: &Base, term: &str, rows: &mut Rows) {
        let (records, mut at) = (base.records(), 0usize);
        let mut counts = FileCounts::default();
        let mut open: Option<u32> = None;
        let postings = base.postings(term);
        rows.entries.reserve(postings.at_most() / BYTES_OF_POSTING);
        for (document, found) in postings {
            if self.runs.get(at).is_some_and(|run| run.end <= document) {
                if let Some(segment) = open.take() {
                    rows.files.push((segment, self.file_strength(&counts, segment)));
                    counts = FileCounts::default();
                }
                at += self.runs[at..].partition_point(|run| run.end <= document);
            }
            let Some(run) = self.runs.get(at) else { break };
            // Files before its start were replaced or removed.
            let (Some(record), true) = (records.get(document as usize), run.start <= document) else { continue };
            let entry = self.segments[run.segment as usize].first + (document - run.start);
            rows.entries.push((entry, self.strength(&found, |field| length_of(record, field)), found));
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
                rows.entries.push((segment.first + entry, self.strength(&found, |field| head.lengths[field]), found));
                counts.add(&found);
            }
            if rows.entries.len() > before {
                rows.files.push((number as u32, self.file_strength(&counts, number as u32)));
            }
        }
        Ok(())
    }

    /// Weighted count of a term in an entry, discounted by field lengths.
    #[inline]
    fn strength(&self, counts: &Counts, length: impl Fn(usize) -> u16) -> f32 {
        let mut sum = 0.0;
        counts.for_each(|field, count| sum += self.part(field, count, length(field)));
        sum as f32
    }

    /// Contribution of a field of this length to the strength of a term with this many occurrences.
    #[inline]
    pub(crate) fn part(&self, field: usize, count: u8, length: u16) -> f64 {
        let one = self.discounts.of(field, length);
        // Nearly all words occur once.
        let times = if count == 1 { 1.0 } else { DAMPED[usize::from(count)] };
        times * one
    }

    fn file_strength(&self, counts: &FileCounts, segment: u32) -> f32 {
        let segment = &self.segments[segment as usize];
        let mut sum = 0.0;
        for (field, (weight, b)) in FILE_FIELDS.iter().enumerate().filter(|(field, _)| counts.0[*field] > 0) {
            let length = f64::from(segment.lengths[field]) / self.file_means[field];
            let length = if field == Field::Path as usize { 1.0 } else { length };
            sum += weight * damp_count(counts.0[field]) / (1.0 - b + b * length);
        }
        sum as f32
    }
}

/// Counts of one term over a file. Words of the path occur in every entry and count once.
#[derive(Default)]
struct FileCounts([u32; FIELD_COUNT]);

impl FileCounts {
    fn add(&mut self, counts: &Counts) {
        counts.for_each(|field, count| {
            let (sum, count) = (&mut self.0[field], u32::from(count));
            *sum = if field == Field::Path as usize { (*sum).max(count) } else { *sum + count };
        });
    }
}

impl Rows {
    /// Merges the matches of two forms, keeping the better gain of each. Both are sorted.
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

/// Dampens repetition: a word that occurs ten times in a body says little more than one that occurs four times.
fn damp_count(count: u32) -> f64 {
    let known = usize::try_from(count).ok().and_then(|count| DAMPED.get(count));
    known.copied().unwrap_or_else(|| (1.0 + f64::from(count)).log2())
}

/// Precomputed values of [`damp_count`].
static DAMPED: LazyLock<[f64; 256]> = LazyLock::new(|| std::array::from_fn(|count| (1.0 + count as f64).log2()));
