//! `m1nd init`: shows the change to each client's configuration, asks for confirmation, writes it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use m1nd_mind::{Planned, RealSystem, replace_user_file};
use serde_json::{Value, json};

use crate::args::{Common, InitArgs};
use crate::clients::{
    Backups, Client, ENTRY, EditError, agents_files, changed_lines, hooks_file, list_agents_files, remove_block,
    remove_hooks, set_block, set_hooks,
};
use crate::error::CliError;
use crate::output::{Out, Tone, note, paint};
use crate::project;

/// Maximum size of a configuration file that is edited, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// The folder in which npx keeps programs.
const NPX: &str = "_npx";
/// What the name of the folder in which uvx keeps programs begins with, and how many names before the end it is.
const UV: &str = "archive-v";
const UV_DEPTH: usize = 4;
/// What the hooks are called for people.
const HOOKS: &str = "Claude Code hooks";
/// What the block for agents is called for people.
const AGENTS: &str = "Agents";

/// The planned change of one file.
pub(super) struct Plan {
    label: &'static str,
    file: PathBuf,
    /// `None` if there is no file.
    before: Option<String>,
    after: After,
}

/// What a file is after a change.
enum After {
    /// Nothing changes.
    Same,
    Text(String),
    /// The file is removed.
    Gone,
}

impl Plan {
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn is_change(&self) -> bool {
        !matches!(self.after, After::Same)
    }

    /// The lines that change.
    fn list_changes(&self) -> Vec<(char, String)> {
        let after = match &self.after {
            After::Same => return Vec::new(),
            After::Text(text) => text.as_str(),
            After::Gone => "",
        };
        changed_lines(self.before.as_deref().unwrap_or_default(), after)
    }

