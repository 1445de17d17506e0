use rustc_hash::FxHashMap;

use crate::{varint, words};

/// A part of an entry. Matches in different parts have different weights: see [`FIELDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Field {
    /// The name itself.
    Name,
    /// Names of the enclosing definitions.
    Owner,
    /// Its header.
    Signature,
    /// Its doc comment.
    Doc,
    /// Path of its file.
    Path,
    /// Its code, without string literals.
    Body,
    /// String literals of its code.
    Literal,
}

impl Field {
    /// Its name in answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Owner => "owner",
            Self::Signature => "signature",
            Self::Doc => "doc",
            Self::Path => "path",
            Self::Body => "body",
            Self::Literal => "literal",
        }
    }
}

/// Parameters of a field in BM25F.
#[derive(Debug, Clone, Copy)]
pub struct FieldSettings {
    /// The field.
    pub field: Field,
    /// Weight of one occurrence.
    pub weight: f64,
    /// Length normalisation, 0 (none) to 1 (proportional).
    pub b: f64,
}

/// Number of fields.
pub(crate) const FIELD_COUNT: usize = 7;
const BODY: usize = Field::Body as usize;
pub(crate) const LITERAL: usize = Field::Literal as usize;

/// Parameters of all fields, in numeric order.
pub const FIELDS: [FieldSettings; FIELD_COUNT] = [
    FieldSettings { field: Field::Name, weight: 8.0, b: 0.3 },
    FieldSettings { field: Field::Owner, weight: 2.0, b: 0.3 },
    FieldSettings { field: Field::Signature, weight: 1.5, b: 0.5 },
    FieldSettings { field: Field::Doc, weight: 2.5, b: 0.6 },
    FieldSettings { field: Field::Path, weight: 1.5, b: 0.5 },
    FieldSettings { field: Field::Body, weight: 1.0, b: 0.6 },
    FieldSettings { field: Field::Literal, weight: 1.0, b: 0.6 },
];

/// Maximum number of distinct terms from code and literals kept per entry, in order of occurrence; more adds noise
/// and memory, not meaning.
pub const MAX_BODY_TERMS: usize = 400;
/// Maximum bytes read for one field of one entry.
const MAX_FIELD_BYTES: usize = 256 << 10;
/// Prefix of the term of a whole name, so that it cannot match a word.
pub(crate) const WHOLE_NAME: char = '=';

/// Prefix of the term of a name that a file uses.
pub(crate) const USED_NAME: char = '~';
/// Maximum number of distinct multi-word names kept per file, in order of occurrence.
pub const MAX_USED_NAMES: usize = 1_000;

/// The term of a name of several words that a file uses; `None` if it is too short or too long to be informative.
pub fn used_name(identifier: &str) -> Option<String> {
    let folded = words::fold_identifier(identifier);
    (folded.len() > 3 && folded.len() <= 4 * words::MAX_WORD).then(|| format!("{USED_NAME}{folded}"))
}

/// A searchable item: a symbol or a file. Bodies are added separately, piece by piece.
#[derive(Debug, Clone, Copy, Default)]
pub struct Entry<'a> {
    /// The caller's number for the entry, such as that of its definition. Unique in its file.
    pub key: u32,
    /// Kind for filters, 0 to 63.
    pub kind: u8,
    /// Its name.
    pub name: &'a str,
    /// Names of the enclosing definitions.
    pub owner: &'a str,
    /// Its header.
    pub signature: &'a str,
    /// Its doc comment.
    pub doc: &'a str,
    /// Path of its file.
    pub path: &'a str,
}

/// The bytes are not the terms of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored terms of a file are damaged; drop them and extract the file again")]
pub struct TermsError;

/// Counted terms of all entries of one file: small enough to be cached and stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTerms(Box<[u8]>);

/// Counts of one term in one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts(pub(crate) [u8; FIELD_COUNT]);

