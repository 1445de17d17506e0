//! Files below a root that must not be shown.

use m1nd_base::RepoPath;

use crate::state::snapshot::Snapshot;

/// The reason why a file below a root is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// It belongs to version control, or a folder around it does.
    VersionControl,
    /// It is not indexed, and its name or that of a folder around it starts with a dot.
    Hidden,
    /// It is not indexed, and files of its name hold keys or passwords.
    Secret,
    /// It, or a folder around it, is a link: it may lead to one of the above.
    Link,
}

impl Withheld {
    /// The reason, as the end of a sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::VersionControl => "it belongs to version control, whose files are never read",
            Self::Hidden => "it is hidden and not indexed",
            Self::Secret => "files of this name hold keys or passwords, and it is not indexed",
            Self::Link => "it is or lies behind a symbolic link",
        }
    }

    /// Advice for the caller.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::VersionControl => "pass the path of a file outside of such folders",
            Self::Hidden => {
                "hidden files often hold secrets; index them with `include_dotfiles` or `dotfile_patterns` first"
            }
            Self::Secret => "name exactly this file in `dotfile_patterns` of `ingest` if it is to be read",
            Self::Link => "pass the path of the file that the link leads to",
        }
    }
}

impl Snapshot {
    /// Returns the reason why the file at `path` must not be shown although it is below a root; `None` if it may be.
    ///
    /// Links are refused as in the walk. A link created between this check and the reading goes unnoticed; it cannot
    /// lead out of the root.
    pub fn check_withheld(&self, path: &RepoPath) -> Option<Withheld> {
        if path.as_str().split('/').any(m1nd_vfs::is_version_control) {
            return Some(Withheld::VersionControl);
        }
        let (root, inner) = self.locate(path)?;
        if root.has_link(&inner) {
            return Some(Withheld::Link);
        }
        if self.files().get(path).is_some() {
            return None;
        }
        if m1nd_vfs::is_secret(inner.file_name()) && root.metadata(&inner).is_err() {
            // A new file of such a name is a secret whatever folder it is in.
            return Some(Withheld::Secret);
        }
        if inner.as_str().split('/').any(|part| part.starts_with('.')) {
            return Some(Withheld::Hidden);
        }
        m1nd_vfs::is_secret(inner.file_name()).then_some(Withheld::Secret)
    }
}
