//! `project.db`: precious data.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use crate::StoreError;
use crate::database::{self, Precious, Schema};

/// Maximum pages of a database that is checked completely on every open: 8 MiB, some 20 ms.
const WHOLE_PAGES: u32 = 2_048;

pub(crate) const SCHEMA: Schema = Schema {
    owner: 0x6d31_7072,
    migrations: &[
        include_str!("migrations/project_1.sql"),
        include_str!("migrations/project_2.sql"),
        include_str!("migrations/project_3.sql"),
    ],
    precious: Some(Precious { always_checked: &["settings", "roots"], whole_pages: WHOLE_PAGES }),
    page_bytes: 4096,
};

/// The database, or why it cannot be used.
#[derive(Debug)]
pub(crate) struct Settings {
    path: PathBuf,
    state: State,
}

#[derive(Debug)]
enum State {
    Open(Mutex<Connection>),
    /// Every operation fails with this.
    Unusable(Unusable),
}

/// An error that can be returned any number of times.
#[derive(Debug)]
enum Unusable {
    Damaged(String),
    TooNew { found: u32, supported: u32 },
    Unreadable(String),
}

impl Unusable {
    fn new(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { detail, .. } => Self::Damaged(detail),
            StoreError::TooNew { found, supported, .. } => Self::TooNew { found, supported },
            StoreError::Io { source, .. } => Self::Unreadable(source.to_string()),
            StoreError::Database { source, .. } => Self::Unreadable(source.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }

    fn error(&self, path: &Path) -> StoreError {
        match self {
            Self::Damaged(detail) => StoreError::report_damage(path, detail),
            Self::TooNew { found, supported } => {
                StoreError::TooNew { path: path.to_owned(), found: *found, supported: *supported }
            }
            Self::Unreadable(why) => StoreError::io("open", path)(std::io::Error::other(why.clone())),
        }
    }
}

impl Settings {
    pub(crate) fn open(path: PathBuf) -> Result<Self, StoreError> {
        let connection = Mutex::new(database::open(&path, &SCHEMA)?);
        Ok(Self { path, state: State::Open(connection) })
    }

    /// Opens an existing database for a program that only reads and goes on without one that cannot be used.
    pub(crate) fn open_to_read(path: PathBuf) -> Self {
        let opened = database::open(&path, &SCHEMA).or_else(|error| match error {
            StoreError::Damaged { .. } | StoreError::TooNew { .. } => Err(error),
            // Such as in a folder that cannot be written.
            error => database::open_unchanging(&path, &SCHEMA).map_err(|second| match second {
                StoreError::Database { .. } => error,
                second => second,
            }),
        });
        match opened {
            Ok(connection) => Self { path, state: State::Open(Mutex::new(connection)) },
            Err(error) => Self::unusable(path, error),
        }
    }

    /// In place of a database that cannot be used: every operation fails with the error.
    pub(crate) fn unusable(path: PathBuf, error: StoreError) -> Self {
        Self { path, state: State::Unusable(Unusable::new(error)) }
    }

    /// An in-memory database in place of a missing one at `path`.
    pub(crate) fn empty(path: PathBuf) -> Result<Self, StoreError> {
        let connection = database::in_memory(&SCHEMA).map_err(StoreError::database(&path))?;
        Ok(Self { path, state: State::Open(Mutex::new(connection)) })
    }

    /// The reason why it cannot be used.
    pub(crate) fn error(&self) -> Option<StoreError> {
        match &self.state {
            State::Open(_) => None,
            State::Unusable(why) => Some(why.error(&self.path)),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let value = "SELECT value FROM settings WHERE key = ?1";
        self.with(|connection| connection.query_row(value, [key], |row| row.get(0)).optional())
    }

    pub(crate) fn set(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        let set = |connection: &mut Connection| match value {
            Some(value) => connection.execute("INSERT OR REPLACE INTO settings VALUES (?1, ?2)", [key, value]),
            None => connection.execute("DELETE FROM settings WHERE key = ?1", [key]),
        };
        self.with(set).map(drop)
    }

    pub(crate) fn roots(&self) -> Result<Vec<PathBuf>, StoreError> {
        let rows = "SELECT path FROM roots ORDER BY position";
        self.with(|connection| connection.prepare(rows)?.query_map([], |row| Ok(path_of(row.get(0)?)))?.collect())
    }

    pub(crate) fn set_roots(&self, roots: &[PathBuf]) -> Result<(), StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM roots", [])?;
            for (position, root) in (0_i64..).zip(roots) {
                let bytes = root.as_os_str().as_encoded_bytes();
                transaction.execute("INSERT INTO roots VALUES (?1, ?2)", params![position, bytes])?;
            }
            transaction.commit()
        })
    }

    /// Runs `run` on the database.
    pub(crate) fn with<T>(&self, run: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let connection = match &self.state {
            State::Open(connection) => connection,
            State::Unusable(why) => return Err(why.error(&self.path)),
        };
        // A panic while it was held rolled its transaction back.
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        run(&mut connection).map_err(StoreError::database(&self.path))
    }
}

