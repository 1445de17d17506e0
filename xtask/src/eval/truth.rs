//! Rows of truth, as read from disk.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::edges::{Lines, line_of};
use crate::Outcome;

/// A caller and its callee. Line 0 is top-level code, including class bodies.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Call {
    #[serde(rename = "cf")]
    pub(super) caller_file: String,
    #[serde(rename = "cl")]
    pub(super) caller_line: u32,
    #[serde(rename = "cn")]
    pub(super) caller_name: String,
    #[serde(rename = "tf")]
    pub(super) file: String,
    #[serde(rename = "tl")]
    pub(super) line: u32,
    #[serde(rename = "tn")]
    pub(super) name: String,
    /// Lines of the calls in the caller's file.
    pub(super) sites: Vec<u32>,
}

/// A reference and its target.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Reference {
    #[serde(rename = "rf")]
    pub(super) file: String,
    #[serde(rename = "rl")]
    pub(super) line: u32,
    /// 0-based.
    #[serde(rename = "rc")]
    pub(super) col: u32,
    #[serde(rename = "df")]
    pub(super) target_file: String,
    #[serde(rename = "dl")]
    pub(super) target_line: u32,
    pub(super) name: String,
    /// `fn`, `type`, `term`, `macro`, `ns`, `module`, `meta`.
    pub(super) kind: String,
    /// `call`, `read`, `import`, `inherit`.
    pub(super) role: String,
    /// The compiler's symbol of the definition.
    #[serde(rename = "sym", default)]
    pub(super) symbol: String,
    #[serde(rename = "encl", default)]
    pub(super) enclosing: Option<Enclosing>,
}

/// The definition around a reference.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Enclosing {
    pub(super) line: u32,
    #[serde(default)]
    pub(super) kind: String,
}

/// A type and one of its bases.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Inherit {
    #[serde(rename = "f")]
    pub(super) file: String,
    #[serde(rename = "l")]
    pub(super) line: u32,
    #[serde(rename = "n")]
    pub(super) name: String,
    #[serde(rename = "tf")]
    pub(super) target_file: String,
    #[serde(rename = "tl")]
    pub(super) target_line: u32,
    #[serde(rename = "tn")]
    pub(super) target_name: String,
}

/// A dependency of a file on another.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct FileDependency {
    pub(super) src: String,
    pub(super) dst: String,
}

/// A definition. Not every repository has these rows.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Definition {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) kind: String,
}

/// All truth of a repository.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) calls: Vec<Call>,
    pub(super) references: Vec<Reference>,
    pub(super) inherits: Vec<Inherit>,
    pub(super) files: Vec<FileDependency>,
    pub(super) definitions: Vec<Definition>,
}

impl Truth {
    /// Reads the rows of a folder and their common name. Calls, references and file dependencies are required; the
    /// others may be missing.
    pub(super) fn read(folder: &Path) -> Outcome<(String, Self)> {
        const CALLS: &str = ".calls.jsonl";
        let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let name = names.filter_map(|name| name.strip_suffix(CALLS).map(str::to_owned)).min();
        let name = name.ok_or_else(|| format!("{}: no file NAME{CALLS}", folder.display()))?;
        let path = |what: &str| folder.join(format!("{name}.{what}.jsonl"));
        let truth = Self {
            calls: rows(&path("calls"))?,
            references: rows(&path("refs"))?,
            inherits: rows_if_there(&path("inherit"))?,
            files: rows(&path("filedeps"))?,
            definitions: rows_if_there(&path("defs"))?,
        };
        Ok((name, truth))
    }

    /// Drops rows that are not references: further declarations of an overloaded Python function, which the index
    /// lists as calls of the first one.
    pub(super) fn drop_declarations(&mut self, sources: &Lines) {
        let is_declaration = |file: &str, line: u32, name: &str| {
            let text = line_of(sources, file, line);
            let text = text.strip_prefix("async ").unwrap_or(text);
            let rest = text.strip_prefix("def ").and_then(|text| text.trim_start().strip_prefix(name));
            file.ends_with(".py") && rest.is_some_and(|rest| rest.trim_start().starts_with(['(', '[']))
        };
        self.references.retain(|row| !(row.role == "call" && is_declaration(&row.file, row.line, &row.name)));
        self.calls.retain_mut(|row| {
            row.sites.retain(|&line| !is_declaration(&row.caller_file, line, &row.name));
            !row.sites.is_empty()
        });
    }
}

/// Reads the rows of a file, one JSON object per line.
pub(super) fn rows<T: DeserializeOwned>(path: &Path) -> Outcome<Vec<T>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1).into())
    };
    lines.map(row).collect()
}

fn rows_if_there<T: DeserializeOwned>(path: &Path) -> Outcome<Vec<T>> {
    if path.exists() { rows(path) } else { Ok(Vec::new()) }
}
