use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_base::{ContentHash, Problem, ProblemKind, RepoPath};
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::report::Tiers;

/// Index entry of one file.
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
    /// Test code, by its path, its content or where it is declared.
    pub is_test: bool,
    /// Its references by tier.
    pub tiers: Tiers,
    /// Problems of the file.
    pub problems: Vec<Problem>,
}

/// A file and its content, without the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMark {
    /// Its path in the index.
    pub path: String,
    /// Hash of its content.
    pub hash: ContentHash,
    /// Its language.
    pub language: Language,
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

    /// The file at a place in the order of paths.
    pub fn at(&self, place: usize) -> Option<&FileEntry> {
        self.entries.get(place).map(|entry| &**entry)
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

    /// Returns whether there is no file.
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

/// Files and folders below the roots that are not in the index though no rule leaves them out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The first by path, at most [`Skipped::MAX_ROWS`].
    rows: Vec<(String, Problem)>,
    /// Number of each kind, including those beyond the limit.
    counts: BTreeMap<ProblemKind, usize>,
}

/// The part of the index covered by a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Looked {
    /// All of it.
    #[default]
    All,
    /// Everything at or below this path of the index.
    Within(String),
    /// Everything except these folders of the index: the first of several roots.
    Outside(Vec<String>),
    /// These paths of the index and everything below them.
    Paths(BTreeSet<String>),
}

impl Looked {
    fn covers(&self, path: &str) -> bool {
        let below = |scope: &str| path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        match self {
            Self::All => true,
            Self::Within(scope) => scope.is_empty() || below(scope),
            Self::Outside(folders) => !folders.iter().any(|folder| below(folder)),
            Self::Paths(paths) => paths.contains(path) || paths.iter().any(|scope| below(scope)),
        }
    }
}

impl Skipped {
    /// Most entries kept with path and reason.
    pub(crate) const MAX_ROWS: usize = 10_000;

    /// The entries that are kept, by path.
    pub(crate) fn rows(&self) -> &[(String, Problem)] {
        &self.rows
    }

    /// Number of problems of each kind.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (ProblemKind, usize)> {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// Returns the state after a run that found `found` in the covered part.
    pub(crate) fn after(&self, looked: &Looked, found: &[(String, Problem)]) -> Self {
        let mut next = if *looked == Looked::All { Self::default() } else { self.clone() };
        let (over, kept): (Vec<_>, Vec<_>) = next.rows.into_iter().partition(|(path, _)| looked.covers(path));
        next.rows = kept;
        for (_, problem) in over {
            if let Some(count) = next.counts.get_mut(&problem.kind) {
                *count = count.saturating_sub(1);
            }
        }
        for (path, problem) in found {
            *next.counts.entry(problem.kind).or_default() += 1;
            next.rows.push((path.clone(), problem.clone()));
        }
        next.counts.retain(|_, count| *count > 0);
        next.rows.sort_by(|a, b| a.0.cmp(&b.0));
        next.rows.truncate(Self::MAX_ROWS);
        next
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
    fn a_run_replaces_what_was_skipped_where_it_looked() {
        let row = |path: &str, kind| (path.to_owned(), Problem::new(kind, ""));
        let (link, unread) = (ProblemKind::SymbolicLink, ProblemKind::Unreadable);
        let all = Skipped::default().after(&Looked::All, &[row("b/x", unread), row("a", link), row("bb", unread)]);
        assert_eq!(all.rows(), [row("a", link), row("b/x", unread), row("bb", unread)]);
        let within = all.after(&Looked::Within("b".into()), &[row("b/y", link)]);
        assert_eq!(within.rows(), [row("a", link), row("b/y", link), row("bb", unread)]);
        assert_eq!(within.counts().collect::<BTreeMap<_, _>>(), BTreeMap::from([(link, 2), (unread, 1)]));
        let outside = within.after(&Looked::Outside(vec!["b".into()]), &[row("c", link)]);
        assert_eq!(outside.rows(), [row("b/y", link), row("c", link)]);
        let paths = within.after(&Looked::Paths(["a".to_owned(), "b".to_owned()].into()), &[]);
        assert_eq!(paths.rows(), [row("bb", unread)]);
        assert_eq!(paths.counts().collect::<Vec<_>>(), [(unread, 1)]);
    }

    #[test]
    fn what_is_past_the_limit_is_still_counted() {
        let rows: Vec<_> = (0..Skipped::MAX_ROWS + 3)
            .map(|number| (format!("{number:06}"), Problem::new(ProblemKind::Unreadable, "")))
            .collect();
        let skipped = Skipped::default().after(&Looked::All, &rows);
        assert_eq!(skipped.rows(), &rows[..Skipped::MAX_ROWS]);
        assert_eq!(skipped.counts().collect::<Vec<_>>(), [(ProblemKind::Unreadable, Skipped::MAX_ROWS + 3)]);
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
