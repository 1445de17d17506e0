//! Checks that the folder and the socket are private to the user. Whoever can write into the folder could replace the
//! daemon's socket, and learn which projects exist and what is requested.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::MemoryError;

/// Permissions by which others than the owner write.
const OTHERS_WRITE: u32 = 0o022;

/// The user that this process acts for.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Takes the permission to write into a folder of the user's own from everybody else.
pub(super) fn close(path: &Path, user: u32) {
    let Ok(data) = std::fs::metadata(path) else { return };
    if data.uid() == user && data.mode() & OTHERS_WRITE != 0 {
        let mode = std::fs::Permissions::from_mode(data.mode() & 0o7777 & !OTHERS_WRITE);
        // If it cannot be changed, the next check refuses it.
        let _ = std::fs::set_permissions(path, mode);
    }
}

/// Refuses a folder that is not the user's, or that others may write into.
///
/// # Errors
/// [`MemoryError::NotPrivate`].
pub(super) fn folder(path: &Path, user: u32) -> Result<(), MemoryError> {
    let refused = |why: String| Err(MemoryError::NotPrivate { path: path.to_owned(), why });
    let data = match std::fs::metadata(path) {
        Ok(data) => data,
        Err(error) => return refused(format!("it cannot be looked at: {error}")),
    };
    if data.uid() != user {
        return refused(format!(
            "it belongs to user {}, this is user {user}; set MIND_HOME to a folder of your own",
            data.uid()
        ));
    }
    if data.mode() & OTHERS_WRITE != 0 {
        return refused(format!("others may write into it; run `chmod go-w {}`", path.display()));
    }
    Ok(())
}

/// Refuses a socket that is none, or that another user made. Links are not followed.
///
/// # Errors
/// [`MemoryError::NotPrivate`]; [`MemoryError::Daemon`] if there is none.
pub(super) fn socket(path: &Path, user: u32) -> Result<(), MemoryError> {
    let refused = |why: String| Err(MemoryError::NotPrivate { path: path.to_owned(), why });
    let data = std::fs::symlink_metadata(path).map_err(|error| {
        MemoryError::Daemon(format!("the daemon's socket is gone ({error}); stop its process and start it again"))
    })?;
    if !data.file_type().is_socket() {
        return refused("it is no socket; remove it and start the daemon again".into());
    }
    if data.uid() != user {
        return refused(format!("it was made by user {}, this is user {user}", data.uid()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn folders_of_others_and_open_ones_are_refused() {
        let tree = tempfile::tempdir().expect("a folder");
        let rows = [
            (0o700, user(), None),
            (0o755, user(), None),
            (0o775, user(), Some("others may write")),
            (0o777, user(), Some("others may write")),
            (0o1777, user(), Some("others may write")),
            (0o700, user() + 1, Some("belongs to user")),
        ];
        for (mode, user, expected) in rows {
            std::fs::set_permissions(tree.path(), std::fs::Permissions::from_mode(mode)).expect("is set");
            let said = folder(tree.path(), user).err();
            let denied = said.as_ref().is_none_or(MemoryError::is_denied);
            let said = said.map(|error| error.to_string());
            assert_eq!(said.is_some(), expected.is_some(), "{mode:o}: {said:?}");
            assert!(denied && said.unwrap_or_default().contains(expected.unwrap_or_default()), "{mode:o}");
        }
        assert!(folder(&tree.path().join("gone"), user()).is_err());
    }

    #[test]
    fn a_folder_of_ones_own_is_closed_to_others() {
        let tree = tempfile::tempdir().expect("a folder");
        let mode = || std::fs::metadata(tree.path()).expect("is there").permissions().mode() & 0o7777;
        std::fs::set_permissions(tree.path(), std::fs::Permissions::from_mode(0o777)).expect("is set");
        close(tree.path(), user() + 1);
        assert_eq!(mode(), 0o777, "that of another is left alone");
        close(tree.path(), user());
        assert_eq!(mode(), 0o755);
        assert!(folder(tree.path(), user()).is_ok());
    }

    #[test]
    fn sockets_of_others_and_what_is_none_are_refused() {
        let tree = tempfile::tempdir().expect("a folder");
        let path = |name: &str| tree.path().join(name);
        let _listener = UnixListener::bind(path("mine")).expect("is made");
        std::fs::write(path("file"), "").expect("is written");
        symlink(path("mine"), path("link")).expect("is made");
        let rows = [
            ("mine", user(), None),
            ("mine", user() + 1, Some("was made by user")),
            ("file", user(), Some("no socket")),
            ("link", user(), Some("no socket")),
            ("gone", user(), Some("socket is gone")),
        ];
        for (name, user, expected) in rows {
            let said = socket(&path(name), user).err().map(|error| error.to_string());
            assert_eq!(said.is_some(), expected.is_some(), "{name}: {said:?}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{name}");
        }
    }
}
