//! Defaults of options in `settings.toml`, in the folder of the store: for all projects of a user, or for one.
//!
//! The file is the user's. Nothing like it is read from a repository, which could otherwise choose a model or turn the
//! watching off.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::CliError;

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
    /// The opposite of `--no-watch` of a server.
    pub watch: Option<bool>,
    /// `--read-only` of a server.
    pub read_only: Option<bool>,
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

/// The whole file: settings for all projects, and by absolute path those of one.
#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(flatten)]
    all: toml::Table,
    #[serde(default)]
    projects: BTreeMap<PathBuf, toml::Table>,
}

impl Settings {
    /// The settings of a project: its own win over those for all projects. Without a file, or with one inside of the
    /// project, there are none.
    ///
    /// # Errors
    /// A file that cannot be read, or has an unknown or invalid setting.
    pub(crate) fn load(home: &Path, root: &Path) -> Result<Self, CliError> {
        let full = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
        if full.starts_with(root) {
            return Ok(Self::default());
        }
        let path = home.join(FILE);
        let unusable = |why: String| {
            CliError::failed(format!("cannot use {}: {why}", path.display()), "correct the file, or remove it")
        };
        let text = match std::fs::File::open(&path) {
            Ok(file) => {
                let mut text = String::new();
                let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
                read.map_err(|error| unusable(error.to_string()))?;
                text
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(unusable(error.to_string())),
        };
        if text.len() as u64 > MAX_BYTES {
            return Err(unusable(format!("it is larger than {MAX_BYTES} bytes")));
        }
        let mut settings = Self::parse(&text, root).map_err(unusable)?;
        settings.model = settings.model.map(|model| home.join(model));
        Ok(settings)
    }

    fn parse(text: &str, root: &Path) -> Result<Self, String> {
        let shown = |error: toml::de::Error| error.to_string().trim_end().to_owned();
        let File { mut all, mut projects } = toml::from_str(text).map_err(shown)?;
        // Every table is checked, so that a mistake shows before its project is opened.
        for table in projects.values().chain([&all]) {
            Self::deserialize(table.clone()).map_err(shown)?;
        }
        all.extend(projects.remove(root).unwrap_or_default());
        Self::deserialize(all).map_err(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_project_win_and_mistakes_are_named() {
        let text = "model = \"m\"\nwatch = false\n[projects.\"/a\"]\nwatch = true\nformat = \"text\"\n";
        let of = |root: &str| Settings::parse(text, Path::new(root)).expect("is valid");
        let all = Settings { model: Some("m".into()), watch: Some(false), ..Settings::default() };
        assert_eq!(of("/b"), all);
        assert_eq!(of("/a"), Settings { watch: Some(true), format: Some(Form::Text), ..all });
        for (text, named) in [
            ("modle = 1", "modle"),
            ("watch = 1", "boolean"),
            ("[projects.\"/other\"]\nbogus = 1", "bogus"),
            ("format = \"xml\"", "xml"),
            ("watch", "="),
        ] {
            let error = Settings::parse(text, Path::new("/a")).expect_err("is refused");
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
