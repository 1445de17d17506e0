//! Test files by what their paths say.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use m1nd_search::words::fold_identifier;

use crate::changes::predict::{folder_of, stem_of, words_of};

/// Test files that share a word of their names, up to which the word leads to them.
const RARE_WORD: usize = 40;
/// Test files of a folder, up to which the folder leads to them.
const MAX_OF_FOLDER: usize = 60;
/// Names of files that stand for their folder.
const STANDS_FOR_FOLDER: [&str; 6] = ["__init__", "index", "mod", "lib", "main", "package-info"];
/// Folders that say what kind of files they hold, not what these are about.
const KINDS_OF_FILES: [&str; 22] = [
    "src", "lib", "libs", "crates", "packages", "pkg", "internal", "main", "java", "kotlin", "python", "test", "tests",
    "__tests__", "testing", "spec", "specs", "unit", "integration", "functional", "e2e", "testsuite",
];

/// What the path of a file says.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// Its name without what marks a test, in lower case and without separators.
    pub(super) stem: String,
    /// Sorted words of its name, and of its path.
    words: Vec<String>,
    path_words: Vec<String>,
    /// Folders that say what it is about, in lower case, outermost first.
    folders: Vec<String>,
    folder: String,
}

impl Name {
    pub(super) fn of(path: &str) -> Self {
        let folders: Vec<String> = folder_of(path).split('/').map(str::to_lowercase).collect();
        let about = folders.iter().filter(|folder| !folder.is_empty() && !KINDS_OF_FILES.contains(&folder.as_str()));
        let about: Vec<String> = about.cloned().collect();
        let own = folders.last().map(String::as_str).unwrap_or_default();
        let stem = match stem_of(path) {
            stem if STANDS_FOR_FOLDER.contains(&stem) && KINDS_OF_FILES.contains(&own) => "",
            stem if STANDS_FOR_FOLDER.contains(&stem) => own,
            stem => stem,
        };
        Self {
            stem: fold_identifier(stem),
            words: sort_words(words_of(stem)),
            path_words: sort_words(words_of(path)),
            folders: about,
            folder: folder_of(path).to_owned(),
        }
    }

    /// Whether both have the same name, but for what marks a test.
    pub(super) fn is_same_stem(&self, other: &Self) -> bool {
        !self.stem.is_empty() && self.stem == other.stem
    }

    /// Whether the other is named after a folder of this file.
    pub(super) fn is_named_after_folder(&self, other: &Self) -> bool {
        !other.stem.is_empty() && self.folders.iter().any(|folder| fold_identifier(folder) == other.stem)
    }

    pub(super) fn is_same_folder(&self, other: &Self) -> bool {
        self.folder == other.folder
    }

    /// Whether both are in folders of the same names, but for those that say what kind of files they hold.
    pub(super) fn mirrors(&self, other: &Self) -> bool {
        !self.folders.is_empty() && self.folders == other.folders
    }
}

/// The test files of a graph by their names. Made once per snapshot.
#[derive(Debug, Default)]
pub(super) struct TestFiles {
    files: Vec<(NodeIx, Name)>,
    places: FxHashMap<NodeIx, u32>,
    by_stem: FxHashMap<String, Vec<u32>>,
    by_word: FxHashMap<String, Vec<u32>>,
    by_folder: FxHashMap<String, Vec<u32>>,
    /// Logarithm of the number of files over those whose path has the word.
    rarity: FxHashMap<String, f64>,
    all: f64,
}

