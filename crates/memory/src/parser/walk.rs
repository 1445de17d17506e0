//! Goes through the lines of a memory file: which section and day each is in, and what it says.

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use jiff::civil::Date;
use memchr::memmem::Finder;

use super::cues::{self, Hit, Strength};
use super::draft::{self, Draft, MIN_TITLE_CHARS, is_placeholder, trim_title};
use super::gotcha_bullets::{self, GotchaBullet};
use super::markdown::{Line, Shape};
use super::sentence::{MAX_WORDS, Sentence, Word, sentences, words_in};
use super::timeline::{Origin, Titles, assemble};
use super::words::{label, reason};
use super::{MAX_PROBLEMS, MAX_RECORDS, ParseContext, ParseProblem, Parsed, dates};
use crate::sessions::{NextItem, Session};
use crate::{Kind, Record, RecordId, Source, Status};

/// How sure a bullet of the Gotchas section is.
const GOTCHA_CONFIDENCE: f32 = 0.9;
/// `Next:` items kept of one text.
const MAX_NEXT_ITEMS: usize = 1_000;
/// Gotchas kept of one text.
const MAX_GOTCHAS: usize = 2_000;
/// `Next:` items that can be open at once; those before count as replaced.
const MAX_OPEN_NEXT_ITEMS: usize = 20;
/// Lines looked at for what closes a `Next:` item.
const MAX_LINES_AFTER_NEXT: usize = 2_000;

/// Stands in the head of a file that was made from the template.
static TEMPLATE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("MIND MEMORY"));

/// A line, and its words once they were asked for: those of the next line are looked at twice.
struct Read<'l> {
    line: &'l Line,
    words: OnceCell<Vec<Word<'l>>>,
    /// Room for the words.
    room: Cell<Vec<Word<'l>>>,
}

impl<'l> Read<'l> {
    fn new(line: &'l Line, room: Vec<Word<'l>>) -> Self {
        Self { line, words: OnceCell::new(), room: Cell::new(room) }
    }

    fn words(&self) -> &[Word<'l>] {
        self.words.get_or_init(|| words_in(&self.line.mask, self.room.take()))
    }

    fn into_room(self) -> Vec<Word<'l>> {
        self.words.into_inner().unwrap_or_else(|| self.room.into_inner())
    }
}

/// What the lines below a heading are.
#[derive(Clone, Copy)]
enum Section {
    Prose,
    State,
    Gotchas,
    /// Items are memories of one kind.
    Items(Hit),
}

/// How the lines of a terminal begin in which something was typed.
const PROMPTS: &[&str] = &["$ ", ">>> ", "❯ ", "➜ ", "PS C:", "C:\\>", "mysql> ", "postgres=# "];

/// Whether a line was taken from a terminal: a command says nothing of the project.
fn is_typed(line: &str) -> bool {
    PROMPTS.iter().any(|prompt| line.starts_with(prompt))
}

struct Walk<'c> {
    context: &'c ParseContext<'c>,
    section: Section,
    section_level: u8,
    day: Option<Date>,
    day_level: u8,
    /// What a label on a line of its own makes of the lines below it.
    label: Option<(Hit, u32)>,
    /// The line of a `Next:` without text, for the items below it.
    next_label: Option<u32>,
    drafts: Vec<Draft>,
    gotchas: Vec<(GotchaBullet, Option<Date>)>,
    out: Parsed,
}

/// Everything but relations and figures; the titles are those of the first records.
pub(super) fn walk(lines: &[Line], context: &ParseContext<'_>, problems: Vec<ParseProblem>) -> (Parsed, Titles) {
    let mut walk = Walk {
        context,
        section: Section::Prose,
        section_level: 0,
        day: None,
        day_level: 0,
        label: None,
        next_label: None,
        drafts: Vec::new(),
        gotchas: Vec::new(),
        out: Parsed { problems, ..Parsed::default() },
    };
    let mut lines_left = lines.iter();
    let mut next = lines_left.next().map(|line| Read::new(line, Vec::new()));
    let mut room = Vec::new();
    while let Some(line) = next {
        next = lines_left.next().map(|next| Read::new(next, std::mem::take(&mut room)));
        walk.line(&line, next.as_ref());
        room = line.into_room();
    }
    walk.finish(lines)
}

