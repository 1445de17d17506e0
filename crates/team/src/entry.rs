//! Memories as a team exchanges them: each is one line of Markdown, with an identity by content.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::civil::Date;
use m1nd_base::is_hidden;
use m1nd_memory::{Kind, MEDIUM_CONFIDENCE, ParseContext, Record, SourceKind, Status, parse, secrets, title_words};
use m1nd_search::words;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum number of bytes of a memory's line.
pub const MAX_LINE_BYTES: usize = 8 << 10;
/// Maximum number of bytes of the words by which the server finds a memory.
const MAX_WORDS_BYTES: usize = 16 << 10;
/// Start of what is hashed, so that an identity of another form can never be the same.
const FORM: &str = "m1nd team memory 1";
/// Bytes of an identity.
const ID_BYTES: usize = 32;

/// Identity of a memory: a hash of its repository, its kind and its words. Who sent it and when does not matter, since
/// all clones of a repository have the same text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId([u8; ID_BYTES]);

impl EntryId {
    /// The identity of a memory with this title.
    pub fn of(repository: &str, kind: EntryKind, title: &str) -> Self {
        Self::of_parts(repository, kind, title_words(title).as_bytes())
    }

    /// The identity of the fix of an issue.
    pub fn of_fix(repository: &str, issue: Self) -> Self {
        Self::of_parts(repository, EntryKind::Fix, &issue.0)
    }

    fn of_parts(repository: &str, kind: EntryKind, last: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [FORM, repository, kind.name()] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
        hasher.update(last);
        Self(*hasher.finalize().as_bytes())
    }

    /// The identity from its bytes; `None` for any other length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for EntryId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hash = blake3::Hash::from_hex(text);
        hash.map(|hash| Self(*hash.as_bytes())).map_err(|_| format!("`{text}` is not an id, expected 64 digits"))
    }
}

impl Serialize for EntryId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntryId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Kind of an entry: that of a memory, or the fix of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A choice.
    Decision,
    /// Something that is or was wrong.
    Issue,
    /// Something that was found out.
    Learning,
    /// A trap, with its way around.
    #[serde(rename = "edge")]
    Gotcha,
    /// The line that closes an issue.
    Fix,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Decision, Self::Issue, Self::Learning, Self::Gotcha, Self::Fix];

    /// The name in the database and in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Issue => "issue",
            Self::Learning => "learning",
            Self::Gotcha => "edge",
            Self::Fix => "fix",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind as that of a memory; a fix belongs to its issue.
    pub const fn of_memory(self) -> Kind {
        match self {
            Self::Decision => Kind::Decision,
            Self::Issue | Self::Fix => Kind::Issue,
            Self::Learning => Kind::Learning,
            Self::Gotcha => Kind::Gotcha,
        }
    }

    /// The label that makes a line one of this kind.
    const fn label(self) -> &'static str {
        match self {
            Self::Decision => "**Decided:** ",
            Self::Issue => "**Problem:** ",
            Self::Learning => "**Learned:** ",
            Self::Fix => "**Fixed:** ",
            Self::Gotcha => "",
        }
    }
}

impl From<Kind> for EntryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Decision => Self::Decision,
            Kind::Issue => Self::Issue,
            Kind::Learning => Self::Learning,
            Kind::Gotcha => Self::Gotcha,
        }
    }
}

/// A memory of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identity.
    pub id: EntryId,
    /// Its repository.
    pub repository: String,
    /// Its kind.
    pub kind: EntryKind,
    /// The issue that a fix is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<EntryId>,
    /// A short form of its text.
    pub title: String,
    /// One line of Markdown which, on its own, is read as this memory.
    pub line: String,
    /// Reason, or the workaround of a gotcha; empty if the text gives none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The day it was written, if the text says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Date>,
}

impl Entry {
    /// The words by which a search finds it: identifiers split, in their basic forms.
    pub fn words(&self) -> String {
        let mut text = String::new();
        for part in [&self.title, &self.line, &self.reason] {
            words::terms(part, |term| {
                if text.len() + term.len() < MAX_WORDS_BYTES {
                    text.push_str(term);
                    text.push(' ');
                }
            });
        }
        text
    }

    /// Returns whether its line, read on its own, is this memory and nothing else. Lines of others must not contain
    /// anything that does not show.
    pub fn is_sound(&self) -> bool {
        let is_plain = self.line.len() <= MAX_LINE_BYTES
            && !self.line.contains(['\n', '\r'])
            && !self.line.contains(is_hidden)
            && !self.line.contains("<!--")
            && secrets::find(&self.line).is_empty();
        is_plain && holds_only(&self.line, self.kind, &self.repository, self.id, self.about)
    }
}

/// A memory that stands in the text and is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// Its file, below the project.
    pub file: String,
    /// Its 1-based line.
    pub line: u32,
    /// Why it is not sent.
    pub why: &'static str,
}

/// One text of memories.
#[derive(Clone, Copy, Debug)]
pub struct MemoryText<'t> {
    /// Its path below the project.
    pub file: &'t str,
    /// A memory file, or its archive.
    pub kind: SourceKind,
    /// Its content.
    pub content: &'t str,
}

/// The memories that stand in the texts of a clone.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// All of them.
    pub present: BTreeSet<EntryId>,
    /// Where each stands: number of the text and record.
    places: BTreeMap<EntryId, (usize, Record)>,
    repository: String,
}

