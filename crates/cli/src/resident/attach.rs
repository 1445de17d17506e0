//! A client that is passed on to a running server.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use m1nd_engine::{EngineConfig, ResidentPlace};
use m1nd_mind::MindConfig;

use super::ask::send;
use super::{Answer, Guest, GuestOptions, MemoryPlaces, Request, build, setup};

/// Bytes passed on at a time.
const CHUNK: usize = 64 << 10;

/// Connects to the running server of a project; `None` if there is none, or it has other settings.
pub(crate) fn attach(config: &EngineConfig, mind: &MindConfig, options: GuestOptions) -> Option<UnixStream> {
    let stream = ResidentPlace::of(config)?.connect().ok()?;
    let (memories, build, setup) = (MemoryPlaces::new(mind), build(), setup(config));
    let answer = send(&stream, &Request::Attach(Guest { build, setup, memories, options }));
    let is_attached = matches!(answer, Ok(Answer::Attached));
    let is_ready = stream.set_read_timeout(None).and_then(|()| stream.set_write_timeout(None)).is_ok();
    (is_attached && is_ready).then_some(stream)
}

/// Passes standard input and output on until either side ends.
pub(crate) fn relay(stream: &UnixStream) -> std::io::Result<()> {
    let mut to_server = stream.try_clone()?;
    std::thread::Builder::new().name("m1nd-read".into()).spawn(move || {
        let _ = pass_on(&mut std::io::stdin().lock(), &mut to_server);
        // The server answers what it has received, and closes its side.
        let _ = to_server.shutdown(Shutdown::Write);
    })?;
    let passed = pass_on(&mut &*stream, &mut std::io::stdout().lock());
    let _ = stream.shutdown(Shutdown::Both);
    passed
}

/// Copies until the end, without waiting for more than there is.
fn pass_on(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&chunk[..count])?;
        to.flush()?;
    }
}
