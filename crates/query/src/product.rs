//! Which files are the product, and which only speak of it or try it out.

use m1nd_base::RepoPath;
use m1nd_lang::{Language, is_test_path};

/// Returns whether a path is that of code of the product: of a language, and not of tests. Defects of others are not
/// counted: tests and documents change with every fix.
pub fn is_product(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| !Language::detect(&path, b"").is_prose() && !is_test_path(&path))
}
