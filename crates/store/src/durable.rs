//! Replacing a file in one step, and setting a damaged one aside. Nobody else renames.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use m1nd_base::{System, SystemFile};

use crate::StoreError;

/// Start of the names of files that are being written. One that is found later was left by a crash.
const TEMPORARY: &str = ".tmp-";
/// Stands between the old name of a file that was set aside and the time.
const SET_ASIDE: &str = ".corrupt-";
/// Most derived files that are kept after being set aside, with their logs and notes.
const KEPT_SET_ASIDE: usize = 6;
/// Names of temporary files that are tried before giving up.
const MOST_TEMPORARY: u32 = 10_000;
/// Bytes collected before they are handed to the system.
const BUFFER_BYTES: usize = 1 << 18;
/// What was tried when the content may be lost in part.
pub(crate) const SYNC_FILE: &str = "synchronise";
/// What was tried when the name may be lost.
pub(crate) const SYNC_FOLDER: &str = "synchronise the folder";

/// Puts `bytes` at `path` so that after a crash, a power loss or an error the file has either its old or its new
/// content: writes a temporary file in the same folder, synchronises it, renames it, synchronises the folder.
///
/// # Errors
/// [`StoreError::Io`]. Only if the last step failed may `path` already have the new content.
pub fn durable_write(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    durable_stream(system, path, &mut |out| out.write_all(bytes))
}

/// As [`durable_write`], with content that is produced piece by piece.
pub(crate) fn durable_stream(
    system: &dyn System,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    write_as(system, path, TEMPORARY, None, write)
}

/// As [`durable_stream`], with the start of the temporary name and, unless only the owner may read it, the mode of the file.
pub(crate) fn write_as(
    system: &dyn System,
    path: &Path,
    prefix: &str,
    mode: Option<u32>,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let (temporary, file) = create_temporary(system, folder, prefix)?;
    let written = fill(file, &temporary, write)
        .and_then(|()| {
            mode.map_or(Ok(()), |mode| system.set_mode(&temporary, mode))
                .map_err(StoreError::io("set the mode of", &temporary))
        })
        .and_then(|()| system.rename(&temporary, path).map_err(StoreError::io("rename a new file to", path)));
    if let Err(error) = written {
        // The error at hand says more than a failure to clean up; a leftover is removed by `sweep`.
        let _ = system.remove(&temporary);
        return Err(error);
    }
    system.sync_folder(folder).map_err(StoreError::io(SYNC_FOLDER, folder))
}

/// Makes a file of a name that is not taken: other threads write too, and a crash may have left names behind.
fn create_temporary(
    system: &dyn System,
    folder: &Path,
    prefix: &str,
) -> Result<(PathBuf, Box<dyn SystemFile>), StoreError> {
    let process = std::process::id();
    let mut count = 0;
    loop {
        let path = folder.join(format!("{prefix}{process}-{count}"));
        match system.create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && count < MOST_TEMPORARY => count += 1,
            Err(error) => return Err(StoreError::io("create", &path)(error)),
        }
    }
}

fn fill(
    file: Box<dyn SystemFile>,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    let mut out = io::BufWriter::with_capacity(BUFFER_BYTES, file);
    let written = write(&mut out).and_then(|()| out.flush());
    // Taken apart, so that dropping it does not try to write again what has just failed.
    let (mut file, _) = out.into_parts();
    written.map_err(StoreError::io("write", path))?;
    file.sync().map_err(StoreError::io(SYNC_FILE, path))
}

/// Gives a damaged file the name `<name>.corrupt-<seconds>`, so that it stays for inspection but is used no more.
///
/// # Errors
/// [`StoreError::Io`]; the file then still has its old name.
pub fn quarantine(system: &dyn System, path: &Path) -> Result<PathBuf, StoreError> {
    let folder = folder_of(path);
    let taken = system.list(folder).map_err(StoreError::io("list", folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let now = system.unix_seconds();
    let stem = format!("{name}{SET_ASIDE}{now}");
    // Never a name that is free again: the newest is the one with the largest number.
    let last = taken.iter().filter(|name| name.starts_with(&stem)).filter_map(|name| age_of(name));
    let last = last.filter(|(second, _)| *second == now).map(|(_, count)| count).max();
    let target = folder.join(last.map_or_else(|| stem.clone(), |count| format!("{stem}-{}", count + 1)));
    system.rename(path, &target).map_err(StoreError::io("set aside", path))?;
    system.sync_folder(folder).map_err(StoreError::io(SYNC_FOLDER, folder))?;
    Ok(target)
}

/// Gives a file that grows the name `<name>.1`, the one that had it `<name>.2`, and so on, so that a new one can be begun;
/// with it `most` files are kept. What cannot be renamed stays: a log is not worth an error.
pub fn rotate(system: &dyn System, path: &Path, most: usize) {
    let numbered = |number: usize| match number {
        0 => path.to_path_buf(),
        number => PathBuf::from(format!("{}.{number}", path.display())),
    };
    for number in (0..most.saturating_sub(1)).rev() {
        let _ = system.rename(&numbered(number), &numbered(number + 1));
    }
}

/// Removes the oldest of the derived files that were set aside in the folder, so that a failing disk is not filled with
/// them. `is_one` tells their names from others.
pub(crate) fn prune(system: &dyn System, folder: &Path, is_one: impl Fn(&str) -> bool) {
    let mut set_aside: Vec<((u64, u64), String)> = Vec::new();
    for name in system.list(folder).unwrap_or_default() {
        if let Some(age) = age_of(&name)
            && is_one(&name)
        {
            set_aside.push((age, name));
        }
    }
    set_aside.sort_unstable();
    let surplus = set_aside.len().saturating_sub(KEPT_SET_ASIDE);
    for (_, name) in set_aside.drain(..surplus) {
        // The next one that is set aside tries again.
        let _ = system.remove(&folder.join(name));
    }
}

/// When a file of this name was set aside: the second, and the place among those of that second. `None` for other names.
fn age_of(name: &str) -> Option<(u64, u64)> {
    let (_, age) = name.split_once(SET_ASIDE)?;
    let mut numbers = age.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let second = numbers.next()?.ok()?;
    Some((second, numbers.next().and_then(Result::ok).unwrap_or(1)))
}

/// Removes what a crash left half-written in the folder. Only for the process that holds the writer's lock.
pub(crate) fn sweep(system: &dyn System, folder: &Path) -> Result<(), StoreError> {
    for name in system.list(folder).map_err(StoreError::io("list", folder))? {
        if name.starts_with(TEMPORARY) {
            let path = folder.join(name);
            system.remove(&path).map_err(StoreError::io("remove", &path))?;
        }
    }
    Ok(())
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
