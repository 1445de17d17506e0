use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::budget::{JSON_BYTES, MAX_ANSWER_BYTES};
use super::call::{Call, run_read, run_write};
use super::context::{Context, ReadContext, WriteContext};
use super::error::ToolError;
use super::kinds::{Command, Effect, Format, Mention, Route, Toolset};
use super::repository::REPOSITORY;
use super::schema::{add_own, input_schema, shorten_elements};
use super::text::{RowText, TEXT_BYTES, TextGroups};

/// The static description of a tool. The registry, `help`, the command line, the instructions of the server, the docs
/// and the tests over all tools are derived from these constants.
///
/// The framework adds the arguments `agent_id`, `max_output_chars` and, if they apply, `cursor` and `token_budget`, and
/// removes them before the tool sees its own. Their values are available from the context.
pub trait Tool {
    /// Canonical name: bare snake case.
    const NAME: &'static str;
    /// The toolset it is listed in.
    const TOOLSET: Toolset;
    /// Whether agents need it in daily work, so that `--toolset agent` lists it.
    const DAILY: bool = false;
    /// One sentence for the list of tools, in the imperative.
    const SUMMARY: &'static str;
    /// What it answers, for the table in docs/tools.md.
    const ANSWERS: &'static str;
    /// The manual: its answer, the meaning of the members, its limits.
    const HELP: &'static str;
    /// Minimal useful arguments, as JSON. They must work on the program that the tests index.
    const EXAMPLE: &'static str;
    /// Calls that the example needs before it: tools with their arguments, as JSON.
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] = &[];
    /// Stages of work for which `help` proposes it.
    const STAGES: &'static [Route] = &[];
    /// Sentences of the server's instructions that name it. Every session pays for them, so few tools have one.
    const MENTIONS: &'static [Mention] = &[];
    /// Whether its answer is a page of rows, so that it accepts `cursor`.
    const PAGED: bool = false;
    /// Whether the list of tools shows `max_output_chars`. Every tool accepts it.
    const LISTS_BUDGET: bool = Self::PAGED;
    /// Whether it accepts `token_budget`, which cuts the page and adds `budget` to the answer.
    const TOKEN_BUDGET: bool = false;
    /// Whether calls queue while many run. Tools that report the state of the server must answer even then.
    const WAITS: bool = true;
    /// Whether its answer says what is not there, so that the index must be what is on disk: it is brought up to date
    /// before, or the answer has a member `stale`.
    const NEEDS_FRESH: bool = false;
    /// Whether it answers from parsed files whose references are not linked yet: its answer uses no edges, or checks
    /// [`Snapshot::is_unlinked`](m1nd_engine::Snapshot::is_unlinked).
    const ANSWERS_UNLINKED: bool = false;
    /// Whether a server runs the tool that the arguments name in its place.
    const FORWARDS: bool = false;
    /// Whether its answer depends on the folders that the client has open, so that the client is asked for them first.
    const ASKS_CLIENT: bool = matches!(Self::TOOLSET, Toolset::Memory | Toolset::Trust);
    /// Default maximum size of an answer to a program in this process, in bytes; at most 25,000 tokens.
    const ANSWER_BYTES: usize = MAX_ANSWER_BYTES;
    /// Default maximum size of an answer in JSON to a client, in bytes. Of more, it is a page with a `cursor`, or says
    /// what was cut.
    const PAGE_BYTES: usize = JSON_BYTES;
    /// Default maximum size of an answer as text, in bytes.
    const TEXT_PAGE_BYTES: usize = TEXT_BYTES;
    /// Aliases of arguments, each with the name it stands for.
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Arguments that few calls need. They are in the list of all tools, but not in that for agents, for which every
    /// session pays.
    const RARE: &'static [&'static str] = &[];
    /// Arguments that are accepted and documented in `help`, but never listed.
    const UNLISTED: &'static [&'static str] = &[];
    /// The member that is the text of an answer on its own, if callers expect a list and not an object.
    const TEXT_OF: Option<&'static str> = None;
    /// How a row of its answer is written as text, where the general form is not the best.
    const ROW_TEXT: Option<RowText> = None;
    /// How its rows are written as text in groups, such as those of a file.
    const TEXT_GROUPS: Option<&'static TextGroups> = None;
    /// Path of the list whose elements are the first lines of the text, numbered, as a JSON pointer; empty for the rows
    /// of the page.
    const TEXT_FIRST: &'static str = "";
    /// Rows of a text where the caller gives no `top_k`.
    const TEXT_ROWS: usize = usize::MAX;
    /// Members of the answer and its rows that the text leaves out: they repeat others, or serve programs only.
    const TEXT_OMITS: &'static [&'static str] = &[];
    /// Members of the answer and its rows that `detail: brief` leaves out, as paths: `results.score_breakdown`. Never
    /// what a row is, where it is, what is concluded and why.
    const DETAILS: &'static [&'static str] = &[];
    /// Its own command on the command line, where it has one.
    const COMMAND: Option<Command> = None;
    /// The JSON schema of its answer, for clients; empty for none. It holds for errors and brief answers as well, so no
    /// member of the answer itself is required.
    const OUTPUT_SCHEMA: &'static str = "";
    /// Its own arguments. Unknown ones are rejected.
    type Input: DeserializeOwned + JsonSchema;
    /// Members of the answer, without the frame.
    type Output: Serialize;
}

