//! The command line of `mind`, which is also `m1nd memory`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use m1nd_mind::daemon::LOGS;

use super::{CompletionsArgs, PathArg};

/// Decisions, issues, learnings and gotchas of this project, kept in `.mind/MEMORY.md`
///
/// Also installed as `mind`. The content of `.mind/MEMORY.md` is searched by meaning, shown before risky code, and
/// summarised in a marked block of CLAUDE.md and AGENTS.md. No daemon is required.
#[derive(Debug, Args)]
#[command(after_help = CODES, disable_help_subcommand = true, version)]
pub(crate) struct MemoryArgs {
    /// Log the steps
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Print only errors and JSON
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    pub command: MemoryCommand,
}

const CODES: &str = "\
Exit codes:
    0  done
    1  the command failed, or a check found problems
    2  the command line is invalid
    3  no project with a memory is here
    4  the daemon is not running
    5  permission denied

Environment:
  MIND_HOME       folder that all projects share (default ~/.mind)
  MIND_LOG_LEVEL  log level of the daemon: debug, info, warn or error
  MIND_NO_DAEMON  1: servers never start the daemon, regardless of the configuration";

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Create a memory for a project and connect it
    #[command(display_order = 1)]
    Init(MemoryInit),
    /// Add a memory, or register projects that have one
    #[command(display_order = 2)]
    Add(AddArgs),
    /// Unregister a project; its files are kept
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
    /// Update the index of a project: memory, comments, commits, code, block
    #[command(display_order = 8)]
    Index(IndexArgs),
    /// Show the memories parsed from the memory file, line by line
    #[command(display_order = 9)]
    Parse(ParseArgs),
    /// Show the health of the memory
    #[command(display_order = 10)]
    Status(PathArg),
    /// Export all memories
    #[command(display_order = 11)]
    Export(MemoryExport),
    /// Diagnose problems and suggest fixes
    #[command(display_order = 12)]
    Doctor(DoctorArgs),
    /// Move old days to the archive; search still finds them
    #[command(display_order = 13)]
    Archive(ArchiveArgs),
    /// Remove a memory from its file, or hide it
    #[command(display_order = 14)]
    Forget(ForgetArgs),
    /// Approve the memories that came with a project, so that agents see them
    #[command(display_order = 14)]
    Approve(ApproveArgs),
    /// Keep blocks up to date in the background
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
    /// Do not write to CLAUDE.md and similar files
    #[arg(long)]
    pub no_claude_md: bool,
    /// Initial text of the memory, from this file
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The memory, as a sentence; `-` reads it from standard input. Folders are projects to register [default: the one
    /// around the current folder]
    #[arg(value_name = "TEXT|FOLDER")]
    pub words: Vec<String>,
    /// Kind of the memory [default: what the text itself says, else a learning]
    #[arg(long, value_enum)]
    pub kind: Option<KindWord>,
    /// The project of the memory [default: the one around the current folder]
    #[arg(long, value_name = "PATH")]
    pub path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindWord {
    /// Something that was decided
    Decision,
    /// A problem that is open
    Issue,
    /// The fix of a problem
    Fix,
    /// Something that was learned
    Learning,
    /// A trap of this project, shown before risky code
    Gotcha,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Use the project's configuration instead of the user's
    #[arg(long, global = true)]
    pub project: bool,
    #[command(subcommand)]
    pub change: Option<ConfigChange>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigChange {
    /// Set one key, such as `context.max_gotchas 3`
    Set {
        /// The key, with its section
        key: String,
        /// The value
        value: String,
    },
    /// Remove the file, which restores the defaults
    Reset,
    /// Print the path of the file
    Path,
    /// Open the file in an editor
    Edit,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words to search for
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    pub query: Vec<String>,
    /// `project` or `all`
    #[arg(long, default_value = "project", value_parser = ["project", "all"])]
    pub scope: String,
    /// decision, issue, learning or edge; can be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = ["decision", "issue", "learning", "edge"])]
    pub types: Vec<String>,
    /// Maximum results, 1 to 100
    #[arg(long, default_value_t = 10)]
    pub limit: u32,
}

#[derive(Debug, Args)]
pub(crate) struct EdgesArgs {
    #[command(subcommand)]
    pub command: Option<EdgesCommand>,
    /// Only gotchas that contain this text
    #[arg(long)]
    pub search: Option<String>,
    /// Only gotchas with one of these stack tags
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub stack: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EdgesCommand {
    /// List the gotchas of this project, those of all projects, and the built-in ones
    List,
    /// Check an intent against known gotchas
    Check {
        /// What you are about to do
        intent: String,
        /// A file with the code
        #[arg(long, value_name = "FILE")]
        code: Option<PathBuf>,
        /// Replaces the detected stack
        #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
        stack: Option<Vec<String>>,
    },
    /// Store a gotcha for all projects
    Add {
        /// What goes wrong, in one line
        #[arg(long)]
        title: String,
        /// Cause and circumstances
        #[arg(long)]
        description: String,
        /// The workaround
        #[arg(long)]
        workaround: String,
        /// Keywords of the project
        #[arg(long, value_name = "WORD,…", value_delimiter = ',')]
        context: Vec<String>,
        /// Keywords of the intent
        #[arg(long, value_name = "WORD,…", value_delimiter = ',')]
        intent: Vec<String>,
        /// A regular expression for code; can be repeated
        #[arg(long = "code", value_name = "REGEX")]
        code: Vec<String>,
        /// Stack tags that a project must have
        #[arg(long = "tag", value_name = "TAG,…", value_delimiter = ',')]
        tags: Vec<String>,
        /// info, warning or critical
        #[arg(long, default_value = "warning", value_parser = ["info", "warning", "critical"])]
        severity: String,
    },
    /// Count a gotcha as verified once more
    Verify {
        /// Id of the gotcha
        id: String,
    },
    /// Remove a gotcha of all projects
    Remove {
        /// Id of the gotcha
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Write it to CLAUDE.md, and to AGENTS.md and similar files if they exist
    #[arg(long)]
    pub regenerate: bool,
    /// Only check that it is up to date; exit code 1 if not
    #[arg(long, conflicts_with = "regenerate")]
    pub check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Discard the index first, except when each memory was first seen
    #[arg(long)]
    pub full: bool,
    /// Do not update the block
    #[arg(long)]
    pub no_context: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Also show comments and commit messages, as of the last update
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
    /// Export all registered projects
    #[arg(long)]
    pub all: bool,
    /// Also export the index: when each memory was first seen, its code, relations, sessions
    #[arg(long)]
    pub include_index: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Repair what can be repaired without changing what people wrote
    #[arg(long)]
    pub fix: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Move entries of days before this one [default: 180 days ago]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub before: Option<String>,
    /// Only show what would be moved
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id, as `search`, `parse` and `edges` show it
    pub id: String,
    #[command(flatten)]
    pub path: PathArg,
    /// Only show what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Show a hidden memory again
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
    /// Only list the memories that came with the repository, and whether they are approved
    #[arg(long)]
    pub dry_run: bool,
    /// Withdraw the approval
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
    /// Start the daemon in the background
    Start {
        /// Run in the foreground instead
        #[arg(long, short)]
        foreground: bool,
    },
    /// Stop the daemon
    Stop,
    /// Restart the daemon
    Restart,
    /// Show its state
    Status,
    /// Show its logs, merged by time
    Logs {
        /// Only this log: daemon (starts, blocks, sessions), parser (parsed files), index (index updates), errors
        /// (failures of the others)
        #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(LOGS))]
        only: Option<String>,
        /// Keep showing new lines
        #[arg(long, short)]
        follow: bool,
        /// Lines from the end
        #[arg(long, short = 'n', default_value_t = 20)]
        lines: usize,
    },
    /// Run the daemon in the foreground
    Run,
    /// Print a unit that starts the daemon with each session
    Unit {
        /// The service manager
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
    /// The event
    #[arg(value_parser = HookWords, required = false, default_value = "", hide_default_value = true)]
    pub event: MaybeHook,
    /// Arguments that newer clients may add
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub more: Vec<String>,
}

/// A known event or an unknown word. An unknown event must not fail like an invalid command line, since that exit code
/// would block the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MaybeHook {
    Known(HookWord),
    Unknown(String),
}

/// Parses [`MaybeHook`] and lists the known words.
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
    /// The user submits a prompt
    Prompt,
    /// A file is about to be changed
    PreEdit,
    /// The agent has finished
    Stop,
}
