//! Defaults of options in `settings.toml`, in the folder of the store: for all projects of a user, or for one.
//!
//! The file is the user's. Nothing like it is read from a repository, which could otherwise choose a model or turn the
//! watching off.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use m1nd_tools::ToolChoice;
use serde::Deserialize;

/// Name of the file, in the folder of the store.
pub(crate) const FILE: &str = "settings.toml";
/// Maximum size, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Defaults of options; what is absent has the default of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// `--model`: a folder, relative to that of the store.
    pub model: Option<PathBuf>,
    /// `--format` of a server.
    pub format: Option<Form>,
    /// `--toolset` of a server.
    pub toolset: Option<Vec<String>>,
    /// `--envelope` of a server.
    pub envelope: Option<bool>,
    /// `--output-schemas` of a server.
    pub output_schemas: Option<bool>,
    /// The opposite of `--no-watch` of a server.
    pub watch: Option<bool>,
    /// `--read-only` of a server.
    pub read_only: Option<bool>,
    /// Whether questions of the command line start a process that keeps the index open: `true` for an index of any
    /// size, `false` for none, large ones by default.
    pub daemon: Option<bool>,
}

/// Form of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    Json,
    Text,
}

impl Form {
    /// The word on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
        }
    }
}

/// The settings of this version, each with what it may be.
const KNOWN: &[(&str, &str)] = &[
    ("model", "the path of a folder, in quotes"),
    ("format", "\"json\" or \"text\""),
    ("toolset", "a list of names of toolsets"),
    ("envelope", "true or false"),
    ("output_schemas", "true or false"),
    ("watch", "true or false"),
    ("read_only", "true or false"),
    ("daemon", "true or false"),
];
/// Table of the settings of single projects, by absolute path.
const PROJECTS: &str = "projects";
/// Characters shown of a value that cannot be used.
const MAX_SHOWN: usize = 60;

impl Settings {
    /// The settings of a project: its own win over those for all projects. Without a file, or with one inside of the
    /// project, there are none. What of the file cannot be used is left out, so that every program still starts, and
    /// is returned as sentences.
    pub(crate) fn load(home: &Path, root: &Path) -> (Self, Vec<String>) {
        let full = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
        if full.starts_with(root) {
            return (Self::default(), Vec::new());
        }
        let path = home.join(FILE);
        let (mut settings, problems) = match read(&path) {
            Ok(Some(text)) => Self::parse(&text, root),
            Ok(None) => return (Self::default(), Vec::new()),
            Err(why) => (Self::default(), vec![why]),
        };
        settings.model = settings.model.map(|model| home.join(model));
        let shown = |why: String| format!("{}: {why}", path.display());
        (settings, problems.into_iter().map(shown).collect())
    }

    /// The settings of a text, and what of it cannot be used.
    fn parse(text: &str, root: &Path) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let mut all: toml::Table = match toml::from_str(text) {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
                return (
                    Self::default(),
                    vec![format!("it is not valid TOML{line}: {}; nothing of it is used", error.message())],
                );
            }
        };
        let projects = match all.remove(PROJECTS) {
            None => toml::Table::new(),
            Some(toml::Value::Table(projects)) => projects,
            Some(_) => {
                problems.push(format!("`{PROJECTS}` is not a table; it is not used"));
                toml::Table::new()
            }
        };
        keep_usable(&mut all, "", &mut problems);
        // Every table is checked, so that a mistake shows before its project is opened.
        for (path, table) in projects {
            let name = format!("{PROJECTS}.{path:?}");
            match table {
                toml::Value::Table(mut table) => {
                    keep_usable(&mut table, &format!(" of `{name}`"), &mut problems);
                    if Path::new(&path) == root {
                        all.extend(table);
                    }
                }
                _ => problems.push(format!("`{name}` is not a table; it is not used")),
            }
        }
        (Self::deserialize(all).unwrap_or_default(), problems)
    }
}

/// The text of the file; `None` if there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    // Checked first: opening a pipe would wait for somebody who writes into it.
    match std::fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return Err("it is not a regular file; nothing of it is used".into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let failed = |error: std::io::Error| format!("it cannot be read: {error}; nothing of it is used");
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!("it is larger than {MAX_BYTES} bytes; nothing of it is used"));
    }
    Ok(Some(text))
}

/// Removes what cannot be used from a table of settings, and says what that was.
fn keep_usable(table: &mut toml::Table, place: &str, problems: &mut Vec<String>) {
    table.retain(|name, value| {
        let Some((_, expected)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = KNOWN.iter().map(|(known, _)| *known).collect();
            let known = known.join(", ");
            problems
                .push(format!("`{name}`{place} is not a setting of this version and is not used; expected {known}"));
            return false;
        };
        let one = toml::Table::from_iter([(name.to_owned(), value.clone())]);
        let is_usable =
            Settings::deserialize(one).is_ok_and(|one| one.toolset.iter().flatten().all(|word| is_toolset(word)));
        if !is_usable {
            let shown: String = value.to_string().chars().take(MAX_SHOWN).collect();
            problems.push(format!("`{name}`{place} is {shown} and is not used; expected {expected}"));
        }
        is_usable
    });
}

fn is_toolset(word: &str) -> bool {
    word == "all" || ToolChoice::parse(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_project_win_and_mistakes_are_named_and_left_out() {
        let text = "model = \"m\"\nwatch = false\n[projects.\"/a\"]\nwatch = true\nformat = \"text\"\n";
        let of = |root: &str| Settings::parse(text, Path::new(root));
        let all = Settings { model: Some("m".into()), watch: Some(false), ..Settings::default() };
        assert_eq!(of("/b"), (all.clone(), Vec::new()));
        let own = Settings { watch: Some(true), format: Some(Form::Text), ..all };
        assert_eq!(of("/a"), (own, Vec::new()));
        // What is left out, and what is still used.
        for (text, named, read_only) in [
            ("modle = 1\nread_only = true", "`modle` is not a setting", Some(true)),
            ("watch = 1\nread_only = true", "`watch` is 1 and is not used; expected true or false", Some(true)),
            ("read_only = true\n[projects.\"/other\"]\nbogus = 1", "`bogus` of `projects.\"/other\"`", Some(true)),
            ("format = \"xml\"\nread_only = true", "expected \"json\" or \"text\"", Some(true)),
            ("toolset = [\"bogus\"]\nread_only = true", "`toolset` is [\"bogus\"]", Some(true)),
            ("toolset = \"agent\"\nread_only = true", "expected a list of names", Some(true)),
            ("projects = 3\nread_only = true", "`projects` is not a table", Some(true)),
            ("read_only = true\nwatch", "not valid TOML (line 2)", None),
        ] {
            let (settings, problems) = Settings::parse(text, Path::new("/a"));
            assert_eq!(settings, Settings { read_only, ..Settings::default() }, "{text}");
            assert!(problems.len() == 1 && problems[0].contains(named), "{text}: {problems:?}");
        }
    }
}
