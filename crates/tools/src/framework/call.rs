use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use m1nd_engine::Snapshot;
use m1nd_sessions::ShownFile;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Cursor, Guidance};
use super::arguments;
use super::budget::{self, MAX_ANSWER_BYTES, MIN_ANSWER_BYTES, Paged, TOKEN_BYTES, TokenCut};
use super::context::{Context, ReadContext, WriteContext};
use super::definition::{ReadTool, Tool, ToolDef, WriteTool};
use super::detail::make_brief;
use super::error::{ErrorCode, ToolError};
use super::interrupted::Interrupted;
use super::kinds::{Detail, Effect, Format, Toolset};
use super::measure::{Asked, shown_of};
use super::names;
use super::repository::take_repository;
use super::stale::{Stale, caught_up};
use super::text::{self, Style};
use super::unlinked;
use super::visible::make_visible;

/// Arguments of a call that the framework handles.
#[derive(Debug)]
pub(super) struct Call {
    /// `agent_id` of the caller, or its name if it gives none.
    pub(super) agent: String,
    /// Name of the tool.
    pub(super) tool: &'static str,
    /// Number of rows before the page.
    pub(super) offset: usize,
    /// Maximum size of the answer, in bytes as sent.
    pub(super) budget: usize,
    /// What changed on disk and is not in the snapshot.
    pub(super) stale: Option<Stale>,
    /// The index was compared with the disk for this call.
    pub(super) is_compared: bool,
    /// What was taken in place of numbers out of range.
    pub(super) clamped: Vec<String>,
    /// What was taken for names that could mean several nodes.
    pub(super) taken: Vec<String>,
}

/// An answer in the form that the caller takes, with what a program checks without reading it.
#[derive(Debug, Clone, PartialEq)]
pub struct Replied {
    /// The answer.
    pub reply: Reply,
    /// Number of results on all pages; `None` if the tool does not answer with results.
    pub found: Option<usize>,
}

/// Which form an answer has.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// The one that the arguments name, else this; JSON from tools with a form of their own.
    Default(Format),
    /// Text, whatever the arguments and the tool say.
    OnlyText,
    /// JSON for a program in this process, which reads all of it.
    Program,
}

/// An answer in the form that the caller takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An object.
    Json(Value),
    /// Lines, for models and people.
    Text(String),
}

impl ToolDef {
    /// Calls the tool: checks the arguments, runs it, frames the answer and limits its size. Never panics.
    ///
    /// The answer is an object with the tool's own members and `generation`, `elapsed_ms`, the guidance of the answer,
    /// and for pages `truncated` and `cursor`. Every failure is a [`ToolError`]; a caller shows [`ToolError::to_json`].
    pub fn invoke(&self, cx: &Context<'_>, arguments: Value) -> Result<Value, ToolError> {
        match self.reply_in(cx, arguments, Form::Program)?.reply {
            Reply::Json(body) => Ok(body),
            // Asked for in the arguments: a caller that takes JSON only gets it as one member.
            Reply::Text(text) => Ok(json!({"text": text})),
        }
    }

    /// Like [`ToolDef::invoke`] for a client: in the form that the argument `format` names, else in `default`, and in
    /// pages for a model to read.
    pub fn reply(&self, cx: &Context<'_>, arguments: Value, default: Format) -> Result<Reply, ToolError> {
        Ok(self.reply_in(cx, arguments, Form::Default(default))?.reply)
    }

    /// Like [`ToolDef::invoke`], always as text.
    pub fn text(&self, cx: &Context<'_>, arguments: Value) -> Result<String, ToolError> {
        match self.reply_in(cx, arguments, Form::OnlyText)?.reply {
            Reply::Text(text) => Ok(text),
            Reply::Json(body) => Ok(body.to_string()),
        }
    }

    /// Like [`ToolDef::reply`], with the number of results.
    pub fn reply_with_count(&self, cx: &Context<'_>, arguments: Value, default: Format) -> Result<Replied, ToolError> {
        self.reply_in(cx, arguments, Form::Default(default))
    }

