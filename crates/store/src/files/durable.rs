//! Atomic replacement of files and quarantine of damaged ones. No other crate renames files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use m1nd_base::{System, SystemFile};

use crate::StoreError;
use crate::error::{SYNC_FILE, SYNC_FOLDER};

/// Prefix of files that are being written. One that is found later was left by a crash.
const TEMPORARY: &str = ".tmp-";
/// Separates the old name of a quarantined file from the time.
const SET_ASIDE: &str = ".corrupt-";
/// Maximum number of quarantined derived files that are kept, with their logs and notes.
const KEPT_SET_ASIDE: usize = 6;
/// Number of temporary names to try before giving up.
const MOST_TEMPORARY: u32 = 10_000;
/// Buffer size for writing, in bytes.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes `bytes` to `path` so that after a crash, a power loss or an error the file has either its old or its new
/// content: writes a temporary file in the same folder, syncs it, renames it, syncs the folder.
///
/// # Errors
/// [`StoreError::Io`]. Only if the last step failed may `path` already have the new content.
pub fn durable_write(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    durable_stream(system, path, &mut |out| out.write_all(bytes))
}

/// Like [`durable_write`], with content that is produced in pieces.
pub(crate) fn durable_stream(
    system: &dyn System,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), StoreError> {
    write_as(system, path, TEMPORARY, None, write)
}

/// Like [`durable_stream`], with the prefix of the temporary name and the mode of the file (owner-only by default).
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
        // The original error matters more than a failed clean-up; `sweep` removes leftovers.
        let _ = system.remove(&temporary);
        return Err(error);
    }
    system.sync_folder(folder).map_err(StoreError::io(SYNC_FOLDER, folder))
}

/// Creates a file under an unused name: other threads write too, and a crash may have left files behind.
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
    // Disassembled, so that dropping it does not retry the write that just failed.
    let (mut file, _) = out.into_parts();
    written.map_err(StoreError::io("write", path))?;
    file.sync().map_err(StoreError::io(SYNC_FILE, path))
}

/// Renames a damaged file to `<name>.corrupt-<seconds>`, so that it is kept for inspection but no longer used.
///
/// # Errors
/// [`StoreError::Io`]; the file then keeps its old name.
pub fn quarantine(system: &dyn System, path: &Path) -> Result<PathBuf, StoreError> {
    let folder = folder_of(path);
    let taken = system.list(folder).map_err(StoreError::io("list", folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let now = system.unix_seconds();
    let stem = format!("{name}{SET_ASIDE}{now}");
    // Never reuses a number: the newest file has the largest one.
    let last = taken.iter().filter(|name| name.starts_with(&stem)).filter_map(|name| age_of(name));
    let last = last.filter(|(second, _)| *second == now).map(|(_, count)| count).max();
    let target = folder.join(last.map_or_else(|| stem.clone(), |count| format!("{stem}-{}", count + 1)));
    system.rename(path, &target).map_err(StoreError::io("set aside", path))?;
    system.sync_folder(folder).map_err(StoreError::io(SYNC_FOLDER, folder))?;
    Ok(target)
}

/// Rotates a growing file: renames it to `<name>.1`, the previous `<name>.1` to `<name>.2`, and so on, keeping `most`
/// files including the new one. Files that cannot be renamed stay: a log is not worth an error.
pub fn rotate(system: &dyn System, path: &Path, most: usize) {
    let numbered = |number: usize| match number {
        0 => path.to_path_buf(),
        number => PathBuf::from(format!("{}.{number}", path.display())),
    };
    for number in (0..most.saturating_sub(1)).rev() {
        let _ = system.rename(&numbered(number), &numbered(number + 1));
    }
}

/// Removes the oldest quarantined derived files of the folder, so that a failing disk does not fill up with them.
/// `is_one` recognises their names.
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
        // The next quarantine tries again.
        let _ = system.remove(&folder.join(name));
    }
}

/// Returns whether a file of this name is `of`, put aside: no log and no note of one.
pub(crate) fn is_set_aside(name: &str, of: &str) -> bool {
    let age = name.strip_prefix(of).and_then(|rest| rest.strip_prefix(SET_ASIDE));
    age.is_some_and(|age| age.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Returns when a file was quarantined: the second, and the sequence number within that second. `None` for other
/// names.
fn age_of(name: &str) -> Option<(u64, u64)> {
    let (_, age) = name.split_once(SET_ASIDE)?;
    let mut numbers = age.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let second = numbers.next()?.ok()?;
    Some((second, numbers.next().and_then(Result::ok).unwrap_or(1)))
}

/// Removes partial files that a crash left in the folder. Only for the process that holds the writer lock.
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