    /// Changes the file. A copy of what it was before is kept until the entry is removed again.
    fn write(&self, backups: &Backups) -> Result<(), CliError> {
        match &self.after {
            After::Same => Ok(()),
            After::Text(text) => {
                backups.keep(&self.file, self.before.as_deref(), text).map_err(|error| {
                    CliError::fail(
                        format!("{} was not changed: cannot keep a copy of it: {error}", self.file.display()),
                        "make the folder of the index writable, or choose another: --home FOLDER",
                    )
                })?;
                write(&self.file, text)
            }
            After::Gone => std::fs::remove_file(&self.file).map_err(|error| {
                CliError::fail(format!("cannot remove {}: {error}", self.file.display()), "make the folder writable")
            }),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &InitArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    let user_home = std::env::home_dir();
    let backups = Backups::new(&project::home(common)?);
    if args.remove {
        let plans = plan_removal(&args.clients, &root, &backups)?;
        show_plans(&plans, out)?;
        let accepted = accept(&plans, 0, args.yes, args.dry_run)?;
        if accepted {
            remove(&plans, &backups)?;
        }
        return report(&plans, &[], accepted, "done; restart the client", out);
    }
    let clients: Vec<Client> = match args.clients.is_empty() {
        false => args.clients.clone(),
        true => Client::all().filter(|client| client.is_present(&root, user_home.as_deref())).collect(),
    };
    if clients.is_empty() && !args.memory && !args.agents {
        return Err(CliError::usage(
            "no MCP client found in this project or home",
            "pass one: m1nd init --client claude-code (or cursor, vscode, codex, gemini and others: m1nd init --help)",
        ));
    }
    let command = find_command();
    let mut plans = clients.iter().map(|&client| plan(client, &root, &command)).collect::<Result<Vec<_>, _>>()?;
    if args.memory {
        plans.push(hooks(&root, &command)?);
    }
    if args.agents {
        let block = set_block("").ok().flatten().unwrap_or_default();
        for file in agents_files(&root) {
            plans.push(plan_of(AGENTS, file, set_block, &block)?);
        }
    }
    show_plans(&plans, out)?;
    let files = if args.memory { super::memory::plan_files(&root)? } else { Vec::new() };
    for file in &files {
        let what = if file.is_new { "new" } else { "changed" };
        let line = format!("memory  {} ({what}): {}", file.file.display(), file.change);
        if out.json { note(line) } else { out.line(line)? }
    }
    let accepted = accept(&plans, files.len(), args.yes, args.dry_run)?;
    if accepted {
        plans.iter().try_for_each(|plan| plan.write(&backups))?;
        if args.memory {
            super::memory::connect(&root, common)?;
        }
    }
    report(&plans, &files, accepted, "done; restart the client, then ask it to call m1nd's `health`", out)
}

/// Shows what would be written, before anything is.
pub(super) fn show_plans(plans: &[Plan], out: &mut Out) -> Result<(), CliError> {
    for plan in plans {
        if out.json {
            note(describe_plan(plan, false).trim_end())
        } else {
            out.line(describe_plan(plan, out.is_coloured()).trim_end())?
        }
    }
    Ok(())
}

/// Asks whether to change the files, if any would change.
pub(super) fn accept(plans: &[Plan], others: usize, yes: bool, dry_run: bool) -> Result<bool, CliError> {
    let count = plans.iter().filter(|plan| plan.is_change()).count() + others;
    Ok(!dry_run && (count == 0 || yes || ask(&format!("change {}?", m1nd_base::count(count, "file")))?))
}

/// Plans to take m1nd out of the files of clients: of all clients and hooks, if none is named.
pub(super) fn plan_removal(clients: &[Client], root: &Path, backups: &Backups) -> Result<Vec<Plan>, CliError> {
    let user_home = std::env::home_dir();
    let all: Vec<Client> = if clients.is_empty() { Client::all().collect() } else { clients.to_vec() };
    let mut plans = Vec::new();
    for client in all {
        let Some(file) = client.file(root, user_home.as_deref()) else { continue };
        plans.push(plan_removal_of(client.label(), file, |text| client.remove_entry(text), backups)?);
    }
    if clients.is_empty() {
        plans.push(plan_removal_of(HOOKS, hooks_file(root), remove_hooks, backups)?);
        // Links to one file are common; it is changed once.
        let mut seen = Vec::new();
        for file in list_agents_files(root) {
            let target = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            if !seen.contains(&target) {
                seen.push(target);
                plans.push(plan_removal_of(AGENTS, file, remove_block, backups)?);
            }
        }
    }
    plans.retain(Plan::is_change);
    Ok(plans)
}

fn plan_removal_of(
    label: &'static str,
    file: PathBuf,
    edit: impl Fn(&str) -> Result<Option<String>, EditError>,
    backups: &Backups,
) -> Result<Plan, CliError> {
    let before = read(&file)?;
    let now = before.as_deref().unwrap_or_default();
    let edited = edit(now).map_err(|error| {
        CliError::fail(
            format!("{} was not changed: {error}", file.display()),
            format!("fix the file, or remove `{ENTRY}` from it by hand"),
        )
    })?;
    let after = match edited {
        None => After::Same,
        // While the file is as m1nd wrote it, the copy says exactly what it was.
        Some(edited) => match backups.find(&file, now) {
            Some(Some(text)) => After::Text(text),
            Some(None) => After::Gone,
            None if edited.is_empty() => After::Gone,
            None => After::Text(edited),
        },
    };
    Ok(Plan { label, file, before, after })
}

/// Carries out a removal, and forgets the copies.
pub(super) fn remove(plans: &[Plan], backups: &Backups) -> Result<(), CliError> {
    for plan in plans {
        match &plan.after {
            After::Text(text) => write(&plan.file, text)?,
            _ => plan.write(backups)?,
        }
        backups.drop_copy(&plan.file);
    }
    Ok(())
}

/// The command with which clients start this program: its name if `PATH` finds it, else its full path. From a cache of
/// packages, the command that fills the cache.
fn find_command() -> Vec<String> {
    let Ok(this) = std::env::current_exe().and_then(std::fs::canonicalize) else { return vec![ENTRY.into()] };
    if let Some(command) = find_runner(&this) {
        return command.iter().map(|word| (*word).to_owned()).collect();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).map(|folder| folder.join(ENTRY)).find(|file| file.is_file());
    match first.and_then(|file| std::fs::canonicalize(file).ok()) {
        Some(found) if found == this => vec![ENTRY.into()],
        _ => vec![this.to_string_lossy().into_owned()],
    }
}

/// The command that runs a program of a package without installing it, if the program lies in its cache.
fn find_runner(program: &Path) -> Option<&'static [&'static str]> {
    let folders: Vec<_> = program.iter().map(|part| part.to_string_lossy()).collect();
    if folders.iter().any(|folder| folder == NPX) {
        return Some(&["npx", "-y", "m1nd"]);
    }
    // `archive-v0/ID/bin/m1nd`
    let archive = folders.len().checked_sub(UV_DEPTH).map(|at| &*folders[at]);
    archive.is_some_and(|folder| folder.starts_with(UV)).then_some(&["uvx", "m1nd"])
}

fn plan(client: Client, root: &Path, command: &[String]) -> Result<Plan, CliError> {
    let entry = client.entry(command, root);
    let file = client.file(root, std::env::home_dir().as_deref()).ok_or_else(|| {
        CliError::usage("this user has no home folder", format!("{} keeps its configuration there", client.label()))
    })?;
    plan_of(client.label(), file, |text| client.set_entry(text, &entry), &client.write_by_hand(&entry))
}

/// Plans the hooks that show memories.
fn hooks(root: &Path, command: &[String]) -> Result<Plan, CliError> {
    let by_hand = set_hooks("", command).ok().flatten().unwrap_or_default();
    plan_of(HOOKS, hooks_file(root), |text| set_hooks(text, command), by_hand.trim_end())
}

fn plan_of(
    label: &'static str,
    file: PathBuf,
    edit: impl Fn(&str) -> Result<Option<String>, EditError>,
    by_hand: &str,
) -> Result<Plan, CliError> {
    let before = read(&file)?;
    let after = edit(before.as_deref().unwrap_or_default()).map_err(|error| {
        CliError::fail(
            format!("{} was not changed: {error}", file.display()),
            format!("fix the file, or add this to it by hand: {}", by_hand.trim_end()),
        )
    })?;
    Ok(Plan { label, file, before, after: after.map_or(After::Same, After::Text) })
}

/// The text of a file; `None` if it does not exist.
fn read(file: &Path) -> Result<Option<String>, CliError> {
    let failed = |why: String| {
        CliError::fail(format!("cannot read {}: {why}", file.display()), "make it readable, or pass another client")
    };
    match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
        Ok(data) if !data.is_file() => return Err(failed("it is not a file".into())),
        Ok(data) if data.len() > MAX_BYTES => return Err(failed(format!("it is larger than {MAX_BYTES} bytes"))),
        Ok(_) => {}
    }
    std::fs::read_to_string(file).map(Some).map_err(|error| failed(error.to_string()))
}

