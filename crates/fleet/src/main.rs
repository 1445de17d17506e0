//! The program `m1nd-fleet`: what `m1nd` does beyond one machine. `m1nd share` and `m1nd team` run it.
//!
//! It has the clients of object stores and databases, with their TLS, so that `m1nd` has none. It does not read code.

mod error;
mod share;
mod team;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use error::FleetError;

/// What m1nd does beyond one machine: shared indexes, memories of a team.
#[derive(Debug, Parser)]
#[command(name = "m1nd-fleet", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Arguments of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Folder of the index and all state of m1nd
    #[arg(long, env = "M1ND_HOME", value_name = "FOLDER", hide_env = true)]
    pub home: PathBuf,
    /// Write JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Push, pull and list parts of indexes; for `m1nd share`, which reads the index
    Share(share::ShareArgs),
    /// Memories of a team
    Team(team::TeamArgs),
}

fn main() -> ExitCode {
    let Cli { common, command } = Cli::parse();
    let done = match &command {
        Command::Share(args) => share::run(args, &common),
        Command::Team(args) => team::run(args, &common),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error, common.json);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes an error: for programs as JSON to standard output, else as a line to standard error.
fn report(error: &FleetError, json: bool) {
    // Nobody is left to tell if the output is closed.
    let _ = match json {
        true => writeln!(std::io::stdout(), "{}", error.to_json()),
        false => writeln!(std::io::stderr(), "error: {error}\n  next: {}", error.next()),
    };
}
