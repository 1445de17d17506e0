//! Open folders inside a root, for whoever changes files: a name is only ever used relative to an open folder, so that
//! no link made meanwhile leads elsewhere.

use std::io;

use cap_std::fs::Dir;

use crate::{Root, VfsError, control};

/// A folder of a root that was reached through no link.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
}

/// Number of a folder that is the same under all its names: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FolderId(u64, u64);

impl Root {
    /// The folder of the root itself.
    ///
    /// # Errors
    /// [`VfsError::Unreadable`].
    pub fn folder(&self) -> Result<Folder, VfsError> {
        let dir = self.dir().try_clone().map_err(|error| VfsError::from_io(".", error))?;
        Ok(Folder { dir })
    }
}

impl Folder {
    /// Opens a folder directly in this one. `shown` is its path for messages.
    ///
    /// # Errors
    /// [`VfsError::NotFound`], [`VfsError::NotRegular`] if it is a link, [`VfsError::NotAFolder`],
    /// [`VfsError::VersionControl`] and [`VfsError::Unreadable`].
    pub fn child(&self, name: &str, shown: &str) -> Result<Self, VfsError> {
        control::check_inner(name).map_err(|_| VfsError::VersionControl { path: shown.to_owned() })?;
        let meta = self.dir.symlink_metadata(name).map_err(|error| VfsError::from_io(shown, error))?;
        if meta.is_symlink() {
            return Err(VfsError::NotRegular { path: shown.to_owned(), what: "a link" });
        }
        if !meta.is_dir() {
            return Err(VfsError::NotAFolder { path: shown.to_owned() });
        }
        let dir = open_child(&self.dir, name).map_err(|error| VfsError::from_io(shown, error))?;
        Ok(Self { dir })
    }

    /// The handle. Names given to it must be single components.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Its number; `None` if the system does not tell.
    pub fn id(&self) -> Option<FolderId> {
        id_of(&self.dir)
    }
}

impl std::fmt::Display for FolderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.0, self.1)
    }
}

impl FolderId {
    /// The number of the folder at a path that the user named; `None` if there is none.
    pub fn at(path: &std::path::Path) -> Option<Self> {
        id_of(&Dir::open_ambient_dir(path, cap_std::ambient_authority()).ok()?)
    }
}

#[cfg(unix)]
fn id_of(dir: &Dir) -> Option<FolderId> {
    use cap_std::fs::MetadataExt;
    let meta = dir.dir_metadata().ok()?;
    Some(FolderId(meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn id_of(_dir: &Dir) -> Option<FolderId> {
    None
}

#[cfg(unix)]
fn open_child(dir: &Dir, name: &str) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = rustix::fs::openat(dir, name, flags, Mode::empty())?;
    Ok(Dir::from_std_file(std::fs::File::from(open)))
}

/// A link that takes the place of the folder between check and opening still cannot lead out of the root.
#[cfg(not(unix))]
fn open_child(dir: &Dir, name: &str) -> io::Result<Dir> {
    dir.open_dir(name)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use m1nd_testkit::TempTree;

    use super::*;

    #[test]
    fn no_link_is_entered() {
        let tree = TempTree::new("//- a/b/c.py\nx = 1\n//- .git/config\n");
        std::os::unix::fs::symlink("a", tree.join("link")).expect("is made");
        let root = Root::open(tree.path()).expect("opens").folder().expect("opens");
        let a = root.child("a", "a").expect("is a folder");
        let b = a.child("b", "a/b").expect("is a folder");
        assert_eq!(b.id(), FolderId::at(&tree.join("link/b")));
        assert!(b.id().is_some());
        assert!(matches!(root.child("link", "link"), Err(VfsError::NotRegular { .. })));
        assert!(matches!(root.child(".git", ".git"), Err(VfsError::VersionControl { .. })));
        assert!(matches!(b.child("c.py", "a/b/c.py"), Err(VfsError::NotAFolder { .. })));
        assert!(matches!(root.child("none", "none"), Err(VfsError::NotFound { .. })));
    }
}
