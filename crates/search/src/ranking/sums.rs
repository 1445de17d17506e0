//! Sums the gains of all query terms and the similarity in meaning for entries and files: runs of files in parallel,
//! then the best of all runs.

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::embedding::{Asked, Embedding, Vector};
use crate::hits::{FileHit, Filter, Found, Hit, Near, Ranked, is_within};
use crate::index::{Segment, Source};
use crate::near::{self, NOWHERE};
use crate::query::Query;
use crate::said;
use crate::scoring::{Met, Row, Scoring};
use crate::terms::{EntryHead, FIELD_COUNT};

/// Entries summed together, between two checks of the cancel flag: keeps their data in the processor's cache.
const ENTRIES_TOGETHER: u32 = 4_096;
/// Hits assembled together: fewer are not worth another thread.
const HITS_TOGETHER: usize = 128;
/// Number of entries found by meaning alone.
const NEAREST: usize = 60;
/// Number of terms whose best gains form the ideal score of a text: the rest of a long one repeats and paraphrases.
const IDEAL_TERMS: usize = 12;
/// Number of terms reported in [`Hit::matched`].
const TOLD: usize = 64;

/// Gains of the terms for one entry or file.
#[derive(Clone, Copy, Default)]
struct Sum {
    all: f32,
    title: f32,
    exact: f32,
}

impl Sum {
    /// Component-wise maximum.
    fn max(self, other: Self) -> Self {
        Self { all: self.all.max(other.all), title: self.title.max(other.title), exact: self.exact.max(other.exact) }
    }
}

/// One of the best entries: its value, its number, the number of its segment.
type Best = (f32, u32, u32);

/// Larger values first, ties by entry number.
fn order(a: &Best, b: &Best) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// Keeps the first `k` in order, unsorted.
fn keep_first(best: &mut Vec<Best>, k: usize) {
    if best.len() > k && k > 0 {
        best.select_nth_unstable_by(k - 1, order);
    }
    best.truncate(k);
}

/// A run of segments.
struct Part {
    /// Number of the first entry.
    first: u32,
    sums: Vec<Sum>,
    /// Component-wise maximum over the entries of each segment.
    most: Vec<Sum>,
    /// Similarity of the entries to each query vector; empty without vectors.
    near: Vec<Vec<f32>>,
    /// The highest similarity in each segment, to the whole query and to its title.
    most_near: Vec<Option<(f32, f32)>>,
    /// Number of entries that match any term and the filter.
    candidates: usize,
    best: Vec<Best>,
    nearest: Vec<Best>,
}

/// The vectors of a query.
struct Meaning<'a> {
    table: &'a Embedding,
    /// Vector of the query, and that of its title if the title is not the whole query.
    vectors: Vec<(Vector, Asked)>,
    /// The table contains a word of the query: n-grams alone are too weak to find entries by.
    is_known: bool,
}

/// A query with the matches of its terms.
pub(crate) struct Asking<'a, 'i> {
    scoring: &'a Scoring<'i>,
    query: &'a Query,
    filter: &'a Filter<'a>,
    met: Vec<Met>,
    /// Quoted messages contained in entries: see [`messages::said`].
    messages: FxHashMap<u32, f32>,
    /// Gain of the names written out in the query for each segment whose file uses them; empty if there are none.
    used: Vec<f32>,
    /// Names among these that no file uses.
    unknown: Vec<String>,
    meaning: Option<Meaning<'a>>,
    /// Paths of all segments.
    paths: Vec<&'i str>,
    in_scope: Vec<bool>,
}

impl<'a, 'i> Asking<'a, 'i> {
    pub(crate) fn new(
        scoring: &'a Scoring<'i>,
        query: &'a Query,
        table: Option<&'a Embedding>,
        filter: &'a Filter<'a>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let paths = || -> Vec<&'i str> { scoring.segments.iter().map(|one| scoring.index.path_of(one)).collect() };
        let (met, paths) = rayon::join(|| scoring.find_met(query, cancel), paths);
        let (met, (used, unknown)) = (met?, scoring.find_used(query, cancel)?);
        let in_scope = paths.iter().map(|path| is_within(path, filter.scope)).collect();
        let rarities: Vec<f64> = met.iter().map(|met| met.rarity).collect();
        let meaning = table.and_then(|table| Meaning::of(query, &rarities, table));
        let messages = said::score_messages(query, &met);
        Ok(Self { scoring, query, filter, met, messages, used, unknown, meaning, paths, in_scope })
    }

