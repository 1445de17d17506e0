//! What a batch will write: files are read and new content is computed, nothing is written.

use std::collections::{HashMap, HashSet};

use m1nd_base::{ContentHash, RepoPath};
use m1nd_vfs::Root;
use serde::{Deserialize, Serialize};

use crate::commit::Workspace;
use crate::destination::{self, Destination};
use crate::diff::changed_lines;
use crate::disk::{self, Found, Gate};
use crate::encoding::{Encoding, with_endings_in, with_endings_of};
use crate::replace::{Replacement, apply_replacements};
use crate::{EditError, LineCounts, patch, unified_diff};

/// Most edits of a batch.
pub const MAX_EDITS: usize = 1_000;
/// Largest file that is written or replaced, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 << 20;
/// Most bytes of old and new content of a batch.
pub const MAX_BATCH_BYTES: u64 = 128 << 20;

/// A file of a project.
#[derive(Debug, Clone)]
pub struct Target {
    /// The root it is below.
    pub root: Root,
    /// Its path in the root.
    pub inner: RepoPath,
    /// Its path in the index, for messages and answers.
    pub path: RepoPath,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It gets this text, and is created if there is none.
    Text(String),
    /// Texts that occur once are replaced.
    Replace(Vec<Replacement>),
    /// A unified diff is applied; one against no file creates it.
    Patch(String),
    /// These bytes of its text are replaced, from the first to the one behind the last.
    Range(usize, usize, String),
    /// It is removed.
    Remove,
}

/// The content that the caller believes a file to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expected {
    /// Any, or none.
    #[default]
    Anything,
    /// There is no file.
    Nothing,
    /// Content with this hash.
    Content(ContentHash),
}

/// One file of a batch.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The file.
    pub target: Target,
    /// What becomes of it.
    pub change: Change,
    /// What it must be now.
    pub expected: Expected,
}

/// The current content of a file.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: ContentHash,
    pub(crate) mode: Option<u32>,
    pub(crate) text: String,
}

/// An edit with the content before and after it.
#[derive(Debug)]
pub struct PlannedEdit {
    pub(crate) target: Target,
    pub(crate) before: Option<Before>,
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) after_text: Option<String>,
    pub(crate) encoding: Encoding,
    /// Mode of a file that is created.
    pub(crate) new_mode: Option<u32>,
    /// Whether the file is a program afterwards; `None` as before.
    pub(crate) executable: Option<bool>,
}

/// A batch that can be committed.
#[derive(Debug)]
pub struct Plan {
    pub(crate) edits: Vec<PlannedEdit>,
}

impl Plan {
    /// The edits, in the order they were given.
    pub fn edits(&self) -> &[PlannedEdit] {
        &self.edits
    }

    /// The batch that undoes this one after it was committed.
    pub fn inverse(&self) -> Self {
        let undone = |edit: &PlannedEdit| PlannedEdit {
            target: edit.target.clone(),
            before: edit.after.clone().zip(edit.after_text.clone()).map(|(bytes, text)| Before {
                hash: ContentHash::of(&bytes),
                mode: edit.before.as_ref().and_then(|before| before.mode),
                bytes,
                text,
            }),
            after: edit.before.as_ref().map(|before| before.bytes.clone()),
            after_text: edit.before.as_ref().map(|before| before.text.clone()),
            encoding: edit.encoding,
            new_mode: edit.before.as_ref().and_then(|before| before.mode),
            executable: None,
        };
        Self { edits: self.edits.iter().map(undone).collect() }
    }

    /// Those that change something.
    pub fn changes(&self) -> impl Iterator<Item = &PlannedEdit> {
        self.edits.iter().filter(|edit| edit.is_change())
    }
}

impl PlannedEdit {
    /// The file.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Its path in the index.
    pub fn path(&self) -> &RepoPath {
        &self.target.path
    }

    /// The text now; `None` if there is no file.
    pub fn before_text(&self) -> Option<&str> {
        self.before.as_ref().map(|before| before.text.as_str())
    }

    /// The text afterwards; `None` if it is removed.
    pub fn after_text(&self) -> Option<&str> {
        self.after_text.as_deref()
    }

