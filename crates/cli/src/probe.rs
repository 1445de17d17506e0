//! Extracts a file in a process of its own: this program, started with [`ARGUMENT`] and the path, with the content on
//! its standard input.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use m1nd_base::{Cancel, Deadline};
use m1nd_engine::{ExtractionProbe, Probed, extract_as_probe};

/// The first argument of such a process.
const ARGUMENT: &str = "--extract-and-exit";
/// How long such a process may run. Extraction has bounds of its own, which are far below.
const MAX_TIME: Duration = Duration::from_secs(60);
/// How long to wait before looking again whether it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// Signals by which code that crashes ends its process: illegal instruction, trap, abort, bus error, arithmetic error,
/// segmentation fault, bad system call.
#[cfg(unix)]
const CRASHES: &[i32] = &[4, 5, 6, 7, 8, 10, 11, 12, 31];

/// Starts this program to extract files.
#[derive(Debug)]
pub(crate) struct ChildProbe;

impl ExtractionProbe for ChildProbe {
    fn probe(&self, path: &str, bytes: &[u8], cancel: &Cancel) -> Probed {
        let run = || -> std::io::Result<Probed> {
            let mut command = Command::new(std::env::current_exe()?);
            command.args([ARGUMENT, path]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn()?;
            // It may crash before it has read everything.
            let _ = child.stdin.take().map(|mut input| input.write_all(bytes));
            wait(&mut child, cancel)
        };
        run().unwrap_or(Probed::Unknown)
    }
}

/// Waits until a process has ended, and ends it if that takes too long.
fn wait(child: &mut Child, cancel: &Cancel) -> std::io::Result<Probed> {
    let deadline = Deadline::after(MAX_TIME);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(classify(status));
        }
        if deadline.is_over() || cancel.is_cancelled() {
            child.kill()?;
            child.wait()?;
            return Ok(Probed::Unknown);
        }
        std::thread::sleep(LOOK);
    }
}

fn classify(status: ExitStatus) -> Probed {
    if status.success() {
        return Probed::Survived;
    }
    #[cfg(unix)]
    let is_crash = std::os::unix::process::ExitStatusExt::signal(&status).is_some_and(|it| CRASHES.contains(&it));
    // Elsewhere a crash is an exit code that no program returns itself.
    #[cfg(not(unix))]
    let is_crash = status.code().is_some_and(|code| !(0..256).contains(&code));
    if is_crash { Probed::Crashed } else { Probed::Unknown }
}

/// Extracts what is on the standard input, if this process was started for that.
pub(crate) fn serve_probe() -> bool {
    let mut arguments = std::env::args().skip(1);
    let (Some(ARGUMENT), Some(path)) = (arguments.next().as_deref(), arguments.next()) else { return false };
    let mut bytes = Vec::new();
    if std::io::stdin().read_to_end(&mut bytes).is_ok() {
        extract_as_probe(&path, &bytes);
    }
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_signals_of_a_crash_count() {
        let end = |signal: &str| Command::new("/bin/sh").args(["-c", &format!("kill -{signal} $$")]).status();
        for (signal, expected) in
            [("SEGV", Probed::Crashed), ("ABRT", Probed::Crashed), ("KILL", Probed::Unknown), ("TERM", Probed::Unknown)]
        {
            assert_eq!(classify(end(signal).expect("a shell")), expected, "{signal}");
        }
        let exit =
            |code: &str| Command::new("/bin/sh").args(["-c", &format!("exit {code}")]).status().expect("a shell");
        assert_eq!((classify(exit("0")), classify(exit("3"))), (Probed::Survived, Probed::Unknown));
    }
}