/// Describes the planned change of a file. Shown before anything is written.
fn describe_plan(plan: &Plan, colour: bool) -> String {
    let paint = |tone, text: &str| paint(colour, tone, text);
    let (file, client) = (plan.file.display(), plan.label);
    let what = match (&plan.after, &plan.before) {
        (After::Same, _) => return format!("{client} {}  {file}\n", paint(Tone::Good, "is already connected")),
        (After::Gone, _) => "removed",
        (After::Text(_), None) => "new file",
        (After::Text(_), Some(_)) => "changed",
    };
    let mut text = format!("{}  {file} ({what})\n", paint(Tone::Strong, client));
    for (mark, line) in plan.list_changes() {
        let tone = match mark {
            '+' => Tone::Good,
            '-' => Tone::Bad,
            _ => Tone::Dim,
        };
        text.push_str(&format!("  {}\n", paint(tone, &format!("{mark} {line}"))));
    }
    text
}

/// Asks a person a question.
fn ask(question: &str) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage("nothing was written: no terminal to ask for confirmation", "repeat with --yes"));
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Replaces the file atomically, following links, so that a crash leaves the old or the new text.
fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: &dyn std::fmt::Display| {
        CliError::fail(format!("cannot write {}: {error}", file.display()), "make the folder writable and repeat")
    };
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    std::fs::create_dir_all(target.parent().unwrap_or(Path::new("."))).map_err(|error| failed(&error))?;
    replace_user_file(&RealSystem, &target, text.as_bytes()).map_err(|error| failed(&error))
}

fn report(plans: &[Plan], files: &[Planned], accepted: bool, done: &str, out: &mut Out) -> Result<(), CliError> {
    let state = |plan: &Plan| match (&plan.after, accepted) {
        (After::Same, _) => "unchanged",
        (After::Gone, true) => "removed",
        (After::Text(_), true) => "written",
        (_, false) => "declined",
    };
    if out.json {
        let row = |plan: &Plan| {
            let change: Vec<String> = plan.list_changes().iter().map(|(mark, line)| format!("{mark} {line}")).collect();
            let new = plan.before.is_none();
            json!({"client": plan.label, "file": plan.file, "state": state(plan), "new_file": new, "change": change})
        };
        let state = if accepted { "written" } else { "declined" };
        let file = |file: &Planned| json!({"client": "memory", "file": file.file, "state": state, "new_file": file.is_new, "change": [file.change]});
        return out.value(&Value::Array(plans.iter().map(row).chain(files.iter().map(file)).collect()));
    }
    if files.is_empty() && !plans.iter().any(Plan::is_change) {
        return out.line("nothing to do");
    }
    if !accepted {
        return out.line("nothing was written");
    }
    out.line(out.paint(Tone::Good, done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_cache_is_started_by_what_filled_it() {
        let rows: [(&str, &[&str]); 5] = [
            ("/users/a/.npm/_npx/d9/node_modules/m1nd-linux-x64/bin/m1nd", &["npx", "-y", "m1nd"]),
            ("/users/a/.cache/uv/archive-v0/x1/bin/m1nd", &["uvx", "m1nd"]),
            ("/users/a/.local/share/uv/tools/m1nd/bin/m1nd", &[]),
            ("/users/a/archive-v2/some/where/bin/m1nd", &[]),
            ("/usr/lib/node_modules/m1nd/node_modules/m1nd-linux-x64/bin/m1nd", &[]),
        ];
        for (path, expected) in rows {
            assert_eq!(find_runner(Path::new(path)).unwrap_or_default(), expected, "{path}");
        }
    }
}
