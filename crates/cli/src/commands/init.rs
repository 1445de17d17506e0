//! `m1nd init`: shows the change to each client's configuration, asks for confirmation, writes it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use m1nd_mind::{Planned, RealSystem, replace_user_file};
use serde_json::{Value, json};

use crate::args::{Common, InitArgs};
use crate::clients::{Client, ENTRY, EditError, changed_lines, hooks_file, set_entry, set_hooks};
use crate::error::CliError;
use crate::output::{Out, Tone, note, paint};
use crate::project;

/// Maximum size of a configuration file that is edited, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The planned change of one file.
struct Plan {
    label: &'static str,
    file: PathBuf,
    before: String,
    /// `None` if no change is needed.
    after: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &InitArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    let user_home = std::env::home_dir();
    let clients: Vec<Client> = match args.clients.is_empty() {
        false => args.clients.clone(),
        true => Client::ALL.iter().copied().filter(|client| client.is_present(&root, user_home.as_deref())).collect(),
    };
    if clients.is_empty() && !args.memory {
        return Err(CliError::usage(
            "no MCP client found in this project or home",
            "pass one: m1nd init --client claude-code (or cursor, vscode)",
        ));
    }
    let program = program();
    let mut plans = clients.iter().map(|&client| plan(client, &root, &program)).collect::<Result<Vec<_>, _>>()?;
    if args.memory {
        plans.push(hooks(&root, &program)?);
    }
    // What is going to be written is shown first.
    for plan in &plans {
        if out.json {
            note(describe_plan(plan, false).trim_end())
        } else {
            out.line(describe_plan(plan, out.is_coloured()).trim_end())?
        }
    }
    let files = if args.memory { super::memory::plan_files(&root)? } else { Vec::new() };
    for file in &files {
        let what = if file.is_new { "new" } else { "changed" };
        let line = format!("memory  {} ({what}): {}", file.file.display(), file.change);
        if out.json { note(line) } else { out.line(line)? }
    }
    // Nothing is asked if nothing changes.
    let changes: Vec<&Plan> = plans.iter().filter(|plan| plan.after.is_some()).collect();
    let count = changes.len() + files.len();
    let accepted = !args.dry_run && (count == 0 || args.yes || ask(count)?);
    if accepted {
        for plan in &changes {
            write(&plan.file, plan.after.as_deref().unwrap_or_default())?;
        }
        if args.memory {
            super::memory::connect(&root, common)?;
        }
    }
    report(&plans, &files, accepted, out)
}

/// The command with which clients start this program: its name if `PATH` finds it, else its full path.
fn program() -> String {
    let Ok(this) = std::env::current_exe().and_then(std::fs::canonicalize) else { return "m1nd".into() };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).map(|folder| folder.join("m1nd")).find(|file| file.is_file());
    match first.and_then(|file| std::fs::canonicalize(file).ok()) {
        Some(found) if found == this => "m1nd".into(),
        _ => this.to_string_lossy().into_owned(),
    }
}

fn plan(client: Client, root: &Path, program: &str) -> Result<Plan, CliError> {
    let entry = client.entry(program);
    let by_hand = json!({ client.section(): { ENTRY: entry } });
    let edit = |text: &str| set_entry(text, client.section(), ENTRY, &entry);
    plan_of(client.label(), client.file(root), edit, &by_hand.to_string())
}

/// Plans the hooks that show memories.
fn hooks(root: &Path, program: &str) -> Result<Plan, CliError> {
    let by_hand = set_hooks("", program).ok().flatten().unwrap_or_default();
    plan_of("Claude Code hooks", hooks_file(root), |text| set_hooks(text, program), by_hand.trim_end())
}

fn plan_of(
    label: &'static str,
    file: PathBuf,
    edit: impl Fn(&str) -> Result<Option<String>, EditError>,
    by_hand: &str,
) -> Result<Plan, CliError> {
    let before = read(&file)?;
    let after = edit(&before).map_err(|error| {
        CliError::fail(
            format!("{} was not changed: {error}", file.display()),
            format!("fix the file, or add this to it by hand: {by_hand}"),
        )
    })?;
    Ok(Plan { label, file, before, after })
}

fn read(file: &Path) -> Result<String, CliError> {
    let failed = |why: String| {
        CliError::fail(format!("cannot read {}: {why}", file.display()), "make it readable, or pass another client")
    };
    match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(failed(error.to_string())),
        Ok(data) if !data.is_file() => return Err(failed("it is not a file".into())),
        Ok(data) if data.len() > MAX_BYTES => return Err(failed(format!("it is larger than {MAX_BYTES} bytes"))),
        Ok(_) => {}
    }
    std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))
}

/// Describes the planned change of a file. Shown before anything is written.
fn describe_plan(plan: &Plan, colour: bool) -> String {
    let paint = |tone, text: &str| paint(colour, tone, text);
    let (file, client) = (plan.file.display(), plan.label);
    let Some(after) = &plan.after else {
        return format!("{client} {}  {file}\n", paint(Tone::Good, "is already connected"));
    };
    let what = if plan.before.is_empty() { "new file" } else { "changed" };
    let mut text = format!("{}  {file} ({what})\n", paint(Tone::Strong, client));
    for (mark, line) in changed_lines(&plan.before, after) {
        let tone = match mark {
            '+' => Tone::Good,
            '-' => Tone::Bad,
            _ => Tone::Dim,
        };
        text.push_str(&format!("  {}\n", paint(tone, &format!("{mark} {line}"))));
    }
    text
}

fn ask(files: usize) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage("nothing was written: no terminal to ask for confirmation", "repeat with --yes"));
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "write {files} file{}? [y/N] ", if files == 1 { "" } else { "s" })?;
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

fn report(plans: &[Plan], files: &[Planned], accepted: bool, out: &mut Out) -> Result<(), CliError> {
    let state = |plan: &Plan| match (&plan.after, accepted) {
        (None, _) => "unchanged",
        (Some(_), true) => "written",
        (Some(_), false) => "declined",
    };
    if out.json {
        let change = |plan: &Plan| {
            let lines = plan.after.iter().flat_map(|after| changed_lines(&plan.before, after));
            lines.map(|(mark, line)| format!("{mark} {line}")).collect::<Vec<_>>()
        };
        let row = |plan: &Plan| {
            let new = plan.before.is_empty();
            json!({"client": plan.label, "file": plan.file, "state": state(plan), "new_file": new, "change": change(plan)})
        };
        let state = if accepted { "written" } else { "declined" };
        let file = |file: &Planned| json!({"client": "memory", "file": file.file, "state": state, "new_file": file.is_new, "change": [file.change]});
        return out.value(&Value::Array(plans.iter().map(row).chain(files.iter().map(file)).collect()));
    }
    if files.is_empty() && plans.iter().all(|plan| plan.after.is_none()) {
        return out.line("nothing to do");
    }
    if !accepted {
        return out.line("nothing was written");
    }
    out.line(out.paint(Tone::Good, "done; restart the client, then ask it to call m1nd's `health`"))
}
