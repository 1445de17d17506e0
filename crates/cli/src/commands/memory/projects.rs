//! `mind init`, `add`, `remove`, `list`.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use m1nd_mind::{Keeper, MemoryError, ProjectMemory, SharedFolder, write_blocks};
use serde_json::json;

use super::look::counts;
use super::registry;
use crate::args::memory::MemoryInit;
use crate::args::{Common, PathArg};
use crate::error::CliError;
use crate::output::{Out, Tone, count, note};
use crate::project::{self, mind_home};

/// Maximum size of a template, in bytes.
const MAX_TEMPLATE: u64 = 1 << 20;

/// `mind init`.
pub(crate) fn init(args: &MemoryInit, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let folder = project::root(args.path.path.as_deref())?;
    let template = args.template.as_deref().map(template).transpose()?;
    let done = make(&folder, template.as_deref(), !args.no_register, !args.no_claude_md, common)?;
    for problem in &done.kept.problems {
        note(problem);
    }
    if out.json {
        return out.value(&json!({
            "project": done.made.project, "new": done.made.is_new, "registered": done.registered, "stack": done.stack,
            "blocks_written": done.kept.written, "problems": done.kept.problems,
        }));
    }
    let file = done.made.project.join(".mind/MEMORY.md");
    let what = if done.made.is_new { "created" } else { "unchanged" };
    out.line(format!("{}  {what}", file.display()))?;
    for path in &done.kept.written {
        out.line(format!("{}  contains the block", path.display()))?;
    }
    if !done.stack.is_empty() {
        out.line(format!("stack: {}", done.stack.join(", ")))?;
    }
    if done.registered {
        out.line("registered; write to MEMORY.md as you work: it is read automatically")?;
    }
    Ok(())
}

/// Result of [`make`].
pub(super) struct Connected {
    pub(super) made: m1nd_mind::Made,
    /// Stack tags of the project.
    pub(super) stack: Vec<String>,
    /// Whether the project is newly registered.
    pub(super) registered: bool,
    /// Files whose block was written, and problems with others.
    pub(super) kept: m1nd_mind::Kept,
}

/// Creates what is missing: the memory, its registration, the block.
pub(super) fn make(
    folder: &Path,
    template: Option<&str>,
    register: bool,
    block: bool,
    common: &Common,
) -> Result<Connected, CliError> {
    let home = mind_home()?;
    let made = m1nd_mind::make(folder, &home, template)?;
    let keeper = Keeper::new(&home, Some(&project::home(common)?));
    // The user asks for it, which approves existing memories, including comments and commits.
    keeper.approve(&made.project, &[], Some(!block))?;
    let memory = ProjectMemory::read(&made.project, keeper.home())?;
    let stack = memory.stack_tags();
    let registered = register && registry()?.add(&made.project, &stack, Timestamp::now())?;
    let kept = if block { write_blocks(&memory) } else { m1nd_mind::Kept::default() };
    Ok(Connected { made, stack, registered, kept })
}

fn template(path: &Path) -> Result<String, CliError> {
    let unusable = |why: String| {
        CliError::usage(format!("cannot use the template {}: {why}", path.display()), "pass a readable text file")
    };
    match std::fs::metadata(path) {
        Ok(data) if data.len() > MAX_TEMPLATE => {
            return Err(unusable(format!("it is larger than {MAX_TEMPLATE} bytes")));
        }
        _ => {}
    }
    std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))
}

