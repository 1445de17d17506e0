//! Taking old or unwanted entries out of a memory. Only when asked for by a person; the file as it was is kept.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use m1nd_base::ContentHash;
use m1nd_memory::edges::PROJECT_PREFIX;
use m1nd_memory::{ParseContext, Record, SourceKind, Status, parse};

use crate::MemoryError;
use crate::files::own_files::{append, archive_of, lock, read, replace};
use crate::files::project::{MEMORY_FILE, SESSION_FILE};
use crate::keep::keeper::Keeper;
use crate::read::load::ProjectMemory;

/// A day that is moved.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Archived {
    /// Its day.
    pub date: Date,
    /// 1-based first line of its section.
    pub line: u32,
    /// Lines of it.
    pub lines: usize,
    /// Where it is moved to.
    pub file: PathBuf,
}

/// Moves the sections of days before `before` to `.mind/archive/<year>.md`, where they are still found. A day stays
/// while something in it is pinned, open, or spoken of by another memory.
///
/// # Errors
/// [`MemoryError::Files`] or [`MemoryError::Store`]; then nothing is lost, at most a day stands in both places.
pub fn archive(memory: &ProjectMemory, before: Date, dry_run: bool) -> Result<Vec<Archived>, MemoryError> {
    let _lock = lock(&memory.path)?;
    let text = read(&memory.path, MEMORY_FILE)?;
    // The lines are those of the text that was parsed, before others were locked out; these may have appended some.
    let parsed = usize::try_from(memory.bytes).ok().and_then(|end| text.get(..end));
    let Some(text) = parsed.filter(|text| ContentHash::of(text.as_bytes()) == memory.hash) else {
        return Err(MemoryError::Invalid(format!("{MEMORY_FILE} has changed meanwhile; try again")));
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let headings = headings(&lines);
    let mut moved = Vec::new();
    let mut taken = vec![false; lines.len()];
    for session in memory.parsed.sessions.iter().filter(|session| session.date < before && session.line > 0) {
        let start = session.line as usize - 1;
        if !headings.contains(&start) {
            continue;
        }
        let end = headings.iter().copied().find(|&other| other > start).unwrap_or(lines.len());
        let within = |line: u32| (start..end).contains(&(line as usize).saturating_sub(1));
        if memory.parsed.records.iter().any(|record| within(record.source.line) && must_stay(memory, record, &within)) {
            continue;
        }
        taken[start..end].fill(true);
        let file = memory.path.join(archive_of(session.date.year()));
        moved.push((
            Archived { date: session.date, line: session.line, lines: end - start, file },
            lines[start..end].concat(),
        ));
    }
    if !dry_run && !moved.is_empty() {
        for (archived, section) in &moved {
            append(&memory.path, archived.date.year(), section)?;
        }
        let rest: String = lines.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(line, _)| *line).collect();
        replace(&memory.path, MEMORY_FILE, text, &rest)?;
    }
    Ok(moved.into_iter().map(|(archived, _)| archived).collect())
}

/// Whether a memory keeps its day in the file.
fn must_stay(memory: &ProjectMemory, record: &Record, within: &dyn Fn(u32) -> bool) -> bool {
    let is_open = matches!(record.status, Some(Status::Open | Status::Blocked));
    let line_of = |id| memory.parsed.records.iter().find(|other| other.id == id).map(|other| other.source.line);
    let is_target = memory
        .parsed
        .relations
        .iter()
        .any(|relation| relation.to == record.id && line_of(relation.from).is_some_and(|line| !within(line)));
    record.is_key || is_open || is_target
}

/// A memory that was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Forgotten {
    /// The file it stands in, or stood in; `git:` and the short name of a commit.
    pub file: String,
    /// Its 1-based line there.
    pub line: u32,
    /// The line that was taken out, else the title.
    pub text: String,
    /// Its text stays where it is (code, a commit, a line with other memories), and it is never shown again on this
    /// machine.
    pub hidden: bool,
}

