use std::borrow::Cow;
use std::hash::Hasher;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHasher};

use super::grams;
use super::vector::{DIMENSIONS, Vector};
use super::{is_embedded, strength};
use crate::words;

const MAGIC: &[u8; 8] = b"m1ndtab1";
/// Maximum number of rows.
const MAX_ROWS: usize = 1 << 22;
/// Maximum number of composed vectors that are kept, of some 300 bytes each.
const MAX_COMPOSED: usize = 1 << 13;
/// Free slot of the hash table.
const FREE: u32 = u32::MAX;

static BUILT_IN: &[u8] = include_bytes!("../../assets/embedding/table.bin");
/// Stored [`fingerprint`] of the built-in table: computing it would cost a short-lived process more than all its
/// other uses of the table.
const BUILT_IN_ID: u64 = 0xf568_20f1_44c5_80e9;

/// The reason why bytes are not a valid table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Not a table.
    #[error("the bytes are not a table of word vectors; train a new one")]
    Foreign,
    /// A table of another vector size.
    #[error("the table has {found} dimensions, expected {DIMENSIONS}; train a new one")]
    Dimensions {
        /// Its dimensions.
        found: u32,
    },
    /// Truncated or overwritten.
    #[error("the table of word vectors is damaged: {0}; train a new one")]
    Damaged(&'static str),
}

/// A trained row: values times `scale`.
#[derive(Debug, Clone)]
pub struct TableRow {
    /// Magnitude of a value of 1.
    pub scale: f32,
    /// The values.
    pub values: [i8; DIMENSIONS],
}

impl TableRow {
    /// Quantises a trained vector.
    pub fn quantise(vector: &[f32; DIMENSIONS]) -> Self {
        let largest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self { scale, values: vector.map(|value| (value / scale).round().clamp(-127.0, 127.0) as i8) }
    }
}

/// Encodes a table. Words must be sorted and distinct; `buckets` are the n-gram rows.
pub fn encode_table(words: &[(&str, TableRow)], buckets: &[TableRow]) -> Vec<u8> {
    debug_assert!(words.windows(2).all(|pair| pair[0].0 < pair[1].0), "words are sorted and distinct");
    let mut out = MAGIC.to_vec();
    for number in [DIMENSIONS, words.len(), buckets.len()] {
        out.extend((number as u32).to_le_bytes());
    }
    let mut end = 0u32;
    for (word, _) in words {
        end += word.len() as u32;
        out.extend(end.to_le_bytes());
    }
    words.iter().for_each(|(word, _)| out.extend(word.as_bytes()));
    let rows = || words.iter().map(|(_, row)| row).chain(buckets);
    rows().for_each(|row| out.extend(row.scale.to_le_bytes()));
    rows().for_each(|row| out.extend(row.values.map(i8::cast_unsigned)));
    out
}

/// Vectors of words that are not in a table, composed before: the files of a folder share most of their words. For one
/// table only.
#[derive(Debug, Default)]
pub struct ComposedVectors(FxHashMap<Box<str>, Option<Box<[f32; DIMENSIONS]>>>);

/// A table of word vectors: built once, cheap to query.
pub struct Embedding {
    bytes: Cow<'static, [u8]>,
    id: u64,
    /// End of each word among the bytes of all words.
    ends: Vec<u32>,
    words_at: usize,
    scales: Vec<f32>,
    rows_at: usize,
    buckets: u32,
    /// Hash table of word numbers, open addressing.
    slots: Vec<u32>,
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedding").field("words", &self.len()).field("buckets", &self.buckets).finish()
    }
}

