//! Notes which files are being extracted, so that one whose extraction ends the process is not tried for ever.
//!
//! Parsers are bounded in time and memory, and panics are caught; an abort or the kill of a process that takes too much
//! memory is not. A large file is noted before it is extracted and the note is removed afterwards. A note that is there
//! before is from a process that ended meanwhile. That may be chance (any process can be killed at any time), so only
//! the second one counts against the file. Another content is another file.

use std::io::Write;
use std::path::{Path, PathBuf};

use m1nd_base::ContentHash;

/// Smaller files are not noted: they are many, and cannot cost much.
const LEAST_BYTES: usize = 16 << 10;
/// Ended attempts after which a file is left out.
const MAX_ENDED: u64 = 2;

/// The folder of notes.
#[derive(Debug, Clone)]
pub(crate) struct Attempts {
    folder: PathBuf,
}

/// A file that may be extracted. Its note is removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    note: Option<PathBuf>,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(note) = &self.note {
            let _ = std::fs::remove_file(note);
        }
    }
}

impl Attempts {
    /// Keeps notes in a folder below `home`. Without the permission to write there, nothing is noted.
    pub(crate) fn below(home: &Path) -> Self {
        Self { folder: home.join("extracting") }
    }

    /// Notes an attempt. `None` if the attempts at this content have ended processes before.
    pub(crate) fn begin(&self, hash: &ContentHash, bytes: usize) -> Option<Attempt> {
        if bytes < LEAST_BYTES {
            return Some(Attempt::default());
        }
        let note = self.folder.join(hash.to_string());
        // One byte for each attempt that was begun.
        let ended = std::fs::metadata(&note).map_or(0, |meta| meta.len());
        if ended >= MAX_ENDED {
            return None;
        }
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            std::fs::OpenOptions::new().create(true).append(true).open(&note)?.write_all(b".")
        };
        Some(Attempt { note: write().is_ok().then_some(note) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_ended_process_counts_against_a_file() {
        let home = m1nd_testkit::TempTree::new("");
        let attempts = Attempts::below(home.path());
        let (file, other) = (ContentHash::of(b"file"), ContentHash::of(b"other"));
        // Its note stays, as that of a process that ended.
        let end = |hash: &ContentHash| std::mem::forget(attempts.begin(hash, LEAST_BYTES).expect("may be tried"));
        end(&file);
        drop(attempts.begin(&other, LEAST_BYTES).expect("may be tried"));
        end(&file);
        assert!(attempts.begin(&file, LEAST_BYTES).is_none());
        assert!(attempts.begin(&other, LEAST_BYTES).is_some(), "an attempt that came to its end is forgotten");
        assert!(attempts.begin(&file, LEAST_BYTES - 1).is_some(), "small files are not noted");
    }

    #[test]
    fn one_ended_process_may_be_chance() {
        let home = m1nd_testkit::TempTree::new("");
        let attempts = Attempts::below(home.path());
        let file = ContentHash::of(b"file");
        std::mem::forget(attempts.begin(&file, LEAST_BYTES));
        drop(attempts.begin(&file, LEAST_BYTES).expect("tried again"));
        std::mem::forget(attempts.begin(&file, LEAST_BYTES));
        assert!(attempts.begin(&file, LEAST_BYTES).is_some(), "counted from the start again");
    }
}
