//! Files of the user that we change in part, such as `CLAUDE.md`.

use std::path::{Path, PathBuf};

use m1nd_base::System;

use crate::{StoreError, durable};

/// Prefix of temporary files beside a user's file; never a name of the user's own files.
const TEMPORARY: &str = ".m1nd-tmp-";
/// Mode of new files.
const NEW_MODE: u32 = 0o644;

/// Writes `bytes` to `path` like [`crate::durable_write`], keeping the mode of the file. `path` must be resolved, not
/// a link. Removes leftovers of a crashed write, so only one process may write in this folder.
///
/// # Errors
/// [`StoreError::Protected`] for a read-only file, else [`StoreError::Io`]; the file then has its old content.
pub fn replace_user_file(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let old = std::fs::symlink_metadata(path).ok().map(|data| data.permissions());
    if old.as_ref().is_some_and(std::fs::Permissions::readonly) {
        return Err(StoreError::Protected { path: path.to_owned() });
    }
    let folder = durable::folder_of(path);
    for name in system.list(folder).map_err(StoreError::io("list", folder))? {
        if name.starts_with(TEMPORARY) {
            let path = folder.join(name);
            system.remove(&path).map_err(StoreError::io("remove", &path))?;
        }
    }
    let mode = old.as_ref().map_or(NEW_MODE, mode_of);
    durable::write_as(system, path, TEMPORARY, Some(mode), &mut |out| out.write_all(bytes))
}

/// Creates a file of the user, and the folders it needs; `false` if it already exists, in which case it is left
/// unchanged.
///
/// # Errors
/// [`StoreError::Io`].
pub fn create_user_file(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let folder = durable::folder_of(path);
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    std::fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    replace_user_file(system, path, bytes).map(|()| true)
}

/// Resolves a path, which must stay inside `folder` (canonical). A path to nothing resolves to itself.
///
/// # Errors
/// [`StoreError::Outside`] if it leads out of the folder, [`StoreError::Io`] for a dangling link.
pub fn inside(folder: &Path, path: &Path) -> Result<PathBuf, StoreError> {
    if path.symlink_metadata().is_err() {
        return Ok(path.to_owned());
    }
    let target = std::fs::canonicalize(path).map_err(StoreError::io("follow the link", path))?;
    match target.starts_with(folder) {
        true => Ok(target),
        false => Err(StoreError::Outside { path: path.to_owned(), target }),
    }
}

#[cfg(unix)]
fn mode_of(permissions: &std::fs::Permissions) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o7777
}

#[cfg(not(unix))]
fn mode_of(_permissions: &std::fs::Permissions) -> u32 {
    NEW_MODE
}
