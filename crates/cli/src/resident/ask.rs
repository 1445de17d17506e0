//! The side that asks.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use m1nd_engine::{EngineConfig, ResidentPlace};
use m1nd_mind::MindConfig;
use m1nd_tools::ToolDef;
use serde_json::Value;

use super::{ARGUMENT, Answer, MAX_MESSAGE, MemoryPlaces, Question, Request, build, setup};
use crate::args::Common;

/// How long an answer is waited for before the caller answers by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer of the process that keeps this index open; `None` if there is none, or it leaves the answer to the
/// caller.
pub(crate) fn ask(
    config: &EngineConfig,
    mind: &MindConfig,
    tool: &ToolDef,
    arguments: &Value,
    json: bool,
) -> Option<Answer> {
    let stream = ResidentPlace::of(config)?.connect().ok()?;
    let question = Request::Ask(Question {
        build: build(),
        setup: setup(config),
        tool: tool.name.to_owned(),
        arguments: arguments.clone(),
        json,
        memories: MemoryPlaces::new(mind),
    });
    let answer = send(&stream, &question)
        .inspect_err(|error| tracing::debug!(%error, "the resident process did not answer"))
        .ok()?;
    (answer != Answer::Declined).then_some(answer)
}

/// Sends a request and reads the answer.
pub(super) fn send(stream: &UnixStream, request: &Request) -> std::io::Result<Answer> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut output = stream;
    output.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_MESSAGE)).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Starts a process that keeps this index open, unless there is one. Does not wait for it.
pub(crate) fn start(config: &EngineConfig, common: &Common) {
    let Some(root) = config.roots.first() else { return };
    if ResidentPlace::of(config).is_none_or(|place| place.is_taken()) {
        return;
    }
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg(ARGUMENT).arg(root);
        // As they were given, so that it has the same settings from the same sources.
        command.arg(common.home.clone().unwrap_or_default()).arg(common.model.clone().unwrap_or_default());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
        // Not in the process group of the terminal, so that keys typed there do not stop it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    });
    if let Err(error) = started {
        tracing::debug!(%error, "no resident process is started");
    }
}
