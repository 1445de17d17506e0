//! `m1nd write`: files that other programs run or trust, and that tools of agents may write.

use std::path::{Path, PathBuf};

use m1nd_run::{AllowError, AllowedPath};
use m1nd_tools::guarded_by;
use serde::Serialize;
use serde_json::json;

use super::verify::describe_refusal;
use crate::args::{Common, WriteArgs, WriteCommand};
use crate::error::CliError;
use crate::output::{Out, note};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &WriteArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open(common, &root, true)?;
    let members = services.engine.federation().map(|federation| federation.members()).unwrap_or_default();
    let roots: Vec<PathBuf> =
        [root.clone()].into_iter().chain(members.iter().map(|member| member.path.clone())).collect();
    let scope = m1nd_tools::permission_scope(roots);
    let checks = &services.checks;
    match &args.command {
        WriteCommand::Allow { path } => {
            let full = full_path(&root, path)?;
            if guarded_by(&root, path).is_none() && !path.ends_with('/') {
                note(format!("`{path}` is an ordinary file: agents write it without a permission"));
            }
            let row = checks.allow_path(&scope, full).map_err(explain)?;
            report(out, "allowed", &root, &row)
        }
        WriteCommand::Remove { number } => {
            let row = checks.remove_path(&scope, *number).map_err(explain)?;
            report(out, "removed", &root, &row)
        }
        WriteCommand::List => {
            let rows = checks.list_paths(&scope).map_err(explain)?;
            list(out, &root, &rows)
        }
    }
}

/// The absolute path, with the slash at its end if it was given one. Links are not followed: none is written through.
fn full_path(root: &Path, path: &str) -> Result<String, CliError> {
    let wrong = |why: &str| CliError::usage(format!("`{path}` {why}"), "pass a path in the repository");
    let given = Path::new(path);
    let inner = given.strip_prefix(root).unwrap_or(given);
    let is_plain = inner.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_plain || inner.as_os_str().is_empty() {
        return Err(wrong("is not a path below the root of the repository"));
    }
    let full = root.join(inner.components().collect::<PathBuf>());
    let mut full = full.to_str().ok_or_else(|| wrong("is not UTF-8"))?.to_owned();
    if path.ends_with('/') {
        full.push('/');
    }
    Ok(full)
}

fn explain(error: AllowError) -> CliError {
    describe_refusal(error, "m1nd write list", "pass a path in the repository")
}

/// A path that may be written, as it is printed.
#[derive(Serialize)]
struct Row<'a> {
    path: String,
    repository: &'a [String],
}

fn row<'a>(root: &Path, row: &'a AllowedPath) -> Row<'a> {
    let path = Path::new(&row.path).strip_prefix(root).map_or(row.path.clone(), |inner| inner.display().to_string());
    let path = if row.path.ends_with('/') && !path.ends_with('/') { format!("{path}/") } else { path };
    Row { path, repository: &row.repository }
}

fn report(out: &mut Out, done: &str, root: &Path, allowed: &AllowedPath) -> Result<(), CliError> {
    let row = row(root, allowed);
    match out.json {
        true => out.value(&json!({done: row})),
        false => out.line(format!("{done}: {}", row.path)),
    }
}

fn list(out: &mut Out, root: &Path, allowed: &[AllowedPath]) -> Result<(), CliError> {
    let rows: Vec<Row<'_>> = allowed.iter().map(|allowed| row(root, allowed)).collect();
    if out.json {
        return out.value(&json!({"allowed": rows}));
    }
    if rows.is_empty() {
        return out.line("Nothing is allowed. Allow a file or folder: m1nd write allow PATH");
    }
    let mut numbered = rows.iter().enumerate();
    numbered.try_for_each(|(index, row)| out.line(format!("{:2}  {}", index + 1, row.path)))
}
