//! Export of the data stored beside the memories of a project, for other programs. Leaves out what agents were shown.

use jiff::Timestamp;
use m1nd_memory::{RecordId, Relation, Session};
use serde::Serialize;

use crate::files::anchor::{Anchor, CodeState};
use crate::files::noted::Seconds;
use crate::read::load::ProjectMemory;

/// The stored data of one project.
#[derive(Debug, Clone, Serialize)]
pub struct IndexExport {
    /// Time of the first look.
    pub began: Option<Timestamp>,
    /// Time of the last change found in `MEMORY.md`.
    pub updated: Option<Timestamp>,
    /// Time of the last search for comments.
    pub scanned: Option<Timestamp>,
    /// The commit up to which messages were read.
    pub head: Option<String>,
    /// Tags of the stack that the project's files show.
    pub stack: Vec<Box<str>>,
    /// All known memories, including those that no longer exist.
    pub memories: Vec<IndexedMemory>,
    /// Files with comments that carry memories.
    pub comment_files: Vec<String>,
    /// Commits with messages that carry memories, newest first.
    pub commits: Vec<String>,
    /// Relations between memories.
    pub relations: Vec<Relation>,
    /// Days and stretches of work.
    pub sessions: Vec<IndexedSession>,
}

/// The stored data of one memory.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedMemory {
    /// Id of the memory.
    pub id: RecordId,
    /// Time when it was first seen.
    pub first_seen: Option<Timestamp>,
    /// Time when it was found to be gone; `None` if it exists.
    pub retired: Option<Timestamp>,
    /// The code that it names.
    pub code: Vec<IndexedCode>,
    /// State of that code at the last look with an index.
    pub state: Option<CodeState>,
}

/// A piece of code that a memory names.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedCode {
    /// Its name in the memory.
    pub name: String,
    /// Its id in the graph.
    pub node_id: String,
    /// Hash of its text when the memory was first seen, in hexadecimal.
    pub content: String,
}

/// A session with its times, as far as they are known.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedSession {
    /// Time of its start.
    pub start: Option<Timestamp>,
    /// Time of its end.
    pub end: Option<Timestamp>,
    /// Summary of the session.
    #[serde(flatten)]
    pub session: Session,
}

impl ProjectMemory {
    /// Returns the stored data of the project.
    #[must_use]
    pub fn index(&self) -> IndexExport {
        let noted = &self.noted;
        let memories = noted.records.iter().map(|(id, seen)| IndexedMemory {
            id: *id,
            first_seen: time(seen.first),
            retired: seen.retired.and_then(time),
            code: seen.anchors.iter().map(code).collect(),
            state: noted.code.get(id).copied(),
        });
        let sessions = self.sessions.iter().map(|worked| IndexedSession {
            start: worked.span.and_then(|(start, _)| time(start)),
            end: worked.span.and_then(|(_, end)| time(end)),
            session: worked.session.clone(),
        });
        IndexExport {
            began: time(noted.began),
            updated: time(noted.updated),
            scanned: time(noted.scanned),
            head: (!noted.head.is_empty()).then(|| noted.head.clone()),
            stack: noted.stack.clone(),
            memories: memories.collect(),
            comment_files: noted.files.keys().cloned().collect(),
            commits: noted.commits.iter().map(|note| note.commit.clone()).collect(),
            relations: self.relations().to_vec(),
            sessions: sessions.collect(),
        }
    }
}

/// Converts a stored time; 0 means unknown.
fn time(seconds: Seconds) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok().filter(|_| seconds != 0)
}

fn code(anchor: &Anchor) -> IndexedCode {
    IndexedCode { name: anchor.text.clone(), node_id: anchor.node.clone(), content: anchor.content.to_string() }
}
