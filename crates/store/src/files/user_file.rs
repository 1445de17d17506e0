//! Files of the user that we change in part, such as `CLAUDE.md`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use m1nd_base::System;

use crate::{StoreError, durable};

/// Prefix of temporary files beside a user's file; never a name of the user's own files.
const TEMPORARY: &str = ".m1nd-tmp-";
/// Mode of new files.
const NEW_MODE: u32 = 0o644;
/// Most lines that others append while a file is replaced, in bytes.
const MAX_APPENDED: u64 = 64 << 20;
/// Time without a new line after which nobody writes to the replaced file any more: whoever opened it before it was
/// replaced has written and closed it by then.
const QUIET: Duration = Duration::from_millis(50);
/// Interval between two looks at the replaced file.
const LOOK: Duration = Duration::from_millis(5);
/// Longest time that is waited for whoever keeps writing to the replaced file.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// What became of a file that others append to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Replaced {
    /// It has the new content, and the lines that others appended meanwhile.
    Done,
    /// Others changed more than its end; nothing was written.
    Changed,
}

/// Replaces the content `before` of a file to which other processes append lines, without taking a lock: a line that
/// is appended until then, or to the replaced file by whoever had it open, is added to the new one. `path` must be
/// resolved. `kept` is another name that the old file gets first.
///
/// A process that holds the file open for longer than [`QUIET`] between two lines writes to the old file from then on,
/// whose lines are only found under the name `kept`.
///
/// # Errors
/// As [`replace_user_file`]; [`StoreError::Io`] if lines cannot be carried over, which are then in `kept`.
pub fn replace_growing_file(
    system: &dyn System,
    path: &Path,
    before: &[u8],
    after: &[u8],
    kept: &Path,
) -> Result<Replaced, StoreError> {
    let mut old = File::open(path).map_err(StoreError::io("open", path))?;
    let mut content = Vec::new();
    read_appended(&mut old, &mut content).map_err(StoreError::io("read", path))?;
    let Some(added) = content.strip_prefix(before) else { return Ok(Replaced::Changed) };
    // Behind a line without an end it would become a part of that line, which may be one that goes.
    if !added.is_empty() && !before.is_empty() && !before.ends_with(b"\n") {
        return Ok(Replaced::Changed);
    }
    let folder = durable::folder_of(kept);
    system.create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
    keep(path, kept, &content)?;
    replace_user_file(system, path, &[after, added].concat())?;
    carry_over(&mut old, path).map_err(StoreError::io("carry over lines to", path))?;
    Ok(Replaced::Done)
}

/// Appends lines to a file, behind the end of its last line. Others may append at the same time.
///
/// # Errors
/// [`StoreError::Io`].
pub fn append_to_user_file(path: &Path, lines: &[u8]) -> Result<(), StoreError> {
    add(path, lines).map_err(StoreError::io("append to", path))
}

/// Gives the old file another name, so that what is written to it later is found; a copy where names are not possible.
fn keep(path: &Path, kept: &Path, content: &[u8]) -> Result<(), StoreError> {
    match std::fs::hard_link(path, kept) {
        Ok(()) => Ok(()),
        Err(_) => std::fs::write(kept, content).map_err(StoreError::io("keep a copy as", kept)),
    }
}

/// Adds to the file at `path` what others write to the replaced one, until they stop.
fn carry_over(old: &mut File, path: &Path) -> io::Result<()> {
    let begin = Instant::now();
    let mut last = begin;
    let mut lines = Vec::new();
    while last.elapsed() < QUIET && begin.elapsed() < MAX_WAIT {
        read_appended(old, &mut lines)?;
        // A line that is still being written waits for its end.
        let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if end > 0 {
            add(path, &lines[..end])?;
            lines.drain(..end);
            last = Instant::now();
        }
        std::thread::sleep(LOOK);
    }
    if lines.is_empty() { Ok(()) } else { add(path, &lines) }
}

/// Reads on to the end of a file.
fn read_appended(file: &mut File, into: &mut Vec<u8>) -> io::Result<()> {
    file.take(MAX_APPENDED).read_to_end(into).map(|_| ())
}

/// Appends lines to a file, behind the end of its last line.
fn add(path: &Path, lines: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).open(path)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let gap: &[u8] = if last == [b'\n'] || lines.starts_with(b"\n") { b"" } else { b"\n" };
    // In one piece: others append as well.
    file.write_all(&[gap, lines].concat())?;
    file.sync_all()
}

/// Writes `bytes` to `path` like [`crate::durable_write`], keeping the mode of the file. `path` must be resolved, not
/// a link. Removes leftovers of a crashed write, so only one process may write in this folder.
///
/// # Errors
/// [`StoreError::Protected`] for a read-only file, else [`StoreError::Io`]; the file then has its old content.
pub fn replace_user_file(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let old = std::fs::symlink_metadata(path).ok().map(|data| data.permissions());
    if old.as_ref().is_some_and(std::fs::Permissions::readonly) {
        return Err(StoreError::Protected { path: path.to_owned() });
    }
    let folder = durable::folder_of(path);
    for name in system.list(folder).map_err(StoreError::io("list", folder))? {
        if name.starts_with(TEMPORARY) {
            let path = folder.join(name);
            system.remove(&path).map_err(StoreError::io("remove", &path))?;
        }
    }
    let mode = old.as_ref().map_or(NEW_MODE, mode_of);
    durable::write_as(system, path, TEMPORARY, Some(mode), &mut |out| out.write_all(bytes))
}

/// Creates a file of the user, and the folders it needs; `false` if it already exists, in which case it is left
/// unchanged.
///
/// # Errors
/// [`StoreError::Io`].
pub fn create_user_file(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let folder = durable::folder_of(path);
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    std::fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    replace_user_file(system, path, bytes).map(|()| true)
}

/// Resolves a path, which must stay inside `folder` (canonical). A path to nothing resolves to itself.
///
/// # Errors
/// [`StoreError::Outside`] if it leads out of the folder, [`StoreError::Io`] for a dangling link.
pub fn inside(folder: &Path, path: &Path) -> Result<PathBuf, StoreError> {
    if path.symlink_metadata().is_err() {
        return Ok(path.to_owned());
    }
    let target = std::fs::canonicalize(path).map_err(StoreError::io("follow the link", path))?;
    match target.starts_with(folder) {
        true => Ok(target),
        false => Err(StoreError::Outside { path: path.to_owned(), target }),
    }
}

#[cfg(unix)]
fn mode_of(permissions: &std::fs::Permissions) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o7777
}

#[cfg(not(unix))]
fn mode_of(_permissions: &std::fs::Permissions) -> u32 {
    NEW_MODE
}
