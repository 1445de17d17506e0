//! `cargo xtask new`: the files and rows of something that does nothing yet.

use std::path::Path;

use crate::Outcome;

mod language;
mod tool;

const USAGE: &str = "takes `tool TOOLSET NAME`, such as `tool analysis predict`, or `language NAME EXTENSION \
                     GRAMMAR@VERSION`, such as `language zig zig tree-sitter-zig@1.1.2`";

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["tool", set, name] => tool::create(set, name),
        ["language", name, extension, grammar] => language::create(name, extension, grammar),
        _ => Err(USAGE.into()),
    }
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn camel(name: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('_').filter(|part| !part.is_empty()).map(capital).collect()
}

fn write_new(path: &Path, text: &str) -> Outcome<()> {
    if path.exists() {
        return Err(format!("{} exists", path.display()).into());
    }
    Ok(std::fs::write(path, text)?)
}

fn change(path: &Path, with: impl FnOnce(&str) -> Outcome<String>) -> Outcome<()> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(std::fs::write(path, with(&text)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        let refuse = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            run(&args).expect_err("refused").to_string()
        };
        assert!(refuse(&[]).contains("tool TOOLSET NAME"));
        assert!(refuse(&["tool", "kitchen", "x"]).contains("expected one of core"));
        assert!(refuse(&["tool", "core", "Two Words"]).contains("snake case"));
        assert!(refuse(&["tool", "core", "seek"]).contains("there is a tool"));
        assert!(refuse(&["language", "lua", "lua", "tree-sitter-lua@0.5.0"]).contains("there is a language"));
        assert!(refuse(&["language", "zig", "lua", "tree-sitter-zig@1.1.2"]).contains("belongs to lua"));
        assert!(refuse(&["language", "zig", "zig", "tree-sitter-zig"]).contains("GRAMMAR@VERSION"));
    }
}