    /// Maximum score of an entry.
    fn ideal(&self) -> f64 {
        let counted = self.query.terms.iter().zip(&self.met).filter(|(term, _)| term.counts);
        let mut ideals: Vec<f64> = counted.map(|(_, met)| met.best).collect();
        ideals.sort_by(|a, b| b.total_cmp(a));
        ideals.iter().take(IDEAL_TERMS).sum()
    }

    /// The best `k` entries and all files.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn rank_entries(&self, k: usize, cancel: &Cancel) -> Result<Ranked<'i>, Cancelled> {
        let ideal = self.ideal();
        let parts = || -> Result<Vec<Part>, Cancelled> {
            self.runs().into_par_iter().map(|(from, to)| self.part(from, to, k, cancel)).collect()
        };
        let (parts, sums) = rayon::join(parts, || self.sums_of_files());
        let parts = parts?;
        let mut best: Vec<Best> = parts.iter().flat_map(|part| part.best.iter().copied()).collect();
        keep_first(&mut best, k);
        best.sort_unstable_by(order);
        let nearest = self.nearest(&parts, &best);
        let told = || {
            let hits = self.hits(&best, &parts, ideal).into_iter().flatten().collect();
            (hits, self.hits(&nearest, &parts, ideal))
        };
        let rest = || {
            // A file is also returned for an entry that matches no word, but not for one without an id.
            let is_named = |one: &&Best| self.id(one.1, one.2).is_some_and(|id| !id.is_empty());
            let near: FxHashSet<u32> = nearest.iter().filter(is_named).map(|one| one.2).collect();
            (self.files(&parts, &sums, &near), mean_near(&parts))
        };
        let ((hits, nearest), (files, mean_near)) = rayon::join(told, rest);
        let inside = self.scoring.segments.iter().zip(&self.in_scope).filter(|(_, inside)| **inside);
        let scanned = inside.map(|(segment, _)| segment.count as usize).sum();
        let candidates = parts.iter().map(|part| part.candidates).sum();
        let nearest = nearest.into_iter().flatten().collect();
        let unknown_names = self.unknown.clone();
        Ok(Ranked { found: Found { hits, candidates, scanned }, files, nearest, mean_near, unknown_names })
    }

    /// Splits all segments into ranges large enough to be worth a thread.
    fn runs(&self) -> Vec<(usize, usize)> {
        let (mut runs, mut from, mut entries) = (Vec::new(), 0, 0);
        for (at, segment) in self.scoring.segments.iter().enumerate() {
            entries += segment.count;
            if entries >= ENTRIES_TOGETHER || at + 1 == self.scoring.segments.len() {
                runs.push((from, at + 1));
                (from, entries) = (at + 1, 0);
            }
        }
        runs
    }

    fn part(&self, from: usize, to: usize, k: usize, cancel: &Cancel) -> Result<Part, Cancelled> {
        cancel.check()?;
        let segments = &self.scoring.segments[from..to];
        let first = segments.first().map_or(0, |segment| segment.first);
        let end = segments.last().map_or(first, |last| last.first + last.count);
        let (most, most_near) = (Vec::with_capacity(segments.len()), Vec::new());
        let (best, nearest) = (Vec::new(), Vec::new());
        let sums = self.sums(first, end);
        let mut part = Part { first, sums, most, near: Vec::new(), most_near, candidates: 0, best, nearest };
        if let Some(meaning) = &self.meaning {
            let near = |(vector, asked): &(Vector, Asked)| {
                self.scoring.index.nearness(segments, meaning.table, vector, asked, cancel)
            };
            part.near = meaning.vectors.iter().map(near).collect::<Result<_, _>>()?;
        }
        for (at, segment) in segments.iter().enumerate() {
            part.add(segment, (from + at) as u32, self.in_scope[from + at], |entry| self.kind_fits(segment, entry));
        }
        keep_first(&mut part.best, k);
        if let Some(near) = part.near.first().filter(|_| self.meaning.as_ref().is_some_and(|one| one.is_known)) {
            let place = |at: u32| from + segments.partition_point(|segment| segment.first <= first + at) - 1;
            let fits = |at: u32| {
                let (place, document) = (place(at), first + at);
                let segment = &self.scoring.segments[place];
                self.in_scope[place] && self.kind_fits(segment, document - segment.first)
            };
            let nearest = near::largest(near, NEAREST, fits).into_iter();
            part.nearest = nearest.map(|at| (near[at as usize], first + at, place(at) as u32)).collect();
        }
        Ok(part)
    }

    /// Sums the gains for a range of entries.
    fn sums(&self, first: u32, end: u32) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); (end - first) as usize];
        for (term, met) in self.query.terms.iter().zip(&self.met) {
            let rows = &met.entries[met.entries.partition_point(|row| row.0 < first)..];
            let rows = &rows[..rows.partition_point(|row| row.0 < end)];
            let title = if term.in_title { 1.0 } else { 0.0 };
            let exact = if term.counts { 0.0 } else { 1.0 };
            for &(document, gain, _) in rows {
                let sum = &mut sums[(document - first) as usize];
                sum.all += gain;
                sum.title += gain * title;
                sum.exact += gain * exact;
            }
        }
        sums
    }

    /// Sums the gains for each file.
    fn sums_of_files(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.scoring.segments.len()];
        for (term, met) in self.query.terms.iter().zip(&self.met) {
            let title = if term.in_title { 1.0 } else { 0.0 };
            for &(segment, gain) in &met.files {
                let sum = &mut sums[segment as usize];
                if term.counts {
                    sum.all += gain;
                    sum.title += gain * title;
                } else {
                    sum.exact += gain;
                }
            }
        }
        sums
    }

    fn kind_fits(&self, segment: &Segment<'_>, entry: u32) -> bool {
        let head = || self.scoring.index.head(segment, entry);
        self.filter.kinds.is_none_or(|kinds| head().is_some_and(|head| kinds >> head.kind & 1 == 1))
    }

    /// The entries nearest to the query that are not among `best`, nearest first.
    fn nearest(&self, parts: &[Part], best: &[Best]) -> Vec<Best> {
        let mut nearest: Vec<Best> = parts.iter().flat_map(|part| part.nearest.iter().copied()).collect();
        nearest.sort_unstable_by(order);
        nearest.truncate(NEAREST);
        let known: FxHashSet<u32> = best.iter().map(|one| one.1).collect();
        nearest.retain(|one| !known.contains(&one.1));
        nearest
    }

    /// The hits of these entries, in order; `None` for those without an id.
    fn hits(&self, of: &[Best], parts: &[Part], ideal: f64) -> Vec<Option<Hit<'i>>> {
        // Term rows are in entry order.
        let mut places: Vec<usize> = (0..of.len()).collect();
        places.sort_unstable_by_key(|place| of[*place].1);
        let made: Vec<Vec<Option<Hit<'i>>>> =
            places.par_chunks(HITS_TOGETHER).map(|places| self.hits_of(places, of, parts, ideal)).collect();
        let mut hits: Vec<Option<Hit<'i>>> = of.iter().map(|_| None).collect();
        places.into_iter().zip(made.into_iter().flatten()).for_each(|(place, hit)| hits[place] = hit);
        hits
    }

    /// The hits at these indexes of `of`, in ascending entry order.
    fn hits_of(&self, places: &[usize], of: &[Best], parts: &[Part], ideal: f64) -> Vec<Option<Hit<'i>>> {
        let head = |one: &Best| {
            let segment = &self.scoring.segments[one.2 as usize];
            self.scoring.index.head(segment, one.1.checked_sub(segment.first)?)
        };
        let heads: Vec<Option<EntryHead>> = places.iter().map(|place| head(&of[*place])).collect();
        let mut fields = vec![[0.0f32; FIELD_COUNT]; places.len()];
        let mut matched = vec![0u64; places.len()];
        for (number, met) in self.met.iter().enumerate() {
            let mut rows = met.entries.as_slice();
            for (at, place) in places.iter().enumerate() {
                let document = of[*place].1;
                rows = from_on(rows, document);
                let (Some((found, gain, counts)), Some(head)) = (rows.first(), &heads[at]) else { continue };
                if *found != document {
                    continue;
                }
                matched[at] |= if number < TOLD { 1 << number } else { 0 };
                let part = |field: usize, count| self.scoring.part(field, count, head.lengths[field]);
                let mut sum = 0.0;
                counts.for_each(|field, count| sum += part(field, count));
                let scale = if sum > 0.0 { 1.0 / sum } else { 1.0 };
                counts.for_each(|field, count| fields[at][field] += gain * (part(field, count) * scale) as f32);
            }
        }
        let brought = heads.into_iter().zip(fields).zip(matched).zip(places);
        let hit = |(((head, fields), matched), place): (((Option<EntryHead>, _), u64), &usize)| {
            let (_, document, segment) = of[*place];
            let hit = self.hit(document, segment, &head?, fields, ideal, parts)?;
            Some(Hit { matched, ..hit })
        };
        brought.map(hit).collect()
    }

    fn hit(
        &self,
        document: u32,
        segment: u32,
        head: &EntryHead,
        fields: [f32; FIELD_COUNT],
        ideal: f64,
        parts: &[Part],
    ) -> Option<Hit<'i>> {
        let part = &parts[parts.partition_point(|part| part.first <= document).checked_sub(1)?];
        let at = (document - part.first) as usize;
        let sum = part.sums.get(at)?;
        let id = self.id(document, segment)?;
        let score = f64::from(sum.all);
        let hit = Hit {
            path: self.paths[segment as usize],
            file: segment,
            id,
            key: head.key,
            kind: head.kind,
            score,
            title: f64::from(sum.title),
            exact: f64::from(sum.exact),
            message: self.messages.get(&document).copied().map_or(0.0, f64::from),
            relative: if ideal > 0.0 { score / ideal } else { 0.0 },
            fields: fields.map(|field| f64::from(field) / if score > 0.0 { score } else { 1.0 }),
            matched: 0,
            near: part.near_of(at),
        };
        (!hit.id.is_empty()).then_some(hit)
    }

    fn id(&self, document: u32, segment: u32) -> Option<String> {
        let (path, segment) = (self.paths[segment as usize], &self.scoring.segments[segment as usize]);
        let entry = document.checked_sub(segment.first)?;
        match segment.source {
            Source::Base(first) => Some(self.scoring.index.base.as_ref()?.id(first + entry, path)),
            Source::Overlay(file) => file.ids().nth(entry as usize).map(str::to_owned),
        }
    }

    /// The files in the scope that match a word or whose segment is among `near`.
    fn files(&self, parts: &[Part], sums: &[Sum], near: &FxHashSet<u32>) -> Vec<FileHit<'i>> {
        let mut said: Vec<u32> = self.messages.keys().copied().collect();
        said.sort_unstable();
        let most = parts.iter().flat_map(|part| &part.most);
        let most_near = parts.iter().flat_map(|part| {
            let missing = part.most.len() - part.most_near.len();
            part.most_near.iter().copied().chain(std::iter::repeat_n(None, missing))
        });
        let each = self.scoring.segments.iter().zip(sums).zip(&self.in_scope).zip(most.zip(most_near)).enumerate();
        let mut files = Vec::with_capacity(self.paths.len());
        for (number, (((segment, sum), inside), (most, most_near))) in each {
            let used = self.used.get(number).map_or(0.0, |gain| f64::from(*gain));
            if !inside || (most.all <= 0.0 && used <= 0.0 && !near.contains(&(number as u32))) {
                continue;
            }
            files.push(FileHit {
                path: self.paths[number],
                file: Some(number as u32),
                score: f64::from(sum.all),
                title: f64::from(sum.title),
                exact: f64::from(sum.exact),
                used,
                best: f64::from(most.all),
                best_title: f64::from(most.title),
                best_exact: f64::from(most.exact),
                message: said[said.partition_point(|document| *document < segment.first)..]
                    .iter()
                    .take_while(|document| **document < segment.first + segment.count)
                    .map(|document| f64::from(self.messages[document]))
                    .fold(0.0, f64::max),
                near: most_near.map(|(text, title)| Near { text: f64::from(text), title: f64::from(title) }),
            });
        }
        files
    }
}

