//! `m1nd team`: passed on to `m1nd-fleet`.

use crate::args::Common;
use crate::args::share::TeamArgs;
use crate::companion;
use crate::error::CliError;

/// Runs the command.
pub(crate) fn run(args: &TeamArgs, common: &Common) -> Result<(), CliError> {
    companion::pass_on(common, "team", &args.arguments)
}
