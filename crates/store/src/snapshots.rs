//! Snapshot files: numbered, immutable once named, and a pointer to the current one.
//!
//! A reader that has mapped an older file keeps it: files are replaced by name only and never truncated or
//! overwritten. The previous file is kept for readers that are about to open it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use m1nd_base::System;

use crate::{StoreError, durable};

/// File that names the current snapshot file.
const POINTER: &str = "current";
/// Maximum size of the pointer file, in bytes.
const POINTER_BYTES: u64 = 64;
const STEM: &str = "snapshot-";
const ENDING: &str = ".m1nd";
/// Number of files kept: the current one and the previous one.
const KEPT: usize = 2;

/// Path of the current file. It does not exist if no snapshot was ever published.
pub(crate) fn current(system: &dyn System, folder: &Path) -> PathBuf {
    all(system, folder).into_iter().next().unwrap_or_else(|| folder.join(name(0)))
}

/// Paths of all files: the current one, then the others from the newest to the oldest.
pub(crate) fn all(system: &dyn System, folder: &Path) -> Vec<PathBuf> {
    let numbers = numbers(system, folder);
    let pointed = system
        .read(&folder.join(POINTER), POINTER_BYTES)
        .ok()
        .and_then(|bytes| number(std::str::from_utf8(&bytes).ok()?.trim_end()));
    // Without a usable pointer the newest file is the best guess; it carries its own checksum.
    let current = pointed.filter(|number| numbers.contains(number)).or(numbers.last().copied());
    let others = numbers.iter().rev().copied().filter(|number| Some(*number) != current);
    current.into_iter().chain(others).map(|number| folder.join(name(number))).collect()
}

/// Writes a new file, points to it, and removes the files that no reader can be about to open.
pub(crate) fn publish(
    system: &dyn System,
    folder: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, StoreError> {
    system.create_folder(folder).map_err(StoreError::io("create the folder", folder))?;
    // Numbers are not reused while an older file exists, even a quarantined one.
    let newest = all_names(system, folder).iter().filter_map(|name| leading_number(name)).max().unwrap_or(0);
    let name = name(newest + 1);
    let path = folder.join(&name);
    durable::durable_stream(system, &path, write)?;
    durable::durable_write(system, &folder.join(POINTER), name.as_bytes())?;
    let numbers = numbers(system, folder);
    for &number in numbers.iter().rev().skip(KEPT) {
        // Some systems cannot remove a mapped file: the next publication tries again.
        let _ = system.remove(&folder.join(self::name(number)));
    }
    Ok(path)
}

fn name(number: u64) -> String {
    format!("{STEM}{number}{ENDING}")
}

fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(STEM)?.strip_suffix(ENDING)?;
    // Only the canonical spelling: `+1` or `01` would be another file.
    digits.parse().ok().filter(|number: &u64| self::name(*number) == name)
}

/// The number in any name that starts like a snapshot's.
fn leading_number(name: &str) -> Option<u64> {
    let rest = name.strip_prefix(STEM)?;
    rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// Numbers of the snapshot files, ascending.
fn numbers(system: &dyn System, folder: &Path) -> Vec<u64> {
    let mut numbers: Vec<u64> = all_names(system, folder).iter().filter_map(|name| number(name)).collect();
    numbers.sort_unstable();
    numbers
}

fn all_names(system: &dyn System, folder: &Path) -> Vec<String> {
    system.list(folder).unwrap_or_default()
}

#[cfg(test)]
mod tests;