impl<'a> Meaning<'a> {
    /// Returns `None` if no word is known.
    fn of(query: &Query, rarities: &[f64], table: &'a Embedding) -> Option<Self> {
        let vector = |title: bool| -> Vector { table.of_terms(query.weigh_words(rarities, title)) };
        let (text, title) = (vector(false), vector(true));
        if text.is_nothing() {
            return None;
        }
        let is_known = query.weigh_words(rarities, false).any(|(term, _)| table.knows(term));
        let title = Some(title).filter(|title| query.is_long && !title.is_nothing());
        let asked = |vector: Vector| {
            let asked = vector.prepare_asked();
            (vector, asked)
        };
        Some(Self { table, vectors: std::iter::once(text).chain(title).map(asked).collect(), is_known })
    }
}

impl Part {
    /// Adds the entries of a segment, which must be the next one of the part.
    fn add(&mut self, segment: &Segment<'_>, number: u32, in_scope: bool, kind_fits: impl Fn(u32) -> bool) {
        let range = (segment.first - self.first) as usize..(segment.first + segment.count - self.first) as usize;
        let mut most = Sum::default();
        for (entry, sum) in self.sums[range.clone()].iter().enumerate() {
            most = most.max(*sum);
            if in_scope && sum.all > 0.0 && kind_fits(entry as u32) {
                self.candidates += 1;
                self.best.push((sum.all, segment.first + entry as u32, number));
            }
        }
        self.most.push(most);
        if let (Some(text), Some(title)) = (self.near.first(), self.near.last()) {
            let there = text[range.clone()].iter().zip(&title[range]).filter(|(text, _)| **text > NOWHERE);
            let most = there.map(|(text, title)| (*text, *title)).reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
            self.most_near.push(most);
        }
    }