/// Forgets one memory: its line is taken out of the file of memories that it stands in alone; elsewhere it is put out
/// of sight, for this user and for good. Ids of `mind_edges` are understood, too.
///
/// # Errors
/// [`MemoryError::Invalid`] if there is no such memory or its file has changed; [`MemoryError::Store`] and the like.
pub fn forget(keeper: &Keeper, memory: &ProjectMemory, id: &str, dry_run: bool) -> Result<Forgotten, MemoryError> {
    let id = id.strip_prefix(PROJECT_PREFIX).unwrap_or(id);
    let Some(record) = memory.records.iter().find(|record| record.id.to_string() == id) else {
        let why = format!("no memory of this project has the id `{id}`; `mind parse --inline` shows them");
        return Err(MemoryError::Invalid(why));
    };
    if let Some(main) = memory.main.as_ref().filter(|main| main.has(record)) {
        // It stands in the file of the main work tree.
        return forget(keeper, &ProjectMemory::read(&main.project, keeper.home())?, id, dry_run);
    }
    let (file, line) = (&*record.source.file, record.source.line);
    let is_in_file = matches!(record.source.kind, SourceKind::MemoryFile | SourceKind::Archive) && file != SESSION_FILE;
    let text = match is_in_file && is_alone(memory, record)? {
        true => Some(take_out(memory, record, dry_run)?),
        false => None,
    };
    if text.is_none() && !dry_run {
        keeper.hide(&memory.path, id, Some(format!("{file}:{line}")))?;
    }
    let hidden = text.is_none();
    Ok(Forgotten { file: file.to_owned(), line, text: text.unwrap_or_else(|| record.title.to_string()), hidden })
}

/// Shows a memory again that [`forget`] put out of sight. `false` if there is none of this id.
///
/// # Errors
/// [`MemoryError::Damaged`] or [`MemoryError::Store`].
pub fn show_again(keeper: &Keeper, project: &Path, id: &str) -> Result<bool, MemoryError> {
    keeper.hide(project, id.strip_prefix(PROJECT_PREFIX).unwrap_or(id), None)
}

/// Takes the line of a memory out of its file. Returns its text.
fn take_out(memory: &ProjectMemory, record: &Record, dry_run: bool) -> Result<String, MemoryError> {
    let invalid = |why: String| Err(MemoryError::Invalid(why));
    let (file, line) = (&*record.source.file, record.source.line);
    let _lock = lock(&memory.path)?;
    let text = read(&memory.path, file)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = line as usize - 1;
    let removed = lines.get(at).filter(|_| stands_in(memory, record, &text));
    let Some(removed) = removed else { return invalid(format!("{file} has changed meanwhile; try again")) };
    let mut text_of = removed.trim_end().to_owned();
    let others: Vec<u32> = parse_records(memory, record, &text).iter().map(|found| found.source.line).collect();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = words(&record.content);
    let mut end = at + 1;
    // A line that was only broken for width goes with it, and so does the fix right below an issue.
    while let Some(next) =
        lines.get(end).map(|line| words(line)).filter(|next| !next.is_empty() && whole.contains(next))
    {
        if others.iter().any(|line| *line as usize == end + 1) {
            break;
        }
        text_of = format!("{text_of}\n{next}");
        end += 1;
    }
    if !dry_run {
        let rest: String = [&lines[..at], &lines[end..]].concat().concat();
        replace(&memory.path, file, &text, &rest)?;
    }
    Ok(text_of)
}

/// Whether no other memory stands on a memory's line, one that is out of sight included.
fn is_alone(memory: &ProjectMemory, record: &Record) -> Result<bool, MemoryError> {
    let text = read(&memory.path, &record.source.file)?;
    let on_line = |found: &&Record| found.source.line == record.source.line;
    Ok(parse_records(memory, record, &text).iter().filter(on_line).count() <= 1)
}

/// The memories that the file of one holds when its text is this.
fn parse_records(memory: &ProjectMemory, record: &Record, text: &str) -> Vec<Record> {
    let (kind, file) = (record.source.kind, &*record.source.file);
    parse(text, &ParseContext { project: &memory.key, today: memory.today, kind, file }).records
}

/// Whether a memory still stands where it was found, in the text that its file has now.
fn stands_in(memory: &ProjectMemory, record: &Record, text: &str) -> bool {
    let is_it = |found: &Record| found.id == record.id && found.source.line == record.source.line;
    parse_records(memory, record, text).iter().any(is_it)
}

/// The lines that begin a section: headings of the first two levels, outside of code.
fn headings(lines: &[&str]) -> Vec<usize> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && (line.starts_with("# ") || line.starts_with("## ")) {
            found.push(at);
        }
    }
    found
}
