//! The command line: arguments and help of each command.

pub(crate) mod memory;
#[cfg(test)]
mod pages;
pub(crate) mod share;
pub(crate) mod tools;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use m1nd_http::Address;

use self::memory::MemoryArgs;
use self::share::{ShareArgs, TeamArgs};
use self::tools::ToolArgs;
use crate::clients::Client;
use crate::error::Exit;

const EXAMPLES: &str = "\
Examples:
  m1nd ingest                       index this repository and show a summary
  m1nd seek retry a failed request  find code by meaning and words
  m1nd callers Pool.acquire         who calls it
  m1nd impact src/pool.py --json    what depends on a file
  m1nd export --what edges --relation calls > calls.jsonl
  m1nd init                         connect Claude Code, Cursor, Codex and others
  m1nd doctor                       diagnose problems";

const ENVIRONMENT: &str = "\
Environment:
  M1ND_HOME   folder of the index and all state (default ~/.m1nd)
  M1ND_LOG    log filter for standard error, such as `info` or `m1nd_engine=debug`
  M1ND_PAGER  pager of long answers (default PAGER; none if empty or `cat`)
  M1ND_NO_DAEMON  as --no-daemon
  NO_COLOR    disable colours";

/// The command line, with everything in its help.
pub(crate) fn command() -> clap::Command {
    let rows = Exit::TABLE.iter().map(|(exit, meaning)| format!("  {:3}  {meaning}\n", *exit as u8));
    let codes: String = rows.collect();
    Cli::command()
        .subcommands(tools::commands())
        .after_help(format!("{EXAMPLES}\n\nExit codes:\n{codes}\n{ENVIRONMENT}"))
}

/// The command line with every flag of every tool: for completions and the man page, not for parsing.
pub(crate) fn build_documented() -> clap::Command {
    let names = m1nd_tools::ALL.iter().map(|tool| tool.name);
    let with_names = |call: clap::Command| {
        call.mut_arg("tool", |tool| tool.value_parser(PossibleValuesParser::new(names)))
            .mut_arg("arguments", |words| words)
    };
    tools::with_commands().fold(command().mut_subcommand("call", with_names), |all, (tool, command)| {
        all.mut_subcommand(command.name, |_| tools::build_documented(tool, Some(command)))
    })
}

/// The name under which the program is `m1nd memory`.
const MEMORY_NAME: &str = "mind";

