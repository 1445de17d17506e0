//! The command line of `mind`, which is also `m1nd memory`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use m1nd_mind::daemon::LOGS;

use super::{CompletionsArgs, PathArg};

/// Decisions, issues, learnings and gotchas of this project, kept in `.mind/MEMORY.md`
///
/// Also installed as `mind`. What you write in `.mind/MEMORY.md` is found by meaning, shown before risky code, and
/// summed up in a marked block of CLAUDE.md and AGENTS.md. Nothing needs a daemon.
#[derive(Debug, Args)]
#[command(after_help = CODES, disable_help_subcommand = true, version)]
pub(crate) struct MemoryArgs {
    /// Log what is done
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Print nothing but errors and JSON
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub command: MemoryCommand,
}

const CODES: &str = "\
Exit codes:
    0  done
    1  the work was begun and failed, or a check found something
    2  the command line cannot be used
    3  no project with a memory is here
    4  the daemon is not running
    5  permission denied

Environment:
  MIND_HOME       folder that all projects share (default ~/.mind)
  MIND_LOG_LEVEL  what the daemon logs: debug, info, warn or error
  MIND_NO_DAEMON  1: no server starts the daemon, whatever the configuration says";

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Make a memory for a project and connect it
    #[command(display_order = 1)]
    Init(MemoryInit),
    /// Register projects that have a memory
    #[command(display_order = 2)]
    Add(Paths),
    /// Forget a project; its files stay
    #[command(display_order = 3)]
    Remove(PathArg),
    /// List the registered projects
    #[command(display_order = 4)]
    List,
    /// Find memories by meaning
    #[command(display_order = 5)]
    Search(SearchArgs),
    /// Gotchas: list, check what you are about to do, add, count, remove
    #[command(display_order = 6)]
    Edges(EdgesArgs),
    /// Show the block that agents read, write it, or check it
    #[command(display_order = 7)]
    Context(ContextArgs),
    /// Look at a project now: memory, comments, commits, code, block
    #[command(display_order = 8)]
    Index(IndexArgs),
    /// Show what is read out of the memory, line by line
    #[command(display_order = 9)]
    Parse(ParseArgs),
    /// Show the health of the memory
    #[command(display_order = 10)]
    Status(PathArg),
    /// Write out all memories
    #[command(display_order = 11)]
    Export(MemoryExport),
    /// Look for what is wrong, and say what to do
    #[command(display_order = 12)]
    Doctor(DoctorArgs),
    /// Move old days out of the memory; they are still found
    #[command(display_order = 13)]
    Archive(ArchiveArgs),
    /// Take one memory out of the file it stands in, or out of sight
    #[command(display_order = 14)]
    Forget(ForgetArgs),
    /// Take over the memories that came with a project, so that agents are told of them
    #[command(display_order = 14)]
    Approve(ApproveArgs),
    /// Keep blocks fresh in the background
    #[command(display_order = 15)]
    Daemon(DaemonArgs),
    /// Serve the four memory tools to an MCP client
    #[command(display_order = 16)]
    Mcp,
    /// Answer a hook of Claude Code: JSON on standard input and output
    #[command(display_order = 17)]
    Hook(HookArgs),
    /// Show or change the configuration
    #[command(display_order = 20)]
    Config(ConfigArgs),
    /// Print the completions of a shell
    #[command(display_order = 30)]
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MemoryInit {
    #[command(flatten)]
    pub path: PathArg,
    /// Do not register the project
    #[arg(long)]
    pub no_register: bool,
    /// Leave CLAUDE.md and its like alone
    #[arg(long)]
    pub no_claude_md: bool,
    /// Start the memory with the text of this file
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Paths {
    /// The projects [default: the one around the current folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// The project's configuration instead of the user's
    #[arg(long, global = true)]
    pub project: bool,
    #[command(subcommand)]
    pub change: Option<ConfigChange>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigChange {
    /// Set one key, such as `context.max_gotchas 3`
    Set {
        /// Section and key
        key: String,
        /// Its value
        value: String,
    },
    /// Remove the file: everything is as it was at first
    Reset,
    /// Print where the file is
    Path,
    /// Open the file in an editor
    Edit,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for, in words
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    pub query: Vec<String>,
    /// `project` or `all`
    #[arg(long, default_value = "project", value_parser = ["project", "all"])]
    pub scope: String,
    /// decision, issue, learning or edge; can be given several times
    #[arg(long = "type", value_name = "TYPE", value_parser = ["decision", "issue", "learning", "edge"])]
    pub types: Vec<String>,
    /// Most results, 1 to 100
    #[arg(long, default_value_t = 10)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct EdgesArgs {
    #[command(subcommand)]
    pub command: Option<EdgesCommand>,
    /// Only those that hold this text
    #[arg(long)]
    pub search: Option<String>,
    /// Only those of these parts of a stack
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub stack: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EdgesCommand {
    /// List the gotchas of this project, those stored for all projects, and those that come with the program
    List,
    /// Say what is known to go wrong
    Check {
        /// What you are about to do
        intent: String,
        /// A file with the code
        #[arg(long, value_name = "FILE")]
        code: Option<PathBuf>,
        /// Takes the place of the detected stack
        #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
        stack: Option<Vec<String>>,
    },
    /// Store a gotcha for all projects
    Add {
        /// What goes wrong, in a line
        #[arg(long)]
        title: String,
        /// Why and when
        #[arg(long)]
        description: String,
        /// The way around
        #[arg(long)]
        workaround: String,
        /// Keywords of what a project is
        #[arg(long, value_name = "WORD,…", value_delimiter = ',')]
        context: Vec<String>,
        /// Keywords of what is about to be done
        #[arg(long, value_name = "WORD,…", value_delimiter = ',')]
        intent: Vec<String>,
        /// A regular expression over code; can be given several times
        #[arg(long = "code", value_name = "REGEX")]
        code: Vec<String>,
        /// What a project must be made with
        #[arg(long = "tag", value_name = "TAG,…", value_delimiter = ',')]
        tags: Vec<String>,
        /// info, warning or critical
        #[arg(long, default_value = "warning", value_parser = ["info", "warning", "critical"])]
        severity: String,
    },
    /// Count a gotcha as met again
    Verify {
        /// Its id
        id: String,
    },
    /// Remove a gotcha of all projects
    Remove {
        /// Its id
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Write it into CLAUDE.md, and into AGENTS.md and its like where they are
    #[arg(long)]
    pub regenerate: bool,
    /// Only say whether it is as it should be: exit code 1 if not
    #[arg(long, conflicts_with = "regenerate")]
    pub check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Forget what was noted before, except when each memory was first seen
    #[arg(long)]
    pub full: bool,
    /// Leave the block as it is
    #[arg(long)]
    pub no_context: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Comments in code and messages of commits, too, as they were last seen
    #[arg(long)]
    pub inline: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MemoryExport {
    #[command(flatten)]
    pub path: PathArg,
    /// `json` or `markdown`
    #[arg(long, default_value = "json", value_parser = ["json", "markdown"])]
    pub format: String,
    /// Of all registered projects
    #[arg(long)]
    pub all: bool,
    /// What is kept beside the memories, too: when each was first seen, its code, relations, sessions
    #[arg(long)]
    pub include_index: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Mend what can be mended without touching what people wrote
    #[arg(long)]
    pub fix: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Entries of days before this one [default: 180 days ago]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub before: Option<String>,
    /// Only say what would be moved
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id, as `search`, `parse` and `edges` show it
    pub id: String,
    #[command(flatten)]
    pub path: PathArg,
    /// Only say what would be taken out
    #[arg(long)]
    pub dry_run: bool,
    /// Show a memory again that was put out of sight
    #[arg(long, conflicts_with = "dry_run")]
    pub undo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Files with `MEMORY:` comments, or `git:` and a commit, as `search` names them [default: the project and all of
    /// them]
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// The project [default: the one around the current folder]
    #[arg(long, value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Only list what came with the repository, and whether it is approved
    #[arg(long)]
    pub dry_run: bool,
    /// Take it back
    #[arg(long, conflicts_with = "dry_run")]
    pub undo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    pub command: DaemonCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Start it in the background
    Start {
        /// Run it here instead
        #[arg(long, short)]
        foreground: bool,
    },
    /// End it
    Stop,
    /// End it and start it again
    Restart,
    /// Say how it is doing
    Status,
    /// Show what it did: the logs together, in the order of time
    Logs {
        /// Only this log: daemon (starts, blocks, sessions), parser (what was read), index (what was looked at), errors
        /// (what went wrong in the others)
        #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(LOGS))]
        only: Option<String>,
        /// Go on showing what is added
        #[arg(long, short)]
        follow: bool,
        /// Lines from the end
        #[arg(long, short = 'n', default_value_t = 20)]
        lines: usize,
    },
    /// Run it here, in the foreground
    Run,
    /// Print what makes the system start it with each session
    Unit {
        /// For which system
        #[arg(value_enum, default_value_t = if cfg!(target_os = "macos") { UnitWord::Launchd } else { UnitWord::Systemd })]
        system: UnitWord,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum UnitWord {
    /// A user unit of systemd
    Systemd,
    /// A launch agent of macOS
    Launchd,
}

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The moment
    #[arg(value_parser = HookWords, required = false, default_value = "", hide_default_value = true)]
    pub event: MaybeHook,
    /// What newer clients may add
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub more: Vec<String>,
}

/// A moment, or a word that is none: what a client says that this program does not know must not stop what the agent
/// does, as the status for wrong arguments would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MaybeHook {
    Known(HookWord),
    Unknown(String),
}

/// Reads [`MaybeHook`] and shows the words that are known.
#[derive(Debug, Clone, Copy)]
struct HookWords;

impl TypedValueParser for HookWords {
    type Value = MaybeHook;

    fn parse_ref(
        &self,
        _command: &clap::Command,
        _argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<MaybeHook, clap::Error> {
        let word = value.to_string_lossy();
        Ok(HookWord::from_str(&word, false).map_or_else(|_| MaybeHook::Unknown(word.into_owned()), MaybeHook::Known))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(HookWord::value_variants().iter().filter_map(HookWord::to_possible_value)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookWord {
    /// A session starts
    SessionStart,
    /// The user asks for something
    Prompt,
    /// A file is about to be changed
    PreEdit,
    /// The agent has finished
    Stop,
}
