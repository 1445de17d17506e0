//! The process that keeps an index open.

use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{ResidentPlace, ResidentSocket};
use m1nd_tools::{Context, Format, Replied, Reply, Services, TOOLS, ToolDef, ToolError};
use serde_json::Value;

use super::{Answer, Question, build, can_answer, exchange, setup};
use crate::args::Common;
use crate::error::CliError;
use crate::project;

/// Time without a question after which it ends.
const IDLE: Duration = Duration::from_secs(600);
/// Interval of the checks whether it should end.
const LOOK: Duration = Duration::from_secs(2);
/// Maximum questions that are answered at once; further callers answer by themselves.
const AT_ONCE: usize = 4;
/// Maximum readings of the history at the start, each of which goes on for some seconds.
const MAX_READINGS: usize = 24;

/// What it keeps.
struct Resident {
    services: Services,
    build: String,
    setup: String,
    socket: ResidentSocket,
    /// The last question.
    asked: Mutex<Instant>,
    /// Questions that are being answered.
    running: AtomicUsize,
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
        build: build(),
        setup: setup(&config),
        socket,
        asked: Mutex::new(now()),
        running: AtomicUsize::new(0),
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
            let is_idle = asked.elapsed() >= IDLE && self.running.load(Ordering::Acquire) == 0;
            let is_gone = !self.socket.is_reachable() || !root.is_dir() || build() != self.build;
            if is_idle || is_gone {
                self.socket.close();
                tracing::info!("nobody asks: it ends");
                std::process::exit(0);
            }
        }
    }

    fn answer(&self, stream: &UnixStream) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = now();
        let running = self.running.fetch_add(1, Ordering::AcqRel);
        let answer = |question| if running < AT_ONCE { self.reply(question) } else { None };
        let outcome = exchange(stream, |question| answer(question).unwrap_or(Answer::Declined));
        self.running.fetch_sub(1, Ordering::AcqRel);
        match outcome {
            Ok(()) => {}
            Err(error) => tracing::debug!(%error, "a question was not answered"),
        }
    }

    /// The answer, as a program that was just started gives it; `None` if that would do more than read, or would answer
    /// otherwise: with other settings, after a change on disk, with an error or a notice of damage.
    fn reply(&self, question: Question) -> Option<Answer> {
        let tool = m1nd_tools::find(&question.tool).filter(|tool| can_answer(tool))?;
        if question.build != self.build || question.setup != self.setup {
            return None;
        }
        let engine = &self.services.engine;
        // Takes up what other processes published, too.
        let (snapshot, freshness) = engine.freshness(&Cancel::new());
        let is_current = freshness.is_fresh() && !snapshot.is_empty() && !engine.has_lost_index();
        if !is_current || !engine.damage().is_empty() {
            return None;
        }
        answer_with(&self.services, tool, question)?.ok()
    }
}

/// The answer of a tool, as a program that was just started gives it; `None` if the question has no arguments.
pub(super) fn answer_with(
    services: &Services,
    tool: &ToolDef,
    question: Question,
) -> Option<Result<Answer, ToolError>> {
    let services = services.started_anew(question.memories.into_config()).for_one_answer();
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let format = if question.json { Format::Json } else { Format::Text };
    let arguments = match question.arguments {
        Value::Object(members) => Value::Object(members),
        _ => return None,
    };
    Some(tool.reply_with_count(&context, arguments, format).map(|Replied { reply, found }| match reply {
        Reply::Text(text) => Answer::Text(text, found),
        Reply::Json(value) => Answer::Json(value, found),
    }))
}
