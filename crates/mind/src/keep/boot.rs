//! Notes under a key that agents want at the start of every session: a view of `MEMORY.md`, where each is a line that
//! people can read and change, `Learned: boot/KEY: VALUE`.

use m1nd_memory::{Record, SourceKind};
use serde::Serialize;

use crate::MemoryError;
use crate::keep::add::{NewKind, add};
use crate::keep::keeper::Keeper;
use crate::keep::tidy::forget;
use crate::read::load::ProjectMemory;

/// Most notes of a project.
pub const MAX_BOOT_NOTES: usize = 64;
/// Longest key, in bytes.
pub const MAX_BOOT_KEY: usize = 80;
/// Longest value, in bytes.
pub const MAX_BOOT_VALUE: usize = 2_000;
/// Most tags and references of a note each.
pub const MAX_BOOT_LISTED: usize = 16;
/// Begins the text of a note.
const MARK: &str = "boot/";

/// A note under a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BootNote {
    /// Its key.
    pub key: String,
    /// Its text, in one line.
    pub value: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Files and symbols that it rests on.
    pub source_refs: Vec<String>,
    /// Its place: `file:line`.
    pub source: String,
    /// Day it was written, or first seen if the text has no day; RFC 3339.
    pub date: String,
    /// Id of the memory.
    pub id: String,
    /// Place of its memory in [`ProjectMemory::records`].
    #[serde(skip)]
    pub at: usize,
}

/// A note to be stored.
#[derive(Debug, Clone, Copy)]
pub struct BootDraft<'d> {
    /// Its key: letters, digits and `. _ / -`.
    pub key: &'d str,
    /// Its text.
    pub value: &'d str,
    /// Tags.
    pub tags: &'d [String],
    /// Files and symbols that it rests on.
    pub source_refs: &'d [String],
}

/// The notes of a project by key; of several lines with one key, the last.
pub fn boot_notes(memory: &ProjectMemory) -> Vec<BootNote> {
    let mut notes: Vec<BootNote> = Vec::new();
    let own = memory.records.iter().enumerate().filter(|(_, record)| record.source.kind == SourceKind::MemoryFile);
    for (at, record) in own {
        let Some(note) = parse_note(memory, record, at) else { continue };
        match notes.iter_mut().find(|known| known.key == note.key) {
            Some(known) if memory.records[known.at].source.line > record.source.line => {}
            Some(known) => *known = note,
            None => notes.push(note),
        }
    }
    notes.sort_by(|a, b| a.key.cmp(&b.key));
    notes.truncate(MAX_BOOT_NOTES);
    notes
}

fn parse_note(memory: &ProjectMemory, record: &Record, at: usize) -> Option<BootNote> {
    let (_, text) = record.content.split_once(MARK)?;
    let (key, text) = text.split_once(": ")?;
    if !is_key(key) {
        return None;
    }
    let mut value = text.trim();
    let mut list = |name: &str| {
        let (before, after) = value.rsplit_once(&format!(" ({name}: "))?;
        let items = after.strip_suffix(')')?;
        value = before;
        Some(items.split(", ").map(|item| item.trim_matches('`').to_owned()).collect::<Vec<_>>())
    };
    let source_refs = list("refs").unwrap_or_default();
    let tags = list("tags").unwrap_or_default();
    Some(BootNote {
        key: key.to_owned(),
        value: value.to_owned(),
        tags,
        source_refs,
        source: format!("{}:{}", record.source.file, record.source.line),
        date: memory.dates.get(at).cloned().unwrap_or_default(),
        id: record.id.to_string(),
        at,
    })
}

fn is_key(key: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    (1..=MAX_BOOT_KEY).contains(&key.len()) && key.chars().all(is_part)
}

