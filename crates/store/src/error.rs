use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi;

/// What was tried when the content may be lost in part.
pub(crate) const SYNC_FILE: &str = "synchronise";
/// What was tried when the name may be lost.
pub(crate) const SYNC_FOLDER: &str = "synchronise the folder";

/// The reason why stored data cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file operation failed.
    #[error("cannot {action} `{}`: {source}; check permissions and free space", path.display())]
    Io {
        /// The attempted action, as a verb.
        action: &'static str,
        /// Affected file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The database refused an operation; previously stored data is intact.
    #[error("the database `{}` failed: {source}; check permissions and free space", path.display())]
    Database {
        /// File of the database.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// Written by a newer version of this program. Nothing was changed.
    #[error(
        "`{}` has format {found}, this m1nd knows formats up to {supported}; install the newer m1nd that wrote it, or set M1ND_HOME to another folder",
        path.display()
    )]
    TooNew {
        /// Affected file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// Newest supported format.
        supported: u32,
    },
    /// Precious data cannot be read. The file is left untouched.
    #[error(
        "`{}` is damaged: {detail}; it was left as it is: restore it from a backup, or run `m1nd doctor` to put it aside and start without it",
        path.display()
    )]
    Damaged {
        /// Affected file.
        path: PathBuf,
        /// Description of the damage.
        detail: String,
    },
    /// Another process held a lock for longer than the timeout.
    #[error("`{}` is held by another process; try again, or end that process", path.display())]
    Taken {
        /// Lock file.
        path: PathBuf,
    },
    /// The user made a file read-only.
    #[error("`{}` is read-only and was left as it is; make it writable, or exclude it in the configuration", path.display())]
    Protected {
        /// Affected file.
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
        /// Target of the link.
        target: PathBuf,
    },
    /// Another user owns a folder or socket, or can replace it.
    #[error("`{}` is not used: {why}", path.display())]
    NotPrivate {
        /// The folder or socket.
        path: PathBuf,
        /// Who has access, and how to change that.
        why: String,
    },
    /// After an earlier error it is unknown which writes reached the disk.
    #[error("`{}` is closed for writing after an earlier error; open the project again", path.display())]
    Closed {
        /// Affected file or folder.
        path: PathBuf,
    },
}

impl StoreError {
    /// Returns whether the operation failed for lack of space.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::Database { source, .. } => source.sqlite_error_code() == Some(ffi::ErrorCode::DiskFull),
            _ => false,
        }
    }

    /// A stable identifier for the kind of error.
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
            Self::NotPrivate { .. } => "store_not_private",
            Self::ReadOnly => "store_read_only",
        }
    }

    /// Adapter for `map_err` of a file operation.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Adapter for `map_err` of a database operation.
    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Database { path: path.to_owned(), source }
    }

    /// An error for damage detected by our own checks.
    pub(crate) fn report_damage(path: &Path, detail: &str) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.to_owned() }
    }

    /// Returns whether it is unknown which part of the last write reached the disk.
    pub(crate) fn is_failed_sync(&self) -> bool {
        match self {
            Self::Io { action, .. } => [SYNC_FILE, SYNC_FOLDER].contains(action),
            Self::Database { source: rusqlite::Error::SqliteFailure(error, _), .. } => {
                [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC].contains(&error.extended_code)
            }
            _ => false,
        }
    }

    /// Returns whether the content of the file, rather than the system, is the cause.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Database { source, .. } => Self::shows_damage(source),
            _ => false,
        }
    }

    /// Returns whether SQLite failed because of the file's content.
    pub(crate) fn shows_damage(error: &rusqlite::Error) -> bool {
        use rusqlite::Error;
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        match error {
            // "Unknown" has no specific cause: our statements are correct, so the schema or header is not.
            Error::SqliteFailure(error, _) => matches!(error.code, DatabaseCorrupt | NotADatabase | Unknown),
            // A column type that differs from the schema; a row, table or column that is missing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let io = |kind: io::ErrorKind| StoreError::Io { action: "write", path: "x".into(), source: kind.into() };
        let database = |code: i32| {
            let source = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            StoreError::Database { path: "x".into(), source }
        };
        assert!(io(io::ErrorKind::StorageFull).is_out_of_space() && database(ffi::SQLITE_FULL).is_out_of_space());
        assert!(!io(io::ErrorKind::PermissionDenied).is_out_of_space());
        assert!(!database(ffi::SQLITE_CANTOPEN).is_out_of_space() && !StoreError::ReadOnly.is_out_of_space());
    }
}
