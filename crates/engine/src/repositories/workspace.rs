//! The file in which people list the repositories of a federation, and which folders may be read for one.

use std::path::{Path, PathBuf};

use m1nd_base::RepoPath;
use m1nd_store::Home;
use m1nd_vfs::{Root, VfsError};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::repositories::federation::{Federation, Member};

/// Name of the file.
pub const WORKSPACE_FILE: &str = "m1nd-workspace.toml";
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 256 << 10;
/// First line of the file.
const TITLE: &str = "# The repositories that m1nd answers over as one; `m1nd workspace` adds and removes them.\n";

/// The repositories listed in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    folder: PathBuf,
    listed: Listed,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(default, rename = "repository")]
    repositories: Vec<Repository>,
}

/// A repository as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// Its name.
    pub name: String,
    /// Its folder, absolute or relative to that of the file.
    pub path: PathBuf,
}

impl Workspace {
    /// The workspace of a folder; empty if the folder has no file.
    ///
    /// # Errors
    /// [`EngineError::BadRequest`] for a file that cannot be understood, or [`EngineError::Files`].
    pub fn open(folder: &Path) -> Result<Self, EngineError> {
        Ok(Self::at(folder)?.unwrap_or_else(|| Self { folder: folder.to_owned(), listed: Listed::default() }))
    }

    /// The workspace listed in a folder; `None` if it has no file.
    ///
    /// # Errors
    /// Those of [`Workspace::open`].
    pub fn at(folder: &Path) -> Result<Option<Self>, EngineError> {
        let path = RepoPath::new(WORKSPACE_FILE).map_err(|error| EngineError::Internal(error.to_string()))?;
        let bytes = match Root::open(folder)?.read(&path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(VfsError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let why = |error: String| {
            EngineError::BadRequest(format!(
                "`{}` cannot be understood: {error}; expected tables `[[repository]]` with `name` and `path`",
                folder.join(WORKSPACE_FILE).display()
            ))
        };
        let text = String::from_utf8(bytes).map_err(|_| why("it is not UTF-8".into()))?;
        let listed = toml::from_str(&text).map_err(|error| why(error.message().to_owned()))?;
        Ok(Some(Self { folder: folder.to_owned(), listed }))
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The repositories, as listed.
    pub fn repositories(&self) -> &[Repository] {
        &self.listed.repositories
    }

    /// The folder of a listed repository.
    pub fn path_of(&self, repository: &Repository) -> PathBuf {
        let path = self.folder.join(&repository.path);
        std::fs::canonicalize(&path).unwrap_or(path)
    }

    /// Adds a repository. One of the same name is replaced.
    pub fn add(&mut self, repository: Repository) {
        self.remove(&repository.name);
        self.listed.repositories.push(repository);
    }

    /// Removes a repository by its name. Returns whether it was listed.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.listed.repositories.len();
        self.listed.repositories.retain(|known| known.name != name);
        self.listed.repositories.len() < before
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn save(&self) -> Result<(), EngineError> {
        let rows = toml::to_string(&self.listed).map_err(|error| EngineError::Internal(error.to_string()))?;
        let path = self.folder.join(WORKSPACE_FILE);
        let system = m1nd_store::RealSystem;
        m1nd_store::replace_user_file(&system, &path, format!("{TITLE}\n{rows}").as_bytes())
            .map_err(|error| EngineError::Store(error.to_string()))
    }

    /// Whether its repositories can be one index, if all of them may be read.
    ///
    /// # Errors
    /// Those of [`Federation::new`].
    pub fn check(&self) -> Result<(), EngineError> {
        let repositories = self.listed.repositories.iter();
        let members = repositories.map(|known| Member { name: known.name.clone(), path: self.path_of(known) });
        Federation::new(self.folder.clone(), members.collect()).map(|_| ())
    }

    /// The federation of its repositories that may be read, and why others are left out. `None` if none may be.
    ///
    /// # Errors
    /// Those of [`Federation::new`].
    pub fn federation(&self, home: &Path) -> Result<(Option<Federation>, Vec<String>), EngineError> {
        let (mut left_out, mut unread) = (Vec::new(), Vec::new());
        let mut members = Vec::new();
        for repository in &self.listed.repositories {
            let path = self.path_of(repository);
            if may_read(home, std::slice::from_ref(&self.folder), &path) {
                members.push(Member { name: repository.name.clone(), path });
            } else {
                unread.push(repository.name.clone());
                left_out.push(format!(
                    "repository `{}` is outside of the workspace and is not read: `m1nd workspace add {}` allows it",
                    repository.name,
                    path.display()
                ));
            }
        }
        let federation = match members.is_empty() {
            true => None,
            false => Some(Federation::new(self.folder.clone(), members)?.without(unread)),
        };
        Ok((federation, left_out))
    }
}

/// Returns whether a folder is inside of the `allowed` ones, or the user has allowed to read it. `path` must be
/// canonical: a link inside an allowed folder may lead out of it.
pub fn may_read(home: &Path, allowed: &[PathBuf], path: &Path) -> bool {
    let inside = |folder: &PathBuf| path.starts_with(std::fs::canonicalize(folder).as_deref().unwrap_or(folder));
    allowed.iter().any(inside) || Home::to_read(home).readable_folders().iter().any(|folder| path.starts_with(folder))
}

/// Notes that the user allows to read a folder, which must exist. Returns its canonical path.
///
/// # Errors
/// [`EngineError::PathNotFound`], [`EngineError::Files`] or [`EngineError::Store`].
pub fn allow_reading(home: &Path, path: &Path) -> Result<PathBuf, EngineError> {
    // Also refuses what is no folder, or one of version control.
    let folder = Root::open(path)?.path().to_owned();
    let home = Home::open(home).map_err(|error| EngineError::Store(error.to_string()))?;
    home.allow_folder(&folder).map_err(|error| EngineError::Store(error.to_string()))?;
    Ok(folder)
}