// Like `m1nd memory`, under its own name. Not a doc comment, since that would replace the help of the commands.
#[derive(Debug, Parser)]
#[command(name = MEMORY_NAME, version, max_term_width = 100)]
struct Mind {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The command line of `mind`, with everything in its help.
pub(crate) fn memory_command() -> clap::Command {
    Mind::command()
}

/// Returns whether the program was started as `mind`.
pub(crate) fn is_called_mind() -> bool {
    let called = std::env::args_os().next().map(PathBuf::from);
    called.as_deref().and_then(std::path::Path::file_stem).is_some_and(|name| name == MEMORY_NAME)
}

/// Parses the command line, under either name of the program. Exits the process if it is invalid.
pub(crate) fn read() -> Cli {
    if !is_called_mind() {
        let matches = command().get_matches_from(tools::ask_for_help(std::env::args_os().collect()));
        let cli = match tools::read(&matches) {
            Some(args) => {
                Common::from_arg_matches(&matches).map(|common| Cli { common, command: Some(Command::Tool(args)) })
            }
            None => Cli::from_arg_matches(&matches),
        };
        return cli.unwrap_or_else(|error| error.exit());
    }
    let Mind { common, memory } = Mind::parse();
    Cli { common, command: Some(Command::Memory(memory)) }
}

/// A graph of your code for coding agents.
///
/// m1nd indexes a repository on this machine and answers over MCP: where something is, how two things are connected,
/// what depends on it. Without a command, it serves MCP if started by a client, and shows this help in a terminal.
#[derive(Debug, Parser)]
#[command(name = "m1nd", version = crate::version::VERSION, max_term_width = 100, subcommand_required = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Arguments of every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Common {
    /// Folder of the index and all state [default: ~/.m1nd]
    #[arg(long, global = true, env = "M1ND_HOME", value_name = "FOLDER", hide_env = true)]
    pub home: Option<PathBuf>,
    /// Folder of an embedding model (model2vec or BERT) that reorders the best matches
    #[arg(long, global = true, env = "M1ND_MODEL", value_name = "FOLDER", hide_env = true)]
    pub model: Option<PathBuf>,
    /// Write JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
    /// Colours: `auto` is on a terminal and without NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: ColorChoice,
    /// Do not show long answers of tools through a pager
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Answer in this process: neither ask nor start one that keeps the index open
    #[arg(long, global = true)]
    pub no_daemon: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index a repository and show a summary
    #[command(display_order = 1)]
    Ingest(IngestArgs),
    /// Show what is indexed and how fresh it is
    #[command(display_order = 2)]
    Status(PathArg),
    /// Call a tool, as an agent would
    #[command(display_order = 60, disable_help_flag = true)]
    Call(CallArgs),
    /// Serve MCP to a client over standard input and output, or to several over HTTP
    #[command(display_order = 61)]
    Serve(ServeArgs),
    /// Show this project in the browser
    #[command(display_order = 61)]
    Open(OpenArgs),
    /// Connect the MCP clients of this project, after showing the change
    #[command(display_order = 62)]
    Init(InitArgs),
    /// Diagnose problems of m1nd and suggest fixes
    #[command(display_order = 63)]
    Doctor(DoctorArgs),
    /// Say which version this is, how to upgrade it, and what it does with the stored index
    #[command(display_order = 63)]
    Upgrade(UpgradeArgs),
    /// Remove the configuration, index and hooks that m1nd wrote, after showing them
    #[command(display_order = 63)]
    Uninstall(UninstallArgs),
    /// Write the graph as rows, for other programs
    #[command(display_order = 64)]
    Export(ExportArgs),
    /// Draw the modules, layers, or the impact of a symbol as a picture
    #[command(display_order = 48)]
    Map(MapArgs),
    /// Check what changed: declared layers, stored bug patterns, new cycles of folders
    #[command(display_order = 49)]
    Check(CheckArgs),
    /// Check that documents still agree with the code
    #[command(display_order = 49)]
    Docs(DocsArgs),
    /// Name the files that usually change with what the work tree has changed, and did not
    #[command(display_order = 50)]
    Risk(RiskArgs),
    /// Show saved investigations
    #[command(display_order = 51)]
    Trail(TrailArgs),
    /// Allow commands, such as tests, that check what agents write
    #[command(display_order = 52)]
    Verify(VerifyArgs),
    /// Allow agents to write files that other programs run or trust
    #[command(display_order = 52)]
    Write(WriteArgs),
    /// List and release the locks of agents
    #[command(display_order = 52)]
    Lock(LockArgs),
    /// List the repositories that are answered over as one
    #[command(display_order = 52)]
    Workspace(WorkspaceArgs),
    /// Push the index of a commit to an object store, or start from one that others pushed
    #[command(display_order = 65)]
    Share(ShareArgs),
    /// Share memories with a team, through PostgreSQL
    #[command(display_order = 65, disable_help_flag = true)]
    Team(TeamArgs),
    #[command(display_order = 65, visible_alias = "mind")]
    Memory(MemoryArgs),
    /// Print the completions of a shell
    #[command(display_order = 66)]
    Completions(CompletionsArgs),
    /// Print the manual page, for `man -l`
    #[command(display_order = 67)]
    Man,
    #[command(skip)]
    Tool(ToolArgs),
}

/// The repository to work on.
#[derive(Debug, Clone, Args)]
pub(crate) struct PathArg {
    /// The repository [default: the one around the current folder]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
}

