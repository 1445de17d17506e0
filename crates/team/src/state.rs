//! What a clone knows of its team from its last exchange: a small file in the user's own folder.

use std::collections::BTreeMap;
use std::time::Duration;

use m1nd_store::{HeldLock, RealSystem, SharedFolder, durable_write};
use serde::{Deserialize, Serialize};

use crate::merge::Known;
use crate::{EntryId, TeamError};

/// Version of the file.
const VERSION: u32 = 1;
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum wait for another exchange of the same clone.
const WAIT: Duration = Duration::from_secs(120);

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    memories: BTreeMap<EntryId, Known>,
}

/// The file of one clone.
pub(crate) struct CloneState {
    folder: SharedFolder,
    name: String,
}

impl CloneState {
    /// The state of the clone with this key.
    pub(crate) fn new(folder: SharedFolder, key: &str) -> Self {
        Self { folder, name: format!("clone-{key}.json") }
    }

    /// Excludes other exchanges of this clone as long as the lock lives.
    pub(crate) fn hold(&self) -> Result<HeldLock, TeamError> {
        Ok(self.folder.hold(&format!(".{}.lock", self.name), WAIT)?)
    }

    /// What is known. A damaged file is put aside: it only saves work and remembers what was removed from the text.
    pub(crate) fn read(&self) -> Result<BTreeMap<EntryId, Known>, TeamError> {
        let Some(bytes) = self.folder.read(&self.name, MAX_BYTES)? else { return Ok(BTreeMap::new()) };
        match serde_json::from_slice::<Stored>(&bytes) {
            Ok(stored) if stored.version == VERSION => Ok(stored.memories),
            Ok(stored) => Err(TeamError::Invalid(format!(
                "`{}` has version {}, this m1nd knows version {VERSION}; use the newer m1nd that wrote it",
                self.folder.path().join(&self.name).display(),
                stored.version
            ))),
            Err(_) => {
                self.folder.set_aside(&self.name)?;
                Ok(BTreeMap::new())
            }
        }
    }

    /// Replaces what is known.
    pub(crate) fn write(&self, memories: &BTreeMap<EntryId, Known>) -> Result<(), TeamError> {
        let stored = Stored { version: VERSION, memories: memories.clone() };
        let bytes = serde_json::to_vec(&stored).map_err(|error| TeamError::Invalid(error.to_string()))?;
        Ok(durable_write(&RealSystem, &self.folder.path().join(&self.name), &bytes)?)
    }
}
