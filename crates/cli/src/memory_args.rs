//! The command line of `mind`, which is also `m1nd memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::{CompletionsArgs, PathArg};

/// Decisions, issues, learnings and gotchas of this project, kept in `.mind/MEMORY.md`
///
/// Also installed as `mind`. What you write in `.mind/MEMORY.md` is found by meaning, shown before risky code, and summed up
/// in a marked block of CLAUDE.md and AGENTS.md. Nothing needs a daemon.
#[derive(Debug, Args)]
#[command(after_help = CODES, disable_help_subcommand = true)]
pub(crate) struct MemoryArgs {
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
  MIND_LOG_LEVEL  debug, info, warn or error
  MIND_NO_DAEMON  1: never start a daemon by itself";

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
    /// Print where the file is, for an editor
    Path,
}