    /// The bytes afterwards; `None` if it is removed.
    pub fn after_bytes(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Hash of the bytes now.
    pub fn before_hash(&self) -> Option<ContentHash> {
        self.before.as_ref().map(|before| before.hash)
    }

    /// Hash of the bytes afterwards.
    pub fn after_hash(&self) -> Option<ContentHash> {
        self.after.as_deref().map(ContentHash::of)
    }

    /// Number of bytes now.
    pub fn before_len(&self) -> usize {
        self.before.as_ref().map_or(0, |before| before.bytes.len())
    }

    /// How its bytes are a text.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns whether the content differs.
    pub fn is_change(&self) -> bool {
        self.before.as_ref().map(|before| before.bytes.as_slice()) != self.after.as_deref()
    }

    /// The places of the old text that it touches, as first and last line, counted from 1. An insertion touches the
    /// lines before and behind it.
    pub fn changed_lines(&self) -> Vec<(u32, u32)> {
        changed_lines(self.before_text(), self.after_text())
    }

    /// The unified diff and its line counts.
    pub fn diff(&self) -> (String, LineCounts) {
        unified_diff(self.target.path.as_str(), self.before_text(), self.after_text())
    }
}

impl Workspace {
    /// Reads the files of a batch and computes their new content.
    ///
    /// # Errors
    /// See [`EditError`]: of the first edit that cannot be made.
    pub fn plan(&self, edits: Vec<Edit>) -> Result<Plan, EditError> {
        if edits.len() > MAX_EDITS {
            return Err(EditError::TooMany { count: edits.len(), limit: MAX_EDITS });
        }
        check_folders(&edits)?;
        let mut seen = Seen::default();
        let mut size = 0u64;
        let mut planned = Vec::with_capacity(edits.len());
        for edit in edits {
            let edit = self.plan_one(edit, &mut seen)?;
            size += (edit.before_len() + edit.after.as_ref().map_or(0, Vec::len)) as u64;
            if size > MAX_BATCH_BYTES {
                return Err(EditError::TooLarge { what: "the batch".into(), size, limit: MAX_BATCH_BYTES });
            }
            planned.push(edit);
        }
        Ok(Plan { edits: planned })
    }

    fn plan_one(&self, edit: Edit, seen: &mut Seen) -> Result<PlannedEdit, EditError> {
        let Edit { target, change, expected } = edit;
        crate::guarded::check(self.allowances(), target.root.path(), &target.inner, target.path.as_str())?;
        let place = self.place(&target)?;
        let before = read_before(self.gate(), &place, &target)?;
        seen.add(self.gate(), &place, &target)?;
        let found = before.as_ref().map(|before| before.hash);
        let path = target.path.as_str();
        match expected {
            Expected::Nothing if found.is_some() => return Err(EditError::source_modified(path, None, found)),
            Expected::Content(hash) if found != Some(hash) => {
                return Err(EditError::source_modified(path, Some(hash), found));
            }
            _ => {}
        }
        let (encoding, old) = match &before {
            Some(before) => (before_encoding(before), Some(before.text.as_str())),
            None => (Encoding::Utf8, None),
        };
        let executable = mode_in(&change);
        let after_text = new_text(path, old, change)?;
        let after = after_text.as_deref().map(|text| encode_text(path, encoding, text)).transpose()?;
        Ok(PlannedEdit { target, before, after, after_text, encoding, new_mode: None, executable })
    }

