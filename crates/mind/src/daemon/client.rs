//! Client of a daemon that may not be running.

use std::path::Path;
use std::time::{Duration, Instant};

use m1nd_store::SharedFolder;

use super::protocol::{DaemonReport, Reply, Request};
use super::{LOCK, SOCKET};
use crate::MemoryError;

/// Time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(40);
/// Time to wait for its end.
const END: Duration = Duration::from_secs(30);
/// Time between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Returns whether a daemon runs: whether its lock is held.
pub fn is_running(home: &Path) -> bool {
    SharedFolder::new(home.to_owned()).is_held(LOCK)
}

/// Requests the daemon's status.
///
/// # Errors
/// [`MemoryError::DaemonNotRunning`], or [`MemoryError::Daemon`] if it does not answer.
pub fn status(home: &Path) -> Result<DaemonReport, MemoryError> {
    ask(home, &Request::Status)?.ok_or_else(|| MemoryError::Daemon("the daemon gave no report; restart it".into()))
}

/// Sends a request to the daemon.
///
/// # Errors
/// [`MemoryError::DaemonNotRunning`], or [`MemoryError::Daemon`] if it refuses or does not answer;
/// [`MemoryError::NotPrivate`] if the socket may belong to another user, in which case nothing is sent.
pub fn ask(home: &Path, request: &Request) -> Result<Option<DaemonReport>, MemoryError> {
    if !is_running(home) {
        return Err(MemoryError::DaemonNotRunning);
    }
    let socket = home.join(SOCKET);
    #[cfg(unix)]
    {
        let user = super::private::user();
        super::private::folder(home, user)?;
        super::private::socket(&socket, user)?;
    }
    let reply = exchange(&socket, request).map_err(|error| {
        MemoryError::Daemon(format!("the daemon does not answer: {error}; stop its process and start it again"))
    })?;
    match reply {
        Reply { ok: true, report, .. } => Ok(report),
        Reply { error, .. } => Err(MemoryError::Daemon(error.unwrap_or_else(|| "the daemon refused".into()))),
    }
}

/// Ends the daemon and waits until it has.
///
/// # Errors
/// Those of [`ask`], or [`MemoryError::Daemon`] if it does not end.
pub fn stop(home: &Path) -> Result<(), MemoryError> {
    let answer = ask(home, &Request::Stop);
    if matches!(answer, Err(MemoryError::DaemonNotRunning)) {
        return answer.map(drop);
    }
    let asked = Instant::now();
    // It may have ended before it could answer: whether it is running decides.
    while is_running(home) {
        if asked.elapsed() > END {
            answer?;
            return Err(MemoryError::Daemon("the daemon was asked to end and has not; end its process".into()));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(unix)]
fn exchange(socket: &Path, request: &Request) -> std::io::Result<Reply> {
    use std::io::{BufRead, BufReader, Read, Write};

    let mut stream = std::os::unix::net::UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream.take(super::protocol::MAX_LINE)).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

#[cfg(not(unix))]
fn exchange(_socket: &Path, _request: &Request) -> std::io::Result<Reply> {
    Err(std::io::ErrorKind::Unsupported.into())
}
