//! What changed since the last run, as keys and words that files may have asked for.

use m1nd_base::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::named;
use crate::names::{Name, Names};
use crate::surface::Surface;
use crate::tables::files::{Key, Word, path_keys, text_hash};
use crate::unit::Unit;

/// Pending changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    keys: FxHashSet<Key>,
    words: FxHashMap<Key, FxHashSet<Word>>,
}

impl Changes {
    /// Keys that changed for everybody who asked for them.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    /// Keys that changed for those who asked for one of the words.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&Key, &FxHashSet<Word>)> {
        self.words.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.words.clear();
    }

    /// Adds other changes.
    pub(crate) fn add(&mut self, others: Self) {
        self.keys.extend(others.keys);
        for (key, words) in others.words {
            self.words.entry(key).or_default().extend(words);
        }
    }

    /// Everything that can be seen of the file at the path with this hash.
    pub(crate) fn whole_file(&mut self, path: u64) {
        self.keys.extend([Key::surface(path), Key::for_named(path), Key::imports(path)]);
    }

    /// A file that comes or goes.
    pub(crate) fn of_whole(&mut self, unit: &Unit, names: &Names) {
        self.whole_file(text_hash(unit.path.as_str()));
        self.keys.extend(path_keys(unit.path.as_str()));
        for (name, _) in &unit.attached {
            self.keys.extend([Key::for_attached(names.text(*name)), Key::all_attached(names.text(*name))]);
        }
        self.keys.extend(unit.methods.iter().map(|(name, _)| Key::methods(names.text(*name))));
        self.keys.extend(unit.demands().map(|(name, _)| Key::for_demanded(names.text(name))));
        self.keys.extend(unit.given.iter().map(|(name, _)| Key::for_given(names.text(*name))));
        self.keys.extend(unit.passes.names().map(|name| Key::passes(names.text(name))));
        self.keys.extend(unit.spots.words.iter().map(|word| Key::contract(word)));
        self.keys.extend(named::words(unit).into_iter().map(Key::for_defined));
    }

    /// What a file contributes to contracts: it is in bodies, which others do not see.
    fn contracts(&mut self, old: &Unit, new: &Unit) {
        let (before, after) = (old.evidence(), new.evidence());
        self.keys.extend(differing(&before.rows, &after.rows));
        self.keys.extend(before.others.iter().chain(&after.others));
    }

    /// A file whose content changes. Returns whether others can see a difference.
    pub(crate) fn between(&mut self, old: &Unit, new: &Unit, names: &Names) -> bool {
        self.passes(old, new, names);
        self.demands(old, new, names);
        self.keys.extend(named::list_changed(old, new).into_iter().map(Key::for_defined));
        self.contracts(old, new);
        let (before, after) = (old.surface(), new.surface());
        if before == after {
            return false;
        }
        self.of_names(&new.path, before, after);
        self.keys.extend(differing(&before.names, &after.names).into_iter().map(Key::for_defined));
        self.compare_attached(before, after, names);
        for name in differing(&before.methods, &after.methods) {
            self.keys.insert(Key::methods(names.text(name)));
        }
        for name in differing(&before.given, &after.given) {
            self.keys.insert(Key::for_given(names.text(name)));
        }
        true
    }

    /// A class that becomes one which others satisfy without naming it, or asks for other methods.
    fn demands(&mut self, old: &Unit, new: &Unit, names: &Names) {
        let rows = |unit: &Unit| -> Vec<(Name, u64)> {
            let count = |rows: &[(Name, m1nd_lang::facts::DefId)]| (rows[0].0, rows.len() as u64);
            let all: Vec<_> = unit.demands().collect();
            all.chunk_by(|a, b| a.0 == b.0).map(count).collect()
        };
        for name in differing(&rows(old), &rows(new)) {
            self.keys.insert(Key::for_demanded(names.text(name)));
        }
    }

    fn of_names(&mut self, path: &RepoPath, before: &Surface, after: &Surface) {
        let path = text_hash(path.as_str());
        self.keys.insert(Key::surface(path));
        if before.imports != after.imports {
            self.keys.insert(Key::imports(path));
        }
        if before.heading != after.heading {
            self.keys.insert(Key::for_named(path));
            return;
        }
        let words = differing(&before.names, &after.names);
        self.words.entry(Key::for_named(path)).or_default().extend(words);
    }

    /// A block that attaches concerns everybody who looks for members of the type, a function those who look for its
    /// name.
    fn compare_attached(&mut self, before: &Surface, after: &Surface, names: &Names) {
        let rows = |surface: &Surface| -> Vec<((Name, Option<Word>), u64)> {
            let rows = surface.attached.iter().map(|&(name, function, hash)| ((name, function), hash));
            let mut rows: Vec<_> = rows.collect();
            rows.sort_by_key(|(key, _)| *key);
            rows
        };
        for (name, function) in differing(&rows(before), &rows(after)) {
            let text = names.text(name);
            self.keys.insert(Key::all_attached(text));
            match function {
                Some(word) => _ = self.words.entry(Key::for_attached(text)).or_default().insert(word),
                None => _ = self.keys.insert(Key::for_attached(text)),
            }
        }
    }

    /// Names to which a file passes other arguments than before. Calls are in bodies, so arguments may change without
    /// a change of what others can see.
    fn passes(&mut self, old: &Unit, new: &Unit, names: &Names) {
        let (before, after) = (old.passes.hashes(&old.facts), new.passes.hashes(&new.facts));
        for name in differing(&before, &after) {
            self.keys.insert(Key::passes(names.text(name)));
        }
    }
}

/// The keys that have other rows in one list than in the other, or in another order. Both are in order of their keys.
fn differing<K: Copy + Ord + std::hash::Hash>(before: &[(K, u64)], after: &[(K, u64)]) -> FxHashSet<K> {
    let mut found = FxHashSet::default();
    let (mut left, mut right) = (before, after);
    while let Some(&(key, _)) = left.first().into_iter().chain(right.first()).min_by_key(|(key, _)| *key) {
        let one = left.partition_point(|(other, _)| *other <= key);
        let other = right.partition_point(|(other, _)| *other <= key);
        if left[..one] != right[..other] {
            found.insert(key);
        }
        (left, right) = (&left[one..], &right[other..]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_whose_rows_differ() {
        let before = [(1, 10), (2, 20), (2, 21), (4, 40), (5, 50)];
        let after = [(1, 10), (2, 21), (2, 20), (3, 30), (5, 51)];
        let mut found: Vec<i32> = differing(&before, &after).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [2, 3, 4, 5]);
    }
}
