//! Notes of the current session (`.mind/SESSION.md`): experience, blockers, rejected approaches, assumptions.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::parser::draft::{MAX_REASON_CHARS, MAX_TITLE_CHARS, cut, is_placeholder, trim_title};
use crate::parser::markdown::{Shape, lines};
use crate::{Kind, Record, RecordId, Source, SourceKind};

/// Notes kept of one section.
const MAX_NOTES: usize = 200;
/// The rule of a decision that was promoted from the notes of a session.
pub const SESSION_RULE: &str = "decision.rejected_in_session";
/// Confidence of a decision promoted from a rejected approach with a reason.
const PROMOTED_CONFIDENCE: f32 = 0.7;

/// One item of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its text, without the reason.
    pub text: Box<str>,
    /// The reason, where it gives one.
    pub reason: Option<Box<str>>,
    /// 1-based line.
    pub line: u32,
}

/// Content of a session file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionNotes {
    /// Actions and observations.
    pub experience: Vec<Note>,
    /// Blockers.
    pub blockers: Vec<Note>,
    /// Approaches that were given up.
    pub rejected: Vec<Note>,
    /// Assumptions.
    pub assumptions: Vec<Note>,
}

impl SessionNotes {
    /// Returns whether there is no note.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let all = [&self.experience, &self.blockers, &self.rejected, &self.assumptions];
        all.into_iter().all(Vec::is_empty)
    }

    fn section(&mut self, name: &str) -> Option<&mut Vec<Note>> {
        match name {
            "experience" | "experiences" => Some(&mut self.experience),
            "blockers" | "blocker" | "blocked" => Some(&mut self.blockers),
            "rejected" | "rejected approaches" => Some(&mut self.rejected),
            "assumptions" | "assumption" => Some(&mut self.assumptions),
            _ => None,
        }
    }

    /// The rejected approaches with a reason, as decisions against them, which are worth outliving the session.
    #[must_use]
    pub fn promote_notes(&self, project: &str, file: &str, day: Date) -> Vec<Record> {
        let promote = |note: &Note| {
            let reason = note.reason.clone()?;
            let title = cut(&format!("against {}", note.text), MAX_TITLE_CHARS);
            let id = RecordId::new(project, SourceKind::MemoryFile, Kind::Decision, &title);
            let source = Source { kind: SourceKind::MemoryFile, file: file.into(), line: note.line };
            Some(Record {
                content: format!("Decided against {}: {reason}", note.text).into(),
                reasoning: Some(reason),
                alternatives: vec![note.text.clone()],
                date: Some(day),
                confidence: PROMOTED_CONFIDENCE,
                rule: SESSION_RULE.into(),
                ..Record::new(id, Kind::Decision, &title, source)
            })
        };
        self.rejected.iter().filter_map(promote).collect()
    }
}

/// Reads a session file: the items below its four headings. Code, quotes and comments are no items.
#[must_use]
pub fn session_notes(text: &str) -> SessionNotes {
    let mut notes = SessionNotes::default();
    let mut section = String::new();
    for line in lines(text) {
        match line.shape {
            Shape::Heading(_) => section = line.mask.trim_matches(|c: char| !c.is_alphanumeric()).to_owned(),
            Shape::Item(1) => {
                let Some(items) = notes.section(&section).filter(|items| items.len() < MAX_NOTES) else { continue };
                items.extend(note(&line.shown, line.number));
            }
            Shape::Item(_) | Shape::Text | Shape::Break => {}
        }
    }
    notes
}

/// Separators between a rejected approach and its reason.
const REASON_MARKS: &[&str] = &[" because ", " - ", " – ", " — ", " -> ", " → ", ": "];

fn note(shown: &str, line: u32) -> Option<Note> {
    let shown = shown.trim();
    if is_placeholder(shown) {
        return None;
    }
    let split = REASON_MARKS.iter().filter_map(|mark| shown.find(mark).map(|at| (at, at + mark.len()))).min();
    let (text, reason) = match split {
        Some((end, start)) => (&shown[..end], Some(trim_title(&shown[start..])).filter(|reason| !reason.is_empty())),
        None => (shown, None),
    };
    let text = trim_title(text);
    (!text.is_empty()).then(|| Note {
        text: cut(text, MAX_REASON_CHARS).into(),
        reason: reason.map(|reason| cut(reason, MAX_REASON_CHARS).into()),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_a_session_file() {
        let text = "# Session\n\n## Experience\n- the cache key lacked the locale\n\n## Blockers\n- no staging access\n- (none)\n\n\
            ## Rejected\n- polling every second because it drains batteries\n- a global lock\n\n```\n- no item\n```\n\n\
            ## Assumptions\n- one writer - by design\n\n## Other\n- nothing\n";
        let notes = session_notes(text);
        let texts = |notes: &[Note]| notes.iter().map(|note| note.text.to_string()).collect::<Vec<_>>();
        assert_eq!(texts(&notes.experience), ["the cache key lacked the locale"]);
        assert_eq!(texts(&notes.blockers), ["no staging access"]);
        assert_eq!(texts(&notes.rejected), ["polling every second", "a global lock"]);
        assert_eq!(notes.rejected[0].reason.as_deref(), Some("it drains batteries"));
        assert_eq!((notes.assumptions[0].line, notes.assumptions[0].reason.as_deref()), (19, Some("by design")));

        let promoted = notes.promote_notes("/p", ".mind/SESSION.md", jiff::civil::date(2025, 1, 1));
        assert_eq!(promoted.len(), 1, "only what has a reason");
        assert_eq!(&*promoted[0].title, "against polling every second");
    }
}
