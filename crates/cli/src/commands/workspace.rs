//! `m1nd workspace`: the repositories that are answered over as one.

use std::path::{Path, PathBuf};

use m1nd_engine::{Member, Repository, WORKSPACE_FILE, Workspace, allow_reading, may_read};
use m1nd_query::repositories::namespace;
use serde_json::json;

use crate::args::{Common, WorkspaceArgs, WorkspaceCommand};
use crate::error::CliError;
use crate::output::{Out, Tone, grouped};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &WorkspaceArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let folder = project::root(Some(args.folder.as_deref().unwrap_or(Path::new("."))))?;
    let mut workspace = Workspace::open(&folder)?;
    match &args.command {
        WorkspaceCommand::Add { path, name } => {
            let home = project::home(common)?;
            let path = project::root(Some(path))?;
            let name = match name {
                Some(name) => name.clone(),
                None => name_of(&path)?,
            };
            let clash = workspace.repositories().iter().find(|known| known.name == name);
            if let Some(known) = clash.filter(|known| workspace.path_of(known) != path) {
                return Err(CliError::usage(
                    format!("a repository `{name}` is listed already: {}", workspace.path_of(known).display()),
                    format!("give the new one another name: m1nd workspace add {} --name NAME", path.display()),
                ));
            }
            // Who adds a repository to the one they are in means both.
            let is_first = workspace.repositories().is_empty() && path != folder && folder.join(".git").exists();
            let own = is_first.then(|| name_of(&folder)).transpose()?.filter(|own| *own != name);
            if let Some(own) = &own {
                workspace.add(Repository { name: own.clone(), path: PathBuf::from(".") });
            }
            workspace.add(Repository { name: name.clone(), path: listed(&folder, &path) });
            // Nothing is written, or allowed, for names and places that do not fit together.
            workspace.check()?;
            allow_reading(&home, &path)?;
            workspace.save()?;
            if let Some(own) = own {
                out.line(format!("added {own}: {}, the repository that the workspace is in", folder.display()))?;
            }
            out.line(format!("added {name}: {}", path.display()))?;
            out.line("`m1nd ingest` here indexes all of them as one; `m1nd serve` here answers over all of them")
        }
        WorkspaceCommand::Remove { name } => {
            if !workspace.remove(name) {
                let known: Vec<&str> = workspace.repositories().iter().map(|known| known.name.as_str()).collect();
                return Err(CliError::usage(
                    format!("no repository `{name}` is listed in {}", folder.join(WORKSPACE_FILE).display()),
                    format!("pass one of: {}", known.join(", ")),
                ));
            }
            workspace.save()?;
            out.line(format!("removed {name}; the next ingest leaves its files out"))
        }
        WorkspaceCommand::List => list(&workspace, common, out),
        WorkspaceCommand::Status => status(&workspace, &folder, common, out),
    }
}

/// The name that a repository gets if its user gives none: that of its folder, in letters that ids may have.
fn name_of(path: &Path) -> Result<String, CliError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name =
        name.ok_or_else(|| CliError::usage(format!("{} has no name", path.display()), "pass one: --name NAME"))?;
    Ok(if Member::can_be_named(name) { name.to_owned() } else { namespace(path) })
}

/// The path of a repository as it is listed: relative to the folder of the file if it is in or beside it, so that the
/// file can be shared.
fn listed(folder: &Path, path: &Path) -> PathBuf {
    if let Ok(inside) = path.strip_prefix(folder) {
        return if inside.as_os_str().is_empty() { PathBuf::from(".") } else { inside.to_owned() };
    }
    let beside =
        folder.parent().filter(|above| above.parent().is_some()).and_then(|above| path.strip_prefix(above).ok());
    beside.map_or_else(|| path.to_owned(), |beside| Path::new("..").join(beside))
}

fn list(workspace: &Workspace, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let home = project::home(common)?;
    let rows: Vec<_> = workspace
        .repositories()
        .iter()
        .map(|known| {
            let path = workspace.path_of(known);
            let state = match (path.is_dir(), may_read(&home, &[workspace.folder().to_owned()], &path)) {
                (_, false) => "not allowed: add it again",
                (false, true) => "missing",
                (true, true) => "ready",
            };
            json!({"name": known.name, "path": path, "state": state})
        })
        .collect();
    if out.json {
        return out.value(&json!({"repositories": rows}));
    }
    if rows.is_empty() {
        return out.line("no repository is listed; add one: m1nd workspace add PATH");
    }
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    for row in &rows {
        let state = text(row, "state");
        let shown = if state == "ready" { String::new() } else { format!("  ({state})") };
        out.line(format!("{}  {}{shown}", out.paint(Tone::Strong, &text(row, "name")), text(row, "path")))?;
    }
    Ok(())
}

fn status(workspace: &Workspace, folder: &Path, common: &Common, out: &mut Out) -> Result<(), CliError> {
    if workspace.repositories().is_empty() {
        return list(workspace, common, out);
    }
    let services = project::open(common, folder, true)?;
    let snapshot = services.engine.snapshot();
    let mut rows = Vec::new();
    for root in snapshot.roots() {
        let name = root.prefix.trim_end_matches('/');
        let files = snapshot.files().within(name).count();
        rows.push(json!({"name": name, "path": root.path, "files": files}));
    }
    let unseen = project::unseen(&services.engine);
    if out.json {
        return out.value(&json!({"repositories": rows, "nodes": snapshot.graph().node_count(), "stale": unseen}));
    }
    for row in &rows {
        let files = grouped(row["files"].as_u64().unwrap_or(0));
        let (name, path) = (row["name"].as_str().unwrap_or_default(), row["path"].as_str().unwrap_or_default());
        out.line(format!("{}  {files} files  {path}", out.paint(Tone::Strong, name)))?;
    }
    match (rows.is_empty(), unseen) {
        (true, _) => out.line("nothing is indexed yet: m1nd ingest"),
        (false, Some(unseen)) => out.line(out.paint(Tone::Warn, &unseen)),
        (false, None) => Ok(()),
    }
}
