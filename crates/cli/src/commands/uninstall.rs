//! `m1nd uninstall`: shows what m1nd wrote, asks for confirmation, removes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::init::{Plan, accept, plan_removal, remove, show_plans};
use crate::args::{Common, UninstallArgs};
use crate::clients::{Backups, Client, hooks_file, list_agents_files};
use crate::error::CliError;
use crate::output::{Out, Tone, note};
use crate::project;

/// What m1nd creates in the folder of the index. Other files there are kept: a person wrote them.
const OWN: &[&str] = &["projects", "cache", "extracting", "readable-folders", "savings", "http", "backups"];
/// What is never removed.
const KEPT: &str = "kept: memories (`.mind/` in projects, MIND_HOME) and `settings.toml`";
/// The last step.
const LAST: &str = "done; now remove the program with what installed it: pip, uv, npm, apt, brew or cargo uninstall";

/// Runs the command.
pub(crate) fn run(args: &UninstallArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    let home = project::home(common)?;
    let backups = Backups::new(&home);
    // Configuration of this project, and of all others in which m1nd changed a file.
    let mut roots: BTreeSet<PathBuf> = backups.list().iter().filter_map(|file| find_project(file)).collect();
    roots.insert(root);
    let mut plans: Vec<Plan> = Vec::new();
    for root in &roots {
        // Files of the user's home belong to every project.
        for plan in plan_removal(&[], root, &backups)? {
            if plans.iter().all(|other| other.file() != plan.file()) {
                plans.push(plan);
            }
        }
    }
    let own: Vec<PathBuf> =
        OWN.iter().map(|name| home.join(name)).filter(|path| path.symlink_metadata().is_ok()).collect();
    show_plans(&plans, out)?;
    for path in &own {
        let line = format!("index  {} (removed)", path.display());
        if out.json { note(line) } else { out.line(line)? }
    }
    let accepted = accept(&plans, own.len(), args.yes, args.dry_run)?;
    if accepted {
        remove(&plans, &backups)?;
        own.iter().try_for_each(|path| remove_own(path))?;
        // Only if nothing else is in it.
        let _ = std::fs::remove_dir(&home);
    }
    if out.json {
        let files: Vec<&Path> = plans.iter().map(Plan::file).collect();
        return out.value(&json!({"removed": accepted, "files": files, "index": own}));
    }
    match (accepted, plans.is_empty() && own.is_empty()) {
        (false, _) => out.line("nothing was removed"),
        (true, true) => out.line("nothing to do"),
        (true, false) => {
            out.line(KEPT)?;
            out.line(out.paint(Tone::Good, LAST))
        }
    }
}

/// The project whose client or hooks this file configures.
fn find_project(file: &Path) -> Option<PathBuf> {
    let is_of = |root: &&Path| {
        hooks_file(root) == file
            || list_agents_files(root).any(|other| other == file)
            || Client::all().any(|client| client.file(root, None).as_deref() == Some(file))
    };
    file.ancestors().skip(1).find(is_of).map(Path::to_path_buf)
}

fn remove_own(path: &Path) -> Result<(), CliError> {
    let data = path.symlink_metadata();
    let removed = match data.is_ok_and(|data| data.is_dir()) {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::fail(
            format!("cannot remove {}: {error}", path.display()),
            "make the folder writable, then run `m1nd uninstall` again",
        )),
        _ => Ok(()),
    }
}
