//! The socket of a process that keeps the index of a project open, for programs that ask once. It lies in the state
//! folder of the project, which only its user writes to.

use std::io;
use std::path::PathBuf;

use m1nd_store::{HeldLock, Home, SharedFolder};

use crate::EngineConfig;

/// Name of the socket.
const SOCKET: &str = "resident.sock";
/// Lock that the process holds as long as it listens.
const LOCK: &str = "resident.lock";
/// Longest path of a socket, in bytes: the smallest limit of the systems that have sockets with paths.
const MAX_PATH: usize = 100;

/// Where the process of a project listens.
#[derive(Debug, Clone)]
pub struct ResidentPlace {
    folder: PathBuf,
}

/// The right to listen; others may take it when this is dropped.
#[derive(Debug)]
pub struct ResidentSocket {
    #[cfg(unix)]
    listener: std::os::unix::net::UnixListener,
    path: PathBuf,
    lock: HeldLock,
}

impl ResidentPlace {
    /// The place of the project with these settings; `None` where there can be none: of a federation, of a project
    /// without state, and where the path of the socket would be too long.
    pub fn of(config: &EngineConfig) -> Option<Self> {
        let root = config.roots.first().filter(|_| config.federation.is_none() && config.roots.len() == 1)?;
        let folder = Home::project_folder(&config.home, root)?;
        let fits = folder.join(SOCKET).as_os_str().len() <= MAX_PATH;
        (cfg!(unix) && fits).then_some(Self { folder })
    }

    /// Returns whether a process listens, or is about to.
    pub fn is_taken(&self) -> bool {
        SharedFolder::new(self.folder.clone()).is_held(LOCK)
    }

    /// Connects to the process that listens. A socket that may be another user's is refused.
    ///
    /// # Errors
    /// Nobody listens, or the socket or its folder may be another user's.
    #[cfg(unix)]
    pub fn connect(&self) -> io::Result<std::os::unix::net::UnixStream> {
        m1nd_store::connect_private(&self.folder.join(SOCKET)).map_err(|error| io::Error::other(error.to_string()))
    }

    /// Begins to listen; `None` if another process does.
    ///
    /// # Errors
    /// The folder or the socket cannot be used.
    #[cfg(unix)]
    pub fn listen(&self) -> io::Result<Option<ResidentSocket>> {
        let other = |error: m1nd_store::StoreError| io::Error::other(error.to_string());
        m1nd_store::check_private_folder(&self.folder).map_err(other)?;
        let folder = SharedFolder::new(self.folder.clone());
        let Some(lock) = folder.try_hold(LOCK).map_err(other)? else { return Ok(None) };
        let path = self.folder.join(SOCKET);
        let listener = m1nd_store::listen_private(&path)?;
        Ok(Some(ResidentSocket { listener, path, lock }))
    }
}

impl ResidentSocket {
    /// The socket.
    #[cfg(unix)]
    pub fn listener(&self) -> &std::os::unix::net::UnixListener {
        &self.listener
    }

    /// Whether others still find it: the state of the project was not removed.
    pub fn is_reachable(&self) -> bool {
        self.lock.is_in_place() && self.path.exists()
    }

    /// Removes the socket, so that nobody can connect.
    pub fn close(&self) {
        if self.lock.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_its_user_connects_and_one_process_listens() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).expect("is set");
        let place = ResidentPlace { folder: folder.path().to_owned() };
        assert!(place.connect().is_err() && !place.is_taken());
        let socket = place.listen().expect("listens").expect("nobody else does");
        let mode = std::fs::metadata(folder.path().join(SOCKET)).expect("is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(place.connect().is_ok() && place.is_taken() && socket.is_reachable());
        assert!(place.listen().expect("no error").is_none(), "a second one stands back");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("is set");
        assert!(place.connect().is_err(), "others may have put another socket there");
        socket.close();
        assert!(!socket.is_reachable());
        drop(socket);
        assert!(!place.is_taken());
    }

    #[test]
    fn a_path_that_no_socket_can_have_is_no_place() {
        let home = tempfile::tempdir().expect("a folder");
        let root = tempfile::tempdir().expect("a folder");
        let long = home.path().join("x".repeat(MAX_PATH));
        let place = |home: &std::path::Path| {
            let config = EngineConfig::new(home.to_owned(), vec![root.path().to_owned()]);
            drop(crate::Engine::open(config.clone()).expect("opens"));
            ResidentPlace::of(&config)
        };
        assert!(place(&long).is_none());
        let unknown = EngineConfig::new(home.path().to_owned(), vec![root.path().join("gone")]);
        assert!(ResidentPlace::of(&unknown).is_none());
    }
}
