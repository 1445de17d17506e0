use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Answer, Cursor};
use super::arguments;
use super::budget::{self, MAX_ANSWER_BYTES, MIN_ANSWER_BYTES, Paged, TokenCut};
use super::context::{Context, ReadContext, WriteContext};
use super::definition::{ReadTool, Tool, ToolDef, WriteTool};
use super::error::{ErrorCode, ToolError};
use super::kinds::{Effect, Toolset};
use super::stale::{Stale, caught_up};
use super::visible::make_visible;

/// What the framework took out of the arguments of a call.
#[derive(Debug)]
pub(super) struct Call {
    /// Who calls; empty where that need not be said.
    pub(super) agent: String,
    /// Rows before the page.
    pub(super) offset: usize,
    /// Largest answer, in bytes as it is sent.
    pub(super) budget: usize,
    /// What changed on disk and is not in the snapshot.
    pub(super) stale: Option<Stale>,
}

impl ToolDef {
    /// Calls the tool: checks the arguments, runs it, frames and bounds the answer. Never panics.
    ///
    /// The answer is an object with the tool's own members and `generation`, `elapsed_ms`, the guidance of the answer, and
    /// for pages `truncated` and `cursor`. A tool with [`Tool::NEEDS_FRESH`] answers from what is on disk, or says in
    /// `stale` which files it has not seen. Every failure is a [`ToolError`]; a caller shows [`ToolError::to_json`].
    pub fn invoke(&self, cx: &Context<'_>, arguments: Value) -> Result<Value, ToolError> {
        #[allow(clippy::disallowed_methods, reason = "answers say how long they took")]
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.invoke_inner(cx, arguments))).unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(ToolError::new(ErrorCode::Internal, format!("`{}` failed: {why}", self.name))
                .next_step("other calls are not affected; report this message with the arguments"))
        });
        let mut body = outcome.map_err(|error| self.in_own_words(self.with_example(error)))?;
        body.insert("elapsed_ms".into(), milliseconds(started).into());
        Ok(Value::Object(body))
    }

    fn invoke_inner(&self, cx: &Context<'_>, arguments: Value) -> Result<Map<String, Value>, ToolError> {
        let mut arguments = match arguments {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            _ => return Err(ToolError::invalid("the arguments are not an object")),
        };
        let schema = self.schema();
        arguments::normalise(&schema, self.argument_aliases, &mut arguments);
        arguments::check(&schema, &arguments)?;
        let cursor = take_text(&mut arguments, "cursor");
        let budget = take_number(&mut arguments, "max_output_chars").unwrap_or(self.answer_bytes);
        let budget = budget.clamp(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES);
        let tokens = if self.token_budget { take_number(&mut arguments, "token_budget") } else { None };
        let caught_up = (self.needs_fresh && !cx.snapshot.is_empty()).then(|| caught_up(cx));
        let (cx, stale) = caught_up.as_ref().map_or((cx, None), |(cx, stale)| (cx, stale.clone()));
        // The caller is part of what the rows depend on: it may be primed.
        let (generation, id) = (cx.snapshot.generation(), Cursor::call_of(self.name, &arguments));
        let agent = take_text(&mut arguments, "agent_id");
        if let Some(agent) = &agent {
            cx.services.sessions.touch(agent);
        }
        let cursor = cursor.map(|text| Cursor::of_call(&text, generation, id)).transpose()?;
        let offset = cursor.map_or(0, |cursor| cursor.offset);

        let call = Call { agent: agent.unwrap_or_default(), offset, budget, stale };
        let answer = (self.run)(cx, Value::Object(arguments), &call);
        let answer = answer.map_err(|error| call.stale.iter().fold(error, |error, stale| stale.in_error(error)))?;
        // Only now is it known what the rows depend on.
        let state = answer.state as u32;
        cursor.map_or(Ok(()), |cursor| cursor.check_state(state))?;
        let at = Cursor { generation, call: id, state, offset };
        self.framed(cx, answer, at, tokens, &call)
    }

    /// The answer with the members that every answer has, cut to the budget.
    fn framed(
        &self,
        cx: &Context<'_>,
        answer: Answer<Value>,
        at: Cursor,
        tokens: Option<usize>,
        call: &Call,
    ) -> Result<Map<String, Value>, ToolError> {
        let Value::Object(mut body) = answer.body else {
            return Err(ToolError::new(ErrorCode::Internal, format!("`{}` did not answer with an object", self.name)));
        };
        let page = answer.rows.map(|(member, total)| Paged { member, total, at });
        let cut = tokens.zip(page).map(|(tokens, page)| TokenCut::make(&mut body, page.member, tokens));
        let guidance = answer.guidance.map(|guidance| match &call.stale {
            Some(stale) => stale.guidance(guidance, cx),
            None => guidance,
        });
        if let Some(stale) = &call.stale {
            body.insert("stale".into(), stale.to_json());
        }
        if let Some(guidance) = &guidance
            && let Ok(Value::Object(members)) = serde_json::to_value(guidance)
        {
            body.extend(members);
        }
        // A write tool answers for the state that it made.
        let generation =
            if self.effect == Effect::Read { at.generation } else { cx.services.engine.snapshot().generation() };
        body.insert("generation".into(), generation.into());
        // Before the size is measured: characters that are made visible take more room.
        let Value::Object(mut body) = make_visible(Value::Object(body)) else { return Ok(Map::new()) };
        budget::fit(&mut body, page, call.budget);
        if let Some(cut) = cut {
            cut.report(&mut body);
        }
        Ok(body)
    }

    /// The codes and members of memory tools are those that their callers know.
    fn in_own_words(&self, mut error: ToolError) -> ToolError {
        if self.toolset != Toolset::Memory {
            return error;
        }
        if error.code == ErrorCode::InvalidParams {
            error.code = ErrorCode::InvalidArgument;
        }
        // They promise `{code, message, details?}`.
        let message = error.message.clone().into();
        error.detail("message", message)
    }

    /// An error about the arguments shows arguments that work.
    fn with_example(&self, error: ToolError) -> ToolError {
        if error.code != ErrorCode::InvalidParams || error.has_example() {
            return error;
        }
        // Where only the tools of the memory are there is no `help`.
        let all = if self.toolset == Toolset::Memory { "" } else { "; `help` lists all of them" };
        let step = format!("repeat `{}` with arguments like the example{all}", self.name);
        let missing_step = error.next_step_text().is_none();
        let error = error.example(self.example_arguments()).detail("tool", self.name.into());
        if missing_step { error.next_step(step) } else { error }
    }
}

