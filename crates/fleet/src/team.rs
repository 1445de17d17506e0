//! `m1nd-fleet team`.

use clap::{Args, Subcommand};

use crate::Common;
use crate::error::FleetError;

#[derive(Debug, Args)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

#[derive(Debug, Subcommand)]
enum TeamCommand {}

/// Runs the command.
pub(crate) fn run(args: &TeamArgs, _common: &Common) -> Result<(), FleetError> {
    match args.command {}
}