impl Counts {
    /// Calls `each` with the fields that contain the term, in order, and the number of occurrences; mostly there is
    /// only one field.
    #[inline]
    pub(crate) fn for_each(&self, mut each: impl FnMut(usize, u8)) {
        let [a, b, c, d, e, f, g] = self.0;
        let mut left = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
        while left != 0 {
            let field = left.trailing_zeros() / 8;
            each(field as usize, (left >> (8 * field)) as u8);
            left &= !(0xff << (8 * field));
        }
    }
}

/// Whether a limit truncated the terms of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cut {
    /// Words of its texts were dropped.
    pub(crate) words: bool,
    /// Names that its file uses were dropped.
    pub(crate) names: bool,
}

impl Cut {
    /// Encodes as two bits.
    pub(crate) fn bits(self) -> u8 {
        u8::from(self.words) | u8::from(self.names) << 1
    }

    /// Decodes two bits; others are ignored.
    pub(crate) fn of_bits(bits: u8) -> Self {
        Self { words: bits & 1 == 1, names: bits >> 1 & 1 == 1 }
    }
}

/// Bits of a byte that hold the kind of an entry; the two others are the truncation flags.
const KIND_BITS: u32 = 6;

/// Properties of an entry apart from its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryHead {
    pub(crate) key: u32,
    pub(crate) kind: u8,
    pub(crate) cut: Cut,
    /// Number of terms in each field.
    pub(crate) lengths: [u16; FIELD_COUNT],
}

/// A part of an identifier that was seen before, so that it need not be stemmed again.
#[derive(Debug, Clone, Copy)]
struct KnownPart {
    /// Number of its term; `None` if it has none.
    term: Option<u32>,
    /// It says nothing in prose and code.
    is_idle: bool,
}

/// Collects the terms of one file.
#[derive(Debug, Default)]
pub struct FileTermsBuilder {
    heads: Vec<EntryHead>,
    body_terms: Vec<usize>,
    /// Number of each term.
    terms: FxHashMap<Box<str>, u32>,
    /// Counts of each term by entry, in order of entries.
    rows: Vec<Vec<(u32, Counts)>>,
    /// Parts of identifiers as written.
    parts: FxHashMap<Box<str>, KnownPart>,
    /// Identifiers of several parts: where theirs are in `sequences`.
    compounds: FxHashMap<Box<str>, (u32, u32)>,
    /// The parts of all of them.
    sequences: Vec<KnownPart>,
}

impl FileTermsBuilder {
    /// A file without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry; its number, for [`Self::body`], is the count of entries before it.
    pub fn entry(&mut self, entry: &Entry<'_>) -> usize {
        let number = self.heads.len();
        let (kind, cut) = (entry.kind.min(63), Cut::default());
        self.heads.push(EntryHead { key: entry.key, kind, cut, lengths: [0; FIELD_COUNT] });
        self.body_terms.push(0);
        let folded = words::fold_identifier(entry.name);
        if !folded.is_empty() && folded.len() <= 4 * words::MAX_WORD {
            let term = self.term(&format!("{WHOLE_NAME}{folded}"));
            self.count(number, Field::Name, term);
        }
        self.text(number, Field::Name, entry.name);
        self.text(number, Field::Owner, entry.owner);
        self.text(number, Field::Signature, entry.signature);
        self.text(number, Field::Doc, entry.doc);
        self.text(number, Field::Path, entry.path);
        number
    }

    /// Adds a piece of code or comment to the body of entry `number`. Unknown numbers are ignored.
    pub fn body(&mut self, number: usize, text: &str) {
        if number < self.heads.len() {
            self.text(number, Field::Body, text);
        }
    }

