//! The process that keeps an index open.

use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use m1nd_base::Cancel;
use m1nd_engine::{ResidentPlace, ResidentSocket};
use m1nd_tools::Services;

use super::answer::Answering;
use super::{Answer, Request, exchange};
use crate::args::Common;
use crate::error::CliError;
use crate::project;

/// Time without a question after which it ends.
const IDLE: Duration = Duration::from_secs(600);
/// Interval of the checks whether it should end.
const LOOK: Duration = Duration::from_secs(2);
/// Maximum readings of the history at the start, each of which goes on for some seconds.
const MAX_READINGS: usize = 24;

/// What it keeps.
struct Resident {
    services: Services,
    answering: Answering,
    socket: ResidentSocket,
    /// The last question.
    asked: Mutex<Instant>,
}

/// Runs until nobody asks for a while: the root, and the folders of `--home` and `--model` or nothing.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::warn!(%error, "the index is not kept open");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &[OsString]) -> Result<(), CliError> {
    let given = |at: usize| arguments.get(at).filter(|text| !text.is_empty()).map(PathBuf::from);
    let root = given(0).unwrap_or_default();
    let common = Common { home: given(1), model: given(2), ..Common::default() };
    let (config, _) = project::load_config(&common, vec![root.clone()], false)?;
    let Some(place) = ResidentPlace::of(&config) else { return Ok(()) };
    let Some(socket) = place.listen()? else { return Ok(()) };
    let resident = Arc::new(Resident {
        services: project::open(&common, &root, true)?,
        answering: Answering::new(&config),
        socket,
        asked: Mutex::new(now()),
    });
    let (readers, watched) = (resident.clone(), resident.clone());
    spawn("m1nd-history", move || readers.read_history())?;
    spawn("m1nd-idle", move || watched.end_when_idle(&root))?;
    for stream in resident.socket.listener().incoming() {
        let Ok(stream) = stream else {
            std::thread::sleep(LOOK);
            continue;
        };
        let answering = resident.clone();
        spawn("m1nd-answer", move || answering.answer(&stream))?;
    }
    Ok(())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), CliError> {
    std::thread::Builder::new().name(name.into()).spawn(work)?;
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "measures how long nobody asked")]
fn now() -> Instant {
    Instant::now()
}

impl Resident {
    /// Reads the history once, so that no question waits for it.
    fn read_history(&self) {
        for _ in 0..MAX_READINGS {
            if !self.services.engine.snapshot().history(&Cancel::new()).is_being_read() {
                return;
            }
        }
    }

    /// Ends the process when nobody asked for a while, its socket is gone, or its program or project is.
    fn end_when_idle(&self, root: &Path) {
        loop {
            std::thread::sleep(LOOK);
            let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let is_idle = asked.elapsed() >= IDLE && !self.answering.is_busy();
            let is_gone = !self.socket.is_reachable() || !root.is_dir() || !self.answering.is_current_program();
            if is_idle || is_gone {
                self.socket.close();
                tracing::info!("nobody asks: it ends");
                std::process::exit(0);
            }
        }
    }

    fn answer(&self, stream: &UnixStream) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = now();
        let answered = exchange(stream, |request| match request {
            Request::Ask(question) => self.answering.answer(Some(&self.services), question),
            Request::GiveWay => {
                self.socket.close();
                tracing::info!("a server starts: it ends");
                std::process::exit(0);
            }
            Request::Attach(_) => Answer::Declined,
        });
        if let Err(error) = answered {
            tracing::debug!(%error, "a question was not answered");
        }
    }
}
