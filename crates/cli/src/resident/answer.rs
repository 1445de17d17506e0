//! Answers of a process that keeps an index open.

use std::sync::atomic::{AtomicUsize, Ordering};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::EngineConfig;
use m1nd_tools::{Context, Format, Replied, Reply, Services, TOOLS, ToolDef, ToolError};
use serde_json::Value;

use super::{Answer, Question, build, can_answer, setup};

/// Maximum questions that are answered at once; further callers answer by themselves.
const AT_ONCE: usize = 4;

/// The answering side of the socket.
#[derive(Debug)]
pub(super) struct Answering {
    build: String,
    setup: String,
    /// Questions that are being answered.
    running: AtomicUsize,
}

impl Answering {
    /// Answers questions of programs with these settings.
    pub(super) fn new(config: &EngineConfig) -> Self {
        Self { build: build(), setup: setup(config), running: AtomicUsize::new(0) }
    }

    /// Returns whether a question is being answered.
    pub(super) fn is_busy(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    /// Returns whether the file of this program is the one that runs.
    pub(super) fn is_current_program(&self) -> bool {
        build() == self.build
    }

    /// Returns whether another program is this one, with the same settings.
    pub(super) fn is_like(&self, build: &str, setup: &str) -> bool {
        build == self.build && setup == self.setup
    }

    /// The answer to a question from an open index, if there is one.
    pub(super) fn answer(&self, services: Option<&Services>, question: Question) -> Answer {
        let running = self.running.fetch_add(1, Ordering::AcqRel);
        let services = services.filter(|_| running < AT_ONCE);
        let answer = services.and_then(|services| self.reply(services, question)).unwrap_or(Answer::Declined);
        self.running.fetch_sub(1, Ordering::AcqRel);
        answer
    }

    /// The answer, as a program that was just started gives it; `None` if that would do more than read, or would answer
    /// otherwise: with other settings, after a change on disk, with an error or a notice of damage.
    fn reply(&self, services: &Services, question: Question) -> Option<Answer> {
        let tool = m1nd_tools::find(&question.tool).filter(|tool| can_answer(tool))?;
        if !self.is_like(&question.build, &question.setup) {
            return None;
        }
        let engine = &services.engine;
        // Takes up what other processes published, too.
        let (snapshot, freshness) = engine.freshness(&Cancel::new());
        let is_current = freshness.is_fresh() && !snapshot.is_empty() && !engine.has_lost_index();
        if !is_current || !engine.damage().is_empty() {
            return None;
        }
        answer_with(services, tool, question)?.ok()
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
