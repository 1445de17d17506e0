//! Shared helpers of these tests.

use std::sync::Arc;

use m1nd_base::{Cancel, Limits, Problem, RepoPath};
use m1nd_lang::{FileFacts, Language};
use m1nd_link::Linker;

/// The facts of a file, with the default limits.
pub(crate) fn facts(path: &RepoPath, text: &str) -> Arc<FileFacts> {
    let language = Language::detect(path, text.as_bytes());
    Arc::new(m1nd_lang::extract_file(path.as_str(), language, text.as_bytes(), &Limits::default(), &Cancel::new()))
}

/// Gives the linker a file, with the default limits; as a manifest, too, if it is one: the
/// result is what is wrong with that.
pub(crate) fn put(linker: &mut Linker, path: &str, text: &str) -> Option<Problem> {
    let path = RepoPath::new(path).expect("a valid path");
    linker.set_file(&path, facts(&path, text));
    if Linker::is_manifest(&path) { linker.set_manifest(&path, text) } else { None }
}
