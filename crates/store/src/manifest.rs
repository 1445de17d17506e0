//! `derived.db`: the files a snapshot was made from, so that the next run sees what has changed since.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use m1nd_base::{ContentHash, Problem, RepoPath, System};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::database::{self, Schema};
use crate::{StoreError, checksum};

const SCHEMA: Schema = Schema {
    owner: 0x6d31_6472,
    migrations: &[include_str!("migrations/derived_1.sql")],
    precious: false,
    page_bytes: 4096,
};

/// One file as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestRow {
    /// Which root it lies in, counted from 0.
    pub root: u32,
    /// Where it lies in the root.
    pub path: RepoPath,
    /// Bytes.
    pub size: u64,
    /// Last change, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Number of the file in its file system, 0 if it has none.
    pub ino: u64,
    /// Hash of the content.
    pub hash: ContentHash,
    /// What went wrong with it.
    pub problems: Vec<Problem>,
}

/// All files of one snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestState {
    /// Generation of the snapshot, as its maker counts. If it is not the one that was opened, compare all content.
    pub generation: u64,
    /// The files, sorted by root and path.
    pub rows: Vec<ManifestRow>,
}

/// The open database.
#[derive(Debug)]
pub(crate) struct Manifest {
    path: PathBuf,
    system: Arc<dyn System>,
    connection: Mutex<Connection>,
}

impl Manifest {
    pub(crate) fn open(path: PathBuf, system: Arc<dyn System>) -> Result<Self, StoreError> {
        let connection = Mutex::new(database::open_derived(&*system, &path, &SCHEMA)?);
        Ok(Self { path, system, connection })
    }

    /// `None` if none was stored, or if it was damaged and has been set aside.
    pub(crate) fn read(&self) -> Result<Option<ManifestState>, StoreError> {
        self.with(None, |connection| {
            let state = connection.query_row("SELECT generation, files, sum FROM state", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, [u8; checksum::LEN]>(2)?))
            });
            let Some((generation, files, expected)) = state.optional()? else { return Ok(Some(None)) };
            let mut sum = [0; checksum::LEN];
            let mut rows = Vec::new();
            let mut select = connection.prepare("SELECT * FROM files ORDER BY root, path")?;
            let mut found = select.query([])?;
            while let Some(row) = found.next()? {
                let Some((row, row_sum)) = decode(row)? else { return Ok(None) };
                toggle(&mut sum, row_sum);
                rows.push(row);
            }
            let whole = sum == expected && i64::try_from(rows.len()) == Ok(files);
            Ok(whole.then_some(Some(ManifestState { generation: generation.cast_unsigned(), rows })))
        })
    }

    pub(crate) fn replace(&self, state: &ManifestState) -> Result<(), StoreError> {
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM files", [])?;
            let mut sum = [0; checksum::LEN];
            insert(&transaction, &state.rows, &mut sum)?;
            finish(&transaction, state.generation, state.rows.len() as i64, &sum)?;
            transaction.commit().map(|()| Some(true))
        };
        // A damaged file has been set aside after the first attempt; what is written does not depend on it.
        let done = self.with(false, write)? || self.with(false, write)?;
        if done { Ok(()) } else { Err(StoreError::damaged(&self.path, "it cannot be written even after a new start")) }
    }

    /// After damage nothing is known any more, and the difference is not enough to know it again.
    pub(crate) fn update(
        &self,
        generation: u64,
        changed: &[ManifestRow],
        removed: &[(u32, RepoPath)],
    ) -> Result<(), StoreError> {
        self.with((), |connection| {
            let transaction = connection.transaction()?;
            let state = transaction
                .query_row("SELECT files, sum FROM state", [], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (mut files, mut sum): (i64, [u8; checksum::LEN]) = state.unwrap_or_default();
            {
                let mut delete =
                    transaction.prepare("DELETE FROM files WHERE root = ?1 AND path = ?2 RETURNING sum")?;
                let gone = removed.iter().map(|(root, path)| (*root, path));
                let stale = changed.iter().map(|row| (row.root, &row.path));
                for (root, path) in gone.chain(stale) {
                    let old = delete.query_row(params![root, path.as_str()], |row| row.get(0)).optional()?;
                    if let Some(old) = old {
                        toggle(&mut sum, old);
                        files -= 1;
                    }
                }
            }
            insert(&transaction, changed, &mut sum)?;
            finish(&transaction, generation, files + changed.len() as i64, &sum)?;
            transaction.commit().map(Some)
        })
    }

    /// Runs `work`; if the file turns out damaged (which `Ok(None)` also says), sets it aside and answers `empty`.
    fn with<T>(
        &self,
        empty: T,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<Option<T>>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        match work(&mut connection).map_err(StoreError::database(&self.path)) {
            Ok(Some(answer)) => return Ok(answer),
            Ok(None) => {}
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
        database::set_aside(&*self.system, &self.path)?;
        *connection = database::open(&self.path, &SCHEMA)?;
        Ok(empty)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while it was held has rolled its transaction back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn insert(transaction: &Transaction<'_>, rows: &[ManifestRow], sum: &mut [u8; checksum::LEN]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare("INSERT INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for row in rows {
        let problems = postcard::to_stdvec(&row.problems).expect("problems are plain data, written to memory");
        let row_sum = sum_of(row, &problems);
        toggle(sum, row_sum);
        insert.execute(params![
            row.root,
            row.path.as_str(),
            row.size.cast_signed(),
            row.mtime_ns,
            row.ino.cast_signed(),
            row.hash.as_bytes(),
            problems,
            row_sum,
        ])?;
    }
    Ok(())
}

fn finish(transaction: &Transaction<'_>, generation: u64, files: i64, sum: &[u8]) -> rusqlite::Result<()> {
    let row = params![generation.cast_signed(), files, sum];
    transaction.execute("INSERT OR REPLACE INTO state VALUES (1, ?1, ?2, ?3)", row).map(drop)
}

/// `None` if the row is not as it was written.
fn decode(row: &Row<'_>) -> rusqlite::Result<Option<(ManifestRow, [u8; checksum::LEN])>> {
    let path: String = row.get(1)?;
    let problems: Vec<u8> = row.get(6)?;
    let (Ok(path), Ok(decoded)) = (RepoPath::new(&path), postcard::from_bytes(&problems)) else { return Ok(None) };
    let file = ManifestRow {
        root: row.get(0)?,
        path,
        size: row.get::<_, i64>(2)?.cast_unsigned(),
        mtime_ns: row.get(3)?,
        ino: row.get::<_, i64>(4)?.cast_unsigned(),
        hash: ContentHash::from_bytes(row.get(5)?),
        problems: decoded,
    };
    let sum: [u8; checksum::LEN] = row.get(7)?;
    Ok((sum_of(&file, &problems) == sum).then_some((file, sum)))
}

fn sum_of(row: &ManifestRow, problems: &[u8]) -> [u8; checksum::LEN] {
    checksum::of(&[
        &row.root.to_le_bytes(),
        row.path.as_str().as_bytes(),
        &row.size.to_le_bytes(),
        &row.mtime_ns.to_le_bytes(),
        &row.ino.to_le_bytes(),
        row.hash.as_bytes(),
        problems,
    ])
}

/// Adds a sum to the sum of all, or takes it away.
fn toggle(total: &mut [u8; checksum::LEN], sum: [u8; checksum::LEN]) {
    total.iter_mut().zip(sum).for_each(|(total, byte)| *total ^= byte);
}
