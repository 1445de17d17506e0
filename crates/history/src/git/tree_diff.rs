//! Compares two trees without recursion to find the files that a commit changed.

use gix_hash::ObjectId;

use crate::objects::{Entry, Objects};

/// Maximum entries visited for one commit. A commit with more (a first import, or folders that repeat endlessly)
/// counts as changing many files, and entries beyond the limit are left out.
const MAX_ENTRIES: usize = 200_000;
/// Maximum depth of folders.
const MAX_DEPTH: usize = 256;

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: String,
    /// Its previous content; `None` if it did not exist.
    pub(crate) before: Option<ObjectId>,
    /// Its new content; `None` if it was removed.
    pub(crate) after: Option<ObjectId>,
}

/// Outcome of a comparison of two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Differences {
    /// All differing files, by path.
    All(Vec<Difference>),
    /// Limit exceeded: the first differing files, by path.
    Cut(Vec<Difference>),
    /// A folder is missing (a partial clone) or damaged.
    Unknown,
}

/// A pair of folders to compare.
struct Pair {
    path: String,
    depth: usize,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
}

/// Compares two trees; `None` is the empty one.
pub(crate) fn differences(objects: &Objects, before: Option<ObjectId>, after: ObjectId) -> Differences {
    let mut found = Vec::new();
    let mut seen = 0;
    let mut cut = false;
    let mut open = vec![Pair { path: String::new(), depth: 0, before, after: Some(after) }];
    while let Some(pair) = open.pop() {
        let entries = |id: Option<ObjectId>| id.map_or(Some(Vec::new()), |id| objects.folder(&id));
        let (Some(old), Some(new)) = (entries(pair.before), entries(pair.after)) else {
            return Differences::Unknown;
        };
        seen += old.len() + new.len();
        if seen > MAX_ENTRIES || pair.depth > MAX_DEPTH {
            cut = true;
            break;
        }
        compare(&pair, old, new, &mut open, &mut found);
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    if cut { Differences::Cut(found) } else { Differences::All(found) }
}

/// Compares the entries of two folders: files are added to `found`, folders to `open`.
fn compare(pair: &Pair, old: Vec<Entry>, new: Vec<Entry>, open: &mut Vec<Pair>, found: &mut Vec<Difference>) {
    let mut old = by_name(old).into_iter().peekable();
    let mut new = by_name(new).into_iter().peekable();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => a.name.cmp(&b.name),
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        if before.as_ref().map(|entry| (entry.id, entry.is_folder))
            == after.as_ref().map(|entry| (entry.id, entry.is_folder))
        {
            continue;
        }
        let Some(name) = after.as_ref().or(before.as_ref()).and_then(|entry| std::str::from_utf8(&entry.name).ok())
        else {
            continue;
        };
        let path = if pair.path.is_empty() { name.to_owned() } else { format!("{}/{name}", pair.path) };
        // A file may become a folder, so both sides are distinguished.
        let of = |entry: &Option<Entry>, is_folder| {
            entry.as_ref().filter(|entry| entry.is_folder == is_folder).map(|entry| entry.id)
        };
        let folders = (of(&before, true), of(&after, true));
        if folders.0.is_some() || folders.1.is_some() {
            open.push(Pair { path: path.clone(), depth: pair.depth + 1, before: folders.0, after: folders.1 });
        }
        let files = (of(&before, false), of(&after, false));
        if files.0.is_some() || files.1.is_some() {
            found.push(Difference { path, before: files.0, after: files.1 });
        }
    }
}

/// Sorts entries by plain name; git sorts folders as if their names ended in a slash.
fn by_name(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries.dedup_by(|a, b| a.name == b.name);
    entries
}
