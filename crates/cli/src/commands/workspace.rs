//! `m1nd workspace`: the repositories that are answered over as one.

use std::path::{Path, PathBuf};

use m1nd_engine::{Member, Repository, RootInfo, WORKSPACE_FILE, Workspace, allow_reading, may_read};
use m1nd_query::repositories::{names_of, namespace};
use serde::Serialize;
use serde_json::json;

use crate::args::{Common, WorkspaceArgs, WorkspaceCommand};
use crate::error::CliError;
use crate::output::{Out, Tone, group_digits};
use crate::project;

/// A repository of the workspace, as it is printed.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    state: &'static str,
}

/// State of a repository that can be indexed.
const READY: &str = "ready";
/// State of a repository that is in the index.
const INDEXED: &str = "indexed";
/// What is said if the workspace lists other repositories than the index has.
const OTHERS: &str = "the index is of other repositories than the workspace lists: m1nd ingest";

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
                None => free_name(&workspace, &path)?,
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
            workspace.add(Repository { name: name.clone(), path: shorten_path(&folder, &path) });
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

/// The name of a repository that no other one of the workspace has: its own if it is listed already.
fn free_name(workspace: &Workspace, path: &Path) -> Result<String, CliError> {
    let listed = workspace.repositories();
    if let Some(known) = listed.iter().find(|known| workspace.path_of(known) == path) {
        return Ok(known.name.clone());
    }
    // Who adds a folder allows it to be read.
    let mut names = [name_of(path)?].into_iter().chain(names_of(path, true));
    let is_free = |name: &String| !listed.iter().any(|known| known.name == *name);
    names.find(is_free).ok_or_else(|| CliError::usage("every name is taken", "pass one: --name NAME"))
}

/// The path of a repository as it is listed: relative to the folder of the file if it is in or beside it, so that the
/// file can be shared.
fn shorten_path(folder: &Path, path: &Path) -> PathBuf {
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
                (true, true) => READY,
            };
            Row { name: known.name.clone(), path, files: None, state }
        })
        .collect();
    if out.json {
        return out.value(&json!({"repositories": rows}));
    }
    if rows.is_empty() {
        return out.line("no repository is listed; add one: m1nd workspace add PATH");
    }
    for row in &rows {
        let shown = if row.state == READY { String::new() } else { format!("  ({})", row.state) };
        out.line(format!("{}  {}{shown}", out.paint(Tone::Strong, &row.name), row.path.display()))?;
    }
    Ok(())
}

fn status(workspace: &Workspace, folder: &Path, common: &Common, out: &mut Out) -> Result<(), CliError> {
    if workspace.repositories().is_empty() {
        return list(workspace, common, out);
    }
    let services = project::open(common, folder, true)?;
    let snapshot = services.engine.snapshot();
    let is_of = |root: &RootInfo, known: &Repository| {
        root.prefix.trim_end_matches('/') == known.name && root.path == workspace.path_of(known)
    };
    let row = |name: &str, path: PathBuf, state: &'static str| {
        let files = snapshot.files().within(name).count();
        Row { name: name.to_owned(), path, files: Some(files as u64), state }
    };
    let listed = workspace.repositories();
    let mut rows: Vec<Row> = Vec::new();
    for known in listed {
        let is_indexed = snapshot.roots().iter().any(|root| is_of(root, known));
        let state = if is_indexed { INDEXED } else { "not indexed yet" };
        rows.push(row(&known.name, workspace.path_of(known), state));
    }
    for root in snapshot.roots().iter().filter(|root| !listed.iter().any(|known| is_of(root, known))) {
        rows.push(row(root.prefix.trim_end_matches('/'), root.path.clone(), "removed"));
    }
    // Of other repositories than those of the index, it is known without a look at the disk that it is old.
    let is_same = rows.iter().all(|row| row.state == INDEXED);
    let unseen = if is_same { project::describe_unseen(&services.engine) } else { Some(OTHERS.to_owned()) };
    if out.json {
        return out.value(&json!({"repositories": rows, "nodes": snapshot.graph().node_count(), "stale": unseen}));
    }
    for row in &rows {
        let files = row.files.unwrap_or_default();
        let files = format!("{} {}", group_digits(files), if files == 1 { "file" } else { "files" });
        let shown = if row.state == INDEXED { String::new() } else { format!("  ({})", row.state) };
        out.line(format!("{}  {files}  {}{shown}", out.paint(Tone::Strong, &row.name), row.path.display()))?;
    }
    match unseen {
        _ if snapshot.is_empty() => out.line("nothing is indexed yet: m1nd ingest"),
        Some(unseen) => out.line(out.paint(Tone::Warn, &unseen)),
        None => Ok(()),
    }
}
