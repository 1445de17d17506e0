//! One process with its group: started, watched, ended.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use m1nd_base::Cancel;

use crate::output::{Drain, Kept};
use crate::supervisor::{self, NOT_STARTED, NOT_STARTED_MARK};

/// Time between two looks at a running process.
const LOOK: Duration = Duration::from_millis(10);
/// Time for which output is awaited after the process has ended.
const LINGER: Duration = Duration::from_secs(1);
/// How long a supervisor may take to end a command with all it started.
const SUPERVISED_END: Duration = Duration::from_secs(6);
/// Variables of the environment that a command gets: where programs, their caches and their settings are, and no
/// credentials.
const ENVIRONMENT: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SHELL",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "CARGO_HOME", "CARGO_TARGET_DIR",
    "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "JAVA_HOME",
    "MAVEN_HOME", "GRADLE_USER_HOME", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "VIRTUAL_ENV", "CONDA_PREFIX",
    "PYENV_ROOT", "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "SystemRoot", "SystemDrive", "ComSpec", "PATHEXT",
    "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData",
];
/// Variables that commands get with these values: plain output, and no waiting for a person.
const SET: &[(&str, &str)] = &[("NO_COLOR", "1"), ("CARGO_TERM_COLOR", "never"), ("CI", "1"), ("TERM", "dumb")];

/// A process to run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) argv: &'a [String],
    pub(crate) dir: &'a Path,
    /// Names of further variables to pass on.
    pub(crate) env: &'a [String],
    pub(crate) timeout: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this code; `None` if a signal ended it.
    Exited(Option<i32>),
    TimedOut,
    Cancelled,
    /// It did not start, with the reason.
    NotStarted(String),
}

/// What a process did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) out: Kept,
    pub(crate) err: Kept,
    pub(crate) elapsed: Duration,
}

/// Runs a process to its end, at most for its time.
pub(crate) fn run(job: &Job<'_>, cancel: &Cancel) -> Ran {
    let started = Instant::now();
    let not_started = |why: String| Ran {
        ended: Ended::NotStarted(why),
        out: Kept::default(),
        err: Kept::default(),
        elapsed: started.elapsed(),
    };
    let mut child = match start(job) {
        Ok(child) => child,
        Err(error) => return not_started(format!("`{}` does not start: {error}", job.argv[0])),
    };
    // Open as long as this process lives: its end tells the supervisor to end the command.
    let supervised = child.stdin.take();
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        end_group(&mut child);
        return not_started("its output cannot be read".to_owned());
    };
    let (out, err) = (Drain::start(out), Drain::start(err));
    let is_over = loop {
        if has_ended(&mut child) {
            break None;
        }
        if cancel.is_cancelled() {
            break Some(Ended::Cancelled);
        }
        if started.elapsed() >= job.timeout {
            break Some(Ended::TimedOut);
        }
        std::thread::sleep(LOOK);
    };
    if let Some(input) = supervised {
        drop(input);
        await_supervisor(&mut child);
    }
    // Also after a normal end: what it left behind would go on writing into the project.
    let code = end_group(&mut child);
    let since = Instant::now();
    while !(out.is_done() && err.is_done()) && since.elapsed() < LINGER {
        std::thread::sleep(LOOK);
    }
    let (out, err) = (out.take(), err.take());
    let why = err.text();
    if code == Some(NOT_STARTED)
        && let Some(why) = why.strip_prefix(NOT_STARTED_MARK)
    {
        return not_started(format!("`{}` does not start: {}", job.argv[0], why.trim()));
    }
    Ran { ended: is_over.unwrap_or(Ended::Exited(code)), out, err, elapsed: started.elapsed() }
}

/// Waits until a supervisor has ended everything; ends what it leaves.
fn await_supervisor(child: &mut Child) {
    let since = Instant::now();
    while !has_ended(child) && since.elapsed() < SUPERVISED_END {
        std::thread::sleep(LOOK);
    }
    #[cfg(target_os = "linux")]
    if !has_ended(child)
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
    {
        supervisor::end_descendants(pid);
    }
}

fn start(job: &Job<'_>) -> std::io::Result<Child> {
    let supervisor = supervisor::words();
    let mut command = match supervisor {
        Some([program, words @ ..]) => {
            let mut command = Command::new(program);
            command.args(words).args(job.argv).stdin(Stdio::piped());
            command
        }
        _ => {
            let mut command = Command::new(&job.argv[0]);
            command.args(&job.argv[1..]).stdin(Stdio::null());
            command
        }
    };
    command.current_dir(job.dir).env_clear();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let names = ENVIRONMENT.iter().copied().chain(job.env.iter().map(String::as_str));
    let given = names.filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    command.envs(given).envs(SET.iter().copied());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Whether the process has ended. It is not waited for, so that the number of its group is not given to another.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    match waitid(WaitId::Pid(pid), options) {
        Ok(status) => status.is_some(),
        Err(rustix::io::Errno::INTR) => false,
        Err(_) => true,
    }
}

#[cfg(not(unix))]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Ends what still runs of the group. Returns the exit code of the process if it had ended by itself.
pub(crate) fn end_group(child: &mut Child) -> Option<i32> {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Fails only if the group is gone already.
        _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
    child.wait().ok().and_then(|status| status.code())
}