/// The `OUTPUT_SCHEMA` of an answer with rows: the member that holds them, and what each of them has.
macro_rules! rows_schema {
    ($member:literal: $first:literal $(, $name:literal)*) => {
        concat!(
            r#"{"type": "object", "properties": {""#,
            $member,
            r#"": {"type": "array", "items": {"type": "object", "required": [""#,
            $first,
            $(r#"", ""#, $name,)*
            r#""]}}}}"#
        )
    };
}
pub(crate) use rows_schema;

/// A tool that changes nothing. It gets a snapshot and has no access to the writer.
pub trait ReadTool: Tool {
    /// Answers the call.
    fn run(cx: &ReadContext<'_>, input: Self::Input) -> Result<Answer<Self::Output>, ToolError>;
}

/// A tool that changes something.
pub trait WriteTool: Tool {
    /// What a call can change.
    const EFFECT: Effect;

    /// Does the work.
    fn run(cx: &WriteContext<'_>, input: Self::Input) -> Result<Answer<Self::Output>, ToolError>;
}

/// Runs a tool with its types erased.
type Run = fn(&Context<'_>, Value, &Call) -> Result<Answer<Value>, ToolError>;

/// A row of the registry: a tool with its types erased.
#[derive(Debug, Clone, Copy)]
pub struct ToolDef {
    /// Canonical name.
    pub name: &'static str,
    /// The toolset it is listed in.
    pub toolset: Toolset,
    /// Whether `--toolset agent` lists it.
    pub daily: bool,
    /// What a call can change.
    pub effect: Effect,
    /// One sentence.
    pub summary: &'static str,
    /// What it answers, for the table in docs/tools.md.
    pub answers: &'static str,
    /// The manual.
    pub help: &'static str,
    /// Minimal useful arguments, as JSON.
    pub example: &'static str,
    /// Calls that the example needs before it: tools with their arguments, as JSON.
    pub example_after: &'static [(&'static str, &'static str)],
    /// Stages of work for which `help` proposes it.
    pub stages: &'static [Route],
    /// Sentences of the server's instructions that name it.
    pub mentions: &'static [Mention],
    /// Aliases of arguments.
    pub argument_aliases: &'static [(&'static str, &'static str)],
    /// Arguments that the list for agents leaves out.
    pub rare: &'static [&'static str],
    /// Arguments that are accepted but never listed.
    pub unlisted: &'static [&'static str],
    /// Whether the answer is a page of rows.
    pub paged: bool,
    /// Whether `max_output_chars` is listed.
    pub lists_budget: bool,
    /// Whether it accepts `token_budget`.
    pub token_budget: bool,
    /// Whether calls queue while many run.
    pub waits: bool,
    /// Whether the index is brought up to date before it runs.
    pub needs_fresh: bool,
    /// Whether it answers from parsed files whose references are not linked yet.
    pub answers_unlinked: bool,
    /// Whether a server runs the tool that the arguments name in its place.
    pub forwards: bool,
    /// Whether the client is asked first which folders it has open.
    pub asks_client: bool,
    /// Default maximum size of an answer, in bytes.
    pub answer_bytes: usize,
    /// Default maximum size of an answer in JSON to a client, in bytes.
    pub page_bytes: usize,
    /// Default maximum size of an answer as text, in bytes.
    pub text_bytes: usize,
    /// The member that is the text of an answer on its own.
    pub text_of: Option<&'static str>,
    /// Its own command on the command line.
    pub command: Option<Command>,
    output_schema: &'static str,
    pub(super) row_text: Option<RowText>,
    pub(super) text_groups: Option<&'static TextGroups>,
    pub(super) text_first: &'static str,
    pub(super) text_rows: usize,
    pub(super) text_omits: &'static [&'static str],
    pub(super) details: &'static [&'static str],
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
            daily: T::DAILY,
            effect,
            summary: T::SUMMARY,
            answers: T::ANSWERS,
            help: T::HELP,
            example: T::EXAMPLE,
            example_after: T::EXAMPLE_AFTER,
            stages: T::STAGES,
            mentions: T::MENTIONS,
            argument_aliases: T::ARGUMENT_ALIASES,
            rare: T::RARE,
            unlisted: T::UNLISTED,
            paged: T::PAGED,
            lists_budget: T::LISTS_BUDGET,
            token_budget: T::TOKEN_BUDGET,
            waits: T::WAITS,
            needs_fresh: T::NEEDS_FRESH,
            answers_unlinked: T::ANSWERS_UNLINKED,
            forwards: T::FORWARDS,
            asks_client: T::ASKS_CLIENT,
            answer_bytes: T::ANSWER_BYTES,
            page_bytes: T::PAGE_BYTES,
            text_bytes: T::TEXT_PAGE_BYTES,
            text_of: T::TEXT_OF,
            command: T::COMMAND,
            output_schema: T::OUTPUT_SCHEMA,
            row_text: T::ROW_TEXT,
            text_groups: T::TEXT_GROUPS,
            text_first: T::TEXT_FIRST,
            text_rows: T::TEXT_ROWS,
            text_omits: T::TEXT_OMITS,
            details: T::DETAILS,
            schema: input_schema::<T::Input>,
            run,
        }
    }

    /// Returns the schema of all arguments, including those of the framework: a self-contained object.
    pub fn schema(&self) -> Value {
        self.schema_for(Format::default())
    }

    /// Like [`ToolDef::schema`], where `format` is the form of answers to calls that do not name one: some defaults
    /// depend on it.
    pub fn schema_for(&self, format: Format) -> Value {
        let mut schema = (self.schema)();
        add_own(&mut schema, self, format);
        schema
    }

    /// Size limit of an answer of this form to a client, in bytes, if the caller does not say.
    pub(super) fn usual_bytes(&self, format: Format) -> usize {
        match format {
            // The published answers of the memory tools are exact.
            Format::Json if self.toolset == Toolset::Memory => self.answer_bytes,
            Format::Json => self.page_bytes.min(self.answer_bytes),
            Format::Text if self.has_own_format() => self.answer_bytes,
            Format::Text => self.text_bytes,
        }
    }

    /// Whether the form of the answer is its own affair: it takes `format` itself, or promises an exact schema.
    pub(super) fn has_own_format(&self) -> bool {
        self.toolset == Toolset::Memory || (self.schema)()["properties"].get("format").is_some()
    }

    /// The schema for the list of tools. `format` is the form of answers to calls that do not name one; `is_short`
    /// leaves out the arguments that few calls need.
    pub fn listed_schema(&self, format: Format, is_short: bool) -> Value {
        let mut schema = self.schema_for(format);
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.retain(|name, _| self.lists(name) && !(is_short && self.is_rare(name)));
            shorten_elements(properties);
        }
        schema
    }

    /// Returns whether the list of all tools shows this argument.
    pub fn lists(&self, argument: &str) -> bool {
        match argument {
            "agent_id" => self.toolset.requires_agent(),
            "max_output_chars" => self.lists_budget,
            "format" => self.has_own_format(),
            // In a federation alone.
            "detail" | REPOSITORY => false,
            _ => !self.unlisted.contains(&argument),
        }
    }

    /// Its name as people read it: `Batch view`.
    pub fn title(&self) -> String {
        let words = self.name.replace('_', " ");
        let mut letters = words.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    fn is_rare(&self, argument: &str) -> bool {
        matches!(argument, "max_output_chars" | "token_budget") || self.rare.contains(&argument)
    }

    /// Returns the schema of its answer for `outputSchema`, if it has one.
    pub fn output_schema(&self) -> Option<Map<String, Value>> {
        match serde_json::from_str(self.output_schema) {
            Ok(Value::Object(schema)) => Some(schema),
            _ => None,
        }
    }

    /// Returns the members of its answer that `detail: brief` leaves out, as paths.
    pub fn detail_paths(&self) -> &'static [&'static str] {
        self.details
    }

    /// Like [`ToolDef::output_schema`], in few words: the members, and what every row has.
    pub fn short_output_schema(&self) -> Option<Map<String, Value>> {
        let mut schema = self.output_schema()?;
        for member in schema.get_mut("properties").and_then(Value::as_object_mut)?.values_mut() {
            let inner = if member.get("items").is_some() { &mut member["items"] } else { member };
            inner.as_object_mut()?.retain(|name, _| matches!(name.as_str(), "type" | "required"));
        }
        Some(schema)
    }

    /// Returns the minimal useful arguments.
    pub fn example_arguments(&self) -> Value {
        serde_json::from_str(self.example).unwrap_or_else(|_| Value::Object(Map::new()))
    }

    /// Returns the calls that the example needs before it, by the same agent.
    pub fn calls_before(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let agent = self.example_arguments().get("agent_id").cloned();
        let parse = move |text| {
            let mut arguments: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            if let Some(agent) = &agent {
                arguments.entry("agent_id").or_insert_with(|| agent.clone());
            }
            Value::Object(arguments)
        };
        self.example_after.iter().map(move |(tool, arguments)| (*tool, parse(arguments)))
    }
}
