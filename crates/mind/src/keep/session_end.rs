//! The end of a session whose notes (`.mind/SESSION.md`) were left: what is worth to outlive it goes to the archive,
//! and the next session starts with an empty page. The notes as they were are kept once more.

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use m1nd_base::RepoPath;
use m1nd_memory::{SESSION_RULE, mentions};
use m1nd_store::SharedFolder;
use m1nd_vfs::{Root, VfsError};

use crate::files::project::{MEMORY_FILE, SESSION_FILE, index_folder};
use crate::read::load::{ProjectMemory, user_settings};
use crate::{MemoryError, files::own_files, read::sessions};

/// The notes of a session that has not begun.
const EMPTY: &str = "# Session\n\n## Experience\n\n## Blockers\n\n## Rejected\n\n## Assumptions\n";

/// Ends the session of a project if there are notes of one and nothing has happened for as long as a session may be
/// silent.
/// `true` if it did.
///
/// # Errors
/// [`MemoryError::Files`] or [`MemoryError::Store`]; then the notes stay, at most what outlives them stands in the
/// archive.
pub(crate) fn end(project: &Path, home: &SharedFolder, now: Timestamp) -> Result<bool, MemoryError> {
    let root = Root::open(project)?;
    let changed = |file: &str| -> Result<Option<i64>, MemoryError> {
        let path = RepoPath::new(file).map_err(|error| MemoryError::Invalid(error.to_string()))?;
        match root.metadata(&path) {
            Ok(data) => Ok(Some(data.mtime_ns / 1_000_000_000)),
            Err(VfsError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    let Some(noted) = changed(SESSION_FILE)? else { return Ok(false) };
    let silence = sessions::gap_seconds(&user_settings(home).0);
    let last = changed(MEMORY_FILE)?.unwrap_or(noted).max(noted);
    if now.as_second() - last < silence {
        return Ok(false);
    }
    let memory = ProjectMemory::read(project, home)?;
    let touched = memory.noted.touched.values().copied().max().unwrap_or_default();
    if memory.notes.is_empty() || now.as_second() - touched < silence {
        return Ok(false);
    }
    // Somebody else does it already.
    let Some(_lock) = index_folder(project)?.try_hold(own_files::LOCK)? else { return Ok(false) };
    let text = own_files::read(project, SESSION_FILE)?;
    let day = Timestamp::from_second(noted).unwrap_or(now).to_zoned(TimeZone::system()).date();
    let lines = outliving(&memory);
    if !lines.is_empty() {
        let section = format!("## {day} | notes of a session\n\n{lines}\n");
        own_files::append(project, day.year(), &section)?;
    }
    own_files::replace(project, SESSION_FILE, &text, EMPTY)?;
    Ok(true)
}

/// Lines of the notes that outlive the session: approaches that were rejected with a reason and are not known yet,
/// and experience that names code.
fn outliving(memory: &ProjectMemory) -> String {
    let mut lines = String::new();
    for record in memory.records.iter().filter(|record| &*record.rule == SESSION_RULE) {
        let (what, why) = (record.alternatives.first(), record.reasoning.as_deref());
        if let (Some(what), Some(why)) = (what, why) {
            lines += &format!("- Decided against {what} because {why}\n");
        }
    }
    for note in memory.notes.experience.iter().filter(|note| !mentions(&note.text).is_empty()) {
        let why = note.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        lines += &format!("- Learned: {}{why}\n", note.text);
    }
    lines
}
