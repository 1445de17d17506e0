//! `m1nd verify`: the commands of a project that `verify: true` of a tool may run.

use std::path::{Path, PathBuf};

use m1nd_run::{AllowError, Allowed, CheckKind, proposals};
use serde_json::{Value, json};

use crate::args::{Common, VerifyArgs, VerifyCommand, VerifyKind};
use crate::error::CliError;
use crate::json::with_member;
use crate::output::Out;
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open(common, &root, true)?;
    // Of a workspace, commands of all its repositories count.
    let members = services.engine.federation().map(|federation| federation.members()).unwrap_or_default();
    let roots: Vec<PathBuf> =
        [root.clone()].into_iter().chain(members.iter().map(|member| member.path.clone())).collect();
    let scope = m1nd_tools::permission_scope(roots.clone());
    let checks = &services.checks;
    match &args.command {
        VerifyCommand::Allow { kind, dir, timeout, env, command } => {
            let kind = kind.map_or_else(|| kind_of(command), VerifyKind::kind);
            let allowed = Allowed {
                timeout_s: *timeout,
                env: env.clone(),
                ..Allowed::new(kind, command.clone(), folder(&root, dir.as_deref()))
            };
            checks.allow(&scope, allowed.clone()).map_err(explain)?;
            print_command(out, "allowed", &root, &allowed)
        }
        VerifyCommand::Remove { number } => {
            let removed = checks.remove(&scope, *number).map_err(explain)?;
            print_command(out, "removed", &root, &removed)
        }
        VerifyCommand::List => {
            let allowed = checks.list(&scope).map_err(explain)?;
            let others = checks.list_of_others(&scope).map_err(explain)?;
            list(out, &root, &allowed, &list_unknown(&roots, &allowed), &others)
        }
    }
}

/// What a command checks, where it is not said.
fn kind_of(command: &[String]) -> CheckKind {
    let is_test = |word: &String| word.contains("test") || word.contains("spec") || word == "{tests}";
    if command.iter().any(is_test) { CheckKind::Test } else { CheckKind::Compile }
}

/// A folder as it is stored: absolute, its links followed.
fn folder(root: &Path, dir: Option<&Path>) -> PathBuf {
    let dir = root.join(dir.unwrap_or(Path::new("")));
    std::fs::canonicalize(&dir).unwrap_or(dir)
}

/// Proposals of the repositories that are not allowed.
fn list_unknown(roots: &[PathBuf], allowed: &[Allowed]) -> Vec<Allowed> {
    let of = |root: &PathBuf| {
        let root = root.clone();
        proposals(&root)
            .into_iter()
            .map(move |proposed| Allowed { dir: folder(&root, Some(&proposed.dir)), ..proposed })
    };
    let mut found: Vec<Allowed> = roots.iter().flat_map(of).collect();
    found.retain(|proposed| !allowed.iter().any(|known| known.argv == proposed.argv && known.dir == proposed.dir));
    found
}

/// The refusal of a permission, with what to do. `list` is the command that lists what is allowed, `inside` what to do
/// about a place outside of the project.
pub(super) fn describe_refusal(error: AllowError, list: &str, inside: &str) -> CliError {
    let next = match &error {
        AllowError::Empty => "name the command behind `--`: `m1nd verify allow -- cargo test`".to_owned(),
        AllowError::Unknown { .. } | AllowError::TooMany | AllowError::Known => format!("see them with `{list}`"),
        AllowError::Outside { .. } => inside.to_owned(),
        AllowError::Damaged { .. } => "correct the file, or remove it".to_owned(),
        _ => "correct it and repeat".to_owned(),
    };
    CliError::fail(error.to_string(), next)
}

fn explain(error: AllowError) -> CliError {
    describe_refusal(error, "m1nd verify list", "pass a folder of the project to `--dir`")
}

fn row(root: &Path, command: &Allowed) -> Value {
    json!({
        "kind": command.kind.word(),
        "command": command.argv,
        "dir": shown_dir(root, command),
        "timeout_s": command.timeout_s,
        "env": command.env,
    })
}

fn shown_dir(root: &Path, command: &Allowed) -> String {
    let inner = command.dir.strip_prefix(root).unwrap_or(&command.dir);
    if inner.as_os_str().is_empty() { ".".to_owned() } else { inner.display().to_string() }
}

/// A command in one line. Control characters are escaped: a proposal is text of the repository.
fn line(root: &Path, command: &Allowed) -> String {
    let dir = match shown_dir(root, command).as_str() {
        "." => String::new(),
        dir => format!("  in {}", visible(dir)),
    };
    let env = if command.env.is_empty() { String::new() } else { format!("  with {}", command.env.join(", ")) };
    format!(
        "{:7}  {}{dir}  (at most {} s){env}",
        command.kind.word(),
        visible(&command.show_command()),
        command.timeout_s
    )
}

fn visible(text: &str) -> String {
    let shown = |c: char| {
        if c.is_ascii() && !c.is_control() || c.is_alphanumeric() {
            c.to_string()
        } else {
            c.escape_unicode().to_string()
        }
    };
    text.chars().map(shown).collect()
}

fn print_command(out: &mut Out, done: &str, root: &Path, command: &Allowed) -> Result<(), CliError> {
    match out.json {
        true => out.value(&json!({done: row(root, command)})),
        false => out.line(format!("{done}: {}", line(root, command))),
    }
}

fn list(
    out: &mut Out,
    root: &Path,
    allowed: &[Allowed],
    proposed: &[Allowed],
    others: &[Allowed],
) -> Result<(), CliError> {
    if out.json {
        let rows = |commands: &[Allowed]| commands.iter().map(|command| row(root, command)).collect::<Vec<_>>();
        let answer = json!({"allowed": rows(allowed), "proposed": rows(proposed)});
        return match others.is_empty() {
            true => out.value(&answer),
            false => out.value(&with_member(answer, "allowed_for_another_repository", rows(others))),
        };
    }
    if allowed.is_empty() {
        out.line("No command is allowed. Allow one: m1nd verify allow -- COMMAND")?;
    }
    for (index, command) in allowed.iter().enumerate() {
        out.line(format!("{:2}  {}", index + 1, line(root, command)))?;
    }
    if !others.is_empty() {
        out.line(
            "These were allowed for another repository at this path; none of them runs until you allow it again:",
        )?;
        others.iter().try_for_each(|command| out.line(format!("    {}", line(root, command))))?;
    }
    if proposed.is_empty() {
        return Ok(());
    }
    out.line("The repository proposes these; none of them runs until you allow it:")?;
    proposed.iter().try_for_each(|command| out.line(format!("    {}", line(root, command))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_command() {
        let kind = |command: &str| kind_of(&command.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for command in ["cargo test --message-format json", "pytest {tests}", "npx vitest run", "bundle exec rspec"] {
            assert_eq!(kind(command), CheckKind::Test, "{command}");
        }
        for command in ["cargo check", "go build ./...", "npx tsc --noEmit"] {
            assert_eq!(kind(command), CheckKind::Compile, "{command}");
        }
    }

    #[test]
    fn a_proposal_formats_nothing() {
        assert_eq!(visible("a\u{1b}[2J\u{202e}b ü"), "a\\u{1b}[2J\\u{202e}b ü");
    }
}