/// Reads the memories of a clone's texts.
pub fn collect_entries(repository: &str, texts: &[MemoryText<'_>], today: Date) -> Collected {
    let mut all = Collected { repository: repository.to_owned(), ..Collected::default() };
    for (number, text) in texts.iter().enumerate() {
        let context = ParseContext { project: repository, today, kind: text.kind, file: text.file };
        for record in parse(text.content, &context).records {
            let id = EntryId::of(repository, record.kind.into(), &record.title);
            if record.kind == Kind::Issue
                && record.status == Some(Status::Resolved)
                && record.resolved_by_line.is_some()
            {
                let fix = EntryId::of_fix(repository, id);
                all.present.insert(fix);
                all.places.entry(fix).or_insert_with(|| (number, record.clone()));
            }
            all.present.insert(id);
            all.places.entry(id).or_insert((number, record));
        }
    }
    all
}

impl Collected {
    /// The entry with this identity, to be sent.
    ///
    /// # Errors
    /// Why it is not sent: it holds a secret, or cannot be written as one line.
    pub fn describe(&self, id: EntryId, texts: &[MemoryText<'_>]) -> Result<Entry, Withheld> {
        // 1. Where it stands: its own line, or that of the fix.
        let Some((number, record)) = self.places.get(&id) else {
            return Err(Withheld { file: String::new(), line: 0, why: "it is not in the text" });
        };
        let text = &texts[*number];
        let issue = EntryId::of(&self.repository, record.kind.into(), &record.title);
        let (kind, about, line) = match id == issue {
            true => (record.kind.into(), None, record.source.line),
            false => (EntryKind::Fix, Some(issue), record.resolved_by_line.unwrap_or_default()),
        };
        // 2. What must not be sent.
        let withheld = |why| Withheld { file: text.file.to_owned(), line, why };
        if record.confidence < MEDIUM_CONFIDENCE {
            return Err(withheld("it is not clear that this is a memory; give it a label such as **Decided:**"));
        }
        let reason = if kind == EntryKind::Fix { "" } else { record.reasoning.as_deref().unwrap_or_default() };
        let raw = text.content.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
        let holds_secret = |text: &str| !secrets::find(text).is_empty();
        if holds_secret(raw) || holds_secret(&record.content) || holds_secret(reason) {
            return Err(withheld("it looks like it holds a secret"));
        }
        // 3. The first way to write it that is read as this memory.
        let is_it = |line: &String| {
            let entry = Entry {
                id,
                repository: self.repository.clone(),
                kind,
                about,
                title: String::new(),
                line: line.clone(),
                reason: String::new(),
                day: None,
            };
            entry.is_sound()
        };
        let line = write_lines(kind, raw, record).into_iter().find(is_it);
        let line = line.ok_or_else(|| withheld("it cannot be written as one line of its own"))?;
        Ok(Entry {
            id,
            repository: self.repository.clone(),
            kind,
            about,
            title: without_hidden(&record.title),
            line,
            reason: without_hidden(&reason.replace('\n', " ")),
            day: if kind == EntryKind::Fix { None } else { record.date },
        })
    }

    /// Where a memory stands, for messages: file and line.
    pub fn place(&self, id: EntryId) -> Option<(&str, u32)> {
        self.places.get(&id).map(|(_, record)| (&*record.source.file, record.source.line))
    }

    /// The title of a memory.
    pub fn title(&self, id: EntryId) -> &str {
        self.places.get(&id).map_or("", |(_, record)| &record.title)
    }
}

/// Ways to write a memory on a line of its own, the one closest to the text first.
fn write_lines(kind: EntryKind, raw: &str, record: &Record) -> Vec<String> {
    // What pull wrote behind it is not part of it.
    let raw = raw.split(" <!--").next().unwrap_or_default().trim();
    let bare = raw.trim_start_matches(['-', '*', '+', '>']).trim_start();
    // `**` of a label is not a bullet.
    let bare = if raw.starts_with("**") { raw } else { bare };
    let content = record.content.lines().next().unwrap_or_default().trim();
    let label = kind.label();
    let mut lines = vec![bare.to_owned(), format!("{label}{bare}")];
    if kind != EntryKind::Fix {
        lines.push(format!("{label}{content}"));
        if let Some(reason) = &record.reasoning {
            lines.push(format!("{label}{} because {reason}", record.title));
        }
    }
    lines.push(format!("{label}{}", record.title));
    if record.is_key {
        lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "KEY: "));
    }
    lines.into_iter().map(|line| without_hidden(&line)).collect()
}

/// The text without characters that do not show.
fn without_hidden(text: &str) -> String {
    text.chars().filter(|char| !is_hidden(*char)).collect()
}

/// Returns whether a line on its own is read as one memory, the one with this identity. A fix is read below its issue,
/// of which the words are unknown here: it must be a fix and nothing else.
fn holds_only(line: &str, kind: EntryKind, repository: &str, id: EntryId, about: Option<EntryId>) -> bool {
    let heading = if kind == EntryKind::Gotcha { "## Gotchas\n" } else { "" };
    let text = format!("{heading}- {line}\n");
    let context =
        ParseContext { project: repository, today: Date::constant(2000, 1, 1), kind: SourceKind::MemoryFile, file: "" };
    let parsed = parse(&text, &context);
    if kind == EntryKind::Fix {
        let is_fix = |record: &Record| record.kind == Kind::Issue && record.status == Some(Status::Resolved);
        return about.is_some() && parsed.records.len() <= 1 && parsed.records.iter().all(is_fix);
    }
    matches!(parsed.records.as_slice(), [only] if EntryId::of(repository, only.kind.into(), &only.title) == id)
}
