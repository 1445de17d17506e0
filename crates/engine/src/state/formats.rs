//! The format versions of what is stored for a project, and what this program does with each.

use std::path::{Path, PathBuf};

use m1nd_graph::{FORMAT_VERSION, SnapshotError};
use m1nd_store::Home;

use crate::state::persist;

/// What happens to a stored file of some format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatState {
    /// It is used as it is.
    Current,
    /// The format is current, but another version of the extractors or the linker made the content: it answers until
    /// the next ingest replaces it.
    Outdated,
    /// It is older and holds what can be made again: it is rebuilt.
    Rebuilt,
    /// It is older and holds what cannot be made again: it is converted when it is opened, and nothing is lost.
    Migrated,
    /// It was written by a newer version of this program: it is left as it is and not used.
    TooNew,
    /// It cannot be read: the reason.
    Unreadable(String),
}

/// A stored file and its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFormat {
    /// Path of the file.
    pub file: PathBuf,
    /// Its format version, if it can be read.
    pub found: Option<u32>,
    /// The newest version that this program reads.
    pub supported: u32,
    /// What happens to it.
    pub state: FormatState,
}

/// The formats of what the store at `home` holds for the project whose first root is `root`. Creates and changes
/// nothing.
pub fn list_formats(home: &Path, root: &Path) -> Vec<StoredFormat> {
    let snapshot = Home::find_snapshot(home, root).map(read_snapshot);
    let databases = Home::list_database_formats(home, root).into_iter().map(|database| {
        let (found, state) = match database.found {
            Err(why) => (None, FormatState::Unreadable(why)),
            Ok(found) if found > database.supported => (Some(found), FormatState::TooNew),
            Ok(found) if found == database.supported => (Some(found), FormatState::Current),
            Ok(found) if database.is_precious => (Some(found), FormatState::Migrated),
            Ok(found) => (Some(found), FormatState::Rebuilt),
        };
        StoredFormat { file: database.path, found, supported: database.supported, state }
    });
    snapshot.into_iter().chain(databases).collect()
}

fn read_snapshot(file: PathBuf) -> StoredFormat {
    let (found, state) = match persist::open(&file) {
        Ok(stored) if stored.outdated => (Some(FORMAT_VERSION), FormatState::Outdated),
        Ok(_) => (Some(FORMAT_VERSION), FormatState::Current),
        Err(SnapshotError::Newer { found, .. }) => (Some(found), FormatState::TooNew),
        Err(SnapshotError::Older { found, .. }) => (Some(found), FormatState::Rebuilt),
        Err(error) => (None, FormatState::Unreadable(error.to_string())),
    };
    StoredFormat { file, found, supported: FORMAT_VERSION, state }
}
