use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi;

use crate::durable;

/// Why stored data cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file operation failed.
    #[error("cannot {action} `{}`: {source}; check permissions and free space", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// Of which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database refused an operation; what was stored before is still there.
    #[error("the database `{}` failed: {source}; check permissions and free space", path.display())]
    Database {
        /// Its file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Written by a newer version of this program. Nothing was changed.
    #[error(
        "`{}` has format {found}, this m1nd knows formats up to {supported}; install the newer m1nd that wrote it, or set M1ND_HOME to another folder",
        path.display()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known.
        supported: u32,
    },
    /// Precious data cannot be read. The file is left as it is.
    #[error(
        "`{}` is damaged: {detail}; it was left as it is: restore it from a backup, or move it away to start without it",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// Others held a lock for longer than one waits.
    #[error("`{}` is held by another process; try again, or end that process", path.display())]
    Taken {
        /// The file of the lock.
        path: PathBuf,
    },
    /// The user has made a file read-only.
    #[error("`{}` is read-only and was left as it is; make it writable, or leave it out in the configuration", path.display())]
    Protected {
        /// The file.
        path: PathBuf,
    },
    /// The project was opened to be read only.
    #[error("the project is open to be read only; open it for writing")]
    ReadOnly,
    /// A link leads out of the folder in which we may write.
    #[error("`{}` leads to `{}`, outside of the project, and was left as it is; replace the link by a file", path.display(), target.display())]
    Outside {
        /// The link.
        path: PathBuf,
        /// Where it leads to.
        target: PathBuf,
    },
    /// The writer met an error of which it cannot know what reached the disk.
    #[error("`{}` is closed for writing after an earlier error; open the project again", path.display())]
    Closed {
        /// The file or folder.
        path: PathBuf,
    },
}

impl StoreError {
    /// A stable word for the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "store_io",
            Self::Database { .. } => "store_database",
            Self::TooNew { .. } => "store_too_new",
            Self::Damaged { .. } => "store_damaged",
            Self::Closed { .. } => "store_closed",
            Self::Taken { .. } => "store_taken",
            Self::Protected { .. } => "store_protected",
            Self::Outside { .. } => "store_outside",
            Self::ReadOnly => "store_read_only",
        }
    }

    /// For `map_err` of a file operation.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// For `map_err` of a database operation.
    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Database { path: path.to_owned(), source }
    }

    /// Damage found by ourselves.
    pub(crate) fn damaged(path: &Path, detail: &str) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.to_owned() }
    }

    /// Whether it is unknown what of the last write has reached the disk.
    pub(crate) fn is_failed_sync(&self) -> bool {
        match self {
            Self::Io { action, .. } => [durable::SYNC_FILE, durable::SYNC_FOLDER].contains(action),
            Self::Database { source: rusqlite::Error::SqliteFailure(error, _), .. } => {
                [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC].contains(&error.extended_code)
            }
            _ => false,
        }
    }

    /// Whether the content of the file, and not the system around it, is the cause.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Database { source, .. } => Self::shows_damage(source),
            _ => false,
        }
    }

    /// Whether SQLite failed because of what the file holds.
    pub(crate) fn shows_damage(error: &rusqlite::Error) -> bool {
        use rusqlite::Error;
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        match error {
            // "Unknown" is the code of no particular kind: our statements are right, so the schema or header is not.
            Error::SqliteFailure(error, _) => matches!(error.code, DatabaseCorrupt | NotADatabase | Unknown),
            // A column that holds another type than the schema says; a row, table or column that is not there.
            Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
            | Error::QueryReturnedNoRows
            | Error::SqlInputError { .. } => true,
            _ => false,
        }
    }
}
