//! From the command line to an engine: which folder, which store.

use std::path::{Path, PathBuf};

use m1nd_engine::{Engine, EngineConfig};

use crate::args::Common;
use crate::error::CliError;

/// Folder of the store below the user's home, when nothing else is said.
const DEFAULT_HOME: &str = ".m1nd";

/// The folder of the store.
pub(crate) fn home(common: &Common) -> Result<PathBuf, CliError> {
    if let Some(home) = &common.home {
        return Ok(home.clone());
    }
    let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    user.map(|user| user.join(DEFAULT_HOME)).ok_or_else(|| {
        CliError::usage("this user has no home folder", "say where to keep the index: --home FOLDER or M1ND_HOME")
    })
}

/// The folder to work on: the one given, or the repository around the current folder, or the current folder.
pub(crate) fn root(path: Option<&Path>) -> Result<PathBuf, CliError> {
    let given = path.unwrap_or(Path::new("."));
    let full = std::fs::canonicalize(given).map_err(|error| {
        CliError::usage(format!("cannot open `{}`: {error}", given.display()), "name a folder that exists")
    })?;
    if !full.is_dir() {
        return Err(CliError::usage(
            format!("`{}` is not a folder", given.display()),
            "name the folder of the repository",
        ));
    }
    if path.is_some() {
        return Ok(full);
    }
    let repository = full.ancestors().find(|folder| folder.join(".git").exists());
    Ok(repository.map(Path::to_path_buf).unwrap_or(full))
}

/// Whether the folder is a home or the whole system: nobody means that unless they say so.
pub(crate) fn is_too_wide(root: &Path) -> bool {
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    root.parent().is_none() || home.is_some_and(|home| home == root)
}

/// An engine on one root that does not watch.
pub(crate) fn open(common: &Common, root: &Path, read_only: bool) -> Result<Engine, CliError> {
    let mut config = EngineConfig::new(home(common)?, vec![root.to_path_buf()]);
    config.read_only = read_only;
    config.model = common.model.clone();
    crate::commands::memory::places(&mut config, true)?;
    Ok(Engine::open(config)?)
}
