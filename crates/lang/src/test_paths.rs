//! Recognises test files by the naming conventions of their ecosystem.

use m1nd_base::RepoPath;

/// Folders whose files are tests.
const FOLDERS: [&str; 8] = ["tests", "test", "__tests__", "testing", "spec", "specs", "testdata", "e2e"];
/// Ends of the file name before its extension.
const ENDINGS: [&str; 8] = ["_test", ".test", ".spec", "_spec", "Test", "Tests", "_tests", "-test"];

/// Returns whether the path names test code.
pub fn is_test_path(path: &RepoPath) -> bool {
    let mut folders = path.parent().split('/');
    if folders.any(|folder| FOLDERS.contains(&folder)) {
        return true;
    }
    let name = path.file_name();
    let stem = path.extension().map_or(name, |extension| &name[..name.len() - extension.len() - 1]);
    name == "conftest.py"
        || stem.starts_with("test_")
        || ENDINGS.iter().any(|end| stem.len() > end.len() && stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customs() {
        let is = |path: &str| is_test_path(&RepoPath::new(path).expect("valid"));
        for test in ["tests/a.py", "a/test_b.py", "a_test.go", "src/x.spec.ts", "x/__tests__/y.js", "PoolTest.java"] {
            assert!(is(test), "{test}");
        }
        for code in ["src/a.py", "src/contest.py", "latest.rs", "src/testament.ts", "Test.java"] {
            assert!(!is(code), "{code}");
        }
    }
}
