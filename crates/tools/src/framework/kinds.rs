use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::definition::ToolDef;

/// What a call can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Read,
    /// The session of the calling agent, which ends with the server; nothing stored.
    Session,
    /// The graph and what is derived from it.
    Graph,
    /// State of m1nd that cannot be rebuilt: feedback, investigations, locks, memory.
    State,
    /// Files of the project.
    Disk,
}

impl Effect {
    /// The effect as a predicate, with the tool as its subject.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Read => "changes nothing",
            Self::Session => "changes the session of the agent",
            Self::Graph => "changes the index",
            Self::State => "changes stored state of m1nd",
            Self::Disk => "changes files of the project",
        }
    }
}

/// The command of a tool on the command line: `m1nd why A B` beside `m1nd call why --source A --target B`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Arguments of the tool that are given by position, in order.
    pub positional: &'static [&'static str],
    /// The last positional argument takes all words that are left: as elements of a list, or joined by spaces.
    pub joins: bool,
    /// The tool that runs instead if there are more words, as a list in its first argument.
    pub several: Option<&'static str>,
}

impl Command {
    /// A command with one word per argument.
    pub const fn new(name: &'static str, positional: &'static [&'static str]) -> Self {
        Self { name, positional, joins: false, several: None }
    }

    /// The same, with another tool for more words.
    pub const fn or_several(self, tool: &'static str) -> Self {
        Self { several: Some(tool), ..self }
    }

    /// A command with one argument of any number of words.
    pub const fn words(name: &'static str, positional: &'static [&'static str]) -> Self {
        Self { name, positional, joins: true, several: None }
    }
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// An object with all members, for programs.
    #[default]
    Json,
    /// Compact lines in order of use, for models and people.
    Text,
}

impl Format {
    /// All forms.
    pub const ALL: &'static [Self] = &[Self::Json, Self::Text];

    /// The word on the wire and the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
        }
    }

    /// The form with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.word() == word)
    }
}

/// How much an answer says. Text without a detail is compact: it leaves out what only programs need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Identity, place, verdict and reason.
    Brief,
    /// Every member.
    #[default]
    Full,
}

impl Detail {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Brief, Self::Full];

    /// The word on the wire and the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::Full => "full",
        }
    }

    /// The detail with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|detail| detail.word() == word)
    }
}

/// Tools that are used together. The list of tools can be limited to some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// Core tools, for every session.
    Core,
    /// Reasoning over the graph.
    Analysis,
    /// Related code, failures and risks.
    Exploration,
    /// Stateful navigation of the graph.
    Perspective,
    /// Saving and resuming investigations.
    Continuity,
    /// Documents and their links to code.
    Documents,
    /// Changing files.
    Edit,
    /// Reliability of answers.
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
        Self::Perspective,
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
            Self::Perspective => "perspective",
            Self::Continuity => "continuity",
            Self::Documents => "documents",
            Self::Edit => "edit",
            Self::Trust => "trust",
            Self::Memory => "memory",
            Self::Lifecycle => "lifecycle",
        }
    }

    /// Its purpose, for the docs.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Core => "what every session needs",
            Self::Analysis => "reasoning over the graph",
            Self::Exploration => "related code, failures and risks",
            Self::Perspective => "stateful navigation of the graph",
            Self::Continuity => "saving and resuming investigations",
            Self::Documents => "documents and their links to code",
            Self::Edit => "changing files",
            Self::Trust => "reliability of answers",
            Self::Memory => "decisions, issues, learnings and gotchas of the project",
            Self::Lifecycle => "the server and its index",
        }
    }

    /// Returns the toolset with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|set| set.word() == word)
    }

    /// Returns whether its tools require `agent_id`. The memory tools list exactly the arguments of their published
    /// interface, so it is optional and unlisted there.
    pub(super) const fn requires_agent(self) -> bool {
        !matches!(self, Self::Memory)
    }
}

/// A choice of tools for the list of tools. All others can still be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice {
    /// Those that agents need in daily work.
    Agent,
    /// Those of a toolset.
    Set(Toolset),
}

impl ToolChoice {
    /// Every choice, in the order of the docs.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Agent).chain(Toolset::ALL.iter().copied().map(Self::Set))
    }

    /// The word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Set(set) => set.word(),
        }
    }

    /// Returns the choice with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::all().find(|choice| choice.word() == word)
    }

    /// Returns whether the tool is chosen.
    pub fn has(self, tool: &ToolDef) -> bool {
        match self {
            Self::Agent => tool.daily,
            Self::Set(set) => tool.toolset == set,
        }
    }
}

macro_rules! stages {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal,)*) => {
        /// A phase of work on a code base. `help` proposes the tools that name it, in order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
        pub enum Stage {
            $($(#[doc = $doc])* #[serde(rename = $word)] $variant,)*
        }

        impl Stage {
            /// Every stage, in the order of the work.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

stages! {
    /// Getting to know the code base.
    Orient = "orient",
    /// Finding code.
    Find = "find",
    /// Linking documents to code.
    Ground = "ground",
    /// Explaining a failure.
    Diagnose = "diagnose",
    /// Planning a change.
    Plan = "plan",
    /// Making a change.
    Edit = "edit",
    /// Reviewing a change.
    Review = "review",
    /// Operating the server.
    Operate = "operate",
    /// Handing the work over.
    Handoff = "handoff",
}

impl JsonSchema for Stage {
    // By hand, since the derived schema would add the doc comment of the type, which costs every session tokens.
    fn schema_name() -> Cow<'static, str> {
        "Stage".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = Self::ALL.iter().map(|stage| stage.word()).collect();
        json_schema!({"type": "string", "enum": words})
    }
}

/// A stage for which a tool is proposed: the stage, the rank of the tool in it (lower is earlier, equal ranks in the
/// order of the registry), and the reason to call it.
pub type Route = (Stage, u8, &'static str);

/// A sentence of the instructions that a server sends to an agent on connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The tool to start a task with.
    Start,
    /// Tools that find code.
    Find,
    /// Tools that read code.
    Read,
    /// Tools to call before a change.
    BeforeChange,
    /// Tools about the server itself.
    Server,
    /// Tools that recall memories.
    Recall,
    /// The tool that stores a memory for all projects.
    Keep,
}

/// A mention of a tool: the sentence, its rank in it (lower is earlier), and the words after its name.
pub type Mention = (Purpose, u8, &'static str);