impl Embedding {
    /// The built-in table.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Embedding> =
            LazyLock::new(|| Embedding::read_known(BUILT_IN.into(), Some(BUILT_IN_ID)).expect("the table is tested"));
        &TABLE
    }

    /// Decodes a table.
    ///
    /// # Errors
    /// The bytes are not a table, or a damaged one.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        Self::read_known(bytes.into(), None)
    }

    /// Like [`Embedding::from_bytes`]. A table whose `id` is known has been verified before.
    fn read_known(bytes: Cow<'static, [u8]>, id: Option<u64>) -> Result<Self, TableError> {
        let header = bytes.strip_prefix(MAGIC).and_then(|rest| rest.first_chunk::<12>()).ok_or(TableError::Foreign)?;
        let [dimensions, count, buckets] =
            [0, 4, 8].map(|at| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
        if dimensions as usize != DIMENSIONS {
            return Err(TableError::Dimensions { found: dimensions });
        }
        let (count, rows) = (count as usize, (count as usize).saturating_add(buckets as usize));
        if rows > MAX_ROWS {
            return Err(TableError::Damaged("it claims too many rows"));
        }
        let ends_at = MAGIC.len() + 12;
        let words_at = ends_at + 4 * count;
        let ends: Vec<u32> = read_words(&bytes, ends_at, count).map(u32::from_le_bytes).collect();
        let text = ends.last().map_or(0, |end| *end as usize);
        let scales_at = words_at + text;
        let rows_at = scales_at + 4 * rows;
        if bytes.len() != rows_at + DIMENSIONS * rows || ends.len() != count {
            return Err(TableError::Damaged("its length is not the one it claims"));
        }
        let scales = read_words(&bytes, scales_at, rows).map(f32::from_le_bytes).collect();
        let found = id.unwrap_or_else(|| fingerprint(&bytes));
        let mut table = Self { bytes, id: found, ends, words_at, scales, rows_at, buckets, slots: Vec::new() };
        if id.is_none() {
            table.check()?;
        }
        table.index();
        Ok(table)
    }

    fn check(&self) -> Result<(), TableError> {
        if !self.ends.is_sorted() || (0..self.len()).any(|number| self.word(number).is_none()) {
            return Err(TableError::Damaged("its words are not text"));
        }
        if (1..self.len()).any(|number| self.word(number - 1) >= self.word(number)) {
            return Err(TableError::Damaged("its words are not sorted"));
        }
        if self.scales.iter().any(|scale| !scale.is_finite()) {
            return Err(TableError::Damaged("a scale is not a number"));
        }
        Ok(())
    }

    fn index(&mut self) {
        let size = (self.len() * 2 + 1).next_power_of_two();
        let mut slots = vec![FREE; size];
        for number in 0..self.len() {
            let mut at = self.word(number).map_or(0, hash) & (size - 1);
            while slots[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            slots[at] = number as u32;
        }
        self.slots = slots;
    }

    /// Identifies the table; vectors of different tables must not be compared.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it holds no word.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether a term has its own row; others are composed of n-grams.
    pub fn knows(&self, term: &str) -> bool {
        self.number(term).is_some()
    }

    fn word(&self, number: usize) -> Option<&str> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let text = self.bytes.get(self.words_at + start..self.words_at + *self.ends.get(number)? as usize)?;
        std::str::from_utf8(text).ok()
    }

    fn number(&self, term: &str) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash(term) & mask;
        // At least half of the slots are free, so the search terminates.
        while self.slots[at] != FREE {
            let number = self.slots[at] as usize;
            if self.word(number) == Some(term) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn row(&self, number: usize) -> Option<(&[u8; DIMENSIONS], f32)> {
        let row = self.bytes[self.rows_at..].as_chunks().0.get(number)?;
        Some((row, *self.scales.get(number)?))
    }

    /// Adds `weight` times the vector of a term to `sum`. `false` if the term has none.
    pub(super) fn add(&self, sum: &mut [f32; DIMENSIONS], term: &str, weight: f32) -> bool {
        is_embedded(term) && (self.add_known(sum, term, weight) || self.add_composed(sum, term, weight))
    }

    /// Adds the row of a word of the table; `false` if it has none.
    fn add_known(&self, sum: &mut [f32; DIMENSIONS], term: &str, weight: f32) -> bool {
        let Some((row, scale)) = self.number(term).and_then(|number| self.row(number)) else { return false };
        add_row(sum, row, scale * weight);
        true
    }

    /// Adds the vector of a word that is composed of n-grams; `false` if it has none.
    fn add_composed(&self, sum: &mut [f32; DIMENSIONS], term: &str, weight: f32) -> bool {
        let (mut found, mut pieces) = ([0; grams::MAX_PIECES], 0);
        grams::buckets_of(term, self.buckets, |bucket| {
            found[pieces] = bucket;
            pieces += 1;
        });
        for bucket in &found[..pieces] {
            if let Some((row, scale)) = self.row(self.len() + *bucket as usize) {
                add_row(sum, row, scale * weight / pieces as f32);
            }
        }
        pieces > 0
    }

    /// Makes `sum` the vector of a term. `false` if the term has none.
    pub(super) fn read_vector(&self, sum: &mut [f32; DIMENSIONS], term: &str, composed: &mut ComposedVectors) -> bool {
        sum.fill(0.0);
        if !is_embedded(term) {
            return false;
        }
        if self.add_known(sum, term, 1.0) {
            return true;
        }
        if let Some(vector) = composed.0.get(term) {
            vector.iter().for_each(|vector| sum.copy_from_slice(&**vector));
            return vector.is_some();
        }
        let is_found = self.add_composed(sum, term, 1.0);
        if composed.0.len() < MAX_COMPOSED {
            composed.0.insert(term.into(), is_found.then(|| Box::new(*sum)));
        }
        is_found
    }

    /// How informative a term is in texts of any project: the trained length of its row. Uninformative words
    /// (`correctly`, `use`) end up short, because they add to all vectors alike. 0 for terms without a vector.
    pub fn magnitude(&self, term: &str) -> f32 {
        let mut sum = [0.0; DIMENSIONS];
        self.add(&mut sum, term, 1.0);
        sum.iter().map(|value| value * value).sum::<f32>().sqrt()
    }

    /// The vector of weighted index terms, such as those of a query.
    pub fn of_terms<'a>(&self, terms: impl IntoIterator<Item = (&'a str, f32)>) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for (term, weight) in terms {
            self.add(&mut sum, term, weight);
        }
        Vector::from_sum(&sum)
    }

    /// The vector of a text. `rarity` weights each term, for example by how few entries of the repository have it; a
    /// constant 1 gives the plain vector.
    pub fn of_text(&self, text: &str, mut rarity: impl FnMut(&str) -> f32) -> Vector {
        let mut counts: std::collections::BTreeMap<String, f32> = std::collections::BTreeMap::new();
        words::terms(text, |term| match counts.get_mut(term) {
            Some(count) => *count += 1.0,
            None => drop(counts.insert(term.to_owned(), 1.0)),
        });
        self.of_terms(counts.iter().map(|(term, count)| (term.as_str(), strength(*count) * rarity(term))))
    }
}

/// Adds a row to a sum.
pub(super) fn add_row(sum: &mut [f32; DIMENSIONS], row: &[u8; DIMENSIONS], weight: f32) {
    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += f32::from(value.cast_signed()) * weight);
}

fn read_words(bytes: &[u8], at: usize, count: usize) -> impl Iterator<Item = [u8; 4]> {
    bytes.get(at..at + 4 * count).map_or(&[][..], |part| part.as_chunks().0).iter().copied()
}

/// Only for the in-memory table: may differ between builds.
fn hash(term: &str) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(term.as_bytes());
    hasher.finish() as usize
}

/// Stable across machines: eight bytes at a time, mixed.
fn fingerprint(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let start = 0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64;
    chunks.iter().chain([&last]).fold(start, |hash, chunk| {
        (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After retraining, the failure message contains the new id.
    #[test]
    fn the_built_in_table_has_the_id_that_is_noted() {
        let table = Embedding::from_bytes(BUILT_IN).expect("the table is sound");
        assert_eq!(table.id, BUILT_IN_ID, "{:#x}", table.id);
    }
}
