//! What the memories of a text mean to each other: the same one met again, fixes of issues, decisions that replace
//! others.

use jiff::civil::Date;
use rustc_hash::FxHashMap;

use super::cues::Role;
use super::draft::{Draft, MAX_CONTENT_CHARS, cut};
use super::values;
use crate::overlap::{Lexicon, SAME_THING, Tokens};
use crate::{Kind, Occurrence, Record, RecordId, Source, SourceKind, Status, opposites};

/// The newest memories with a common word that are compared with a fix or a replacement.
const MAX_CANDIDATES: usize = 128;
/// Earlier places kept of one memory.
const MAX_EARLIER: usize = 16;
/// A fix that has one word in common with the only issue about it may leave this many of the issue's words out.
const MAX_WORDS_AROUND_ONE: usize = 3;

/// Where the texts come from.
pub(crate) struct Origin<'a> {
    pub(crate) project: &'a str,
    pub(crate) kind: SourceKind,
    pub(crate) file: &'a str,
}

/// The memories so far, in order of time.
#[derive(Default)]
struct Timeline {
    records: Vec<Record>,
    tokens: Vec<Tokens>,
    /// Where each issue stands, close together: all issues with a word in common are asked for it.
    states: Vec<Option<Status>>,
    /// Memories that were written again in another spelling: the words are those of the first.
    retitled: Vec<usize>,
    replaces: Vec<Vec<String>>,
    /// What the words of a decision say took its place.
    replaced_by: Vec<Option<String>>,
    /// The words of what a decision took, once they were asked for; none of one that rejects.
    chosen: Vec<Option<Tokens>>,
    by_id: FxHashMap<RecordId, usize>,
    /// Memories by a word of their title, oldest first.
    by_token: FxHashMap<(Kind, u64), Vec<usize>>,
    lexicon: Lexicon,
    found: Found,
}

/// Memories with at least one of some words.
#[derive(Default)]
struct Found {
    /// How many of the words each memory was found by; 0 but for those of `places`.
    counts: Vec<u16>,
    /// The memories, in no order.
    places: Vec<usize>,
    /// Of words that more memories have than were looked at: the oldest that was.
    oldest: Vec<usize>,
}

impl Found {
    fn clear(&mut self, memories: usize) {
        for place in self.places.drain(..) {
            self.counts[place] = 0;
        }
        self.oldest.clear();
        self.counts.resize(memories, 0);
    }

    /// By how many words a memory was found.
    fn count(&self, place: usize) -> usize {
        usize::from(self.counts[place])
    }

    /// The most words that a memory can have.
    fn most(&self, place: usize) -> usize {
        self.count(place) + self.oldest.iter().filter(|oldest| place < **oldest).count()
    }
}

/// Titles as words, for what is to be compared with them later.
pub(crate) struct Titles {
    pub(crate) tokens: Vec<Tokens>,
    pub(crate) lexicon: Lexicon,
}

/// Drafts in order of the text → memories in order of time, and their titles.
pub(crate) fn assemble(mut drafts: Vec<Draft>, origin: &Origin<'_>) -> (Vec<Record>, Titles) {
    sort_by_time(&mut drafts);
    let mut timeline = Timeline::default();
    for draft in drafts {
        timeline.take(draft, origin);
    }
    timeline.supersede();
    timeline.superseded_by_name();
    timeline.supersede_values();
    for index in std::mem::take(&mut timeline.retitled) {
        timeline.tokens[index] = timeline.lexicon.tokens(&timeline.records[index].title);
    }
    (timeline.records, Titles { tokens: timeline.tokens, lexicon: timeline.lexicon })
}

/// Files grow at the end or, newest day first, at the top. In a file whose days are in neither order, such as one to
/// which older memories of others were appended, days count; what has no day of its own keeps its place behind the line
/// above.
fn sort_by_time(drafts: &mut [Draft]) {
    let dates = || drafts.iter().filter_map(|draft| draft.date);
    let newest_first = dates().next() > dates().next_back();
    if newest_first {
        drafts.sort_by_key(|draft| (draft.date, draft.line));
        return;
    }
    drafts.sort_by_key(|draft| draft.line);
    if drafts.iter().filter_map(|draft| draft.date).is_sorted() {
        return;
    }
    let mut day = None;
    let days = drafts.iter().map(|draft| {
        day = draft.date.or(day);
        (draft.line, day)
    });
    let days: FxHashMap<u32, Option<Date>> = days.collect();
    drafts.sort_by_key(|draft| (days.get(&draft.line).copied().flatten(), draft.line));
}

