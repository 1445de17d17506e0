//! Opening SQLite files: format check before the first change, migrations, modes, setting damaged ones aside.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::System;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::{RealSystem, StoreError, durable};

/// Time a database waits for another process that writes to it.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of the header that starts every SQLite file.
const HEADER_BYTES: u64 = 100;

/// What a database file is.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Number in the header that tells our files from others.
    pub(crate) owner: u32,
    /// One script a version: the n-th brings a database of version n to version n + 1.
    pub(crate) migrations: &'static [&'static str],
    /// What has to hold of data that must not be lost; `None` for derived data.
    pub(crate) precious: Option<Precious>,
    /// Bytes of a page; only matters when the file is made.
    pub(crate) page_bytes: u32,
}

/// How a database of precious data is looked after: a commit survives a power loss, and damage is found before anything
/// is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precious {
    /// Tables that are checked at each opening, however large the database is.
    pub(crate) always_checked: &'static [&'static str],
    /// Most pages of a database that is checked as a whole at each opening. A larger one is, too, if a log was left: another
    /// process has it open, or one that had has not ended as it should.
    pub(crate) whole_pages: u32,
}

impl Schema {
    fn newest(&self) -> u32 {
        u32::try_from(self.migrations.len()).expect("a handful of migrations")
    }
}

/// Opens the database at `path`, makes it if there is none, and brings it to the newest schema.
///
/// # Errors
/// [`StoreError::TooNew`] and [`StoreError::Damaged`], neither of which changes a byte, and the other errors of the
/// system or SQLite.
pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    open_checked(path, schema).map_err(|error| match error {
        StoreError::Database { path, source } if StoreError::shows_damage(&source) => {
            StoreError::Damaged { path, detail: source.to_string() }
        }
        error => error,
    })
}

fn open_checked(path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    match fs::metadata(path) {
        // Our databases are complete before they get their name, so a short file has lost something.
        Ok(meta) if meta.len() < HEADER_BYTES => return Err(StoreError::damaged(path, "it ends within its header")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, schema)?,
        Err(error) => return Err(StoreError::io("open", path)(error)),
    }
    // Who closes a database last removes its log.
    let log_left = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let mut connection = connect(path)?;
    let failed = || StoreError::database(path);
    // Until the file is known to be ours, closing it must not write back what its log holds.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_log, true).map_err(failed())?;
    check(path, &connection, schema, log_left)?;
    connection.set_db_config(keep_log, false).map_err(failed())?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed())?;
    let synchronous = if schema.precious.is_some() { "FULL" } else { "NORMAL" };
    connection.pragma_update(None, "synchronous", synchronous).map_err(failed())?;
    migrate(&mut connection, schema).map_err(failed())?;
    Ok(connection)
}

/// A database that is nowhere, of the newest schema.
pub(crate) fn in_memory(schema: &Schema) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    migrate(&mut connection, schema)?;
    Ok(connection)
}

/// Opens a database of derived data; a damaged one is set aside and started anew.
pub(crate) fn open_derived(system: &dyn System, path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    match open(path, schema) {
        Err(error) if error.is_damage() => {
            set_aside(system, path)?;
            open(path, schema)
        }
        opened => opened,
    }
}

/// Gives a damaged database of derived data another name, with the log that belongs to it.
pub(crate) fn set_aside(system: &dyn System, path: &Path) -> Result<(), StoreError> {
    let kept = match durable::quarantine(system, path) {
        Ok(kept) => kept,
        // Another process that uses the file was faster.
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let log = beside(path, "-wal");
    match system.rename(&log, &beside(&kept, "-wal")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(StoreError::io("set aside", &log)(error)),
        _ => {}
    }
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) {
        durable::prune(system, folder, |kept| kept.starts_with(name));
    }
    // Only an index into the log: worth nothing without it, and wrong for a new database.
    match system.remove(&beside(path, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether the file is a sound database of ours. Asks SQLite rather than reading the file: closing a second handle
/// to it would release the locks that other connections of this process hold on it.
fn check(path: &Path, connection: &Connection, schema: &Schema, log_left: bool) -> Result<(), StoreError> {
    let failed = || StoreError::database(path);
    let owner: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed())?;
    if owner.cast_unsigned() != schema.owner {
        return Err(StoreError::damaged(path, "its header says that another program made it"));
    }
    let (found, supported) = (version(connection).map_err(failed())?, schema.newest());
    if found > supported {
        return Err(StoreError::TooNew { path: path.to_owned(), found, supported });
    }
    let writable_by_mode = fs::metadata(path).is_ok_and(|meta| !meta.permissions().readonly());
    if writable_by_mode && connection.is_readonly(rusqlite::MAIN_DB).map_err(failed())? {
        return Err(StoreError::damaged(path, "its header names a file format that does not exist"));
    }
    let Some(precious) = schema.precious else { return Ok(()) };
    let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).map_err(failed())?;
    if log_left || pages <= precious.whole_pages {
        return check_rows(path, connection, "1");
    }
    precious.always_checked.iter().try_for_each(|table| check_rows(path, connection, table))
}

/// Whether the rows of a database, or of one of its tables, are sound. Not by the quick check: it does not notice rows that
/// are out of order, which hides them from look-ups.
fn check_rows(path: &Path, connection: &Connection, of: &str) -> Result<(), StoreError> {
    let verdict = connection.query_row(&format!("PRAGMA integrity_check({of})"), [], |row| row.get(0));
    // That a table is not there is damage, too.
    let verdict: String = verdict.map_err(|error| StoreError::damaged(path, &error.to_string()))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::damaged(path, &verdict)) }
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(StoreError::database(path))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(StoreError::database(path))?;
    Ok(connection)
}

/// Makes a complete database under another name and links it to its own, so that no other process and no crash ever
/// sees a part of it.
fn create(path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let unique = format!(".new-{}-{:?}", std::process::id(), std::thread::current().id());
    let temporary = beside(path, &unique.replace(['(', ')'], ""));
    let _ = fs::remove_file(&temporary);
    let made = fill(&temporary, schema).and_then(|()| match fs::hard_link(&temporary, path) {
        // Another process made it meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // A file system without links: there, two processes that start at once can get in each other's way.
        Err(_) if !path.exists() => fs::rename(&temporary, path).map_err(StoreError::io("create", path)),
        linked => linked.map_err(StoreError::io("create", path)),
    });
    let _ = fs::remove_file(&temporary);
    made?;
    let folder = path.parent().unwrap_or(Path::new("."));
    RealSystem.sync_folder(folder).map_err(StoreError::io(durable::SYNC_FOLDER, folder))
}

fn fill(path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(StoreError::io("create", path))?;
    let failed = || StoreError::database(path);
    let mut connection = connect(path)?;
    connection.pragma_update(None, "page_size", schema.page_bytes).map_err(failed())?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(failed())?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed())?;
    connection.pragma_update(None, "application_id", schema.owner).map_err(failed())?;
    // Kept in the header: processes that open the file at once need not fight over who changes it.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed())?;
    migrate(&mut connection, schema).map_err(failed())?;
    connection.close().map_err(|(_, error)| StoreError::database(path)(error))
}

/// Runs the scripts that are missing, all or none.
fn migrate(connection: &mut Connection, schema: &Schema) -> rusqlite::Result<()> {
    if version(connection)? == schema.newest() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again: another process may have migrated while we waited for the lock.
    let done = version(&transaction)?;
    for script in schema.migrations.iter().skip(done as usize) {
        transaction.execute_batch(script)?;
    }
    if done < schema.newest() {
        transaction.pragma_update(None, "user_version", schema.newest())?;
    }
    transaction.commit()
}