    /// Adds the multi-word names in the text of a file to its entry `number`: as wholes they are rarer than their
    /// parts. Unknown numbers are ignored.
    pub fn uses(&mut self, number: usize, text: &str) {
        if number >= self.heads.len() {
            return;
        }
        let (mut kept, mut is_cut) = (0, text.len() > MAX_FIELD_BYTES);
        // The term of each identifier; `None` if it is none of several words.
        let mut known: FxHashMap<&str, Option<u32>> = FxHashMap::default();
        words::identifiers(&text[..text.floor_char_boundary(MAX_FIELD_BYTES)], |identifier| {
            let term = match known.get(identifier) {
                Some(term) => *term,
                None => {
                    let name = words::is_compound(identifier).then(|| used_name(identifier)).flatten();
                    let term = match name {
                        Some(name) if kept < MAX_USED_NAMES || self.terms.contains_key(name.as_str()) => {
                            kept += usize::from(!self.terms.contains_key(name.as_str()));
                            Some(self.term(&name))
                        }
                        name => {
                            is_cut |= name.is_some();
                            None
                        }
                    };
                    known.insert(identifier, term);
                    term
                }
            };
            if let Some(term) = term {
                let place = self.row(term, number as u32).unwrap_or_else(|place| self.begin_row(term, number, place));
                self.add(term, place, Field::Body);
            }
        });
        self.heads[number].cut.names |= is_cut;
    }

    /// Adds the content of a string literal to entry `number`. Unknown numbers are ignored.
    pub fn literal(&mut self, number: usize, text: &str) {
        if number < self.heads.len() {
            self.text(number, Field::Literal, text);
        }
    }

    fn text(&mut self, number: usize, field: Field, text: &str) {
        self.heads[number].cut.words |= text.len() > MAX_FIELD_BYTES;
        let text = &text[..text.floor_char_boundary(MAX_FIELD_BYTES)];
        words::identifiers(text, |identifier| {
            if words::is_one_part(identifier) {
                let known = self.part(identifier);
                return self.count_part(number, field, known);
            }
            let (start, end) = self.compound(identifier);
            for at in start..end {
                self.count_part(number, field, self.sequences[at as usize]);
            }
        });
    }

    fn count_part(&mut self, number: usize, field: Field, known: KnownPart) {
        let Some(term) = known.term else { return };
        if matches!(field, Field::Name | Field::Owner) || !known.is_idle {
            self.count(number, field, term);
            let length = &mut self.heads[number].lengths[field as usize];
            *length = length.saturating_add(1);
        }
    }

    /// The range of the parts of an identifier among the sequences: it is split where it stands first.
    fn compound(&mut self, identifier: &str) -> (u32, u32) {
        if let Some(range) = self.compounds.get(identifier) {
            return *range;
        }
        let start = self.sequences.len() as u32;
        words::parts(identifier, |part| {
            let known = self.part(part);
            self.sequences.push(known);
        });
        let range = (start, self.sequences.len() as u32);
        self.compounds.insert(identifier.into(), range);
        range
    }

    fn part(&mut self, part: &str) -> KnownPart {
        if part.len() > words::MAX_WORD {
            return KnownPart { term: None, is_idle: true };
        }
        if let Some(known) = self.parts.get(part) {
            return *known;
        }
        let term = words::term(part);
        let is_idle = term.as_ref().is_some_and(|term| term.len() <= 1 || words::is_stop_word(term));
        let known = KnownPart { term: term.map(|term| self.term(&term)), is_idle };
        self.parts.insert(part.into(), known);
        known
    }

    /// The number of a term.
    fn term(&mut self, term: &str) -> u32 {
        if let Some(number) = self.terms.get(term) {
            return *number;
        }
        let number = self.rows.len() as u32;
        self.rows.push(Vec::new());
        self.terms.insert(term.into(), number);
        number
    }

    /// The place of an entry among the counts of a term, or the one that it would have.
    fn row(&self, term: u32, entry: u32) -> Result<usize, usize> {
        let rows = &self.rows[term as usize];
        match rows.last() {
            // Texts come entry by entry.
            Some((last, _)) if *last == entry => Ok(rows.len() - 1),
            Some((last, _)) if *last < entry => Err(rows.len()),
            _ => rows.binary_search_by_key(&entry, |row| row.0),
        }
    }

    fn begin_row(&mut self, term: u32, number: usize, place: usize) -> usize {
        self.rows[term as usize].insert(place, (number as u32, Counts::default()));
        place
    }

