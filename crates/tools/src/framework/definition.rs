use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::{Answer, Cursor};
use super::arguments;
use super::budget::{self, MAX_ANSWER_BYTES, MIN_ANSWER_BYTES, Paged};
use super::context::{Context, ReadContext, WriteContext};
use super::error::{ErrorCode, ToolError};
use super::schema::input_schema;
use super::visible::make_visible;

/// What a call can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Read,
    /// What the server keeps of the calling agent until it ends; nothing that is stored.
    Session,
    /// The graph and what is derived from it.
    Graph,
    /// State of m1nd that cannot be rebuilt: feedback, investigations, locks, memory.
    State,
    /// Files of the project.
    Disk,
}

/// Tools that are used together. The list of tools can be limited to some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// What every session needs.
    Core,
    /// Judgement over the graph.
    Analysis,
    /// Finding things.
    Exploration,
    /// Moving through the graph with state.
    Navigation,
    /// Saving and resuming investigations.
    Continuity,
    /// Documents and their links to code.
    Documents,
    /// Changing files.
    Edit,
    /// Whether answers can be relied on.
    Trust,
    /// Decisions, issues, learnings.
    Memory,
    /// The server and its index.
    Lifecycle,
}

impl Toolset {
    /// Every toolset, in the order of the list of tools.
    pub const ALL: &'static [Self] = &[
        Self::Core,
        Self::Analysis,
        Self::Exploration,
        Self::Navigation,
        Self::Continuity,
        Self::Documents,
        Self::Edit,
        Self::Trust,
        Self::Memory,
        Self::Lifecycle,
    ];

    /// The word on the wire and the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Analysis => "analysis",
            Self::Exploration => "exploration",
            Self::Navigation => "navigation",
            Self::Continuity => "continuity",
            Self::Documents => "documents",
            Self::Edit => "edit",
            Self::Trust => "trust",
            Self::Memory => "memory",
            Self::Lifecycle => "lifecycle",
        }
    }

    /// The toolset with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|set| set.word() == word)
    }
}

/// What stands in the registry of a tool, whatever it does.
pub trait Tool {
    /// Canonical name: bare snake case.
    const NAME: &'static str;
    /// Tools it is listed with.
    const TOOLSET: Toolset;
    /// One sentence for the list of tools.
    const SUMMARY: &'static str;
    /// The manual: what it answers, how to read it, what it does not know.
    const HELP: &'static str;
    /// Smallest useful arguments, as JSON.
    const EXAMPLE: &'static str;
    /// Whether its answer is a page of rows: it then takes `cursor` and `max_output_chars`.
    const PAGED: bool = false;
    /// Whether calls wait their turn when many run; tools that say how the server is must answer then, too.
    const WAITS: bool = true;
    /// Largest answer when the caller does not say, in bytes; never more than 25,000 tokens.
    const ANSWER_BYTES: usize = MAX_ANSWER_BYTES;
    /// Other names of arguments, with the name they stand for.
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Arguments that are taken and stand in `help`, but not in the list of tools: each listed one costs every session tokens.
    const UNLISTED: &'static [&'static str] = &[];
    /// The member whose value alone is the text of an answer, where callers expect a list and not an object.
    const TEXT_OF: Option<&'static str> = None;
    /// The JSON schema of its answer, where clients are told one; empty for none.
    const OUTPUT_SCHEMA: &'static str = "";
    /// Arguments. Unknown ones are refused.
    type Input: DeserializeOwned + JsonSchema;
    /// Members of the answer, before the frame is added.
    type Output: Serialize;
}

/// A tool that changes nothing. It is given a snapshot; the writer is out of its reach.
pub trait ReadTool: Tool {
    /// Answers the call.
    fn run(cx: &ReadContext<'_>, input: Self::Input) -> Result<Answer<Self::Output>, ToolError>;
}

/// A tool that changes something.
pub trait WriteTool: Tool {
    /// What it can change.
    const EFFECT: Effect;

    /// Does the work.
    fn run(cx: &WriteContext<'_>, input: Self::Input) -> Result<Answer<Self::Output>, ToolError>;
}

/// One row of the registry: a tool with its types erased.
#[derive(Debug, Clone, Copy)]
pub struct ToolDef {
    /// Canonical name.
    pub name: &'static str,
    /// Tools it is listed with.
    pub toolset: Toolset,
    /// What it can change.
    pub effect: Effect,
    /// One sentence.
    pub summary: &'static str,
    /// The manual.
    pub help: &'static str,
    /// Smallest useful arguments, as JSON text.
    pub example: &'static str,
    /// Other names of arguments.
    pub argument_aliases: &'static [(&'static str, &'static str)],
    /// Arguments that are taken but not listed.
    pub unlisted: &'static [&'static str],
    /// Whether the answer is a page of rows.
    pub paged: bool,
    /// Whether calls wait their turn when many run.
    pub waits: bool,
    /// Largest answer when the caller does not say, in bytes.
    pub answer_bytes: usize,
    /// The member whose value alone is the text of an answer.
    pub text_of: Option<&'static str>,
    output_schema: &'static str,
    schema: fn(bool) -> Value,
    run: fn(&Context<'_>, Value, usize) -> Result<Answer<Value>, ToolError>,
}

impl ToolDef {
    /// The row of a read tool.
    pub const fn read<T: ReadTool>() -> Self {
        Self::of::<T>(Effect::Read, run_read::<T>)
    }

