//! Content and order of each section.

use std::cmp::{Ordering, Reverse};

use jiff::Unit;
use jiff::civil::Date;

use super::neutral::neutral;
use super::{BlockHealth, BlockInput};
use crate::recall::half_life;
use crate::{Kind, NextItem, Record, Relation, RelationKind, SourceKind, Status, Tokens, sessions_since};

/// Weight of each criterion for choosing memories.
const RECENCY: f32 = 0.45;
const CONFIDENCE: f32 = 0.25;
const OVERLAP: f32 = 0.2;
const HITS: f32 = 0.1;
/// Hits from which more count no more.
const MANY_HITS: f32 = 5.0;
/// Factor for a memory in the code, which is read anyway.
const IN_SOURCE: f32 = 0.5;
/// Confidence below which a memory is left out, unless it is pinned.
const MIN_CONFIDENCE: f32 = 0.5;
/// Closed sessions after which an open issue is an open loop.
const LOOP_SESSIONS: usize = 2;
/// Age in days from which an issue in a commit is no open loop any more.
const MAX_COMMIT_DAYS: i32 = 14;
/// Fewest characters of a reason that are worth their room.
const MIN_REASON: usize = 16;
/// Minimum confidence of a relation to be shown.
const MIN_RELATION: f32 = 0.6;
/// A project's first block: where to write, and how.
const NOTHING: &str = "Nothing captured yet: write into .mind/MEMORY.md, a line each: `decided …`, `problem: …`, `fixed: …`, \
     `learned …`, `KEY: …`";
/// Shown if the project went on without its memory.
const BEHIND: &str =
    "The project changed after the newest entry: check what stands here against the code, and note what changed";
/// Tags of a stack that are named.
const MAX_STACK: usize = 12;

/// Maximum lines of each section.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) key: usize,
    pub(super) decisions: usize,
    pub(super) open_loops: usize,
    pub(super) gotchas: usize,
    pub(super) sessions: usize,
    pub(super) with_reasons: bool,
}

impl Shape {
    /// Lowers every limit to at most `most` lines.
    pub(super) fn lower(&mut self, most: usize) {
        for count in [&mut self.key, &mut self.decisions, &mut self.open_loops, &mut self.gotchas, &mut self.sessions] {
            *count = (*count).min(most);
        }
    }
}

pub(super) struct Section {
    pub(super) heading: String,
    pub(super) lines: Vec<String>,
}

/// All sections that hold something; the first one always does.
pub(super) fn all(input: &BlockInput<'_>, shape: &Shape) -> Vec<Section> {
    let chooser = Chooser::of(input);
    let mut sections = vec![memory(input)];
    let others = [
        ("Session Context", session_context(input)),
        ("Project State", project_state(input)),
        ("Key (never forget)", chooser.key(shape)),
        ("Recent Decisions", chooser.decisions(shape)),
        ("Open Loops", chooser.open_loops(shape)),
        ("Gotchas (This Stack)", gotchas(input, shape)),
        ("Session History", session_history(input, shape)),
        ("Continue From", chooser.continue_from()),
    ];
    for (heading, lines) in others.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        sections.push(Section { heading: heading.to_owned(), lines });
    }
    sections
}

