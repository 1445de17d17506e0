//! Git's index: the paths that are tracked, read from its file without running git.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use m1nd_base::{Tracked, TrackedKind};

use crate::GitFolder;

/// Maximum size of an index that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 2_000_000;
/// Maximum length of a path, in bytes.
const MAX_PATH: usize = 4_096;
/// Maximum size of all paths together, in bytes. Version 4 writes only what differs from the path before, so a small
/// file could stand for many long paths.
const MAX_PATHS: usize = 256 << 20;
/// Bytes of an entry before its flags: times, numbers, mode, owner, size, object id.
const FIXED: usize = 60;
/// Offset of the mode in an entry.
const MODE: usize = 24;
/// Offset of the object id in an entry.
const ID: usize = 40;
/// Entries are padded to a multiple of this size before version 4.
const ALIGNMENT: usize = 8;
/// The entry has a second word of flags.
const EXTENDED: u16 = 0x4000;
/// The entry is one side of an unresolved merge.
const STAGE: u16 = 0x3000;
/// In the second word of flags: a sparse checkout leaves the path out.
const SKIP_WORKTREE: u16 = 0x4000;
/// Extension of an index whose entries are partly in another file.
const SPLIT: &[u8] = b"link";

impl GitFolder {
    /// The file that lists what is tracked. It may not exist.
    pub fn index_path(&self) -> PathBuf {
        self.own().join("index")
    }

