//! `cargo xtask codegen`: writes what is said of the tools outside of their files, from the registry: the page of
//! tools, install links, and the plugin for Claude Code.
//!
//! With `--check` nothing is written, and a file that differs from its new text is an error.

use m1nd_tools::{ALL, ToolDef, Toolset};

use crate::{Outcome, repository};

mod links;
mod page;
mod plugin;

/// The command, as generated files name it.
const COMMAND: &str = "cargo xtask codegen";

/// Every generated file: its path from the top of the repository, and its text.
fn list_generated() -> Outcome<Vec<(String, String)>> {
    let mut files = vec![("docs/tools.md".to_owned(), page::text())];
    files.extend(links::write_links()?);
    files.extend(plugin::write_files()?);
    Ok(files)
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let is_check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err(format!("takes `--check` or nothing, found {args:?}").into()),
    };
    let mut stale = Vec::new();
    for (path, text) in list_generated()? {
        let file = repository().join(&path);
        let now = std::fs::read_to_string(&file).unwrap_or_default();
        if text == now {
            continue;
        }
        if is_check {
            stale.push(path);
        } else {
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&file, text).map_err(|error| format!("{path}: {error}"))?;
            println!("wrote {path}");
        }
    }
    match stale.is_empty() {
        true => Ok(()),
        false => Err(format!("not as the registry says: {}; run `{COMMAND}`", stale.join(", ")).into()),
    }
}

/// The toolsets that have tools, in order, each with its tools in the order of the registry.
fn by_toolset() -> impl Iterator<Item = (Toolset, Vec<&'static ToolDef>)> {
    let members = |set: &Toolset| (*set, ALL.iter().filter(|tool| tool.toolset == *set).collect::<Vec<_>>());
    Toolset::ALL.iter().map(members).filter(|(_, tools)| !tools.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_as_the_registry_says() {
        run(&["--check".to_owned()]).expect("up to date");
    }

    #[test]
    fn other_arguments_are_refused() {
        assert!(run(&["--write".to_owned()]).is_err());
    }
}
