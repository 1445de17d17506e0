//! `m1nd-fleet share`.

use clap::{Args, Subcommand};

use crate::Common;
use crate::error::FleetError;

#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    #[command(subcommand)]
    command: ShareCommand,
}

#[derive(Debug, Subcommand)]
enum ShareCommand {}

/// Runs the command.
pub(crate) fn run(args: &ShareArgs, _common: &Common) -> Result<(), FleetError> {
    match args.command {}
}