impl TestFiles {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let graph = snapshot.graph();
        let mut found = Self::default();
        let mut counts: FxHashMap<String, f64> = FxHashMap::default();
        for node in graph.nodes().filter(|&node| graph.kind(node) == NodeKind::File) {
            let path = graph.path(node);
            sort_words(words_of(path)).into_iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
            found.all += 1.0;
            // Data and expected outputs beside tests are not tests.
            let is_code = snapshot.file_of(node).is_some_and(|file| m1nd_engine::is_code(file.language));
            if is_code && graph.flags(node).has(NodeFlags::TEST) {
                found.add(node, Name::of(path));
            }
        }
        let all = found.all + 1.0;
        found.rarity = counts.into_iter().map(|(word, count)| (word, (all / count).ln())).collect();
        found
    }

    fn add(&mut self, node: NodeIx, name: Name) {
        let place = self.files.len() as u32;
        self.by_stem.entry(name.stem.clone()).or_default().push(place);
        self.by_folder.entry(name.folder.clone()).or_default().push(place);
        name.words.iter().for_each(|word| self.by_word.entry(word.clone()).or_default().push(place));
        self.places.insert(node, place);
        self.files.push((node, name));
    }

    pub(super) fn is_test(&self, file: NodeIx) -> bool {
        self.places.contains_key(&file)
    }

    /// The name of a test file; made anew for a file that is not one.
    pub(super) fn name_of(&self, graph: &Graph, file: NodeIx) -> Name {
        match self.places.get(&file) {
            Some(place) => self.files[*place as usize].1.clone(),
            None => Name::of(graph.path(file)),
        }
    }

    /// Test files whose names, or whose folders, are like those of a file.
    pub(super) fn near(&self, name: &Name) -> Vec<NodeIx> {
        let rows = |table: &FxHashMap<String, Vec<u32>>, key: &str, most: usize| {
            table.get(key).filter(|rows| rows.len() <= most).cloned().unwrap_or_default()
        };
        let mut found = rows(&self.by_stem, &name.stem, usize::MAX);
        found.extend(rows(&self.by_folder, &name.folder, MAX_OF_FOLDER));
        name.folders.iter().for_each(|folder| found.extend(rows(&self.by_stem, &fold_identifier(folder), RARE_WORD)));
        name.words.iter().for_each(|word| found.extend(rows(&self.by_word, word, RARE_WORD)));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|place| self.files[place as usize].0).collect()
    }

    /// Rarity of the words that both names have, over that of all words of both; and over that of the first name: 0 to
    /// 1 each.
    pub(super) fn alike(&self, one: &Name, other: &Name) -> (f64, f64) {
        let (shared, first, second) = self.weigh(&one.words, &other.words);
        (share(shared, first + second - shared), share(shared, first))
    }

    /// The same over all words of the paths, of both.
    pub(super) fn alike_paths(&self, one: &Name, other: &Name) -> f64 {
        let (shared, first, second) = self.weigh(&one.path_words, &other.path_words);
        share(shared, first + second - shared)
    }

    fn weigh(&self, one: &[String], other: &[String]) -> (f64, f64, f64) {
        let unknown = (self.all + 1.0).ln();
        let rarity = |word: &String| self.rarity.get(word).copied().unwrap_or(unknown);
        let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).map(rarity).sum();
        (shared, one.iter().map(rarity).sum(), other.iter().map(rarity).sum())
    }
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}

fn sort_words(mut words: Vec<String>) -> Vec<String> {
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_names_and_folders() {
        let pairs = [
            ("src/a/b.py", "tests/a/test_b.py"),
            ("pkg/foo.go", "pkg/foo_test.go"),
            ("src/main/java/x/Foo.java", "src/test/java/x/FooTest.java"),
            ("src/x.ts", "src/x.test.ts"),
            ("src/views/user-list.ts", "src/views/__tests__/userList.spec.ts"),
            ("lib/pool.rb", "spec/pool_spec.rb"),
            ("src/pool.cc", "test/pool-test.cc"),
            ("src/http/mod.rs", "tests/http.rs"),
            ("auth/__init__.py", "tests/test_auth.py"),
        ];
        for (code, test) in pairs {
            let (code, test) = (Name::of(code), Name::of(test));
            assert!(code.is_same_stem(&test), "{code:?} {test:?}");
        }
        assert!(!Name::of("demo/lib.rs").is_same_stem(&Name::of("demo/tests/testsuite/main.rs")));
        assert!(!Name::of("src/a.py").is_same_stem(&Name::of("tests/test_b.py")));
        assert!(Name::of("auth/login.py").is_named_after_folder(&Name::of("tests/test_auth.py")));
        assert!(Name::of("src/a/b.py").mirrors(&Name::of("tests/a/test_b.py")));
        assert!(!Name::of("src/c/b.py").mirrors(&Name::of("tests/a/test_b.py")));
    }
}
