use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

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

impl Effect {
    /// What it does, as the end of a sentence whose subject is the tool.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Read => "changes nothing",
            Self::Session => "changes what the server keeps of the agent until it ends",
            Self::Graph => "changes the index",
            Self::State => "changes what m1nd remembers",
            Self::Disk => "changes files of the project",
        }
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

    /// Its purpose in a few words, for the docs.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Core => "what every session needs",
            Self::Analysis => "judgement over the graph",
            Self::Exploration => "finding what belongs together, what failed and what is risky",
            Self::Navigation => "moving through the graph with state",
            Self::Continuity => "saving and resuming investigations",
            Self::Documents => "documents and their links to code",
            Self::Edit => "changing files",
            Self::Trust => "whether answers can be relied on",
            Self::Memory => "decisions, issues, learnings and gotchas of the project",
            Self::Lifecycle => "the server and its index",
        }
    }

    /// The toolset with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|set| set.word() == word)
    }

    /// Whether its tools must be told who calls. Those about memories take exactly the arguments that their page names,
    /// so that the agent is optional there and not listed.
    pub(super) const fn requires_agent(self) -> bool {
        !matches!(self, Self::Memory)
    }
}

macro_rules! stages {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal,)*) => {
        /// A phase of work with a code base. For each, `help` proposes the tools that name it, in order.
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
    /// Looking for a place.
    Find = "find",
    /// Tying documents to code.
    Ground = "ground",
    /// Explaining a failure.
    Diagnose = "diagnose",
    /// Planning a change.
    Plan = "plan",
    /// Making a change.
    Edit = "edit",
    /// Judging a change.
    Review = "review",
    /// Keeping the server well.
    Operate = "operate",
    /// Passing the work on.
    Handoff = "handoff",
}

impl JsonSchema for Stage {
    // By hand: the description that the derived schema takes from the type would cost every session tokens.
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

/// A stage for which a tool is proposed: the stage, its place among the tools of that stage (smaller is earlier, equal
/// ones in the order of the registry), and the reason to call it there.
pub type Route = (Stage, u8, &'static str);

/// A sentence of what a server tells an agent when it connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// How to find code.
    Find,
    /// How to read it.
    Read,
    /// What to ask before a change.
    BeforeChange,
    /// How to learn about the server itself.
    Server,
    /// How to ask for memories.
    Recall,
    /// Where a memory for all projects goes.
    Keep,
}

/// A sentence that names a tool: which one, the place of the tool in it (smaller is earlier), and the words after its
/// name.
pub type Mention = (Purpose, u8, &'static str);
