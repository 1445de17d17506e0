//! Which files are the product, and which only speak of it or try it out.

use m1nd_base::RepoPath;
use m1nd_lang::{Language, is_test_path};

/// Returns whether a path is that of code of the product: of a language, and not of tests. Defects of others are not
/// counted: tests and documents change with every fix.
pub fn is_product(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| !Language::detect(&path, b"").is_prose() && !is_test_path(&path))
}

/// Folders of code that is not shipped, unless shipped code uses it.
const ASIDE: [&str; 19] = [
    "example", "examples", "_examples", "samples", "demo", "demos", "docs", "doc", "benches", "bench", "benchmarks",
    "fixtures", "migrations", "performance", "perf", "benchmark", "scripts", "script", "tutorial",
];

/// The part of a path that says that its code is an example, a measurement or a helper beside what is shipped.
pub(crate) fn aside_folder(path: &str) -> Option<&str> {
    path.split('/').find(|part| ASIDE.contains(part))
}
