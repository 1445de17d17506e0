//! What the files beside a file say: others of its folder, and tests that bear its name.

use std::collections::HashMap;

use m1nd_search::FileHit;

use crate::snapshot::Snapshot;

/// Files of a folder that count.
const SIBLINGS: usize = 3;
/// Marks of tests at the ends of file names.
const TEST_MARKS: &[&str] = &["test", "tests", "spec", "specs"];

/// Scores of the files around each file.
#[derive(Debug, Default)]
pub(super) struct Beside<'h> {
    /// The best of each folder, best first, one more than count.
    folders: HashMap<&'h str, Vec<f64>>,
    /// The best of the tests with a name.
    tests: HashMap<String, f64>,
}

impl<'h> Beside<'h> {
    /// Gathers `score` of files that match.
    pub(super) fn of(snapshot: &Snapshot, files: &'h [FileHit], score: impl Fn(&FileHit) -> f64) -> Self {
        let mut beside = Self::default();
        for file in files {
            let value = score(file);
            let is_test = snapshot.files().by_text(&file.path).is_some_and(|file| file.is_test);
            if is_test {
                let best = beside.tests.entry(tested(&file.path)).or_default();
                *best = best.max(value);
                continue;
            }
            let best = beside.folders.entry(folder(&file.path)).or_default();
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

    /// The best score of a test that bears the name of a file.
    pub(super) fn test(&self, path: &str) -> f64 {
        self.tests.get(&tested(path)).copied().unwrap_or(0.0)
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of what a test is for: that of the file without endings and the marks of tests, in lower case.
fn tested(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem: Vec<&str> = name.split('.').next().unwrap_or(name).split(['_', '-']).collect();
    let kept: Vec<&str> = stem.into_iter().filter(|part| !TEST_MARKS.contains(&part.to_lowercase().as_str())).collect();
    let joined = kept.join("_");
    let bare = ["Tests", "Test", "Spec"].iter().find_map(|mark| joined.strip_suffix(mark)).unwrap_or(&joined);
    bare.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_bear_the_name_of_what_they_are_for() {
        for (test, file) in [
            ("tests/test_pool.py", "src/pool.py"),
            ("src/pool_test.go", "src/pool.go"),
            ("src/pool.spec.ts", "src/pool.ts"),
            ("src/test/java/PoolTest.java", "src/main/java/Pool.java"),
            ("test/unit-pool.test.js", "lib/unit-pool.js"),
        ] {
            assert_eq!(tested(test), tested(file), "{test}");
        }
    }
}
