//! Polling, where the system does not report changes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::project::{MEMORY_FILE, SESSION_FILE};

/// Size and time of a few files, which reveal possible changes of a memory or of commits without reading.
pub(crate) type Stamp = Vec<Option<(u64, SystemTime)>>;

/// The stamp of a project now. `commits` are the folders in which something changes with a commit.
pub(crate) fn stamp(project: &Path, commits: &[PathBuf]) -> Stamp {
    let own = [MEMORY_FILE, SESSION_FILE].map(|file| project.join(file));
    let refs = commits.iter().flat_map(|folder| [folder.clone(), folder.join("HEAD")]);
    let of = |path: PathBuf| {
        let data = std::fs::metadata(path).ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    own.into_iter().chain(refs).map(of).collect()
}

/// Name of the network file system of a folder: the system does not report changes made by others there. `None` if it
/// cannot be determined.
#[cfg(target_os = "linux")]
pub(crate) fn network_file_system(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    name_of(u64::try_from(kind).ok()? & u64::from(u32::MAX))
}

/// Stub for systems other than Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
}

/// Numbers of `statfs` (man 2 statfs, and linux/magic.h).
#[cfg(target_os = "linux")]
fn name_of(kind: u64) -> Option<&'static str> {
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

    #[test]
    #[cfg(target_os = "linux")]
    fn file_systems_of_other_machines_are_known() {
        assert_eq!(name_of(0x6969), Some("NFS"));
        assert_eq!(name_of(0xef53), None, "ext4");
        assert_eq!(network_file_system(Path::new("/proc")), None);
    }
}
