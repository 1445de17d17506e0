use std::time::Duration;

use m1nd_tools::{Format, ToolChoice, ToolDef, Toolset};

/// Name under which the server introduces itself.
pub const SERVER_NAME: &str = "m1nd-mcp";

/// How a client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// Standard input and output of the server.
    #[default]
    Stdio,
    /// A program that passes on its standard input and output.
    Attached,
    /// MCP over HTTP.
    Http,
    /// The REST face.
    Rest,
}

impl Source {
    /// The word in events.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Attached => "attached",
            Self::Http => "http",
            Self::Rest => "rest",
        }
    }
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The tools that exist.
    pub tools: &'static [ToolDef],
    /// Name under which the server introduces itself.
    pub name: &'static str,
    /// The only toolset that exists here; `None` for all.
    pub only: Option<Toolset>,
    /// The tools that `tools/list` shows; `None` for all. The others can still be called. With
    /// [`ToolChoice::Agent`] among them, entries are short.
    pub listed: Option<Vec<ToolChoice>>,
    /// The form of answers to calls that do not name one.
    pub format: Format,
    /// Adds `_m1nd` to every answer that is an object: the next calls, memories about its nodes.
    pub envelope: bool,
    /// Lists the schema of each answer in JSON, and therefore sends it twice, as text and as structured content.
    pub output_schemas: bool,
    /// Refuses every tool that could change what is stored.
    pub read_only: bool,
    /// Builds the index of every allowed root that has none, in the background.
    pub index_when_empty: bool,
    /// Looks at the start, in the background, for what changed in the roots that are indexed.
    pub refresh: bool,
    /// Answers from the index of the folder that the client has open, once it says which.
    pub root_from_client: bool,
    /// Asks the client which folders it has open. Not for clients that share one memory: the last would decide for all.
    pub asks_roots: bool,
    /// How long a call may take before it is cancelled; `None` for no limit.
    pub call_limit: Option<Duration>,
    /// How its clients reach it.
    pub source: Source,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            tools: m1nd_tools::ALL,
            name: SERVER_NAME,
            only: None,
            format: Format::Json,
            listed: None,
            envelope: false,
            output_schemas: false,
            read_only: false,
            index_when_empty: false,
            refresh: false,
            root_from_client: false,
            asks_roots: true,
            call_limit: None,
            source: Source::Stdio,
        }
    }
}
