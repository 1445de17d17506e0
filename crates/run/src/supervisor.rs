//! A process between this program and a command, so that nothing of the command outlives either: it adopts whatever
//! leaves the command's process group, and ends everything when the command ends or this program does, however that
//! happens.

use std::ffi::OsString;
use std::sync::OnceLock;

/// Words that start the supervisor; the command follows them.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Exit code of a supervisor whose command did not start, and what its standard error begins with then.
pub(crate) const NOT_STARTED: i32 = 125;
pub(crate) const NOT_STARTED_MARK: &str = "\u{1}m1nd: the command does not start: ";

/// Sets how supervisors are started: a program that calls [`supervise`] with the words behind its own. Without this,
/// commands are started directly, and only their process group is ended with them.
pub fn use_supervisor(words: Vec<OsString>) {
    // The first one counts.
    _ = WORDS.set(words);
}

/// The words that start a supervisor; `None` if commands are started directly.
pub(crate) fn words() -> Option<&'static [OsString]> {
    WORDS.get().map(Vec::as_slice).filter(|words| cfg!(target_os = "linux") && !words.is_empty())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};

    use super::{NOT_STARTED, NOT_STARTED_MARK};
    use crate::process::{end_group, has_ended};

    /// Time between two looks at the command.
    const LOOK: Duration = Duration::from_millis(10);
    /// Time between two rounds of ending processes, and the time after which those that are left are given up.
    const ROUND: Duration = Duration::from_millis(5);
    const GIVE_UP: Duration = Duration::from_secs(5);

    /// Runs a command to its end, or until standard input ends because the program that started this one did. Returns
    /// the exit code.
    pub fn supervise(argv: &[OsString]) -> i32 {
        // First, so that nothing the command leaves behind is adopted by anybody else.
        let adopted = set_child_subreaper(Some(getpid()));
        let [program, arguments @ ..] = argv else { return NOT_STARTED };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = match adopted.map_err(std::io::Error::from).and_then(|()| command.spawn()) {
            Ok(child) => child,
            Err(error) => {
                // Without anybody who reads it, the code has to do.
                _ = writeln!(std::io::stderr(), "{NOT_STARTED_MARK}{error}");
                return NOT_STARTED;
            }
        };
        let is_alone = Arc::new(AtomicBool::new(false));
        let noted = is_alone.clone();
        std::thread::spawn(move || {
            let mut nothing = [0; 64];
            while matches!(std::io::stdin().read(&mut nothing), Ok(read) if read > 0) {}
            noted.store(true, Ordering::Release);
        });
        while !has_ended(&mut child) && !is_alone.load(Ordering::Acquire) {
            std::thread::sleep(LOOK);
        }
        let code = end_group(&mut child);
        end_descendants(getpid());
        if code.is_none() {
            // Ended by a signal: so is this process, which has no such code to give.
            _ = kill_process(getpid(), Signal::KILL);
        }
        code.unwrap_or(NOT_STARTED)
    }

    /// Ends everything below a process, as often as something new is there.
    pub(crate) fn end_descendants(of: Pid) {
        let started = Instant::now();
        while started.elapsed() < GIVE_UP {
            let running = descendants(of);
            if running.is_empty() {
                break;
            }
            for pid in running {
                // Fails if it is gone already.
                _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(ROUND);
        }
    }

    /// All processes below one that have not ended.
    fn descendants(of: Pid) -> Vec<Pid> {
        let mut children: BTreeMap<i32, Vec<(i32, bool)>> = BTreeMap::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let Some((parent, has_ended)) = parent_of(pid) else { continue };
            children.entry(parent).or_default().push((pid, has_ended));
        }
        let (mut found, mut open) = (Vec::new(), vec![of.as_raw_pid()]);
        while let Some(next) = open.pop() {
            for (pid, has_ended) in children.remove(&next).unwrap_or_default() {
                open.push(pid);
                found.extend(Pid::from_raw(pid).filter(|_| !has_ended));
            }
        }
        found
    }

    /// The parent of a process, and whether the process has ended and only its number is left.
    fn parent_of(pid: i32) -> Option<(i32, bool)> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name in parentheses may have any character.
        let (_, rest) = text.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let state = words.next()?;
        Some((words.next()?.parse().ok()?, matches!(state, "Z" | "X")))
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::end_descendants;
#[cfg(target_os = "linux")]
pub use linux::supervise;

/// There are no supervisors on this system.
#[cfg(not(target_os = "linux"))]
pub fn supervise(_: &[OsString]) -> i32 {
    NOT_STARTED
}