    fn add(&mut self, term: u32, place: usize, field: Field) {
        let count = &mut self.rows[term as usize][place].1.0[field as usize];
        // Saturates: larger counts are not distinguished.
        *count = count.saturating_add(1);
    }

    fn count(&mut self, number: usize, field: Field, term: u32) {
        let is_code = matches!(field, Field::Body | Field::Literal);
        let place = match self.row(term, number as u32) {
            Ok(place) => place,
            Err(_) if is_code && self.body_terms[number] >= MAX_BODY_TERMS => {
                self.heads[number].cut.words = true;
                return;
            }
            Err(place) => {
                self.body_terms[number] += usize::from(is_code);
                self.begin_row(term, number, place)
            }
        };
        self.add(term, place, field);
    }

    /// The terms, encoded.
    pub fn finish(self) -> FileTerms {
        let mut out = Vec::new();
        varint::write(&mut out, self.heads.len() as u64);
        for head in &self.heads {
            varint::write(&mut out, u64::from(head.key));
            out.push(head.kind | head.cut.bits() << KIND_BITS);
            head.lengths.iter().for_each(|length| varint::write(&mut out, u64::from(*length)));
        }
        let rows = |term: &u32| &self.rows[*term as usize];
        let mut terms: Vec<_> = self.terms.iter().filter(|(_, term)| !rows(term).is_empty()).collect();
        terms.sort_unstable_by(|a, b| a.0.cmp(b.0));
        varint::write(&mut out, terms.len() as u64);
        let mut postings = Vec::new();
        for (term, number) in terms {
            postings.clear();
            let mut writer = PostingsWriter::default();
            rows(number).iter().for_each(|(entry, counts)| writer.write(&mut postings, *entry, counts));
            varint::write(&mut out, term.len() as u64);
            out.extend_from_slice(term.as_bytes());
            varint::write(&mut out, postings.len() as u64);
            out.extend_from_slice(&postings);
        }
        FileTerms(out.into())
    }
}

impl FileTerms {
    /// The encoded bytes, for storage.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes bytes that were stored with a checksum of their own, which matched. Others may yield wrong terms.
    pub fn from_sound_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Decodes stored bytes. Validates everything, so that damage is noticed at once.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TermsError> {
        let terms = Self(bytes.into());
        terms.check().ok_or(TermsError)?;
        Ok(terms)
    }

    fn check(&self) -> Option<()> {
        let (heads, mut at) = self.read_heads()?;
        let entries = heads.len() as u32;
        let count = varint::read(&self.0, &mut at)?;
        let mut previous: Option<&str> = None;
        for _ in 0..count {
            let (term, postings) = self.read_term(&mut at)?;
            if previous.is_some_and(|previous| previous >= term) {
                return None;
            }
            previous = Some(term);
            let mut reader = PostingsReader::new(postings);
            let mut any = false;
            for (entry, _) in reader.by_ref() {
                any = true;
                if entry >= entries {
                    return None;
                }
            }
            if !any || !reader.ended_well() {
                return None;
            }
        }
        (at == self.0.len()).then_some(())
    }

    /// Number of entries.
    pub fn entry_count(&self) -> usize {
        varint::read(&self.0, &mut 0).map_or(0, |count| count as usize)
    }

    /// Keys of the entries, in order.
    pub fn keys(&self) -> Vec<u32> {
        self.heads().iter().map(|head| head.key).collect()
    }

    pub(crate) fn heads(&self) -> Vec<EntryHead> {
        self.read_heads().map_or_else(Vec::new, |(heads, _)| heads)
    }

