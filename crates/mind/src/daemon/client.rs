//! Client of the daemon, which may not be running.

use std::path::Path;
use std::time::Duration;

use m1nd_store::SharedFolder;
#[cfg(unix)]
use m1nd_store::StoreError;

use super::protocol::{DaemonReport, LOCK, Reply, Request, SOCKET};
use super::time::{now, sleep};
use crate::MemoryError;

/// Maximum wait for an answer.
const PATIENCE: Duration = Duration::from_secs(40);
/// Maximum wait for its end.
const END: Duration = Duration::from_secs(30);
/// Interval between two checks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Returns whether a daemon runs: whether its lock is held.
pub fn is_running(home: &Path) -> bool {
    SharedFolder::new(home.to_owned()).is_held(LOCK)
}

/// Returns the report of the daemon.
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
/// [`StoreError::NotPrivate`](m1nd_store::StoreError::NotPrivate) if the socket may be another user's: nothing is asked
/// then.
pub fn ask(home: &Path, request: &Request) -> Result<Option<DaemonReport>, MemoryError> {
    if !is_running(home) {
        return Err(MemoryError::DaemonNotRunning);
    }
    let socket = home.join(SOCKET);
    let reply = exchange(&socket, request)?;
    match reply {
        Reply { ok: true, report, .. } => Ok(report),
        Reply { error, .. } => Err(MemoryError::Daemon(error.unwrap_or_else(|| "the daemon refused".into()))),
    }
}

/// Stops the daemon and waits for its end.
///
/// # Errors
/// Those of [`ask`], or [`MemoryError::Daemon`] if it does not end.
pub fn stop(home: &Path) -> Result<(), MemoryError> {
    let answer = ask(home, &Request::Stop);
    if matches!(answer, Err(MemoryError::DaemonNotRunning)) {
        return answer.map(drop);
    }
    let asked = now();
    // It may have ended before its answer was on its way: what counts is whether it is there.
    while is_running(home) {
        if asked.elapsed() > END {
            answer?;
            return Err(MemoryError::Daemon("the daemon was asked to end and has not; end its process".into()));
        }
        sleep(LOOK);
    }
    Ok(())
}

#[cfg(unix)]
fn exchange(socket: &Path, request: &Request) -> Result<Reply, MemoryError> {
    let stream = m1nd_store::connect_private(socket).map_err(|error| match error {
        StoreError::Io { source, .. } => no_answer(&source),
        error => error.into(),
    })?;
    converse(stream, request).map_err(|error| no_answer(&error))
}

#[cfg(unix)]
fn converse(mut stream: std::os::unix::net::UnixStream, request: &Request) -> std::io::Result<Reply> {
    use std::io::{BufRead, BufReader, Read, Write};

    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream.take(super::protocol::MAX_LINE)).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

#[cfg(not(unix))]
fn exchange(_socket: &Path, _request: &Request) -> Result<Reply, MemoryError> {
    Err(no_answer(&std::io::ErrorKind::Unsupported.into()))
}

fn no_answer(error: &std::io::Error) -> MemoryError {
    MemoryError::Daemon(format!("the daemon does not answer: {error}; stop its process and start it again"))
}
