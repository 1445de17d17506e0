//! Opening SQLite files: format check before the first write, migrations, modes, quarantine of damaged files.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::System;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::SYNC_FOLDER;
use crate::{RealSystem, StoreError, durable};

/// Time to wait for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the header at the start of every SQLite file, in bytes.
const HEADER_BYTES: u64 = 100;

/// Definition of a database file.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Application id in the header, which tells our files from others.
    pub(crate) owner: u32,
    /// Migration scripts: the n-th upgrades a database from version n to version n + 1.
    pub(crate) migrations: &'static [&'static str],
    /// Safeguards for data that must not be lost; `None` for derived data.
    pub(crate) precious: Option<Precious>,
    /// Page size in bytes; only used when the file is created.
    pub(crate) page_bytes: u32,
}

/// Safeguards for precious data: a commit survives a power loss, and damage is detected before anything is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precious {
    /// Tables that are checked on every open, however large the database is.
    pub(crate) always_checked: &'static [&'static str],
    /// Maximum pages of a database that is checked completely on every open. A larger one is checked completely if a
    /// log was left behind: another process has it open, or one crashed.
    pub(crate) whole_pages: u32,
}

impl Schema {
    /// The version that the last migration leads to.
    pub(crate) fn newest(&self) -> u32 {
        u32::try_from(self.migrations.len()).expect("a handful of migrations")
    }
}

/// Opens the database at `path`, creating it if needed, and migrates it to the newest schema.
///
/// # Errors
/// [`StoreError::TooNew`] and [`StoreError::Damaged`], neither of which changes a byte, and other errors of the
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
        // Our databases are complete before they get their name, so a short file has lost data.
        Ok(meta) if meta.len() < HEADER_BYTES => {
            return Err(StoreError::report_damage(path, "it ends within its header"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, schema)?,
        Err(error) => return Err(StoreError::io("open", path)(error)),
    }
    // The last process to close a database removes its log.
    let log_left = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let mut connection = connect(path)?;
    let failed = || StoreError::database(path);
    // Until the file is known to be ours, closing it must not checkpoint its log.
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

/// Opens a database in a folder that this user cannot write, where SQLite cannot keep the files that it shares with
/// other processes: without locks, so nobody else may be writing it.
///
/// # Errors
/// Those of [`open`], and if there is a log, whose content would be missing.
pub(crate) fn open_unchanging(path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    let log = beside(path, "-wal");
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let why = io::Error::new(io::ErrorKind::PermissionDenied, "a log of changes cannot be read without writing");
        return Err(StoreError::io("open", &log)(why));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(unchanging_uri(path), flags).map_err(StoreError::database(path))?;
    check(path, &connection, schema, false)?;
    if version(&connection).map_err(StoreError::database(path))? == schema.newest() {
        return Ok(connection);
    }
    let why = io::Error::new(io::ErrorKind::PermissionDenied, "it has an older format and cannot be upgraded");
    Err(StoreError::io("open", path)(why))
}

/// The address of a file that nobody changes, as SQLite takes it.
fn unchanging_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// An in-memory database with the newest schema.
pub(crate) fn in_memory(schema: &Schema) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    migrate(&mut connection, schema)?;
    Ok(connection)
}

/// Opens a database of derived data; a damaged one is quarantined and replaced by an empty one.
pub(crate) fn open_derived(system: &dyn System, path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    match open(path, schema) {
        Err(error) if error.is_damage() => {
            set_aside(system, path)?;
            open(path, schema)
        }
        opened => opened,
    }
}

/// Renames a damaged database of derived data, together with its log; only the last few of such files are kept.
pub(crate) fn set_aside(system: &dyn System, path: &Path) -> Result<(), StoreError> {
    put_aside(system, path)?;
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) {
        durable::prune(system, folder, |kept| kept.starts_with(name));
    }
    Ok(())
}

/// Renames a damaged database, together with its log. Returns its new path; `None` if it is not there any more.
pub(crate) fn put_aside(system: &dyn System, path: &Path) -> Result<Option<PathBuf>, StoreError> {
    let kept = match durable::quarantine(system, path) {
        Ok(kept) => kept,
        // Another process that uses the file has already done so.
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let log = beside(path, "-wal");
    match system.rename(&log, &beside(&kept, "-wal")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(StoreError::io("set aside", &log)(error)),
        _ => {}
    }
    // Only an index into the log: useless without it, and wrong for a new database.
    match system.remove(&beside(path, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => Ok(Some(kept)),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Checks that the file is a sound database of ours. Asks SQLite instead of reading the file: closing a second handle
/// to it would release the locks that other connections of this process hold on it.
fn check(path: &Path, connection: &Connection, schema: &Schema, log_left: bool) -> Result<(), StoreError> {
    let failed = || StoreError::database(path);
    let owner: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed())?;
    if owner.cast_unsigned() != schema.owner {
        return Err(StoreError::report_damage(path, "its header belongs to another program"));
    }
    let (found, supported) = (version(connection).map_err(failed())?, schema.newest());
    if found > supported {
        return Err(StoreError::TooNew { path: path.to_owned(), found, supported });
    }
    if may_write(path) && connection.is_readonly(rusqlite::MAIN_DB).map_err(failed())? {
        return Err(StoreError::report_damage(path, "its header names a file format that does not exist"));
    }
    let Some(precious) = schema.precious else { return Ok(()) };
    let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).map_err(failed())?;
    if log_left || pages <= precious.whole_pages {
        return check_rows(path, connection, "1");
    }
    precious.always_checked.iter().try_for_each(|table| check_rows(path, connection, table))
}

/// Checks the rows of a database, or of one of its tables. The quick check would not do: it misses rows that are out
/// of order, which hides them from look-ups.
fn check_rows(path: &Path, connection: &Connection, of: &str) -> Result<(), StoreError> {
    let verdict = connection.query_row(&format!("PRAGMA integrity_check({of})"), [], |row| row.get(0));
    // A missing table is damage, too.
    let verdict: String = verdict.map_err(|error| StoreError::report_damage(path, &error.to_string()))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::report_damage(path, &verdict)) }
}

/// Returns whether this user can write the file.
#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Returns whether this user can write the file.
#[cfg(not(unix))]
fn may_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.permissions().readonly())
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

/// Creates a complete database under another name and links it to its own, so that no other process and no crash ever
/// exposes a partial one.
fn create(path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let unique = format!(".new-{}-{:?}", std::process::id(), std::thread::current().id());
    let temporary = beside(path, &unique.replace(['(', ')'], ""));
    let _ = fs::remove_file(&temporary);
    let made = fill(&temporary, schema).and_then(|()| match fs::hard_link(&temporary, path) {
        // Another process created it meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // A file system without hard links: there, two processes that start at once may conflict.
        Err(_) if !path.exists() => fs::rename(&temporary, path).map_err(StoreError::io("create", path)),
        linked => linked.map_err(StoreError::io("create", path)),
    });
    let _ = fs::remove_file(&temporary);
    made?;
    let folder = path.parent().unwrap_or(Path::new("."));
    RealSystem.sync_folder(folder).map_err(StoreError::io(SYNC_FOLDER, folder))
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
    // Stored in the header, so that processes that open the file at once do not compete to change it.
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed())?;
    migrate(&mut connection, schema).map_err(failed())?;
    connection.close().map_err(|(_, error)| StoreError::database(path)(error))
}

/// Runs the missing migrations, all or none.
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
