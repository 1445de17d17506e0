//! `mind …` and `m1nd memory …`, one file per group of commands.

mod add;
mod approve;
mod ask;
mod config;
mod daemon;
mod logs;
mod look;
mod projects;
mod rows;
mod serve;
mod tidy;

use m1nd_mind::{Registry, SharedFolder};

use crate::args::memory::{MemoryArgs, MemoryCommand};
use crate::args::{self, Common};
use crate::error::CliError;
use crate::output::Out;
use crate::project::mind_home;

/// Runs the command.
pub(crate) fn run(args: &MemoryArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    // Output for programs is never suppressed.
    let is_for_programs = matches!(args.command, MemoryCommand::Hook(_) | MemoryCommand::Completions(_));
    out.quiet = args.quiet && !is_for_programs;
    match &args.command {
        MemoryCommand::Init(args) => projects::init(args, common, out),
        MemoryCommand::Add(args) => add::run(args, common, out),
        MemoryCommand::Remove(args) => projects::remove(args, out),
        MemoryCommand::List => projects::list(out),
        MemoryCommand::Search(args) => ask::search(args, common, out),
        MemoryCommand::Edges(args) => ask::edges(args, common, out),
        MemoryCommand::Status(args) => ask::status(args, common, out),
        MemoryCommand::Context(args) => look::context(args, common, out),
        MemoryCommand::Index(args) => look::index(args, common, out),
        MemoryCommand::Parse(args) => look::parse(args, common, out),
        MemoryCommand::Export(args) => look::export(args, common, out),
        MemoryCommand::Doctor(args) => tidy::doctor(args, common, out),
        MemoryCommand::Archive(args) => tidy::archive(args, common, out),
        MemoryCommand::Forget(args) => tidy::forget(args, common, out),
        MemoryCommand::Approve(args) => approve::run(args, common, out),
        MemoryCommand::Daemon(args) => daemon::run(&args.command, common, out),
        MemoryCommand::Mcp => serve::mcp(common),
        MemoryCommand::Hook(args) => serve::answer(&args.event, common, out),
        MemoryCommand::Config(args) => config::run(args, out),
        MemoryCommand::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut args::memory_command(), "mind", &mut script);
            out.line(String::from_utf8_lossy(&script).trim_end())
        }
    }
}

/// Creates and registers the memory of a project, for `m1nd init --memory`.
pub(crate) fn connect(root: &std::path::Path, common: &Common) -> Result<(), CliError> {
    let done = projects::make(root, None, true, true, common)?;
    done.kept.problems.iter().for_each(crate::output::note);
    Ok(())
}

/// The files that [`connect`] writes.
pub(crate) fn plan_files(root: &std::path::Path) -> Result<Vec<m1nd_mind::Planned>, CliError> {
    Ok(m1nd_mind::plan_files(root, &mind_home()?))
}

fn registry() -> Result<Registry, CliError> {
    Ok(Registry::new(SharedFolder::new(mind_home()?)))
}
