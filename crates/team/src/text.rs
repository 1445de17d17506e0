//! Memories of a team → what is appended to `MEMORY.md`. Nothing that stands in the file is changed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use m1nd_memory::SourceKind;

use crate::entry::{MemoryText, collect_entries};
use crate::{Entry, EntryId, EntryKind, TeamError};

/// Heading of a section of gotchas.
const GOTCHAS: &str = "## Gotchas";
/// Maximum number of characters of an author's name in the text.
const MAX_AUTHOR_CHARS: usize = 64;

/// A memory of the team, with who wrote it and on which day it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The memory.
    pub entry: Entry,
    /// Login of its author.
    pub author: String,
    /// The day on which the database took it (UTC).
    pub stored: Date,
}

/// What is appended, and what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The text to be appended; empty for nothing.
    pub added: String,
    /// The memories in it.
    pub written: Vec<EntryId>,
    /// Memories that would not be read as themselves at the end of this text.
    pub unwritable: Vec<EntryId>,
}

/// Renders memories behind the text `before` of the file `file`, in an order that depends on nothing but them. Each is
/// then read again: what would not be the same memory is left out.
///
/// # Errors
/// [`TeamError::Invalid`] if nothing at the end of the text would be read as a memory.
pub fn append_entries(
    before: &str,
    file: &str,
    repository: &str,
    received: &[Received],
    today: Date,
) -> Result<Rendered, TeamError> {
    let mut kept: Vec<&Received> = received.iter().filter(|received| received.entry.is_sound()).collect();
    let mut unwritable: Vec<EntryId> =
        received.iter().filter(|received| !received.entry.is_sound()).map(|received| received.entry.id).collect();
    // Those that are not found again are left out, which others may depend on: a fix on its issue.
    while !kept.is_empty() {
        let added = render(before, &kept);
        let after = format!("{before}{added}");
        let text = MemoryText { file, kind: SourceKind::MemoryFile, content: &after };
        let present = collect_entries(repository, &[text], today).present;
        let missing: BTreeSet<EntryId> =
            kept.iter().map(|received| received.entry.id).filter(|id| !present.contains(id)).collect();
        if missing.is_empty() {
            let written = kept.iter().map(|received| received.entry.id).collect();
            return Ok(Rendered { added, written, unwritable });
        }
        if missing.len() == kept.len() && kept.iter().any(|received| received.entry.kind != EntryKind::Fix) {
            let why = "would not be read as memories (is a code fence or comment open there?); nothing was written";
            return Err(TeamError::Invalid(format!("lines at the end of {file} {why}")));
        }
        kept.retain(|received| !missing.contains(&received.entry.id));
        unwritable.extend(missing);
    }
    Ok(Rendered { unwritable, ..Rendered::default() })
}

/// The lines below their headings: gotchas first, then days, the oldest first.
fn render(before: &str, received: &[&Received]) -> String {
    let mut gotchas = BTreeSet::new();
    let mut days: BTreeMap<Date, BTreeSet<(bool, EntryId, String)>> = BTreeMap::new();
    for Received { entry, author, stored } in received {
        let line = format!("- {} <!-- team: {} -->\n", entry.line, write_author(author));
        let day = entry.day.unwrap_or(*stored);
        match entry.kind {
            EntryKind::Gotcha => drop(gotchas.insert((day, entry.id, line))),
            // A fix stands below its issue.
            kind => drop(days.entry(day).or_default().insert((kind == EntryKind::Fix, entry.id, line))),
        }
    }
    let mut out = String::new();
    if !before.is_empty() && !before.ends_with('\n') {
        out.push('\n');
    }
    if !gotchas.is_empty() {
        out.push_str(&format!("\n{GOTCHAS}\n\n"));
        out.extend(gotchas.into_iter().map(|(_, _, line)| line));
    }
    for (day, lines) in days {
        out.push_str(&format!("\n## {day}\n\n"));
        out.extend(lines.into_iter().map(|(_, _, line)| line));
    }
    out
}

/// A login as plain text: it may hold any character.
fn write_author(login: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._@+".contains(c) { c } else { '_' };
    login.chars().map(plain).take(MAX_AUTHOR_CHARS).collect()
}
