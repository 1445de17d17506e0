//! Advice on memories that are being written, while it can still be of use.
//!
//! A new blocker or issue is a query: it returns the best memories that answer it, and gotchas that it is a symptom
//! of. A new decision or rejected approach is compared with earlier decisions.

use std::collections::BTreeSet;

use m1nd_memory::edges::{EdgeQuery, Stack};
use m1nd_memory::{
    Kind, Note, Novelty, ParseContext, RecallQuery, Record, RejectedSeverity, SourceKind, Status, parse, session_notes,
};

use crate::hooks::rejected_row;
use crate::load::ProjectMemory;
use crate::project::{MEMORY_FILE, SESSION_FILE};

/// Maximum memories shown for one blocker.
const MAX_ANSWERS: usize = 2;
/// Number of answers searched for ones that may be shown.
const MAX_LOOKED_AT: usize = 10;
/// Least relevance of one.
const MIN_ANSWER: f32 = 0.5;
/// Least confidence of a gotcha that an issue is a symptom of.
const MIN_SYMPTOM: f32 = 0.5;
/// Maximum new memories of one text.
const MAX_NEW: usize = 5;

/// A piece of advice, with a key by which it is given once.
pub(crate) type Advice = (String, String);

/// Returns whether a file of the project, by its path in it, is one that memories are written into.
pub(crate) fn is_memory_file(path: &str) -> bool {
    path == MEMORY_FILE || path == SESSION_FILE
}

/// Advice on the new memories in a text for `file`, one of [`is_memory_file`]. `shown` renders a memory.
pub(crate) fn advice(memory: &ProjectMemory, file: &str, text: &str, shown: &dyn Fn(&Record) -> String) -> Vec<Advice> {
    let about = About { memory, shown };
    let mut found = Vec::new();
    if file == SESSION_FILE {
        let notes = session_notes(text);
        let is_new = |known: &[Note], note: &Note| known.iter().all(|known| known.text != note.text);
        for note in notes.blockers.iter().filter(|note| is_new(&memory.notes.blockers, note)).take(MAX_NEW) {
            about.trouble(&note.text, None, &mut found);
        }
        for note in notes.rejected.iter().filter(|note| is_new(&memory.notes.rejected, note)).take(MAX_NEW) {
            about.rejected(&note.text, RejectedSeverity::Moderate, &mut found);
        }
        return found;
    }
    let project = memory.path.to_string_lossy();
    let context = ParseContext { project: &project, today: memory.today, kind: SourceKind::MemoryFile, file };
    let parsed = parse(text, &context);
    let is_new =
        |record: &&Record| record.kind != Kind::Gotcha && memory.records.iter().all(|known| known.id != record.id);
    for record in parsed.records.iter().filter(is_new).take(MAX_NEW) {
        match (record.kind, record.status) {
            (Kind::Issue, Some(Status::Open | Status::Blocked)) => {
                about.trouble(&record.content, Some(record), &mut found);
            }
            (Kind::Decision, _) => {
                about.rejected(&record.title, RejectedSeverity::High, &mut found);
                about.known(record, &mut found);
            }
            (Kind::Learning, _) => about.known(record, &mut found),
            _ => {}
        }
    }
    found
}

/// Advice on the blockers in the notes of the current session.
pub(crate) fn blockers(memory: &ProjectMemory, shown: &dyn Fn(&Record) -> String) -> Vec<Advice> {
    let about = About { memory, shown };
    let mut found = Vec::new();
    for note in memory.notes.blockers.iter().take(MAX_NEW) {
        about.trouble(&note.text, None, &mut found);
    }
    found
}

struct About<'a> {
    memory: &'a ProjectMemory,
    shown: &'a dyn Fn(&Record) -> String,
}

impl About<'_> {
    /// A problem: memories that answer it, and the gotcha that it is a symptom of.
    fn trouble(&self, text: &str, own: Option<&Record>, found: &mut Vec<Advice>) {
        let stack = if self.memory.stack.is_empty() { Stack::Unknown } else { Stack::Detected(&self.memory.stack) };
        let goal = self.memory.parsed.project_state.goal.as_deref().unwrap_or_default();
        let query = EdgeQuery { intent: text, code: None, stack, goal };
        let due = self.memory.matcher().check(&query, &BTreeSet::new());
        for warning in due.into_iter().filter(|warning| warning.confidence >= MIN_SYMPTOM).take(1) {
            let row = format!("[may be a symptom] {}: {}", warning.title, warning.workaround);
            found.push((warning.id.to_string(), row));
        }
        // Regardless of age: somebody who is stuck wants answers, not news.
        let query = RecallQuery { limit: MAX_LOOKED_AT, ..RecallQuery::new(text) };
        let hits = self.memory.recall().search(&query).hits;
        let records = hits.iter().filter(|hit| hit.relevance >= MIN_ANSWER).map(|hit| &self.memory.records[hit.record]);
        let is_other = |record: &&Record| own.is_none_or(|own| own.id != record.id) && self.memory.is_told(record);
        let others = records.filter(is_other);
        found.extend(others.take(MAX_ANSWERS).map(|record| (record.id.to_string(), (self.shown)(record))));
    }

    /// An approach that was given up before.
    fn rejected(&self, text: &str, least: RejectedSeverity, found: &mut Vec<Advice>) {
        let again = self.memory.recall().rejected_again(text);
        let is_due = |again: &&m1nd_memory::Rejected| {
            again.severity >= least && self.memory.is_told(&self.memory.records[again.record])
        };
        for again in again.iter().filter(is_due).take(1) {
            let record = &self.memory.records[again.record];
            found.push((format!("rejected:{}", record.id), rejected_row(record, again.alternative, again.severity)));
        }
    }

    /// A memory that is a duplicate, or nearly, of an existing one of its kind.
    fn known(&self, new: &Record, found: &mut Vec<Advice>) {
        let (novelty, like) = self.memory.recall().novelty(&new.content);
        let Some(like) = like.map(|at| &self.memory.records[at]).filter(|like| like.kind == new.kind) else { return };
        if !self.memory.is_told(like) {
            return;
        }
        let (name, hint) = match novelty {
            Novelty::Same => ("same", "[noted already]"),
            Novelty::MayReplace if new.kind == Kind::Decision => {
                ("like", "[much alike; write `instead of …` or `no longer …` if this takes its place]")
            }
            _ => return,
        };
        found.push((format!("{name}:{}", like.id), format!("{hint} {}", (self.shown)(like))));
    }
}
