//! `mind …` and `m1nd memory …`, one file a group of commands.

mod config;
mod projects;

use std::path::PathBuf;

use m1nd_engine::memory::{Registry, SharedFolder};

use crate::args::{self, Common};
use crate::error::CliError;
use crate::memory_args::{MemoryArgs, MemoryCommand};
use crate::output::Out;

/// Folder that all projects share, below the user's home, when nothing else is said.
const DEFAULT_HOME: &str = ".mind";

/// Runs the command.
pub(crate) fn run(args: &MemoryArgs, _common: &Common, out: &mut Out) -> Result<(), CliError> {
    match &args.command {
        MemoryCommand::Init(args) => projects::init(args, out),
        MemoryCommand::Add(args) => projects::add(args, out),
        MemoryCommand::Remove(args) => projects::remove(args, out),
        MemoryCommand::List => projects::list(out),
        MemoryCommand::Config(args) => config::run(args, out),
        MemoryCommand::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut args::memory_command(), "mind", &mut script);
            out.line(String::from_utf8_lossy(&script).trim_end())
        }
    }
}

/// The folder that all projects share.
pub(crate) fn mind_home() -> Result<PathBuf, CliError> {
    if let Some(home) = std::env::var_os("MIND_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    user.map(|user| user.join(DEFAULT_HOME)).ok_or_else(|| {
        CliError::usage("this user has no home folder", "say where to keep what all projects share: set MIND_HOME")
    })
}

/// Makes and registers the memory of a project, for `m1nd init --memory`.
pub(crate) fn connect(root: &std::path::Path) -> Result<(), CliError> {
    projects::make(root, None, true, true).map(drop)
}

fn registry() -> Result<Registry, CliError> {
    Ok(Registry::new(SharedFolder::new(mind_home()?)))
}
