//! A file with a row a project, in the folder that all projects of a user share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use m1nd_store::SharedFolder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::MemoryError;

/// Which file. Every change reads, changes and replaces it under a lock.
pub(crate) struct ProjectFile {
    /// Its name in the folder.
    pub(crate) name: &'static str,
    /// Its format.
    pub(crate) version: u32,
    /// Largest such file that is read, in bytes.
    pub(crate) max_bytes: u64,
}

/// The rows by the folder of their project.
pub(crate) type Rows<T> = BTreeMap<PathBuf, T>;

#[derive(Serialize, Deserialize)]
struct Content<T> {
    #[serde(default = "first")]
    version: u32,
    #[serde(default = "BTreeMap::new")]
    projects: Rows<T>,
    /// Members of newer versions.
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// The version of a file that does not say it.
const fn first() -> u32 {
    1
}

impl ProjectFile {
    /// All rows.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn read<T: DeserializeOwned>(&self, folder: &SharedFolder) -> Result<Rows<T>, MemoryError> {
        Ok(self.parse(folder, folder.read(self.name, self.max_bytes)?)?.projects)
    }

    /// Changes the rows, waiting so long for others; they are written if `change` says that they differ.
    ///
    /// # Errors
    /// What `change` says; [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn change<T: DeserializeOwned + Serialize, A>(
        &self,
        folder: &SharedFolder,
        wait: Duration,
        change: impl FnOnce(&mut Rows<T>) -> Result<(A, bool), MemoryError>,
    ) -> Result<A, MemoryError> {
        folder.change(self.name, self.max_bytes, wait, |bytes| {
            let mut content = self.parse(folder, bytes)?;
            let (answer, differs) = change(&mut content.projects)?;
            let text = differs.then(|| serde_json::to_vec_pretty(&content)).transpose();
            Ok((answer, text.map_err(|error| self.report_damage(folder, error.to_string()))?))
        })
    }

    fn parse<T: DeserializeOwned>(
        &self,
        folder: &SharedFolder,
        bytes: Option<Vec<u8>>,
    ) -> Result<Content<T>, MemoryError> {
        let Some(bytes) = bytes else {
            return Ok(Content { version: self.version, projects: BTreeMap::new(), more: BTreeMap::new() });
        };
        let content: Content<T> =
            serde_json::from_slice(&bytes).map_err(|error| self.report_damage(folder, error.to_string()))?;
        if content.version > self.version {
            let why = format!("it has version {}, this program knows {}", content.version, self.version);
            return Err(self.report_damage(folder, why));
        }
        Ok(content)
    }

    fn report_damage(&self, folder: &SharedFolder, why: String) -> MemoryError {
        MemoryError::Damaged { path: folder.path().join(self.name), why }
    }
}
