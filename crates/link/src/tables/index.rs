//! What files have under names that may be asked for across the project: one table in memory for files that were set
//! since, and one that is usable as it lies in a mapped file.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tables::askers::{SharedBytes, first, number, u64_at};
use crate::tables::files::{FileId, Key};

/// Something that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    pub(crate) file: FileId,
    /// A definition with flags, or 0 where only the file is of interest.
    pub(crate) value: u32,
}

/// Numbers at the beginning of the table: keys, rows.
const COUNTS: usize = 2;

/// Rows from which on the first files become a table: with fewer, it costs more than it saves.
const TABLE_ROWS: usize = 4_096;

/// Key, number of the file, and value of a row.
type Flat = (Key, u32, u32);

/// The rows of all files by key.
pub(crate) struct Index {
    /// Of the first files, until something is looked up or taken out: there may be millions.
    first: Option<Vec<Flat>>,
    stored: Option<Stored>,
    /// Of files that were set since, in order.
    rows: FxHashMap<Key, Vec<Posting>>,
}

impl Default for Index {
    fn default() -> Self {
        Self { first: Some(Vec::new()), stored: None, rows: FxHashMap::default() }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("keys", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Index {
    /// The rows of a key.
    pub(crate) fn of(&self, key: Key) -> impl Iterator<Item = Posting> {
        let first = self.first.iter().flatten().filter(move |row| row.0 == key);
        let first = first.map(|&(_, file, value)| Posting { file: FileId(file), value });
        let stored = self.stored.iter().flat_map(move |stored| stored.rows(key));
        first.chain(stored).chain(self.rows.get(&key).into_iter().flatten().copied())
    }

    /// Gets ready for being asked: until then, looking up a row goes through those of all files.
    pub(crate) fn settle(&mut self) {
        let Some(mut first) = self.first.take() else { return };
        if first.len() < TABLE_ROWS {
            first.into_iter().for_each(|(key, file, value)| self.insert(key, Posting { file: FileId(file), value }));
            return;
        }
        let files = first.iter().map(|row| row.1).max().map_or(0, |last| last + 1);
        let mut bytes = Vec::new();
        encode(&mut first, &mut bytes);
        drop(first);
        let settled = self.restore(Arc::new(bytes), 0, (0..files).map(FileId).collect());
        settled.expect("it was just made");
    }

    pub(crate) fn insert(&mut self, key: Key, row: Posting) {
        if let Some(first) = &mut self.first {
            first.push((key, row.file.0, row.value));
            return;
        }
        let rows = self.rows.entry(key).or_default();
        if let Err(place) = rows.binary_search(&row) {
            rows.insert(place, row);
        }
    }

    /// Takes out what a file has, which includes these keys.
    pub(crate) fn remove(&mut self, file: FileId, keys: impl Iterator<Item = Key>) {
        self.settle();
        if let Some(stored) = &mut self.stored {
            stored.replaced.insert(file);
        }
        for key in keys {
            if let Some(rows) = self.rows.get_mut(&key) {
                rows.retain(|row| row.file != file);
                if rows.is_empty() {
                    self.rows.remove(&key);
                }
            }
        }
    }

    /// Appends everything as a table, in which files have these numbers.
    pub(crate) fn encode(&self, places: &FxHashMap<FileId, u32>, out: &mut Vec<u8>) {
        if let Some(stored) = self.stored.as_ref().filter(|stored| stored.is_whole(places))
            && self.rows.is_empty()
            && self.first.is_none()
        {
            out.extend_from_slice(stored.bytes());
            return;
        }
        let stored = self.stored.iter().flat_map(Stored::all);
        let own = self.rows.iter().flat_map(|(key, rows)| rows.iter().map(|row| (*key, *row)));
        let first = self.first.iter().flatten();
        let first = first.map(|&(key, file, value)| (key, Posting { file: FileId(file), value }));
        let rows = first.chain(stored).chain(own);
        let rows = rows.filter_map(|(key, row)| Some((key, *places.get(&row.file)?, row.value)));
        encode(&mut rows.collect(), out);
    }

    /// Takes over a table in which files have these numbers. Returns where it ends; `None` if it is not whole.
    pub(crate) fn restore(&mut self, bytes: SharedBytes, at: usize, files: Arc<[FileId]>) -> Option<usize> {
        let all = (*bytes).as_ref();
        let keys = usize::try_from(u64_at(all, at)?).ok()?;
        let rows = usize::try_from(u64_at(all, at.checked_add(8)?)?).ok()?;
        let at = at + 8 * COUNTS;
        let length = keys.checked_mul(12)?.checked_add(rows.checked_mul(8)?)?;
        let end = at.checked_add(length).filter(|end| *end <= all.len())?;
        let stored = Stored { bytes, at, keys, end, files, replaced: FxHashSet::default() };
        *self = Self { first: None, stored: Some(stored), rows: FxHashMap::default() };
        Some(end)
    }
}

/// Appends rows as a table.
fn encode(rows: &mut Vec<Flat>, out: &mut Vec<u8>) {
    rows.sort_unstable();
    rows.dedup();
    let keys = || rows.chunk_by(|a, b| a.0 == b.0);
    let count = keys().count();
    out.reserve(8 * COUNTS + 12 * count + 8 * rows.len());
    for count in [count, rows.len()] {
        out.extend_from_slice(&(count as u64).to_le_bytes());
    }
    keys().for_each(|rows| out.extend_from_slice(&rows[0].0.number().to_le_bytes()));
    let mut end = 0;
    for rows in keys() {
        end += rows.len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
    }
    for (_, file, value) in rows {
        out.extend_from_slice(&file.to_le_bytes());
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// Sorted keys (8 bytes each), where the rows of each end (4), and the rows: number of the file and value (4 each).
/// All numbers are little-endian.
struct Stored {
    bytes: SharedBytes,
    at: usize,
    keys: usize,
    end: usize,
    files: Arc<[FileId]>,
    /// Files that were set again or removed: their rows are not in force.
    replaced: FxHashSet<FileId>,
}

impl Stored {
    /// Returns whether all rows are in force, and files have the same numbers as in `places`.
    fn is_whole(&self, places: &FxHashMap<FileId, u32>) -> bool {
        let mut files = self.files.iter().zip(0..);
        self.replaced.is_empty() && files.all(|(file, place)| places.get(file) == Some(&place))
    }

    /// The encoded table with its counts.
    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref().get(self.at - 8 * COUNTS..self.end).unwrap_or_default()
    }

    fn rows(&self, key: Key) -> impl Iterator<Item = Posting> {
        let place = first(0..self.keys, |place| self.key(place) < key.number());
        let found = (place < self.keys && self.key(place) == key.number()).then_some(place);
        found.into_iter().flat_map(|place| self.rows_at(place))
    }

    fn all(&self) -> impl Iterator<Item = (Key, Posting)> {
        (0..self.keys).flat_map(|place| {
            let key = Key::of_number(self.key(place));
            self.rows_at(place).map(move |row| (key, row))
        })
    }

    fn table(&self, from: usize) -> &[u8] {
        (*self.bytes).as_ref().get(self.at + from..self.end).unwrap_or_default()
    }

    fn key(&self, place: usize) -> u64 {
        u64_at(self.table(0), 8 * place).unwrap_or(u64::MAX)
    }

    fn rows_at(&self, place: usize) -> impl Iterator<Item = Posting> {
        let ends = self.table(8 * self.keys);
        let start = place.checked_sub(1).map_or(0, |before| number(ends, before));
        let rows = self.table(12 * self.keys);
        let end = number(ends, place).min((rows.len() / 8) as u32);
        (start..end).filter_map(move |row| {
            let file = *self.files.get(number(rows, 2 * row as usize) as usize)?;
            let row = Posting { file, value: number(rows, 2 * row as usize + 1) };
            (!self.replaced.contains(&file)).then_some(row)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: u32, value: u32) -> Posting {
        Posting { file: FileId(file), value }
    }

    fn of(index: &Index, name: &str) -> Vec<Posting> {
        let mut rows: Vec<Posting> = index.of(Key::methods(name)).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn a_stored_table_has_the_rows_of_files_that_were_not_set_since() {
        let mut index = Index::default();
        for (name, row) in [("get", row(4, 1)), ("get", row(2, 7)), ("put", row(4, 2))] {
            index.insert(Key::methods(name), row);
        }
        let encoded = |index: &Index, files: &[u32]| {
            let places = files.iter().enumerate().map(|(place, file)| (FileId(*file), place as u32)).collect();
            let mut bytes = vec![0];
            index.encode(&places, &mut bytes);
            bytes
        };
        let bytes = encoded(&index, &[2, 4]);
        let restored = |bytes: &[u8], files: Vec<FileId>| {
            let mut index = Index::default();
            let end = index.restore(Arc::new(bytes.to_vec()), 1, files.into())?;
            assert_eq!(end, bytes.len());
            Some(index)
        };
        let mut stored = restored(&bytes, vec![FileId(2), FileId(4)]).expect("it is whole");
        assert_eq!(of(&stored, "get"), [row(2, 7), row(4, 1)]);
        assert_eq!(of(&stored, "gone"), []);
        stored.remove(FileId(4), [Key::methods("get")].into_iter());
        stored.insert(Key::methods("get"), row(4, 9));
        assert_eq!((of(&stored, "get"), of(&stored, "put")), (vec![row(2, 7), row(4, 9)], vec![]));
        stored.remove(FileId(4), [Key::methods("get")].into_iter());
        stored.insert(Key::methods("get"), row(5, 1));
        stored.remove(FileId(5), [Key::methods("get")].into_iter());
        assert_eq!(of(&stored, "get"), [row(2, 7)]);
        stored.insert(Key::methods("put"), row(4, 3));
        let again = restored(&encoded(&stored, &[4, 2]), vec![FileId(4), FileId(2)]).expect("it is whole");
        assert_eq!((of(&again, "get"), of(&again, "put")), (vec![row(2, 7)], vec![row(4, 3)]));
        assert!(restored(&bytes[..bytes.len() - 1], vec![FileId(2), FileId(4)]).is_none(), "cut off");
    }

    #[test]
    fn the_first_rows_are_the_same_in_every_form() {
        for count in [3, 2 * TABLE_ROWS as u32] {
            let mut index = Index::default();
            for number in 0..count {
                index.insert(Key::methods(&format!("name {}", number % 999)), row(number / 7, number));
                index.insert(Key::methods("get"), row(number, 1));
                index.insert(Key::methods("get"), row(number, 1));
            }
            let named = |index: &Index| {
                let mut rows = of(index, "get");
                rows.dedup();
                (rows, of(index, "name 2"), of(index, "gone"))
            };
            let before = named(&index);
            index.settle();
            assert_eq!(index.stored.is_some(), count > 3);
            assert_eq!((named(&index), of(&index, "get").len()), (before, count as usize));
            index.remove(FileId(1), [Key::methods("get")].into_iter());
            assert!(!of(&index, "get").contains(&row(1, 1)));
        }
    }
}