fn take_text(arguments: &mut Map<String, Value>, name: &str) -> Option<String> {
    match arguments.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn take_number(arguments: &mut Map<String, Value>, name: &str) -> Option<usize> {
    let number = arguments.remove(name)?.as_u64()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

fn milliseconds(started: Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1e5).round() / 1e2
}

fn parse<T: Tool>(arguments: Value) -> Result<T::Input, ToolError> {
    serde_json::from_value(arguments).map_err(|error| ToolError::invalid(error.to_string()))
}

fn erase<T: Serialize>(answer: Answer<T>) -> Result<Answer<Value>, ToolError> {
    let body = serde_json::to_value(&answer.body)
        .map_err(|error| ToolError::new(ErrorCode::Internal, format!("the answer cannot be written: {error}")))?;
    Ok(Answer { body, rows: answer.rows, guidance: answer.guidance, state: answer.state })
}

pub(super) fn run_read<T: ReadTool>(
    cx: &Context<'_>,
    arguments: Value,
    call: &Call,
) -> Result<Answer<Value>, ToolError> {
    let state = Cell::new(0);
    let answer = T::run(&ReadContext::new(cx, call, &state), parse::<T>(arguments)?)?;
    erase(Answer { state: state.get(), ..answer })
}

pub(super) fn run_write<T: WriteTool>(
    cx: &Context<'_>,
    arguments: Value,
    call: &Call,
) -> Result<Answer<Value>, ToolError> {
    erase(T::run(&WriteContext::new(cx, call), parse::<T>(arguments)?)?)
}
