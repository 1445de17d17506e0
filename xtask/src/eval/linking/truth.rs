//! Rows of truth, as read from disk.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::edges::{Lines, line_of};
use crate::Outcome;

/// A caller and its callee. Line 0 is top-level code, including class bodies.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Call {
    #[serde(rename = "cf")]
    pub(in crate::eval) caller_file: String,
    #[serde(rename = "cl")]
    pub(in crate::eval) caller_line: u32,
    #[serde(rename = "cn")]
    pub(in crate::eval) caller_name: String,
    #[serde(rename = "tf")]
    pub(in crate::eval) file: String,
    #[serde(rename = "tl")]
    pub(in crate::eval) line: u32,
    #[serde(rename = "tn")]
    pub(in crate::eval) name: String,
    /// Lines of the calls in the caller's file.
    pub(in crate::eval) sites: Vec<u32>,
}

/// A reference and its target.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Reference {
    #[serde(rename = "rf")]
    pub(in crate::eval) file: String,
    #[serde(rename = "rl")]
    pub(in crate::eval) line: u32,
    /// 0-based.
    #[serde(rename = "rc")]
    pub(in crate::eval) col: u32,
    #[serde(rename = "df")]
    pub(in crate::eval) target_file: String,
    #[serde(rename = "dl")]
    pub(in crate::eval) target_line: u32,
    pub(in crate::eval) name: String,
    /// `fn`, `type`, `term`, `macro`, `ns`, `module`, `meta`.
    pub(in crate::eval) kind: String,
    /// `call`, `read`, `import`, `inherit`.
    pub(in crate::eval) role: String,
    /// The compiler's symbol of the definition.
    #[serde(rename = "sym", default)]
    pub(in crate::eval) symbol: String,
    #[serde(rename = "encl", default)]
    pub(in crate::eval) enclosing: Option<Enclosing>,
}

/// The definition around a reference.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Enclosing {
    pub(in crate::eval) line: u32,
    #[serde(default)]
    pub(in crate::eval) kind: String,
}

/// A type and one of its bases.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Inherit {
    #[serde(rename = "f")]
    pub(in crate::eval) file: String,
    #[serde(rename = "l")]
    pub(in crate::eval) line: u32,
    #[serde(rename = "n")]
    pub(in crate::eval) name: String,
    #[serde(rename = "tf")]
    pub(in crate::eval) target_file: String,
    #[serde(rename = "tl")]
    pub(in crate::eval) target_line: u32,
    #[serde(rename = "tn")]
    pub(in crate::eval) target_name: String,
}

/// A dependency of a file on another.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct FileDependency {
    pub(in crate::eval) src: String,
    pub(in crate::eval) dst: String,
}

/// A definition. Not every repository has these rows.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Definition {
    pub(in crate::eval) file: String,
    pub(in crate::eval) line: u32,
    pub(in crate::eval) name: String,
    pub(in crate::eval) kind: String,
}

/// All truth of a repository.
#[derive(Debug, Default)]
pub(in crate::eval) struct Truth {
    pub(in crate::eval) calls: Vec<Call>,
    pub(in crate::eval) references: Vec<Reference>,
    pub(in crate::eval) inherits: Vec<Inherit>,
    pub(in crate::eval) files: Vec<FileDependency>,
    pub(in crate::eval) definitions: Vec<Definition>,
}

impl Truth {
    /// Reads the rows of a folder and their common name. Calls, references and file dependencies are required; the
    /// others may be missing.
    pub(in crate::eval) fn read(folder: &Path) -> Outcome<(String, Self)> {
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
    pub(in crate::eval) fn drop_declarations(&mut self, sources: &Lines) {
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
pub(in crate::eval) fn rows<T: DeserializeOwned>(path: &Path) -> Outcome<Vec<T>> {
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
