//! What is kept beside the memories of a project, as programs read it: everything but what agents were shown.

use jiff::Timestamp;
use m1nd_memory::{RecordId, Relation, Session};
use serde::Serialize;

use crate::anchor::{Anchor, CodeState};
use crate::load::ProjectMemory;
use crate::noted::Seconds;

/// The index of one project.
#[derive(Debug, Clone, Serialize)]
pub struct IndexExport {
    /// When memories were first looked at.
    pub began: Option<Timestamp>,
    /// When `MEMORY.md` was last found changed.
    pub updated: Option<Timestamp>,
    /// When comments were last looked for.
    pub scanned: Option<Timestamp>,
    /// The commit up to which messages were read.
    pub head: Option<String>,
    /// What the files of the project say that it is made with.
    pub stack: Vec<Box<str>>,
    /// What is known of each memory, also of those that are no longer there.
    pub memories: Vec<IndexedMemory>,
    /// Files with comments that carry memories.
    pub comment_files: Vec<String>,
    /// Commits with messages that carry memories, newest first.
    pub commits: Vec<String>,
    /// What memories say of each other.
    pub relations: Vec<Relation>,
    /// Days and stretches of work.
    pub sessions: Vec<IndexedSession>,
}

/// What is known of one memory.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedMemory {
    /// Its name.
    pub id: RecordId,
    /// When it was first seen.
    pub first_seen: Option<Timestamp>,
    /// Since when it is no longer there.
    pub retired: Option<Timestamp>,
    /// The code that it names.
    pub code: Vec<IndexedCode>,
    /// What became of that, as the last look with an index found it.
    pub state: Option<CodeState>,
}

/// A piece of code that a memory names.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedCode {
    /// As the memory names it.
    pub name: String,
    /// Its id in the graph.
    pub node_id: String,
    /// Hash of its text then, in hexadecimal digits.
    pub content: String,
}

/// A session with its times, where they are known.
#[derive(Debug, Clone, Serialize)]
pub struct IndexedSession {
    /// Its first moment.
    pub start: Option<Timestamp>,
    /// Its last moment.
    pub end: Option<Timestamp>,
    /// What was done in it.
    #[serde(flatten)]
    pub session: Session,
}

impl ProjectMemory {
    /// What is kept beside its memories.
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

/// A time that is known.
fn time(seconds: Seconds) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok().filter(|_| seconds != 0)
}

fn code(anchor: &Anchor) -> IndexedCode {
    IndexedCode { name: anchor.text.clone(), node_id: anchor.node.clone(), content: anchor.content.to_string() }
}
