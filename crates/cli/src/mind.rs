//! The program `mind`: starts `m1nd`, which stands beside it, under this name. One program does the work.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The program that does the work.
const PROGRAM: &str = "m1nd";
/// What a shell answers when a program is not there.
const NOT_FOUND: u8 = 127;

fn main() -> ExitCode {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let beside = here.and_then(|this| Some(this.parent()?.join(&name))).filter(|path| path.is_file());
    start(Command::new(beside.unwrap_or_else(|| PathBuf::from(name))))
}

/// Under its own name, so that its help says what people type.
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

#[allow(clippy::print_stderr, reason = "there is nobody else to tell")]
fn not_started(error: &std::io::Error) -> ExitCode {
    eprintln!("error: cannot start `{PROGRAM}`, which does the work of `mind`: {error}; put both in one folder");
    ExitCode::from(NOT_FOUND)
}
