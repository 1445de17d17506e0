//! Whether a memory can be relied on: the facts, for the rules.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};
use m1nd_memory::{HealthFacts, SourceKind, memory_health};

use crate::memory::block::{BlockState, block_files};
use crate::memory::load::ProjectMemory;

/// How a memory is: `good`, `stale` or `empty`, and by which rule.
pub(crate) fn of(memory: &ProjectMemory, now: Timestamp) -> (m1nd_memory::Health, String) {
    let files = block_files(memory);
    let is_wrong = files.iter().any(|file| file.state == BlockState::Stale);
    let hours = now.since((Unit::Hour, memory.modified)).map_or(0, |span| span.get_hours());
    let day = |seconds| Timestamp::from_second(seconds).ok().map(|time| time.to_zoned(TimeZone::system()).date());
    let own = memory.records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile);
    memory_health(&HealthFacts {
        has_file: true,
        file_bytes: memory.bytes,
        memories: own.clone().count(),
        newest_entry: own.filter_map(|record| record.date).max(),
        project_changed: (memory.noted.newest_commit > 0).then(|| day(memory.noted.newest_commit)).flatten(),
        today: memory.today,
        block_wrong_hours: is_wrong.then(|| u32::try_from(hours).unwrap_or(0)),
        index_behind_minutes: None,
        daemon_off_days: None,
    })
}