    /// Opens the folders on the way to a file.
    pub(crate) fn place(&self, target: &Target) -> Result<Destination, EditError> {
        let path = target.path.as_str();
        if self.holds(target.root.path()) {
            return Err(EditError::Refused { path: path.to_owned(), why: "it belongs to the state of m1nd" });
        }
        destination::find(self.gate(), &target.root, &target.inner, self.list_closed(), path)
    }
}

fn before_encoding(before: &Before) -> Encoding {
    Encoding::decode(&before.bytes).map_or(Encoding::Utf8, |(encoding, _)| encoding)
}

/// The current content of the file at a place.
pub(crate) fn read_before(gate: &dyn Gate, place: &Destination, target: &Target) -> Result<Option<Before>, EditError> {
    let path = target.path.as_str();
    if !place.missing.is_empty() {
        return Ok(None);
    }
    let failed = |error| EditError::step(path, "reading")(error);
    let meta = match disk::look(gate, &place.folder, &place.name).map_err(failed)? {
        Found::Nothing => return Ok(None),
        Found::File(meta) => meta,
        Found::Other("a link") => {
            return Err(EditError::Refused {
                path: path.to_owned(),
                why: "it is a link; name the file that it leads to",
            });
        }
        Found::Other(_) => {
            return Err(EditError::Refused { path: path.to_owned(), why: "it is not a regular file" });
        }
    };
    let too_large = |size| EditError::TooLarge { what: path.to_owned(), size, limit: MAX_FILE_BYTES };
    if meta.len() > MAX_FILE_BYTES {
        return Err(too_large(meta.len()));
    }
    if meta.permissions().readonly() {
        let why = "it is write-protected; remove the protection if it is to be changed";
        return Err(EditError::Refused { path: path.to_owned(), why });
    }
    let bytes = disk::read(gate, &place.folder, &place.name, &meta, MAX_FILE_BYTES).map_err(failed)?;
    let Some((_, text)) = Encoding::decode(&bytes) else {
        return Err(EditError::Binary { path: path.to_owned() });
    };
    let hash = ContentHash::of(&bytes);
    Ok(Some(Before { hash, mode: disk::mode_of(&meta), text, bytes }))
}

/// Refuses a batch in which a path is both a file and a folder.
fn check_folders(edits: &[Edit]) -> Result<(), EditError> {
    let stays = |edit: &&Edit| !matches!(edit.change, Change::Remove);
    let paths: HashSet<&str> = edits.iter().filter(stays).map(|edit| edit.target.path.as_str()).collect();
    for edit in edits.iter().filter(stays) {
        let path = edit.target.path.as_str();
        let folder = path.match_indices('/').map(|(end, _)| &path[..end]).find(|folder| paths.contains(folder));
        if let Some(folder) = folder {
            let why = "the batch writes it as a file and puts another file below it; give one of them another path";
            return Err(EditError::Refused { path: folder.to_owned(), why });
        }
    }
    Ok(())
}

/// Whether a diff says that the file is a program; `None` if nothing is said.
fn mode_in(change: &Change) -> Option<bool> {
    let Change::Patch(diff) = change else { return None };
    match patch::split_patch(diff).as_slice() {
        [file] => file.header.executable,
        _ => None,
    }
}

/// The text that a change makes of the old one; `None` if the file is removed.
fn new_text(path: &str, old: Option<&str>, change: Change) -> Result<Option<String>, EditError> {
    let wrong = |why: String| EditError::DoesNotApply { path: path.to_owned(), why };
    let needs = || old.ok_or_else(|| wrong("there is no such file; `new_content` creates one".to_owned()));
    let text = match change {
        Change::Text(text) => with_endings_of(old.unwrap_or_default(), &text).into_owned(),
        Change::Replace(replacements) => apply_replacements(needs()?, &replacements).map_err(wrong)?,
        Change::Patch(diff) => {
            let files = patch::split_patch(&diff);
            if old.is_none() && !matches!(files.as_slice(), [file] if file.old_path.is_none()) {
                needs()?;
            }
            let removes = matches!(files.as_slice(), [file] if file.new_path.is_none());
            let text = patch::apply_patch(old.unwrap_or_default(), &diff).map_err(wrong)?;
            if removes && text.is_empty() {
                return Ok(None);
            }
            text
        }
        Change::Range(start, end, text) => {
            let old = needs()?;
            if !(start <= end && old.is_char_boundary(start) && old.is_char_boundary(end)) {
                return Err(wrong(format!("bytes {start} to {end} are no part of its text")));
            }
            [&old[..start], &with_endings_in(old, &old[start..end], &text), &old[end..]].concat()
        }
        Change::Remove => {
            needs()?;
            return Ok(None);
        }
    };
    Ok(Some(text))
}

fn encode_text(path: &str, encoding: Encoding, text: &str) -> Result<Vec<u8>, EditError> {
    if let Some(at) = text.find('\0') {
        return Err(EditError::NulByte { path: path.to_owned(), at });
    }
    let bytes = encoding.encode(text).map_err(|(at, character)| EditError::NotEncodable {
        path: path.to_owned(),
        encoding: encoding.word(),
        character,
        line: text[..at].matches('\n').count() + 1,
    })?;
    let (size, limit) = (bytes.len() as u64, MAX_FILE_BYTES);
    if size > limit { Err(EditError::TooLarge { what: path.to_owned(), size, limit }) } else { Ok(bytes) }
}

/// Files of a batch so far, under all their names.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    numbers: HashMap<(u64, u64), String>,
    names: HashMap<String, String>,
}

impl Seen {
    pub(crate) fn add(&mut self, gate: &dyn Gate, place: &Destination, target: &Target) -> Result<(), EditError> {
        let path = target.path.as_str();
        let duplicate = |other: String| EditError::Duplicate { path: path.to_owned(), other };
        let found = match place.missing.is_empty() {
            true => disk::look(gate, &place.folder, &place.name).map_err(EditError::step(path, "reading"))?,
            false => Found::Nothing,
        };
        let number = if let Found::File(meta) = &found { disk::number_of(meta) } else { None };
        // Where case does not matter, two names of a new file differ in nothing else.
        let name = if number.is_some() { path.to_owned() } else { path.to_lowercase() };
        if let Some(other) = self.names.insert(name, path.to_owned()) {
            return Err(duplicate(other));
        }
        match number.and_then(|number| self.numbers.insert(number, path.to_owned())) {
            Some(other) => Err(duplicate(other)),
            None => Ok(()),
        }
    }
}
