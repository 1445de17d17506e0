use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::budget::MAX_ANSWER_BYTES;
use super::call::{Call, run_read, run_write};
use super::context::{Context, ReadContext, WriteContext};
use super::error::ToolError;
use super::kinds::{Effect, Mention, Route, Toolset};
use super::schema::{add_own, input_schema};

/// Everything that is known of a tool without calling it. The registry, `help`, the command line, the instructions of the
/// server, the docs and the tests over all tools are made of these constants.
///
/// The framework adds the arguments `agent_id`, `max_output_chars` and, where they apply, `cursor` and `token_budget`: it
/// takes them out before the tool sees its own. A tool asks its context for what it needs of them.
pub trait Tool {
    /// Canonical name: bare snake case.
    const NAME: &'static str;
    /// Tools it is listed with.
    const TOOLSET: Toolset;
    /// One sentence for the list of tools.
    const SUMMARY: &'static str;
    /// What it answers, for the table of the README: the end of a sentence whose subject is the tool.
    const ANSWERS: &'static str;
    /// The manual: what it answers, how to read it, what it does not know.
    const HELP: &'static str;
    /// Smallest useful arguments, as JSON. They must work on the program that the tests index.
    const EXAMPLE: &'static str;
    /// The stages of work for which it is proposed.
    const STAGES: &'static [Route] = &[];
    /// The sentences of the server's instructions that name it. Every word there costs every session: few tools have one.
    const MENTIONS: &'static [Mention] = &[];
    /// Whether its answer is a page of rows: it then takes `cursor`.
    const PAGED: bool = false;
    /// Whether `max_output_chars` is worth its place in the list of tools. Every tool takes it.
    const LISTS_BUDGET: bool = Self::PAGED;
    /// Whether it takes `token_budget`, which cuts the page and is answered with what became of it.
    const TOKEN_BUDGET: bool = false;
    /// Whether calls wait their turn when many run; tools that say how the server is must answer then, too.
    const WAITS: bool = true;
    /// Whether its answer says what is not there, so that the index must be what is on disk: it is brought up to date
    /// before, or the answer has a member `stale`.
    const NEEDS_FRESH: bool = false;
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
    /// Arguments of its own. Unknown ones are refused.
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

/// How a tool with its types erased is run.
type Run = fn(&Context<'_>, Value, &Call) -> Result<Answer<Value>, ToolError>;

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
    /// What it answers, for the table of the README.
    pub answers: &'static str,
    /// The manual.
    pub help: &'static str,
    /// Smallest useful arguments, as JSON text.
    pub example: &'static str,
    /// The stages of work for which it is proposed.
    pub stages: &'static [Route],
    /// The sentences of the server's instructions that name it.
    pub mentions: &'static [Mention],
    /// Other names of arguments.
    pub argument_aliases: &'static [(&'static str, &'static str)],
    /// Arguments that are taken but not listed.
    pub unlisted: &'static [&'static str],
    /// Whether the answer is a page of rows.
    pub paged: bool,
    /// Whether `max_output_chars` is listed.
    pub lists_budget: bool,
    /// Whether it takes `token_budget`.
    pub token_budget: bool,
    /// Whether calls wait their turn when many run.
    pub waits: bool,
    /// Whether the index is brought up to date before it runs.
    pub needs_fresh: bool,
    /// Largest answer when the caller does not say, in bytes.
    pub answer_bytes: usize,
    /// The member whose value alone is the text of an answer.
    pub text_of: Option<&'static str>,
    output_schema: &'static str,
    schema: fn() -> Value,
    pub(super) run: Run,
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

    const fn of<T: Tool>(effect: Effect, run: Run) -> Self {
        Self {
            name: T::NAME,
            toolset: T::TOOLSET,
            effect,
            summary: T::SUMMARY,
            answers: T::ANSWERS,
            help: T::HELP,
            example: T::EXAMPLE,
            stages: T::STAGES,
            mentions: T::MENTIONS,
            argument_aliases: T::ARGUMENT_ALIASES,
            unlisted: T::UNLISTED,
            paged: T::PAGED,
            lists_budget: T::LISTS_BUDGET,
            token_budget: T::TOKEN_BUDGET,
            waits: T::WAITS,
            needs_fresh: T::NEEDS_FRESH,
            answer_bytes: T::ANSWER_BYTES,
            text_of: T::TEXT_OF,
            output_schema: T::OUTPUT_SCHEMA,
            schema: input_schema::<T::Input>,
            run,
        }
    }

    /// Schema of all arguments, those that the framework takes included: an object, self-contained.
    pub fn schema(&self) -> Value {
        let mut schema = (self.schema)();
        add_own(&mut schema, self);
        schema
    }

    /// The schema for the list of tools: without the arguments that few calls need.
    pub fn listed_schema(&self) -> Value {
        let mut schema = self.schema();
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.retain(|name, _| self.lists(name));
        }
        schema
    }

    /// Whether this argument stands in the list of tools.
    pub fn lists(&self, argument: &str) -> bool {
        match argument {
            "agent_id" => self.toolset.requires_agent(),
            "max_output_chars" => self.lists_budget,
            "token_budget" => false,
            _ => !self.unlisted.contains(&argument),
        }
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
}
