//! `m1nd lock`: the locks of all agents, for a person.

use m1nd_tools::{HeldLock, held_locks, release_lock};
use serde_json::json;

use crate::args::{Common, LockArgs, LockCommand};
use crate::error::CliError;
use crate::output::Out;
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &LockArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    // Not the index, but what agents hold is changed.
    let services = project::open(common, &root, matches!(args.command, LockCommand::List))?;
    let held = held_locks(&services).map_err(CliError::Tool)?;
    let wanted: Vec<HeldLock> = match &args.command {
        LockCommand::List => return list(out, &held),
        LockCommand::Release { all: true, .. } => held,
        LockCommand::Release { agent: Some(agent), .. } => {
            held.into_iter().filter(|lock| lock.owner == *agent).collect()
        }
        LockCommand::Release { locks, .. } => {
            locks.iter().map(|id| find(&held, id).cloned()).collect::<Result<_, _>>()?
        }
    };
    for lock in &wanted {
        release_lock(&services, lock).map_err(CliError::Tool)?;
    }
    if out.json {
        return out.value(&json!({"released": wanted}));
    }
    if wanted.is_empty() {
        return out.line("There was no such lock");
    }
    wanted.iter().try_for_each(|lock| out.line(format!("released: {} of {}", lock.lock_id, lock.owner)))
}

fn find<'l>(held: &'l [HeldLock], id: &str) -> Result<&'l HeldLock, CliError> {
    held.iter()
        .find(|lock| lock.lock_id == id)
        .ok_or_else(|| CliError::fail(format!("no lock has the id `{id}`"), "see them with `m1nd lock list`"))
}

fn list(out: &mut Out, held: &[HeldLock]) -> Result<(), CliError> {
    if out.json {
        return out.value(&json!({"locks": held}));
    }
    if held.is_empty() {
        return out.line("No agent holds a lock");
    }
    for lock in held {
        let kind = if lock.strict { "refuses writes of others" } else { "warns others" };
        let end = lock.minutes_left.map_or_else(String::new, |minutes| format!(", ends in {minutes} min"));
        let named = lock.nodes.join(", ");
        out.line(format!("{}  {}  {kind}{end}: {named}", lock.lock_id, lock.owner))?;
    }
    Ok(())
}