impl Timeline {
    fn take(&mut self, draft: Draft, origin: &Origin<'_>) {
        let tokens = self.lexicon.tokens(&draft.title);
        match draft.role {
            Role::Plain => {}
            Role::OnlyWorks => {
                if let Some(index) = self.same_issue(&tokens, |status| status != Status::Resolved) {
                    self.resolve(index, &draft);
                }
                return;
            }
            Role::OnlyUnblocked => return self.unblock(&draft, &tokens),
            Role::OnlyGivenUp if !self.is_given_up(&draft) => return,
            Role::OnlyGivenUp => {}
            Role::Fix => {
                if let Some(index) = self.same_issue(&tokens, |status| status != Status::Resolved) {
                    self.resolve(index, &draft);
                    return;
                }
            }
            Role::Again | Role::OnlyAgain => {
                let any = draft.role == Role::Again;
                if let Some(index) = self.same_issue(&tokens, |status| any || status == Status::Resolved) {
                    self.meet_again(index, &draft);
                    return;
                }
                if draft.role == Role::OnlyAgain {
                    return;
                }
            }
        }
        self.insert(draft, tokens, origin);
    }

    /// The only thing that blocks and has all of these words blocks no longer.
    fn unblock(&mut self, draft: &Draft, tokens: &Tokens) {
        self.find(Kind::Issue, tokens);
        let is_it =
            |place: &usize| self.states[*place] == Some(Status::Blocked) && self.found.count(*place) == tokens.len();
        let mut blocking = self.found.places.iter().copied().filter(is_it);
        let (Some(index), None) = (blocking.next(), blocking.next()) else { return };
        self.resolve(index, draft);
    }

    /// An issue is solved.
    fn resolve(&mut self, index: usize, draft: &Draft) {
        self.states[index] = Some(Status::Resolved);
        let record = &mut self.records[index];
        record.status = self.states[index];
        record.resolved_by_line = Some(draft.line);
        extend_content(record, &draft.content);
    }

    /// Whether one decision alone took what is done away with, and little else.
    fn is_given_up(&mut self, draft: &Draft) -> bool {
        let Some(name) = draft.replaces.last() else { return false };
        let tokens = self.lexicon.tokens(name);
        self.find(Kind::Decision, &tokens);
        let mut found = self.found.places.clone();
        found.retain(|index| !tokens.is_empty() && self.found.count(*index) == tokens.len());
        found.retain(|index| self.chose(*index, &tokens));
        let is_most =
            |index: &usize| self.chosen[*index].as_ref().is_some_and(|chosen| tokens.len() * 2 >= chosen.len());
        matches!(found.as_slice(), [only] if is_most(only))
    }

    /// An issue is there once more: it is open, and what is said last counts.
    fn meet_again(&mut self, index: usize, draft: &Draft) {
        let is_blocked = draft.status == Some(Status::Blocked);
        self.states[index] = Some(if is_blocked { Status::Blocked } else { Status::Open });
        let record = &mut self.records[index];
        keep_place(record);
        record.status = self.states[index];
        record.resolved_by_line = None;
        record.source.line = draft.line;
        record.date = draft.date.or(record.date);
        extend_content(record, &draft.content);
    }

