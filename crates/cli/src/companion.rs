//! The program `m1nd-fleet`, which has the network clients that this one does without.

use std::path::PathBuf;
use std::process::Command;

use crate::args::Common;
use crate::error::CliError;
use crate::project;

/// Its name.
const PROGRAM: &str = "m1nd-fleet";

/// Creates the command that starts it, with the folder of the store.
pub(crate) fn build_command(common: &Common) -> Result<Command, CliError> {
    let program = find_program()?;
    let mut command = Command::new(program);
    command.arg("--home").arg(project::home(common)?);
    if common.json {
        command.arg("--json");
    }
    Ok(command)
}

/// The program beside this one, else on `PATH`.
fn find_program() -> Result<PathBuf, CliError> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok();
    // A link to this program may stand in another folder than its target.
    let target = this.as_ref().and_then(|this| std::fs::canonicalize(this).ok());
    let beside = [this, target].into_iter().flatten().filter_map(|this| Some(this.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let found = beside.chain(on_path).map(|folder| folder.join(&name)).find(|file| file.is_file());
    found.ok_or_else(|| {
        CliError::fail(
            format!("this command needs the program `{PROGRAM}`, which is neither beside `m1nd` nor on PATH"),
            format!("install `{PROGRAM}` of the same release into the folder of `m1nd`"),
        )
    })
}

/// Runs it with these arguments, the input and output of this process, and returns its exit code.
pub(crate) fn run_with(common: &Common, first: &str, arguments: &[std::ffi::OsString]) -> Result<u8, CliError> {
    let mut command = build_command(common)?;
    let status = command.arg(first).args(arguments).status().map_err(|error| {
        CliError::fail(format!("cannot start `{PROGRAM}`: {error}"), format!("install `{PROGRAM}` again"))
    })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