    fn read_heads(&self) -> Option<(Vec<EntryHead>, usize)> {
        let mut at = 0;
        let count = varint::read(&self.0, &mut at)? as usize;
        // Each head takes at least nine bytes, so a wrong count cannot cause a larger allocation.
        let mut heads = Vec::with_capacity(count.min(self.0.len() / 9));
        for _ in 0..count {
            let key = varint::read_u32(&self.0, &mut at)?;
            let byte = *self.0.get(at)?;
            let (kind, cut) = (byte & ((1 << KIND_BITS) - 1), Cut::of_bits(byte >> KIND_BITS));
            at += 1;
            let mut lengths = [0; FIELD_COUNT];
            for length in &mut lengths {
                *length = u16::try_from(varint::read(&self.0, &mut at)?).ok()?;
            }
            heads.push(EntryHead { key, kind, cut, lengths });
        }
        Some((heads, at))
    }

    fn read_term<'a>(&'a self, at: &mut usize) -> Option<(&'a str, &'a [u8])> {
        let slice = |at: &mut usize| {
            let len = usize::try_from(varint::read(&self.0, at)?).ok()?;
            let found = self.0.get(*at..at.checked_add(len)?)?;
            *at += len;
            Some(found)
        };
        let term = std::str::from_utf8(slice(at)?).ok()?;
        Some((term, slice(at)?))
    }

    /// Every term with its encoded postings, in order of the terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let start = self.read_heads().map(|(_, at)| at).unwrap_or(self.0.len());
        let mut at = start;
        let mut left = varint::read(&self.0, &mut at).unwrap_or(0);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            self.read_term(&mut at)
        })
    }
}

/// Writes postings: ascending numbers with counts. The common cases, in the body only or once in a literal, take the
/// least space.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct PostingsWriter {
    next: u32,
}

const BODY_ONCE: u64 = 0;
const BODY_ONLY: u64 = 1;
const GENERAL: u64 = 2;
const LITERAL_ONCE: u64 = 3;

/// Encoding of counts.
fn form(counts: &Counts) -> u64 {
    let others = counts.0.iter().enumerate().any(|(field, count)| *count > 0 && field != BODY && field != LITERAL);
    match (others, counts.0[BODY], counts.0[LITERAL]) {
        (false, 1, 0) => BODY_ONCE,
        (false, 1.., 0) => BODY_ONLY,
        (false, 0, 1) => LITERAL_ONCE,
        _ => GENERAL,
    }
}

impl PostingsWriter {
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, number: u32, counts: &Counts) {
        let gap = u64::from(number.wrapping_sub(self.next));
        self.next = number.wrapping_add(1);
        let form = form(counts);
        varint::write(out, gap << 2 | form);
        match form {
            BODY_ONLY => out.push(counts.0[BODY]),
            GENERAL => {
                let mask =
                    (0..FIELD_COUNT).filter(|field| counts.0[*field] > 0).fold(0u8, |mask, field| mask | 1 << field);
                out.push(mask);
                out.extend(counts.0.iter().filter(|count| **count > 0));
            }
            _ => {}
        }
    }

    /// Number of bytes that [`Self::write`] produces.
    pub(crate) fn len(&mut self, number: u32, counts: &Counts) -> usize {
        let gap = u64::from(number.wrapping_sub(self.next));
        self.next = number.wrapping_add(1);
        let rest = match form(counts) {
            BODY_ONLY => 1,
            GENERAL => 1 + counts.0.iter().filter(|count| **count > 0).count(),
            _ => 0,
        };
        varint::len(gap << 2) + rest
    }
}

/// Reads postings. Stops early at damaged bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostingsReader<'a> {
    bytes: &'a [u8],
    at: usize,
    next: u32,
    damaged: bool,
}

