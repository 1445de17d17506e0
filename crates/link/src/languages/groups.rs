//! Files in groups for which a question has the same answer, and the answers that were given.

use std::hash::Hash;
use std::sync::atomic::{AtomicU8, Ordering};

use rustc_hash::FxHashMap;

use crate::tables::files::{FileId, Files};

/// Maximum number of groups whose answers are kept: one byte for each pair.
const MAX_GROUPS: usize = 2_048;
/// No answer yet; otherwise the answer and one more.
const UNKNOWN: u8 = 0;

/// Groups of the files of a project.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Group of each file.
    of_files: Box<[u32]>,
    count: usize,
    /// Answer for each pair; none if there are too many groups.
    answers: Box<[AtomicU8]>,
}

impl Groups {
    /// Groups by what `group` returns for the folder of a file.
    pub(super) fn by_folder<'f, K: Hash + Eq>(files: &Files<'f>, group: impl Fn(&'f str) -> K) -> Self {
        let mut of_files = Vec::new();
        let mut of_folders: FxHashMap<&str, u32> = FxHashMap::default();
        let mut groups: FxHashMap<K, u32> = FxHashMap::default();
        for (file, path) in files.paths() {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let number = *of_folders.entry(folder).or_insert_with(|| {
                let next = groups.len() as u32;
                *groups.entry(group(folder)).or_insert(next)
            });
            let place = file.0 as usize;
            if of_files.len() <= place {
                of_files.resize(place + 1, u32::MAX);
            }
            of_files[place] = number;
        }
        let count = groups.len();
        let pairs = if count <= MAX_GROUPS { count * count } else { 0 };
        Self { of_files: of_files.into(), count, answers: (0..pairs).map(|_| AtomicU8::new(UNKNOWN)).collect() }
    }

    /// The answer for a pair of files, which `find` finds if no pair of the same groups was asked for before.
    pub(super) fn answer(&self, from: FileId, to: FileId, find: impl FnOnce() -> bool) -> bool {
        let group = |file: FileId| self.of_files.get(file.0 as usize).filter(|group| **group != u32::MAX);
        let (Some(from), Some(to)) = (group(from), group(to)) else { return find() };
        let Some(known) = self.answers.get(*from as usize * self.count + *to as usize) else { return find() };
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let answer = find();
                known.store(u8::from(answer) + 1, Ordering::Relaxed);
                answer
            }
            answer => answer > 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use m1nd_base::RepoPath;
    use m1nd_lang::Language;

    use super::*;
    use crate::tables::brief::Brief;
    use crate::tables::files::FileTree;

    #[test]
    fn a_question_is_asked_once_for_each_pair_of_groups() {
        let mut tree = FileTree::default();
        let facts = m1nd_lang::extract(Language::Text, b"", &m1nd_base::Limits::default(), &m1nd_base::Cancel::new());
        let mut add = |path: &str| tree.insert(&RepoPath::new(path).expect("a path"), Brief::of(&facts), None);
        let [a, b, c, top] = ["x/a.py", "x/y/b.py", "z/c.py", "d.py"].map(&mut add);
        let files = Files::new(&tree);
        let groups = Groups::by_folder(&files, |folder| folder.split('/').next());
        let count = Cell::new(0);
        let ask = |from, to, answer: bool| {
            groups.answer(from, to, || {
                count.set(count.get() + 1);
                answer
            })
        };
        assert!(ask(a, c, true) && ask(b, c, false), "both are in `x`");
        assert!(!ask(c, a, false) && !ask(c, b, true));
        assert!(ask(top, top, true) && count.get() == 3);
        assert!(!ask(FileId(9), a, false) && ask(FileId(9), a, true), "a file that came later has no group");
    }
}
