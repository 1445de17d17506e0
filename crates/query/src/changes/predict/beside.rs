//! Files and commits of a history by folder, name and kind of file: what is near a file, whatever its own commits say.

use m1nd_base::RepoPath;
use m1nd_history::{FileHistory, History, Moment};
use m1nd_lang::is_test_path;
use rustc_hash::FxHashMap;

/// Number of no folder, group, kind or name.
const UNKNOWN: u32 = u32::MAX;
/// Files that share a word of their names, up to which the word leads from one to the others.
const RARE_WORD: usize = 30;
/// Files of a folder or name that are looked at, the last changed first.
const SCANNED: usize = 400;
/// Words that say nothing about what a file is about.
const COMMON_WORDS: [&str; 16] =
    ["test", "spec", "src", "lib", "index", "init", "main", "mod", "py", "ts", "rs", "go", "java", "js", "tsx", "cpp"];

/// What the path of a file says.
#[derive(Debug, Clone, Default)]
pub(super) struct PathTraits {
    /// Its folder.
    pub(super) folder: u32,
    /// Its folder and extension.
    pub(super) group: u32,
    /// Its topmost folder and extension, and whether it is a test.
    pub(super) kind: u32,
    /// Its name, see [`stem_of`].
    pub(super) stem: u32,
    pub(super) is_test: bool,
    /// Words of its name, and of its path: sorted.
    pub(super) words: Box<[u32]>,
    pub(super) path_words: Box<[u32]>,
}

/// The files and commits of a history by folder, name and kind.
#[derive(Debug, Default)]
pub struct Beside {
    places: Vec<PathTraits>,
    folders: FxHashMap<String, u32>,
    groups: FxHashMap<String, u32>,
    kinds: FxHashMap<String, u32>,
    stems: FxHashMap<String, u32>,
    words: FxHashMap<String, u32>,
    /// Logarithm of the number of files over those with the word.
    rarity: Vec<f64>,
    by_folder: Vec<Vec<u32>>,
    by_stem: Vec<Vec<u32>>,
    by_word: Vec<Vec<u32>>,
    /// Counting commits that touched a file of the group, newest first, and those that added one.
    of_group: Vec<Vec<u32>>,
    added_to_group: Vec<Vec<u32>>,
    of_kind: Vec<Vec<u32>>,
}

impl Beside {
    /// The files and commits of a history.
    pub fn of(history: &History) -> Self {
        let mut beside = Self::default();
        for file in history.all_files() {
            let place = beside.add(file.path());
            beside.places.push(place);
        }
        beside.rarity = vec![0.0; beside.words.len()];
        for word in beside.places.iter().flat_map(|place| &place.path_words) {
            beside.rarity[*word as usize] += 1.0;
        }
        let all = beside.places.len() as f64 + 1.0;
        beside.rarity.iter_mut().for_each(|count| *count = (all / count.max(1.0)).ln());
        beside.by_folder = vec![Vec::new(); beside.folders.len()];
        beside.by_stem = vec![Vec::new(); beside.stems.len()];
        beside.by_word = vec![Vec::new(); beside.words.len()];
        // Files are numbered from the last changed on.
        for (key, place) in beside.places.iter().enumerate() {
            beside.by_folder[place.folder as usize].push(key as u32);
            beside.by_stem[place.stem as usize].push(key as u32);
            place.words.iter().for_each(|word| beside.by_word[*word as usize].push(key as u32));
        }
        beside.index_commits(history);
        beside
    }

