//! `mind mcp` and `mind hook`.

use std::io::Read;
use std::path::PathBuf;

use m1nd_mind::{HookEvent, Keeper, hook};
use m1nd_server::{ServeOptions, serve};
use m1nd_tools::{Services, Toolset};
use serde_json::Value;

use crate::args::Common;
use crate::args::memory::{HookWord, MaybeHook};
use crate::error::CliError;
use crate::output::{Out, note};
use crate::project::{self, memory_places, mind_home};

/// Maximum input of a hook, in bytes.
const MAX_INPUT: u64 = 8 << 20;

/// `mind mcp`: the memory tools and no others. The code index is only read.
pub(crate) fn mcp(common: &Common) -> Result<(), CliError> {
    let (mut config, _) = project::load_config(common, vec![project::root(None)?], false)?;
    config.read_only = true;
    let mind = memory_places(&config.roots, false)?;
    super::daemon::autostart(&mind.home, common);
    let services = Services::open(config, mind)?;
    let options = ServeOptions { name: "mind", only: Some(Toolset::Memory), ..ServeOptions::default() };
    serve(&services, options, std::io::stdin(), std::io::stdout())
        .map_err(|error| CliError::fail(error.to_string(), "restart the server"))
}

/// `mind hook`. Errors are only logged, since a hook must not block the agent.
pub(crate) fn answer(event: &MaybeHook, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let event = match event {
        MaybeHook::Known(event) => *event,
        MaybeHook::Unknown(word) => {
            note(format!("unknown hook `{word}`, no answer"));
            return Ok(());
        }
    };
    // Always exit code 0, since others have a meaning for the client: 2 blocks the action of the agent.
    match answer_hook(event, common) {
        Ok(Some(answer)) => drop(out.line(answer.to_string())),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the hook has no answer"),
    }
    Ok(())
}

fn answer_hook(event: HookWord, common: &Common) -> Result<Option<Value>, CliError> {
    let event = match event {
        HookWord::SessionStart => HookEvent::SessionStart,
        HookWord::Prompt => HookEvent::Prompt,
        HookWord::PreEdit => HookEvent::PreEdit,
        HookWord::Stop => HookEvent::Stop,
    };
    let mut text = String::new();
    // Input that is not text has no answer.
    let _ = std::io::stdin().take(MAX_INPUT).read_to_string(&mut text);
    let input: Value = serde_json::from_str(&text).unwrap_or_default();
    let open = std::env::var_os("CLAUDE_PROJECT_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let places: Vec<PathBuf> = open.into_iter().collect();
    let home = mind_home()?;
    let keeper = Keeper::new(&home, Some(&project::home(common)?));
    Ok(hook(&keeper, event, &input, &places)?)
}
