use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::System;

use crate::{StoreError, durable};

/// Small derived files of a project, replaced atomically. Any process may write them: the last writer wins, and no
/// reader sees a partial file.
#[derive(Debug, Clone)]
pub struct DerivedFiles {
    folder: PathBuf,
    system: Arc<dyn System>,
}

impl DerivedFiles {
    pub(crate) fn new(folder: PathBuf, system: Arc<dyn System>) -> Self {
        Self { folder, system }
    }

    /// Returns the path of a file. `name` consists of letters, digits, `-` and `.`.
    pub fn path(&self, name: &str) -> PathBuf {
        debug_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')), "{name}");
        self.folder.join(name)
    }

    /// Reads a file of at most `max_bytes` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn read(&self, name: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(name);
        match self.system.read(&path, max_bytes) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// Replaces a file.
    ///
    /// # Errors
    /// [`StoreError::Io`]; the previous content is then still there.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.system.create_folder(&self.folder).map_err(StoreError::io("create the folder", &self.folder))?;
        durable::durable_write(&*self.system, &self.path(name), bytes)
    }

    /// Renames a damaged file for inspection; only the last few such files are kept.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn set_aside(&self, name: &str) -> Result<PathBuf, StoreError> {
        let kept = durable::quarantine(&*self.system, Path::new(&self.path(name)))?;
        durable::prune(&*self.system, &self.folder, |_| true);
        Ok(kept)
    }
}