impl<'a> PostingsReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, next: 0, damaged: false }
    }

    /// All its bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Number of bytes left; every posting takes at least one.
    pub(crate) fn at_most(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn ended_well(&self) -> bool {
        !self.damaged && self.at == self.bytes.len()
    }

    fn read(&mut self) -> Option<(u32, Counts)> {
        let word = varint::read(self.bytes, &mut self.at)?;
        let number = self.next.checked_add(u32::try_from(word >> 2).ok()?)?;
        self.next = number.checked_add(1)?;
        let mut counts = Counts::default();
        match word & 3 {
            BODY_ONCE => counts.0[BODY] = 1,
            LITERAL_ONCE => counts.0[LITERAL] = 1,
            BODY_ONLY => {
                counts.0[BODY] = *self.bytes.get(self.at)?;
                self.at += 1;
            }
            GENERAL => {
                let mask = *self.bytes.get(self.at)?;
                self.at += 1;
                for (field, count) in counts.0.iter_mut().enumerate() {
                    if mask & 1 << field != 0 {
                        *count = *self.bytes.get(self.at)?;
                        self.at += 1;
                    }
                }
            }
            _ => return None,
        }
        Some((number, counts))
    }
}

impl Iterator for PostingsReader<'_> {
    type Item = (u32, Counts);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() || self.damaged {
            return None;
        }
        let found = self.read();
        self.damaged = found.is_none();
        found
    }
}