impl Walk<'_> {
    fn line(&mut self, read: &Read<'_>, next: Option<&Read<'_>>) {
        match read.line.shape {
            Shape::Break => {
                if matches!(self.section, Section::Gotchas | Section::Items(_)) {
                    self.section = Section::Prose;
                }
                self.label = None;
                self.next_label = None;
            }
            Shape::Heading(level) => self.heading(read, level),
            Shape::Item(_) | Shape::Text => self.text(read, next),
        }
    }

    fn heading(&mut self, read: &Read<'_>, level: u8) {
        let line = read.line;
        self.label = None;
        self.next_label = None;
        if let Some((day, rest)) = dates::leading_day(&line.shown, self.context.today) {
            return self.start_day(day, level, line.number, rest);
        }
        if level <= self.day_level {
            self.day = None;
            self.day_level = 0;
        }
        let section = section(&line.mask);
        if level <= self.section_level || !matches!(section, Section::Prose) || matches!(self.section, Section::State) {
            self.section = section;
            self.section_level = level;
        }
        // The title of the file is no entry, nor is a line of a session.
        if level > 1 && !line.shown.contains('|') {
            self.entries(read, None, Strength::Labels);
        }
    }

    fn start_day(&mut self, day: Date, level: u8, line: u32, rest: &str) {
        self.section = Section::Prose;
        self.section_level = level;
        self.day = Some(day);
        self.day_level = level;
        let (mut summary, mut mood) = (None, None);
        for part in rest.split('|').map(str::trim).filter(|part| !part.is_empty()) {
            match part.split_once(':') {
                Some((name, value)) if name.trim().eq_ignore_ascii_case("mood") => mood = Some(value.trim().into()),
                _ if summary.is_none() => summary = Some(part.into()),
                _ => {}
            }
        }
        self.out.sessions.push(Session::of_day(day, line, summary, mood));
    }

    fn text(&mut self, read: &Read<'_>, next: Option<&Read<'_>>) {
        let line = read.line;
        let shown = line.shown.trim();
        if let Some((day, rest)) = dates::divider_day(shown, self.context.today) {
            const DIVIDER_LEVEL: u8 = 2;
            self.label = None;
            return self.start_day(day, DIVIDER_LEVEL, line.number, rest);
        }
        if shown.starts_with("Keywords:") || TEMPLATE.find(shown.as_bytes()).is_some() || is_typed(shown) {
            return;
        }
        match (self.section, line.shape) {
            (Section::State, _) if self.out.project_state.read(shown) => return,
            (Section::Gotchas, Shape::Item(depth)) => return self.gotcha(line, depth),
            _ => {}
        }
        if self.next_items(line, read.words()) {
            return;
        }
        let found = self.entries(read, next, Strength::All);
        if !found {
            self.below_a_label(line, read.words());
        }
    }

    /// The memories of a line; whether there was one.
    fn entries(&mut self, read: &Read<'_>, next: Option<&Read<'_>>, strength: Strength) -> bool {
        let (line, words) = (read.line, read.words());
        if words.len() >= MAX_WORDS {
            self.problem(line.number, format!("a line of more than {MAX_WORDS} words; the rest of it is not read"));
        }
        let sentences = sentences(line, words);
        let before = self.drafts.len();
        for (index, mut draft) in draft::drafts(&sentences, strength) {
            let is_last = index + 1 == sentences.len();
            if draft.reasoning.is_none()
                && is_last
                && let Some(reason) = next.and_then(|next| reason_below(line, next))
            {
                let more = if draft.kind == Kind::Decision { 0.2 } else { 0.1 };
                draft.confidence = (draft.confidence + more).min(1.0);
                draft.reasoning = Some(reason);
            }
            self.push(draft);
        }
        // What only says that a known issue is back may still be text below a label.
        let found = self.drafts[before..].iter().any(|draft| !draft.role.needs_another());
        if let [sentence] = sentences.as_slice()
            && !found
            && let Some(hit) = cues::bare_label(sentence)
        {
            self.label = Some((hit, line.last_number()));
            return true;
        }
        found
    }

    fn push(&mut self, mut draft: Draft) {
        draft.date = self.day;
        if self.drafts.len() == MAX_RECORDS {
            self.problem(draft.line, format!("more than {MAX_RECORDS} memories; the rest is left out"));
        }
        if self.drafts.len() < MAX_RECORDS {
            self.drafts.push(draft);
        } else {
            // One more than the limit marks that the problem is said.
            self.drafts.truncate(MAX_RECORDS);
        }
    }

    /// A line without a cue of its own, below a label or a heading that says what it is.
    fn below_a_label(&mut self, line: &Line, words: &[Word<'_>]) {
        const MAX_BLANK_LINES: u32 = 1;
        let label = self.label.take().filter(|(_, last)| line.number <= last + 1 + MAX_BLANK_LINES);
        let hit = match (label, self.section, line.shape) {
            (Some((hit, _)), _, Shape::Item(_)) => {
                self.label = Some((hit, line.last_number()));
                hit
            }
            (Some((hit, last)), _, Shape::Text) if line.number == last + 1 => hit,
            (_, Section::Items(hit), Shape::Item(1)) => hit,
            _ => return,
        };
        let Some(sentence) = sentences(line, words).first().copied() else { return };
        if let Some(draft) = draft::draft_of(&sentence, &hit) {
            self.push(draft);
        }
    }

    fn gotcha(&mut self, line: &Line, depth: u8) {
        if depth > 1 {
            self.detail_of_gotcha(line);
            return;
        }
        let Some((title, workaround, severity)) = gotcha_bullets::split(&line.shown) else { return };
        if self.gotchas.len() >= MAX_GOTCHAS {
            self.problem(line.number, format!("more than {MAX_GOTCHAS} gotchas; the rest is left out"));
            return;
        }
        let id = RecordId::new(self.context.project, self.context.kind, Kind::Gotcha, &title);
        let bullet = GotchaBullet {
            id,
            title: title.into(),
            description: draft::cut(line.shown.trim(), draft::MAX_CONTENT_CHARS).into(),
            workaround: workaround.map(Into::into),
            severity,
            line: line.number,
        };
        self.gotchas.push((bullet, self.day));
    }

    /// An item below a gotcha: the way around it, if it says so.
    fn detail_of_gotcha(&mut self, line: &Line) {
        let Some((bullet, _)) = self.gotchas.last_mut() else { return };
        let text = line.shown.trim();
        let said = text.split_once(':').filter(|(name, _)| {
            let name = name.trim().to_ascii_lowercase();
            label::WORKAROUND.contains(&&*name)
        });
        if let Some((_, way)) = said
            && bullet.workaround.is_none()
            && !way.trim().is_empty()
        {
            bullet.workaround = Some(trim_title(way).into());
        }
        let more = format!("{}\n{text}", bullet.description);
        bullet.description = draft::cut(&more, draft::MAX_CONTENT_CHARS).into();
    }

    /// Takes in `Next: …` and items below a bare `Next:`.
    fn next_items(&mut self, line: &Line, words: &[Word<'_>]) -> bool {
        let is_next = |index: usize| words.get(index).is_some_and(|word| word.text == "next");
        let is_steps = |index: usize| words.get(index).is_some_and(|word| label::NEXT_ENDINGS.contains(&&*word.text));
        let label = (0..words.len()).find_map(|index| {
            let starts = is_next(index) && (index == 0 || words[index - 1].after.contains(['.', ';', '!']));
            let last = if is_steps(index + 1) { index + 1 } else { index };
            (starts && words[last].after.starts_with(':')).then_some((index, last))
        });
        let Some((first, last)) = label else {
            let below = self.next_label.filter(|last| line.number <= last + 2 && matches!(line.shape, Shape::Item(_)));
            self.next_label = below.map(|_| line.last_number());
            if below.is_some() && line.ticked != Some(true) {
                self.push_next(line, &line.shown);
            }
            return below.is_some();
        };
        let text = trim_title(&line.shown[words[last].end..]);
        if text.is_empty() {
            self.next_label = Some(line.last_number());
        } else if line.ticked != Some(true) {
            self.push_next(line, text);
        }
        // Sentences before it are entries of their own.
        first == 0
    }

    fn push_next(&mut self, line: &Line, text: &str) {
        let text = trim_title(text);
        if text.chars().count() >= MIN_TITLE_CHARS
            && !is_placeholder(text)
            && self.out.next_items.len() < MAX_NEXT_ITEMS
        {
            let text = draft::cut(text, draft::MAX_REASON_CHARS).into();
            let item = NextItem { text, line: line.number, date: self.day, closed_by_line: None };
            self.out.next_items.push(item);
        }
    }

    fn problem(&mut self, line: u32, detail: String) {
        let known = self.out.problems.iter().any(|problem| *problem.detail == *detail);
        if !known && self.out.problems.len() < MAX_PROBLEMS {
            self.out.problems.push(ParseProblem { line, detail: detail.into() });
        }
    }

    fn finish(mut self, lines: &[Line]) -> (Parsed, Titles) {
        let origin = Origin { project: self.context.project, kind: self.context.kind, file: self.context.file };
        let (mut records, titles) = assemble(self.drafts, &origin);
        let mut out = std::mem::take(&mut self.out);
        count_sessions(&mut out.sessions, &records);
        for (bullet, day) in self.gotchas {
            if out.gotchas.iter().any(|known| known.id == bullet.id) {
                continue;
            }
            let source = Source { kind: origin.kind, file: origin.file.into(), line: bullet.line };
            records.push(Record {
                content: bullet.description.clone(),
                reasoning: bullet.workaround.clone(),
                date: day,
                confidence: GOTCHA_CONFIDENCE,
                rule: "edge.bullet".into(),
                ..Record::new(bullet.id, Kind::Gotcha, &bullet.title, source)
            });
            out.gotchas.push(bullet);
        }
        close_next_items(&mut out.next_items, lines);
        out.records = records;
        (out, titles)
    }
}

/// A heading's section.
fn section(mask: &str) -> Section {
    let name = mask.trim_matches(|c: char| !c.is_alphanumeric());
    let items = |kind: Kind, status: Option<Status>| Section::Items(cues::of_items(kind, status));
    match name {
        "project state" => Section::State,
        "gotcha" | "gotchas" => Section::Gotchas,
        "decisions" | "key decisions" | "decision log" | "recent decisions" | "architecture decisions" => {
            items(Kind::Decision, None)
        }
        "open issues" | "known issues" | "open problems" | "known problems" | "known bugs" | "open bugs" => {
            items(Kind::Issue, Some(Status::Open))
        }
        "blockers" => items(Kind::Issue, Some(Status::Blocked)),
        "learnings" | "lessons learned" | "lessons" | "what we learned" | "things we learned" => {
            items(Kind::Learning, None)
        }
        _ => Section::Prose,
    }
}

/// The reason that the line below gives: by its words, or as an item below what it explains.
fn reason_below(line: &Line, read: &Read<'_>) -> Option<String> {
    let next = read.line;
    if next.number != line.last_number() + 1 || !matches!(next.shape, Shape::Text | Shape::Item(_)) {
        return None;
    }
    let sentences = sentences(next, read.words());
    let first: &Sentence<'_> = sentences.first()?;
    if let Some(reason) = draft::leading_reason(first) {
        return Some(reason);
    }
    let is_below =
        matches!(next.shape, Shape::Item(_)) && next.depth > line.depth && !line.shown.trim_end().ends_with(':');
    let has_own = || {
        draft::draft(first, sentences.get(1), true, Strength::All).is_some_and(|own| !own.role.needs_another())
            || matches!(first.word(0), "next" | "todo")
            || next.ticked.is_some()
            || is_no_reason(first)
    };
    let text = trim_title(next.shown.trim());
    (is_below && !has_own() && text.chars().count() >= MIN_TITLE_CHARS)
        .then(|| draft::cut(text, draft::MAX_REASON_CHARS))
}

/// Whether an item below a memory tells something else of it than its reason: what else was looked at, who, where, what
/// then.
fn is_no_reason(first: &Sentence<'_>) -> bool {
    let is_other_label = first.after(0).starts_with(": ") && !reason::REASON_LABELS.contains(&first.word(0));
    reason::TELLS_OTHER.contains(&first.word(0)) || is_other_label
}

fn count_sessions(sessions: &mut [Session], records: &[Record]) {
    // Sessions are in order of their lines.
    let session_of =
        |sessions: &[Session], line: u32| sessions.partition_point(|session| session.line <= line).checked_sub(1);
    for record in records {
        if let Some(index) = session_of(sessions, record.source.line).filter(|_| record.date.is_some()) {
            sessions[index].count(record);
        }
        if let Some(line) = record.resolved_by_line
            && let Some(index) = session_of(sessions, line)
        {
            sessions[index].issues_resolved += 1;
        }
    }
}

/// Items of an older plan are closed by the newer one, those of the newest by a later line that speaks of them.
fn close_next_items(items: &mut [NextItem], lines: &[Line]) {
    let newest_first = items.first().and_then(|item| item.date) > items.last().and_then(|item| item.date);
    let newest = if newest_first { items.first() } else { items.last() }.map(|item| (item.date, item.line));
    let Some((newest_day, newest_line)) = newest else { return };
    let last = items.len().saturating_sub(MAX_OPEN_NEXT_ITEMS);
    for (index, item) in items.iter_mut().enumerate() {
        let is_older = item.date < newest_day || index < last && !newest_first;
        if is_older {
            item.closed_by_line = Some(newest_line);
            continue;
        }
        let later =
            lines.iter().filter(|line| line.number > item.line && matches!(line.shape, Shape::Text | Shape::Item(_)));
        let is_plan = |line: &Line| line.mask.trim_start().starts_with("next");
        item.closed_by_line = later
            .take(MAX_LINES_AFTER_NEXT)
            .take_while(|_| !newest_first)
            .find(|line| !is_plan(line) && item.is_touched_by(&line.shown))
            .map(|line| line.number);
    }
}
