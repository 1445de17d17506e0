//! Texts as numbers, for many threads at once: files are loaded while others are linked.

use std::hash::Hasher;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Texts in the first chunk; each further one has twice as many as the one before.
const FIRST: u32 = 1 << 10;
/// Chunks that together have room for every number.
const CHUNKS: usize = 22;
/// Tables of numbers by text, each with a lock of its own, so that threads rarely wait for each other.
const SHARDS: usize = 16;

type Chunk = Box<[OnceLock<Box<str>>]>;

/// Never shrinks, so no answer may depend on whether a text is in it.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// Texts by number. Chunks never move, so texts can be borrowed while others are added.
    chunks: [OnceLock<Chunk>; CHUNKS],
    count: AtomicU32,
    /// Bytes of all texts.
    bytes: AtomicUsize,
    shards: [RwLock<HashTable<u32>>; SHARDS],
}

impl Interner {
    /// The number of a text, a new one if it had none.
    pub(crate) fn intern(&self, text: &str) -> u32 {
        let hash = hash(text);
        let shard = self.shard(hash);
        if let Some(number) = self.find_in(&shard.read().unwrap_or_else(PoisonError::into_inner), hash, text) {
            return number;
        }
        let mut table = shard.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster.
        if let Some(number) = self.find_in(&table, hash, text) {
            return number;
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let (chunk, place) = place(number);
        let slots = self.chunks[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        let _ = slots[place].set(text.into());
        self.bytes.fetch_add(text.len(), Ordering::Relaxed);
        table.insert_unique(hash, number, |number| self::hash(self.text(*number)));
        number
    }

    /// Bytes of memory that the texts take, about.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<OnceLock<Box<str>>>() + 3 * size_of::<usize>();
        self.bytes.load(Ordering::Relaxed) + self.count.load(Ordering::Relaxed) as usize * each
    }

    /// The number of a text that has one.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let hash = hash(text);
        self.find_in(&self.shard(hash).read().unwrap_or_else(PoisonError::into_inner), hash, text)
    }

    /// The text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        let (chunk, place) = place(number);
        let text = self.chunks[chunk].get().and_then(|slots| slots[place].get());
        text.expect("a number is only handed out for a text that is there")
    }

    fn find_in(&self, table: &HashTable<u32>, hash: u64, text: &str) -> Option<u32> {
        table.find(hash, |number| self.text(*number) == text).copied()
    }

    fn shard(&self, hash: u64) -> &RwLock<HashTable<u32>> {
        // The tables use the bits at both ends.
        &self.shards[(hash >> 32) as usize % SHARDS]
    }
}

/// Chunk of a number, and its place there.
fn place(number: u32) -> (usize, usize) {
    let chunk = (number / FIRST + 1).ilog2();
    let before = (FIRST << chunk) - FIRST;
    (chunk as usize, (number - before) as usize)
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_in_all_threads() {
        let interner = Interner::default();
        let texts: Vec<String> = (0..5_000).map(|number| format!("name {number}")).collect();
        let all: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| texts.iter().map(|text| interner.intern(text)).collect())).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
        });
        assert!(all.iter().all(|numbers| *numbers == all[0]));
        for (text, number) in texts.iter().zip(&all[0]) {
            assert_eq!((interner.text(*number), interner.find(text)), (text.as_str(), Some(*number)));
        }
        assert_eq!(interner.find("name"), None);
        let mut numbers = all[0].clone();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..5_000));
    }

    #[test]
    fn chunks_follow_each_other() {
        let places = [0, FIRST - 1, FIRST, 3 * FIRST - 1, 3 * FIRST].map(place);
        let first = FIRST as usize;
        assert_eq!(places, [(0, 0), (0, first - 1), (1, 0), (1, 2 * first - 1), (2, 0)]);
        assert!(place(u32::MAX - FIRST).0 < CHUNKS);
    }
}
