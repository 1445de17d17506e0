//! `mind config`.

use std::path::{Path, PathBuf};

use m1nd_mind::{Owner, RealSystem, SETTINGS_FILE, Settings, set_key};
use serde_json::json;

use crate::args::memory::{ConfigArgs, ConfigChange};
use crate::error::CliError;
use crate::output::{Out, note};
use crate::project::mind_home;

/// Runs the command.
pub(crate) fn run(args: &ConfigArgs, out: &mut Out) -> Result<(), CliError> {
    let home = mind_home()?;
    let project = m1nd_mind::find_project(Path::new("."), &home);
    let path = match args.project {
        true => project.map(|project| project.join(".mind").join(SETTINGS_FILE))?,
        false => home.join(SETTINGS_FILE),
    };
    match &args.change {
        None => show(&path, args.project, out),
        Some(ConfigChange::Path) => out.line(path.display().to_string()),
        Some(ConfigChange::Edit) => edit(&path),
        Some(ConfigChange::Set { key, value }) => {
            let text = set_key(&read(&path)?, key, value)
                .map_err(|problem| CliError::usage(problem, "`mind config` lists all keys"))?;
            write(&path, &text)?;
            out.line(format!("{key} = {value}  ({})", path.display()))
        }
        Some(ConfigChange::Reset) => {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let why = format!("cannot remove {}: {error}", path.display());
                    return Err(CliError::fail(why, "remove it by hand"));
                }
                _ => {}
            }
            out.line(format!("{}  removed", path.display()))
        }
    }
}

/// Opens the file in the user's editor, then reports problems with its content.
fn edit(path: &Path) -> Result<(), CliError> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(std::env::var_os).filter(|editor| !editor.is_empty());
    let Some(editor) = named else {
        return Err(CliError::usage("no editor is set", format!("set EDITOR, or edit {}", path.display())));
    };
    if !path.exists() {
        write(path, &Settings::default().to_text())?;
    }
    // The editor may have options: `code --wait`.
    let editor = editor.to_string_lossy();
    let mut words = editor.split_whitespace();
    let status = std::process::Command::new(words.next().unwrap_or_default()).args(words).arg(path).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err(CliError::fail(format!("`{editor}` failed"), format!("edit {}", path.display())));
    }
    for problem in Settings::default().apply(&read(path)?, Owner::User) {
        note(format!("{}: {problem}", path.display()));
    }
    Ok(())
}

/// Shows the settings in effect.
fn show(path: &PathBuf, is_project: bool, out: &mut Out) -> Result<(), CliError> {
    let mut settings = Settings::default();
    let owner = if is_project { Owner::Project } else { Owner::User };
    let problems = settings.apply(&read(path)?, owner);
    for problem in &problems {
        note(format!("{}: {problem}", path.display()));
    }
    match out.json {
        true => out.value(&json!({"file": path, "problems": problems, "text": settings.to_text()})),
        false => out.line(format!("# {}\n{}", path.display(), settings.to_text().trim_end())),
    }
}

fn read(path: &Path) -> Result<String, CliError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(CliError::fail(format!("cannot read {}: {error}", path.display()), "make it readable")),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    m1nd_mind::replace_user_file(&RealSystem, path, text.as_bytes())
        .map_err(|error| m1nd_mind::MemoryError::from(error).into())
}