    fn insert(&mut self, draft: Draft, tokens: Tokens, origin: &Origin<'_>) {
        let id = RecordId::new(origin.project, origin.kind, draft.kind, &draft.title);
        let source = Source { kind: origin.kind, file: origin.file.into(), line: draft.line };
        let mut record = Record {
            content: draft.content.into(),
            reasoning: draft.reasoning.map(Into::into),
            alternatives: draft.alternatives.into_iter().map(Into::into).collect(),
            status: draft.status,
            date: draft.date,
            confidence: draft.confidence,
            rule: draft.rule.into(),
            is_key: draft.is_key,
            markers: draft.markers,
            ..Record::new(id, draft.kind, &draft.title, source)
        };
        // The same memory again: the later line wins, but keeps what only the earlier said.
        if let Some(index) = self.by_id.get(&id) {
            let known = &mut self.records[*index];
            keep_place(known);
            record.earlier = std::mem::take(&mut known.earlier);
            record.reasoning = record.reasoning.or_else(|| known.reasoning.take());
            record.confidence = record.confidence.max(known.confidence);
            record.is_key |= known.is_key;
            record.date = record.date.or(known.date);
            if record.alternatives.is_empty() {
                record.alternatives = std::mem::take(&mut known.alternatives);
            }
            if known.title != record.title {
                self.retitled.push(*index);
            }
            self.states[*index] = record.status;
            *known = record;
            self.replaces[*index].extend(draft.replaces);
            self.replaced_by[*index] = draft.replaced_by;
            return;
        }
        // A new one, found later by its words.
        let index = self.records.len();
        self.by_id.insert(id, index);
        for token in tokens.iter() {
            self.by_token.entry((draft.kind, token)).or_default().push(index);
        }
        self.states.push(record.status);
        self.records.push(record);
        self.tokens.push(tokens);
        self.replaces.push(draft.replaces);
        self.replaced_by.push(draft.replaced_by);
        self.chosen.push(None);
    }

    /// Looks for memories of a kind with at least one of the words.
    fn find(&mut self, kind: Kind, tokens: &Tokens) {
        let found = &mut self.found;
        found.clear(self.records.len());
        for token in tokens.iter() {
            let Some(known) = self.by_token.get(&(kind, token)) else { continue };
            let newest = &known[known.len().saturating_sub(MAX_CANDIDATES)..];
            if newest.len() < known.len() {
                found.oldest.extend(newest.first());
            }
            for &place in newest {
                if found.counts[place] == 0 {
                    found.places.push(place);
                }
                found.counts[place] += 1;
            }
        }
    }

    /// The issue that speaks of the same thing: the closest, of equals the newest.
    fn same_issue(&mut self, tokens: &Tokens, wanted: impl Fn(Status) -> bool) -> Option<usize> {
        self.find(Kind::Issue, tokens);
        let is_wanted = |place: &usize| self.states[*place].is_some_and(&wanted);
        let mut best: Option<(f32, usize)> = None;
        for place in self.found.places.iter().copied().filter(is_wanted) {
            let issue = &self.tokens[place];
            if issue.overlap_of(tokens, self.found.most(place)) < SAME_THING {
                continue;
            }
            let overlap = issue.overlap(tokens);
            if overlap >= SAME_THING && best.is_none_or(|known| (overlap, place) > known) {
                best = Some((overlap, place));
            }
        }
        if let Some((_, place)) = best {
            return Some(place);
        }
        if tokens.len() > MAX_WORDS_AROUND_ONE {
            return None;
        }
        let mut about = self.found.places.iter().copied().filter(is_wanted);
        let only = about.next().filter(|_| about.next().is_none())?;
        let (one, other) = (self.tokens[only].len(), tokens.len());
        (one.min(other) == 1 && one.max(other) <= MAX_WORDS_AROUND_ONE).then_some(only)
    }

    /// Decisions that a later one says it takes the place of.
    fn supersede(&mut self) {
        for later in 0..self.records.len() {
            for replaced in std::mem::take(&mut self.replaces[later]) {
                let tokens = self.lexicon.tokens(&replaced);
                self.find(Kind::Decision, &tokens);
                let gives_up_only = self.records[later].title.starts_with("no longer ");
                let all = |index: &usize| *index < later && self.found.count(*index) == tokens.len();
                let mut found: Vec<usize> = self.found.places.iter().copied().filter(all).collect();
                found.retain(|index| self.chose(*index, &tokens));
                if !gives_up_only && found.len() > 1 {
                    found = self.closest(later, &found);
                }
                for index in found {
                    self.records[index].superseded_by = Some(self.records[later].id);
                }
            }
        }
    }

