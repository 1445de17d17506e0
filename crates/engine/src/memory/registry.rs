//! `projects.json`: the projects of this user that have memories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use m1nd_store::SharedFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::memory::MemoryError;
use crate::memory::project::name_of;

/// The file.
pub(crate) const FILE: &str = "projects.json";
/// Its format.
const VERSION: u32 = 1;
/// Largest such file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// How long a change waits for others where nobody waits for it.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

/// A registered project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Its folder, canonical.
    pub path: PathBuf,
    /// Its name for people.
    pub name: String,
    /// What it is made with.
    #[serde(default)]
    pub stack: Vec<String>,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// When its memories last changed or were asked for by a hook; `None` if never.
    #[serde(default)]
    pub last_activity: Option<Timestamp>,
    /// Members of newer versions.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct File {
    #[serde(default = "version")]
    version: u32,
    #[serde(default)]
    projects: BTreeMap<PathBuf, Project>,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

const fn version() -> u32 {
    VERSION
}

/// The projects of one user. Every change reads, changes and replaces the file under a lock.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: SharedFolder,
}

impl Registry {
    /// The registry in the folder that all projects share.
    pub fn new(folder: SharedFolder) -> Self {
        Self { folder }
    }

    /// All projects, by path.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn list(&self) -> Result<Vec<Project>, MemoryError> {
        let file = self.parse(self.folder.read(FILE, MAX_BYTES)?)?;
        Ok(file.projects.into_values().collect())
    }

    /// The project at a canonical path.
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

    /// Notes that something happened in a project, unless others change the list for longer than `wait`. Nothing happens if
    /// it is not registered.
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
        change: impl FnOnce(&mut BTreeMap<PathBuf, Project>) -> (T, bool),
    ) -> Result<T, MemoryError> {
        self.folder.change(FILE, MAX_BYTES, wait, |content| {
            let mut file = self.parse(content)?;
            let (answer, is_changed) = change(&mut file.projects);
            let text = is_changed.then(|| serde_json::to_vec_pretty(&file)).transpose();
            let text = text.map_err(|error| self.damaged(error.to_string()))?;
            Ok((answer, text))
        })
    }

    fn parse(&self, content: Option<Vec<u8>>) -> Result<File, MemoryError> {
        let Some(content) = content else {
            return Ok(File { version: VERSION, projects: BTreeMap::new(), more: BTreeMap::new() });
        };
        let file: File = serde_json::from_slice(&content).map_err(|error| self.damaged(error.to_string()))?;
        if file.version > VERSION {
            return Err(self.damaged(format!("it has version {}, this program knows {VERSION}", file.version)));
        }
        Ok(file)
    }

    fn damaged(&self, why: String) -> MemoryError {
        MemoryError::Damaged { path: self.folder.path().join(FILE), why }
    }
}
