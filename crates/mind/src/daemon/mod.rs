//! The daemon: keeps the blocks of all registered projects fresh. Optional; whatever it does is also done when asked
//! for.
//!
//! It is alive while it holds a lock, which the system gives back however it ends. It is talked to over a socket beside
//! the lock. Files are only looked at again when their content has another hash, so its own writing wakes nobody.

mod client;
mod log;
mod poll;
mod projects;
mod protocol;
mod run;
mod time;

pub use client::{ask, is_running, status, stop};
pub use log::{KEPT_LOGS, LOG_FOLDER, LOGS, MAX_LOG_BYTES};
pub use protocol::{DaemonReport, ProjectReport, Request};
pub use run::{prepare, run};

/// Whether the folder that all projects share is the user's own and nobody else writes into it.
///
/// # Errors
/// [`StoreError::NotPrivate`](m1nd_store::StoreError::NotPrivate).
pub(crate) fn check_private(home: &std::path::Path) -> Result<(), crate::MemoryError> {
    #[cfg(unix)]
    if m1nd_vfs::PathKind::at(home) != m1nd_vfs::PathKind::Nothing {
        m1nd_store::check_private_folder(home)?;
    }
    let _ = home;
    Ok(())
}