    /// Everything that is tracked, by path; `None` if the index is missing, damaged, or has an unsupported form.
    /// Paths that are not UTF-8 are left out.
    pub fn list_tracked(&self) -> Option<Vec<Tracked>> {
        let path = self.index_path();
        if !std::fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(&path).ok()?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MAX_BYTES {
            return None;
        }
        parse(&bytes)
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<Tracked>> {
    parse_within(bytes, MAX_PATHS)
}

/// Reads an index, and fails if its paths together are longer than the limit, in bytes.
fn parse_within(bytes: &[u8], max_paths: usize) -> Option<Vec<Tracked>> {
    let header = bytes.get(..12)?;
    if !header.starts_with(b"DIRC") {
        return None;
    }
    // Limits come before any allocation: the file may be damaged.
    let version = word(header, 4)?;
    let count = usize::try_from(word(header, 8)?).ok()?;
    if !(2..=4).contains(&version) || count > MAX_ENTRIES {
        return None;
    }
    let mut found: Vec<Tracked> = Vec::new();
    let mut at = header.len();
    let mut path: Vec<u8> = Vec::new();
    let mut left = max_paths;
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        // The fixed part: kind, hash, flags.
        let fixed = entry.get(..FIXED)?;
        let kind = kind_of(word(fixed, MODE)?)?;
        let flags = half(entry, FIXED)?;
        let is_extended = flags & EXTENDED != 0;
        let second = if is_extended { half(entry, FIXED + 2)? } else { 0 };
        let name_at = FIXED + if is_extended { 4 } else { 2 };
        let rest = entry.get(name_at..)?;
        // Version 4 stores of a path only what differs from the one before.
        let (start, kept) = match version {
            4 => {
                let (dropped, length) = varint(rest)?;
                (length, path.len().checked_sub(dropped)?)
            }
            _ => (0, 0),
        };
        let name = rest.get(start..)?;
        let end = name.iter().take(MAX_PATH + 1).position(|byte| *byte == 0)?;
        path.truncate(kept);
        path.extend(&name[..end]);
        let length = name_at + start + end + 1;
        at += if version == 4 { length } else { length.next_multiple_of(ALIGNMENT) };
        if path.len() > MAX_PATH {
            return None;
        }
        // The paths of the whole file are bounded, not only each.
        left = left.checked_sub(path.len())?;
        let Ok(text) = std::str::from_utf8(&path) else { continue };
        let text = text.trim_end_matches('/');
        // A conflict has an entry per side; one is enough.
        let is_other_side = flags & STAGE != 0 && found.last().is_some_and(|last| last.path == text);
        if !is_other_side {
            let mut id = [0; 20];
            id.copy_from_slice(&fixed[ID..]);
            found.push(Tracked { path: text.to_owned(), kind, is_sparse: second & SKIP_WORKTREE != 0, id });
        }
    }
    (!is_split(bytes.get(at..)?)).then_some(found)
}

/// Returns whether the extensions say that entries are in another file.
fn is_split(mut rest: &[u8]) -> bool {
    // The last 20 bytes are a checksum.
    while let (Some(tag), Some(size)) = (rest.get(..4), word(rest, 4)) {
        if tag == SPLIT {
            return true;
        }
        let Some(next) = usize::try_from(size).ok().and_then(|size| rest.get(8..)?.get(size..)) else { return false };
        rest = next;
        if rest.len() <= 20 {
            return false;
        }
    }
    false
}

/// The kind of an entry by its mode; `None` for a mode that git does not write, as when object ids have another length.
fn kind_of(mode: u32) -> Option<TrackedKind> {
    match mode >> 12 {
        0o10 => Some(TrackedKind::File),
        0o12 => Some(TrackedKind::Link),
        0o16 => Some(TrackedKind::Submodule),
        0o04 => Some(TrackedKind::Folder),
        _ => None,
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Git's variable-length number for offsets, and its length.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        let high = if index == 0 { 0 } else { (value + 1) << 7 };
        value = high | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of a version with these entries: mode, second flags, path.
    fn index(version: u32, entries: &[(u32, u16, &str)]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend((entries.len() as u32).to_be_bytes());
        let mut before = "";
        for (number, &(mode, second, path)) in entries.iter().enumerate() {
            let start = bytes.len();
            bytes.extend([0; MODE]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; ID - MODE - 4]);
            bytes.extend([number as u8; 20]);
            let extended = if second == 0 { 0 } else { EXTENDED };
            bytes.extend((extended | path.len() as u16).to_be_bytes());
            if second != 0 {
                bytes.extend(second.to_be_bytes());
            }
            if version == 4 {
                let shared = path.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
                bytes.push((before.len() - shared) as u8);
                bytes.extend(&path.as_bytes()[shared..]);
                bytes.push(0);
            } else {
                bytes.extend(path.as_bytes());
                bytes.push(0);
                while !(bytes.len() - start).is_multiple_of(ALIGNMENT) {
                    bytes.push(0);
                }
            }
            before = path;
        }
        bytes
    }

    fn show_entries(bytes: &[u8]) -> Option<Vec<String>> {
        let row = |row: Tracked| {
            let sparse = if row.is_sparse { " sparse" } else { "" };
            format!("{} {:?} {}{sparse}", row.path, row.kind, row.id[0])
        };
        Some(parse(bytes)?.into_iter().map(row).collect())
    }

    const ENTRIES: &[(u32, u16, &str)] = &[
        (0o100_644, 0, "a.py"),
        (0o100_644, SKIP_WORKTREE, "api/b.py"),
        (0o120_000, 0, "link"),
        (0o160_000, 0, "sub"),
        (0o040_000, SKIP_WORKTREE, "web/"),
    ];
    const ROWS: &[&str] =
        &["a.py File 0", "api/b.py File 1 sparse", "link Link 2", "sub Submodule 3", "web Folder 4 sparse"];

    #[test]
    fn paths_that_are_written_short_and_are_long_together_are_refused() {
        let name = "d/".repeat(MAX_PATH / 4);
        let paths: Vec<String> = (0..50).map(|number| format!("{name}{number:02}")).collect();
        let entries: Vec<(u32, u16, &str)> = paths.iter().map(|path| (0o100_644, 0, &**path)).collect();
        let (short, all) = (index(4, &entries), paths.iter().map(String::len).sum::<usize>());
        assert!(short.len() * 10 < all, "{} bytes stand for {all}", short.len());
        assert_eq!(parse_within(&short, all).map(|rows| rows.len()), Some(50));
        assert_eq!(parse_within(&short, all - 1).map(|rows| rows.len()), None);
    }

    #[test]
    fn entries_of_all_versions() {
        for version in 2..=4 {
            let mut bytes = index(version, ENTRIES);
            bytes.extend(b"TREE\0\0\0\x04abcd");
            bytes.extend([0; 20]);
            assert_eq!(show_entries(&bytes).expect("sound"), ROWS, "{version}");
        }
    }

    #[test]
    fn what_is_damaged_or_not_understood_is_not_taken() {
        let sound = index(4, ENTRIES);
        for end in 0..sound.len() {
            assert!(parse(&sound[..end]).is_none(), "cut at {end}");
        }
        assert!(parse(&index(5, ENTRIES)).is_none(), "version");
        assert!(parse(&index(2, &[(0o777_000, 0, "a")])).is_none(), "mode");
        let mut split = sound;
        split.extend(b"link\0\0\0\x14");
        split.extend([1; 40]);
        assert!(parse(&split).is_none(), "entries in another file");
    }
}