    /// The row of a write tool.
    pub const fn write<T: WriteTool>() -> Self {
        Self::of::<T>(T::EFFECT, run_write::<T>)
    }

    const fn of<T: Tool>(
        effect: Effect,
        run: fn(&Context<'_>, Value, usize) -> Result<Answer<Value>, ToolError>,
    ) -> Self {
        Self {
            name: T::NAME,
            toolset: T::TOOLSET,
            effect,
            summary: T::SUMMARY,
            help: T::HELP,
            example: T::EXAMPLE,
            argument_aliases: T::ARGUMENT_ALIASES,
            unlisted: T::UNLISTED,
            paged: T::PAGED,
            waits: T::WAITS,
            answer_bytes: T::ANSWER_BYTES,
            text_of: T::TEXT_OF,
            output_schema: T::OUTPUT_SCHEMA,
            schema: input_schema::<T::Input>,
            run,
        }
    }

    /// Schema of the arguments, for `inputSchema`: an object, self-contained.
    pub fn schema(&self) -> Value {
        (self.schema)(self.paged)
    }

    /// The schema for the list of tools: without the arguments that few calls need.
    pub fn listed_schema(&self) -> Value {
        let mut schema = self.schema();
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.retain(|name, _| !self.unlisted.contains(&name.as_str()));
        }
        schema
    }

    /// The schema of its answer, for `outputSchema`, if it has one.
    pub fn output_schema(&self) -> Option<Map<String, Value>> {
        match serde_json::from_str(self.output_schema) {
            Ok(Value::Object(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The smallest useful arguments.
    pub fn example_arguments(&self) -> Value {
        serde_json::from_str(self.example).unwrap_or_else(|_| Value::Object(Map::new()))
    }

    /// Calls the tool: checks the arguments, runs it, frames and bounds the answer. Never panics.
    ///
    /// The answer is an object with the tool's own members and `generation`, `elapsed_ms`, the guidance of the answer, and
    /// for pages `truncated` and `cursor`. Every failure is a [`ToolError`]; a caller shows [`ToolError::to_json`].
    pub fn invoke(&self, cx: &Context<'_>, arguments: Value) -> Result<Value, ToolError> {
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
        if let Some(agent) = arguments.get("agent_id").and_then(Value::as_str) {
            cx.services.sessions.touch(agent);
        }
        let (mut budget, mut cursor) = (self.answer_bytes.min(MAX_ANSWER_BYTES), None);
        if self.paged {
            cursor = arguments.remove("cursor").and_then(|text| text.as_str().map(str::to_owned));
            let asked = arguments.remove("max_output_chars").and_then(|number| number.as_u64());
            let asked = asked.map(|asked| usize::try_from(asked).unwrap_or(usize::MAX));
            budget = asked.unwrap_or(budget).clamp(MIN_ANSWER_BYTES, MAX_ANSWER_BYTES);
        }
        let (generation, call) = (cx.snapshot.generation(), Cursor::call_of(self.name, &arguments));
        let cursor = cursor.map(|text| Cursor::of_call(&text, generation, call)).transpose()?;
        let offset = cursor.map_or(0, |cursor| cursor.offset);

        let answer = (self.run)(cx, Value::Object(arguments), offset)?;
        // Only now is it known what the rows depend on.
        let state = answer.state as u32;
        cursor.map_or(Ok(()), |cursor| cursor.check_state(state))?;
        let Value::Object(mut body) = answer.body else {
            return Err(ToolError::new(ErrorCode::Internal, format!("`{}` did not answer with an object", self.name)));
        };
        if let Some(guidance) = &answer.guidance
            && let Ok(Value::Object(members)) = serde_json::to_value(guidance)
        {
            body.extend(members);
        }
        // A write tool answers for the state that it made.
        let current = if self.effect == Effect::Read { generation } else { cx.services.engine.snapshot().generation() };
        body.insert("generation".into(), current.into());
        // Before the size is measured: characters that are made visible take more room.
        let Value::Object(mut body) = make_visible(Value::Object(body)) else { return Ok(Map::new()) };
        let at = Cursor { generation, call, state, offset };
        budget::fit(&mut body, answer.rows.map(|(member, total)| Paged { member, total, at }), budget);
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

fn run_read<T: ReadTool>(cx: &Context<'_>, arguments: Value, offset: usize) -> Result<Answer<Value>, ToolError> {
    let state = Cell::new(0);
    let answer = T::run(&ReadContext::new(cx, offset, &state), parse::<T>(arguments)?)?;
    erase(Answer { state: state.get(), ..answer })
}

fn run_write<T: WriteTool>(cx: &Context<'_>, arguments: Value, _offset: usize) -> Result<Answer<Value>, ToolError> {
    erase(T::run(&WriteContext::new(cx), parse::<T>(arguments)?)?)
}
