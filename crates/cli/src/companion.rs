//! The program `m1nd-fleet`, which has the network clients that this one does without.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::args::Common;
use crate::error::CliError;
use crate::project;

/// Its name.
const PROGRAM: &str = "m1nd-fleet";

/// An error that it reports.
#[derive(Deserialize)]
struct Reported {
    message: String,
    #[serde(default)]
    next: String,
}

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
            "put it beside `m1nd`: unpack m1nd-fleet-VERSION-PLATFORM of the release, or in a checkout of the same version: cargo install --path crates/fleet",
        )
    })
}

/// Passes a request to it and returns its answer, or the error that it reports.
pub(crate) fn ask(common: &Common, arguments: &[&str], request: &Value) -> Result<Value, CliError> {
    let broken = |why: String| {
        CliError::fail(format!("`{PROGRAM}` does not answer: {why}"), format!("install `{PROGRAM}` again"))
    };
    let mut command = build_command(&Common { json: true, ..common.clone() })?;
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| broken(error.to_string()))?;
    // A program that ended already says why in its answer.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(request.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| broken(error.to_string()))?;
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| broken(error.to_string()))?;
    match answer.get("error").map(Reported::deserialize) {
        Some(reported) => {
            let Reported { message, next } = reported.map_err(|error| broken(error.to_string()))?;
            Err(CliError::fail(message, next))
        }
        None => Ok(answer),
    }
}

/// Runs it with these arguments and the input and output of this process.
pub(crate) fn pass_on(
    common: &Common,
    first: &str,
    arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
) -> Result<(), CliError> {
    let mut command = build_command(common)?;
    let status = command.arg(first).args(arguments).status().map_err(|error| {
        CliError::fail(format!("cannot start `{PROGRAM}`: {error}"), format!("install `{PROGRAM}` again"))
    })?;
    match status.code() {
        Some(0) => Ok(()),
        code => Err(CliError::Companion(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}