/// A number as SQLite stores it; one that it cannot store is the largest that it can.
pub(crate) fn to_signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as it was stored; one below 0, which we never write, is 0.
pub(crate) fn to_unsigned(number: i64) -> u64 {
    number.max(0).cast_unsigned()
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_the_first_version_is_brought_to_the_newest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("project.db");
        let first = Schema { migrations: &[include_str!("migrations/project_1.sql")], ..SCHEMA };
        let connection = database::open(&path, &first).expect("the first version");
        connection.execute("INSERT INTO settings VALUES ('k', 'v')", []).expect("writable");
        drop(connection);
        let settings = Settings::open(path).expect("the newest version");
        assert_eq!(settings.get("k").expect("readable").as_deref(), Some("v"));
        let rows = settings
            .with(|connection| connection.query_row("SELECT count(*) FROM feedback", [], |row| row.get::<_, i64>(0)));
        assert_eq!(rows.expect("readable"), 0);
    }

    #[test]
    fn a_database_of_each_older_version_keeps_its_rows() {
        const ROWS: [&str; 3] = [
            "INSERT INTO settings VALUES ('k', 'v')",
            "INSERT INTO feedback (at_ms, agent, kind, query, strength) VALUES (1, 'a', 'correct', 'q', 1.0)",
            "INSERT INTO handles (id, kind, owner, created_ms, changed_ms, version, bytes, value) \
             VALUES ('t', 'trail', 'a', 1, 1, 1, 2, '{}')",
        ];
        for version in 1..=SCHEMA.migrations.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("project.db");
            let older = Schema { migrations: &SCHEMA.migrations[..version], ..SCHEMA };
            let connection = database::open(&path, &older).expect("an older version");
            for row in &ROWS[..version.min(ROWS.len())] {
                connection.execute(row, []).expect("writable");
            }
            drop(connection);
            let settings = Settings::open(path).expect("the newest version");
            for (at, table) in ["settings", "feedback", "handles"].iter().enumerate() {
                let count = format!("SELECT count(*) FROM {table}");
                let count = settings.with(|connection| connection.query_row(&count, [], |row| row.get::<_, i64>(0)));
                assert_eq!(count.expect("readable"), i64::from(at < version), "version {version}: {table}");
            }
        }
    }

    /// Overwrites the root page of a table or index.
    fn damage(path: &Path, of: &str) {
        let connection = database::open(path, &SCHEMA).expect("it opens");
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: u32 = connection.query_row(root, [of], |row| row.get(0)).expect("it is there");
        drop(connection);
        let mut bytes = std::fs::read(path).expect("readable");
        let page = SCHEMA.page_bytes as usize;
        bytes[(root as usize - 1) * page..][..8].fill(0xff);
        std::fs::write(path, bytes).expect("writable");
    }

    #[test]
    fn of_a_large_database_what_is_needed_is_checked_at_each_opening_and_all_of_it_after_a_crash() {
        let precious = Precious { always_checked: &["settings", "roots"], whole_pages: 1 };
        let large = Schema { precious: Some(precious), ..SCHEMA };
        for (damaged, opens) in [("feedback_nodes", true), ("settings", false), ("roots", false)] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("project.db");
            drop(Settings::open(path.clone()).expect("a new database"));
            damage(&path, damaged);
            assert!(database::open(&path, &SCHEMA).is_err(), "a small one is checked as a whole: {damaged}");
            let opened = database::open(&path, &large);
            assert_eq!(opened.is_ok(), opens, "{damaged}");
            assert!(opened.as_ref().err().is_none_or(StoreError::is_damage), "{damaged}: {opened:?}");
            drop(opened);
            std::fs::write(folder.path().join("project.db-wal"), [0; 64]).expect("writable");
            assert!(database::open(&path, &large).is_err(), "a log was left: {damaged}");
        }
    }
}
