//! The texts that a fix commit changed.

use std::ops::Range;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Language;
use m1nd_history::{Contents, FileHistory, History, compare_lines};

use super::is_product;

/// Product files of one commit that are looked at, at most.
const MAX_FILES: usize = 50;

/// Files of one commit that are looked through for such ones. A commit that touches more, such as one whose folders
/// repeat each other, is not a fix.
const MAX_LOOKED: usize = 5_000;

/// A product file before and after a commit.
#[derive(Debug, Clone)]
pub struct ChangedText {
    /// Its language.
    pub language: Language,
    /// Its path after the commit.
    pub path: String,
    /// Its path after all renames.
    pub present_path: String,
    /// Its text before.
    pub before: String,
    /// Its text after.
    pub after: String,
    /// The lines of the text before that were removed or replaced, from 0; empty ranges where lines were only added.
    pub lines: Vec<Range<u32>>,
}

/// The product files that a commit changed, at most 50. Added and removed files, and those that are no text, are left
/// out.
///
/// # Errors
/// [`Cancelled`].
pub fn changed_by(
    history: &History,
    contents: &Contents,
    commit: usize,
    cancel: &Cancel,
) -> Result<Vec<ChangedText>, Cancelled> {
    let of = |file: FileHistory<'_>| {
        let change = file.changes().find(|change| change.commit == commit).filter(|change| is_product(change.path))?;
        let (before, after) = (contents.blob(change.before?)?, contents.blob(change.after?)?);
        let lines =
            compare_lines(&before, &after).hunks.iter().map(|hunk| hunk.before..hunk.before + hunk.removed).collect();
        Some(ChangedText {
            language: Language::of_path(change.path),
            path: change.path.to_owned(),
            present_path: file.path().to_owned(),
            before: String::from_utf8(before.to_vec()).ok()?,
            after: String::from_utf8(after.to_vec()).ok()?,
            lines,
        })
    };
    let mut found = Vec::new();
    for file in history.all_touched_by(commit).take(MAX_LOOKED) {
        cancel.check()?;
        found.extend(of(file));
        if found.len() >= MAX_FILES {
            break;
        }
    }
    Ok(found)
}
