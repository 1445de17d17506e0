//! The daemon: keeps the blocks of all registered projects up to date. Optional: everything it does also happens on
//! request.
//!
//! It is alive while it holds a lock, which the system releases however it ends. Clients use a socket beside the
//! lock. Files are only processed again when the hash of their content changes, so its own writes do not wake it.

mod client;
mod log;
mod poll;
#[cfg(unix)]
mod private;
mod projects;
mod protocol;
mod run;

pub use client::{ask, is_running, status, stop};
pub use log::{KEPT_LOGS, LOG_FOLDER, LOGS, MAX_LOG_BYTES};
pub use protocol::{DaemonReport, ProjectReport, Request};
pub use run::{prepare, run};

/// Returns whether the folder that all projects share is the user's own and nobody else writes into it.
///
/// # Errors
/// [`MemoryError::NotPrivate`](crate::MemoryError::NotPrivate).
pub(crate) fn check_private(home: &std::path::Path) -> Result<(), crate::MemoryError> {
    #[cfg(unix)]
    if home.exists() {
        private::folder(home, private::user())?;
    }
    let _ = home;
    Ok(())
}

/// The lock that a running daemon holds.
pub(crate) const LOCK: &str = "daemon.lock";
/// Its socket.
pub(crate) const SOCKET: &str = "daemon.sock";
/// Its self-description, for people and older programs: never used to determine whether it runs.
pub(crate) const STATE: &str = "daemon.json";
/// Its process, likewise only for show: a number may be in use again.
pub(crate) const PID: &str = "daemon.pid";