fn memory(input: &BlockInput<'_>) -> Section {
    let records = input.recall.records();
    let heading = match input.health {
        BlockHealth::Active => "Memory: ✓ Active".to_owned(),
        BlockHealth::Stale { since, remedy } => {
            format!("Memory: ⚠️ Stale (since {since}; run {})", neutral(remedy, input.limits.max_line_chars / 2))
        }
    };
    let count = |of: &dyn Fn(&Record) -> bool| records.iter().filter(|record| of(record)).count();
    let counts = [
        (count(&|record| record.kind == Kind::Decision), "decision"),
        (count(&is_open), "open issue"),
        (count(&|record| record.kind == Kind::Learning), "learning"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    let mut parts = Vec::new();
    parts.extend(records.iter().filter_map(|record| record.date).max().map(|date| format!("Last captured: {date}")));
    parts.extend((!counts.is_empty()).then(|| counts.join(", ")));
    let mut lines = vec![parts.join(". ")];
    if matches!(input.health, BlockHealth::Stale { .. }) {
        lines.push(BEHIND.to_owned());
    }
    if parts.is_empty() {
        lines = vec![NOTHING.to_owned()];
        let tags = input.detected.iter().take(MAX_STACK).map(|tag| &**tag).collect::<Vec<_>>().join(", ");
        if !tags.is_empty() && input.state.stack.is_empty() {
            lines.extend(Line::new(input).plain("Made with: ").text(&tags).finish());
        }
    }
    Section { heading, lines }
}

fn session_context(input: &BlockInput<'_>) -> Vec<String> {
    let Some(last) = input.sessions.iter().max_by_key(|session| (session.date, Reverse(session.line))) else {
        return Vec::new();
    };
    let Some(summary) = last.summary.as_deref() else { return Vec::new() };
    let line = Line::new(input).plain(&format!("Last active {}: ", last.date)).text(summary);
    line.finish().into_iter().collect()
}

fn project_state(input: &BlockInput<'_>) -> Vec<String> {
    let state = input.state;
    let stack = state.stack.iter().take(MAX_STACK).map(|tag| &**tag).collect::<Vec<_>>().join(", ");
    let rows = [
        ("Goal", state.goal.as_deref().unwrap_or_default()),
        ("Stack", &stack),
        ("Blocked", state.blocked.as_deref().unwrap_or_default()),
    ];
    let filled = rows.into_iter().filter(|(_, text)| !text.trim().is_empty());
    filled.filter_map(|(name, text)| Line::new(input).plain(&format!("{name}: ")).text(text).finish()).collect()
}

fn gotchas(input: &BlockInput<'_>, shape: &Shape) -> Vec<String> {
    let own = input.gotchas.iter().map(|gotcha| (gotcha.severity, &*gotcha.title, gotcha.workaround.as_deref()));
    let mut own: Vec<_> = own.collect();
    // Stable: of equally bad ones the order of the file.
    own.sort_by_key(|(severity, ..)| Reverse(*severity));
    let others = input.stack_gotchas.iter().map(|edge| (edge.severity, &*edge.title, Some(&*edge.workaround)));
    let rows = own.into_iter().chain(others).take(shape.gotchas);
    let lines = rows.filter_map(|(_, title, workaround)| {
        let line = Line::new(input).text(title);
        let workaround = workaround.filter(|_| shape.with_reasons);
        workaround.into_iter().fold(line, |line, workaround| line.more(" -> ", workaround)).finish()
    });
    lines.collect()
}

fn session_history(input: &BlockInput<'_>, shape: &Shape) -> Vec<String> {
    let mut told: Vec<_> =
        input.sessions.iter().filter_map(|session| Some((session, session.summary.as_deref()?))).collect();
    told.sort_by_key(|(session, _)| (Reverse(session.date), session.line));
    // The newest one is in the session context, unless later work was not recorded.
    let stands_above = usize::from(!session_context(input).is_empty());
    let rows = told.into_iter().skip(stands_above).take(shape.sessions);
    let lines = rows.filter_map(|(session, summary)| {
        let line = Line::new(input).plain(&format!("{}: ", session.date)).text(summary);
        session.mood.as_deref().into_iter().fold(line, |line, mood| line.more(" | ", mood)).finish()
    });
    lines.collect()
}

fn is_open(record: &Record) -> bool {
    record.kind == Kind::Issue && record.status != Some(Status::Resolved) && record.superseded_by.is_none()
}

/// Newest first; of one day the line further down; then the identity.
fn newest(a: &Record, b: &Record) -> Ordering {
    b.date.cmp(&a.date).then(b.source.line.cmp(&a.source.line)).then(a.id.cmp(&b.id))
}

/// Ranks memories by their current value.
struct Chooser<'a> {
    input: &'a BlockInput<'a>,
    focus: Tokens,
}

impl<'a> Chooser<'a> {
    fn of(input: &'a BlockInput<'a>) -> Self {
        let mut words: Vec<&str> = input.state.goal.as_deref().into_iter().collect();
        words.extend(input.next.iter().filter(|next| next.closed_by_line.is_none()).map(|next| &*next.text));
        words.extend(input.focus);
        Self { input, focus: Tokens::of(&words.join(" ")) }
    }

    fn worth(&self, record: &Record) -> f32 {
        let recency = record.date.map_or(0.0, |date| {
            let days = (self.input.today - date).get_days().max(0) as f32;
            (-days / half_life(record.kind)).exp2()
        });
        let overlap =
            if self.focus.is_empty() { 0.0 } else { Tokens::of(&record.content).overlap(&self.focus).min(1.0) };
        let hits = self.input.hits.map_or(0.0, |hits| (hits(record.id) as f32 / MANY_HITS).min(1.0));
        let worth = RECENCY * recency + CONFIDENCE * record.confidence + OVERLAP * overlap + HITS * hits;
        worth * if record.source.kind == SourceKind::Comment { IN_SOURCE } else { 1.0 }
    }

    /// The most valuable of these memories, one of each group of duplicates.
    fn best(&self, most: usize, of: impl Fn(&Record) -> bool) -> Vec<&'a Record> {
        let records = self.input.recall.records();
        let is_shown = |record: &Record| {
            record.superseded_by.is_none() && (record.is_key || record.confidence >= MIN_CONFIDENCE) && of(record)
        };
        let shown = records.iter().enumerate().filter(|(_, record)| is_shown(record));
        let mut ranked: Vec<(usize, f32)> = shown.map(|(number, record)| (number, self.worth(record))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| newest(&records[a.0], &records[b.0])));
        let mut chosen: Vec<usize> = Vec::new();
        for (number, _) in ranked {
            if chosen.len() >= most {
                break;
            }
            if !chosen.iter().any(|other| self.input.recall.is_same(*other, number)) {
                chosen.push(number);
            }
        }
        let mut chosen: Vec<&Record> = chosen.into_iter().map(|number| &records[number]).collect();
        chosen.sort_by(|a, b| newest(a, b));
        chosen
    }

    fn key(&self, shape: &Shape) -> Vec<String> {
        let key = self.best(shape.key, |record| record.is_key && record.status != Some(Status::Resolved));
        let tag = |record: &Record| match record.kind {
            Kind::Decision => "[D] ",
            Kind::Issue => "[I] ",
            Kind::Learning => "[L] ",
            Kind::Gotcha => "[G] ",
        };
        key.into_iter().filter_map(|record| Line::new(self.input).plain(tag(record)).record(record).finish()).collect()
    }

    fn decisions(&self, shape: &Shape) -> Vec<String> {
        let decisions = self.best(shape.decisions, |record| record.kind == Kind::Decision && !record.is_key);
        let lines = decisions.into_iter().filter_map(|record| {
            let mut line = Line::new(self.input).record(record).date(record.date);
            if let Some(reason) = record.reasoning.as_deref().filter(|_| shape.with_reasons) {
                line = line.more(" - ", reason);
            }
            line.finish()
        });
        lines.collect()
    }

    /// One of each kind in turn: issues, next steps, decisions to review.
    fn open_loops(&self, shape: &Shape) -> Vec<String> {
        let mut kinds = [self.open_issues(shape.open_loops), self.list_unstarted(), self.to_review(shape.open_loops)]
            .map(Vec::into_iter);
        let mut lines = Vec::new();
        while lines.len() < shape.open_loops {
            let before = lines.len();
            for kind in &mut kinds {
                lines.extend(kind.next());
            }
            if lines.len() == before {
                break;
            }
        }
        lines.truncate(shape.open_loops);
        lines
    }

    /// Whether a memory stands in a commit of long ago: nobody goes back to a message to say that its problem is
    /// solved.
    fn is_of_old_commit(&self, record: &Record) -> bool {
        let today = self.input.today;
        let is_old = |date: Date| today.since((Unit::Day, date)).is_ok_and(|age| age.get_days() > MAX_COMMIT_DAYS);
        record.source.kind == SourceKind::Commit && record.date.is_some_and(is_old)
    }

    /// Blocked ones and those that stayed open for some sessions first.
    fn open_issues(&self, most: usize) -> Vec<String> {
        let mut issues = self.best(most, |record| is_open(record) && !record.is_key && !self.is_of_old_commit(record));
        let is_fresh = |record: &Record| {
            let since = record.date.map_or(0, |date| sessions_since(self.input.sessions, date));
            record.status != Some(Status::Blocked) && since < LOOP_SESSIONS
        };
        issues.sort_by_key(|record| is_fresh(record));
        let name = |record: &Record| if record.status == Some(Status::Blocked) { "Blocked: " } else { "Issue: " };
        let line = |record: &Record| {
            let line = Line::new(self.input).plain(name(record)).record(record).date(record.date);
            self.cause(record).into_iter().fold(line, |line, cause| line.more(" <- ", cause)).finish()
        };
        issues.into_iter().filter_map(line).collect()
    }

    /// The title of the memory that this one comes from, where its own title does not say so.
    fn cause(&self, record: &Record) -> Option<&'a str> {
        let caused = |relation: &&Relation| match relation.kind {
            RelationKind::CausedBy | RelationKind::BlockedBy => relation.from == record.id,
            RelationKind::LeadsTo | RelationKind::Blocks => relation.to == record.id,
            _ => false,
        };
        let sure = self.input.relations.iter().filter(|relation| relation.confidence >= MIN_RELATION);
        let relation = sure.filter(caused).max_by(|a, b| a.confidence.total_cmp(&b.confidence))?;
        let other = if relation.from == record.id { relation.to } else { relation.from };
        let cause = self.input.recall.records().iter().find(|known| known.id == other)?;
        let is_said = Tokens::of(&cause.title).is_within(&Tokens::of(&record.title));
        (!is_said && cause.source.kind == SourceKind::MemoryFile).then_some(&*cause.title)
    }

    /// Planned steps that were not started, without the newest plan, which is where to continue.
    fn list_unstarted(&self) -> Vec<String> {
        let plans = self.plans();
        let line =
            |next: &&NextItem| Line::new(self.input).plain("Not started: ").text(&next.text).date(next.date).finish();
        plans.iter().skip(1).filter_map(line).collect()
    }

    fn plans(&self) -> Vec<&'a NextItem> {
        let mut plans: Vec<&NextItem> = self.input.next.iter().filter(|next| next.closed_by_line.is_none()).collect();
        plans.sort_by_key(|next| (Reverse(next.date), Reverse(next.line)));
        plans
    }

    fn to_review(&self, most: usize) -> Vec<String> {
        let is_due = |record: &Record| {
            let date = record.date.filter(|_| record.kind == Kind::Decision);
            date.is_some_and(|date| {
                let days = record.markers.iter().filter_map(|marker| marker.review_after(date));
                days.min().is_some_and(|day| day <= self.input.today)
            })
        };
        let line =
            |record: &Record| Line::new(self.input).plain("Still valid? ").record(record).date(record.date).finish();
        self.best(most, is_due).into_iter().filter_map(line).collect()
    }

    fn continue_from(&self) -> Vec<String> {
        let records = self.input.recall.records().iter();
        let last = records
            .filter(|record| {
                record.date.is_some() && record.source.kind == SourceKind::MemoryFile && record.superseded_by.is_none()
            })
            .min_by(|a, b| newest(a, b));
        let topic = last.and_then(|record| Line::new(self.input).plain("Last topic: ").record(record).finish());
        let plan =
            self.plans().first().and_then(|next| Line::new(self.input).plain("Next: ").text(&next.text).finish());
        topic.into_iter().chain(plan).collect()
    }
}

