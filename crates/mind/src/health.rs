//! Health of a memory: collects the facts for the rules.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};
use m1nd_memory::{HealthFacts, Record, SourceKind, memory_health};

use crate::block::{BlockState, block_files, wrong_since};
use crate::load::ProjectMemory;

/// Health of a memory (`good`, `stale` or `empty`), and the rule that determines it.
pub(crate) fn of(memory: &ProjectMemory, now: Timestamp) -> (m1nd_memory::Health, String) {
    let files = block_files(memory);
    let hours = |since: Timestamp| now.since((Unit::Hour, since)).map_or(0, |span| span.get_hours());
    memory_health(&HealthFacts {
        block_wrong_hours: wrong_since(memory, &files).map(|since| u32::try_from(hours(since)).unwrap_or(0)),
        block_missing: files.iter().all(|file| matches!(file.state, BlockState::Absent | BlockState::None)),
        ..facts(memory)
    })
}

/// The day since which nothing was noted although the project went on; `None` if that is not so.
pub(crate) fn behind(memory: &ProjectMemory) -> Option<Date> {
    m1nd_memory::behind(&facts(memory))
}

/// The facts without the block. The index is derived from the file on every request, and nothing waits for the
/// daemon, so neither can be behind.
fn facts(memory: &ProjectMemory) -> HealthFacts {
    let day = |seconds| Timestamp::from_second(seconds).ok().map(|time| time.to_zoned(TimeZone::system()).date());
    let own = memory.records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile);
    // Entries in commits count as well; a comment has no date of its own.
    let is_dated = |record: &&Record| record.source.kind == SourceKind::Commit && memory.is_told(record);
    let committed = memory.records.iter().filter(is_dated);
    HealthFacts {
        has_file: true,
        file_bytes: memory.bytes,
        memories: own.clone().count(),
        newest_entry: own.chain(committed).filter_map(|record| record.date).max(),
        stale_after_days: memory.settings.show_stale_after_days,
        project_changed: (memory.noted.newest_commit > 0).then(|| day(memory.noted.newest_commit)).flatten(),
        today: memory.today,
        ..HealthFacts::default()
    }
}
