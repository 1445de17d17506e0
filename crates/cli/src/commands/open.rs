//! `m1nd open`: the page of a project in the browser.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use m1nd_http::{Token, find_instance, write_redirect};

use crate::args::{Common, OpenArgs};
use crate::error::CliError;
use crate::output::Out;
use crate::project;

/// How long a new server may take until it listens: it opens the index before.
const START: Duration = Duration::from_secs(60);
/// Interval of looks whether it does.
const LOOK: Duration = Duration::from_millis(50);
/// How long a server that this command starts goes on without clients, in seconds.
const IDLE_SECONDS: &str = "1800";
/// Environment variables of a screen.
const SCREENS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// Runs the command.
pub(crate) fn run(args: &OpenArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    let home = project::home(common)?;
    let failed = |error: m1nd_http::StoreError| {
        CliError::fail(error.to_string(), "make the folder usable, or choose another with --home")
    };
    let url = match find_instance(&home, &root).map_err(failed)? {
        Some(instance) => instance.url,
        None => start_server(&home, &root, common)?,
    };
    let token = Token::load(&home).map_err(failed)?;
    let address = format!("{url}/#token={}", token.text());
    out.line(&address)?;
    if !args.print && has_screen() {
        // Not the address itself, which other users would see in the list of processes.
        let file = write_redirect(&home, &address).map_err(failed)?;
        if let Err(error) = open_in_browser(&file) {
            tracing::warn!(%error, "no browser was started: open the address yourself");
        }
    }
    Ok(())
}

/// Starts a server that outlives this command, and waits until it listens.
#[allow(clippy::disallowed_methods, reason = "the wait has a limit")]
fn start_server(home: &Path, root: &Path, common: &Common) -> Result<String, CliError> {
    let failed = |why: String| CliError::fail(why, "start it yourself: m1nd serve --http");
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(["serve", "--http", "--idle", IDLE_SECONDS, "--root"]).arg(root).arg("--home").arg(home);
    if let Some(model) = &common.model {
        command.arg("--model").arg(model);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir(root);
    // Not in the process group of the terminal, so that keys typed there do not stop it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut server = command.spawn().map_err(|error| failed(format!("the server cannot be started: {error}")))?;
    let started = Instant::now();
    while started.elapsed() < START {
        if let Ok(Some(instance)) = find_instance(home, root) {
            return Ok(instance.url);
        }
        if let Ok(Some(status)) = server.try_wait() {
            return Err(failed(format!("the server ended at its start ({status})")));
        }
        std::thread::sleep(LOOK);
    }
    Err(failed("the server did not start in time".to_owned()))
}

/// Returns whether there is a screen to open a browser on.
fn has_screen() -> bool {
    cfg!(not(target_os = "linux")) || SCREENS.iter().any(|name| std::env::var_os(name).is_some_and(|at| !at.is_empty()))
}

/// Opens a file in the browser of the user.
fn open_in_browser(file: &Path) -> std::io::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(|_| ())
}
