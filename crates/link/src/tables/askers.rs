//! Which files asked for which keys, and for which words: tables in one piece of memory, usable as they lie in a mapped
//! file, with the files that were linked since over them.

use std::ops::Range;
use std::sync::Arc;

use rayon::slice::ParallelSliceMut;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::tables::files::{Asked, FileId, Key, Word};

/// Bytes that may be a part of a mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Files linked since the tables were made from which on new tables are made in memory: below, they cost more than they
/// save.
const TABLE_FILES: usize = 256;

/// Numbers at the beginning of the tables: files, keys, mentions of keys, words.
const COUNTS: usize = 4;

/// What all files asked for.
#[derive(Default)]
pub(crate) struct Askers {
    tables: Option<Tables>,
    /// Files that were linked since.
    asked: FxHashMap<FileId, Asked>,
    by_key: FxHashMap<Key, SmallVec<[FileId; 2]>>,
}

impl Askers {
    /// Returns whether nobody asked for anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.tables.as_ref().is_none_or(|tables| tables.rows.is_empty())
    }

    /// The files that asked for a key.
    pub(crate) fn of(&self, key: Key) -> impl Iterator<Item = FileId> {
        let stored = self.tables.iter().flat_map(move |tables| tables.askers(key));
        stored.chain(self.by_key.get(&key).into_iter().flatten().copied())
    }

    /// Returns whether a file asked for one of the words.
    pub(crate) fn has_asked(&self, file: FileId, words: &FxHashSet<Word>) -> bool {
        match (self.asked.get(&file), &self.tables) {
            (Some(asked), _) => asked.has_one_of(words),
            (None, Some(tables)) => tables.has_asked(file, words),
            (None, None) => false,
        }
    }

    /// Replaces what these files asked for.
    pub(crate) fn remember(&mut self, rows: Vec<(FileId, Asked)>) {
        if rows.len() >= TABLE_FILES && self.is_empty() {
            self.tables = Some(Tables::new(rows));
            return;
        }
        for (file, asked) in rows {
            self.forget(file);
            for key in &*asked.keys {
                self.by_key.entry(*key).or_default().push(file);
            }
            self.asked.insert(file, asked);
        }
    }

    /// Drops what a file asked for.
    pub(crate) fn forget(&mut self, file: FileId) {
        if let Some(tables) = &mut self.tables {
            tables.rows.remove(&file);
        }
        for key in self.asked.remove(&file).into_iter().flat_map(|asked| asked.keys) {
            if let Some(askers) = self.by_key.get_mut(&key) {
                if let Some(place) = askers.iter().position(|asker| *asker == file) {
                    askers.swap_remove(place);
                }
                if askers.is_empty() {
                    self.by_key.remove(&key);
                }
            }
        }
    }

    /// Everything as tables, whose rows are these files.
    pub(crate) fn encode(&self, files: &[FileId]) -> Vec<u8> {
        if let Some(tables) = &self.tables
            && self.asked.is_empty()
            && tables.files == files
            && tables.rows.len() == files.len()
        {
            return tables.all().to_vec();
        }
        let rows: FxHashMap<FileId, u32> = files.iter().enumerate().map(|(row, file)| (*file, row as u32)).collect();
        let row_of = |file: &FileId| rows.get(file).copied();
        let mut mentions: Vec<(Key, u32)> = Vec::new();
        for (key, files) in self.tables.iter().flat_map(Tables::keys) {
            mentions.extend(files.filter_map(|file| Some((key, row_of(&file)?))));
        }
        for (file, asked) in &self.asked {
            mentions.extend(row_of(file).into_iter().flat_map(|row| asked.keys.iter().map(move |key| (*key, row))));
        }
        let words = |file: &FileId, out: &mut Vec<Word>| match (self.asked.get(file), &self.tables) {
            (Some(asked), _) => out.extend_from_slice(&asked.words),
            (None, Some(tables)) => out.extend(tables.words(*file)),
            (None, None) => {}
        };
        encode(mentions, files, words)
    }

    /// Takes over encoded tables, whose rows are these files. Returns whether they are whole.
    pub(crate) fn restore(&mut self, bytes: SharedBytes, at: usize, files: Vec<FileId>) -> bool {
        let Some(tables) = Tables::open(bytes, at, files) else { return false };
        *self = Self { tables: Some(tables), ..Self::default() };
        true
    }
}

/// Sorted keys with the files that asked for each, and the sorted words of each file. All numbers are little-endian:
/// counts (8 bytes each), keys (8), where the mentions of each key end (4), where the words of each file end (4),
/// mentions as rows of files (4), words (4).
struct Tables {
    bytes: SharedBytes,
    /// Where the keys begin.
    at: usize,
    counts: [usize; COUNTS],
    /// File of each row.
    files: Vec<FileId>,
    /// Rows that are in force: those of files that were neither linked again nor removed.
    rows: FxHashMap<FileId, u32>,
}