    /// The form of the answer, and of an error, to a call with these arguments, where `default` is the form for calls
    /// that do not name one.
    pub fn form_of(&self, arguments: &Map<String, Value>, default: Format) -> Format {
        let asked = arguments.get("format").and_then(Value::as_str).and_then(Format::parse);
        match (self.toolset, asked) {
            (Toolset::Memory, _) => Format::Json,
            // The other words are those of its own text.
            (_, Some(Format::Text)) if self.has_own_format() => default,
            (_, Some(asked)) => asked,
            (_, None) => default,
        }
    }

    fn reply_in(&self, cx: &Context<'_>, arguments: Value, form: Form) -> Result<Replied, ToolError> {
        #[allow(clippy::disallowed_methods, reason = "answers say how long they took")]
        let started = Instant::now();
        let asked = Asked::of(&arguments);
        let mut shown = Vec::new();
        let answered = AssertUnwindSafe(|| self.reply_inner(cx, arguments, form, &mut shown));
        let outcome = catch_unwind(answered).unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(ToolError::new(ErrorCode::Internal, format!("`{}` failed: {why}", self.name))
                .next_step("other calls are not affected; report this message and the arguments as a bug"))
        });
        asked.note(self, cx, &outcome, shown, milliseconds(started));
        let mut replied = outcome.map_err(|error| {
            self.in_own_words(self.with_example(error)).in_texts(&|text| cx.snapshot.with_repositories(text))
        })?;
        if let Reply::Json(Value::Object(body)) = &mut replied.reply {
            body.insert("elapsed_ms".into(), milliseconds(started).into());
        }
        Ok(replied)
    }

    fn reply_inner(
        &self,
        cx: &Context<'_>,
        arguments: Value,
        form: Form,
        shown: &mut Vec<ShownFile>,
    ) -> Result<Replied, ToolError> {
        let mut arguments = match arguments {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            _ => return Err(ToolError::invalid("arguments are not an object")),
        };
        let schema = self.schema();
        arguments::normalise(&schema, self.argument_aliases, &mut arguments);
        // Schemas require it, since agents that share a connection are told apart by it.
        arguments.entry("agent_id").or_insert_with(|| cx.agent.into());
        // A change is never made with another number than was asked for, and the memory tools answer exactly.
        let is_exact = !matches!(self.effect, Effect::Read | Effect::Session) || self.toolset == Toolset::Memory;
        let clamped = if is_exact { Vec::new() } else { arguments::clamp(&schema, &mut arguments) };
        arguments::check(&schema, &arguments)?;
        // Arguments of the framework are taken out; the tool sees only its own.
        let cursor = take_text(&mut arguments, "cursor");
        let format = match form {
            Form::OnlyText => Format::Text,
            Form::Default(default) => self.form_of(&arguments, default),
            Form::Program => self.form_of(&arguments, Format::Json),
        };
        let usual = match (form, format) {
            (Form::Program, Format::Json) => self.answer_bytes,
            _ => self.usual_bytes(format),
        };
        if !self.has_own_format() {
            arguments.remove("format");
        }
        let asked = take_text(&mut arguments, "detail").and_then(|word| Detail::parse(&word));
        let detail = asked.unwrap_or_default();
        let budget = take_number(&mut arguments, "max_output_chars").unwrap_or(usual);
        let budget = budget.clamp(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES);
        let tokens = if self.token_budget { take_number(&mut arguments, "token_budget") } else { None };
        // Answers that may claim an absence are about the files on disk, so the index catches up with them first.
        let caught_up = (self.needs_fresh && !cx.snapshot.is_empty()).then(|| caught_up(cx));
        let is_compared = caught_up.is_some();
        let (cx, stale) = caught_up.as_ref().map_or((cx, None), |(cx, stale)| (cx, stale.clone()));
        let unlinked = unlinked::take_unlinked(self, cx);
        let cx = unlinked.as_ref().unwrap_or(cx);
        // Hashed with `agent_id`, since the priming of the caller affects the rows.
        let (generation, id) = (cx.snapshot.generation(), Cursor::call_of(self.name, &arguments));
        // Names of repositories and paths, and references to earlier answers, become ids of this index.
        take_repository(self.name, &schema, &cx.snapshot, &mut arguments)?;
        names::take_paths(self, &cx.snapshot, &mut arguments);
        names::take_from_answers(self.name, &cx.snapshot, &mut arguments);
        let taken = names::list_taken(self.name, &cx.snapshot, &arguments);
        let agent = take_text(&mut arguments, "agent_id").unwrap_or_default();
        cx.services.begin_call(&agent);
        let cursor = cursor.map(|text| Cursor::of_call(&text, generation, id)).transpose()?;
        let offset = cursor.map_or(0, |cursor| cursor.offset);

        let call = Call { agent, tool: self.name, offset, budget, stale, is_compared, clamped, taken };
        // The run consumes the arguments; text and brief answers leave out what the caller said itself.
        let needs_given = format == Format::Text || detail == Detail::Brief;
        let given = if needs_given { arguments.clone() } else { Map::new() };
        let answer = (self.run)(cx, Value::Object(arguments), &call);
        cx.services.end_call(&call.agent, &cx.snapshot);
        let answer = answer.map_err(|error| {
            let error = unlinked::change_error(with_gone_roots(error, cx), cx);
            let error = call.stale.iter().fold(error, |error, stale| stale.in_error(error));
            Interrupted::of(cx.services).in_error(error)
        })?;
        *shown = shown_of(&answer.body, &cx.snapshot);
        // The state that the rows depend on is known only after the run.
        let state = answer.state as u32;
        cursor.map_or(Ok(()), |cursor| cursor.check_state(state))?;
        let at = Cursor { generation, call: id, state, offset };
        let found = answer.found.or(answer.rows.map(|(_, total)| total));
        if format == Format::Text {
            let budget = tokens.map_or(budget, |tokens| tokens.saturating_mul(TOKEN_BYTES));
            let call = Call { budget: budget.clamp(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES), ..call };
            let omits = if asked == Some(Detail::Full) { &[] } else { self.text_omits };
            let is_sized = tokens.is_some() || given.contains_key("top_k");
            let most = if is_sized { usize::MAX } else { self.text_rows };
            let groups = self.text_groups;
            let style = Style { arguments: &given, row: self.row_text, groups, first: self.text_first, most, omits };
            return Ok(Replied { reply: self.as_text(cx, answer, at, &style, &call)?, found });
        }
        let given = (detail == Detail::Brief).then_some(&given);
        let body = self.frame_answer(cx, answer, at, tokens, &call, given)?;
        Ok(Replied { reply: Reply::Json(Value::Object(body)), found })
    }

    /// The answer as text, see [`text::render`].
    fn as_text(
        &self,
        cx: &Context<'_>,
        answer: Answer<Value>,
        at: Cursor,
        style: &Style<'_>,
        call: &Call,
    ) -> Result<Reply, ToolError> {
        let page = answer.rows.map(|(member, total)| Paged { member, total, at });
        let guidance = answer.guidance.clone();
        let mut body = self.object(answer)?;
        self.add_guidance(cx, &mut body, guidance, call);
        let is_name = |text: &str| names::is_known(&cx.snapshot, text);
        let Value::Object(body) = make_visible(Value::Object(body), &is_name) else {
            return Ok(Reply::Text(String::new()));
        };
        let text = text::render(&body, page, style, call.budget);
        let snapshot = self.choose_snapshot(cx);
        Ok(Reply::Text(snapshot.with_repositories(&text).unwrap_or(text)))
    }

    /// The state of the index that an answer is about.
    fn choose_snapshot(&self, cx: &Context<'_>) -> Arc<Snapshot> {
        match self.effect {
            Effect::Graph | Effect::Disk => cx.services.current().engine.snapshot(),
            Effect::Read | Effect::Session | Effect::State => cx.snapshot.clone(),
        }
    }

    /// The members of an answer, the rows first: they are what was asked for.
    fn object(&self, answer: Answer<Value>) -> Result<Map<String, Value>, ToolError> {
        let Value::Object(mut body) = answer.body else {
            return Err(ToolError::new(ErrorCode::Internal, format!("`{}` returned no object", self.name)));
        };
        if let Some((name, rows)) = answer.rows.and_then(|(member, _)| body.shift_remove_entry(member)) {
            body.shift_insert(0, name, rows);
        }
        Ok(body)
    }

    /// Adds what the index does not have of the disk, and the next step.
    fn add_guidance(&self, cx: &Context<'_>, body: &mut Map<String, Value>, guidance: Option<Guidance>, call: &Call) {
        let guidance = guidance.map(|guidance| match &call.stale {
            Some(stale) => stale.guidance(guidance, cx),
            None => unlinked::change_guidance(guidance, cx),
        });
        unlinked::add_note(body, cx);
        for (member, said) in [("clamped", &call.clamped), ("taken", &call.taken)] {
            if !said.is_empty() {
                body.shift_insert(0, member.into(), json!(said));
            }
        }
        if let Some(stale) = &call.stale {
            // First, so that no limit of size cuts it off.
            body.shift_insert(0, "stale".into(), stale.to_json());
        }
        Interrupted::of(cx.services).add_to(body);
        if let Some(guidance) = &guidance
            && let Ok(Value::Object(members)) = serde_json::to_value(guidance)
        {
            body.extend(members);
        }
    }

    /// Adds the members of every answer and cuts the answer to the budget. `brief` holds the arguments if the answer is
    /// to be brief.
    fn frame_answer(
        &self,
        cx: &Context<'_>,
        answer: Answer<Value>,
        at: Cursor,
        tokens: Option<usize>,
        call: &Call,
        brief: Option<&Map<String, Value>>,
    ) -> Result<Map<String, Value>, ToolError> {
        let page = answer.rows.map(|(member, total)| Paged { member, total, at });
        let guidance = answer.guidance.clone();
        let mut body = self.object(answer)?;
        if let Some(arguments) = brief {
            make_brief(&mut body, self.details, arguments);
        }
        // Rows are cut to the budget of tokens before guidance is added: the guidance must stay.
        let cut = tokens.zip(page).map(|(tokens, page)| TokenCut::make(&mut body, page.member, tokens));
        self.add_guidance(cx, &mut body, guidance, call);
        // An answer about a changed index belongs to the generation after the change.
        let snapshot = self.choose_snapshot(cx);
        let generation = match self.effect {
            Effect::Graph | Effect::Disk => snapshot.generation(),
            Effect::Read | Effect::Session | Effect::State => at.generation,
        };
        body.insert("generation".into(), generation.into());
        // Before measuring the size, since hidden characters take more room once visible.
        let is_name = |text: &str| names::is_known(&cx.snapshot, text);
        let Value::Object(mut body) = make_visible(Value::Object(body), &is_name) else { return Ok(Map::new()) };
        names::show_repositories(&snapshot, body.values_mut());
        match page {
            None if self.paged => budget::fit_lists(&mut body, at, call.budget),
            _ => budget::fit(&mut body, page, call.budget),
        }
        if let Some(cut) = cut {
            cut.report(&mut body);
        }
        Ok(body)
    }

    /// Maps errors of memory tools to the codes and members of their published interface.
    fn in_own_words(&self, mut error: ToolError) -> ToolError {
        if self.toolset != Toolset::Memory {
            return error;
        }
        if error.code == ErrorCode::InvalidParams {
            error.code = ErrorCode::InvalidArgument;
        }
        // The interface is `{code, message, details?}`.
        let message = error.message.clone().into();
        error.detail("message", message)
    }

    /// Adds working arguments to an error about the arguments.
    fn with_example(&self, error: ToolError) -> ToolError {
        if error.code != ErrorCode::InvalidParams || error.has_example() {
            return error;
        }
        // A server with only the memory tools has no `help`.
        let all = if self.toolset == Toolset::Memory { "" } else { "; `help` lists all of them" };
        let step = format!("repeat `{}` with arguments as in the example{all}", self.name);
        let missing_step = error.next_step_text().is_none();
        let error = error.example(self.example_arguments()).detail("tool", self.name.into());
        if missing_step { error.next_step(step) } else { error }
    }
}

/// Says of an index that lost its files with their root that the root is gone, not that nothing was indexed.
fn with_gone_roots(error: ToolError, cx: &Context<'_>) -> ToolError {
    let gone = if error.code == ErrorCode::EmptyGraph { cx.services.engine.gone_roots() } else { Vec::new() };
    if gone.is_empty() {
        return error;
    }
    ToolError::new(ErrorCode::EmptyGraph, gone.join("; "))
        .next_step("put the folder back, then repeat this call; `health` shows the roots")
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
        .map_err(|error| ToolError::new(ErrorCode::Internal, format!("the answer cannot be serialized: {error}")))?;
    Ok(Answer { body, rows: answer.rows, found: answer.found, guidance: answer.guidance, state: answer.state })
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
