use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use m1nd_base::{ContentHash, System};
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::database::{self, Schema};
use crate::{StoreError, checksum};

pub(crate) const SCHEMA: Schema = Schema {
    owner: 0x6d31_6663,
    migrations: &[include_str!("migrations/facts_1.sql")],
    precious: None,
    // Most rows have tens of kilobytes: larger pages make them cheaper.
    page_bytes: 16 << 10,
};
/// File name of the cache.
pub(crate) const FILE: &str = "facts.db";
/// Maximum bytes written in one transaction, so that the log stays small and other processes get their turn.
const TRANSACTION_BYTES: usize = 64 << 20;
/// Maximum bytes of the file mapped for reading; they count as memory of the process while it reads all rows.
const MAPPED_BYTES: i64 = 64 << 20;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Cache of extracted facts, keyed by content hash and extractor version. Derived: losing it costs only time. Shared
/// by all projects, worktrees and processes.
#[derive(Debug)]
pub struct FactsCache {
    path: PathBuf,
    system: Arc<dyn System>,
    connection: Mutex<Connection>,
}

impl FactsCache {
    pub(crate) fn open(folder: &Path, system: Arc<dyn System>) -> Result<Self, StoreError> {
        system.create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
        let path = folder.join(FILE);
        let connection = Mutex::new(open(&*system, &path)?);
        Ok(Self { path, system, connection })
    }

