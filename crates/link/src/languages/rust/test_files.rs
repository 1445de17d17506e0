//! Files that are only built for tests because of their declarations: `#[cfg(test)] mod helpers;`.

use m1nd_base::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::tables::files::{FileId, Files};

/// A declaration that includes a file in a build: a `mod m;`, or a manifest that names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) file: FileId,
    /// The file that declares it; `None` for the root of a crate.
    pub(super) from: Option<FileId>,
    /// Only in a build for tests, whatever the declaring file is.
    pub(super) test_only: bool,
}

/// The files whose every source is test-only, or in such a file, in order. Files declared only by themselves or in a
/// cycle are not included.
pub(super) fn test_files(files: &Files<'_>, sources: &[Source]) -> Vec<FileId> {
    // Sources of each file that may be there without tests.
    let mut open: FxHashMap<FileId, usize> = FxHashMap::default();
    let mut declared: FxHashMap<FileId, Vec<FileId>> = FxHashMap::default();
    for source in sources {
        let count = open.entry(source.file).or_default();
        if !source.test_only {
            *count += 1;
            if let Some(from) = source.from {
                declared.entry(from).or_default().push(source.file);
            }
        }
    }
    let is_test = |file: FileId| RepoPath::new(files.path(file)).is_ok_and(|path| m1nd_lang::is_test_path(&path));
    let settled = open.iter().filter(|(_, count)| **count == 0).map(|(file, _)| *file);
    let mut work: Vec<FileId> = settled.chain(declared.keys().copied().filter(|file| is_test(*file))).collect();
    let mut found: FxHashSet<FileId> = FxHashSet::default();
    while let Some(file) = work.pop() {
        if !found.insert(file) {
            continue;
        }
        for below in declared.get(&file).into_iter().flatten() {
            if let Some(count) = open.get_mut(below) {
                *count -= 1;
                if *count == 0 {
                    work.push(*below);
                }
            }
        }
    }
    let mut found: Vec<FileId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