    /// Decisions that say by themselves what took their place, as the one decision that has its name.
    fn superseded_by_name(&mut self) {
        for index in 0..self.records.len() {
            let Some(name) = self.replaced_by[index].take() else { continue };
            let tokens = self.lexicon.tokens(&name);
            self.find(Kind::Decision, &tokens);
            let all = |place: &usize| *place != index && self.found.count(*place) == tokens.len();
            let mut named = self.found.places.iter().copied().filter(all);
            if let (Some(by), None) = (named.next(), named.next()) {
                self.records[index].superseded_by = Some(self.records[by].id);
            }
        }
    }

    /// Decisions of an earlier day that say the same with other values, or the opposite.
    fn supersede_values(&mut self) {
        let mut newest: FxHashMap<String, (usize, Vec<String>)> = FxHashMap::default();
        for later in 0..self.records.len() {
            let record = &self.records[later];
            if record.kind != Kind::Decision || record.date.is_none() || record.superseded_by.is_some() {
                continue;
            }
            let numbers = values::subject(&record.title);
            let positions = opposites::find_positions(&record.title).into_iter();
            let positions = positions.map(|position| {
                let replaces = position.replaces;
                (position.subject, position.values, move |a: &[String], b: &[String]| {
                    replaces && opposites::exclude(a, b)
                })
            });
            let positions: Vec<_> = positions.collect();
            if let Some((subject, values)) = numbers {
                self.replace_older(&mut newest, later, subject, values, |known, values| known != values);
            }
            for (subject, values, replaces) in positions {
                self.replace_older(&mut newest, later, subject, values, replaces);
            }
        }
    }

    /// Marks the newest decision on a subject as replaced by a later one, if that `replaces` its values.
    fn replace_older(
        &mut self,
        newest: &mut FxHashMap<String, (usize, Vec<String>)>,
        later: usize,
        subject: String,
        values: Vec<String>,
        replaces: impl Fn(&[String], &[String]) -> bool,
    ) {
        let (id, date) = (self.records[later].id, self.records[later].date);
        if let Some((before, known)) = newest.get(&subject)
            && replaces(known, &values)
            && self.records[*before].date < date
        {
            self.records[*before].superseded_by = Some(id);
        }
        newest.insert(subject, (later, values));
    }

    /// Whether a decision that still holds took all of these, rather than rejected them.
    fn chose(&mut self, index: usize, tokens: &Tokens) -> bool {
        // A title changes at most its spelling after this is asked.
        let record = &self.records[index];
        let chosen = self.chosen[index].get_or_insert_with(|| {
            if ["not ", "against ", "no longer ", "gave up "].iter().any(|word| record.title.starts_with(word)) {
                return Tokens::default();
            }
            let marks = [" over ", " instead of ", " rather than ", ", not ", " to replace "];
            let end = marks.iter().filter_map(|mark| record.title.find(mark)).min();
            self.lexicon.tokens(&record.title[..end.unwrap_or(record.title.len())])
        });
        tokens.is_within(chosen) && record.superseded_by.is_none()
    }

    /// Of several decisions that took the same, the one that shares most with the new one; none if that is not clear.
    fn closest(&mut self, later: usize, found: &[usize]) -> Vec<usize> {
        let context = self.lexicon.tokens(&self.records[later].content);
        let mut scored: Vec<_> =
            found.iter().map(|index| (self.tokens[*index].count_shared(&context), *index)).collect();
        scored.sort_unstable_by(|one, other| other.cmp(one));
        match scored.as_slice() {
            [first, second, ..] if first.0 == second.0 => Vec::new(),
            [first, ..] => vec![first.1],
            [] => Vec::new(),
        }
    }
}

fn keep_place(record: &mut Record) {
    let place = Occurrence { line: record.source.line, date: record.date };
    record.earlier.push(place);
    if record.earlier.len() > MAX_EARLIER {
        record.earlier.remove(0);
    }
}

fn extend_content(record: &mut Record, text: &str) {
    if !record.content.contains(text) {
        record.content = cut(&format!("{}\n{text}", record.content), MAX_CONTENT_CHARS).into();
    }
}
