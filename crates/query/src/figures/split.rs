//! Groups of files for a figure: folders, split until none holds most of the code.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{below, join};

/// Share of the lines from which a group is split if there is room.
pub(super) const LARGE_SHARE: f64 = 0.2;
/// Share from which a group with folders is split even if more boxes come of it than are shown.
pub(super) const MOST_SHARE: f64 = 0.5;
/// Splits of one figure.
const MAX_SPLITS: usize = 200;

/// Files and the groups that they are in.
#[derive(Debug, Default)]
pub(super) struct Splitting {
    /// The group of each path.
    pub(super) of: BTreeMap<String, String>,
    lines: BTreeMap<String, usize>,
}

impl Splitting {
    /// Adds a file to a group, which is the folder it is split from.
    pub(super) fn add(&mut self, path: &str, group: &str, lines: usize) {
        self.of.insert(path.to_owned(), group.to_owned());
        self.lines.insert(path.to_owned(), lines);
    }

    /// Splits groups with more than this `share` of the lines, the largest first. A group of one file is that file.
    pub(super) fn split(&mut self, limit: usize, share: f64) {
        self.split_large(limit, share);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        self.of.values().for_each(|group| *counts.entry(group.clone()).or_default() += 1);
        for (path, group) in self.of.iter_mut().filter(|(_, group)| counts[*group] == 1) {
            group.clone_from(path);
        }
    }

    fn split_large(&mut self, limit: usize, share: f64) {
        let total = self.lines.values().sum::<usize>().max(1) as f64;
        let mut whole: BTreeSet<String> = BTreeSet::new();
        for _ in 0..MAX_SPLITS {
            let sizes = self.sizes();
            let open = sizes.iter().filter(|(group, _)| !whole.contains(**group));
            let Some((group, lines)) = open.max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))) else { return };
            let (own, group, count) = (*lines as f64 / total, (*group).to_owned(), sizes.len());
            if own <= share && !group.is_empty() {
                return;
            }
            match self.list_parts(&group, limit, (count, own)) {
                Some(parts) => {
                    // What keeps the name of its group, as the files of a folder beside its folders, stays whole.
                    whole.insert(group);
                    self.of.extend(parts);
                }
                None => drop(whole.insert(group)),
            }
        }
    }

    fn sizes(&self) -> BTreeMap<&str, usize> {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for (path, group) in &self.of {
            *sizes.entry(group).or_default() += self.lines[path];
        }
        sizes
    }

    /// The new groups of the files of a group; `None` if it stays whole.
    fn list_parts(&self, group: &str, limit: usize, (count, share): (usize, f64)) -> Option<Vec<(String, String)>> {
        let members: Vec<&String> = self.of.iter().filter(|(_, own)| *own == group).map(|(path, _)| path).collect();
        // A folder with nothing but a folder is one with it.
        let mut folder = group.to_owned();
        let inner = loop {
            let inner = |path: &&String| Some(below(path, &folder)?.split_once('/')?.0.to_owned());
            let parts: BTreeSet<Option<String>> = members.iter().map(inner).collect();
            match parts.iter().next() {
                Some(Some(only)) if parts.len() == 1 => folder = join(&folder, only),
                _ => break parts,
            }
        };
        let files = members.iter().filter(|path| below(path, &folder).is_some_and(|rest| !rest.contains('/'))).count();
        let folders = inner.iter().flatten().count();
        let has_room = |parts: usize| count - 1 + parts <= limit;
        let splits_files = has_room(folders + files);
        if members.len() < 2 || !(splits_files || folders > 0 && (has_room(folders + 1) || share > MOST_SHARE)) {
            return None;
        }
        let part = |path: &&String| {
            let rest = below(path, &folder)?;
            let name = match rest.split_once('/') {
                Some((inner, _)) => join(&folder, inner),
                None if splits_files => (*path).clone(),
                None => folder.clone(),
            };
            Some(((*path).clone(), name))
        };
        Some(members.iter().filter_map(part).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(paths: &[(&str, usize)], limit: usize) -> Vec<String> {
        let mut splitting = Splitting::default();
        paths.iter().for_each(|(path, lines)| splitting.add(path, "", *lines));
        splitting.split(limit, LARGE_SHARE);
        splitting.of.into_values().collect::<BTreeSet<_>>().into_iter().collect()
    }

    #[test]
    fn folders_with_most_of_the_code_are_split() {
        // The only package of a project, whose files are shown.
        let python = [("setup.py", 10), ("src/app/a.py", 500), ("src/app/b.py", 300), ("src/app/c.py", 400)];
        assert_eq!(split(&python, 10), ["setup.py", "src/app/a.py", "src/app/b.py", "src/app/c.py"]);
        // A flat folder with more files than there is room for stays whole; files of the root are shown.
        let go = [("mux.go", 500), ("tree.go", 900), ("mw/a.go", 900), ("mw/b.go", 900), ("mw/c.go", 900)];
        assert_eq!(split(&go, 4), ["mux.go", "mw", "tree.go"]);
        // Most of the code is in one folder: its folders are shown, whatever the limit, its files as one.
        let big = [
            ("x.js", 1),
            ("app/a/1.py", 500),
            ("app/b/1.py", 500),
            ("app/c/1.py", 500),
            ("app/1.py", 9),
            ("app/2.py", 9),
        ];
        assert_eq!(split(&big, 4), ["app", "app/a/1.py", "app/b/1.py", "app/c/1.py", "x.js"]);
        assert_eq!(split(&[], 4), Vec::<String>::new());
        assert_eq!(split(&[("a.py", 1)], 4), ["a.py"]);
    }
}
