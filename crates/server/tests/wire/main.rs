//! The server, driven through its pipes with test tools: one that answers, one that panics, some that run until they
//! are stopped.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apps;
mod first_index;
mod framing;
mod handshake;
mod hostile;
mod lists;
mod reading;
mod roots;
mod stale;
mod stopping;
mod tools;
mod versions;

use std::thread::JoinHandle;

use m1nd_engine::EngineConfig;
use m1nd_server::{ServeError, ServeOptions, serve};
use m1nd_testkit::wire::Wire;
use m1nd_tools::Services;
use tempfile::TempDir;

/// A server in this process, and the client side of it.
pub(crate) struct Session {
    // In the order in which they are dropped: the folders last, since the server saves its index at the end.
    pub(crate) wire: Wire,
    server: Server,
    _folders: TempDir,
}

/// The thread of a server. Waits for its end when dropped, also after a failure.
struct Server(Option<JoinHandle<Result<(), ServeError>>>);

impl Server {
    fn join(mut self) {
        self.0.take().unwrap().join().unwrap().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.take().map(JoinHandle::join);
    }
}

/// Starts a server on an empty project.
pub(crate) fn session() -> Session {
    session_with(ServeOptions { tools: tools::TOOLS, ..ServeOptions::default() })
}

/// Starts a server on an empty project with these options.
pub(crate) fn session_with(options: ServeOptions) -> Session {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let config = EngineConfig::new(folders.path().join("home"), vec![root]);
    session_over(folders, config, options)
}

/// Starts a server on a project inside of these folders.
pub(crate) fn session_over(folders: TempDir, config: EngineConfig, options: ServeOptions) -> Session {
    let services = Services::self_contained(config).unwrap();
    let (server_input, client_output) = std::io::pipe().unwrap();
    let (client_input, server_output) = std::io::pipe().unwrap();
    let server = std::thread::spawn(move || serve(&services, options, server_input, server_output));
    Session { wire: Wire::over(client_output, client_input), server: Server(Some(server)), _folders: folders }
}

impl Session {
    /// Closes the input and waits until the server has returned.
    pub(crate) fn finish(mut self) {
        self.wire.close_input();
        self.server.join();
    }

    /// Drops both pipes, as if the client's process had died, and waits until the server has returned.
    pub(crate) fn vanish(self) {
        self.wire.vanish();
        self.server.join();
    }
}
