//! Health of a project's memory.

use jiff::civil::Date;
use jiff::{Span, Unit};
use m1nd_base::count;
use serde::{Deserialize, Serialize};

/// An entry older than this is old, where the project went on, in days.
pub const STALE_AFTER_DAYS: u32 = 14;
/// Maximum days between the newest entry and the newest change of a project; more mean that it went on without
/// memory.
const MAX_DAYS_BEHIND: i32 = 1;
/// A block may differ from a fresh one for so long, in hours.
const MAX_BLOCK_HOURS: u32 = 24;
/// The index may be older than the file by so much, in minutes.
const MAX_INDEX_MINUTES: u32 = 10;
/// The daemon may be off for so long, in days.
const MAX_DAEMON_OFF_DAYS: u32 = 2;
/// A larger memory file is to be archived, in bytes.
pub const LARGE_FILE_BYTES: u64 = 100_000;

/// Health of a project's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// Up to date.
    Good,
    /// The project or the file went on without it.
    Stale,
    /// There is nothing.
    Empty,
}

impl Health {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Stale => "stale",
            Self::Empty => "empty",
        }
    }
}

/// Facts about a project's memory. `None` means unknown or not applicable, and is no reason for a bad state.
#[derive(Clone, Copy, Debug)]
pub struct HealthFacts {
    /// Whether there is a memory file.
    pub has_file: bool,
    /// Its size in bytes.
    pub file_bytes: u64,
    /// Memories and gotchas in it that are sure enough.
    pub memories: usize,
    /// The day of its newest entry.
    pub newest_entry: Option<Date>,
    /// Days after which that entry is old where the project went on.
    pub stale_after_days: u32,
    /// The day of the newest commit or change of a watched file.
    pub project_changed: Option<Date>,
    /// Today.
    pub today: Date,
    /// For how many hours the context block has been missing or different from a fresh one.
    pub block_wrong_hours: Option<u32>,
    /// Whether it is missing, where it is wrong.
    pub block_missing: bool,
    /// By how many minutes the index is older than the file.
    pub index_behind_minutes: Option<u32>,
    /// For how many days the daemon has been off, where it was ever started.
    pub daemon_off_days: Option<u32>,
}

impl Default for HealthFacts {
    fn default() -> Self {
        Self {
            has_file: false,
            file_bytes: 0,
            memories: 0,
            newest_entry: None,
            stale_after_days: STALE_AFTER_DAYS,
            project_changed: None,
            today: Date::default(),
            block_wrong_hours: None,
            block_missing: false,
            index_behind_minutes: None,
            daemon_off_days: None,
        }
    }
}

/// The day of the newest entry, where that is old and the project changed after it.
#[must_use]
pub fn behind(facts: &HealthFacts) -> Option<Date> {
    let (newest, changed) = (facts.newest_entry?, facts.project_changed?);
    let is_old = days(newest, facts.today) > i32::try_from(facts.stale_after_days).unwrap_or(i32::MAX);
    (is_old && days(newest, changed) > MAX_DAYS_BEHIND).then_some(newest)
}

/// The health of a project's memory, and the rule that determines it.
#[must_use]
pub fn memory_health(facts: &HealthFacts) -> (Health, String) {
    if !facts.has_file {
        return (Health::Empty, "no .mind/MEMORY.md".to_owned());
    }
    if facts.memories == 0 {
        return (Health::Empty, "no memory in .mind/MEMORY.md yet".to_owned());
    }
    if let Some(reason) = stale(facts) {
        return (Health::Stale, reason);
    }
    let is_large = facts.file_bytes > LARGE_FILE_BYTES;
    let advice =
        if is_large { format!("; {} kB, archive old entries", facts.file_bytes / 1_000) } else { String::new() };
    let newest = facts.newest_entry.map(|day| format!(", the newest of {day}")).unwrap_or_default();
    (Health::Good, format!("{}{newest}{advice}", count(facts.memories, "memory")))
}

fn stale(facts: &HealthFacts) -> Option<String> {
    if let (Some(newest), Some(changed)) = (behind(facts), facts.project_changed) {
        let age = in_words(days(newest, facts.today).unsigned_abs(), "day");
        return Some(format!("the newest entry is {age} old, the project changed on {changed}"));
    }
    if let Some(hours) = facts.block_wrong_hours.filter(|hours| *hours > MAX_BLOCK_HOURS) {
        if facts.block_missing {
            return Some("no file has the context block; run `mind context --regenerate`".to_owned());
        }
        return Some(format!("the context block has been out of date for {}", in_words(hours, "hour")));
    }
    if let Some(minutes) = facts.index_behind_minutes.filter(|minutes| *minutes > MAX_INDEX_MINUTES) {
        return Some(format!("the index is {} older than the file", in_words(minutes, "minute")));
    }
    let off = facts.daemon_off_days.filter(|days| *days >= MAX_DAEMON_OFF_DAYS)?;
    Some(format!("the daemon has been off for {}", in_words(off, "day")))
}

fn in_words(number: u32, unit: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), unit)
}

fn days(from: Date, to: Date) -> i32 {
    let span: Result<Span, _> = from.until((Unit::Day, to));
    span.map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn the_rules_of_health() {
        let good = HealthFacts {
            has_file: true,
            memories: 3,
            newest_entry: Some(date(2025, 1, 1)),
            project_changed: Some(date(2025, 1, 1)),
            today: date(2025, 1, 10),
            ..HealthFacts::default()
        };
        let late = HealthFacts { today: date(2025, 3, 1), ..good };
        let cases = [
            (good, Health::Good),
            (HealthFacts { has_file: false, ..good }, Health::Empty),
            (HealthFacts { memories: 0, ..good }, Health::Empty),
            // A project that sleeps is not stale.
            (late, Health::Good),
            (HealthFacts { project_changed: Some(date(2025, 1, 2)), ..late }, Health::Good),
            (HealthFacts { project_changed: Some(date(2025, 1, 3)), ..late }, Health::Stale),
            (HealthFacts { project_changed: Some(date(2025, 1, 3)), stale_after_days: 90, ..late }, Health::Good),
            (HealthFacts { project_changed: Some(date(2025, 1, 9)), ..good }, Health::Good),
            (HealthFacts { newest_entry: None, ..late }, Health::Good),
            (HealthFacts { block_wrong_hours: Some(24), ..good }, Health::Good),
            (HealthFacts { block_wrong_hours: Some(25), ..good }, Health::Stale),
            (HealthFacts { block_wrong_hours: Some(25), block_missing: true, ..good }, Health::Stale),
            (HealthFacts { index_behind_minutes: Some(11), ..good }, Health::Stale),
            (HealthFacts { daemon_off_days: Some(2), ..good }, Health::Stale),
            (HealthFacts { daemon_off_days: Some(1), ..good }, Health::Good),
        ];
        for (facts, expected) in cases {
            let (health, reason) = memory_health(&facts);
            assert_eq!(health, expected, "{reason}");
            assert!(!reason.is_empty());
        }
        assert!(memory_health(&HealthFacts { file_bytes: 200_000, ..good }).1.contains("archive"));
        let said = |facts: HealthFacts| memory_health(&facts).1;
        assert_eq!(said(HealthFacts { memories: 1, newest_entry: None, ..good }), "1 memory");
        assert_eq!(said(HealthFacts { memories: 2, newest_entry: None, ..good }), "2 memories");
    }
}