impl Tables {
    fn new(rows: Vec<(FileId, Asked)>) -> Self {
        let files: Vec<FileId> = rows.iter().map(|(file, _)| *file).collect();
        let mut mentions: Vec<(Key, u32)> = Vec::with_capacity(rows.iter().map(|(_, asked)| asked.keys.len()).sum());
        let mut all: Vec<Box<[Word]>> = Vec::with_capacity(rows.len());
        for (row, (_, asked)) in rows.into_iter().enumerate() {
            mentions.extend(asked.keys.iter().map(|key| (*key, row as u32)));
            all.push(asked.words);
        }
        let mut next = all.into_iter();
        let bytes = encode(mentions, &files, |_, out| out.extend(next.next().into_iter().flatten()));
        Self::open(Arc::new(bytes), 0, files).expect("it was just made")
    }

    /// `None` if the bytes are not as long as the counts say, or are of another number of files.
    fn open(bytes: SharedBytes, at: usize, files: Vec<FileId>) -> Option<Self> {
        let all = (*bytes).as_ref();
        let mut counts = [0; COUNTS];
        for (index, count) in counts.iter_mut().enumerate() {
            *count = usize::try_from(u64_at(all, at + 8 * index)?).ok()?;
        }
        let at = at + 8 * COUNTS;
        let [rows, keys, mentions, words] = counts;
        let fours = [keys, rows, mentions, words].iter().try_fold(0_usize, |sum, count| sum.checked_add(*count))?;
        let end = keys.checked_mul(8)?.checked_add(fours.checked_mul(4)?)?.checked_add(at)?;
        let is_whole = end == all.len() && rows == files.len();
        let by_file = files.iter().enumerate().map(|(row, file)| (*file, row as u32)).collect();
        is_whole.then_some(Self { bytes, at, counts, files, rows: by_file })
    }

    /// The encoded tables with their counts.
    fn all(&self) -> &[u8] {
        (*self.bytes).as_ref().get(self.at - 8 * COUNTS..).unwrap_or_default()
    }

    fn view(&self) -> View<'_> {
        let [rows, keys, mentions, _] = self.counts;
        let all = (*self.bytes).as_ref().get(self.at..).unwrap_or_default();
        let (keys, rest) = split(all, 8 * keys);
        let (ends, rest) = split(rest, keys.len() / 2);
        let (word_ends, rest) = split(rest, 4 * rows);
        let (mentions, words) = split(rest, 4 * mentions);
        View { tables: self, keys, ends, word_ends, mentions, words }
    }

    fn askers(&self, key: Key) -> impl Iterator<Item = FileId> {
        let view = self.view();
        let place = first(0..self.counts[1], |index| view.key(index) < key.number());
        let found = (place < self.counts[1] && view.key(place) == key.number()).then_some(place);
        found.into_iter().flat_map(move |index| view.mentions(index))
    }

    fn keys(&self) -> impl Iterator<Item = (Key, impl Iterator<Item = FileId>)> {
        let view = self.view();
        (0..self.counts[1]).map(move |index| (Key::of_number(view.key(index)), view.mentions(index)))
    }

    fn words(&self, file: FileId) -> impl Iterator<Item = Word> {
        let view = self.view();
        view.place_of_words(file).map(move |place| Word::of_number(number(view.words, place)))
    }

    fn has_asked(&self, file: FileId, words: &FxHashSet<Word>) -> bool {
        let view = self.view();
        let all = view.place_of_words(file);
        words.iter().any(|word| {
            let place = first(all.clone(), |place| number(view.words, place) < word.number());
            place < all.end && number(view.words, place) == word.number()
        })
    }
}

/// The tables one by one.
#[derive(Clone, Copy)]
struct View<'t> {
    tables: &'t Tables,
    keys: &'t [u8],
    ends: &'t [u8],
    word_ends: &'t [u8],
    mentions: &'t [u8],
    words: &'t [u8],
}

impl<'t> View<'t> {
    fn key(&self, index: usize) -> u64 {
        u64_at(self.keys, 8 * index).unwrap_or(u64::MAX)
    }

    fn mentions(self, index: usize) -> impl Iterator<Item = FileId> + use<'t> {
        range(self.ends, index, self.mentions).filter_map(move |mention| {
            let row = number(self.mentions, mention);
            let file = *self.tables.files.get(row as usize)?;
            (self.tables.rows.get(&file) == Some(&row)).then_some(file)
        })
    }

    fn place_of_words(&self, file: FileId) -> Range<usize> {
        self.tables.rows.get(&file).map_or(0..0, |row| range(self.word_ends, *row as usize, self.words))
    }
}

/// The part of a table that belongs to a row, by the table of where the parts end.
fn range(ends: &[u8], row: usize, table: &[u8]) -> Range<usize> {
    let start = row.checked_sub(1).map_or(0, |before| number(ends, before) as usize);
    start..(number(ends, row) as usize).min(table.len() / 4)
}

