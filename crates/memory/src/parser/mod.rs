//! A memory file → its memories. Never fails: what cannot be read is named in the problems, the rest is found.
//!
//! Markdown is read first ([`markdown`]), so that code, quotes and comments are out of reach of the rules; each line is
//! split into sentences ([`sentence`]); the best cue of a sentence makes it a memory ([`cues`], [`draft`]); at last the
//! memories are compared with each other ([`timeline`]).

pub(crate) mod cues;
pub(crate) mod dates;
pub(crate) mod draft;
pub(crate) mod gotcha_bullets;
pub(crate) mod markdown;
pub(crate) mod sentence;
pub(crate) mod state;
pub(crate) mod timeline;
mod values;
mod walk;
mod words;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use self::gotcha_bullets::GotchaBullet;
use self::state::ProjectState;
use self::timeline::Titles;
use crate::relations::{Relation, relations_of};
use crate::sessions::{NextItem, Session};
use crate::{Record, SourceKind};

/// Bytes of one text that are read.
pub const MAX_TEXT_BYTES: usize = 8 << 20;
/// Memories kept of one text.
pub const MAX_RECORDS: usize = 20_000;
/// Problems kept of one text.
pub const MAX_PROBLEMS: usize = 100;
/// From this confidence on a memory is a high one.
pub const HIGH_CONFIDENCE: f32 = 0.8;
/// From this confidence on a memory is a medium one, below a low one.
pub const MEDIUM_CONFIDENCE: f32 = 0.5;
/// Less sure is not kept.
pub const MIN_CONFIDENCE: f32 = 0.3;

/// What a text does not say of itself.
#[derive(Clone, Copy, Debug)]
pub struct ParseContext<'a> {
    /// Any stable name of the project, such as its absolute path: part of each id.
    pub project: &'a str,
    /// The day on which the text is read: settles the year of `Dec 12`.
    pub today: Date,
    /// What kind of text it is: a memory file or its archive.
    pub kind: SourceKind,
    /// Its path relative to the project, with `/`.
    pub file: &'a str,
}

/// Something in a text that could not be taken in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseProblem {
    /// 1-based line, 0 for the whole text.
    pub line: u32,
    /// What, with the limit it met.
    pub detail: Box<str>,
}

/// Figures of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Lines of the text.
    pub lines: u32,
    /// Memories found.
    pub found: u32,
    /// With a confidence of at least [`HIGH_CONFIDENCE`].
    pub high: u32,
    /// With a confidence of at least [`MEDIUM_CONFIDENCE`], but not high.
    pub medium: u32,
    /// The others.
    pub low: u32,
}

/// Everything found in one text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// Goal, stack and what blocks.
    pub project_state: ProjectState,
    /// All memories in order of time, then the gotchas; each id once.
    pub records: Vec<Record>,
    /// The bullets of the Gotchas section, with what a record has no place for.
    pub gotchas: Vec<GotchaBullet>,
    /// Days of work, in order of the text.
    pub sessions: Vec<Session>,
    /// `Next:` lines, in order of the text.
    pub next_items: Vec<NextItem>,
    /// What the memories say of each other.
    pub relations: Vec<Relation>,
    /// What could not be taken in.
    pub problems: Vec<ParseProblem>,
    /// Figures.
    pub stats: Stats,
}

/// Reads a memory file. Pure and total; linear in the text's length but for hostile texts, which are bounded by the
/// limits of this module.
#[must_use]
pub fn parse(text: &str, context: &ParseContext<'_>) -> Parsed {
    let mut problems = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut end = text.len();
    if end > MAX_TEXT_BYTES {
        end = MAX_TEXT_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let detail = format!("{} bytes, only the first {MAX_TEXT_BYTES} are read; archive old entries", text.len());
        problems.push(ParseProblem { line: 0, detail: detail.into() });
    }
    let text = &text[..end];
    if text.contains('\0') {
        let detail = "it holds bytes that are no text; save it as UTF-8 (it may be UTF-16, or no memory at all)";
        problems.push(ParseProblem { line: 0, detail: detail.into() });
    }
    let lines = markdown::lines(text);
    let (mut parsed, titles) = walk::walk(&lines, context, problems);
    let Titles { tokens, mut lexicon } = titles;
    parsed.relations = relations_of(&parsed.records, tokens, &mut lexicon);
    parsed.stats = stats(&parsed.records, text.lines().count());
    parsed
}

fn stats(records: &[Record], lines: usize) -> Stats {
    let mut stats = Stats { lines: u32::try_from(lines).unwrap_or(u32::MAX), ..Stats::default() };
    for record in records {
        stats.found += 1;
        match record.confidence {
            sure if sure >= HIGH_CONFIDENCE => stats.high += 1,
            sure if sure >= MEDIUM_CONFIDENCE => stats.medium += 1,
            _ => stats.low += 1,
        }
    }
    stats
}
