use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The reason why a text is not a valid [`RepoPath`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing but separators and dots.
    #[error("path is empty; expected a path inside the indexed root")]
    Empty,
    /// Starts at a file system root, a drive or a home folder.
    #[error("path `{0}` is absolute; expected a path relative to the indexed root")]
    Absolute(String),
    /// Climbs with `..`.
    #[error("path `{0}` leaves the indexed root; expected a path that stays inside it")]
    Escapes(String),
    /// Holds a NUL byte.
    #[error("path `{0}` holds a character that no file name can have; expected a path relative to the indexed root")]
    BadCharacter(String),
}

/// A path below an indexed root: relative, `/`-separated, normal components only, never empty.
///
/// Only such a path may reach the disk, so text of a request can name nothing outside a root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    /// Checks and normalises `text`: drops `.` components and doubled separators.
    pub fn new(text: &str) -> Result<Self, PathError> {
        let shown = || text.chars().take(200).collect::<String>();
        if text.contains('\0') {
            return Err(PathError::BadCharacter(shown().replace('\0', "\\0")));
        }
        let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
        if text.starts_with(['/', '\\']) || drive {
            return Err(PathError::Absolute(shown()));
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(PathError::Escapes(shown())),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err(PathError::Empty);
        }
        Ok(Self(parts.join("/").into()))
    }

    /// The path that `text` means in a folder (`""` is the root). `.` and `..` are resolved without a look at the disk.
    /// `None` if it leaves the root or is no path below it.
    pub fn resolve_in(folder: &str, text: &str) -> Option<Self> {
        let mut parts: Vec<&str> = Vec::new();
        for part in folder.split('/').chain(text.split('/')) {
            match part {
                "" | "." => {}
                ".." => _ = parts.pop()?,
                part => parts.push(part),
            }
        }
        Self::new(&parts.join("/")).ok()
    }

    /// The path as text, `/`-separated.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The text after the last dot of the file name, if it has one that is not its first character.
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        name.rfind('.').filter(|&dot| dot > 0).map(|dot| &name[dot + 1..])
    }

    /// The folder that holds it, `""` at the root.
    pub fn parent(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }

    /// Returns whether it is `scope` or lies below it, by whole components: `src/a` does not cover `src/ab.rs`.
    pub fn is_within(&self, scope: &str) -> bool {
        is_within(&self.0, scope)
    }
}

/// Returns whether a path is `scope` or lies below it, by whole components. All paths lie below the empty scope.
pub fn is_within(path: &str, scope: &str) -> bool {
    let scope = scope.trim_matches('/');
    scope.is_empty() || path.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl TryFrom<String> for RepoPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        Self::new(&text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_and_refuses() {
        let ok = |text: &str| RepoPath::new(text).map(|path| path.as_str().to_owned());
        assert_eq!(ok("./a//b/./c.py").as_deref(), Ok("a/b/c.py"));
        assert_eq!(ok("~x/a").as_deref(), Ok("~x/a"));
        for bad in ["", ".", "/etc/passwd", "a/../../b", "..", "C:/x", "C:x", "\\\\host\\x", "a\0b"] {
            assert!(RepoPath::new(bad).is_err(), "{bad:?} must be refused");
        }
    }

    #[test]
    fn resolves_against_a_folder() {
        let rows = [
            ("docs", "../a.py", Some("a.py")),
            ("", "./b/../a.py", Some("a.py")),
            ("docs/x", "y.md", Some("docs/x/y.md")),
            ("docs", "../../a.py", None),
            ("docs", "..", None),
        ];
        for (folder, text, expected) in rows {
            let found = RepoPath::resolve_in(folder, text);
            assert_eq!(found.as_ref().map(RepoPath::as_str), expected, "{folder} {text}");
        }
    }

    #[test]
    fn scope_is_by_component() {
        let path = RepoPath::new("src/ab.rs").expect("valid");
        assert!(path.is_within("src") && path.is_within("src/") && path.is_within("") && path.is_within("src/ab.rs"));
        assert!(!path.is_within("src/a") && !path.is_within("sr"));
    }
}
