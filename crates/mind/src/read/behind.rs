//! Whether a memory is behind its project, and the facts by which that is decided.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use m1nd_memory::{HealthFacts, SourceKind};

use crate::read::load::ProjectMemory;

/// The day of the last entry, if the project has changed long after it; `None` if the memory is up to date.
pub(crate) fn behind(memory: &ProjectMemory) -> Option<Date> {
    m1nd_memory::behind(&facts(memory))
}

/// The facts other than those of the block. The index is derived from the file on every request, so it cannot be
/// behind.
pub(crate) fn facts(memory: &ProjectMemory) -> HealthFacts {
    let day = |seconds| Timestamp::from_second(seconds).ok().map(|time| time.to_zoned(TimeZone::system()).date());
    let own = memory.records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile);
    // What is noted in commits is noted, too; a comment has no day of its own.
    let is_dated = |record: &&m1nd_memory::Record| record.source.kind == SourceKind::Commit && memory.is_told(record);
    let committed = memory.records.iter().filter(is_dated);
    // A memory in which nobody wrote yet is not behind, whatever old commits say.
    let newest = own.clone().filter_map(|record| record.date).max();
    let newest = newest.map(|own| committed.filter_map(|record| record.date).fold(own, Date::max));
    HealthFacts {
        has_file: true,
        file_bytes: memory.bytes,
        memories: own.clone().count(),
        newest_entry: newest,
        stale_after_days: memory.settings.show_stale_after_days,
        project_changed: (memory.noted.newest_commit > 0).then(|| day(memory.noted.newest_commit)).flatten(),
        today: memory.today,
        ..HealthFacts::default()
    }
}
