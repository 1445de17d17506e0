//! `GET /api/events`: what happens on the server, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use m1nd_server::{Event, Presence};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::api::Failure;
use crate::server::App;

/// Interval of comments that keep a silent stream open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Name of the header of a watcher who comes back.
const LAST_EVENT_ID: &str = "last-event-id";
/// Event of a watcher who was too slow: some events before the next are lost.
const LOST: &str = "lost";

/// One open stream.
struct Watcher {
    missed: VecDeque<Event>,
    receiver: Receiver<Event>,
    shutdown: CancellationToken,
    _presence: Presence,
    _stream: OwnedSemaphorePermit,
}

impl Watcher {
    /// The next event; `None` at the end of the server.
    async fn read_next(&mut self) -> Option<sse::Event> {
        if let Some(event) = self.missed.pop_front() {
            return Some(write(&event));
        }
        let received = tokio::select! {
            received = self.receiver.recv() => received,
            () = self.shutdown.cancelled() => return None,
        };
        match received {
            Ok(event) => Some(write(&event)),
            Err(RecvError::Lagged(count)) => {
                Some(sse::Event::default().event(LOST).data(format!("{{\"count\":{count}}}")))
            }
            Err(RecvError::Closed) => None,
        }
    }
}

/// Sends events until the client disconnects, first those after the last one it saw.
pub(crate) async fn stream(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, Failure> {
    let stream = app.open_stream()?;
    let last = headers.get(LAST_EVENT_ID).map(|id| id.to_str().ok().and_then(|id| id.trim().parse::<u64>().ok()));
    let last = match last {
        Some(None) => {
            let message = "`Last-Event-ID` is not the number of an event";
            return Err(Failure::new(StatusCode::BAD_REQUEST, "invalid_params", message));
        }
        last => last.flatten(),
    };
    let (missed, receiver) = app.host.subscribe(last);
    let watcher = Watcher {
        missed: missed.into(),
        receiver,
        shutdown: app.shutdown.clone(),
        _presence: app.host.count_client(),
        _stream: stream,
    };
    let events = unfold(watcher, async |mut watcher| {
        let event = watcher.read_next().await?;
        Some((Ok::<_, Infallible>(event), watcher))
    });
    Ok(Sse::new(Box::pin(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

fn write(event: &Event) -> sse::Event {
    sse::Event::default().id(event.id.to_string()).event(event.kind.word()).data(event.data.to_string())
}
