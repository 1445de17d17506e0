//! The linker's memory of its runs, to be stored: with it and the facts of all files, another process goes on where
//! this one ended, without linking everything again.

use m1nd_base::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::askers::SharedBytes;
use crate::assemble;
use crate::files::FileId;
use crate::ids::Generated;
use crate::languages::FAMILIES;
use crate::linker::Linker;
use crate::links::LinkNode;

/// The part of a stored state that is decoded: its length (4 bytes), itself, and zeros up to a multiple of [`ALIGN`]
/// come before the tables of what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// Fingerprints of the resolvers of all families, in their order.
    fingerprints: Vec<u64>,
    /// Paths of the files that the project declares as tests, by family.
    test_files: Vec<Vec<String>>,
    /// Files in order of their paths, each with what its resolver took for it.
    files: Vec<(String, u64)>,
}

const ALIGN: usize = 8;

impl Linker {
    /// What is to be stored. There must be no changes that were not linked yet.
    pub fn state(&self) -> Vec<u8> {
        let mut files: Vec<FileId> = self.project.files().map(|(file, _)| file).collect();
        files.sort_by(|a, b| self.project.unit(*a).path.cmp(&self.project.unit(*b).path));
        let path = |file: &FileId| self.project.unit(*file).path.as_str().to_owned();
        let head = Head {
            fingerprints: self.resolvers.iter().map(|resolver| resolver.fingerprint()).collect(),
            test_files: (0..self.resolvers.len()).map(|family| self.declared_tests(family)).collect(),
            files: files.iter().map(|file| (path(file), self.file_fingerprint(*file))).collect(),
        };
        let head = postcard::to_allocvec(&head).expect("it is made of numbers and texts");
        let mut out = (head.len() as u32).to_le_bytes().to_vec();
        out.extend(head);
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        out.extend(self.askers.encode(&files));
        out
    }

    /// Takes over what another linker with the same files remembered, instead of linking them. All files, manifests and
    /// compiler indexes must be set, as they were then; a manifest may have changed. Returns whether it is usable; if
    /// not, everything is due as before. The bytes are used where they are, and read as far as edits ask for.
    pub fn restore(&mut self, state: SharedBytes) -> bool {
        let Some((head, tables)) = head((*state).as_ref()) else { return false };
        let Some(files) = self.files_of(&head) else { return false };
        if !self.askers.restore(state, tables, files) {
            return false;
        }
        self.renew_resolvers();
        self.dirty.clear();
        self.changes.clear();
        self.removed.clear();
        for family in 0..FAMILIES.len() {
            self.compare_resolver(family, &head);
        }
        for (path, fingerprint) in &head.files {
            if let Some(file) = self.project.find(path)
                && self.file_fingerprint(file) != *fingerprint
            {
                self.dirty.insert(file);
                self.changes.whole_file(self.project.tree.hash(file));
            }
        }
        true
    }

    /// The files of a state in its order; `None` if they are not those of this linker.
    fn files_of(&self, head: &Head) -> Option<Vec<FileId>> {
        let is_complete = head.files.len() == self.slots.len()
            && head.fingerprints.len() == FAMILIES.len()
            && head.test_files.len() == FAMILIES.len();
        let rows = head.files.iter().filter(|_| is_complete);
        let files = rows.map(|(path, _)| self.project.find(path)).collect::<Option<Vec<FileId>>>()?;
        (is_complete && !files.is_empty()).then_some(files)
    }

    fn file_fingerprint(&self, file: FileId) -> u64 {
        let of = crate::languages::family(self.project.unit(file).facts.language);
        self.resolvers[of].file_fingerprint(file)
    }

    /// Makes due what depends on a resolver that is not as it was.
    fn compare_resolver(&mut self, family: usize, state: &Head) {
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
        assemble::nodes(&self.project, file, &generated, &|symbol| is_node(self.text(symbol)))
    }
}

/// The head of a stored state, and where its tables begin.
fn head(bytes: &[u8]) -> Option<(Head, usize)> {
    let length = u32::from_le_bytes(bytes.first_chunk().copied()?) as usize;
    let end = length.checked_add(4)?;
    Some((postcard::from_bytes(bytes.get(4..end)?).ok()?, end.checked_next_multiple_of(ALIGN)?))
}
