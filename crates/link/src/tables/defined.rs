//! Which files define a name, for those that name code without importing it: documents.
//!
//! Eight bytes for each name of a file: a hash of the name and the number of the file, in order. Two names of one hash
//! only cost a look into a file that does not have the name.

use rustc_hash::FxHashSet;

use crate::tables::askers::{SharedBytes, first, u64_at};
use crate::tables::files::{FileId, Word};

/// The files of all names.
#[derive(Default)]
pub(crate) struct Defined {
    stored: Option<Stored>,
    /// Rows of files that were set since, in order, and those that were not put in order yet.
    rows: Vec<u64>,
    pending: Vec<u64>,
    /// Files whose rows among `rows` are not in force.
    gone: FxHashSet<FileId>,
}

impl std::fmt::Debug for Defined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Defined").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

const fn row(word: Word, file: FileId) -> u64 {
    (word.number() as u64) << 32 | file.0 as u64
}

const fn file_of(row: u64) -> FileId {
    FileId(row as u32)
}

impl Defined {
    /// Adds the names of a file that has none.
    pub(crate) fn insert(&mut self, file: FileId, words: impl Iterator<Item = Word>) {
        self.pending.extend(words.map(|word| row(word, file)));
    }

    /// Takes out the names of a file.
    pub(crate) fn remove(&mut self, file: FileId) {
        if let Some(stored) = &mut self.stored {
            stored.replaced.insert(file);
        }
        self.pending.retain(|row| file_of(*row) != file);
        self.gone.insert(file);
    }

    /// Puts everything in order, which questions need.
    pub(crate) fn settle(&mut self) {
        if !self.gone.is_empty() {
            self.rows.retain(|row| !self.gone.contains(&file_of(*row)));
            self.gone.clear();
        }
        if !self.pending.is_empty() {
            let mut pending = std::mem::take(&mut self.pending);
            pending.sort_unstable();
            pending.dedup();
            self.rows = merge_rows(&self.rows, &pending);
        }
    }

    /// The files that have a name, in no order.
    pub(crate) fn of(&self, word: Word) -> impl Iterator<Item = FileId> {
        let (low, high) = (row(word, FileId(0)), row(word, FileId(u32::MAX)));
        let start = self.rows.partition_point(|row| *row < low);
        let own = self.rows[start..].iter().take_while(move |row| **row <= high).map(|row| file_of(*row));
        let stored = self.stored.iter().flat_map(move |stored| stored.of(low, high));
        stored.chain(own)
    }

    /// Appends everything as a table, in which files have these numbers.
    pub(crate) fn encode(&self, places: &rustc_hash::FxHashMap<FileId, u32>, out: &mut Vec<u8>) {
        let stored = self.stored.iter().flat_map(Stored::all);
        let own = self.rows.iter().chain(&self.pending).copied().filter(|row| !self.gone.contains(&file_of(*row)));
        let renumbered = stored.chain(own).filter_map(|row| {
            let place = *places.get(&file_of(row))?;
            Some(row & !u64::from(u32::MAX) | u64::from(place))
        });
        let mut rows: Vec<u64> = renumbered.collect();
        rows.sort_unstable();
        rows.dedup();
        out.extend_from_slice(&(rows.len() as u64).to_le_bytes());
        rows.iter().for_each(|row| out.extend_from_slice(&row.to_le_bytes()));
    }

    /// Takes over a table in which files have their own numbers. Returns where it ends; `None` if it is not whole.
    pub(crate) fn restore(&mut self, bytes: SharedBytes, at: usize) -> Option<usize> {
        let all = (*bytes).as_ref();
        let count = usize::try_from(u64_at(all, at)?).ok()?;
        let at = at + 8;
        let end = at.checked_add(count.checked_mul(8)?).filter(|end| *end <= all.len())?;
        let stored = Stored { bytes, at, count, replaced: FxHashSet::default() };
        *self = Self { stored: Some(stored), ..Self::default() };
        Some(end)
    }
}

/// The rows of two lists in order, in order.
fn merge_rows(mut left: &[u64], mut right: &[u64]) -> Vec<u64> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    while let Some(&next) = right.first() {
        let before = left.partition_point(|row| *row < next);
        all.extend_from_slice(&left[..before]);
        left = &left[before..];
        let until = left.first().map_or(right.len(), |row| right.partition_point(|other| other < row).max(1));
        all.extend_from_slice(&right[..until]);
        right = &right[until..];
    }
    all.extend_from_slice(left);
    all.dedup();
    all
}

/// A table as it lies in a mapped file, little-endian.
struct Stored {
    bytes: SharedBytes,
    at: usize,
    count: usize,
    /// Files that were set again or removed.
    replaced: FxHashSet<FileId>,
}

impl Stored {
    fn row(&self, place: usize) -> u64 {
        u64_at((*self.bytes).as_ref(), self.at + 8 * place).unwrap_or(u64::MAX)
    }

    fn of(&self, low: u64, high: u64) -> impl Iterator<Item = FileId> {
        let start = first(0..self.count, |place| self.row(place) < low);
        let rows = (start..self.count).map(|place| self.row(place)).take_while(move |row| *row <= high);
        rows.map(file_of).filter(|file| !self.replaced.contains(file))
    }

    fn all(&self) -> impl Iterator<Item = u64> {
        (0..self.count).map(|place| self.row(place)).filter(|row| !self.replaced.contains(&file_of(*row)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn of(table: &Defined, name: &str) -> Vec<u32> {
        let mut found: Vec<u32> = table.of(Word::of(name)).map(|file| file.0).collect();
        found.sort_unstable();
        found
    }

    fn set(table: &mut Defined, file: u32, names: &[&str]) {
        table.remove(FileId(file));
        table.insert(FileId(file), names.iter().map(|name| Word::of(name)));
        table.settle();
    }

    #[test]
    fn names_follow_their_files_through_edits_and_storage() {
        let mut table = Defined::default();
        set(&mut table, 0, &["get", "put"]);
        set(&mut table, 1, &["get"]);
        assert_eq!((of(&table, "get"), of(&table, "put"), of(&table, "gone")), (vec![0, 1], vec![0], vec![]));
        set(&mut table, 0, &["put"]);
        assert_eq!((of(&table, "get"), of(&table, "put")), (vec![1], vec![0]));
        let places = [(FileId(0), 0), (FileId(1), 1)].into_iter().collect();
        let mut bytes = vec![7];
        table.encode(&places, &mut bytes);
        let mut restored = Defined::default();
        assert_eq!(restored.restore(Arc::new(bytes.clone()), 1), Some(bytes.len()));
        set(&mut restored, 1, &["new"]);
        assert_eq!((of(&restored, "get"), of(&restored, "put"), of(&restored, "new")), (vec![], vec![0], vec![1]));
        restored.remove(FileId(0));
        let mut again = Vec::new();
        restored.encode(&[(FileId(1), 0)].into_iter().collect(), &mut again);
        let mut last = Defined::default();
        assert!(last.restore(Arc::new(again.clone()), 0).is_some());
        assert_eq!((of(&last, "put"), of(&last, "new")), (vec![], vec![0]));
        assert!(Defined::default().restore(Arc::new(again[..again.len() - 1].to_vec()), 0).is_none(), "cut off");
    }
}