    /// Returns the bytes stored for each key, in the order of `keys`; `None` if nothing is stored or the row is
    /// damaged.
    ///
    /// # Errors
    /// [`StoreError::Database`]. A damaged cache is no error but empty.
    pub fn get_many(&self, keys: &[ContentHash], version: u32) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let found = self.with(|connection| get_many(connection, keys, version))?;
        let Some((packed, stale)) = found else { return Ok(vec![None; keys.len()]) };
        let answers = keys.par_iter().zip(packed).map(|(key, packed)| unpack(key, version, packed?)).collect();
        // Only trimming needs it: not worth failing for, which it would on a full disk.
        let today = self.today();
        let stale: Vec<ContentHash> =
            stale.into_iter().filter(|(_, used)| *used < today).map(|(index, _)| keys[index]).collect();
        if !stale.is_empty() {
            let _ = self.with(|connection| note_use(connection, &stale, version, today));
        }
        Ok(answers)
    }

    /// Like [`FactsCache::get_many`] for one key, without work on other threads.
    ///
    /// # Errors
    /// [`StoreError::Database`]. A damaged cache is no error but empty.
    pub fn get(&self, key: &ContentHash, version: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.with(|connection| get_many(connection, std::slice::from_ref(key), version))?;
        let Some((packed, uses)) = found else { return Ok(None) };
        let today = self.today();
        if uses.iter().any(|(_, used)| *used < today) {
            // Only trimming needs it: not worth failing for.
            let _ = self.with(|connection| note_use(connection, std::slice::from_ref(key), version, today));
        }
        Ok(packed.into_iter().next().flatten().and_then(|packed| unpack(key, version, packed)))
    }

    /// Stores the bytes of each key, replacing previous values. All or nothing for batches of up to a few dozen
    /// megabytes.
    ///
    /// # Errors
    /// [`StoreError::Database`]. Previously stored rows stay.
    pub fn put_many(&self, rows: &[(ContentHash, Vec<u8>)], version: u32) -> Result<(), StoreError> {
        let today = self.today();
        let mut rest = rows;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(_, row)| {
                bytes += row.len();
                bytes <= TRANSACTION_BYTES
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            // Packed before taking the lock that other processes wait for.
            let now: Vec<(ContentHash, Packed)> =
                now.iter().map(|(key, row)| (*key, pack(key, version, row))).collect();
            if self.with(|connection| put(connection, &now, version, today))?.is_none() {
                // Damaged, and replaced by an empty cache meanwhile.
                self.with(|connection| put(connection, &now, version, today))?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Total stored bytes, compressed.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn stored_bytes(&self) -> Result<u64, StoreError> {
        self.with(|connection| stored_bytes(connection)).map(Option::unwrap_or_default)
    }

    /// Evicts the least recently used rows until at most `max_bytes` compressed bytes remain, and frees their space.
    /// Returns the number of evicted rows.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub fn trim(&self, max_bytes: u64) -> Result<u64, StoreError> {
        self.with(|connection| trim(connection, max_bytes)).map(Option::unwrap_or_default)
    }

    fn today(&self) -> i64 {
        (self.system.unix_seconds() / SECONDS_PER_DAY).cast_signed()
    }

    /// Runs `work`; if the cache turns out to be damaged, quarantines it, starts a new one and returns `None`.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
        let mut connection = self.connection();
        match work(&mut connection).map_err(StoreError::database(&self.path)) {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.is_damage() => {
                database::set_aside(&*self.system, &self.path)?;
                *connection = open(&*self.system, &self.path)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while it was held rolled its transaction back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(system: &dyn System, path: &Path) -> Result<Connection, StoreError> {
    let connection = database::open_derived(system, path, &SCHEMA)?;
    connection.pragma_update(None, "mmap_size", MAPPED_BYTES).map_err(StoreError::database(path))?;
    Ok(connection)
}

/// A row in its stored form.
struct Packed {
    sum: [u8; checksum::LEN],
    /// Compressed bytes, prefixed with the uncompressed length.
    bytes: Vec<u8>,
}

/// The stored row of each key, and index and last day of use of those found.
type Found = (Vec<Option<Packed>>, Vec<(usize, i64)>);

fn get_many(connection: &mut Connection, keys: &[ContentHash], version: u32) -> rusqlite::Result<Found> {
    // A single transaction, so that another process cannot trim between the two steps.
    let transaction = connection.transaction()?;
    let mut places = Vec::new();
    {
        let mut find = transaction.prepare_cached("SELECT id, used FROM keys WHERE hash = ?1 AND version = ?2")?;
        for (index, key) in keys.iter().enumerate() {
            let row =
                find.query_row(params![key.as_bytes(), version], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            places.extend(row.map(|(id, used): (i64, i64)| (id, index, used)));
        }
    }
    // In file order.
    places.sort_unstable();
    let mut answers: Vec<Option<Packed>> = keys.iter().map(|_| None).collect();
    let mut uses = Vec::new();
    {
        let mut read = transaction.prepare_cached("SELECT sum, bytes FROM contents WHERE id = ?1")?;
        for (id, index, used) in places {
            let packed = |row: &Row<'_>| Ok(Packed { sum: row.get(0)?, bytes: row.get(1)? });
            answers[index] = read.query_row([id], packed).optional()?;
            uses.push((index, used));
        }
    }
    transaction.commit()?;
    Ok((answers, uses))
}

fn put(connection: &mut Connection, rows: &[(ContentHash, Packed)], version: u32, today: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut old = transaction.prepare_cached("DELETE FROM keys WHERE hash = ?1 AND version = ?2 RETURNING id")?;
        let mut drop_old = transaction.prepare_cached("DELETE FROM contents WHERE id = ?1")?;
        let mut content = transaction.prepare_cached("INSERT INTO contents (sum, bytes) VALUES (?1, ?2)")?;
        let mut entry = transaction.prepare_cached("INSERT INTO keys VALUES (?1, ?2, ?3, ?4, ?5)")?;
        // Contents in the order of files, in which they are read again.
        let mut entries: Vec<(&ContentHash, i64, i64)> = Vec::with_capacity(rows.len());
        for (key, Packed { sum, bytes }) in rows {
            content.execute(params![sum, bytes])?;
            entries.push((key, transaction.last_insert_rowid(), bytes.len() as i64));
        }
        // Keys in their own order: each page of their table is changed once, and not written and read again between.
        entries.sort_by_key(|(key, ..)| *key.as_bytes());
        for (key, id, size) in entries {
            let old: Option<i64> = old.query_row(params![key.as_bytes(), version], |row| row.get(0)).optional()?;
            if let Some(id) = old {
                drop_old.execute([id])?;
            }
            entry.execute(params![key.as_bytes(), version, id, size, today])?;
        }
    }
    transaction.commit()
}

fn note_use(connection: &mut Connection, keys: &[ContentHash], version: u32, today: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut update = transaction.prepare_cached("UPDATE keys SET used = ?3 WHERE hash = ?1 AND version = ?2")?;
        for key in keys {
            update.execute(params![key.as_bytes(), version, today])?;
        }
    }
    transaction.commit()
}

fn stored_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let bytes: i64 = connection.query_row("SELECT coalesce(sum(size), 0) FROM keys", [], |row| row.get(0))?;
    Ok(bytes.cast_unsigned())
}

fn trim(connection: &mut Connection, max_bytes: u64) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut stored = stored_bytes(&transaction)?;
    let mut dropped = 0;
    {
        // Within a day, rows stored first are evicted first.
        let mut oldest = transaction.prepare("SELECT hash, version, id, size FROM keys ORDER BY used, id")?;
        let mut drop_key = transaction.prepare("DELETE FROM keys WHERE hash = ?1 AND version = ?2")?;
        let mut drop_content = transaction.prepare("DELETE FROM contents WHERE id = ?1")?;
        let mut doomed = Vec::new();
        let mut rows = oldest.query([])?;
        while stored > max_bytes {
            let Some(row) = rows.next()? else { break };
            let (hash, version, id): (Vec<u8>, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            stored = stored.saturating_sub(row.get::<_, i64>(3)?.cast_unsigned());
            doomed.push((hash, version, id));
        }
        for (hash, version, id) in doomed {
            drop_key.execute(params![hash, version])?;
            drop_content.execute([id])?;
            dropped += 1;
        }
    }
    transaction.commit()?;
    if dropped > 0 {
        // Returns one row for each page that it frees.
        let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(dropped)
}

fn pack(key: &ContentHash, version: u32, bytes: &[u8]) -> Packed {
    let bytes = lz4_flex::block::compress_prepend_size(bytes);
    Packed { sum: sum_of(key, version, &bytes), bytes }
}

/// Returns `None` if the row differs from what was stored.
fn unpack(key: &ContentHash, version: u32, packed: Packed) -> Option<Vec<u8>> {
    // Checked first, because the length prefix is trusted afterwards.
    if packed.sum != sum_of(key, version, &packed.bytes) {
        return None;
    }
    lz4_flex::block::decompress_size_prepended(&packed.bytes).ok()
}

fn sum_of(key: &ContentHash, version: u32, packed: &[u8]) -> [u8; checksum::LEN] {
    checksum::of(&[key.as_bytes(), &version.to_le_bytes(), packed])
}