/// A check for continuous integration. Exit codes: 0 clean, 1 findings, 2 the check could not be made.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Also check the files that changed since this commit, and compare with it
    #[arg(long, value_name = "REF", default_value = "HEAD", hide_default_value = true)]
    pub since: String,
    /// Compare the work tree with this commit: uses left dangling, calls that do not fit, types, new import cycles,
    /// dependencies against the layers, copies of functions; and stored bug patterns in what changed
    #[arg(long, value_name = "REF", conflicts_with = "since")]
    pub base: Option<String>,
    /// With --base, compare this commit in place of the work tree. Nothing is checked out
    #[arg(long, value_name = "REF", requires = "base")]
    pub head: Option<String>,
    /// With --base, the kinds of findings for which the exit code is 1; the others are only listed
    #[arg(long, value_name = "KIND", value_delimiter = ',', requires = "base", value_parser = PossibleValuesParser::new(FAIL_ON), default_values = FAIL_ON_DEFAULT, hide_default_value = true)]
    pub fail_on: Vec<String>,
    /// Write SARIF 2.1.0 [default: to the standard output]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub sarif: Option<PathBuf>,
    /// Write JUnit XML: a test per kind of finding
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH")]
    pub root: Option<PathBuf>,
}

/// What `--fail-on` takes: the kinds of findings.
const FAIL_ON: [&str; 8] = ["dangling", "arity", "types", "cycle", "layer", "duplicate", "may-break", "bug-pattern"];
/// The kinds for which a check fails by default: what is certain.
const FAIL_ON_DEFAULT: [&str; 6] = ["dangling", "arity", "types", "cycle", "layer", "bug-pattern"];

#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct DocsArgs {
    #[command(subcommand)]
    pub command: DocsCommand,
}

/// Commands of `m1nd docs`.
#[derive(Debug, Subcommand)]
pub(crate) enum DocsCommand {
    /// Find broken links, dead references to code, commands that no longer exist, examples that import nothing
    ///
    /// Reads Markdown, reStructuredText and AsciiDoc. Exit codes: 0 clean, 1 findings, 2 the check could not be made.
    Check(DocsCheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DocsCheckArgs {
    /// Documents or folders, from the top of the repository [default: all documents]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// Leave out what was wrong at this commit already
    #[arg(long, value_name = "REF")]
    pub since: Option<String>,
    /// Also name functions that take other parameters than when a section about them was last touched
    #[arg(long)]
    pub changed_code: bool,
    /// Leave out findings that are less likely to be right
    #[arg(long, value_name = "0..1", default_value_t = 0.6)]
    pub confidence: f64,
    /// Write SARIF 2.1.0
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub sarif: bool,
    /// Write Markdown, for a pull request
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "FOLDER")]
    pub root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Check only files whose size or modification time changed
    #[arg(long)]
    pub incremental: bool,
    /// Also index hidden files and folders
    #[arg(long)]
    pub include_hidden: bool,
    /// Then import a compiler index of this code (SCIP); its targets of references replace those that m1nd found, until
    /// the file is edited
    #[arg(long, value_name = "FILE")]
    pub scip: Option<PathBuf>,
    /// Then remove the indexes imported with --scip
    #[arg(long, conflicts_with = "scip")]
    pub scip_drop: bool,
    /// Threads for reading and parsing [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Show no progress, only the summary
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name of the tool; if omitted, the tools are listed
    #[arg(value_name = "TOOL", allow_hyphen_values = true)]
    pub tool: Option<String>,
    /// The tool's arguments as flags (`--top-k 5`) or as JSON (`--json '{"top_k": 5}'`); `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args, Default)]
pub(crate) struct ServeArgs {
    /// Serve one client over standard input and output (the default)
    #[arg(long, conflicts_with = "http")]
    pub stdio: bool,
    /// Serve any number of clients over HTTP: MCP at `/mcp`, the tools at `/api`, a page for people [default address:
    /// 127.0.0.1, with a free port]
    #[arg(
        long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0", require_equals = false
    )]
    pub http: Option<Address>,
    /// Pass the client on to a running server of this project, so that both share one index; without one, serve it here
    #[arg(long, conflicts_with = "http")]
    pub attach: bool,
    #[command(flatten)]
    pub over_http: HttpArgs,
    /// A folder that may be indexed and read; can be repeated [default: the repository around the current folder]
    #[arg(long = "root", value_name = "PATH")]
    pub roots: Vec<PathBuf>,
    /// Do not watch files; the index changes only when `ingest` is called
    #[arg(long)]
    pub no_watch: bool,
    /// Reject every tool that changes something
    #[arg(long)]
    pub read_only: bool,
    /// Form of the answers: `text` is compact, for models; `json` for programs [default: json]
    #[arg(long, value_name = "FORM", value_parser = ["json", "text"])]
    pub format: Option<String>,
    /// Add `_m1nd` to answers as JSON: the next calls, and memories about their nodes
    #[arg(long)]
    pub envelope: bool,
    /// List the schema of each answer as JSON; clients are then sent each answer twice, as text and as structured
    /// content
    #[arg(long)]
    pub output_schemas: bool,
    /// Toolsets to list, separated by commas, `agent` for those of daily work; the other tools can still be called
    /// [default: all]
    #[arg(long, value_name = "SET,…", value_delimiter = ',')]
    pub toolset: Vec<String>,
}