    /// Similarity of the entry at an index; `None` if it has no vector.
    fn near_of(&self, at: usize) -> Option<Near> {
        let near = |of: &Vec<f32>| of.get(at).copied();
        let text = self.near.first().and_then(near).filter(|near| *near > NOWHERE)?;
        let title = self.near.last().and_then(near).unwrap_or(0.0);
        Some(Near { text: f64::from(text), title: f64::from(title) })
    }
}

/// Mean over all entries, the baseline of chance.
fn mean_near(parts: &[Part]) -> Option<Near> {
    let mean = |of: usize| {
        let values = parts.iter().filter_map(|part| part.near.get(of)).flatten();
        // Summed in a fixed order, so that the result does not depend on how the work was split.
        let (count, sum) = values
            .filter(|value| **value > NOWHERE)
            .fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + f64::from(*value)));
        (count > 0).then(|| sum / f64::from(count))
    };
    let text = mean(0)?;
    let has_title = parts.iter().any(|part| part.near.len() > 1);
    Some(Near { text, title: if has_title { mean(1)? } else { text } })
}

/// The rows from an entry on. Galloping search: faster the nearer it is to the first row.
fn from_on(rows: &[Row], document: u32) -> &[Row] {
    let mut end = 1;
    while rows.get(end - 1).is_some_and(|row| row.0 < document) {
        end *= 2;
    }
    let (start, end) = (end / 2, end.min(rows.len()));
    let start = start.min(end);
    &rows[start + rows[start..end].partition_point(|row| row.0 < document)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Counts;

    #[test]
    fn rows_are_found_from_a_place_on() {
        for len in 0..40u32 {
            let rows: Vec<Row> = (0..len).map(|number| (3 * number, 0.0, Counts::default())).collect();
            for document in 0..3 * len + 3 {
                let expected = rows.partition_point(|row| row.0 < document);
                assert_eq!(from_on(&rows, document).len(), rows.len() - expected, "{document} of {len}");
            }
        }
    }
}