/// `mind add` with folders.
pub(super) fn add(folders: &[String], out: &mut Out) -> Result<(), CliError> {
    let paths: Vec<PathBuf> = match folders {
        [] => vec![PathBuf::from(".")],
        folders => folders.iter().map(PathBuf::from).collect(),
    };
    let (registry, home) = (registry()?, mind_home()?);
    let (mut rows, mut skipped) = (Vec::new(), None);
    for path in &paths {
        match m1nd_mind::find_project(path, &home) {
            Ok(project) => {
                let keeper = Keeper::new(&home, None);
                keeper.approve(&project, &[], None)?;
                let stack = ProjectMemory::read(&project, keeper.home())?.stack_tags();
                let is_new = registry.add(&project, &stack, Timestamp::now())?;
                rows.push((project, if is_new { "registered" } else { "already registered" }));
            }
            Err(error) => {
                note(format!("{}: skipped: {error}", path.display()));
                skipped = Some(error);
            }
        }
    }
    if out.json && !rows.is_empty() {
        out.value(&rows.iter().map(|(path, state)| json!({"path": path, "state": state})).collect())?;
    } else if !out.json {
        for (path, state) in &rows {
            out.line(format!("{}  {state}", path.display()))?;
        }
    }
    // Only an error if no project was registered.
    match skipped {
        Some(error) if rows.is_empty() => Err(error.into()),
        _ => Ok(()),
    }
}

/// `mind remove`.
pub(crate) fn remove(args: &PathArg, out: &mut Out) -> Result<(), CliError> {
    let path = args.path.clone().unwrap_or_else(|| ".".into());
    let project = match m1nd_mind::find_project(&path, &mind_home()?) {
        Ok(project) => project,
        // The folder may no longer exist, so its path is used as given.
        Err(_) => std::path::absolute(&path)?,
    };
    let removed = registry()?.remove(&project)?;
    Keeper::new(&mind_home()?, None).disapprove(&project, &[])?;
    if !removed {
        return Err(MemoryError::NoProject { cwd: project }.into());
    }
    match out.json {
        true => out.value(&json!({"path": project, "state": "removed"})),
        false => out.line(format!("{}  removed; its files are kept", project.display())),
    }
}

/// `mind list`.
pub(crate) fn list(out: &mut Out) -> Result<(), CliError> {
    let projects = registry()?.list()?;
    let home = SharedFolder::new(mind_home()?);
    // `None` for an unreadable memory, which is not a count of 0.
    let memories = |path: &Path| ProjectMemory::read(path, &home).ok();
    // Without a daemon no activity is recorded, so the modification time of the file counts too.
    let last = |known: Option<Timestamp>, memory: &Option<ProjectMemory>| {
        let is_used = |memory: &&ProjectMemory| !memory.records.is_empty();
        known.max(memory.as_ref().filter(is_used).map(|memory| memory.modified))
    };
    if out.json {
        let rows = projects.iter().map(|project| {
            let memory = memories(&project.path);
            let is_there = project.path.join(".mind/MEMORY.md").is_file();
            json!({
                "path": project.path, "name": project.name, "stack": project.stack,
                "last_activity": last(project.last_activity, &memory), "registered_at": project.registered_at,
                "missing": !is_there, "memories": memory.as_ref().map(|memory| memory.records.len()),
                "stats": memory.as_ref().map(m1nd_mind::ProjectStats::of),
            })
        });
        return out.value(&rows.collect());
    }
    if projects.is_empty() {
        return out.line("no project is registered; run `mind init` in one");
    }
    for project in projects {
        let memory = memories(&project.path);
        let last = last(project.last_activity, &memory)
            .map_or_else(|| "never".to_owned(), |last| last.strftime("%Y-%m-%d %H:%M").to_string());
        let missing = if project.path.join(".mind/MEMORY.md").is_file() { "" } else { "  missing" };
        out.line(format!(
            "{}{}",
            out.paint(Tone::Strong, &project.path.display().to_string()),
            out.paint(Tone::Bad, missing)
        ))?;
        let counted = memory.as_ref().map(|memory| {
            format!("; {} ({})", count(memory.records.len(), "memory"), counts(&m1nd_mind::ProjectStats::of(memory)))
        });
        let stack = if project.stack.is_empty() { "-".to_owned() } else { project.stack.join(", ") };
        out.line(format!("  stack: {stack}; last activity: {last}{}", counted.unwrap_or_default()))?;
    }
    Ok(())
}