/// A bullet that never gets longer than a line may be.
struct Line {
    out: String,
    max: usize,
    /// Whether a non-empty text became empty.
    is_empty: bool,
}

impl Line {
    fn new(input: &BlockInput<'_>) -> Self {
        Self { out: "- ".to_owned(), max: input.limits.max_line_chars, is_empty: true }
    }

    fn room(&self) -> usize {
        self.max.saturating_sub(self.out.chars().count())
    }

    /// Words of our own.
    fn plain(mut self, text: &str) -> Self {
        self.out.push_str(text);
        self
    }

    /// A text of the project's people.
    fn text(self, text: &str) -> Self {
        let room = self.room();
        self.text_within(text, room)
    }

    fn text_within(mut self, text: &str, room: usize) -> Self {
        let text = neutral(text, room);
        self.is_empty &= text.is_empty();
        self.out.push_str(&text);
        self
    }

    /// The title of a memory. Text from comments and commits is quoted, with its file.
    fn record(self, record: &Record) -> Self {
        /// Characters of a date in brackets, which follows.
        const DATE: usize = 13;
        let room = self.room().saturating_sub(DATE);
        match record.source.kind {
            SourceKind::MemoryFile | SourceKind::Archive => self.text_within(&record.title, room),
            SourceKind::Comment | SourceKind::Commit => {
                let file = neutral(&record.source.file, room / 2);
                let label = format!("“ ({file}): ").chars().count();
                let plain = self.plain(&format!("({file}) “"));
                plain.text_within(&record.title, room.saturating_sub(label)).plain("”")
            }
        }
    }

    fn date(mut self, date: Option<Date>) -> Self {
        let date = date.map(|date| format!(" ({date})"));
        if let Some(date) = date.filter(|date| date.chars().count() <= self.room()) {
            self.out.push_str(&date);
        }
        self
    }

    /// A further text, if there is room for something of it.
    fn more(mut self, separator: &str, text: &str) -> Self {
        let room = self.room().saturating_sub(separator.chars().count());
        let text = if room >= MIN_REASON { neutral(text, room) } else { String::new() };
        if !text.is_empty() {
            self.out.push_str(separator);
            self.out.push_str(&text);
        }
        self
    }

    fn finish(self) -> Option<String> {
        (!self.is_empty && self.out.chars().count() <= self.max).then_some(self.out)
    }
}
