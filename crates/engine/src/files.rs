use std::sync::Arc;

use m1nd_base::{ContentHash, Problem, RepoPath};
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::report::Tiers;

/// What the index knows of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its path in the index.
    pub path: RepoPath,
    /// Its language.
    pub language: Language,
    /// Size in bytes when it was read.
    pub size: u64,
    /// Time of its last change when it was read, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Number of lines.
    pub lines: u32,
    /// Hash of its content.
    pub hash: ContentHash,
    /// Test code, by its path or content.
    pub is_test: bool,
    /// Its references by tier.
    pub tiers: Tiers,
    /// What could not be taken from it.
    pub problems: Vec<Problem>,
}

/// The files of an index, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTable {
    entries: Vec<Arc<FileEntry>>,
}

impl FileTable {
    /// A table of these files.
    pub fn new(mut entries: Vec<FileEntry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Self { entries: entries.into_iter().map(Arc::new).collect() }
    }

    /// The file with this path.
    pub fn get(&self, path: &RepoPath) -> Option<&FileEntry> {
        self.by_text(path.as_str())
    }

    /// The file with this path.
    pub fn by_text(&self, path: &str) -> Option<&FileEntry> {
        let index = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(index).map(|entry| &**entry)
    }

    /// All files in the order of their paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &FileEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// Files at or below a folder or path, by whole components; all for `""`.
    pub fn within<'t>(&'t self, scope: &str) -> impl Iterator<Item = &'t FileEntry> + use<'t> {
        let scope = scope.trim_matches('/').to_owned();
        self.iter().filter(move |entry| entry.path.is_within(&scope))
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The table after these files changed (`Some`) or went away (`None`).
    #[must_use]
    pub fn with(&self, mut changes: Vec<(RepoPath, Option<FileEntry>)>) -> Self {
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        let mut entries = Vec::with_capacity(self.entries.len() + changes.len());
        let mut changes = changes.into_iter().peekable();
        for entry in &self.entries {
            while let Some((_, added)) = changes.next_if(|(path, _)| *path < entry.path) {
                entries.extend(added.map(Arc::new));
            }
            match changes.next_if(|(path, _)| *path == entry.path) {
                Some((_, changed)) => entries.extend(changed.map(Arc::new)),
                None => entries.push(entry.clone()),
            }
        }
        entries.extend(changes.filter_map(|(_, entry)| entry).map(Arc::new));
        Self { entries }
    }
}

#[cfg(test)]
mod tests {
    use m1nd_base::ContentHash;

    use super::*;

    fn entry(path: &str, size: u64) -> FileEntry {
        FileEntry {
            path: RepoPath::new(path).expect("valid"),
            language: Language::Text,
            size,
            mtime_ns: 0,
            lines: 1,
            hash: ContentHash::of(b""),
            is_test: false,
            tiers: Tiers::default(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn changes_keep_the_order() {
        let table = FileTable::new(vec![entry("c", 1), entry("a", 1), entry("e", 1)]);
        let path = |text: &str| RepoPath::new(text).expect("valid");
        let changes = vec![
            (path("0"), None),
            (path("b"), Some(entry("b", 2))),
            (path("c"), None),
            (path("e"), Some(entry("e", 2))),
            (path("f"), Some(entry("f", 2))),
        ];
        let found: Vec<_> = table.with(changes).iter().map(|e| (e.path.to_string(), e.size)).collect();
        let expected = [("a", 1), ("b", 2), ("e", 2), ("f", 2)].map(|(path, size)| (path.to_owned(), size));
        assert_eq!(found, expected);
    }
}
