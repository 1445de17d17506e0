//! The side that answers while this program builds the first index of a project: what needs no links, as soon as the
//! files are parsed.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use m1nd_engine::{Engine, EngineConfig, ResidentPlace, ResidentSocket};
use m1nd_mind::MindConfig;
use m1nd_tools::{ErrorCode, Services};

use super::answer::answer_with;
use super::{Answer, Question, Request, build, can_answer, exchange, setup};

/// Interval of the looks for a caller.
const LOOK: Duration = Duration::from_millis(20);

/// Answers until it is dropped.
pub(crate) struct Answering {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers questions of other programs about the index that this one builds first. `config` is what they open the
/// project with. `None` if there is an index, which they open themselves, or another process answers.
pub(crate) fn answer_while_indexing(engine: &Engine, config: &EngineConfig) -> Option<Answering> {
    if !engine.snapshot().is_empty() {
        return None;
    }
    let socket = ResidentPlace::of(config)?.listen().ok().flatten()?;
    socket.listener().set_nonblocking(true).ok()?;
    let mind = MindConfig { home: config.home.clone(), places: Vec::new(), named: 0 };
    let (services, of_callers) = (Services::over(engine.clone(), mind), (build(), setup(config)));
    let is_over = Arc::new(AtomicBool::new(false));
    let over = is_over.clone();
    let work = move || {
        answer_until(&over, &socket, &|question| reply(&services, &of_callers, question));
        socket.close();
    };
    let thread = std::thread::Builder::new().name("m1nd-answer".into()).spawn(work).ok()?;
    Some(Answering { is_over, thread: Some(thread) })
}

/// Answers one caller after the other.
fn answer_until(is_over: &AtomicBool, socket: &ResidentSocket, answer: &dyn Fn(Question) -> Answer) {
    while !is_over.load(Ordering::Acquire) {
        let Ok((stream, _)) = socket.listener().accept() else {
            std::thread::sleep(LOOK);
            continue;
        };
        let waits = |stream: &UnixStream| stream.set_nonblocking(false);
        let answer = |request| match request {
            Request::Ask(question) => answer(question),
            Request::Attach(_) | Request::GiveWay => Answer::Declined,
        };
        if let Err(error) = waits(&stream).and_then(|()| exchange(&stream, answer)) {
            tracing::debug!(%error, "a question was not answered");
        }
    }
}

/// The answer from what is parsed, or that the index is being built.
fn reply(services: &Services, of_callers: &(String, String), question: Question) -> Answer {
    let engine = &services.engine;
    let Some(tool) = m1nd_tools::find(&question.tool).filter(|tool| can_answer(tool)) else { return Answer::Declined };
    let is_same = (&question.build, &question.setup) == (&of_callers.0, &of_callers.1);
    // A caller opens a published index by itself.
    if !is_same || !engine.snapshot().is_empty() {
        return Answer::Declined;
    }
    match (tool.answers_unlinked, engine.find_unlinked()) {
        (true, Some(_)) => match answer_with(services, tool, question) {
            Some(Ok(answer)) => answer,
            Some(Err(error)) if error.code == ErrorCode::EmptyGraph => Answer::BeingBuilt(error.message),
            _ => Answer::Declined,
        },
        (_, Some(_)) => Answer::BeingBuilt(m1nd_tools::cannot_tell().message),
        (_, None) => Answer::BeingBuilt(describe_progress(engine)),
    }
}

fn describe_progress(engine: &Engine) -> String {
    let Some(activity) = engine.activity() else { return "cannot tell yet: the index is being built".into() };
    let of = activity.total.map(|total| format!(" of {total}")).unwrap_or_default();
    format!("cannot tell yet: the index is being built, {} {}{of}", activity.stage, activity.done)
}
