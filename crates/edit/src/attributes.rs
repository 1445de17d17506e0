//! What a file has beside its content: owner, group, access lists, extended attributes, mode.

use std::io;

use cap_std::fs::File;

/// Bits of a mode with which a program runs as the owner or group of its file.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
/// Bits of a mode for reading and for running, of owner, group and others.
const READS: u32 = 0o444;
const RUNS: u32 = 0o111;

/// Sets the mode of a new file and copies the attributes of the file that it takes the place of, as far as that is
/// permitted. A file whose owner or group could not be kept does not run as its owner or group either.
#[cfg(unix)]
pub(crate) fn set_attributes(
    file: &File,
    mode: Option<u32>,
    executable: Option<bool>,
    like: Option<&File>,
) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    // A new file has the mode that the user gives to files.
    let mut mode = match (mode, executable) {
        (None, Some(_)) => Some(file.metadata()?.mode() & 0o7777),
        (mode, _) => mode,
    };
    mode = mode.map(|mode| match executable {
        // Who may read it may run it.
        Some(true) => mode | (mode & READS) >> 2,
        Some(false) => mode & !RUNS,
        None => mode,
    });
    if let Some(like) = like {
        let old = like.metadata()?;
        // The owner first: changing it clears bits of the mode.
        keep_owner(file, old.uid(), old.gid());
        copy_extended(like, file);
        let new = file.metadata()?;
        let lost =
            if new.uid() == old.uid() { 0 } else { SET_USER } | if new.gid() == old.gid() { 0 } else { SET_GROUP };
        // Without its owner, the group bit is not what the owner granted.
        let lost = if lost & SET_USER == 0 { lost } else { SET_USER | SET_GROUP };
        mode = mode.map(|mode| mode & !lost);
    }
    match mode {
        Some(mode) => file.set_permissions(Permissions::from_mode(mode)),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
pub(crate) fn set_attributes(_: &File, _: Option<u32>, _: Option<bool>, _: Option<&File>) -> io::Result<()> {
    Ok(())
}

/// Gives a file this owner and group, or the group alone if only that is permitted.
#[cfg(unix)]
fn keep_owner(file: &File, user: u32, group: u32) {
    use cap_std::fs::MetadataExt;
    use rustix::fs::{Gid, Uid, fchown};
    let Ok(new) = file.metadata() else { return };
    if (new.uid(), new.gid()) == (user, group) {
        return;
    }
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(group));
    if fchown(file, Some(user), Some(group)).is_err() {
        // What is not permitted is left as it is.
        _ = fchown(file, None, Some(group));
    }
}

/// Largest list of names of attributes, and largest value of one, in bytes: the bounds of the kernel.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const MAX_EXTENDED: usize = 64 << 10;

/// Attributes that speak about the old content: the system drops them when it is written.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const OF_CONTENT: &[&str] = &["security.capability", "security.ima", "security.evm", "com.apple.quarantine"];

/// Copies extended attributes, access lists among them. What is not permitted is left out.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn copy_extended(from: &File, to: &File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    let mut names = vec![0u8; MAX_EXTENDED];
    let Ok(len) = flistxattr(from, &mut names[..]) else { return };
    let names = names.get(..len).unwrap_or_default();
    let mut value = vec![0u8; if names.is_empty() { 0 } else { MAX_EXTENDED }];
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if OF_CONTENT.iter().any(|known| known.as_bytes() == name) {
            continue;
        }
        let Ok(len) = fgetxattr(from, name, &mut value[..]) else { continue };
        _ = fsetxattr(to, name, value.get(..len).unwrap_or_default(), XattrFlags::empty());
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn copy_extended(_: &File, _: &File) {}
