//! The linker's memory of its runs, to be stored: with it and the facts of all files, another process goes on where
//! this one ended, without linking everything again.

use m1nd_base::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::assemble;
use crate::files::{Asked, FileId, Key, Word};
use crate::ids::Generated;
use crate::languages::FAMILIES;
use crate::linker::Linker;
use crate::links::LinkNode;

/// What a linker looked at while it linked each file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkerState {
    /// Fingerprints of the resolvers of all families, in their order.
    fingerprints: Vec<u64>,
    /// Paths of the files that the project declares as tests, by family.
    test_files: Vec<Vec<String>>,
    /// All keys, each once, in order.
    keys: Vec<Key>,
    /// Files in order of their paths.
    files: Vec<FileState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    path: String,
    /// What its resolver took for it.
    fingerprint: u64,
    /// Places in the list of keys.
    keys: Vec<u32>,
    words: Vec<Word>,
}

impl Linker {
    /// What is to be stored. There must be no changes that were not linked yet.
    pub fn state(&self) -> LinkerState {
        let mut keys: Vec<Key> = self.askers.keys().copied().collect();
        keys.sort_unstable();
        let mut files: Vec<FileState> = self
            .asked
            .iter()
            .map(|(file, asked)| FileState {
                path: self.project.unit(*file).path.as_str().to_owned(),
                fingerprint: self.file_fingerprint(*file),
                keys: asked.keys.iter().filter_map(|key| Some(keys.binary_search(key).ok()? as u32)).collect(),
                words: asked.words.to_vec(),
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        LinkerState {
            fingerprints: self.resolvers.iter().map(|resolver| resolver.fingerprint()).collect(),
            test_files: (0..self.resolvers.len()).map(|family| self.declared_tests(family)).collect(),
            keys,
            files,
        }
    }

    /// Takes over what another linker with the same files remembered, instead of linking them. All files, manifests and
    /// compiler indexes must be set, as they were then; a manifest may have changed. Returns whether it is usable; if
    /// not, everything is due as before.
    pub fn restore(&mut self, state: &LinkerState) -> bool {
        let Some(rows) = self.rows(state) else { return false };
        self.renew_resolvers();
        self.dirty.clear();
        self.changes.clear();
        self.removed.clear();
        for (file, asked) in rows {
            self.remember(file, asked);
        }
        for family in 0..FAMILIES.len() {
            self.compare_resolver(family, state);
        }
        for row in &state.files {
            if let Some(file) = self.project.find(&row.path)
                && self.file_fingerprint(file) != row.fingerprint
            {
                self.dirty.insert(file);
                self.changes.whole_file(self.project.tree.hash(file));
            }
        }
        true
    }

    fn file_fingerprint(&self, file: FileId) -> u64 {
        let of = crate::languages::family(self.project.unit(file).facts.language);
        self.resolvers[of].file_fingerprint(file)
    }

    /// What each file asked for; `None` if the state is of other files, or damaged.
    fn rows(&self, state: &LinkerState) -> Option<Vec<(FileId, Asked)>> {
        let is_complete = state.files.len() == self.slots.len()
            && state.fingerprints.len() == FAMILIES.len()
            && state.test_files.len() == FAMILIES.len();
        let rows = state.files.iter().filter(|_| is_complete).map(|row| {
            let file = *self.slots.get(&RepoPath::new(&row.path).ok()?)?;
            let keys = row.keys.iter().map(|place| state.keys.get(*place as usize).copied());
            let keys = keys.collect::<Option<Vec<Key>>>()?;
            Some((file, Asked { keys: keys.into(), words: row.words.as_slice().into() }))
        });
        let rows = rows.collect::<Option<Vec<_>>>()?;
        (is_complete && !rows.is_empty()).then_some(rows)
    }

    /// Makes due what depends on a resolver that is not as it was.
    fn compare_resolver(&mut self, family: usize, state: &LinkerState) {
        if self.resolvers[family].fingerprint() != state.fingerprints[family] {
            self.make_family_due(family);
        }
        let before: FxHashSet<String> = state.test_files[family].iter().cloned().collect();
        let after: FxHashSet<String> = self.declared_tests(family).into_iter().collect();
        for path in before.symmetric_difference(&after) {
            if let Some(file) = self.project.find(path) {
                self.dirty.insert(file);
                self.changes.whole_file(self.project.tree.hash(file));
            }
        }
    }

    fn declared_tests(&self, family: usize) -> Vec<String> {
        let files = self.resolvers[family].test_files().iter();
        let units = files.filter_map(|file| self.project.units[file.0 as usize].as_ref());
        units.map(|unit| unit.path.as_str().to_owned()).collect()
    }

    /// The nodes of a file, as linking it lists them. `is_node` says of what a macro may define whether it does.
    pub fn nodes_if(&self, path: &RepoPath, is_node: &dyn Fn(&str) -> bool) -> Vec<LinkNode> {
        let Some(&file) = self.slots.get(path) else { return Vec::new() };
        let rows = self.project.unit(file).generated.iter();
        let rows = rows.filter(|(_, symbol)| is_node(self.text(*symbol)));
        let generated: FxHashMap<_, _> =
            rows.map(|&(def, symbol)| (def, Generated { symbol, is_test: false })).collect();
        assemble::nodes(&self.project, file, &generated)
    }
}
