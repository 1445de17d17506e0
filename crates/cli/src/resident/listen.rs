//! A server that others of its project use.

use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use m1nd_engine::{EngineConfig, ResidentPlace, ResidentSocket};
use m1nd_server::{Host, ServeOptions};
use m1nd_tools::{Format, Services};
use tokio::runtime::Handle;

use super::answer::Answering;
use super::ask::send;
use super::{Answer, Guest, GuestOptions, Request, exchange};
use crate::choices::parse_choices;

/// Interval of attempts to listen while another process does.
const RETRY: Duration = Duration::from_secs(2);

/// The listening side of a server; ends with this value.
#[derive(Debug)]
pub(crate) struct Listening(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The server, until it ends. A thread that waits for a connection must not hold its index.
    host: Mutex<Option<Host>>,
    answering: Answering,
    config: EngineConfig,
    runtime: Handle,
    socket: Mutex<Option<Arc<ResidentSocket>>>,
    has_ended: AtomicBool,
}

impl Listening {
    /// Starts to listen for programs with these settings, as soon as no other process does. In the runtime of the
    /// server.
    pub(crate) fn start(host: &Host, config: EngineConfig) -> Self {
        let shared = Arc::new(Shared {
            host: Mutex::new(Some(host.clone())),
            answering: Answering::new(&config),
            config,
            runtime: Handle::current(),
            socket: Mutex::default(),
            has_ended: AtomicBool::new(false),
        });
        let listening = shared.clone();
        let spawned = std::thread::Builder::new().name("m1nd-resident".into()).spawn(move || listening.run());
        if let Err(error) = spawned {
            tracing::warn!(%error, "other programs cannot use this server");
        }
        Self(shared)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Release);
        lock(&self.0.host).take();
        if let Some(socket) = lock(&self.0.socket).take() {
            socket.close();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn run(self: Arc<Self>) {
        let Some(place) = ResidentPlace::of(&self.config) else { return };
        let Some(socket) = self.take_place(&place) else { return };
        let socket = Arc::new(socket);
        *lock(&self.socket) = Some(socket.clone());
        for stream in socket.listener().incoming() {
            if self.has_ended.load(Ordering::Acquire) {
                return;
            }
            let Ok(stream) = stream else {
                std::thread::sleep(RETRY);
                continue;
            };
            let answering = self.clone();
            let answer = move || answering.answer(&stream);
            if let Err(error) = std::thread::Builder::new().name("m1nd-answer".into()).spawn(answer) {
                tracing::debug!(%error, "a program is not answered");
            }
        }
    }

    /// Waits until this process listens; `None` if the server has ended or the place cannot be used. A process that
    /// only answers questions is asked to give way.
    fn take_place(&self, place: &ResidentPlace) -> Option<ResidentSocket> {
        while !self.has_ended.load(Ordering::Acquire) {
            match place.listen() {
                Ok(Some(socket)) => return Some(socket),
                Ok(None) => {
                    let asked = place.connect().and_then(|stream| send(&stream, &Request::GiveWay));
                    if matches!(asked, Ok(Answer::Declined)) {
                        // Another server.
                        std::thread::sleep(RETRY);
                    }
                    std::thread::sleep(RETRY / 20);
                }
                Err(error) => {
                    tracing::debug!(%error, "other programs cannot use this server");
                    return None;
                }
            }
        }
        None
    }

    /// The open index, if it still is that of the project.
    fn services(&self) -> Option<Services> {
        let services = lock(&self.host).as_ref().map(Host::services)?;
        let engine = &services.engine;
        (engine.federation().is_none() && engine.config().roots == self.config.roots).then_some(services)
    }

    fn answer(&self, stream: &UnixStream) {
        let mut guest = None;
        let answered = exchange(stream, |request| match (request, self.services()) {
            (Request::Ask(question), services) => self.answering.answer(services.as_ref(), question),
            (Request::Attach(asked), Some(_)) if self.answering.is_like(&asked.build, &asked.setup) => {
                guest = Some(asked);
                Answer::Attached
            }
            _ => Answer::Declined,
        });
        let served = answered.and_then(|()| guest.map_or(Ok(()), |guest| self.serve(guest, stream)));
        if let Err(error) = served {
            tracing::debug!(%error, "a program is not answered");
        }
    }

    /// Serves a client of another process until it disconnects. Does not block.
    fn serve(&self, guest: Guest, stream: &UnixStream) -> std::io::Result<()> {
        let Some(host) = lock(&self.host).clone() else { return Ok(()) };
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        let (input, output) = (stream.try_clone()?, stream.try_clone()?);
        let options = serve_options(&guest.options);
        self.runtime.spawn(async move {
            if let Err(error) = host.serve_attached(options, guest.memories.into_config(), input, output).await {
                tracing::debug!(%error, "a client is no longer served");
            }
        });
        Ok(())
    }
}

fn serve_options(guest: &GuestOptions) -> ServeOptions {
    ServeOptions {
        format: if guest.is_text { Format::Text } else { Format::Json },
        // Their words were checked by the program that sent them.
        listed: parse_choices(&guest.toolset).unwrap_or_default(),
        envelope: guest.envelope,
        output_schemas: guest.output_schemas,
        read_only: guest.read_only,
        ..ServeOptions::default()
    }
}
