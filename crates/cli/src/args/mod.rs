//! The command line: what each command takes, and its help.

pub(crate) mod memory;

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use self::memory::MemoryArgs;
use crate::clients::Client;
use crate::error::Exit;

const EXAMPLES: &str = "\
Examples:
  m1nd ingest                       index this repository and say what is in it
  m1nd call seek --query 'retry a failed request'
  m1nd call impact --node-id src/pool.py --json
  m1nd export --what edges --relation calls > calls.jsonl
  m1nd init                         connect Claude Code, Cursor or VS Code
  m1nd doctor                       find out why something does not work";

const ENVIRONMENT: &str = "\
Environment:
  M1ND_HOME   folder of the index and all state (default ~/.m1nd)
  M1ND_LOG    what to log on standard error, such as `info` or `m1nd_engine=debug`
  NO_COLOR    no colours, whatever the output is";

/// The command line with everything that its help shows.
pub(crate) fn command() -> clap::Command {
    let rows = Exit::TABLE.iter().map(|(exit, meaning)| format!("  {:3}  {meaning}\n", *exit as u8));
    let codes: String = rows.collect();
    Cli::command().after_help(format!("{EXAMPLES}\n\nExit codes:\n{codes}\n{ENVIRONMENT}"))
}

/// The name under which the program is `m1nd memory`.
const MEMORY_NAME: &str = "mind";

// The command line of `mind`: that of `m1nd memory`, under its own name. Its help is that of the commands.
#[derive(Debug, Parser)]
#[command(name = MEMORY_NAME, version, max_term_width = 100)]
struct Mind {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The command line of `mind` with everything that its help shows.
pub(crate) fn memory_command() -> clap::Command {
    Mind::command()
}

/// Whether the program was started as `mind`.
pub(crate) fn is_called_mind() -> bool {
    let called = std::env::args_os().next().map(PathBuf::from);
    called.as_deref().and_then(std::path::Path::file_stem).is_some_and(|name| name == MEMORY_NAME)
}

/// Reads the command line, under whichever name the program was started; ends the process if it cannot be used.
pub(crate) fn read() -> Cli {
    if !is_called_mind() {
        return Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    }
    let Mind { common, memory } = Mind::parse();
    Cli { common, command: Some(Command::Memory(memory)) }
}

/// A graph of your code that coding agents can ask.
///
/// m1nd indexes a repository on this machine and answers over MCP: where something is, how two things are connected,
/// what depends on a place. Without a command it serves MCP when started by a client, and shows this help in a
/// terminal.
#[derive(Debug, Parser)]
#[command(name = "m1nd", version, max_term_width = 100, subcommand_required = false)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Folder of the index and all state [default: ~/.m1nd]
    #[arg(long, global = true, env = "M1ND_HOME", value_name = "FOLDER", hide_env = true)]
    pub home: Option<PathBuf>,
    /// Folder of a model of meaning (model2vec or BERT) that orders the best matches anew
    #[arg(long, global = true, env = "M1ND_MODEL", value_name = "FOLDER", hide_env = true)]
    pub model: Option<PathBuf>,
    /// Write JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index a repository and say what is in it
    #[command(display_order = 1)]
    Ingest(IngestArgs),
    /// Show what is indexed and how fresh it is
    #[command(display_order = 2)]
    Status(PathArg),
    /// Call a tool, as an agent would
    #[command(display_order = 3, disable_help_flag = true)]
    Call(CallArgs),
    /// Serve MCP to a client over standard input and output
    #[command(display_order = 4)]
    Serve(ServeArgs),
    /// Connect the MCP clients of this project, after showing the change
    #[command(display_order = 5)]
    Init(InitArgs),
    /// Look for what keeps m1nd from working, and say what to do
    #[command(display_order = 6)]
    Doctor(PathArg),
    /// Write the graph as rows, for programs that check or reuse it
    #[command(display_order = 7)]
    Export(ExportArgs),
    #[command(display_order = 8, visible_alias = "mind")]
    Memory(MemoryArgs),
    /// Print the completions of a shell
    #[command(display_order = 9)]
    Completions(CompletionsArgs),
}

/// The repository to work on.
#[derive(Debug, Clone, Args)]
pub(crate) struct PathArg {
    /// The repository [default: the one around the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Look only at files whose size or time changed
    #[arg(long)]
    pub incremental: bool,
    /// Index hidden files and folders, too
    #[arg(long)]
    pub include_hidden: bool,
    /// Then take in an index that a compiler's indexer wrote of this code (SCIP); what it says of a reference replaces
    /// what m1nd found, until the file is edited
    #[arg(long, value_name = "FILE")]
    pub scip: Option<PathBuf>,
    /// Then drop the indexes that were taken in with --scip
    #[arg(long, conflicts_with = "scip")]
    pub scip_drop: bool,
    /// Threads to read and parse with [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// No progress, only the summary
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name of the tool; without one the tools are listed
    #[arg(value_name = "TOOL", allow_hyphen_values = true)]
    pub tool: Option<String>,
    /// The tool's arguments as flags (`--top-k 5`) or as JSON (`--json '{"top_k": 5}'`); `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args, Default)]
pub(crate) struct ServeArgs {
    /// Serve over standard input and output (the only way so far, and the default)
    #[arg(long)]
    pub stdio: bool,
    /// A folder that may be indexed and read; can be given several times [default: the repository around the current
    /// folder]
    #[arg(long = "root", value_name = "PATH")]
    pub roots: Vec<PathBuf>,
    /// Do not watch the files; the index changes only when `ingest` is called
    #[arg(long)]
    pub no_watch: bool,
    /// Refuse every tool that changes something
    #[arg(long)]
    pub read_only: bool,
    /// Form of the answers: `text` is compact, for models; `json` for programs
    #[arg(long, value_name = "FORM", default_value = "json", value_parser = ["json", "text"])]
    pub format: String,
    /// Toolsets to list, separated by commas; the other tools can still be called [default: all]
    #[arg(long, value_name = "SET,…", value_delimiter = ',')]
    pub toolset: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Connect this client, whether it was found or not; can be given several times
    #[arg(long = "client", value_enum, value_name = "CLIENT")]
    pub clients: Vec<Client>,
    /// Make a memory for this project, too (`.mind/MEMORY.md`, a block in CLAUDE.md), and the hooks of Claude Code that
    /// show it
    #[arg(long)]
    pub memory: bool,
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
}

/// The index is brought up to date first. Rows go to standard output, progress to standard error.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Which rows
    #[arg(long, value_enum, default_value = "edges")]
    pub what: ExportWhat,
    /// Edges of these relations only, separated by commas, such as `calls,inherits` [default: all]
    #[arg(long = "relation", value_name = "RELATION,…", value_delimiter = ',')]
    pub relations: Vec<String>,
    /// How sure an edge must be [default: all, also those out of the repository]
    #[arg(long, value_enum)]
    pub tier: Option<ExportTier>,
    /// One row a line, or one object [default: jsonl]
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// Files, definitions and packages
    Nodes,
    /// References and containment, with where they are written
    Edges,
    /// One row: version of the format, roots, and how many rows there are
    Meta,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportTier {
    /// Certain ones only
    Certain,
    /// Certain and possible ones
    Possible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A JSON object a line
    Jsonl,
    /// One JSON object with `format_version` and all rows
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}
