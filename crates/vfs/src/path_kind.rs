//! Looks at paths that the user named, without reading what is there. Links are followed, also out of a project: use a
//! [`Root`](crate::Root) for paths that come from a project.

use std::io;
use std::path::{Path, PathBuf};

use crate::{FileMeta, VfsError, root};

/// The kind of thing at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing, or something that the system does not show to this user.
    Nothing,
    /// A regular file, or a link to one.
    File,
    /// A folder, or a link to one.
    Folder,
    /// A device, pipe or socket, or a link to one.
    Other,
    /// A link that cannot be followed.
    BrokenLink,
}

impl PathKind {
    /// The kind of thing at `path`.
    pub fn at(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() => Self::File,
            Ok(meta) if meta.is_dir() => Self::Folder,
            Ok(_) => Self::Other,
            Err(_) if std::fs::symlink_metadata(path).is_ok() => Self::BrokenLink,
            Err(_) => Self::Nothing,
        }
    }
}

/// Returns the absolute path without links and `..`. What it names must exist.
///
/// # Errors
/// [`VfsError::NotFound`] or [`VfsError::Unreadable`].
pub fn canonical(path: &Path) -> Result<PathBuf, VfsError> {
    std::fs::canonicalize(path).map_err(|error| VfsError::from_io(&path.to_string_lossy(), error))
}

/// Returns size, time and number of the file or folder at `path`; `None` if they cannot be found out.
pub fn stamp(path: &Path) -> Option<FileMeta> {
    let meta = std::fs::metadata(path).ok()?;
    Some(FileMeta::of(&cap_std::fs::Metadata::from_just_metadata(meta)))
}

/// Opens the file at `path` and closes it again, to find out whether this user can read it.
///
/// # Errors
/// The system's error.
pub fn try_open(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, root::open_flags());
    options.open(path).map(drop)
}

/// The name of the network file system that a folder is on: the system does not report changes made by other machines
/// there. `None` for a local one, and on systems other than Linux, where it is not known.
#[cfg(target_os = "linux")]
pub fn network_file_system(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    file_system_name(u64::try_from(kind).ok()? & u64::from(u32::MAX))
}

/// Like on Linux; on other systems it is not known.
#[cfg(not(target_os = "linux"))]
pub fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
}

/// Numbers of `statfs` (man 2 statfs, and linux/magic.h).
#[cfg(target_os = "linux")]
fn file_system_name(kind: u64) -> Option<&'static str> {
    let rows = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xfe53_4d42, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0x0102_1997, "9P"),
        (0x5346_414f, "AFS"),
        (0x00c3_6400, "Ceph"),
        (0x0bd0_0bd0, "Lustre"),
    ];
    rows.into_iter().find(|(number, _)| *number == kind).map(|(_, name)| name)
}

/// The number of folders that the system lets one user watch; `None` if it has no limit that can be read.
pub fn watch_limit() -> Option<u64> {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::TempTree;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn places_are_told_apart() {
        let tree = TempTree::new("//- a/b.py\nx = 1\n");
        let path = |name: &str| tree.path().join(name);
        std::os::unix::fs::symlink("a/b.py", path("link")).expect("is made");
        std::os::unix::fs::symlink("gone", path("broken")).expect("is made");
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).expect("is made");
        let rows = [
            ("a", PathKind::Folder),
            ("a/b.py", PathKind::File),
            ("link", PathKind::File),
            ("broken", PathKind::BrokenLink),
            ("socket", PathKind::Other),
            ("none", PathKind::Nothing),
            ("a/b.py/c", PathKind::Nothing),
        ];
        for (name, expected) in rows {
            assert_eq!(PathKind::at(&path(name)), expected, "{name}");
        }
        let real = canonical(tree.path()).expect("is there");
        assert_eq!(canonical(&path("link")).expect("is there"), real.join("a/b.py"));
        assert!(matches!(canonical(&path("none")), Err(VfsError::NotFound { .. })));
        assert!(try_open(&path("link")).is_ok() && try_open(&path("broken")).is_err());
    }

    #[test]
    fn a_stamp_changes_with_the_file() {
        let tree = TempTree::new("//- a.py\nx = 1\n");
        let path = tree.path().join("a.py");
        let before = stamp(&path);
        assert!(before.is_some() && before == stamp(&path));
        tree.write("a.py", "x = 22\n");
        assert_ne!(before, stamp(&path));
        assert_eq!(stamp(&tree.path().join("none")), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn file_systems_of_other_machines_are_known() {
        assert_eq!(file_system_name(0x6969), Some("NFS"));
        assert_eq!(file_system_name(0xef53), None, "ext4");
        assert_eq!(network_file_system(Path::new("/proc")), None);
    }
}
