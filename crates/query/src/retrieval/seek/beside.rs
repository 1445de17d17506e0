//! Evidence from the other files of a folder.

use crate::retrieval::indexed_files::IndexedFiles;
use m1nd_search::FileHit;
use rustc_hash::FxHashMap;

use m1nd_engine::Snapshot;

/// Files of a folder that count.
const SIBLINGS: usize = 3;

/// Scores of the files around each file.
#[derive(Debug, Default)]
pub(super) struct Beside<'h> {
    /// The best of each folder, best first, one more than count.
    folders: FxHashMap<&'h str, Vec<f64>>,
}

impl<'h> Beside<'h> {
    /// Gathers `score` of files that match.
    pub(super) fn of(snapshot: &Snapshot, files: &[FileHit<'h>], score: impl Fn(&FileHit<'_>) -> f64) -> Self {
        let (mut beside, indexed) = (Self::default(), IndexedFiles::of(snapshot));
        for file in files {
            if file.file.and_then(|number| indexed.entry(number)).is_some_and(|entry| entry.is_test) {
                continue;
            }
            let value = score(file);
            let best = beside.folders.entry(folder(file.path)).or_default();
            let at = best.partition_point(|other| *other >= value);
            if at <= SIBLINGS {
                best.insert(at, value);
                best.truncate(SIBLINGS + 1);
            }
        }
        beside
    }

    /// Mean of the best others in the folder of a file with this score.
    pub(super) fn siblings(&self, path: &str, own: f64) -> f64 {
        let Some(best) = self.folders.get(folder(path)) else { return 0.0 };
        let counted: f64 = best.iter().take(SIBLINGS).sum();
        let is_own = best.iter().take(SIBLINGS).any(|value| *value == own);
        let sum = if is_own { counted - own + best.get(SIBLINGS).copied().unwrap_or(0.0) } else { counted };
        sum / SIBLINGS as f64
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_does_not_count_for_itself() {
        let hit = |path, score: f64| FileHit { score, ..FileHit::without_words(path) };
        let files = [hit("a/x.rs", 0.9), hit("a/y.rs", 0.3), hit("b/z.rs", 0.8)];
        let beside = Beside::of(&Snapshot::empty(), &files, |file| file.score);
        assert!((beside.siblings("a/x.rs", 0.9) - 0.1).abs() < 1e-9);
        assert!((beside.siblings("a/y.rs", 0.3) - 0.3).abs() < 1e-9);
        assert_eq!((beside.siblings("b/z.rs", 0.8), beside.siblings("c/w.rs", 0.0)), (0.0, 0.0));
    }
}