/// Options of `m1nd serve --http`.
#[derive(Debug, Default, Args)]
pub(crate) struct HttpArgs {
    /// Certificate with its chain, as PEM. An address that other machines reach needs one
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "http")]
    pub tls_cert: Option<PathBuf>,
    /// Key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", requires = "http")]
    pub tls_key: Option<PathBuf>,
    /// Listen on an address that other machines reach without a certificate: everybody on the way can read the token
    #[arg(long, requires = "http")]
    pub insecure: bool,
    /// Another name of this server that clients use; can be repeated
    #[arg(long = "allow-host", value_name = "NAME", requires = "http")]
    pub hosts: Vec<String>,
    /// End when nobody has used the server for this many seconds
    #[arg(long, value_name = "SECONDS", requires = "http")]
    pub idle: Option<u64>,
}

/// Finds the running server of the project, or starts one that ends when nobody uses it.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Only print the address
    #[arg(long)]
    pub print: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Connect this client, even if it was not detected; can be repeated
    #[arg(long = "client", value_enum, value_name = "CLIENT")]
    pub clients: Vec<Client>,
    /// Also create a memory for this project (`.mind/MEMORY.md`, a block in CLAUDE.md), and the Claude Code hooks that
    /// show it
    #[arg(long)]
    pub memory: bool,
    /// Also write a block into AGENTS.md, and into CLAUDE.md and GEMINI.md if they exist, that makes agents and their
    /// subagents ask m1nd
    #[arg(long)]
    pub agents: bool,
    /// Take m1nd out of the files of these clients, or of all clients and hooks of this project
    #[arg(long, conflicts_with_all = ["memory", "agents"])]
    pub remove: bool,
    /// Write without confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Only show what would be written
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Write a report for an issue to a new file: without code, names, paths or secrets
    #[arg(long, value_name = "FILE")]
    pub bundle: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Only report. It is the default: what installed m1nd upgrades it
    #[arg(long)]
    pub check: bool,
    /// Also ask a git repository for the newest release, over the network
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true,
          default_missing_value = env!("CARGO_PKG_REPOSITORY"))]
    pub online: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Remove without confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Only show what would be removed
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

/// For a hook before a commit, or a comment of CI. Each file has a verdict that was measured on the commits of the
/// repository, and the commits that it rests on; `m1nd call predict --help` says how.
#[derive(Debug, Args)]
pub(crate) struct RiskArgs {
    /// Changed files or symbols [default: what differs from the checked-out commit]
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Write Markdown, for a comment
    #[arg(long)]
    pub markdown: bool,
    /// Exit with code 7 if a file has at least this verdict
    #[arg(long, value_enum, default_value = "act", value_name = "VERDICT")]
    pub fail_on: FailOn,
    /// Maximum number of files
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH")]
    pub root: Option<PathBuf>,
}

