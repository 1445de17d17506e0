//! The snapshot file on disk: whether it matches its checksums, and when it was written.

use std::time::UNIX_EPOCH;

use m1nd_base::Cancel;
use m1nd_graph::{Container, SnapshotError};

use crate::state::shared::Shared;

/// Result of comparing the stored snapshot with its checksums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredCheck {
    /// Every section matches.
    Sound {
        /// Bytes that were compared; 0 if this process had compared this file before.
        bytes: u64,
    },
    /// A section differs, or the file is not a snapshot: the reason.
    Damaged(String),
    /// It cannot be read now, which says nothing about its content: the reason.
    Unreadable(String),
    /// No snapshot is stored.
    Missing,
    /// It was not compared: it is larger than allowed, or the caller gave up.
    NotCompared {
        /// Size of the file in bytes.
        bytes: u64,
    },
}

/// The snapshot file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// When it was written, in milliseconds since 1970.
    pub written_ms: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// It holds the newest state.
    pub is_newest: bool,
}

/// Compares the stored snapshot with its checksums, if it has at most `most` bytes or was compared before.
pub(crate) fn check(shared: &Shared, most: u64, cancel: &Cancel) -> StoredCheck {
    let path = shared.project.snapshot_path();
    let container = match Container::open(&path) {
        Ok(container) => container,
        Err(SnapshotError::NotThere(_)) => return StoredCheck::Missing,
        Err(error) => return unusable(&error),
    };
    let bytes: u64 = container.sections().iter().map(|(_, section)| section.len() as u64).sum();
    if bytes > most {
        // A file that was sound is trusted only where reading it again would take too long.
        return match shared.is_verified(&path) {
            true => StoredCheck::Sound { bytes: 0 },
            false => StoredCheck::NotCompared { bytes },
        };
    }
    match container.verify(cancel) {
        Ok(true) => {
            shared.note_verified(path);
            StoredCheck::Sound { bytes }
        }
        Ok(false) => StoredCheck::NotCompared { bytes },
        Err(error) => unusable(&error),
    }
}

/// What an error says about the file.
fn unusable(error: &SnapshotError) -> StoredCheck {
    match error {
        SnapshotError::Unreadable(_) => StoredCheck::Unreadable(error.to_string()),
        _ => StoredCheck::Damaged(error.to_string()),
    }
}

/// The snapshot file; `None` if there is none.
pub(crate) fn find_stored(shared: &Shared) -> Option<StoredSnapshot> {
    let meta = std::fs::metadata(shared.project.snapshot_path()).ok()?;
    let written = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(StoredSnapshot {
        written_ms: u64::try_from(written.as_millis()).unwrap_or(u64::MAX),
        bytes: meta.len(),
        is_newest: shared.saved_generation() == shared.current().generation,
    })
}
