//! `mind daemon`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use m1nd_mind::daemon::{self, Request};
use m1nd_mind::{MemoryError, SharedFolder, user_settings};
use serde_json::json;

use super::logs;
use crate::args::Common;
use crate::args::memory::{DaemonCommand, UnitWord};
use crate::error::CliError;
use crate::output::{Out, count};
use crate::project::{self, mind_home};

/// Maximum time until a started daemon answers.
const START: Duration = Duration::from_secs(10);
/// Prefix of the daemon's log line that gives the reason for not starting.
const NOT_STARTED: &str = "daemon: not started: ";
/// Polling interval.
const LOOK: Duration = Duration::from_millis(50);

/// Runs the command.
pub(crate) fn run(command: &DaemonCommand, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let home = mind_home()?;
    match command {
        DaemonCommand::Run | DaemonCommand::Start { foreground: true } => {
            let level = std::env::var("MIND_LOG_LEVEL").ok();
            Ok(daemon::run(&home, Some(&project::home(common)?), level.as_deref())?)
        }
        DaemonCommand::Start { foreground: false } => start(&home, common, out),
        DaemonCommand::Stop => stop(&home, out),
        DaemonCommand::Restart => {
            if daemon::is_running(&home) {
                daemon::stop(&home)?;
            }
            start(&home, common, out)
        }
        DaemonCommand::Status => status(&home, out),
        DaemonCommand::Unit { system } => out.line(unit(*system)?.trim_end()),
        DaemonCommand::Logs { only, follow, lines } => logs::run(&home, only.as_deref(), *follow, *lines, out),
    }
}

fn start(home: &Path, common: &Common, out: &mut Out) -> Result<(), CliError> {
    if daemon::is_running(home) {
        return Err(MemoryError::Daemon("a daemon is running already; `mind daemon status` shows it".into()).into());
    }
    // Errors are reported here, since nobody sees those of a background process.
    daemon::prepare(home)?;
    let mut child = launch(home, common)?;
    let begun = Instant::now();
    while begun.elapsed() < START {
        if daemon::ask(home, &Request::Ping).is_ok() {
            let report = daemon::status(home)?;
            return match out.json {
                true => out.value(&json!({"running": true, "pid": report.pid})),
                false => out.line(format!("started, process {}", report.pid)),
            };
        }
        if let Some(ended) = child.try_wait()? {
            let said = logs::last(home, "errors").filter(|line| line.contains(NOT_STARTED));
            let said = said.as_deref().and_then(|line| line.split_once(NOT_STARTED)).map(|(_, why)| format!(": {why}"));
            let why = format!("the daemon exited immediately ({ended}){}", said.unwrap_or_default());
            return Err(CliError::fail(why, "run `mind daemon run` for the full output"));
        }
        std::thread::sleep(LOOK);
    }
    Err(CliError::fail("the daemon was started but does not answer", "check `mind daemon logs`"))
}

/// Starts the program as a daemon that outlives this process.
fn launch(home: &Path, common: &Common) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(store) = &common.home {
        command.arg("--home").arg(store);
    }
    command.args(["memory", "daemon", "run"]).env("MIND_HOME", home).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not in the process group of the terminal, so that keys typed there do not stop it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Starts a daemon for a server if the user's configuration enables it (`daemon.autostart`), none runs, and
/// `MIND_NO_DAEMON` is not set. Does not wait; a lock decides between concurrent starts.
pub(crate) fn autostart(home: &Path, common: &Common) {
    let is_forbidden = std::env::var_os("MIND_NO_DAEMON").is_some_and(|value| !value.is_empty() && value != "0");
    let (settings, problems) = user_settings(&SharedFolder::new(home.to_owned()));
    for problem in problems {
        tracing::warn!("configuration: {problem}");
    }
    if is_forbidden || !settings.autostart || daemon::is_running(home) {
        return;
    }
    if let Err(error) = launch(home, common) {
        tracing::warn!(%error, "cannot start the daemon; everything works without it");
    }
}

/// The unit that starts the daemon, with its path as a comment. Printed, not installed, since that changes the user's
/// home.
fn unit(system: UnitWord) -> Result<String, CliError> {
    let program = std::env::current_exe()?;
    let program = program.display();
    Ok(match system {
        UnitWord::Systemd => format!(
            "# ~/.config/systemd/user/mind.service, then: systemctl --user enable --now mind.service\n\
             [Unit]\nDescription=Keeps the memory blocks of projects up to date\n\n\
             [Service]\nExecStart=\"{program}\" memory daemon run\nRestart=always\nRestartSec=10\n\n\
             [Install]\nWantedBy=default.target\n"
        ),
        UnitWord::Launchd => format!(
            "<!-- ~/Library/LaunchAgents/com.mind.daemon.plist, then: launchctl load that file -->\n\
             <plist version=\"1.0\"><dict>\n\
             <key>Label</key><string>com.mind.daemon</string>\n\
             <key>ProgramArguments</key><array><string>{program}</string><string>memory</string>\
             <string>daemon</string><string>run</string></array>\n\
             <key>RunAtLoad</key><true/><key>KeepAlive</key><true/>\n\
             </dict></plist>\n"
        ),
    })
}

fn stop(home: &Path, out: &mut Out) -> Result<(), CliError> {
    daemon::stop(home)?;
    if out.json { out.value(&json!({"running": false})) } else { out.line("stopped") }
}

fn status(home: &Path, out: &mut Out) -> Result<(), CliError> {
    let report = daemon::status(home)?;
    if out.json {
        return out.value(&json!({"running": true, "report": report}));
    }
    let now = jiff::Timestamp::now();
    let age = |since: jiff::Timestamp| crate::output::duration(now.duration_since(since).as_millis() as f64);
    out.line(format!("running, process {}, for {}", report.pid, age(report.started_at)))?;
    if let Some(last) = report.last_index {
        out.line(format!("last update after a change {} ago", age(last)))?;
    }
    if let Some(degraded) = &report.degraded {
        out.line(format!("changes are detected late: {degraded}"))?;
    }
    let memories: usize = report.projects.iter().map(|project| project.memories).sum();
    out.line(format!("{}, {}", count(report.projects.len(), "project"), count(memories, "memory")))?;
    for project in &report.projects {
        let last = project.last_activity.map(|last| format!(", {} ago", age(last))).unwrap_or_default();
        let problem = project.problem.as_ref().map(|problem| format!("  ({problem})")).unwrap_or_default();
        out.line(format!("  {}  {}{last}{problem}", project.path.display(), project.state))?;
    }
    Ok(())
}
