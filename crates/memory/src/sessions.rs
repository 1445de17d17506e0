//! Sessions of work: days of a memory file, and periods of live activity.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::overlap::{SAME_THING, Tokens};
use crate::{Kind, Record, Status};

/// Silence that ends a live session, in minutes.
pub const INACTIVITY_MINUTES: u32 = 30;
/// Silence between commits that parts sessions, in seconds.
pub const COMMIT_GAP_SECONDS: i64 = 2 * 60 * 60;

/// One session that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its day.
    pub date: Date,
    /// 1-based line of its heading; 0 for a live one.
    pub line: u32,
    /// Summary, if the heading contains one.
    pub summary: Option<Box<str>>,
    /// Mood, if the heading contains one.
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

/// Number of closed sessions since a day: "n sessions ago" for its last mention.
#[must_use]
pub fn sessions_since(sessions: &[Session], day: Date) -> usize {
    sessions.iter().filter(|session| session.date > day).count()
}

/// Stretches of activity with no silence longer than `gap` between two moments. `moments` are seconds of any clock,
/// in any order; each stretch is its first and last moment.
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

/// A memory and when it was first seen or committed, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    /// When.
    pub at: i64,
    /// Its day in the project's zone.
    pub day: Date,
    /// The record.
    pub record: &'a Record,
}

/// A session with its times, where they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// The session.
    pub session: Session,
    /// Its first and last moment; `None` for a day of a file.
    pub span: Option<(i64, i64)>,
}

impl Worked {
    /// Returns whether it is over: nothing happened for `gap_seconds` before `now`.
    #[must_use]
    pub fn is_closed(&self, now: i64, gap_seconds: i64) -> bool {
        self.span.is_none_or(|(_, end)| now.saturating_sub(end) > gap_seconds)
    }
}

/// All sessions of a project, oldest first. `live` are the memories that were seen within moments of being written:
/// silences longer than `gap_seconds` part them. `commits` are the memories of commits, parted by
/// [`COMMIT_GAP_SECONDS`]; they count on days about which nothing better is known. `days` are those of the memory
/// file: one that was lived through gives its summary to the last session of that day and is none of its own.
#[must_use]
pub fn list_worked(days: &[Session], live: &[Capture<'_>], commits: &[Capture<'_>], gap_seconds: i64) -> Vec<Worked> {
    let mut found = split_sessions(live, gap_seconds);
    for day in days {
        let same_day = found.iter_mut().filter(|worked| worked.span.is_some() && worked.session.date == day.date);
        match same_day.last() {
            Some(last) => {
                last.session.line = day.line;
                last.session.summary.clone_from(&day.summary);
                last.session.mood.clone_from(&day.mood);
            }
            None => found.push(Worked { session: day.clone(), span: None }),
        }
    }
    let committed = split_sessions(commits, COMMIT_GAP_SECONDS);
    let is_new = |worked: &Worked| found.iter().all(|known| known.session.date != worked.session.date);
    let committed: Vec<Worked> = committed.into_iter().filter(is_new).collect();
    found.extend(committed);
    found.sort_by_key(|worked| (worked.session.date, worked.span, worked.session.line));
    found
}

/// One session for each stretch without a silence longer than the gap.
fn split_sessions(captures: &[Capture<'_>], gap_seconds: i64) -> Vec<Worked> {
    let moments: Vec<i64> = captures.iter().map(|capture| capture.at).collect();
    let session = |(start, end): (i64, i64)| {
        let within = captures.iter().filter(|capture| (start..=end).contains(&capture.at));
        let day = within.clone().map(|capture| capture.day).min()?;
        let mut session = Session::of_day(day, 0, None, None);
        session.duration_minutes = u32::try_from((end - start) / 60).ok();
        within.for_each(|capture| session.count(capture.record));
        Some(Worked { session, span: Some((start, end)) })
    };
    stretches(&moments, gap_seconds).into_iter().filter_map(session).collect()
}

/// Something that was to be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextItem {
    /// Its text.
    pub text: Box<str>,
    /// 1-based line.
    pub line: u32,
    /// The day it was written.
    pub date: Option<Date>,
    /// The line by which it was begun or a newer plan took its place; `None` while it is not begun.
    pub closed_by_line: Option<u32>,
}

impl NextItem {
    /// Returns whether a later text or the path of a touched file refers to it.
    #[must_use]
    pub fn is_touched_by(&self, text: &str) -> bool {
        Tokens::of(&self.text).overlap(&Tokens::of(text)) >= SAME_THING
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordId, Source, SourceKind};

    #[test]
    fn sessions_of_captures_days_and_commits() {
        let day = |text: &str| -> Date { text.parse().expect("a day") };
        let source = || Source { kind: SourceKind::MemoryFile, file: "MEMORY.md".into(), line: 1 };
        let record = |number, kind| Record::new(RecordId(number), kind, "x", source());
        let (decision, learning) = (record(1, Kind::Decision), record(2, Kind::Learning));
        let live = [
            Capture { at: 1_000, day: day("2026-05-02"), record: &decision },
            Capture { at: 2_500, day: day("2026-05-02"), record: &learning },
            Capture { at: 9_000, day: day("2026-05-02"), record: &learning },
        ];
        let commits = [
            Capture { at: 100, day: day("2026-05-02"), record: &decision },
            Capture { at: 90_000, day: day("2026-05-04"), record: &decision },
            Capture { at: 94_000, day: day("2026-05-04"), record: &learning },
        ];
        let days = [
            Session::of_day(day("2026-05-01"), 3, Some("began".into()), None),
            Session::of_day(day("2026-05-02"), 9, Some("jam".into()), None),
        ];
        let all = list_worked(&days, &live, &commits, 1_800);
        let shown: Vec<_> = all
            .iter()
            .map(|worked| {
                let session = &worked.session;
                let counts = (session.decisions, session.learnings);
                (session.date.day(), worked.span, session.summary.as_deref(), session.duration_minutes, counts)
            })
            .collect();
        let expected = [
            (1, None, Some("began"), None, (0, 0)),
            (2, Some((1_000, 2_500)), None, Some(25), (1, 1)),
            (2, Some((9_000, 9_000)), Some("jam"), Some(0), (0, 1)),
            (4, Some((90_000, 94_000)), None, Some(66), (1, 1)),
        ];
        assert_eq!(shown, expected);
        let closed = |now| all.iter().filter(|worked| worked.is_closed(now, 1_800)).count();
        assert_eq!((closed(9_000), closed(95_000), closed(96_000)), (2, 3, 4));
        assert_eq!(list_worked(&days, &[], &[], 1_800).len(), 2);
    }

    #[test]
    fn silence_parts_stretches() {
        assert_eq!(stretches(&[10, 0, 100, 105], 30), [(0, 10), (100, 105)]);
        assert_eq!(stretches(&[], 30), []);
        assert_eq!(stretches(&[i64::MIN, i64::MAX], 30).len(), 2);
    }
}
