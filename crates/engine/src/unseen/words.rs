//! The words of a text that may name code.

use std::hash::Hasher;
use std::path::PathBuf;

use m1nd_base::{ProblemKind, RepoPath};
use m1nd_history::{BlobId, Contents, GitFolder};
use m1nd_lang::{Language, comment_ranges, is_binary, string_literals, text};
use m1nd_vfs::FileMeta;
use rustc_hash::{FxHashMap, FxHasher};

use super::UnseenReason;
use super::sources::{From, Source};
use crate::error::ReadError;
use crate::kept::file_words::{FileWords, Key};
use crate::state::snapshot::Snapshot;

/// Maximum number of lines kept of one word of a file.
const MAX_LINES: u32 = 64;
/// Longest word, in bytes.
const MAX_WORD: usize = 256;
/// Leading bytes that show the language of a file without an extension.
const HEAD: usize = 256;

/// A file on disk and its state, if it is there.
type Stamp = (RepoPath, Option<FileMeta>);

/// Reads texts from disk and from git objects.
pub(super) struct Reader<'s> {
    snapshot: &'s Snapshot,
    contents: FxHashMap<PathBuf, Option<Contents>>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, contents: FxHashMap::default() }
    }

    /// What the words of a file depend on, and its state if it is on disk; `None` if its text cannot be had.
    pub(super) fn key(&self, source: &Source) -> Option<(Key, Option<Stamp>)> {
        match &source.from {
            From::Disk(path) => {
                let stamp = super::stamp_of(self.snapshot, path);
                Some((Key::File(source.path.clone(), stamp.unwrap_or_default()), Some((path.clone(), stamp))))
            }
            From::Blob(_, id) => Some((Key::Blob(*id), None)),
            From::Nowhere => None,
        }
    }

    /// The words of a file: `None` if its text cannot be had, `Some(None)` if it has none.
    pub(super) fn read(&mut self, source: &Source) -> Option<Option<FileWords>> {
        let bytes = match &source.from {
            From::Disk(path) => match self.snapshot.read_bytes(path) {
                Ok(bytes) => bytes,
                Err(error) if error.is_not_found() => return Some(None),
                Err(ReadError::Files(_)) if !source.is_code() => return Some(None),
                Err(_) => return None,
            },
            From::Blob(work_tree, id) => {
                let open = || Contents::open(&GitFolder::find(work_tree).ok()?).ok();
                let contents = self.contents.entry(work_tree.clone()).or_insert_with(open).as_ref()?;
                contents.blob(BlobId::from_bytes(*id))?.to_vec()
            }
            From::Nowhere => return None,
        };
        // The name may tell nothing about the language; the first bytes can.
        let language = match source.language.is_unknown() {
            true => Language::detect(&RepoPath::new(&source.path).ok()?, &bytes[..bytes.len().min(HEAD)]),
            false => source.language,
        };
        let is_code = source.is_code() || super::sources::is_code(language);
        if is_binary(&bytes) && !text::is_utf16(&bytes) && !is_code {
            return Some(None);
        }
        let only_odd = source.reason == UnseenReason::Problem(ProblemKind::InvalidUtf8);
        let text = text::decode_any(&bytes);
        let mut rows = words(language, &text);
        // The index read this file but for what is not UTF-8, so only such words can be missing.
        if only_odd {
            rows.retain(|row| !row.0.is_ascii());
        }
        Some(Some(FileWords { language, bytes: bytes.len() as u64, rows: limit_rows(&rows) }))
    }
}

/// Hash of a word.
pub(super) fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.write_u8(0xff);
    hasher.finish()
}

fn limit_rows(words: &[(&str, u32)]) -> Vec<(u64, u32)> {
    let mut rows: Vec<(u64, u32)> = words.iter().map(|&(word, line)| (hash(word), line)).collect();
    rows.sort_unstable();
    rows.dedup();
    let (mut last, mut count) = (None, 0);
    for row in &mut rows {
        count = if last == Some(row.0) { count + 1 } else { 0 };
        last = Some(row.0);
        if count >= MAX_LINES {
            row.1 = 0;
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Words of a text with their lines: all names of code, and of strings and texts that are not code those that look
/// like names of code. Comments are left out.
fn words(language: Language, text: &str) -> Vec<(&str, u32)> {
    let is_code = super::sources::is_code(language);
    let comments = if is_code { comment_ranges(language, text) } else { Vec::new() };
    let strings = if is_code { string_literals(language, text) } else { Vec::new() };
    let (mut comments, mut strings) = (comments.into_iter().peekable(), strings.into_iter().peekable());
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut line, mut counted) = (1u32, 0);
    let mut at = 0;
    while let Some(start) = text[at..].find(is_name).map(|offset| at + offset) {
        let end = text[start..].find(|c| !is_name(c)).map_or(text.len(), |offset| start + offset);
        at = end;
        line += bytes[counted..start].iter().filter(|&&byte| byte == b'\n').count() as u32;
        counted = start;
        // All three run in the order of the text, so each range is looked at once.
        while comments.peek().is_some_and(|range| range.end <= start) {
            comments.next();
        }
        while strings.peek().is_some_and(|range| range.end <= start) {
            strings.next();
        }
        let word = &text[start..end];
        if word.len() > MAX_WORD
            || word.starts_with(|c: char| c.is_ascii_digit())
            || comments.peek().is_some_and(|range| range.start <= start)
        {
            continue;
        }
        // Every name of code counts; in strings and other texts only what looks like a name of code.
        let is_quoted = !is_code || strings.peek().is_some_and(|range| range.start <= start);
        if !is_quoted || looks_like_code(bytes, start, end, word) {
            found.push((word, line));
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a word of a text names code by its spelling or what stands around it: `snake_case`, `camelCase`,
/// a call, the end of a path (`pkg.mod:name`, `Class::name`, `file#name`), or a whole value in quotes.
fn looks_like_code(bytes: &[u8], start: usize, end: usize, word: &str) -> bool {
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(end).copied();
    let is_shaped = word.trim_matches('_').contains('_')
        || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let ends_path = matches!(before, Some(b'.' | b':' | b'#' | b'\\')) && after != Some(b'.');
    let is_value = matches!((before, after), (Some(b'"'), Some(b'"')) | (Some(b'\''), Some(b'\'')))
        && bytes.get(end + 1) != Some(&b':');
    is_shaped || ends_path || is_value || after == Some(b'(')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_words(language: Language, text: &str) -> Vec<(&str, u32)> {
        words(language, text)
    }

    #[test]
    fn words_of_code_without_comments() {
        let text = "# core is here\nx = core(1)\ny = 'a core of b'\nz = 'pkg.core'\nlast";
        assert_eq!(
            list_words(Language::Python, text),
            [("x", 2), ("core", 2), ("y", 3), ("z", 4), ("core", 4), ("last", 5)]
        );
    }

    #[test]
    fn of_other_texts_what_looks_like_code() {
        let text = "run: python -m pkg.task\nname: the task\nuse = \"work\"\ncall do_it, doIt or go()\n\"key\": 1";
        let words = list_words(Language::Yaml, text);
        assert_eq!(words, [("task", 1), ("work", 3), ("do_it", 4), ("doIt", 4), ("go", 4)]);
    }

    #[test]
    fn lines_past_the_limit_are_one_row() {
        let text = "word\n".repeat(100);
        let rows = limit_rows(&list_words(Language::Python, &text));
        assert_eq!(rows.len(), MAX_LINES as usize + 1);
        assert_eq!(rows[0], (hash("word"), 0));
    }
}
