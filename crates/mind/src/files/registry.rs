//! `projects.json`: the projects of this user that have memories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use m1nd_store::SharedFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::MemoryError;
use crate::files::project::name_of;
use crate::files::project_file::{ProjectFile, Rows};

/// File name.
pub(crate) const FILE: &str = "projects.json";
const ROWS: ProjectFile = ProjectFile { name: FILE, version: 1, max_bytes: 16 << 20 };
/// Maximum wait for another process that changes the file, when no person waits.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

/// A registered project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Folder of the project, canonical.
    pub path: PathBuf,
    /// Name of the project.
    pub name: String,
    /// Tags of its stack.
    #[serde(default)]
    pub stack: Vec<String>,
    /// Time of its registration.
    pub registered_at: Timestamp,
    /// Time of the last change of its memories or the last request of a hook; `None` if never.
    #[serde(default)]
    pub last_activity: Option<Timestamp>,
    /// Members of newer versions.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// The projects of one user. Each change reads, modifies and replaces the file under a lock.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: SharedFolder,
}

impl Registry {
    /// The registry in the folder that all projects share.
    pub fn new(folder: SharedFolder) -> Self {
        Self { folder }
    }

    /// Returns all projects, ordered by path.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn list(&self) -> Result<Vec<Project>, MemoryError> {
        Ok(ROWS.read(&self.folder)?.into_values().collect())
    }

    /// Returns the project at a canonical path.
    ///
    /// # Errors
    /// Those of [`Registry::list`].
    pub fn get(&self, path: &Path) -> Result<Option<Project>, MemoryError> {
        Ok(self.list()?.into_iter().find(|project| project.path == path))
    }

    /// Registers a project, or refreshes the stack of a registered one. `true` if it is new.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn add(&self, path: &Path, stack: &[String], now: Timestamp) -> Result<bool, MemoryError> {
        self.change(WAIT, |projects| match projects.get_mut(path) {
            Some(known) if known.stack == stack => (false, false),
            Some(known) => {
                known.stack = stack.to_vec();
                (false, true)
            }
            None => {
                let project = Project {
                    path: path.to_owned(),
                    name: name_of(path),
                    stack: stack.to_vec(),
                    registered_at: now,
                    last_activity: None,
                    more: BTreeMap::new(),
                };
                projects.insert(path.to_owned(), project);
                (true, true)
            }
        })
    }

    /// Forgets a project; its files stay. `false` if it was not registered.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn remove(&self, path: &Path) -> Result<bool, MemoryError> {
        self.change(WAIT, |projects| {
            let was = projects.remove(path).is_some();
            (was, was)
        })
    }

    /// Records activity in a project, unless another process changes the file for longer than `wait`. Does nothing
    /// for a project that is not registered.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn touch(&self, path: &Path, now: Timestamp, wait: Duration) -> Result<(), MemoryError> {
        self.change(wait, |projects| match projects.get_mut(path) {
            Some(project) if project.last_activity.is_none_or(|last| last < now) => {
                project.last_activity = Some(now);
                ((), true)
            }
            _ => ((), false),
        })
    }

    fn change<T>(
        &self,
        wait: Duration,
        change: impl FnOnce(&mut Rows<Project>) -> (T, bool),
    ) -> Result<T, MemoryError> {
        ROWS.change(&self.folder, wait, |projects| Ok(change(projects)))
    }
}
