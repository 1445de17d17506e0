//! Connections: TLS, time for the first request, and their number.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::server::Limits;

/// How long a connection may be idle, or take for the head of a later request.
const IDLE: Duration = Duration::from_secs(75);
/// Largest head of a request, in bytes.
const HEAD_BYTES: usize = 32 << 10;
/// Largest number of headers.
const HEADERS: usize = 64;
/// Pause after an error of the system, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long connections may take to end with the server.
const FAREWELL: Duration = Duration::from_millis(500);

/// Answer to a request without encryption where a certificate is in use.
const NEEDS_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 50\r\nConnection: \
    close\r\n\r\nthis server is encrypted: its address is https://\n";

/// Connections that have not sent a request yet. A new one too many ends the oldest, so that those that send nothing
/// do not keep others out.
#[derive(Debug, Default)]
struct Waiting {
    tokens: Mutex<BTreeMap<u64, CancellationToken>>,
}

impl Waiting {
    fn add(&self, id: u64, most: usize) -> CancellationToken {
        let token = CancellationToken::new();
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.insert(id, token.clone());
        if tokens.len() > most
            && let Some((_, oldest)) = tokens.pop_first()
        {
            oldest.cancel();
        }
        token
    }

    fn remove(&self, id: u64) -> bool {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(&id).is_some()
    }
}

/// A connection that waits until it is dropped or has sent a request.
struct Wait {
    waiting: Arc<Waiting>,
    id: u64,
}

impl Wait {
    /// The first request has arrived.
    fn end(&self) -> bool {
        self.waiting.remove(self.id)
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.end();
    }
}

/// Serves connections until `shutdown`.
pub(crate) async fn accept_all(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
) {
    let waiting = Arc::new(Waiting::default());
    let room = Arc::new(Semaphore::new(limits.connections));
    for id in 0_u64.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let displaced = waiting.add(id, limits.waiting);
        let (wait, patience) = (Wait { waiting: waiting.clone(), id }, limits.first_request);
        let (tls, router, shutdown, room) = (tls.clone(), router.clone(), shutdown.clone(), room.clone());
        tokio::spawn(async move {
            let connection = Connection { router, wait, displaced, patience, shutdown, room };
            match tls {
                None => connection.serve(stream).await,
                Some(tls) => {
                    let encrypted = tokio::select! {
                        encrypted = tokio::time::timeout(connection.patience, encrypt(&tls, stream)) => encrypted,
                        () = connection.displaced.cancelled() => return,
                    };
                    if let Ok(Ok(Some(encrypted))) = encrypted {
                        connection.serve(encrypted).await;
                    }
                }
            }
        });
    }
    drop(listener);
    // Each connection holds a permit once it has sent a request.
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(FAREWELL, room.acquire_many(all)).await;
}

/// Negotiates TLS. Returns `None` if the client sent plain HTTP; it has then been answered.
async fn encrypt(tls: &TlsAcceptor, mut stream: TcpStream) -> std::io::Result<Option<TlsStream<TcpStream>>> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    // Methods of HTTP begin with a capital letter, messages of TLS with a control character.
    if !first[0].is_ascii_uppercase() {
        return tls.accept(stream).await.map(Some);
    }
    // Read before it is closed: else the system would drop the answer.
    let _ = stream.read(&mut vec![0; HEAD_BYTES]).await?;
    stream.write_all(NEEDS_TLS).await?;
    stream.shutdown().await?;
    Ok(None)
}

struct Connection {
    router: Router,
    wait: Wait,
    /// Cancelled when this connection gives way to newer ones.
    displaced: CancellationToken,
    /// How long it may take until its first request has arrived.
    patience: Duration,
    shutdown: CancellationToken,
    room: Arc<Semaphore>,
}

impl Connection {
    /// Serves one connection until its end, or until it has not sent a request in time.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Self { router, wait, displaced, patience, shutdown, room } = self;
        let permit = Arc::new(Mutex::new(None));
        let service = TowerToHyperService::new(router);
        let (arrived, is_waiting) = (CancellationToken::new(), wait);
        let service = {
            let (arrived, permit) = (arrived.clone(), permit.clone());
            service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                // One of too many is closed after its answer; its requests are served all the same.
                if is_waiting.end() {
                    arrived.cancel();
                    *permit.lock().unwrap_or_else(PoisonError::into_inner) = room.clone().try_acquire_owned().ok();
                }
                let has_room = permit.lock().unwrap_or_else(PoisonError::into_inner).is_some();
                let answer = service.call(request.map(Body::new));
                async move {
                    let mut answer = answer.await?;
                    if !has_room {
                        let close = hyper::header::HeaderValue::from_static("close");
                        answer.headers_mut().insert(hyper::header::CONNECTION, close);
                    }
                    Ok::<_, std::convert::Infallible>(answer)
                }
            })
        };
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(HEAD_BYTES).max_headers(HEADERS);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let late = tokio::time::sleep(patience);
        tokio::pin!(late);
        let mut has_arrived = false;
        while !shutdown.is_cancelled() {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection ended");
                    }
                    return;
                }
                () = arrived.cancelled(), if !has_arrived => has_arrived = true,
                () = displaced.cancelled(), if !has_arrived => return,
                () = late.as_mut(), if !has_arrived => return,
                () = shutdown.cancelled() => {}
            }
        }
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(FAREWELL, connection).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_that_wait_gives_way() {
        let waiting = Waiting::default();
        let tokens: Vec<_> = (0..4).map(|id| waiting.add(id, 2)).collect();
        let ended: Vec<bool> = tokens.iter().map(CancellationToken::is_cancelled).collect();
        assert_eq!(ended, [true, true, false, false]);
        assert!(waiting.remove(3) && !waiting.remove(3) && !waiting.remove(0));
    }
}
