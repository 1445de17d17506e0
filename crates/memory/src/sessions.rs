//! Sessions of work: days of a memory file, and stretches of live activity.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::overlap::{SAME_THING, Tokens};
use crate::{Kind, Record, Status};

/// Silence that ends a live session, in minutes.
pub const INACTIVITY_MINUTES: u32 = 30;
/// A session of at least so many minutes is significant.
pub const SIGNIFICANT_MINUTES: u32 = 30;

/// One session that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its day.
    pub date: Date,
    /// 1-based line of its heading; 0 for a live one.
    pub line: u32,
    /// What happened, where the heading says so.
    pub summary: Option<Box<str>>,
    /// How it was, where the heading says so.
    pub mood: Option<Box<str>>,
    /// Minutes from its first to its last activity; `None` for a day of a file, which has no times.
    pub duration_minutes: Option<u32>,
    /// Memories written in it.
    pub entries: u32,
    /// Decisions among them.
    pub decisions: u32,
    /// Issues met.
    pub issues_opened: u32,
    /// Issues solved.
    pub issues_resolved: u32,
    /// Learnings among them.
    pub learnings: u32,
    /// Files changed in it.
    pub files_touched: u32,
}

impl Session {
    pub(crate) fn of_day(date: Date, line: u32, summary: Option<Box<str>>, mood: Option<Box<str>>) -> Self {
        Self {
            date,
            line,
            summary,
            mood,
            duration_minutes: None,
            entries: 0,
            decisions: 0,
            issues_opened: 0,
            issues_resolved: 0,
            learnings: 0,
            files_touched: 0,
        }
    }

    /// Whether it is worth to be told of: half an hour, two decisions, two learnings or a solved issue.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.duration_minutes.is_some_and(|minutes| minutes >= SIGNIFICANT_MINUTES)
            || self.decisions >= 2
            || self.learnings >= 2
            || self.issues_resolved >= 1
    }

    pub(crate) fn count(&mut self, record: &Record) {
        self.entries += 1;
        match (record.kind, record.status) {
            (Kind::Decision, _) => self.decisions += 1,
            (Kind::Issue, Some(Status::Resolved)) if record.resolved_by_line.is_none() => self.issues_resolved += 1,
            (Kind::Issue, _) => self.issues_opened += 1,
            (Kind::Learning, _) => self.learnings += 1,
            (Kind::Gotcha, _) => {}
        }
    }
}

/// How many closed sessions began after a day: "n sessions ago" for what was last said on it.
#[must_use]
pub fn sessions_since(sessions: &[Session], day: Date) -> usize {
    sessions.iter().filter(|session| session.date > day).count()
}

/// Stretches of activity with no silence longer than `gap` between two moments. `moments` are seconds of any clock, in any
/// order; each stretch is its first and last moment.
#[must_use]
pub fn stretches(moments: &[i64], gap_seconds: i64) -> Vec<(i64, i64)> {
    let mut sorted = moments.to_vec();
    sorted.sort_unstable();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for moment in sorted {
        match found.last_mut() {
            Some(last) if moment.saturating_sub(last.1) <= gap_seconds => last.1 = moment,
            _ => found.push((moment, moment)),
        }
    }
    found
}

/// Something that was to be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextItem {
    /// What.
    pub text: Box<str>,
    /// 1-based line.
    pub line: u32,
    /// The day it was written.
    pub date: Option<Date>,
    /// The line by which it was begun or a newer plan took its place; `None` while it is not begun.
    pub closed_by_line: Option<u32>,
}

impl NextItem {
    /// Whether a later text or the path of a touched file speaks of it.
    #[must_use]
    pub fn is_touched_by(&self, text: &str) -> bool {
        Tokens::of(&self.text).overlap(&Tokens::of(text)) >= SAME_THING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_parts_stretches() {
        assert_eq!(stretches(&[10, 0, 100, 105], 30), [(0, 10), (100, 105)]);
        assert_eq!(stretches(&[], 30), []);
        assert_eq!(stretches(&[i64::MIN, i64::MAX], 30).len(), 2);
    }
}
