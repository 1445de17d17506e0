//! What files have under names that may be asked for across the project: one table in memory for files that were set
//! since, and one that is usable as it lies in a mapped file.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::askers::{SharedBytes, first, number, u64_at};
use crate::files::{FileId, Key};

/// Something that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) file: FileId,
    /// A definition with flags, or 0 where only the file is of interest.
    pub(crate) value: u32,
}

/// Numbers at the beginning of the table: keys, rows.
const COUNTS: usize = 2;

/// The rows of all files by key.
#[derive(Default)]
pub(crate) struct Index {
    stored: Option<Stored>,
    /// Of files that were set since, in order.
    rows: FxHashMap<Key, Vec<Row>>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("keys", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Index {
    /// The rows of a key.
    pub(crate) fn of(&self, key: Key) -> impl Iterator<Item = Row> {
        let stored = self.stored.iter().flat_map(move |stored| stored.rows(key));
        stored.chain(self.rows.get(&key).into_iter().flatten().copied())
    }

    pub(crate) fn insert(&mut self, key: Key, row: Row) {
        let rows = self.rows.entry(key).or_default();
        if let Err(place) = rows.binary_search(&row) {
            rows.insert(place, row);
        }
    }

    /// Takes out what a file has, which includes these keys.
    pub(crate) fn remove(&mut self, file: FileId, keys: impl Iterator<Item = Key>) {
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
        let stored = self.stored.iter().flat_map(Stored::all);
        let own = self.rows.iter().flat_map(|(key, rows)| rows.iter().map(|row| (*key, *row)));
        let rows = stored.chain(own).filter_map(|(key, row)| Some((key, *places.get(&row.file)?, row.value)));
        let mut rows: Vec<(Key, u32, u32)> = rows.collect();
        rows.sort_unstable();
        let keys = || rows.chunk_by(|a, b| a.0 == b.0);
        for count in [keys().count(), rows.len()] {
            out.extend_from_slice(&(count as u64).to_le_bytes());
        }
        keys().for_each(|rows| out.extend_from_slice(&rows[0].0.number().to_le_bytes()));
        let mut end = 0;
        for rows in keys() {
            end += rows.len() as u32;
            out.extend_from_slice(&end.to_le_bytes());
        }
        for (_, file, value) in &rows {
            out.extend_from_slice(&file.to_le_bytes());
            out.extend_from_slice(&value.to_le_bytes());
        }
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
        *self = Self { stored: Some(stored), rows: FxHashMap::default() };
        Some(end)
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
    fn rows(&self, key: Key) -> impl Iterator<Item = Row> {
        let place = first(0..self.keys, |place| self.key(place) < key.number());
        let found = (place < self.keys && self.key(place) == key.number()).then_some(place);
        found.into_iter().flat_map(|place| self.rows_at(place))
    }

    fn all(&self) -> impl Iterator<Item = (Key, Row)> {
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

    fn rows_at(&self, place: usize) -> impl Iterator<Item = Row> {
        let ends = self.table(8 * self.keys);
        let start = place.checked_sub(1).map_or(0, |before| number(ends, before));
        let rows = self.table(12 * self.keys);
        let end = number(ends, place).min((rows.len() / 8) as u32);
        (start..end).filter_map(move |row| {
            let file = *self.files.get(number(rows, 2 * row as usize) as usize)?;
            let row = Row { file, value: number(rows, 2 * row as usize + 1) };
            (!self.replaced.contains(&file)).then_some(row)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: u32, value: u32) -> Row {
        Row { file: FileId(file), value }
    }

    fn of(index: &Index, name: &str) -> Vec<Row> {
        let mut rows: Vec<Row> = index.of(Key::methods(name)).collect();
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
}