/// What agents saved with `trail_save`, compared with the present code.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct TrailArgs {
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH", global = true)]
    pub root: Option<PathBuf>,
    #[command(subcommand)]
    pub command: TrailCommand,
}

/// Commands of `m1nd trail`.
#[derive(Debug, Subcommand)]
pub(crate) enum TrailCommand {
    /// Write one as Markdown, for a person or a pull request
    Show {
        /// Its id or label
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List all of them
    List,
}

/// Tools that write files run these commands if they are called with `verify: true`, before and after the write. They
/// are stored outside of the repository, for this project. A repository can propose commands in `m1nd.toml`, and allow
/// none.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct VerifyArgs {
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH", global = true)]
    pub root: Option<PathBuf>,
    #[command(subcommand)]
    pub command: VerifyCommand,
}

/// Commands of `m1nd verify`.
#[derive(Debug, Subcommand)]
pub(crate) enum VerifyCommand {
    /// Allow a command: a program and its arguments, without a shell
    ///
    /// An argument `{tests}` is replaced by the test files that reach a change in the graph, `{test_names}` by the
    /// names of these tests, `{files}` by the changed files, `{dirs}` by the folders of both; `{report}` in an
    /// argument by the path of a report in JUnit's form.
    Allow {
        /// Whether it compiles or tests; commands that test run after those that compile [default: by its words]
        #[arg(long, value_enum)]
        kind: Option<VerifyKind>,
        /// The folder in which it runs, inside the repository [default: its top]
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
        /// Seconds after which it is ended
        #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=3600))]
        timeout: u64,
        /// A variable of the environment that it gets besides the usual ones; can be repeated
        #[arg(long, value_name = "NAME")]
        env: Vec<String>,
        /// The program and its arguments
        #[arg(value_name = "COMMAND", last = true, required = true)]
        command: Vec<String>,
    },
    /// List the allowed commands, and those that the repository proposes
    List,
    /// Take back the permission of a command
    Remove {
        /// Its number in the list
        #[arg(value_name = "NUMBER")]
        number: usize,
    },
}

/// What a command of `m1nd verify` checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyKind {
    /// That it compiles, or its types are right
    Compile,
    /// That tests pass
    Test,
}

impl VerifyKind {
    /// The kind as it is stored.
    pub(crate) const fn kind(self) -> m1nd_run::CheckKind {
        match self {
            Self::Compile => m1nd_run::CheckKind::Compile,
            Self::Test => m1nd_run::CheckKind::Test,
        }
    }
}

/// Files that other programs run or trust without being asked again, such as `.vscode/tasks.json` and
/// `.github/workflows`, are not written by tools of agents before a person allows it. What is allowed is stored outside
/// of the repository, for this repository.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct WriteArgs {
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH", global = true)]
    pub root: Option<PathBuf>,
    #[command(subcommand)]
    pub command: WriteCommand,
}

/// Commands of `m1nd write`.
#[derive(Debug, Subcommand)]
pub(crate) enum WriteCommand {
    /// Allow a file, or all files below a folder
    Allow {
        /// Its path in the repository; it need not exist. With a slash at its end, all below the folder is allowed
        #[arg(value_name = "PATH")]
        path: String,
    },
    /// List what is allowed
    List,
    /// Take back a permission
    Remove {
        /// Its number in the list
        #[arg(value_name = "NUMBER")]
        number: usize,
    },
}

/// Agents lock regions of the code; a strict lock refuses the writes of other agents. A person can release any lock.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct LockArgs {
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH", global = true)]
    pub root: Option<PathBuf>,
    #[command(subcommand)]
    pub command: LockCommand,
}

/// Commands of `m1nd lock`.
#[derive(Debug, Subcommand)]
pub(crate) enum LockCommand {
    /// List the locks of all agents
    List,
    /// Release locks
    Release {
        /// Their ids
        #[arg(value_name = "LOCK", required_unless_present_any = ["agent", "all"])]
        locks: Vec<String>,
        /// All locks of this agent
        #[arg(long, value_name = "NAME", conflicts_with_all = ["locks", "all"])]
        agent: Option<String>,
        /// All locks of all agents
        #[arg(long, conflicts_with = "locks")]
        all: bool,
    },
}

