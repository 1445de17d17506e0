//! Decides whether a memory can be relied on.

use jiff::{Timestamp, Unit};
use m1nd_base::RepoPath;
use m1nd_memory::{HealthFacts, memory_health};
use m1nd_vfs::Root;

use crate::keep::block::{BlockFile, BlockState, block_files};
use crate::read::behind::facts;
use crate::read::load::ProjectMemory;

/// The health of a memory, and the rule that decided it.
pub(crate) fn of(memory: &ProjectMemory, now: Timestamp) -> (m1nd_memory::Health, String) {
    let files = block_files(memory);
    let hours = |since: Timestamp| now.since((Unit::Hour, since)).map_or(0, |span| span.get_hours());
    memory_health(&HealthFacts {
        block_wrong_hours: wrong_since(memory, &files).map(|since| u32::try_from(hours(since)).unwrap_or(0)),
        block_missing: files.iter().all(|file| matches!(file.state, BlockState::Absent | BlockState::None)),
        ..facts(memory)
    })
}

/// Since when the files of a project have had no block or an outdated one, judging by their times; `None` if they are
/// up to date or it is unknown.
fn wrong_since(memory: &ProjectMemory, files: &[BlockFile]) -> Option<Timestamp> {
    if !memory.is_own() {
        return None;
    }
    let is_missing = files.iter().all(|file| matches!(file.state, BlockState::Absent | BlockState::None));
    if is_missing {
        return (!memory.is_without_block()).then_some(memory.modified);
    }
    let commit = Timestamp::from_second(memory.noted.newest_commit).ok();
    let root = Root::open(&memory.path).ok();
    let of = |file: &BlockFile| {
        let path = RepoPath::new(file.path.file_name()?.to_str()?).ok()?;
        let written = Timestamp::from_nanosecond(root.as_ref()?.metadata(&path).ok()?.mtime_ns.into()).ok()?;
        // What it is made of and is newer than it; a block that only a new day made old has not been wrong for long.
        [Some(memory.modified), commit].into_iter().flatten().filter(|time| *time > written).min()
    };
    files.iter().filter(|file| file.state == BlockState::Stale).filter_map(of).min()
}
