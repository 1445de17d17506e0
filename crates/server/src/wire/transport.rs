//! The SDK's transport over two plain byte streams, with both framings, limits and resynchronisation.
//!
//! Reading, splitting, checking and parsing happen on one thread, writing on another; the SDK's loop only sees
//! finished messages through channels, so that nothing it drops or polls again can lose bytes ("cancel safe"), and a
//! client that stops reading blocks only its own output. Answers use the framing of their request; notifications the
//! framing of the last message read.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc};

use crate::framing::{Frame, Framer, Mode};
use crate::message::{self, Incoming, code};
use crate::running::Running;

/// Maximum number of unanswered requests; more are refused.
pub const IN_FLIGHT: usize = 256;
/// Bytes read at a time.
const CHUNK: usize = 64 << 10;
/// Messages waiting for the SDK or the output.
const QUEUE: usize = 256;
/// Time to wait for pending answers after the input ended: `printf … | m1nd serve` gets all of its answers.
const GRACE: Duration = Duration::from_secs(120);
/// Polling interval of that wait.
const GRACE_STEP: Duration = Duration::from_millis(10);
/// Maximum time that messages wait for the answer to the handshake before them.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Pause before retrying a stream that another process set to non-blocking.
const NONBLOCKING_STEP: Duration = Duration::from_millis(5);

/// The client's end of the output is closed.
#[derive(Debug, thiserror::Error)]
#[error("the client closed its end of the output")]
pub struct OutputClosed;

/// The output stream.
pub trait Output: Write + Send + 'static {
    /// Returns whether the other end is closed. `false` if that cannot be determined without writing.
    fn is_closed(&self) -> bool;
}

/// A stream whose other end can be checked: pipes, sockets, the standard output.
#[cfg(unix)]
impl<W: Write + std::os::fd::AsFd + Send + 'static> Output for W {
    fn is_closed(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut polled = [PollFd::new(self, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut polled, Some(&now)).is_ok() && polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
    }
}

/// A stream whose closed end only shows on writing.
#[cfg(not(unix))]
impl<W: Write + Send + 'static> Output for W {
    fn is_closed(&self) -> bool {
        false
    }
}

/// State shared by the threads and the transport.
#[derive(Debug, Default)]
struct Shared {
    /// Framing of each unanswered request.
    modes: Mutex<HashMap<RequestId, Mode>>,
    /// Framing of the last message read.
    last: Mutex<Mode>,
    /// Our own requests that the client has not answered.
    asked: Mutex<HashSet<RequestId>>,
    /// Signalled when a request has been answered.
    answered: Notify,
}