/// The repositories of a workspace.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgs {
    /// Folder of m1nd-workspace.toml [default: the current folder]
    #[arg(long, value_name = "PATH", global = true)]
    pub folder: Option<PathBuf>,
    #[command(subcommand)]
    pub command: WorkspaceCommand,
}

/// Commands of `m1nd workspace`.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// Add a repository, and allow m1nd to read its folder
    Add {
        /// Its folder
        #[arg(value_name = "PATH")]
        path: PathBuf,
        /// Its name, which ids of its files begin with [default: that of its folder]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Remove a repository
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Show the repositories
    List,
    /// Show what of them is indexed
    Status,
}

/// The verdict that makes `m1nd risk` fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Right in at least 80 % of the cases
    Act,
    /// Right in at least 30 % of the cases
    Reverify,
    /// Always exit with code 0
    Never,
}

/// Indexes the repository if it is not yet, and brings the index up to date. A picture has the colours of a light or
/// dark page as the reader's system asks for (PNG: light). Its second line says what is left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  m1nd map --out map.svg                     the modules and what they use
  m1nd map --layers --out layers.html        layers, and the dependencies against them
  m1nd map --impact Pool.acquire --out a.png what a change of a function reaches
  m1nd map --scope src/app                   one folder, as Mermaid on standard output")]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// File to write; its ending says the format [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Format [default: by the ending of the file, else mermaid]
    #[arg(long, value_enum)]
    pub format: Option<MapFormat>,
    /// Draw what a change of this symbol or file reaches
    #[arg(long, value_name = "SYMBOL", conflicts_with_all = ["layers", "scope"])]
    pub impact: Option<String>,
    /// Draw the modules in their layers, declared or inferred, with what contradicts them in red
    #[arg(long)]
    pub layers: bool,
    /// Only files of this folder or glob
    #[arg(long, value_name = "PATH")]
    pub scope: Option<String>,
    /// Maximum number of boxes
    #[arg(long, value_name = "COUNT", default_value_t = m1nd_query::figures::DEFAULT_BOXES)]
    pub limit: usize,
}

/// Formats of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MapFormat {
    /// A picture for documents and pages
    Svg,
    /// A picture of pixels
    Png,
    /// One offline page: pan and zoom
    Html,
    /// Text that Graphviz draws
    Dot,
    /// Text that GitHub and most editors draw
    Mermaid,
}

/// Brings the index up to date first. Rows go to standard output, tables to a folder, progress to standard error.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub path: PathArg,
    /// Kind of rows [default: edges]
    #[arg(long, value_enum)]
    pub what: Option<ExportWhat>,
    /// Only edges of these relations, separated by commas, such as `calls,inherits` [default: all]
    #[arg(long = "relation", value_name = "RELATION,…", value_delimiter = ',')]
    pub relations: Vec<String>,
    /// Minimum certainty of an edge [default: all, including those to external packages]
    #[arg(long, value_enum)]
    pub tier: Option<ExportTier>,
    /// One row per line, one object, or tables in a folder [default: jsonl]
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Folder for the tables of `--format parquet`: DIR/TABLE/repository=NAME/commit=ID/part-0.parquet
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Only these tables, separated by commas, such as `nodes,edges` [default: all]
    #[arg(long, value_name = "TABLE,…", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Name of the repository in the tables [default: the name of the folder]
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    /// Name of the state in the tables [default: the commit that is checked out, else `none`]
    #[arg(long, value_name = "ID")]
    pub commit: Option<String>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportWhat {
    /// Files, definitions and packages
    Nodes,
    /// References and containment, with their locations
    Edges,
    /// One row: format version, roots, and the number of rows
    Meta,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportTier {
    /// Certain edges only
    Certain,
    /// Certain and possible edges
    Possible,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object per line
    Jsonl,
    /// One JSON object with `format_version` and all rows
    Json,
    /// Tables for Spark, DuckDB and DataFusion
    Parquet,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
