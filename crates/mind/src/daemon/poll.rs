//! Polling, for file systems that do not report changes.

use std::path::{Path, PathBuf};

use m1nd_vfs::FileMeta;

use crate::files::project::{MEMORY_FILE, SESSION_FILE};

/// Size and time of a few files, which change whenever the memory or the commits of a project do.
pub(crate) type Stamp = Vec<Option<FileMeta>>;

/// The stamp of a project now. `commits` are the folders in which something changes with a commit.
pub(crate) fn stamp(project: &Path, commits: &[PathBuf]) -> Stamp {
    let own = [MEMORY_FILE, SESSION_FILE].map(|file| project.join(file));
    let refs = commits.iter().flat_map(|folder| [folder.clone(), folder.join("HEAD")]);
    own.into_iter().chain(refs).map(|path| m1nd_vfs::stamp(&path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_another_when_a_file_is() {
        let tree = tempfile::tempdir().expect("a folder");
        let git = tree.path().join("git");
        std::fs::create_dir_all(tree.path().join(".mind")).expect("is made");
        std::fs::create_dir_all(&git).expect("is made");
        let now = || stamp(tree.path(), std::slice::from_ref(&git));
        for file in [".mind/MEMORY.md", ".mind/SESSION.md", "git/HEAD"] {
            let before = now();
            std::fs::write(tree.path().join(file), "x").expect("is written");
            assert_ne!(before, now(), "{file} is new");
            let before = now();
            assert_eq!(before, now());
            std::fs::write(tree.path().join(file), "xy").expect("is written");
            assert_ne!(before, now(), "{file} has changed");
        }
    }
}
