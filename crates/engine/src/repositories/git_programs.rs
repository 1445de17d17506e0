//! Files that git runs because the configuration of a repository names them.

use std::path::Path;

use m1nd_history::GitFolder;

/// Returns whether git runs the file at an absolute path, or takes settings from it, because the configuration of a
/// repository around it names the file or a folder of it (`core.hooksPath`). The path may have links in no part.
pub fn is_run_by_git(file: &Path) -> bool {
    let names_it = |work_tree: &Path| {
        let Ok(git) = GitFolder::find(work_tree) else { return false };
        git.named_programs(work_tree).iter().any(|named| is_at_or_below(file, named))
    };
    file.ancestors().skip(1).any(names_it)
}

/// Compares without regard to case, as some file systems do.
fn is_at_or_below(file: &Path, named: &Path) -> bool {
    let mut parts = file.components();
    named.components().all(|part| parts.next().is_some_and(|own| is_same(own.as_os_str(), part.as_os_str())))
}

fn is_same(one: &std::ffi::OsStr, other: &std::ffi::OsStr) -> bool {
    one == other || one.to_string_lossy().to_lowercase() == other.to_string_lossy().to_lowercase()
}