impl Shared {
    /// Waits, with a limit, until a request has been answered.
    async fn until_answered(&self, id: &RequestId) {
        let wait = async {
            loop {
                let answered = self.answered.notified();
                if !lock(&self.modes).contains_key(id) {
                    return;
                }
                answered.await;
            }
        };
        let _ = tokio::time::timeout(HANDSHAKE, wait).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Outgoing {
    Bytes(Vec<u8>),
    /// Checks whether the output is closed.
    Probe,
}

/// The transport. One per connection.
pub(crate) struct StdioTransport {
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    outgoing: mpsc::Sender<Outgoing>,
    /// Becomes true when the output turns out to be closed.
    closed: tokio::sync::watch::Receiver<bool>,
    shared: Arc<Shared>,
    /// The handshake that was passed on last. The SDK handles requests side by side, but what follows a handshake
    /// depends on its outcome, and a client need not wait for the answer.
    handshake: Option<RequestId>,
    running: Arc<Running>,
    writer: Option<std::thread::JoinHandle<()>>,
}

impl StdioTransport {
    /// Starts the two threads. `running` are the calls to stop when the client disconnects.
    pub(crate) fn start(
        input: impl Read + Send + 'static,
        output: impl Output,
        running: Arc<Running>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (message_sender, incoming) = mpsc::channel(QUEUE);
        let (outgoing, bytes_receiver) = mpsc::channel(QUEUE);
        let (closed_sender, closed) = tokio::sync::watch::channel(false);
        let reader = Reader { shared: shared.clone(), messages: message_sender, replies: outgoing.clone() };
        std::thread::Builder::new().name("m1nd-read".into()).spawn(move || reader.run(input))?;
        let stop = running.clone();
        let writer = std::thread::Builder::new().name("m1nd-write".into()).spawn(move || {
            write_all(output, bytes_receiver, || {
                stop.cancel_all();
                closed_sender.send_replace(true);
            });
        })?;
        Ok(Self { incoming, outgoing, closed, shared, handshake: None, running, writer: Some(writer) })
    }

    /// Waits, with a limit, until every request has been answered or the client is gone.
    async fn finish(&mut self) {
        let end = Instant::now() + GRACE;
        while !lock(&self.shared.modes).is_empty() && !*self.closed.borrow() && Instant::now() < end {
            let _ = self.outgoing.send(Outgoing::Probe).await;
            tokio::time::sleep(GRACE_STEP).await;
        }
        self.running.cancel_all();
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = OutputClosed;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            lock(&self.shared.asked).insert(request.id.clone());
        }
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let answered = id.cloned();
        let mode = match &answered {
            Some(id) => lock(&self.shared.modes).get(id).copied(),
            None => None,
        };
        let mode = mode.unwrap_or_else(|| *lock(&self.shared.last));
        let json = serde_json::to_vec(&item);
        let outgoing = self.outgoing.clone();
        let shared = self.shared.clone();
        async move {
            let bytes = match json {
                Ok(json) => mode.wrap(&json),
                Err(error) => {
                    let id = answered.as_ref().map(message::id_value);
                    let reply = message::error_reply(id, code::INTERNAL, &format!("answer cannot be written: {error}"));
                    mode.wrap(reply.to_string().as_bytes())
                }
            };
            let sent = outgoing.send(Outgoing::Bytes(bytes)).await.map_err(|_| OutputClosed);
            // Only now: a request counts as open until its answer is being sent.
            if let Some(id) = answered {
                lock(&shared.modes).remove(&id);
                shared.answered.notify_waiters();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(id) = &self.handshake {
            self.shared.until_answered(id).await;
            self.handshake = None;
        }
        let message = tokio::select! {
            message = self.incoming.recv() => message,
            _ = self.closed.wait_for(|closed| *closed) => return None,
        };
        match &message {
            None => self.finish().await,
            Some(JsonRpcMessage::Request(request))
                if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
            {
                self.handshake = Some(request.id.clone());
            }
            Some(_) => {}
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The writer ends once all senders are gone: replace ours, then wait for the queue.
        self.outgoing = mpsc::channel(1).0;
        self.incoming.close();
        if let Some(writer) = self.writer.take() {
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
        Ok(())
    }
}

/// The reading side.
struct Reader {
    shared: Arc<Shared>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    replies: mpsc::Sender<Outgoing>,
}

/// The SDK has ended; there is no receiver any more.
struct Ended;

impl Reader {
    fn run(self, mut input: impl Read) {
        let mut framer = Framer::default();
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = match input.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    std::thread::sleep(NONBLOCKING_STEP);
                    continue;
                }
                Err(error) => {
                    tracing::warn!(%error, "standard input can no longer be read");
                    break;
                }
            };
            framer.push(&chunk[..count]);
            while let Some(frame) = framer.next_frame() {
                if self.take(frame).is_err() {
                    return;
                }
            }
        }
        if let Some(frame) = framer.finish() {
            let _ = self.take(frame);
        }
    }

    fn take(&self, frame: Frame) -> Result<(), Ended> {
        match frame {
            Frame::Broken { reason, mode, id } => {
                tracing::debug!(%reason, "unreadable input");
                let code = if id.is_some() { code::INVALID_REQUEST } else { code::PARSE };
                self.reply(mode, &message::error_reply(id, code, &reason))
            }
            Frame::Message { bytes, mode } => {
                *lock(&self.shared.last) = mode;
                for incoming in message::read(&bytes) {
                    match incoming {
                        Incoming::Reply(reply) => self.reply(mode, &reply)?,
                        Incoming::Deliver(message) => self.deliver(*message, mode)?,
                    }
                }
                Ok(())
            }
        }
    }

    fn deliver(&self, message: RxJsonRpcMessage<RoleServer>, mode: Mode) -> Result<(), Ended> {
        match &message {
            JsonRpcMessage::Request(request) => {
                let mut modes = lock(&self.shared.modes);
                let refusal = if modes.contains_key(&request.id) {
                    Some("id is in use by a request not yet answered; use another".to_owned())
                } else if modes.len() >= IN_FLIGHT {
                    Some(format!("{IN_FLIGHT} requests are waiting for answers; wait for some of them"))
                } else {
                    modes.insert(request.id.clone(), mode);
                    None
                };
                drop(modes);
                if let Some(reason) = refusal {
                    let id = Some(message::id_value(&request.id));
                    return self.reply(mode, &message::error_reply(id, code::INVALID_REQUEST, &reason));
                }
            }
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // No answer will follow.
                    lock(&self.shared.modes).remove(id);
                    self.shared.answered.notify_waiters();
                }
            }
            JsonRpcMessage::Response(response) if lock(&self.shared.asked).remove(&response.id) => {}
            JsonRpcMessage::Error(error) if error.id.as_ref().is_some_and(|id| lock(&self.shared.asked).remove(id)) => {
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => return Ok(()),
        }
        self.messages.blocking_send(message).map_err(|_| Ended)
    }

    fn reply(&self, mode: Mode, reply: &serde_json::Value) -> Result<(), Ended> {
        let bytes = mode.wrap(reply.to_string().as_bytes());
        self.replies.blocking_send(Outgoing::Bytes(bytes)).map_err(|_| Ended)
    }
}

/// The writing side: runs until all senders are gone or the output is closed, which it reports with `gone`.
fn write_all(mut output: impl Output, mut bytes: mpsc::Receiver<Outgoing>, gone: impl FnOnce()) {
    while let Some(next) = bytes.blocking_recv() {
        let fine = match next {
            Outgoing::Bytes(bytes) => write_whole(&mut output, &bytes).is_ok(),
            Outgoing::Probe => !output.is_closed(),
        };
        if !fine {
            tracing::debug!("the client closed its end of the output");
            return gone();
        }
    }
}

fn write_whole(output: &mut impl Output, mut bytes: &[u8]) -> std::io::Result<()> {
    use std::io::ErrorKind;
    loop {
        let step = if bytes.is_empty() { output.flush().map(|()| 0) } else { output.write(bytes) };
        match step {
            Ok(0) if bytes.is_empty() => return Ok(()),
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(NONBLOCKING_STEP),
            Err(error) => return Err(error),
        }
    }
}