/// Splits a file into pieces by their innermost range: `(index of the range, start, end)` in order, `None` for gaps.
/// Byte ranges are nested or disjoint, in any order.
pub fn innermost_ranges(len: usize, ranges: &[(usize, usize)]) -> Vec<(Option<usize>, usize, usize)> {
    let mut order: Vec<usize> = (0..ranges.len()).filter(|at| ranges[*at].0 < ranges[*at].1).collect();
    order.sort_by_key(|at| (ranges[*at].0, std::cmp::Reverse(ranges[*at].1), *at));
    let mut pieces = Vec::with_capacity(order.len() * 2 + 1);
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    let mut push = |owner: Option<usize>, start: &mut usize, end: usize| {
        let end = end.min(len);
        if end > *start {
            pieces.push((owner, *start, end));
            *start = end;
        }
    };
    for range in order {
        while let Some(&top) = open.last().filter(|top| ranges[**top].1 <= ranges[range].0) {
            push(Some(top), &mut at, ranges[top].1);
            open.pop();
        }
        push(open.last().copied(), &mut at, ranges[range].0);
        open.push(range);
    }
    while let Some(top) = open.pop() {
        push(Some(top), &mut at, ranges[top].1);
    }
    push(None, &mut at, len);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> FileTerms {
        let mut builder = FileTermsBuilder::new();
        builder.entry(&Entry { key: u32::MAX, name: "pool.py", path: "src/pool.py", ..Entry::default() });
        let acquire = builder.entry(&Entry {
            key: 3,
            kind: 2,
            name: "acquireConnection",
            owner: "Pool",
            signature: "def acquireConnection(self, timeout)",
            doc: "Waits for a free connection.",
            path: "src/pool.py",
        });
        builder.body(acquire, "while not self.free: self.wait(timeout)\nreturn self.free.pop()");
        builder.literal(acquire, "no connection of pool {name} left");
        builder.finish()
    }

    #[test]
    fn terms_round_trip_through_bytes() {
        let terms = sample();
        assert_eq!(FileTerms::from_bytes(terms.as_bytes()), Ok(terms.clone()));
        assert_eq!(terms.keys(), [u32::MAX, 3]);
        let names: Vec<&str> = terms.terms().map(|(term, _)| term).collect();
        for expected in ["=acquireconnection", "acquir", "connection", "timeout", "fre", "pool"] {
            assert!(names.contains(&expected), "{expected} in {names:?}");
        }
        let (_, postings) = terms.terms().find(|(term, _)| *term == "connection").expect("term");
        let found: Vec<_> = PostingsReader::new(postings).collect();
        assert_eq!(found, [(1, Counts([1, 0, 1, 1, 0, 0, 1]))]);
    }

    #[test]
    fn an_identifier_counts_as_its_parts_wherever_it_stands() {
        let of_body = |body: &str| {
            let mut builder = FileTermsBuilder::new();
            let entry = builder.entry(&Entry { key: 1, name: "x", ..Entry::default() });
            builder.body(entry, body);
            builder.literal(entry, body);
            builder.finish()
        };
        for (joined, split) in [
            ("loadAll(loadAll, load_all) HTTPServer _ __", "load All load All load all HTTP Server"),
            ("a_1 a_1 x86_64 the_pool", "a 1 a 1 x86 64 the pool"),
            ("ÜberGröße ÜberGröße_2", "Über Größe Über Größe 2"),
        ] {
            assert_eq!(of_body(joined), of_body(split), "{joined}");
        }
    }

    #[test]
    fn names_that_a_file_uses_are_wholes_of_its_own_entry() {
        let mut builder = FileTermsBuilder::new();
        builder.entry(&Entry { key: u32::MAX, name: "a.py", path: "a.py", ..Entry::default() });
        builder.uses(0, "x.canEncode(can_encode, plain, _x, MAX_SIZE)");
        builder.uses(7, "no_such_entry");
        let terms = builder.finish();
        let used: Vec<(&str, u8)> = terms
            .terms()
            .filter(|(term, _)| term.starts_with(USED_NAME))
            .flat_map(|(term, postings)| PostingsReader::new(postings).map(move |(_, counts)| (term, counts.0[5])))
            .collect();
        assert_eq!(used, [("~canencode", 2), ("~maxsize", 1)]);
        assert_eq!(Field::Body as usize, 5);
    }

    #[test]
    fn what_limits_leave_out_is_noted_with_the_entry() {
        let words = |count: usize| (0..count).map(|n| format!("word{n} ")).collect::<String>();
        let names = |count: usize| (0..count).map(|n| format!("a{n}_name ")).collect::<String>();
        let cases: [(String, String, Cut); 4] = [
            (words(MAX_BODY_TERMS / 2), names(MAX_USED_NAMES), Cut::default()),
            (words(2 * MAX_BODY_TERMS), names(1), Cut { words: true, names: false }),
            (words(1), names(MAX_USED_NAMES + 1), Cut { words: false, names: true }),
            ("a ".repeat(MAX_FIELD_BYTES), " ".repeat(MAX_FIELD_BYTES + 1), Cut { words: true, names: true }),
        ];
        for (body, uses, expected) in cases {
            let mut builder = FileTermsBuilder::new();
            for key in 0..2 {
                builder.entry(&Entry { key, kind: 63, name: "f", path: "a.py", ..Entry::default() });
            }
            builder.body(1, &body);
            builder.uses(1, &uses);
            let terms = FileTerms::from_bytes(builder.finish().as_bytes()).expect("own bytes");
            let heads = terms.heads();
            assert_eq!((heads[0].cut, heads[1].cut), (Cut::default(), expected), "{} {}", body.len(), uses.len());
            assert_eq!(heads[1].kind, 63);
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_harmless() {
        let terms = sample();
        let bytes = terms.as_bytes();
        for cut in 0..bytes.len() {
            assert!(FileTerms::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= flip;
                if let Ok(terms) = FileTerms::from_bytes(&damaged) {
                    terms.terms().for_each(|(_, postings)| PostingsReader::new(postings).for_each(drop));
                }
            }
        }
    }

    #[test]
    fn pieces_belong_to_the_innermost_range() {
        type Range = (usize, usize);
        type Piece = (Option<usize>, usize, usize);
        let cases: &[(&[Range], &[Piece])] = &[
            (&[], &[(None, 0, 20)]),
            (&[(0, 20)], &[(Some(0), 0, 20)]),
            (&[(2, 10), (4, 6)], &[(None, 0, 2), (Some(0), 2, 4), (Some(1), 4, 6), (Some(0), 6, 10), (None, 10, 20)]),
            (
                &[(4, 6), (2, 10), (12, 40)],
                &[(None, 0, 2), (Some(1), 2, 4), (Some(0), 4, 6), (Some(1), 6, 10), (None, 10, 12), (Some(2), 12, 20)],
            ),
            (&[(5, 5), (9, 3)], &[(None, 0, 20)]),
        ];
        for (ranges, expected) in cases {
            assert_eq!(innermost_ranges(20, ranges), *expected, "{ranges:?}");
        }
    }
}