/// The first place for which `is_before` is false.
pub(crate) fn first(all: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (all.start, all.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

pub(crate) fn number(table: &[u8], index: usize) -> u32 {
    table.get(4 * index..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn split(bytes: &[u8], at: usize) -> (&[u8], &[u8]) {
    bytes.split_at(at.min(bytes.len()))
}

/// Writes the tables. `words` appends those of a file, and is called for each in order.
fn encode(mut mentions: Vec<(Key, u32)>, files: &[FileId], mut words: impl FnMut(&FileId, &mut Vec<Word>)) -> Vec<u8> {
    mentions.par_sort_unstable();
    let mut all_words: Vec<Word> = Vec::new();
    let ends_of_words: Vec<u32> = files
        .iter()
        .map(|file| {
            words(file, &mut all_words);
            all_words.len() as u32
        })
        .collect();
    let keys = || mentions.chunk_by(|a, b| a.0 == b.0);
    let count = keys().count();
    let fours = count + files.len() + mentions.len() + all_words.len();
    let mut out = Vec::with_capacity(8 * (COUNTS + count) + 4 * fours);
    for count in [files.len(), count, mentions.len(), all_words.len()] {
        out.extend_from_slice(&(count as u64).to_le_bytes());
    }
    keys().for_each(|rows| out.extend_from_slice(&rows[0].0.number().to_le_bytes()));
    let mut end = 0;
    for rows in keys() {
        end += rows.len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
    }
    ends_of_words.iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
    mentions.iter().for_each(|(_, row)| out.extend_from_slice(&row.to_le_bytes()));
    all_words.iter().for_each(|word| out.extend_from_slice(&word.number().to_le_bytes()));
    out
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_asked(keys: &[u64], words: &[u32]) -> Asked {
        Asked {
            keys: keys.iter().map(|key| Key::of_number(*key)).collect(),
            words: words.iter().map(|word| Word::of_number(*word)).collect(),
        }
    }

    fn of(askers: &Askers, key: u64) -> Vec<u32> {
        let mut found: Vec<u32> = askers.of(Key::of_number(key)).map(|file| file.0).collect();
        found.sort_unstable();
        found
    }

    fn has(askers: &Askers, file: u32, word: u32) -> bool {
        askers.has_asked(FileId(file), &[Word::of_number(word)].into_iter().collect())
    }

    #[test]
    fn tables_say_what_was_remembered_until_a_file_is_linked_again() {
        let mut few = Askers::default();
        few.remember(vec![(FileId(7), build_asked(&[1, 5], &[10, 30])), (FileId(2), build_asked(&[5], &[20]))]);
        let mut tables = Askers::default();
        assert!(tables.is_empty());
        assert!(tables.restore(Arc::new(few.encode(&[FileId(7), FileId(2)])), 0, vec![FileId(7), FileId(2)]));
        for askers in [&few, &tables] {
            assert_eq!((of(askers, 1), of(askers, 5), of(askers, 6)), (vec![7], vec![2, 7], vec![]));
            assert!(has(askers, 7, 30) && has(askers, 2, 20) && !has(askers, 2, 30) && !has(askers, 3, 30));
        }
        assert_eq!(few.encode(&[FileId(2), FileId(7)]), tables.encode(&[FileId(2), FileId(7)]));
        tables.remember(vec![(FileId(7), build_asked(&[6], &[20]))]);
        assert_eq!((of(&tables, 1), of(&tables, 5), of(&tables, 6)), (vec![], vec![2], vec![7]));
        assert!(has(&tables, 7, 20) && !has(&tables, 7, 30));
        tables.forget(FileId(2));
        assert_eq!(of(&tables, 5), Vec::<u32>::new());
        let bytes = tables.encode(&[FileId(7)]);
        let mut again = Askers::default();
        assert!(again.restore(Arc::new(bytes.clone()), 0, vec![FileId(7)]));
        assert_eq!((of(&again, 5), of(&again, 6)), (vec![], vec![7]));
        assert!(!again.restore(Arc::new(bytes[..bytes.len() - 1].to_vec()), 0, vec![FileId(7)]), "cut off");
        assert!(!again.restore(Arc::new(bytes), 0, vec![]), "of other files");
    }

    #[test]
    fn many_files_become_tables_at_once() {
        let rows = (0..TABLE_FILES as u32).map(|file| (FileId(file), build_asked(&[u64::from(file % 3)], &[file])));
        let mut askers = Askers::default();
        askers.remember(rows.collect());
        assert!(askers.tables.is_some() && askers.asked.is_empty());
        assert_eq!(of(&askers, 1).len(), 85);
        assert!(has(&askers, 100, 100) && !has(&askers, 100, 101));
    }
}
