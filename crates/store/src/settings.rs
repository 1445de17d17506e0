//! `project.db`: what must not be lost.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use crate::StoreError;
use crate::database::{self, Schema};

const SCHEMA: Schema = Schema {
    owner: 0x6d31_7072,
    migrations: &[include_str!("migrations/project_1.sql"), include_str!("migrations/project_2.sql")],
    precious: true,
    page_bytes: 4096,
};

/// The open database.
#[derive(Debug)]
pub(crate) struct Settings {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Settings {
    pub(crate) fn open(path: PathBuf) -> Result<Self, StoreError> {
        let connection = Mutex::new(database::open(&path, &SCHEMA)?);
        Ok(Self { path, connection })
    }

    /// A database in memory, in the place of one that is not at `path`.
    pub(crate) fn empty(path: PathBuf) -> Result<Self, StoreError> {
        let connection = database::in_memory(&SCHEMA).map_err(StoreError::database(&path))?;
        Ok(Self { path, connection: Mutex::new(connection) })
    }

    pub(crate) fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.connection()
            .query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(StoreError::database(&self.path))
    }

    pub(crate) fn set(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        let connection = self.connection();
        let done = match value {
            Some(value) => connection.execute("INSERT OR REPLACE INTO settings VALUES (?1, ?2)", [key, value]),
            None => connection.execute("DELETE FROM settings WHERE key = ?1", [key]),
        };
        done.map(drop).map_err(StoreError::database(&self.path))
    }

    pub(crate) fn roots(&self) -> Result<Vec<PathBuf>, StoreError> {
        let read = |connection: &Connection| -> rusqlite::Result<Vec<PathBuf>> {
            connection
                .prepare("SELECT path FROM roots ORDER BY position")?
                .query_map([], |row| Ok(path_of(row.get(0)?)))?
                .collect()
        };
        read(&self.connection()).map_err(StoreError::database(&self.path))
    }

    pub(crate) fn set_roots(&self, roots: &[PathBuf]) -> Result<(), StoreError> {
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM roots", [])?;
            for (position, root) in (0_i64..).zip(roots) {
                let bytes = root.as_os_str().as_encoded_bytes();
                transaction.execute("INSERT INTO roots VALUES (?1, ?2)", params![position, bytes])?;
            }
            transaction.commit()
        };
        write(&mut self.connection()).map_err(StoreError::database(&self.path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while it was held has rolled its transaction back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
}
