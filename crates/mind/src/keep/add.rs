//! Adding a memory to `MEMORY.md`, in the form that people and agents write it in.

use jiff::civil::Date;
use m1nd_base::secrets;
use m1nd_memory::{Kind, ParseContext, Parsed, Record, SourceKind, parse};
use m1nd_store::{append_to_user_file, inside};
use serde::Serialize;

use crate::MemoryError;
use crate::files::own_files::{lock, read, replace};
use crate::files::project::MEMORY_FILE;
use crate::read::load::ProjectMemory;

/// Largest text of a new memory, in bytes.
const MAX_ADDED: usize = 8 << 10;
/// Heading of the section of gotchas.
const GOTCHAS: &str = "## Gotchas";

/// Kinds that a new memory can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewKind {
    /// Something that was decided.
    Decision,
    /// A problem that is open.
    Issue,
    /// The fix of a problem.
    Fix,
    /// Something that was learned.
    Learning,
    /// A trap of the project.
    Gotcha,
}

/// A memory that was added, or that stood there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// Name of its kind.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// Its file, below the project.
    pub file: &'static str,
    /// Its 1-based line there.
    pub line: u32,
    /// Whether it stood there before; nothing is written then.
    pub is_known: bool,
}

/// Adds a memory, one a line of `text`: gotchas to their section, others below a heading of today. Without a `kind` the
/// text says itself what it is; if it does not, it is something that was learned.
///
/// # Errors
/// [`MemoryError::Invalid`] for an empty or too long text, one that holds a secret, or one that would not be read as a
/// memory; [`MemoryError::Files`] or [`MemoryError::Store`]. Nothing is written then.
pub fn add(memory: &ProjectMemory, text: &str, kind: Option<NewKind>) -> Result<Vec<Added>, MemoryError> {
    let invalid = |why: String| Err(MemoryError::Invalid(why));
    if text.len() > MAX_ADDED {
        return invalid(format!("{} bytes, at most {MAX_ADDED} are expected; write it into {MEMORY_FILE}", text.len()));
    }
    if let Some(secret) = secrets::find(text).first() {
        return invalid(format!("the text looks like it holds a secret ({}); leave it out", secret.kind));
    }
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| write_line(memory, line, kind))
        .collect();
    if lines.is_empty() {
        return invalid("the text is empty, expected a sentence".to_owned());
    }
    let project = memory.project_to_write_to();
    let _lock = lock(project)?;
    let before = read(project, MEMORY_FILE)?;
    let known = parse_text(memory, &before).records;
    let alone = match kind {
        Some(NewKind::Gotcha) => with_gotchas("", &lines).1,
        _ => with_day("", memory.today, &lines),
    };
    let alone = parse_text(memory, &alone).records;
    let same = |record: &Record| known.iter().find(|known| known.id == record.id && known.status == record.status);
    if !alone.is_empty() && alone.iter().all(|record| same(record).is_some()) {
        return Ok(alone.iter().filter_map(same).map(|known| row(known, true)).collect());
    }
    let (place, added) = match kind {
        Some(NewKind::Gotcha) => with_gotchas(&before, &lines),
        _ => (before.len(), with_day(&before, memory.today, &lines)),
    };
    let after = format!("{}{added}{}", &before[..place], &before[place..]);
    let first = line_at(&before, place);
    let end = first + added.lines().count() as u32 + 1;
    let on_new_line = |line: u32| (first..=end).contains(&line) && lines_hold(&after, line, &lines);
    // A fix has no row of its own if it closes an issue.
    let is_new = |record: &&Record| on_new_line(record.source.line) || record.resolved_by_line.is_some_and(on_new_line);
    let found = parse_text(memory, &after).records;
    let new: Vec<&Record> = found.iter().filter(is_new).collect();
    if new.is_empty() {
        let why =
            "would not be read as a memory there (is a code fence or comment open at its end?); nothing was written";
        return invalid(format!("the end of {MEMORY_FILE} {why}"));
    }
    let new = new.into_iter().map(|record| row(record, false)).collect();
    if place == before.len() {
        // In one piece: others append as well.
        append_to_user_file(&inside(project, &project.join(MEMORY_FILE))?, added.as_bytes())?;
    } else {
        replace(project, MEMORY_FILE, &before, &after)?;
    }
    Ok(new)
}

/// A line of a memory, with the label of its kind.
fn write_line(memory: &ProjectMemory, line: &str, kind: Option<NewKind>) -> String {
    let plain = line.trim_start_matches(['-', '*', ' ']);
    match kind {
        Some(NewKind::Decision) => format!("**Decided:** {plain}"),
        Some(NewKind::Issue) => format!("**Problem:** {plain}"),
        Some(NewKind::Fix) => format!("**Fixed:** {plain}"),
        Some(NewKind::Learning) => format!("**Learned:** {plain}"),
        Some(NewKind::Gotcha) => format!("- {plain}"),
        None if parse_text(memory, line).records.is_empty() => format!("**Learned:** {plain}"),
        None => line.to_owned(),
    }
}

/// What is appended: the lines, below a heading of today unless that is the last one.
fn with_day(before: &str, today: Date, lines: &[String]) -> String {
    let last = before.lines().rev().find(|line| line.starts_with("## ") || line.starts_with("# "));
    let is_today = last.is_some_and(|heading| heading.starts_with(&format!("## {today}")));
    let heading = if is_today { String::new() } else { format!("\n## {today}\n\n") };
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{gap}{heading}{}\n", lines.join("\n"))
}

/// Where gotchas are put in, and what: at the end of their section, or with a section of their own at the end.
fn with_gotchas(before: &str, lines: &[String]) -> (usize, String) {
    let (mut at, mut place) = (0, None);
    for line in before.split_inclusive('\n') {
        let is_heading =
            line.trim_end().eq_ignore_ascii_case(GOTCHAS) || line.trim_end().eq_ignore_ascii_case("## Gotcha");
        if place.is_some() && (line.starts_with("## ") || line.starts_with("# ") || line.trim_end() == "---") {
            break;
        }
        at += line.len();
        if is_heading || place.is_some() && line.starts_with(['-', '*', ' ']) && !line.trim().is_empty() {
            place = Some(at);
        }
    }
    let lines = lines.join("\n");
    match place {
        Some(place) if before[..place].ends_with('\n') => (place, format!("{lines}\n")),
        Some(place) => (place, format!("\n{lines}\n")),
        None => (before.len(), format!("\n\n{GOTCHAS}\n{lines}\n")),
    }
}

/// 1-based line of a place.
fn line_at(text: &str, place: usize) -> u32 {
    1 + text[..place].bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// Whether a line is one of these.
fn lines_hold(text: &str, line: u32, lines: &[String]) -> bool {
    let line = text.lines().nth((line as usize).saturating_sub(1));
    line.is_some_and(|line| lines.iter().any(|own| own == line))
}

fn parse_text(memory: &ProjectMemory, text: &str) -> Parsed {
    let kind = SourceKind::MemoryFile;
    parse(text, &ParseContext { project: &memory.key, today: memory.today, kind, file: MEMORY_FILE })
}

fn row(record: &Record, is_known: bool) -> Added {
    Added {
        id: record.id.to_string(),
        kind: record.kind,
        title: record.title.to_string(),
        file: MEMORY_FILE,
        line: record.source.line,
        is_known,
    }
}