    fn index_commits(&mut self, history: &History) {
        self.of_group = vec![Vec::new(); self.groups.len()];
        self.added_to_group = vec![Vec::new(); self.groups.len()];
        self.of_kind = vec![Vec::new(); self.kinds.len()];
        let add = |rows: &mut Vec<u32>, commit: usize| {
            if rows.last() != Some(&(commit as u32)) {
                rows.push(commit as u32);
            }
        };
        let counting = history.commits().iter().enumerate().filter(|(_, commit)| commit.counts_together());
        for (number, _) in counting {
            for place in history.all_touched_by(number).filter_map(|file| self.places.get(file.key() as usize)) {
                add(&mut self.of_group[place.group as usize], number);
                add(&mut self.of_kind[place.kind as usize], number);
            }
            for place in history.added_by(number).filter_map(|file| self.places.get(file.key() as usize)) {
                add(&mut self.added_to_group[place.group as usize], number);
            }
        }
    }

    fn add(&mut self, path: &str) -> PathTraits {
        let number = |names: &mut FxHashMap<String, u32>, name: &str| {
            let next = names.len() as u32;
            *names.entry(name.to_owned()).or_insert(next)
        };
        let words = |names: &mut FxHashMap<String, u32>, text: &str| {
            sort_words(words_of(text).iter().map(|word| number(names, word)).collect())
        };
        PathTraits {
            folder: number(&mut self.folders, folder_of(path)),
            group: number(&mut self.groups, &group_of(path)),
            kind: number(&mut self.kinds, &kind_of(path)),
            stem: number(&mut self.stems, stem_of(path)),
            is_test: is_test(path),
            words: words(&mut self.words, name_of(path)),
            path_words: words(&mut self.words, path),
        }
    }

    /// What a path says, which need not be one of the history.
    pub(super) fn place(&self, path: &str) -> PathTraits {
        let number = |names: &FxHashMap<String, u32>, name: &str| names.get(name).copied().unwrap_or(UNKNOWN);
        let words = |text: &str| sort_words(words_of(text).iter().map(|word| number(&self.words, word)).collect());
        PathTraits {
            folder: number(&self.folders, folder_of(path)),
            group: number(&self.groups, &group_of(path)),
            kind: number(&self.kinds, &kind_of(path)),
            stem: number(&self.stems, stem_of(path)),
            is_test: is_test(path),
            words: words(name_of(path)),
            path_words: words(path),
        }
    }

    /// What the path of a file of the history says.
    pub(super) fn place_of(&self, file: FileHistory<'_>) -> &PathTraits {
        &self.places[file.key() as usize]
    }

    /// Rarity of the words that both have, over that of all words of both: 0 to 1.
    pub(super) fn alike(&self, one: &[u32], other: &[u32]) -> f64 {
        let unknown = (self.places.len() as f64 + 1.0).ln();
        let rarity = |word: &u32| self.rarity.get(*word as usize).copied().unwrap_or(unknown);
        let shared: f64 = one.iter().filter(|word| other.binary_search(word).is_ok()).map(rarity).sum();
        let all = one.iter().chain(other).map(rarity).sum::<f64>() - shared;
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// Files of the same name, of the same folder, and with the same rare words in their names: at most `limit` of
    /// each, the last changed before the moment first.
    pub(super) fn near<'h>(
        &self,
        history: &'h History,
        place: &PathTraits,
        moment: Moment,
        limit: usize,
    ) -> Vec<FileHistory<'h>> {
        let of = |rows: &[Vec<u32>], at: u32| rows.get(at as usize).cloned().unwrap_or_default();
        let worded = place.words.iter().filter_map(|word| self.by_word.get(*word as usize));
        let worded: Vec<u32> = worded.filter(|rows| rows.len() <= RARE_WORD).flatten().copied().collect();
        let mut found = Vec::new();
        for rows in [of(&self.by_stem, place.stem), of(&self.by_folder, place.folder), worded] {
            let files = rows.iter().take(SCANNED).filter_map(|key| history.file_of(*key));
            let mut there: Vec<(usize, FileHistory<'h>)> = files
                .filter(|file| file.existed_at(moment))
                .filter_map(|file| Some((file.commit_numbers(moment).next()?, file)))
                .collect();
            there.sort_by_key(|(newest, file)| (*newest, file.key()));
            found.extend(there.into_iter().take(limit).map(|(_, file)| file));
        }
        found
    }

