//! Folders of version control. They hold credentials and the configuration of programs, so they are neither roots nor
//! read, whatever asks for them.

use std::path::Path;

use crate::VfsError;

/// Names of the folders, and of the files that replace one in a linked work tree.
const NAMES: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr"];
/// The short name that Windows gives `.git`.
const SHORT_NAME: &str = "git~1";

/// Returns whether a file system may take `name` for that of a folder of version control. As in git's own check, the
/// case of letters, characters that are ignored on macOS, and endings that are ignored on Windows do not matter.
pub fn is_version_control(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or(name).trim_end_matches(['.', ' ']);
    if name.is_ascii() {
        return NAMES.iter().chain([&SHORT_NAME]).any(|known| name.eq_ignore_ascii_case(known));
    }
    let seen: String = name.chars().filter(|c| !is_ignored(*c)).collect();
    NAMES.iter().any(|known| seen.eq_ignore_ascii_case(known))
}

/// Characters that do not count when macOS compares names.
pub fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Refuses a path that is a folder of version control or leads into one.
///
/// # Errors
/// [`VfsError::VersionControl`].
pub fn check_not_version_control(path: &Path) -> Result<(), VfsError> {
    let names = path.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => name.to_str(),
        _ => None,
    });
    check(names, || path.to_string_lossy().into_owned())
}

/// The same for a path that is separated by slashes.
pub(crate) fn check_inner(path: &str) -> Result<(), VfsError> {
    check(path.split(['/', std::path::MAIN_SEPARATOR]), || path.to_owned())
}

fn check<'n>(mut names: impl Iterator<Item = &'n str>, shown: impl Fn() -> String) -> Result<(), VfsError> {
    if names.any(is_version_control) { Err(VfsError::VersionControl { path: shown() }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_system_takes_for_the_folder() {
        let names = [".git", ".GIT", ".gIt", ".git.", ".git ", ".git::$INDEX_ALLOCATION", "git~1", ".g\u{200c}it"];
        for name in names.into_iter().chain([".hg", ".svn", ".SVN", ".jj", ".bzr"]) {
            assert!(is_version_control(name), "{name:?}");
        }
        for name in [".gitignore", ".github", "git", "x.git", ".git2", "git~2", ".hgignore", "gıt", ".jjx", ""] {
            assert!(!is_version_control(name), "{name:?}");
        }
    }

    #[test]
    fn paths_into_the_folder() {
        for path in [".git", "a/.git/config", "/x/.GIT", "/x/.jj/repo"] {
            assert!(check_not_version_control(Path::new(path)).is_err(), "{path}");
        }
        assert!(check_not_version_control(Path::new("/srv/repo.git/.github/x")).is_ok());
    }
}
