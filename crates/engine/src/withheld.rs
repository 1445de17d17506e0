//! Which files below a root are not shown.

use m1nd_base::RepoPath;

use crate::snapshot::Snapshot;

/// Why a file below a root is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
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
            Self::Hidden => "it is hidden and not indexed",
            Self::Secret => "files of this name hold keys or passwords, and it is not indexed",
            Self::Link => "it is or lies behind a symbolic link",
        }
    }

    /// What the caller can do.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Hidden => {
                "hidden files often hold secrets; index them with `include_dotfiles` or `dotfile_patterns` first"
            }
            Self::Secret => "name exactly this file in `dotfile_patterns` of `ingest` if it is to be read",
            Self::Link => "pass the path of the file that the link leads to",
        }
    }
}

impl Snapshot {
    /// Whether the file at `path` must not be shown although it lies below a root; `None` if it may.
    ///
    /// Links are refused as the walk refuses them. A link that is made between this look and the reading is not seen;
    /// it cannot lead out of the root.
    pub fn withheld(&self, path: &RepoPath) -> Option<Withheld> {
        let (root, inner) = self.locate(path)?;
        if root.has_link(&inner) {
            return Some(Withheld::Link);
        }
        if self.files().get(path).is_some() {
            return None;
        }
        if inner.as_str().split('/').any(|part| part.starts_with('.')) {
            return Some(Withheld::Hidden);
        }
        m1nd_vfs::is_secret(inner.file_name()).then_some(Withheld::Secret)
    }
}