    /// Counting commits before a moment that touched a file of the same folder and extension, newest first.
    pub(super) fn group_commits(&self, place: &PathTraits, moment: Moment) -> impl Iterator<Item = usize> {
        before(&self.of_group, place.group, moment)
    }

    /// Those of them that added such a file.
    pub(super) fn group_additions(&self, place: &PathTraits, moment: Moment) -> impl Iterator<Item = usize> {
        before(&self.added_to_group, place.group, moment)
    }

    /// Counting commits before a moment that touched a file of the same kind, newest first.
    pub(super) fn kind_commits(&self, place: &PathTraits, moment: Moment) -> impl Iterator<Item = usize> {
        before(&self.of_kind, place.kind, moment)
    }
}

fn before(rows: &[Vec<u32>], at: u32, moment: Moment) -> impl Iterator<Item = usize> {
    let commits = rows.get(at as usize).map_or(&[][..], Vec::as_slice);
    let start = commits.partition_point(|&commit| (commit as usize) < moment.newest());
    commits[start..].iter().map(|&commit| commit as usize)
}

fn sort_words(mut words: Vec<u32>) -> Box<[u32]> {
    words.sort_unstable();
    words.dedup();
    words.into_boxed_slice()
}

fn is_test(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| is_test_path(&path))
}

fn name_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(super) fn extension_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn group_of(path: &str) -> String {
    format!("{}/.{}", folder_of(path), extension_of(path))
}

fn kind_of(path: &str) -> String {
    let top = path.split_once('/').map_or("", |(top, _)| top);
    format!("{top}/.{} {}", extension_of(path), is_test(path))
}

/// The words of a text in lower case without plural endings: split at what is no letter or digit, and before capitals.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let is_next_small = rest.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase() && (before.is_lowercase() || is_next_small)
            || letter.is_ascii_digit() != before.is_ascii_digit();
        if begins || !letter.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.push(word);
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') {
            word.pop();
        }
    }
    words.retain(|word| !word.is_empty() && !COMMON_WORDS.contains(&word.as_str()));
    words
}

/// The name of a file without its extension and what marks a test: `test_pool.py`, `pool.spec.ts` and `pool.rs` are
/// alike.
pub(crate) fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "_spec", "-test", "Tests", "Test"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem)
}

/// Share of the folders of the deeper path that both have in common.
pub(super) fn shared_folders(one: &str, other: &str) -> f64 {
    let (one, other) = (folder_of(one), folder_of(other));
    let parts = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    let most = parts(one).max(parts(other));
    let shared = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
    if most == 0 { 1.0 } else { shared as f64 / most as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike() {
        for path in ["a/test_pool.py", "pool.spec.ts", "src/pool.rs", "pool_test.go", "pool-test.js", "docs/pool.md"] {
            assert_eq!(stem_of(path), "pool", "{path}");
        }
        assert_eq!((stem_of("PoolTest.java"), stem_of("Pool.java")), ("Pool", "Pool"));
        assert_eq!(shared_folders("a/b/c.py", "a/b/d.py"), 1.0);
        assert_eq!(shared_folders("a/b/c.py", "a/x/d.py"), 0.5);
        assert_eq!((shared_folders("c.py", "d.py"), shared_folders("a/c.py", "d.py")), (1.0, 0.0));
    }

    #[test]
    fn words_of_names() {
        let cases: [(&str, &[&str]); 5] = [
            ("test_pipelines_files", &["pipeline", "file"]),
            ("HTTPServerPool", &["http", "server", "pool"]),
            ("src/v4/toJsonSchema.test.ts", &["v", "4", "to", "json", "schema"]),
            ("bus", &["bus"]),
            ("__init__", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words_of(text), expected, "{text}");
        }
    }
}
