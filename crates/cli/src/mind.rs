//! The program `mind`: starts the `m1nd` beside it under this name.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The program to start.
const PROGRAM: &str = "m1nd";
/// Exit code of a shell if a program does not exist.
const NOT_FOUND: u8 = 127;

fn main() -> ExitCode {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let beside = here.and_then(|this| Some(this.parent()?.join(&name))).filter(|path| path.is_file());
    start(Command::new(beside.unwrap_or_else(|| PathBuf::from(name))))
}

/// Starts the program under the name `mind`, so that its help shows the command that people type.
#[cfg(unix)]
fn start(mut command: Command) -> ExitCode {
    use std::os::unix::process::CommandExt;

    let error = command.arg0("mind").args(std::env::args_os().skip(1)).exec();
    not_started(&error)
}

#[cfg(not(unix))]
fn start(mut command: Command) -> ExitCode {
    match command.arg("memory").args(std::env::args_os().skip(1)).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => not_started(&error),
    }
}

#[allow(clippy::print_stderr, reason = "there is no other output")]
fn not_started(error: &std::io::Error) -> ExitCode {
    eprintln!("error: cannot start `{PROGRAM}`, which `mind` requires: {error}; install both in one folder");
    ExitCode::from(NOT_FOUND)
}
