//! What is known about memories that are being written: said at once, while it can still be of use.
//!
//! A new blocker or issue is a question: the best memories that answer it, and gotchas that it is a symptom of. A new
//! decision or rejected approach is compared with what was decided before.

use std::collections::BTreeSet;

use m1nd_memory::edges::{EdgeQuery, Stack};
use m1nd_memory::{
    Kind, Note, Novelty, ParseContext, RecallQuery, Record, RejectedSeverity, SourceKind, Status, parse, session_notes,
};

use crate::files::project::{MEMORY_FILE, SESSION_FILE};
use crate::read::load::ProjectMemory;
use crate::rows::rejected_row;

/// Memories told about one blocker.
const MAX_ANSWERS: usize = 2;
/// Answers among which those that may be told are looked for.
const MAX_LOOKED_AT: usize = 10;
/// Least relevance of one.
const MIN_ANSWER: f32 = 0.5;
/// Least confidence of a gotcha that an issue is a symptom of.
const MIN_SYMPTOM: f32 = 0.5;
/// New memories of one text that are looked at.
const MAX_NEW: usize = 5;

/// Something worth saying, with a name by which it is said once.
pub(crate) type Advice = (String, String);

/// Whether a file of the project, by its path in it, is one that memories are written into.
pub(crate) fn is_memory_file(path: &str) -> bool {
    path == MEMORY_FILE || path == SESSION_FILE
}

/// What is known about the memories that are new in a text for `file`, one of [`is_memory_file`]. `shown` makes a row
/// of a memory.
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
            about.find_rejected(&note.text, RejectedSeverity::Moderate, &mut found);
        }
        return found;
    }
    let context = ParseContext { project: &memory.key, today: memory.today, kind: SourceKind::MemoryFile, file };
    let parsed = parse(text, &context);
    let is_new =
        |record: &&Record| record.kind != Kind::Gotcha && memory.records.iter().all(|known| known.id != record.id);
    for record in parsed.records.iter().filter(is_new).take(MAX_NEW) {
        match (record.kind, record.status) {
            (Kind::Issue, Some(Status::Open | Status::Blocked)) => {
                about.trouble(&record.content, Some(record), &mut found);
            }
            (Kind::Decision, _) => {
                about.find_rejected(&record.title, RejectedSeverity::High, &mut found);
                about.find_known(record, &mut found);
            }
            (Kind::Learning, _) => about.find_known(record, &mut found),
            _ => {}
        }
    }
    found
}

/// What is known about the blockers that stand in the notes of the running session.
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
    /// Something that stands in the way: what answers it, and of which gotcha it is a symptom.
    fn trouble(&self, text: &str, own: Option<&Record>, found: &mut Vec<Advice>) {
        let stack = if self.memory.stack.is_empty() { Stack::Unknown } else { Stack::Detected(&self.memory.stack) };
        let goal = self.memory.parsed.project_state.goal.as_deref().unwrap_or_default();
        let query = EdgeQuery { intent: text, code: None, stack, goal };
        let due = self.memory.matcher().check(&query, &BTreeSet::new());
        for warning in due.into_iter().filter(|warning| warning.confidence >= MIN_SYMPTOM).take(1) {
            let row = format!("[may be a symptom] {}: {}", warning.title, warning.workaround);
            found.push((warning.id.to_string(), row));
        }
        // However old it is: whoever is stuck wants what answers, not what is new.
        let query = RecallQuery { limit: MAX_LOOKED_AT, ..RecallQuery::new(text) };
        let hits = self.memory.recall().search(&query).hits;
        let records = hits.iter().filter(|hit| hit.relevance >= MIN_ANSWER).map(|hit| &self.memory.records[hit.record]);
        let is_other = |record: &&Record| own.is_none_or(|own| own.id != record.id) && self.memory.is_told(record);
        let others = records.filter(is_other);
        found.extend(others.take(MAX_ANSWERS).map(|record| (record.id.to_string(), (self.shown)(record))));
    }

    /// An approach that was given up before.
    fn find_rejected(&self, text: &str, least: RejectedSeverity, found: &mut Vec<Advice>) {
        let again = self.memory.recall().rejected_again(text);
        let is_due = |again: &&m1nd_memory::Rejected| {
            again.severity >= least && self.memory.is_told(&self.memory.records[again.record])
        };
        for again in again.iter().filter(is_due).take(1) {
            let record = &self.memory.records[again.record];
            found.push((format!("rejected:{}", record.id), rejected_row(record, again.alternative, again.severity)));
        }
    }

    /// A memory that says what one of the same kind says, or nearly.
    fn find_known(&self, new: &Record, found: &mut Vec<Advice>) {
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
