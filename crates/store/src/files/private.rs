//! A folder that only this user writes to, and a socket in it. Whoever can write to the folder can replace the socket,
//! and would then read everything that is sent to it.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use crate::{StoreError, durable};

/// Permissions by which others than the owner write.
const OTHERS_WRITE: u32 = 0o022;
/// Mode of a socket: only its owner connects.
const SOCKET_MODE: u32 = 0o600;

/// Removes the permission of others to write to a folder of this user. Does nothing if the folder is another user's or
/// cannot be changed: [`check_private_folder`] then refuses it.
pub fn close_to_others(folder: &Path) {
    close(folder, user());
}

/// Checks that a folder belongs to this user and that nobody else may write to it.
///
/// # Errors
/// [`StoreError::NotPrivate`].
pub fn check_private_folder(folder: &Path) -> Result<(), StoreError> {
    check_folder(folder, user())
}

/// Connects to a socket of this user, in a folder that passes [`check_private_folder`]. A link is not followed.
///
/// # Errors
/// [`StoreError::NotPrivate`] if the folder or the socket may be another user's: nothing is sent then.
/// [`StoreError::Io`] if there is no socket or nobody listens.
pub fn connect_private(socket: &Path) -> Result<UnixStream, StoreError> {
    let user = user();
    check_folder(durable::folder_of(socket), user)?;
    check_socket(socket, user)?;
    UnixStream::connect(socket).map_err(StoreError::io("connect to", socket))
}

/// Listens on a new socket that only this user can connect to. Removes what is at its path, so the caller must hold a
/// lock that excludes other listeners.
///
/// # Errors
/// The system's error; a path longer than about 100 bytes is one.
pub fn listen_private(socket: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(SOCKET_MODE))?;
    Ok(listener)
}

/// The user that this process acts for.
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn close(folder: &Path, user: u32) {
    let Ok(data) = std::fs::metadata(folder) else { return };
    if data.uid() == user && data.mode() & OTHERS_WRITE != 0 {
        let mode = std::fs::Permissions::from_mode(data.mode() & 0o7777 & !OTHERS_WRITE);
        let _ = std::fs::set_permissions(folder, mode);
    }
}

fn check_folder(folder: &Path, user: u32) -> Result<(), StoreError> {
    let refused = |why: String| Err(StoreError::NotPrivate { path: folder.to_owned(), why });
    let data = match std::fs::metadata(folder) {
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
        return refused(format!("others may write into it; run `chmod go-w {}`", folder.display()));
    }
    Ok(())
}

fn check_socket(socket: &Path, user: u32) -> Result<(), StoreError> {
    let refused = |why: String| Err(StoreError::NotPrivate { path: socket.to_owned(), why });
    let data = std::fs::symlink_metadata(socket).map_err(StoreError::io("find the socket", socket))?;
    if !data.file_type().is_socket() {
        return refused("it is not a socket; remove it and start the daemon again".into());
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
            let said = check_folder(tree.path(), user).err();
            let denied = said.as_ref().is_none_or(|error| matches!(error, StoreError::NotPrivate { .. }));
            let said = said.map(|error| error.to_string());
            assert_eq!(said.is_some(), expected.is_some(), "{mode:o}: {said:?}");
            assert!(denied && said.unwrap_or_default().contains(expected.unwrap_or_default()), "{mode:o}");
        }
        assert!(check_folder(&tree.path().join("gone"), user()).is_err());
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
        assert!(check_folder(tree.path(), user()).is_ok());
    }

    #[test]
    fn a_socket_takes_the_place_of_a_leftover_and_is_its_owners_only() {
        let tree = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(tree.path(), std::fs::Permissions::from_mode(0o700)).expect("is set");
        let path = tree.path().join("daemon.sock");
        std::fs::write(&path, "").expect("is written");
        assert!(matches!(connect_private(&path), Err(StoreError::NotPrivate { .. })));
        let listener = listen_private(&path).expect("listens");
        assert_eq!(std::fs::metadata(&path).expect("is there").permissions().mode() & 0o777, SOCKET_MODE);
        connect_private(&path).expect("is answered");
        drop(listener);
        assert!(matches!(connect_private(&path), Err(StoreError::Io { .. })), "nobody listens");
        std::fs::set_permissions(tree.path(), std::fs::Permissions::from_mode(0o777)).expect("is set");
        assert!(matches!(connect_private(&path), Err(StoreError::NotPrivate { .. })));
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
            ("file", user(), Some("not a socket")),
            ("link", user(), Some("not a socket")),
            ("gone", user(), Some("cannot find the socket")),
        ];
        for (name, user, expected) in rows {
            let said = check_socket(&path(name), user).err().map(|error| error.to_string());
            assert_eq!(said.is_some(), expected.is_some(), "{name}: {said:?}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{name}");
        }
    }
}
