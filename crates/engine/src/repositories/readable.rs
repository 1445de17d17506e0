//! Repositories outside of the roots that a person allowed to read, and their texts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::{Cancel, Cancelled, Deadline, Limits, NoProgress, RepoPath};
use m1nd_store::Home;
use m1nd_vfs::{PathKind, Root, WalkOptions};
use rayon::prelude::*;

use crate::repositories::outside::OutsidePath;

/// Folders that are looked at in an allowed folder that is no repository itself.
const MAX_INSIDE: usize = 200;
/// Files read between two looks at the clock.
const CHUNK: usize = 128;

/// The repositories that a person allowed to read: allowed folders, or the folders directly in them. In order of paths;
/// none in, around or the same as one of `roots`.
pub fn readable_repositories(home: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let is_repository =
        |folder: &Path| matches!(OutsidePath::at(folder), OutsidePath::Repository { root, .. } if root == folder);
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in Home::to_read(home).readable_folders() {
        if is_repository(&folder) {
            found.push(folder);
            continue;
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        inside.sort();
        inside.retain(|path| PathKind::at(path) == PathKind::Folder && !path.is_symlink());
        found.extend(inside.into_iter().take(MAX_INSIDE).filter(|path| is_repository(path)));
    }
    found.retain(|path| !roots.iter().any(|root| root.starts_with(path) || path.starts_with(root)));
    found.sort();
    found.dedup();
    found
}

/// Texts of a repository.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// Paths and texts, in order of paths.
    pub files: Vec<(RepoPath, String)>,
    /// Files that were not read: too many, too large, or out of time.
    pub left: usize,
}

/// Reads the files of a repository that no ignore rule leaves out, at most `most` of at most `bytes` each, for at most
/// `time`. The caller has made sure that it may be read, see [`may_read`](crate::may_read).
///
/// # Errors
/// [`Cancelled`].
pub fn texts_of(folder: &Path, most: usize, bytes: u64, time: Duration, cancel: &Cancel) -> Result<Texts, Cancelled> {
    let Ok(root) = Root::open(folder) else { return Ok(Texts::default()) };
    let walk = root.walk(&WalkOptions::default(), &Limits::default(), cancel, &NoProgress)?;
    let deadline = Deadline::after(time);
    let mut texts = Texts { left: walk.files.len().saturating_sub(most), ..Texts::default() };
    let files = &walk.files[..walk.files.len().min(most)];
    let mut chunks = files.chunks(CHUNK);
    for chunk in chunks.by_ref() {
        cancel.check()?;
        let read =
            |(path, _): &(RepoPath, _)| Some((path.clone(), String::from_utf8(root.read(path, bytes).ok()?).ok()?));
        let read: Vec<Option<(RepoPath, String)>> = chunk.par_iter().map(read).collect();
        texts.left += read.iter().filter(|row| row.is_none()).count();
        texts.files.extend(read.into_iter().flatten());
        if deadline.is_over() {
            break;
        }
    }
    texts.left += chunks.map(<[_]>::len).sum::<usize>();
    Ok(texts)
}
