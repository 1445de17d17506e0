use std::fmt;

use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::markers::Marker;

/// Kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A choice, often with rejected alternatives.
    Decision,
    /// Something that is or was wrong.
    Issue,
    /// Something that was found out.
    Learning,
    /// A trap of this project, with its way around: a bullet of the Gotchas section.
    #[serde(rename = "edge")]
    Gotcha,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Decision, Self::Issue, Self::Learning, Self::Gotcha];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Issue => "issue",
            Self::Learning => "learning",
            Self::Gotcha => "edge",
        }
    }
}

/// Status of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not reported as solved.
    Open,
    /// Waits for something; counts as open.
    Blocked,
    /// Solved, by its own words or by a later line.
    Resolved,
}

/// Kind of text that contains a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// `.mind/MEMORY.md`.
    MemoryFile,
    /// A file under `.mind/archive/`.
    Archive,
    /// A `MEMORY:` comment in code. Foreign text: shown with its file, never as an instruction.
    Comment,
    /// The message of a commit. Foreign text, too.
    Commit,
}

/// Location of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Kind of text.
    pub kind: SourceKind,
    /// Path relative to the project, with `/`; `git:<short id>` for a commit.
    pub file: Box<str>,
    /// 1-based line in that text; in the message, for a commit.
    pub line: u32,
}

/// Names a memory: 16 hexadecimal digits made of project, kind of source, kind and normalised title, so that it
/// outlives shifted lines and repeated parsing. In formats that people read it is written as those digits: a number
/// of this size is none that every JSON reader keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u64);

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u64(self.0) }
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u64::deserialize(deserializer).map(Self);
        }
        let digits = String::deserialize(deserializer)?;
        let number = u64::from_str_radix(&digits, 16).map_err(|_| {
            D::Error::custom(format!("`{digits}` is no id of a memory, expected 16 hexadecimal digits"))
        })?;
        Ok(Self(number))
    }
}

impl RecordId {
    /// The identity of a memory with this title. `project` is any stable name of the project (its absolute path). Case,
    /// punctuation and runs of blanks of the title do not matter.
    #[must_use]
    pub fn new(project: &str, source: SourceKind, kind: Kind, title: &str) -> Self {
        let source = match source {
            SourceKind::MemoryFile | SourceKind::Archive => "memory",
            SourceKind::Comment => "comment",
            SourceKind::Commit => "commit",
        };
        const AROUND: usize = 32;
        let mut text = String::with_capacity(project.len() + AROUND + title.len());
        for part in [project, source, kind.name()] {
            text.push_str(part);
            text.push('\0');
        }
        push_words(&mut text, title);
        let hash = blake3::hash(text.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        Self(u64::from_be_bytes(first))
    }
}

/// The words by which titles are compared: two memories of one text and kind with the same words are one memory.
#[must_use]
pub fn title_words(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    push_words(&mut text, title);
    text
}

/// Appends the words of a title in lower case, without punctuation.
fn push_words(text: &mut String, title: &str) {
    if title.is_ascii() {
        // Like below, but at once: this covers most titles.
        let mut previous = b' ';
        for byte in title.bytes().chain([b' ']) {
            match (byte.is_ascii_alphanumeric(), previous.is_ascii_alphanumeric()) {
                (true, _) => text.push(char::from(byte.to_ascii_lowercase())),
                (false, true) => text.push(' '),
                (false, false) => {}
            }
            previous = byte;
        }
    } else {
        for word in title.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()) {
            text.push_str(&word.to_lowercase());
            text.push(' ');
        }
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub id: RecordId,
    /// Its kind.
    pub kind: Kind,
    /// A short form of its text, at most 120 characters.
    pub title: Box<str>,
    /// The whole text it was found in, without Markdown: the line; of a line with several memories the part that is
    /// this one's, from its sentence up to the next memory.
    pub content: Box<str>,
    /// Reason, if the text gives one. For a gotcha: the workaround.
    pub reasoning: Option<Box<str>>,
    /// Alternatives that a decision rejected, in text order.
    pub alternatives: Vec<Box<str>>,
    /// Status of an issue; `None` for other kinds.
    pub status: Option<Status>,
    /// Its location.
    pub source: Source,
    /// The day it was written, if the text contains it.
    pub date: Option<Date>,
    /// The parser's confidence that this is a memory of this kind, 0 to 1.
    pub confidence: f32,
    /// The rule of the parser that found it.
    pub rule: Box<str>,
    /// Whether it is pinned: never fades, comes first.
    pub is_key: bool,
    /// The line of the text that resolved an issue.
    pub resolved_by_line: Option<u32>,
    /// Location of the fix that resolved an issue, if it is in another text: `file:line`. Computed when the memories
    /// of all texts are combined, so it is never stored.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<Box<str>>,
    /// The later memory that takes its place.
    pub superseded_by: Option<RecordId>,
    /// Phrases that mark a decision as temporary.
    pub markers: Vec<Marker>,
    /// Earlier locations of the same memory, oldest first.
    pub earlier: Vec<Occurrence>,
}

impl Record {
    /// A memory with only the mandatory fields; confidence 1.
    #[must_use]
    pub fn new(id: RecordId, kind: Kind, title: &str, source: Source) -> Self {
        Self {
            id,
            kind,
            title: title.into(),
            content: title.into(),
            reasoning: None,
            alternatives: Vec::new(),
            status: None,
            source,
            date: None,
            confidence: 1.0,
            rule: "".into(),
            is_key: false,
            resolved_by_line: None,
            resolved_by: None,
            superseded_by: None,
            markers: Vec::new(),
            earlier: Vec::new(),
        }
    }
}

/// An earlier place of a memory in the same text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// 1-based line.
    pub line: u32,
    /// The day of that line.
    pub date: Option<Date>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_digits_for_people_and_comes_back() {
        let id = RecordId(0x00ab_cdef_0123_4567);
        let text = serde_json::to_string(&id).expect("is written");
        assert_eq!(text, "\"00abcdef01234567\"");
        assert_eq!(serde_json::from_str::<RecordId>(&text).expect("is read"), id);
        for bad in ["\"xyz\"", "7", "\"\""] {
            assert!(serde_json::from_str::<RecordId>(bad).is_err(), "{bad}");
        }
    }
}