/// Stores a note, in place of the one with its key. `memory` is that of the project as it is now.
///
/// # Errors
/// [`MemoryError::Invalid`] for a key, text or list that is too long or has other characters, too many notes, or a
/// text that looks like a secret; errors of writing.
pub fn set_boot_note(keeper: &Keeper, memory: &ProjectMemory, draft: &BootDraft<'_>) -> Result<BootNote, MemoryError> {
    let invalid = |why: String| Err(MemoryError::Invalid(why));
    let key = draft.key;
    if !is_key(key) {
        return invalid(format!("the key must be 1 to {MAX_BOOT_KEY} letters, digits and `. _ / -`"));
    }
    let value = draft.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if value.is_empty() || value.len() > MAX_BOOT_VALUE {
        return invalid(format!("the value has {} bytes, expected 1 to {MAX_BOOT_VALUE}", value.len()));
    }
    let before = boot_notes(memory);
    let known = before.iter().find(|note| note.key == key);
    if known.is_none() && before.len() >= MAX_BOOT_NOTES {
        return invalid(format!("there are {MAX_BOOT_NOTES} notes; delete one first"));
    }
    let mut line = format!("{MARK}{key}: {value}");
    for (name, items, quote) in [("tags", draft.tags, ""), ("refs", draft.source_refs, "`")] {
        let is_item = |item: &String| !item.trim().is_empty() && !item.contains([',', ')', '\n', '`']);
        if items.len() > MAX_BOOT_LISTED || !items.iter().all(is_item) {
            return invalid(format!("`{name}`: at most {MAX_BOOT_LISTED}, without commas, brackets and line breaks"));
        }
        if !items.is_empty() {
            let items: Vec<String> = items.iter().map(|item| format!("{quote}{}{quote}", item.trim())).collect();
            line.push_str(&format!(" ({name}: {})", items.join(", ")));
        }
    }
    let old = known.map(|note| note.id.clone());
    let added = add(memory, &line, Some(NewKind::Learning))?;
    let mut after = ProjectMemory::read(&memory.path, keeper.home())?;
    // The new one first: whatever happens in between, the key has a value.
    if let Some(old) = old.filter(|old| added.iter().all(|row| row.id != *old)) {
        forget(keeper, &after, &old, false)?;
        after = ProjectMemory::read(&memory.path, keeper.home())?;
    }
    let stored = boot_notes(&after).into_iter().find(|note| note.key == key);
    stored.ok_or_else(|| MemoryError::Invalid("the note would not be read again as it stands".to_owned()))
}

/// Takes a note out. Returns the note as it was; `None` if there is none under this key.
///
/// # Errors
/// Those of [`forget`].
pub fn delete_boot_note(keeper: &Keeper, memory: &ProjectMemory, key: &str) -> Result<Option<BootNote>, MemoryError> {
    let Some(note) = boot_notes(memory).into_iter().find(|note| note.key == key) else { return Ok(None) };
    forget(keeper, memory, &note.id, false)?;
    Ok(Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(text: &str) -> (tempfile::TempDir, Keeper) {
        let tree = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(tree.path().join(".mind")).expect("is made");
        std::fs::write(tree.path().join(".mind/MEMORY.md"), text).expect("is written");
        let keeper = Keeper::new(&tree.path().join("home"), None);
        (tree, keeper)
    }

    fn read(tree: &tempfile::TempDir, keeper: &Keeper) -> ProjectMemory {
        ProjectMemory::read(tree.path(), keeper.home()).expect("is read")
    }

    #[test]
    fn a_note_is_a_line_of_the_memory() {
        let (tree, keeper) = project("# Shop\n\n## 2026-01-02\n**Decided:** redis over memcached because of lists\n");
        let (tags, refs) = (vec!["ops".to_owned(), "db".to_owned()], vec!["src/migrate.py".to_owned()]);
        let draft = BootDraft {
            key: "deploy.order",
            value: "run migrations\nbefore the code",
            tags: &tags,
            source_refs: &refs,
        };
        let note = set_boot_note(&keeper, &read(&tree, &keeper), &draft).expect("is stored");
        assert_eq!(
            (note.value.as_str(), &note.tags, &note.source_refs),
            ("run migrations before the code", &tags, &refs)
        );
        let second = BootDraft { value: "run migrations after the code", ..draft };
        set_boot_note(&keeper, &read(&tree, &keeper), &second).expect("is replaced");
        let same = set_boot_note(&keeper, &read(&tree, &keeper), &second).expect("is there already");
        let notes = boot_notes(&read(&tree, &keeper));
        assert_eq!(notes, [same]);
        let text = std::fs::read_to_string(tree.path().join(".mind/MEMORY.md")).expect("is read");
        assert_eq!(text.matches("boot/deploy.order").count(), 1, "{text}");
        assert!(text.contains("redis over memcached"), "{text}");
        assert!(delete_boot_note(&keeper, &read(&tree, &keeper), "deploy.order").expect("is deleted").is_some());
        assert!(boot_notes(&read(&tree, &keeper)).is_empty());
        assert!(delete_boot_note(&keeper, &read(&tree, &keeper), "deploy.order").expect("is asked").is_none());
    }

    #[test]
    fn what_cannot_be_a_note_is_refused_and_nothing_is_written() {
        let (tree, keeper) = project("# Shop\n");
        let long = "x ".repeat(MAX_BOOT_VALUE);
        let rows = [("", "v"), ("a b", "v"), ("k", ""), ("k", long.as_str()), ("k", "password = hunter2hunter2XyZ9")];
        for (key, value) in rows {
            let draft = BootDraft { key, value, tags: &[], source_refs: &[] };
            assert!(set_boot_note(&keeper, &read(&tree, &keeper), &draft).is_err(), "{key}");
        }
        let commas = ["a, b".to_owned()];
        let draft = BootDraft { key: "k", value: "some value", tags: &commas, source_refs: &[] };
        assert!(set_boot_note(&keeper, &read(&tree, &keeper), &draft).is_err());
        assert_eq!(std::fs::read_to_string(tree.path().join(".mind/MEMORY.md")).expect("is read"), "# Shop\n");
    }
}
